import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listOwnNames } from '../../../src/http/access/addresses.ts'
import { leadsToUs } from '../../../src/plugins/ipp/own-queues.ts'
import { createCupsDevice } from '../../../src/printers/devices/cups/index.ts'
import { zplLabel } from '../../core/labels.ts'
import { AnsweringPrinter } from '../../devices/answering-printer.ts'
import { CupsClient, skipCupsClient } from '../../devices/cups-client.ts'
import { HeldCable } from '../../devices/held-cable.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { type Server, startServer, type WireJob } from '../../e2e/server.ts'
import { interpret } from '../../interpreters/paper.ts'
import { readSymbols } from '../../interpreters/symbols.ts'
import { CARRIER_SYMBOLS, carrierLabel } from '../../label-makers/carrier.ts'
import { toPng } from '../../label-makers/files.ts'
import { drawSymbol, drawText, LABEL, makePdf, SYMBOLS } from '../../labels/codecs/pdf/make-pdf.ts'
import { findClosedPort } from '../../listen.ts'
import { until } from '../../until.ts'

// CUPS of Debian prints on the box as the programs of Linux do: its own filters and backends, no driver of ours.
t.setTimeout(300_000)

const STOCK = { dpi: 203, labelWidth: 4, labelHeight: 6 }
const LANGUAGES = ['zpl', 'epl', 'tspl'] as const
type Language = (typeof LANGUAGES)[number]

/** A server on ports that it keeps over restarts. */
async function startBox(t: Test, printers: readonly object[]) {
  const [port, securePort] = [await findClosedPort(), await findClosedPort()]
  const ports = { port: String(port), secure_port: String(securePort), use_ssl: true }
  const config = { host: '127.0.0.1', ...ports, share_printers: true, printers }
  const folder = t.testdir()
  const server = await startServer(t, { folder, config })
  const uri = (name: string, scheme: 'ipp' | 'ipps' = 'ipp') =>
    `${scheme}://127.0.0.1:${scheme === 'ipp' ? port : securePort}/ipp/print/${name}`
  return { server, port, securePort, uri, restart: () => startServer(t, { folder }) }
}

async function startCups(t: Test, queues: Readonly<Record<string, string>>) {
  const cups = await CupsClient.start(t)
  for (const [name, uri] of Object.entries(queues)) {
    t.equal(await cups.addQueue(name, uri), '', `CUPS makes the queue ${name}`)
  }
  const file = (name: string, bytes: Uint8Array | string): string => {
    const path = join(cups.folder, name)
    if (!existsSync(path)) writeFileSync(path, bytes)
    return path
  }
  return { cups, file }
}

const jobsOf = async (server: Server) =>
  (await (await server.get('/jobs')).json()) as readonly WireJob[]

/** Reads the symbols on the labels of a connection; a label of text alone has none. */
async function scan(t: Test, bytes: Uint8Array, language: Language) {
  const labels = interpret(bytes, { language, ...STOCK })
  for (const { raster } of labels) t.ok(raster.bits.some(Boolean), 'there is something on it')
  return await Promise.all(labels.map(({ raster }) => readSymbols(raster)))
}

const KINDS = ['code128', 'qrcode', 'datamatrix'] as const
async function makePage(kind: (typeof KINDS)[number]) {
  const module = kind === 'code128' ? 0.96 : 4
  const symbol = await drawSymbol(kind, { x: 40, y: 150, module, style: 'rectangles' })
  return { ...LABEL, content: [drawText(kind, 30, 380, 20), symbol].join('\n') }
}

