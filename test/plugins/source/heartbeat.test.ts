import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Printers } from '../../../src/core/printers/registry.ts'
import { createHeartbeat } from '../../../src/plugins/heartbeat/index.ts'
import {
  type HeartbeatFacts,
  type HeartbeatLimits,
  tellPrinters,
} from '../../../src/plugins/heartbeat/settings.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import { RunningSource } from '../../../src/plugins/source/running-source.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'
import { PIXEL } from '../../core/labels.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { makeGuard } from './intake-bench.ts'
import { breaks, drips, floods, gives, hangs, type Manner, Receiver, says } from './receiver.ts'

t.setTimeout(300_000)

const FACTS: HeartbeatFacts = {
  printer: 'A',
  availablePrinters: ['A', 'Bench "2"'],
  port: '8080',
  isOnline: true,
  ip: '192.168.1.20',
  version: '0.1.0',
}

const LABEL = (mark: string): string => Buffer.from(`^XA^FX${mark}^FS^XZ`).toString('base64')

interface Rig {
  readonly bench: Bench
  readonly sink: TcpSink
  readonly source: RunningSource
  /** Marks of all labels that were taken, oldest first. */
  marks(): readonly string[]
  stop(): Promise<void>
}

interface RigSettings {
  readonly url?: string
  readonly seconds?: number
  readonly params?: unknown
  readonly facts?: HeartbeatFacts
  readonly limits?: Partial<HeartbeatLimits>
  readonly folder?: string
  readonly quotaBytes?: number
}

async function startRig(t: Test, receiver: Receiver, settings: RigSettings = {}): Promise<Rig> {
  const sink = await TcpSink.openFor(t)
  const bench = new Bench(t, {
    printers: [printer('A', sink.uri)],
    ...(settings.folder === undefined ? {} : { folder: settings.folder }),
    ...(settings.quotaBytes === undefined ? {} : { quotaBytes: settings.quotaBytes }),
  })
  bench.scheduler.start()
  // Who answers may be slow: a reply that is given up is lost.
  const limits = { connectMs: 60_000, exchangeMs: 60_000, random: () => 0.5, ...settings.limits }
  const heartbeat = createHeartbeat(() => settings.facts ?? FACTS, limits)
  const { url = `${receiver.origin}/beat`, seconds = 0.02, params } = settings
  const entry = {
    source: heartbeat,
    settings: { url, seconds, params },
    ack: 'spooled',
  } as const
  const source = new RunningSource(
    entry,
    {
      openIntake: (type, name) => bench.intake.forSource(type, name),
      messageBytes: () => 2 ** 24,
      log: { info: () => undefined, warn: () => undefined },
      now: Date.now,
      random: Math.random,
      backOff: { firstMs: 20, mostMs: 50 },
      guard: makeGuard(),
      memory: openMemory(),
    },
    Promise.resolve(),
  )
  const stop = async (): Promise<void> => {
    source.stop()
    await source.ended
  }
  t.teardown(stop)
  const marks = (): readonly string[] =>
    bench.spool.history
      .list({ limit: 200 })
      .toReversed()
      .map(({ id }) => markOf(Buffer.from(bench.spool.history.label(id) ?? []).toString()))
  return { bench, sink, source, marks, stop }
}

function markOf(label: string): string {
  return /\^FX(.*?)\^FS/.exec(label)?.[1] ?? label
}

t.test('sends exactly what is specified', async (t) => {
  const receiver = await Receiver.open(t, says(204))
  const params = { any: ['JSON', null, 1.5], 'of the': 'user' }
  await startRig(t, receiver, { params, url: `${receiver.origin}/fleet/beat?key=s3cret` })
  await receiver.until(2)
  const [beat] = receiver.beats
  t.equal(beat?.method, 'POST')
  t.equal(beat?.path, '/fleet/beat?key=s3cret')
  t.match(beat?.headers, { 'content-type': 'application/json', 'accept-encoding': 'identity' })
  t.equal(
    beat?.body,
    '{"printer":{"printer":"A","available_printers":["A","Bench \\"2\\""],"port":"8080","online":"1",' +
      '"ip":"192.168.1.20","version":"0.1.0","params":{"any":["JSON",null,1.5],"of the":"user"}}}',
  )
})

