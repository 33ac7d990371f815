import { Buffer } from 'node:buffer'
import t, { type Test } from 'tap'
import { scanLabel } from '../../../src/labels/languages/index.ts'
import { qz } from '../../../src/plugins/qz/index.ts'
import { findClosedPort } from '../../listen.ts'
import { makePng } from '../../pictures/make-png.ts'
import { type DoorBench, jobs, openDoor } from '../door/door-bench.ts'
import { connectQz } from './client.ts'

t.setTimeout(240_000)

/** Black but for its last column and row. */
function corner(width: number, height: number): string {
  const samples = (x: number, y: number) => [x === width - 1 || y === height - 1 ? 255 : 0]
  return makePng({ width, height, color: 0, depth: 8, samples }).toString('base64')
}

async function open(t: Test): Promise<{ bench: DoorBench; port: number }> {
  const port = await findClosedPort()
  const bench = await openDoor(t, qz, { qz_tray: true, qz_port: port - 1 })
  return { bench, port }
}

function bytesOf({ bench }: DoorBench, id: string): string {
  return Buffer.from(bench.spool.history.label(id) ?? []).toString('latin1')
}

t.test('a picture between commands stands in its place, in each language', async (t) => {
  const { bench, port } = await open(t)
  const client = await connectQz(t, port)
  const image = (width: number, height: number, options: object) => ({
    type: 'raw',
    format: 'image',
    flavor: 'base64',
    data: corner(width, height),
    options,
  })
  const config = client.configs.create('A')
  for (const [before, options, after, wanted] of [
    ['^XA^FO9,9', { language: 'ZPL' }, '^FS^XZ', '^XA^FO9,9^GFA,6,6,2,FFE0:,^FS^XZ'],
    ['^XA^FO9,9', { language: 'zplii' }, '^FS^XZ', '^XA^FO9,9^GFA,6,6,2,FFE0:,^FS^XZ'],
    [
      '\nN\n',
      { language: 'EPL', x: 150, y: '300' },
      'P1\n',
      '\nN\nGW150,300,2,3,\0\x1f\0\x1f\xff\xff\nP1\n',
    ],
    [
      'CLS\r\n',
      { language: 'TSPL', x: 5 },
      'PRINT 1\r\n',
      'CLS\r\nBITMAP 5,0,2,3,0,\0\x1f\0\x1f\xff\xff\r\nPRINT 1\r\n',
    ],
  ] as const) {
    await client.print(config, [before, image(12, 3, options), after])
    const [job] = jobs(bench).slice(-1)
    const bytes = bytesOf(bench, job?.id ?? '')
    t.equal(bytes, wanted, options.language)
    t.equal(scanLabel(Buffer.from(bytes, 'latin1'), job?.format ?? '').cut, undefined)
  }
  const two = image(8, 8, { language: 'ZPL' })
  await client.print(config, ['^XA^FO1,1', two, '^FS^FO9,99', two, '^FS^XZ'])
  t.match(
    bytesOf(bench, jobs(bench).at(-1)?.id ?? ''),
    /^\^XA\^FO1,1\^GFA,8,8,1,.*\^FS\^FO9,99\^GFA,8,8,1,.*\^FS\^XZ$/,
  )
})

t.test('what cannot stand between commands is refused by name', async (t) => {
  const { bench, port } = await open(t)
  const client = await connectQz(t, port)
  const config = client.configs.create('A')
  const raw = { type: 'raw', format: 'image', flavor: 'base64', data: corner(8, 8) }
  for (const [item, said] of [
    [{ ...raw, options: { language: 'ESCPOS' } }, /ESCPOS.*wanted ZPL, EPL or TSPL/],
    [raw, /wanted ZPL, EPL or TSPL/],
    [
      { type: 'pixel', format: 'pdf', flavor: 'base64', data: corner(8, 8) },
      /PIXEL PDF beside commands/,
    ],
    [
      { type: 'pixel', format: 'image', flavor: 'base64', data: corner(8, 8) },
      /PIXEL IMAGE beside commands/,
    ],
    [
      { ...raw, data: Buffer.from('^XA^XZ').toString('base64'), options: { language: 'ZPL' } },
      /a picture between commands/,
    ],
  ] as const)
    await t.rejects(client.print(config, ['^XA', item, '^XZ']), said)
  t.same(jobs(bench), [])
})