t.test('documents of each kind become labels that scan', { skip: skipCupsClient }, async (t) => {
  const sinks = await Promise.all(LANGUAGES.map(() => TcpSink.open()))
  for (const sink of sinks) t.teardown(() => sink.close())
  const printers = LANGUAGES.map((language, n) => {
    return { name: language, language, uri: sinks[n]?.uri, status: 'off' }
  })
  const { uri } = await startBox(t, printers)
  const queues = Object.fromEntries(LANGUAGES.map((language) => [language, uri(language)]))
  const { cups, file } = await startCups(t, { ...queues, secure: uri('zpl', 'ipps') })
  const one = file('one.pdf', makePdf([await makePage('code128')]))
  const readOne = async (language: Language, sink: TcpSink): Promise<void> => {
    await cups.print(language, one)
    const [bytes] = await sink.jobs(1)
    const wanted = { Code128: SYMBOLS.code128.text }
    t.same(await scan(t, bytes as Uint8Array, language), [wanted], `a PDF, ${language}`)
  }
  await Promise.all(LANGUAGES.map((language, n) => readOne(language, sinks[n] as TcpSink)))
  const zpl = sinks[0] as TcpSink
  let seen = 1
  /** Prints a file, and reads so many more labels. */
  const print = async (queue: string, path: string, count: number, ...options: string[]) => {
    await cups.print(queue, path, ...options)
    const labels = (await zpl.jobs(seen + count)).slice(seen)
    seen += count
    return labels
  }
  const three = file('three.pdf', makePdf(await Promise.all(KINDS.map(makePage))))
  const pages = await print('secure', three, 3)
  t.same(
    (await Promise.all(pages.map((bytes) => scan(t, bytes, 'zpl')))).flat(),
    KINDS.map((kind) => ({ [SYMBOLS[kind].format]: SYMBOLS[kind].text })),
    'three pages over TLS, in their order',
  )
  const [png] = await print('zpl', file('label.png', toPng(carrierLabel())), 1)
  t.same(await scan(t, png as Uint8Array, 'zpl'), [CARRIER_SYMBOLS], 'a PNG')
  const [text] = await print('zpl', file('hello.txt', 'Hello packer\n'), 1)
  t.same(await scan(t, text as Uint8Array, 'zpl'), [{}], 'a text')
  const copies = await print('zpl', one, 2, '-n', '2')
  t.equal(copies.length, 2, 'two copies')
  const [raw] = await print('zpl', file('raw.zpl', zplLabel('raw')), 1, '-o', 'raw')
  t.equal(String(raw), String(zplLabel('raw')), 'a raw label, byte for byte')
  await until('CUPS to be done', async () => (await cups.openJobs()).length === 0 || undefined)
})

t.test(
  'a printer that cannot print says so in CUPS, and its jobs can be canceled',
  { skip: skipCupsClient },
  async (t) => {
    const device = await AnsweringPrinter.open('zpl', { paperOut: true, isShy: false })
    t.teardown(() => device.close())
    const { server, uri } = await startBox(t, [{ name: 'zpl', language: 'zpl', uri: device.uri }])
    const { cups, file } = await startCups(t, { zpl: uri('zpl') })
    const print = (mark: string) => cups.print('zpl', file(mark, zplLabel(mark)), '-o', 'raw')
    const says = (words: RegExp) =>
      until(`CUPS to say ${words}`, async () =>
        words.test(await cups.run('lpstat', '-p', 'zpl')) ? true : undefined,
      )
    const printed = () => device.labels.map((text) => /\^FX(\w+)\^FS/.exec(text)?.[1])
    const until1 = (mark: string) =>
      until(`${mark} to be printed`, async () => (printed().includes(mark) ? true : undefined))
    const holdsOne = (mark: string) =>
      until(`the box to hold ${mark}`, async () =>
        (await jobsOf(server)).some(({ state }) => state === 'pending') ? true : undefined,
      )
    await until('the box to have asked the printer', async () =>
      /out of labels/.test(await (await server.get('/printers')).text()) ? true : undefined,
    )
    const first = await print('first')
    // CUPS says so before it sends the label, and what it cancels then never comes here.
    await holdsOne('first')
    await says(/out of labels/)
    await cups.run('cancel', first)
    await until('the label to be canceled', async () =>
      (await jobsOf(server)).some(({ state }) => state === 'canceled') ? true : undefined,
    )
    await print('second')
    await holdsOne('second')
    await says(/out of labels/)
    device.condition.paperOut = false
    // The next question to a network printer is due 15 s after the last one.
    await server.post('/printers/zpl/resume')
    await until1('second')
    device.condition.paused = true
    await print('third')
    await says(/paused/i)
    device.condition.paused = false
    await until1('third')
    await until('CUPS to be done', async () => (await cups.openJobs()).length === 0 || undefined)
    t.same(printed(), ['second', 'third'], 'each once, the canceled one never')
  },
)