t.test('says when the printer is away, and that there are no parameters', async (t) => {
  const receiver = await Receiver.open(t, says(204))
  await startRig(t, receiver, { facts: { ...FACTS, printer: '', isOnline: false } })
  await receiver.until(1)
  const { printer } = JSON.parse(receiver.beats[0]?.body ?? '') as Record<string, object>
  t.match(printer, { printer: '', online: '0', params: null })
})

t.test('is online while any printer is ready, with and without a default', (t) => {
  const printers = new Printers({
    printers: [printer('A', 'file:a'), printer('B', 'file:b')],
    defaultName: '',
    devices: [],
  })
  const online = (): boolean => tellPrinters(printers.list()).isOnline
  const stop = (name: string, reason: 'offline' | 'media-empty'): void =>
    printers.report(name, { state: 'stopped', reasons: [reason], message: NOTHING, hint: NOTHING })
  t.same(tellPrinters(printers.list()), {
    printer: '',
    availablePrinters: ['A', 'B'],
    isOnline: true,
  })
  stop('A', 'offline')
  t.equal(online(), true, 'the other one prints')
  stop('B', 'media-empty')
  t.equal(online(), false)
  printers.report('A', { state: 'processing', reasons: ['none'], message: NOTHING, hint: NOTHING })
  t.equal(online(), true)
  printers.configure([], '')
  t.equal(online(), false, 'none is known')
  t.end()
})

t.test('prints the labels of a reply, each as a request of its own', async (t) => {
  const labels = [
    LABEL('one'),
    'no base64 ~',
    LABEL('two'),
    Buffer.from('%PDF-1.7').toString('base64'),
    7,
    null,
    '',
    { label: LABEL('three'), printer: 'A', copies: 2 },
    { label: LABEL('four'), printer: 'Nobody' },
    LABEL('five'),
  ]
  const receiver = await Receiver.open(t, gives({ labels }), says(204))
  const { bench, marks, source } = await startRig(t, receiver)
  await receiver.until(2)
  await poll('the labels to print', () => bench.spool.history.counts().completed === 5)
  t.same(
    marks().filter((mark) => /^[a-z]+$/.test(mark) && mark !== 'null'),
    ['one', 'two', 'three', 'three', 'four', 'five'],
  )
  const all = bench.spool.history
    .list({ limit: 200 })
    .filter(({ state }) => state === 'pending-held')
  const [stranger, ...held] = all
  t.match(stranger, { format: 'zpl', printer: 'Nobody', code: 'PRINTER_UNKNOWN' })
  t.equal(held.length, 5, 'what cannot be printed is kept, and says why')
  for (const job of held) {
    t.match(job, { format: 'unknown', reasons: ['document-format-error'], printer: 'A' })
    t.match(spoken(job.message), /^Somebody sent .* through the heartbeat.* cannot be printed\./)
    t.not(job.detail, '', 'the technical words')
    t.match(spoken(job.hint), /Then cancel this one\.$/)
  }
  t.match(spoken(source.status), { taken: 4, refused: 6, state: 'running', error: '' })
  t.match(spoken(source.status.refusal), /^A label of a reply is held .*"Nobody"/)
})

t.test('a bad label that comes with every beat is kept once', async (t) => {
  const receiver = await Receiver.open(t, gives({ labels: ['~~~'] }))
  const { bench, source } = await startRig(t, receiver)
  await receiver.until(4)
  t.equal(bench.spool.history.list({ limit: 200 }).length, 1)
  t.ok(source.status.refused >= 3)
})

t.test('replies without labels are a contact and nothing else', async (t) => {
  const receiver = await Receiver.open(
    t,
    says(204),
    says(200, 'OK'),
    says(200, '<!doctype html><p>{"labels":["QUJD"]}', { 'content-type': 'text/html' }),
    says(201, '{"labels":{}}'),
    says(200, '{"labels":"QUJD"}'),
    says(200, '[]'),
    says(200, '{}'),
  )
  const { bench, source } = await startRig(t, receiver)
  await receiver.until(9)
  t.equal(bench.spool.history.list({ limit: 200 }).length, 0)
  t.match(spoken(source.status), { state: 'running', error: '', errorAt: 0 })
})

