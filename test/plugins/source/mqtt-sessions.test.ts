import t, { type Test } from 'tap'
import { createHeartbeat } from '../../../src/plugins/heartbeat/index.ts'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import type { MqttSettings } from '../../../src/plugins/mqtt/settings.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import { Sources, type SourcesConfig } from '../../../src/plugins/source/run.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, NOTHING } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { pull } from './intake-bench.ts'
import { MosquittoDaemon, noMosquitto } from './mosquitto-daemon.ts'

t.setTimeout(300_000)

const TOPIC = 'platen/bench/print'
const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const needed = { skip: noMosquitto }

/** For brokers that answer, on a machine that may be slow; the pauses between two rounds of a contest are short. */
const PATIENT = {
  connectMs: 60_000,
  replyMs: 60_000,
  statusMs: 20,
  settleMs: 100,
  backOff: { firstMs: 20, mostMs: 100 },
}
/** Nobody is called undisturbed, or cut off at once, by accident. */
const SURE = { quickMs: 600_000, calmMs: 600_000 }
const source = createMqtt({ ...PATIENT, ...SURE })
const settingsOf = (url: string, more: Partial<MqttSettings> = {}): MqttSettings => ({
  url,
  topic: TOPIC,
  client_id: 'bench',
  status_topic: 'none',
  ...more,
})
const count = (text: string, piece: string): number => text.split(piece).length - 1

interface Box {
  readonly bench: Bench
  readonly sources: Sources
  readonly log: readonly { readonly fields: object; readonly event: string }[]
  /** So many labels have come out of this printer. */
  readonly printed: (name: string) => number
}

/** A box with two printers; `of` is its MQTT source. */
function startBox(t: Test, of = source): Box {
  const bench = new Bench(t, { printers: [printer('A', 'file:a'), printer('B', 'file:b')] })
  bench.scheduler.start()
  const log: { fields: object; event: string }[] = []
  const write = (fields: object, event: string): void => {
    log.push({ fields, event })
  }
  const sources = new Sources({
    openIntake: (type, name) => bench.intake.forSource(type, name),
    messageBytes: () => 60_000,
    log: { info: write, warn: write },
    heartbeat: createHeartbeat(() => {
      throw new Error('there is no heartbeat here')
    }),
    list: [of],
    backOff: { firstMs: 20, mostMs: 100 },
  })
  t.teardown(() => sources.stop())
  const printed = (name: string): number =>
    bench.spool.history
      .list({ limit: 200 })
      .filter((job) => job.printer === name && job.state === 'completed').length
  return { bench, sources, log, printed }
}

const queuesOf = (...queues: readonly (MqttSettings & { printer: string })[]): SourcesConfig => ({
  queues: queues.map((queue) => ({ type: 'mqtt', ack: 'spooled', ...queue })),
})

t.test('of two queues with one name at the broker only the first runs', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const { bench, sources, printed, log } = startBox(t)
  const first = { ...settingsOf(daemon.url, { topic: 'a' }), printer: 'A' }
  const second = { ...settingsOf(`${daemon.url}/`, { topic: 'b' }), printer: 'B' }
  sources.configure(queuesOf(first, second))
  await poll('the first', () => sources.list()[0]?.state === 'running')
  await poll('the sentence', () => sources.list()[1]?.state === 'failing')
  const { message = '', detail = '' } = sources.list()[1] ?? {}
  t.match(spoken(message), 'another one has the same name at the other side')
  t.match(
    detail,
    /^Queue 2 \(127\.0\.0\.1:\d+, topic b\) does not run: .* as queue 1 \(127\.0\.0\.1:\d+, topic a\), .* client_id of its own\.$/,
  )
  for (let index = 0; index < 5; index += 1) {
    await daemon.put('b', ZPL64)
    await daemon.put('a', ZPL64)
  }
  await poll('five labels', () => printed('A') === 5)
  t.equal(count(daemon.log(), ' as bench ('), 1, 'nobody is thrown out')
  t.equal(bench.spool.history.list({ limit: 99 }).length, 5)
  t.equal(log.filter(({ event }) => event === 'source failing').length, 1)
  sources.configure(queuesOf(first, { ...second, client_id: 'bench-2' }))
  await poll('both', () => sources.list().every(({ state }) => state === 'running'))
  for (let index = 0; index < 5; index += 1) {
    await daemon.put('b', ZPL64)
    await daemon.put('a', ZPL64)
  }
  await poll('ten labels', () => printed('A') === 10)
  await poll('five on the other', () => printed('B') === 5)
  t.equal(bench.spool.history.list({ limit: 99 }).length, 15)
})