t.test(
  'what CUPS calls sent and the box cannot print is on the page',
  { skip: skipCupsClient },
  async (t) => {
    const { server, uri } = await startBox(t, [{ name: 'zpl', language: 'zpl', uri: 'file:zpl' }])
    const { cups, file } = await startCups(t, { zpl: uri('zpl') })
    await cups.print('zpl', file('letter', 'Dear customer'), '-o', 'raw', '-t', 'Order 7')
    await until('CUPS to be done', async () => (await cups.openJobs()).length === 0 || undefined)
    t.match(await jobsOf(server), [{ state: 'pending-held', title: 'Order 7', user: 'root' }])
  },
)

t.test('a server killed in the middle repeats nothing', { skip: skipCupsClient }, async (t) => {
  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'zpl', language: 'zpl', uri: sink.uri, status: 'off' }]
  const { server, port, restart } = await startBox(t, printers)
  const cable = await HeldCable.open(port)
  t.teardown(() => cable.close())
  const { cups, file } = await startCups(t, { zpl: `ipp://127.0.0.1:${cable.port}/ipp/print/zpl` })
  let running = server
  const taken = (count: number) =>
    until(`label ${count} to be taken`, async () =>
      (await jobsOf(running)).length === count ? true : undefined,
    )
  const settled = () =>
    until('all to have ended or to be held', async () => {
      const all = await jobsOf(running)
      const open = all.filter(({ state }) => state !== 'completed' && state !== 'pending-held')
      return open.length === 0 ? all : undefined
    })
  /** Sends a label, kills the server when it is told to, and starts it again. */
  const print = async (mark: string, isTime: Promise<unknown>): Promise<void> => {
    await cups.print('zpl', file(mark, zplLabel(mark, 200_000)), '-o', 'raw')
    await isTime
    await running.kill()
    running = await restart()
    await until('CUPS to be done', async () => (await cups.openJobs()).length === 0 || undefined)
  }
  // CUPS 2.4.2 takes a document whose sending broke off for sent: nothing of it prints, and nothing of it is kept.
  await print('half', cable.hold('document'))
  t.same(await jobsOf(running), [])
  await print(
    'unanswered',
    cable.hold('answer').then(() => taken(1)),
  )
  await settled()
  sink.behave({ stall: true })
  // CUPS waits for its job, and one that has not begun begins after the restart, at a printer that takes nothing.
  const begun = until('a label to have begun', async () =>
    (await jobsOf(running)).some(({ state }) => state.startsWith('processing')) ? true : undefined,
  )
  await print('stalled', begun)
  sink.behave({})
  await cups.print('zpl', file('well', zplLabel('well')), '-o', 'raw')
  await taken(3)
  const jobs = await settled()
  const marks = sink.connections.flatMap(({ bytes }) =>
    Array.from(String(Buffer.from(bytes)).matchAll(/\^FX(\w+)/g), ([, mark]) => mark),
  )
  t.equal(new Set(marks).size, marks.length, `none twice: ${marks}`)
  t.notOk(marks.includes('half'))
  // Whoever was cut off waits for a person: whether it is on paper is unknown.
  const held = jobs.filter(({ reasons }) => reasons.includes('platen-interrupted'))
  t.ok(marks.length >= jobs.length - held.length, 'none lost')
  t.equal(marks.at(-1), 'well')
})

t.test(
  'a queue of CUPS that leads back to us is not a printer',
  { skip: skipCupsClient },
  async (t) => {
    const { server, port, securePort, uri } = await startBox(t, [
      { name: 'zpl', language: 'zpl', uri: 'file:zpl' },
    ])
    const { cups } = await startCups(t, { loop: uri('zpl'), secure: uri('zpl', 'ipps') })
    await cups.run('lpadmin', '-p', 'real', '-E', '-v', 'socket://127.0.0.1:9100', '-m', 'raw')
    const ports = { port: String(port), securePort: String(securePort) }
    const station = {
      ownNames: () => listOwnNames(),
      printers: () => [],
      info: () => ({ hostName: 'box', names: [], ...ports }),
    }
    const address = { socketPath: join(cups.folder, 'sock') }
    const device = createCupsDevice([address], (one) => leadsToUs(one, station))
    const signal = AbortSignal.timeout(60_000)
    t.same(
      (await device.list(signal)).map(({ name }) => name),
      ['real'],
    )
    const loop = new URL('ipp://localhost/printers/loop')
    await t.rejects(device.open(loop, signal), { message: /"loop" prints on this print server/ })
    t.same(await jobsOf(server), [], 'nothing was sent around')
  },
)