t.test('ids make a repeat harmless, whenever it comes', async (t) => {
  const receiver = await Receiver.open(
    t,
    gives({ labels: [LABEL('a'), LABEL('b')], ids: ['1', 2] }),
    says(204),
    gives({
      labels: [
        { id: 1, label: LABEL('a') },
        { id: '3', label: LABEL('c') },
      ],
    }),
    gives({ labels: [LABEL('b')], ids: [2] }),
    says(204),
  )
  const { marks, source } = await startRig(t, receiver)
  await receiver.until(6)
  t.same(marks(), ['a', 'b', 'c'])
  t.match(
    spoken(source.status.warning),
    /repeated 1 label that came before; nothing was printed twice/,
  )
})

t.test('an id that was used for another label, or is none, is a bad label', async (t) => {
  const receiver = await Receiver.open(
    t,
    gives({ labels: [LABEL('a'), LABEL('b')], ids: ['1', '1'] }),
    gives({ labels: [LABEL('c')], ids: [{}] }),
    gives({ labels: [LABEL('d')], ids: ['x'.repeat(300)] }),
    says(204),
  )
  const { source, marks } = await startRig(t, receiver)
  await receiver.until(5)
  t.equal(marks()[0], 'a')
  t.match(source.status, { taken: 1, refused: 3 })
  t.match(spoken(source.status.refusal), /The id is 300 letters long/)
})

t.test('an identical list after a failed request is not printed twice', async (t) => {
  const list = gives({ labels: [LABEL('a'), LABEL('b')] })
  const looked = Promise.withResolvers<void>()
  const waits: Manner = (response) => void looked.promise.then(() => response.writeHead(204).end())
  const receiver = await Receiver.open(t, list, says(500), list, waits, list, says(204))
  const { marks, source } = await startRig(t, receiver)
  await poll('the repeat to be seen', () => source.status.warning.length > 0)
  t.same(marks(), ['a', 'b'])
  t.match(spoken(source.status.warning), /repeated 2 labels/)
  looked.resolve()
  await poll('the list that comes on purpose', () => marks().length === 4)
  t.same(marks(), ['a', 'b', 'a', 'b'], 'after a good exchange it is a new list')
})

t.test('an identical list after a page is not printed twice', async (t) => {
  const list = gives({ labels: [LABEL('a')] })
  const page = says(200, '\n<!doctype html><p>Please log in', { 'content-type': 'text/html' })
  const looked = Promise.withResolvers<void>()
  const waits: Manner = (response) => void looked.promise.then(() => response.writeHead(204).end())
  const receiver = await Receiver.open(t, list, page, list, waits, list, says(204))
  const { marks, source } = await startRig(t, receiver)
  await poll('the repeat to be seen', () => source.status.warning.length > 0)
  t.same(marks(), ['a'])
  t.match(spoken(source.status), { state: 'running', error: '', warning: /repeated 1 label/ })
  looked.resolve()
  await poll('the list that comes on purpose', () => marks().length === 2)
})

t.test("a word is the receiver's own answer: the list after it is a new one", async (t) => {
  const list = gives({ labels: [LABEL('a')] })
  const [ok, empty] = [says(200, 'OK'), says(200, '[]')]
  const receiver = await Receiver.open(t, list, ok, list, empty, list, says(204))
  const { marks, source } = await startRig(t, receiver)
  await receiver.until(7)
  t.same(marks(), ['a', 'a', 'a'])
  t.equal(spoken(source.status.warning), '')
})

t.test('labels behind a byte order mark are labels', async (t) => {
  const text = `\ufeff${JSON.stringify({ labels: [LABEL('a')] })}`
  const receiver = await Receiver.open(t, says(200, text), says(204))
  const { marks } = await startRig(t, receiver)
  await receiver.until(2)
  t.same(marks(), ['a'])
})

t.test('a beat a day may be silent for a day', (t) => {
  const { quietSeconds } = createHeartbeat(() => FACTS)
  t.equal(quietSeconds({ url: 'http://127.0.0.1:9/', seconds: 86_400, params: null }), 95_070)
  t.end()
})

