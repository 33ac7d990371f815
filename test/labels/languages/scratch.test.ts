import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { identify } from '../../../src/printers/known/identity.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { type Answer, base64, jobIn, PATIENT, startServer } from '../../e2e/server.ts'
import { carrierLabel } from '../../label-makers/carrier.ts'
import { toPng } from '../../label-makers/files.ts'
import { findClosedPort } from '../../listen.ts'
import { copySources, type SourceCopy } from '../../source-copy.ts'

t.setTimeout(300_000)

/** The least part of Datamax's DPL that a language needs, written as a contributor would. */
const DPL = String.raw`
import type { Language } from '../language.ts'
import { joinParts } from '../raster.ts'

export const dpl = {
  name: 'dpl',
  title: 'DPL',
  makers: 'Datamax',
  commandSets: ['DPL'],
  mediaType: 'application/vnd.datamax-dpl',
  fileEndings: ['dpl'],
  beginnings: ['\x02L'],
  signs: [{ doubt: 0, matches: ({ head }) => head.startsWith('\x02L') }],
  isPlain: () => true,
  encode: ({ width, height, bits }) => joinParts(['\x02L\r', width + 'x' + height + '\r', bits, 'E\r']),
  *scan(bytes, from, findings) {
    const offset = bytes.indexOf('\x02Kc', from)
    const means = 'changes the settings of the printer'
    if (offset >= 0) findings.add({ command: 'Kc', means, isCommon: false, offset })
  },
  stock: {
    dots: /I/,
    readSize: () => ({ width: undefined, height: undefined }),
    readTracking: () => undefined,
    readDots: () => undefined,
  },
  status: { calibrate: '\x02Z', ask: () => Promise.resolve(undefined) },
  resync: '\x01#',
} as const satisfies Language<'dpl'>
`
const LABEL = '\x02L\r1911A1001000100Hello\rE\r'

function addLanguage(copy: SourceCopy): void {
  copy.add('src/labels/languages/dpl/index.ts', DPL)
  copy.list('src/labels/languages/index.ts', 'dpl', './dpl/index.ts')
}

t.test('a language of one folder and one line prints and is named everywhere', async (t) => {
  const copy = copySources(t)
  addLanguage(copy)
  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'Dock', uri: sink.uri, language: 'dpl', status: 'off' }]
  const folder = join(t.testdirName, 'box')
  const raw_port = await findClosedPort()
  const server = await startServer(t, {
    entry: copy.entry,
    folder,
    config: { printers, raw_port },
  })
  const print = async (label: string | Uint8Array) => {
    const sent = await server.post('/', { label: base64(label) }, PATIENT)
    return (await sent.json()) as Answer
  }

  t.match(await print(LABEL), { Status: 'OK', jobs: [{ format: 'dpl', state: 'completed' }] })
  const [raw] = await sink.jobs(1)
  t.equal(Buffer.from(raw ?? []).toString('latin1'), LABEL, 'byte for byte')

  t.match(await print(toPng(carrierLabel())), { jobs: [{ format: 'png', has_preview: true }] })
  const [, drawn] = await sink.jobs(2)
  t.match(Buffer.from(drawn ?? []).toString('latin1', 0, 12), '\x02L\r812x1218')

  t.match(await print(`\x02Kc\r${LABEL}`), { code: 'LABEL_UNKNOWN', hint: /TSPL, DPL, PNG/ })
  t.match(await print(`${LABEL}\x02Kc\r`), { jobs: [{ detail: /^Kc changes the settings/ }] })
  const form = new FormData()
  form.append('label', new Blob([LABEL]), 'Shelf 7.dpl')
  const sent = await fetch(server.address, { method: 'POST', body: form, headers: PATIENT })
  t.match(await sent.json(), { jobs: [{ format: 'dpl', title: 'Shelf 7' }] })
  const seen = (await sink.jobs(4)).length
  connect(raw_port, '127.0.0.1').end(LABEL)
  const arrived = await sink.jobs(seen + 1)
  t.equal(Buffer.from(arrived.at(-1) ?? []).toString('latin1'), LABEL, 'over the raw port')
  t.match(await print('^XA^FDx^FS^XZ'), { jobs: [{ message: /is ZPL but Dock speaks DPL/ }] })

  const schema = (await (await server.get('/config/schema')).json()) as Field[]
  const language = schema
    .find(({ key }) => key === 'printers')
    ?.fields?.find(({ key }) => key === 'language')
  t.match(language, { description: /ZPL, EPL, TSPL and DPL labels/ })
  t.same(language?.choices, ['zpl', 'epl', 'tspl', 'dpl'])
  t.equal(language?.words?.['dpl'], 'DPL (Datamax)')
  t.match(await (await server.get('/info')).json(), {
    languages: [{}, {}, {}, { name: 'dpl', title: 'DPL', makers: 'Datamax' }],
  })

  const { identify: look } = (await copy.load('src/printers/known/identity.ts')) as {
    identify: typeof identify
  }
  const deviceId = 'MFG:Datamax-ONeil;CMD:DPL;MDL:E-4204B;'
  t.match(look({ makeAndModel: '', deviceId }), { language: 'dpl', isOther: false })
  t.equal(await server.stop(), 0)
})

interface Field {
  readonly key: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly words?: Readonly<Record<string, string>>
  readonly fields?: readonly Field[]
}

t.test('its labels are backed up, and restored on another box', async (t) => {
  const copy = copySources(t)
  addLanguage(copy)
  const sink = await TcpSink.open()
  const { uri } = sink
  await sink.close()
  const config = { printers: [{ name: 'Dock', uri, language: 'dpl', status: 'off' }] }
  const start = (box: string) =>
    startServer(t, { entry: copy.entry, folder: join(t.testdirName, box), config })
  const old = await start('old')
  const sent = await old.post('/', { label: base64(LABEL) }, { prefer: 'wait=0' })
  t.equal(sent.status, 202)
  const backup = await (await old.get('/backup')).text()
  t.equal(await old.stop(), 0)

  const fresh = await start('new')
  const taken = await fetch(`${fresh.address}/backup`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: backup,
  })
  t.match(await taken.json(), { Status: 'OK', labels: 1 })
  const [job] = (await (await fresh.get('/jobs')).json()) as readonly { readonly id: string }[]
  const held = await jobIn(fresh, job?.id ?? '', ['pending-held'])
  t.match(held, { format: 'dpl', reasons: ['platen-interrupted', 'platen-restored'] })
  t.equal(await fresh.stop(), 0)
})