t.test(
  'what comes for another topic under our name is held and prints nowhere',
  needed,
  async (t) => {
    for (const ack of ['spooled', 'printed'] as const) {
      const daemon = await MosquittoDaemon.start(t)
      await daemon.reserve('bench', 'platen/other/#')
      const { bench, told } = pull(t, source, settingsOf(daemon.url), { ack })
      await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 2)
      const properties = { userProperties: { id: 'order-7' } }
      await daemon.put('platen/other/print', ZPL64, { properties })
      await daemon.put('platen/other/print', ZPL64, { properties })
      await daemon.put('platen/other/print', ZPL64, { qos: 0 })
      await daemon.put('platen/other/print', 'no label ~~~')
      await daemon.put(TOPIC, ZPL64, { properties })
      await poll('the label', () => bench.spool.history.counts().completed === 1)
      await poll('acknowledgements', () => count(daemon.log(), 'Received PUBACK from bench') === 4)
      const jobs = bench.spool.history.list({ limit: 99 })
      const held = jobs.filter(({ state }) => state === 'pending-held')
      t.equal(jobs.length, 4, 'the repeat makes no second one')
      const labels = held.filter(({ format }) => format === 'zpl')
      t.equal(labels.length, 2)
      for (const { id, printer, message, hint, detail } of labels) {
        t.equal(printer, '')
        t.equal(spoken(message), 'A label from MQTT came to the wrong queue and was not printed.')
        t.match(
          detail,
          'It came for topic "platen/other/print", and this queue prints topic "platen/bench/print".',
        )
        t.match(spoken(hint), /Choose a printer/)
        await t.rejects(
          Promise.resolve().then(() => bench.scheduler.release(id)),
          {
            code: 'PRINTER_UNKNOWN',
          },
        )
      }
      t.match(spoken(held.find(({ format }) => format === 'unknown')?.message), /cannot be printed/)
      t.equal(told('refused').length, 4)
      await daemon.put(TOPIC, ZPL64)
      await poll('the next label', () => bench.spool.history.counts().completed === 2)
    }
  },
)

t.test('what is not for a queue is not for its printer either', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  await daemon.reserve('bench', 'platen/other/print')
  const { bench, sources } = startBox(t)
  sources.configure(queuesOf({ ...settingsOf(daemon.url), printer: 'A' }))
  await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 2)
  await daemon.put('platen/other/print', ZPL64)
  const named = Buffer.from(JSON.stringify({ label: ZPL64, printer: 'B' })).toString()
  await daemon.put('platen/other/print', named)
  await poll('both', () => bench.spool.history.counts()['pending-held'] === 2)
  const printers = bench.spool.history.list({ limit: 9 }).map((job) => job.printer)
  t.same(printers.sort(), ['', 'B'], 'a release prints it at most where the label itself says')
})

t.test(
  'a message of QoS 2, which only somebody else can have asked for, is held too',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    const properties = { sessionExpiryInterval: 3_600 }
    const other = await daemon.connect({ clientId: 'bench', clean: false, properties })
    await other.subscribeAsync('platen/other', { qos: 2 })
    await other.endAsync()
    const { bench } = pull(t, source, settingsOf(daemon.url))
    await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 2)
    for (const _ of [1, 2]) await daemon.put('platen/other', ZPL64, { qos: 2 })
    await poll('two held', () => bench.spool.history.counts()['pending-held'] === 2)
    await poll('their ends', () => count(daemon.log(), 'Received PUBCOMP from bench') === 2)
  },
)