t.test('an identical list is printed again when nothing failed between', async (t) => {
  const list = gives({ labels: [LABEL('a')] })
  const receiver = await Receiver.open(t, says(204), list, list, list, says(204))
  const { marks } = await startRig(t, receiver)
  await receiver.until(6)
  t.same(marks(), ['a', 'a', 'a'])
})

t.test('a reply that came just before the end of the program is not printed twice', async (t) => {
  const folder = t.testdir()
  const list = gives({ labels: [LABEL('a')] })
  const receiver = await Receiver.open(t, list, hangs)
  const first = await startRig(t, receiver, { folder, limits: { exchangeMs: 60_000 } })
  await receiver.until(2)
  await poll('the label', () => first.bench.spool.history.counts().completed === 1)
  await first.stop()
  await first.bench.close()
  receiver.play(list, says(204))
  const second = await startRig(t, receiver, { folder })
  await receiver.until(5)
  t.same(second.marks(), ['a'])
  t.match(spoken(second.source.status.warning), /repeated 1 label/)
})

const HOSTILE = [
  ['hangs', hangs, /did not answer within 1 seconds/],
  ['drips', drips, /did not answer within 1 seconds/],
  ['breaks off in the middle', breaks, /broke the connection/],
  ['answers with an error', says(500, '<h1>Sorry</h1>'), /HTTP 500/],
  ['packs its reply', says(200, '', { 'content-encoding': 'gzip' }), /packed reply \(gzip\)/],
  ['floods', floods(50_000_000), /more than 4194304 bytes/],
  [
    'floods with blanks',
    (response: ServerResponse) => response.end(Buffer.alloc(6e6, ' ')),
    /more than 4194304 bytes/,
  ],
  ['announces a flood', says(200, '{}', { 'content-length': '50000000' }), /more than 4194304/],
  [
    'sends broken JSON',
    says(200, '{"labels": ["QUJD"'),
    /reply to the heartbeat is not valid JSON/,
  ],
  ['sends deep JSON', says(200, `{"labels":${'['.repeat(99)}`), /nested deeper/],
  ['sends countless labels', gives({ labels: Array(501).fill('QUJD') }), /has 501 labels/],
  ['sends it nowhere', says(302), /HTTP 302/],
  ['sends it to a file', says(302, '', { location: 'http://[' }), /HTTP 302/],
] as const

for (const [what, manner, error] of HOSTILE) {
  t.test(`a receiver that ${what} stops nothing`, async (t) => {
    const receiver = await Receiver.open(t, says(204), manner, gives({ labels: [LABEL('after')] }))
    const isEndless = manner === hangs || manner === drips
    const limits = isEndless ? { exchangeMs: 1_000 } : {}
    const { source, marks } = await startRig(t, receiver, { limits })
    await poll('the label after it', () => marks().includes('after'))
    t.match(spoken(source.status.error), error)
    await poll('it to be well', () => source.status.state === 'running')
    t.equal(spoken(source.status.message), '')
    t.notMatch(source.status.error, 'QUJD')
  })
}

t.test('a redirect to another origin is not followed, and named', async (t) => {
  const other = await Receiver.open(t, gives({ labels: [LABEL('stolen')] }))
  const receiver = await Receiver.open(t, says(307, '', { location: `${other.origin}/x?key=1` }))
  const { source, marks } = await startRig(t, receiver)
  await receiver.until(2)
  t.equal(other.beats.length, 0)
  t.same(marks(), [])
  t.match(
    spoken(source.status.error),
    `sends the heartbeat on to ${other.origin}, which is another server`,
  )
  t.notMatch(source.status.error, 'key')
})

t.test('a redirect within the origin is followed with the same body', async (t) => {
  const receiver = await Receiver.open(t, says(307, '', { location: '/there' }), says(204))
  await startRig(t, receiver, { seconds: 30, limits: { random: () => 0 } })
  await receiver.until(2)
  const [first, second] = receiver.beats
  t.match(second, { method: 'POST', path: '/there', body: first?.body })
})

