import { join } from 'node:path'
import t, { type Test } from 'tap'
import { OPERATIONS, STATUS } from '../../../src/plugins/ipp/protocol.ts'
import { printNode } from '../../../src/plugins/printnode/index.ts'
import { qz } from '../../../src/plugins/qz/index.ts'
import { enumeration, type IppValue, keyword } from '../../../src/printers/ipp/message.ts'
import type { Bench } from '../../core/bench.ts'
import { formBody, jsonBody, readPrinted, startRig } from '../../http/rig.ts'
import { interpretZpl } from '../../interpreters/zpl-graphics.ts'
import { difference, expected, type Format, fileOf, type Wish } from '../../labels/wishes.ts'
import { findClosedPort } from '../../listen.ts'
import { ask } from '../ipp/ask.ts'
import { idOf, PrintNodeClient } from '../printnode/client.ts'
import { connectQz } from '../qz/client.ts'
import { openDoor } from './door-bench.ts'

// On a busy machine.
t.setTimeout(240_000)

const CANVAS = { width: 812, height: 1218 }

/** The form of an option at each door; left out = clients cannot ask for it there. */
interface Row {
  readonly wish: Wish
  readonly qz: object
  readonly printNode?: object
  readonly ipp?: Readonly<Record<string, readonly IppValue[]>>
}

const NONE = { scaleContent: false }
const UNSCALED = { fit_to_page: false }
const AS_IT_IS = { 'print-scaling': keyword('none') }

const ROWS: readonly Row[] = [
  { wish: { scaling: 'none' }, qz: NONE, printNode: UNSCALED, ipp: AS_IT_IS },
  {
    wish: { scaling: 'none', rotate: '90' },
    qz: { ...NONE, rotation: 90 },
    printNode: { ...UNSCALED, rotate: 90 },
    ipp: { ...AS_IT_IS, 'orientation-requested': enumeration(5) },
  },
  {
    wish: { scaling: 'none', rotate: '180' },
    qz: { ...NONE, rotation: -180 },
    printNode: { ...UNSCALED, rotate: '180' },
    ipp: { ...AS_IT_IS, 'orientation-requested': enumeration(6) },
  },
  {
    wish: { scaling: 'none', rotate: '270' },
    qz: { ...NONE, orientation: 'landscape' },
    printNode: { ...UNSCALED, rotate: 270 },
    ipp: { ...AS_IT_IS, 'orientation-requested': enumeration(4) },
  },
  {
    wish: { scaling: 'none', dpi: '300' },
    qz: { ...NONE, density: 300 },
    printNode: { ...UNSCALED, dpi: '300x300' },
  },
  { wish: { scaling: 'none', area: 'bottom' }, qz: { ...NONE, area: 'bottom' } },
  { wish: { scaling: 'none', darkness: '40' }, qz: { ...NONE, darkness: 40 } },
]

/** A way in; gives what it sends to the printer, or undefined where a wish cannot be said. */
type Way = (file: Buffer, format: Format, row: Row) => Promise<Buffer | undefined>

function newest(folder: string): Buffer {
  return readPrinted(folder).at(-1) ?? Buffer.alloc(0)
}

function openHttp(t: Test): Readonly<Record<'form' | 'JSON' | 'IPP', Way>> {
  const rig = startRig(t)
  const last = async (): Promise<Buffer> => {
    await rig.bench.until(rig.jobs().at(-1)?.id, 'completed')
    return newest(join(rig.folder, 'bench-1'))
  }
  return {
    form: async (file, _format, { wish }) => {
      const fields = Object.entries(wish) as [string, string][]
      await rig.call('/', formBody(['label', file.toString('base64')], ...fields))
      return await last()
    },
    JSON: async (file, _format, { wish }) => {
      await rig.call('/', jsonBody({ label: file.toString('base64'), ...wish }))
      return await last()
    },
    IPP: async (file, format, { ipp }) => {
      // The client has drawn these itself.
      if (ipp === undefined || format === 'urf') return undefined
      const operation = OPERATIONS.printJob
      const answer = await ask(rig, { operation, template: ipp, document: file })
      t.equal(answer.code, STATUS.ok)
      return await last()
    },
  }
}

async function lastOf({ bench }: { readonly bench: Bench }): Promise<Buffer> {
  const [job] = bench.spool.history.list({ limit: 1 })
  await bench.until(job?.id, 'completed')
  return newest(join(bench.folder, 'a'))
}

async function openQz(t: Test): Promise<Way> {
  const port = await findClosedPort()
  const door = await openDoor(t, qz, { qz_tray: true, qz_port: port - 1 })
  const client = await connectQz(t, port)
  return async (file, format, row) => {
    const data = file.toString('base64')
    const kind = format === 'pdf' ? 'pdf' : 'image'
    const item = { type: 'pixel', format: kind, flavor: 'base64', data }
    await client.print(client.configs.create('A', row.qz), [item])
    return await lastOf(door)
  }
}

async function openPrintNode(t: Test): Promise<Way> {
  const door = await openDoor(t, printNode, { printnode: true })
  const client = new PrintNodeClient(door.address, door.keys.add('shop').key)
  const printerId = await idOf(client, 'A')
  return async (file, format, { printNode: options, wish }) => {
    const contentType = format === 'pdf' ? 'pdf_base64' : 'raw_base64'
    const job = { printerId, contentType, content: file.toString('base64') }
    const answer = await client.post({ ...job, options: options ?? wish })
    if (options !== undefined) return await lastOf(door)
    t.match(await answer.text(), /options\.(scaling|area|darkness): this print server does not do/)
    return undefined
  }
}

function check(t: Test, bytes: Buffer, format: Format, wish: Wish, what: string): void {
  const [label] = interpretZpl(bytes, CANVAS)
  if (label === undefined) throw new Error(`${what}: nothing came out`)
  t.ok(difference(label.raster, expected(wish, format, CANVAS)) < 4, what)
  t.equal(bytes.toString('latin1').startsWith('~SD12'), 'darkness' in wish, what)
}

t.test('a wish means the same at every way in', async (t) => {
  const ways: Readonly<Record<string, Way>> = {
    ...openHttp(t),
    QZ: await openQz(t),
    PrintNode: await openPrintNode(t),
  }
  for (const format of ['png', 'urf', 'pdf'] as const) {
    const file = await fileOf(format)
    for (const row of ROWS) {
      for (const [name, way] of Object.entries(ways)) {
        const bytes = await way(file, format, row)
        const what = `${name}, ${format}: ${JSON.stringify(row.wish)}`
        if (bytes !== undefined) check(t, bytes, format, row.wish, what)
      }
    }
  }
})
