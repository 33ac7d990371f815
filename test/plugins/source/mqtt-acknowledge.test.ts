import t, { type Test } from 'tap'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import type { Ack, SourceIntake } from '../../../src/plugins/source/source.ts'
import { Bench, printer } from '../../core/bench.ts'
import { poll } from '../../until.ts'
import { type Pulled, pull } from './intake-bench.ts'
import { publish } from './mqtt-bytes.ts'
import { type Answer, connack, serveAnswers } from './scripted-broker.ts'

t.setTimeout(300_000)

const LABEL = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
/** MQTT 5.0, 3.14.2.1: the broker ends the connection, as another client has our name. */
const TAKEN_OVER = [0xe0, 2, 142, 0]

/** A test's view of a message that a broker sends once. */
interface Sent extends Pulled {
  /** The number of labels that were out, or held for a person, at each of its acknowledgments. */
  readonly acknowledged: readonly number[]
}

/** SUBACK, and what the broker sends at once behind it. */
const suback =
  (next: Iterable<number>): Answer =>
  (packet) => [0x90, 4, packet[2] ?? 0, packet[3] ?? 0, 0, 1, ...next]

async function start(t: Test, ack: Ack, behind: Iterable<number>): Promise<Sent> {
  const acknowledged: number[] = []
  const note: Answer = (packet) => {
    if (packet[0] === 0x40) {
      const counts = pulled.bench.spool.history.counts()
      acknowledged.push(counts.completed + counts['pending-held'])
    }
    return []
  }
  const url = await serveAnswers(t, connack(0), suback(behind), note)
  const patience = { connectMs: 60_000, replyMs: 60_000, settleMs: 100 }
  const source = createMqtt({ ...patience, backOff: { firstMs: 20, mostMs: 100 } })
  const settings = { url, topic: 't', client_id: 'bench', status_topic: 'none' }
  // A message that was taken just before its printer was paused.
  const pulled = pull(t, source, settings, { ack, ready: () => Promise.resolve() })
  pulled.bench.scheduler.pause('A')
  return { ...pulled, acknowledged }
}

t.test('a message is acknowledged once its label is in the spool', async (t) => {
  const { bench, acknowledged } = await start(t, 'spooled', publish(LABEL, undefined, 0x32))
  await poll('the acknowledgement', () => acknowledged.length > 0)
  t.same(acknowledged, [0])
  t.equal(bench.spool.history.counts().pending, 1)
})

t.test('... or once it is out, where that is asked for', async (t) => {
  const { bench, acknowledged } = await start(t, 'printed', publish(LABEL, undefined, 0x32))
  await poll('the label', () => bench.spool.history.counts().pending === 1)
  bench.scheduler.resume('A')
  await poll('the acknowledgement', () => acknowledged.length > 0)
  t.same(acknowledged, [1])
})

t.test('what is not a label waits for nothing', async (t) => {
  const bad = publish('no label ~~~', undefined, 0x32)
  const { told, acknowledged } = await start(t, 'printed', bad)
  await poll('the acknowledgement', () => acknowledged.length > 0)
  t.same(acknowledged, [1])
  t.equal(told('refused').length, 1)
})

t.test('equal labels for another queue are each kept, though their number is one', async (t) => {
  const label = publish(LABEL, undefined, 0x32)
  const url = await serveAnswers(t, connack(0), suback(label), [...label])
  const settings = { url, topic: 'other', client_id: 'bench', status_topic: 'none' }
  const { bench, told } = pull(t, createMqtt(), settings)
  await poll('both labels', () => told('refused').length === 2)
  t.equal(bench.spool.history.counts()['pending-held'], 2)
})

t.test('a broker that has another client of our name says so', async (t) => {
  const { told } = await start(t, 'spooled', TAKEN_OVER)
  await poll('the sentence', () => told('error').length > 0)
  t.match(told('error')[0], /somebody else uses the same client ID/)
})

t.test('a label in mid-delivery is known at another port of its broker', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const intake = bench.intake.forSource('mqtt')
  const ports = await Promise.all([
    serveAnswers(t, connack(0), suback(publish(LABEL, undefined, 0x32))),
    serveAnswers(t, connack(0, true), suback(publish(LABEL, undefined, 0x3a))), // a repeat, it says
  ])
  for (const url of ports) {
    const settings = { url, topic: 't', client_id: 'bench', status_topic: 'none' }
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    const accept: SourceIntake['accept'] = async (message) => {
      const answer = await intake.accept(message)
      resolve()
      return answer
    }
    const { stop } = pull(t, createMqtt(), settings, { ...intake, accept })
    await taken
    await stop()
  }
  t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
})

/** A broker's connections, one after the other: each that sends something lasts until it is acknowledged. */
async function takeFrom(
  t: Test,
  ...rounds: readonly { topic?: string; hasSession?: boolean; first?: number }[]
): Promise<Bench> {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const intake = bench.intake.forSource('mqtt')
  for (const { topic = 't', hasSession = true, first } of rounds) {
    const ended = Promise.withResolvers<void>()
    const packets = first === undefined ? [] : publish(LABEL, undefined, first)
    const answer: Answer = (packet) => {
      if (first === undefined) ended.resolve()
      return (suback(packets) as (packet: Buffer) => readonly number[])(packet)
    }
    const note: Answer = () => {
      ended.resolve()
      return []
    }
    const url = await serveAnswers(t, connack(0, hasSession), answer, note)
    const settings = { url, topic, client_id: 'bench', status_topic: 'none' }
    const { stop } = pull(t, createMqtt(), settings, intake)
    await ended.promise
    await stop()
  }
  return bench
}

t.test('a label in mid-delivery is known after its topic was changed', async (t) => {
  const bench = await takeFrom(t, { hasSession: false, first: 0x32 }, { topic: 'o', first: 0x3a })
  t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
})

t.test('numbers start over in a new session, and so do redeliveries', async (t) => {
  const bench = await takeFrom(t, { first: 0x32 }, { hasSession: false }, { first: 0x3a })
  t.equal(bench.spool.history.list({ limit: 9 }).length, 2)
})