t.test('the pauses double with each failure, and Retry-After is obeyed', async (t) => {
  const later = new Date(Date.now() + 1_500).toUTCString()
  const receiver = await Receiver.open(
    t,
    says(500),
    says(500),
    says(500),
    says(503, '', { 'retry-after': '1' }),
    says(429, '', { 'retry-after': later }),
    says(503, '', { 'retry-after': 'soon' }),
    says(204),
  )
  await startRig(t, receiver, { seconds: 0.04, limits: { mostSeconds: 0.3 } })
  await receiver.until(8)
  const gaps = receiver.beats.slice(1).map(({ at }, index) => at - (receiver.beats[index]?.at ?? 0))
  t.ok((gaps[0] ?? 0) >= 75, `${gaps}`)
  t.ok((gaps[1] ?? 0) >= 155)
  t.ok((gaps[2] ?? 0) >= 295)
  t.ok((gaps[3] ?? 0) >= 995)
  t.ok((gaps[5] ?? 0) >= 295, 'a word that is not a time counts as none')
})

t.test('nobody at the address is told in a sentence', async (t) => {
  const receiver = await Receiver.open(t)
  const url = `http://user:s3cret@127.0.0.1:${await findClosedPort()}/beat`
  const { source } = await startRig(t, receiver, { url })
  await poll('the error', () => source.status.error.length > 0)
  t.match(
    spoken(source.status.error),
    /^127\.0\.0\.1:\d+ refuses connections: nothing listens there\.$/,
  )
  t.equal(source.status.state, 'failing')
  t.notMatch(JSON.stringify(source.status), 's3cret')
})

t.test('a redirect in circles is given up', async (t) => {
  const receiver = await Receiver.open(t, says(307, '', { location: '/beat' }))
  const { source } = await startRig(t, receiver, { seconds: 30, limits: { random: () => 0 } })
  await poll('the error', () => source.status.error.length > 0)
  t.match(spoken(source.status.error), /HTTP 307/)
  t.equal(receiver.beats.length, 4)
})

t.test('credentials of the address are sent, also after a redirect', async (t) => {
  const receiver = await Receiver.open(t, says(308, '', { location: '/there' }), says(204))
  const url = receiver.origin.replace('//', '//user:s3cret@')
  await startRig(t, receiver, { url })
  await receiver.until(2)
  const authorization = `Basic ${Buffer.from('user:s3cret').toString('base64')}`
  t.match(receiver.beats, [{ headers: { authorization } }, { headers: { authorization } }])
})

t.test('labels that find no room wait in memory, and no beat asks for more', async (t) => {
  const labels = Array.from({ length: 3 }, (_, index) =>
    Buffer.from(`^XA^FX${index}^FS${'.'.repeat(300_000)}^XZ`).toString('base64'),
  )
  const full = Promise.withResolvers<void>()
  const receiver = await Receiver.open(
    t,
    (response) => void full.promise.then(() => response.end(JSON.stringify({ labels }))),
    says(204),
  )
  const { bench, sink, source, stop } = await startRig(t, receiver, {
    quotaBytes: 2_000_000,
    limits: { replyBytes: 1_500_000 },
  })
  await sink.down()
  await receiver.until(1)
  // Somebody else is quicker.
  const other = Buffer.from(`^XA^FX${'.'.repeat(900_000)}^FS^XZ`)
  bench.intake.takeAlone({ labels: [other], options: {}, source: 'http' })
  full.resolve()
  await poll('the spool to be full', () => source.status.error.length > 0)
  t.match(spoken(source.status.error), /kept in memory, and no heartbeat is sent/)
  const beats = receiver.beats.length
  await new Promise((resolve) => setTimeout(resolve, 200))
  t.equal(receiver.beats.length, beats)
  t.ok(bench.spool.history.list({ limit: 9 }).length < 4)
  await stop()
  t.match(spoken(source.status.error), /found no room before the stop and is lost/)
})

t.test('no beat asks for labels that would find no room', async (t) => {
  const receiver = await Receiver.open(t, says(204))
  const { bench, source } = await startRig(t, receiver, { quotaBytes: 2_000_000 })
  await poll('the sentence', () => source.status.error.length > 0)
  t.match(spoken(source.status), {
    state: 'failing',
    message: /no room for more labels/,
    detail: /No heartbeat is sent/,
  })
  t.same(receiver.beats, [])
  t.match(bench.spool.history.counts(), { pending: 0 })
})

