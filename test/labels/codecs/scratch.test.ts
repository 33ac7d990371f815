import { join } from 'node:path'
import t from 'tap'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { type Answer, base64, PATIENT, startServer } from '../../e2e/server.ts'
import { copySources } from '../../source-copy.ts'

t.setTimeout(120_000)

/** Portable bitmaps of 812 x 1218 dots, written as a contributor would. */
const PBM = String.raw`
import { LabelFault } from '../fault.ts'
import type { Decoder } from './decoder.ts'

const [WIDTH, HEIGHT, STRIDE] = [812, 1218, 102]
const HEAD = 'P4\n812 1218\n'

function header(bytes: Uint8Array) {
  if (bytes.length !== HEAD.length + STRIDE * HEIGHT) {
    throw new LabelFault('PICTURE_BROKEN', 'The PBM is cut off.')
  }
  const size = { width: WIDTH, height: HEIGHT, pixels: WIDTH * HEIGHT }
  return { ...size, orientation: 1, memoryBytes: WIDTH, dpi: 0, divisors: [1], isBilevel: true } as const
}

export const pbm = {
  format: 'pbm',
  signs: ['P4\n'],
  header,
  decode: () => Promise.reject(new LabelFault('PICTURE_UNSUPPORTED', 'This PBM is drawn as bits.')),
  async decodeBits(bytes, take) {
    for (let y = 0; y < HEIGHT; y++) {
      take(bytes.subarray(HEAD.length + y * STRIDE, HEAD.length + (y + 1) * STRIDE), y)
    }
  },
} as const satisfies Decoder<'pbm'>
`

t.test('a picture format of one file and one line prints and is backed up', async (t) => {
  const copy = copySources(t)
  copy.add('src/labels/codecs/pbm.ts', PBM)
  copy.list('src/labels/codecs/index.ts', 'pbm', './pbm.ts')
  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'Dock', uri: sink.uri, language: 'epl', status: 'off' }]
  const folder = join(t.testdirName, 'box')
  const server = await startServer(t, { entry: copy.entry, folder, config: { printers } })
  const picture = Buffer.concat([Buffer.from('P4\n812 1218\n'), Buffer.alloc(102 * 1218)])
  picture[picture.length - 102] = 0xff
  const sent = await server.post('/', { label: base64(picture) }, PATIENT)
  t.match((await sent.json()) as Answer, {
    Status: 'OK',
    jobs: [{ format: 'pbm', state: 'completed', has_preview: true }],
  })
  const [job] = await sink.jobs(1)
  t.match(Buffer.from(job ?? []).toString('latin1'), /GW0,1217,1,1,\0\n/)
  const { formats } = (await (await server.get('/info')).json()) as { formats: readonly string[] }
  t.ok(formats.includes('PBM'))
  t.equal(await server.stop(), 0)

  const { jobLine } = (await copy.load('src/core/spool/backup.ts')) as {
    jobLine: { entries: { format: { pipe: readonly unknown[] } } }
  }
  const { is } = await import('valibot')
  t.ok(is(jobLine.entries.format as never, 'pbm'), 'a backup takes it')
})