t.test(
  'a changed topic is taken back at the broker; what waits for the old one is held',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    const memory = openMemory()
    const note = (): string | undefined => memory.recall('mqtt 127.0.0.1/bench')
    const acks = (): number => count(daemon.log(), 'Sending SUBACK to bench')
    const taken = (): number => count(daemon.log(), 'Received UNSUBSCRIBE from bench')
    for (const [index, topic] of ['platen/#', '$share/pack/platen/old'].entries()) {
      const { stop } = pull(t, source, settingsOf(daemon.url, { topic }), { memory })
      await poll('the subscription', () => acks() === index + 1 && note() === topic)
      await stop()
    }
    const now = pull(t, source, settingsOf(daemon.url), { memory })
    await poll('the old ones', () => taken() === 2 && note() === TOPIC)
    await daemon.put('platen/old', ZPL64)
    await daemon.put(TOPIC, ZPL64)
    await poll('the label', () => now.bench.spool.history.counts().completed === 1)
    t.equal(
      now.bench.spool.history.list({ limit: 9 }).length,
      1,
      'nothing came for the old ones, nor twice',
    )
    await now.stop()
    // Labels that come while the box is off, and then the topic is changed.
    for (const _ of [1, 2]) await daemon.put(TOPIC, ZPL64)
    const { bench, stop } = pull(t, source, settingsOf(daemon.url, { topic: 'new' }), { memory })
    await poll('two held', () => bench.spool.history.counts()['pending-held'] === 2)
    await poll('the last one', () => taken() === 3)
    await daemon.put(TOPIC, ZPL64)
    await daemon.put('new', ZPL64)
    await poll('the label', () => bench.spool.history.counts().completed === 1)
    t.equal(bench.spool.history.list({ limit: 9 }).length, 3)
    await stop()
    // The broker has forgotten us: there is nothing to take back.
    await (await daemon.connect({ clientId: 'bench', clean: true })).endAsync()
    pull(t, source, settingsOf(daemon.url), { memory })
    await poll('the note', () => memory.recall('mqtt 127.0.0.1/bench') === TOPIC)
    await poll('the subscription', () => acks() === 5)
    t.equal(taken(), 3)
  },
)

t.test('labels come though nothing can be noted', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const memory = openMemory({
    load: () => undefined,
    save: () => {
      throw new PlatenError('STATE_UNWRITABLE', 'sources.json cannot be written (ENOSPC).')
    },
  })
  const { bench, told } = pull(t, source, settingsOf(daemon.url), { memory })
  await poll('the warning', () => told('warning').length === 1)
  await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 1)
  await daemon.put(TOPIC, ZPL64)
  await poll('the label', () => bench.spool.history.counts().completed === 1)
})

t.test(
  'two boxes of one name: both pages say so all the time, the logs once',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    const config = queuesOf({ ...settingsOf(daemon.url), printer: 'A' })
    const boxes = [startBox(t), startBox(t)]
    for (const { sources } of boxes) sources.configure(config)
    const isSaid = (): boolean =>
      boxes.every(({ sources }) =>
        inEnglish(sources.list()[0]?.message ?? NOTHING).includes('somebody else'),
      )
    await poll('both pages', isSaid)
    const rounds = (): number => count(daemon.log(), 'already connected, closing old connection')
    const before = rounds()
    const lines = boxes.map(({ log }) => log.length)
    let unsaid = 0
    await poll('some rounds', () => {
      unsaid += isSaid() ? 0 : 1
      return rounds() > before + 6
    })
    t.equal(unsaid, 0, 'no round looks like the end of the trouble')
    for (const [index, { sources, log }] of boxes.entries()) {
      t.match(
        spoken(sources.list()[0]?.message),
        /^127\.0\.0\.1:\d+ (ends|closes) .* somebody else uses the same client ID\. Give each queue and each print server /,
      )
      // A broker may say so itself after it was suspected.
      t.ok(log.length <= (lines[index] ?? 0) + 1, 'the log is quiet')
    }
    const [first, second] = boxes
    await second?.sources.stop()
    await daemon.put(TOPIC, ZPL64)
    await poll('the label', () => first?.printed('A') === 1, 120)
  },
)

t.test('once nobody else has our name, all is well again after a while', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const quick = createMqtt({ ...PATIENT, quickMs: 100, calmMs: 300, keepAliveSeconds: 2 })
  const { sources, log } = startBox(t, quick)
  sources.configure(queuesOf({ ...settingsOf(daemon.url), printer: 'A' }))
  await poll('the start', () => sources.list()[0]?.state === 'running')
  const thief = await daemon.connect({ clientId: 'bench', clean: false })
  await poll('the trouble', () => log.some(({ event }) => event === 'source failing'))
  await thief.endAsync()
  await poll('its end', () => sources.list()[0]?.state === 'running')
  t.equal(spoken(sources.list()[0]?.message), '')
})

t.test('a broker that is gone has thrown nobody out', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  await daemon.reserve('bench', TOPIC)
  const { ended, told } = pull(t, source, settingsOf(daemon.url))
  await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 2)
  await daemon.kill()
  t.match(await ended, { code: 'SOURCE_UNREACHABLE' })
  t.same(told('error'), [])
})