t.test('labels that find no printer are held, and a person prints them', async (t) => {
  const named = { id: 'three', label: LABEL('three'), printer: 'Bench 9', copies: 2 }
  const labels = [LABEL('one'), LABEL('two'), named, Buffer.from('junk').toString('base64')]
  const list = gives({ labels, ids: ['one', 'two', 'three', 'four'] })
  const receiver = await Receiver.open(t, list, list, says(204))
  const { bench, sink, source } = await startRig(t, receiver)
  bench.printers.configure([], '')
  await receiver.until(4)
  const held = bench.spool.history.list({ limit: 9 })
  t.same(
    held.map(({ state, printer, format, code }) => [state, printer, format, code]),
    [
      ['pending-held', '', 'unknown', 'LABEL_UNKNOWN'],
      ['pending-held', 'Bench 9', 'zpl', 'PRINTER_NONE'],
      ['pending-held', 'Bench 9', 'zpl', 'PRINTER_NONE'],
      ['pending-held', '', 'zpl', 'PRINTER_NONE'],
      ['pending-held', '', 'zpl', 'PRINTER_NONE'],
    ],
    'each id once, and the beats go on',
  )
  t.match(spoken(held.at(-1)), { message: /found no printer/, hint: /Press "Choose a printer…"/ })
  t.match(spoken(source.status), { state: 'running', warning: /The reply repeated 3 labels/ })
  // As the hint says, once there is a printer.
  bench.printers.configure([printer('A', sink.uri)], '')
  const again = bench.intake.reprint(held.at(-1)?.id ?? '', 'A')
  await poll('the label', () => bench.spool.history.get(again.id)?.state === 'completed')
  const other = held.at(-2)?.id ?? ''
  await t.rejects(bench.scheduler.release(other), {
    message: 'The label has no printer, so it cannot print.',
  })
})

t.test('a picture for a printer of unknown language is held as a picture', async (t) => {
  const list = gives({ labels: [PIXEL.toString('base64')], ids: ['one'] })
  const receiver = await Receiver.open(t, says(204), list, says(204))
  const { bench, sink } = await startRig(t, receiver)
  bench.printers.configure([{ ...printer('A', sink.uri), language: undefined }], '')
  await receiver.until(4)
  const held = bench.spool.history.list({ limit: 9 })
  t.match(held, [{ state: 'pending-held', format: 'png', printer: 'A', code: 'PRINTER_LANGUAGE' }])
})

t.test('a sender of junk fills nothing', async (t) => {
  let number = 0
  const receiver = await Receiver.open(t, (response) => {
    const labels = Array.from({ length: 100 }, () => `~${number++}`)
    response.end(JSON.stringify({ labels }))
  })
  const { bench, source } = await startRig(t, receiver)
  await receiver.until(5)
  t.equal(bench.spool.history.counts()['pending-held'], 200)
  t.match(spoken(source.status.warning), /200 labels are held for a person/)
})

t.test('the button says who answers, and sends no heartbeat', async (t) => {
  const receiver = await Receiver.open(t, says(405))
  const heartbeat = createHeartbeat(() => FACTS)
  const settings = { url: receiver.origin, seconds: 60, params: null }
  const signal = AbortSignal.timeout(60_000)
  t.match(
    spoken(await heartbeat.test(settings, signal)),
    /^127\.0\.0\.1:\d+ answers \(HTTP 405 to a HEAD/,
  )
  t.equal(receiver.beats[0]?.method, 'HEAD')
  const nobody = { ...settings, url: `https://127.0.0.1:${await findClosedPort()}/` }
  await t.rejects(heartbeat.test(nobody, signal), { code: 'SOURCE_UNREACHABLE' })
  await t.rejects(heartbeat.test(settings, AbortSignal.abort()), { name: 'AbortError' })
})

t.test('a bomb is not unpacked', (t) => {
  t.ok(gzipSync(Buffer.alloc(1_000_000)).length < 2_000, 'else the test below shows nothing')
  t.end()
})
