import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { Test } from 'tap'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import { listen } from '../../listen.ts'
import { Dice, type Story, testHistories } from '../../simulator/history.ts'
import { QueueBox, write } from './queue-box.ts'

const PATIENCE = { connectMs: 60_000, replyMs: 60_000, settleMs: 20, goodbyeMs: 50, quickMs: 0 }
const SOURCE = createMqtt({ ...PATIENCE, calmMs: 1, backOff: { firstMs: 1, mostMs: 4 } })
const IN_FLIGHT = 5
const MARKS = ['aa', 'bb', 'cc', 'no label'] // few: labels of equal content are what matters

/** A broker's session of a client. */
interface Session {
  readonly topics: Set<string>
  readonly queue: Published[]
  readonly flight: Map<number, Published>
  next: number
  /** The client may not have heard that it is new. */
  isFresh: boolean
}

interface Published {
  readonly mark: string
  readonly topic: string
}

/** A broker, and a line to it, that lose packets of either side before or after they are acted on, and whole sessions. */
class Broker {
  loss = 0
  session: Session | undefined
  readonly sent: string[] = []
  readonly acknowledged: string[] = []
  readonly #dice: Dice
  readonly #say: (line: string) => void
  #socket: Socket | undefined

  constructor(dice: Dice, say: (line: string) => void) {
    this.#dice = dice
    this.#say = say
  }

  get isDone(): boolean {
    const { session } = this
    return session === undefined || session.queue.length + session.flight.size === 0
  }

  /** A client has come. */
  take(socket: Socket): void {
    const reader = parser({ protocolVersion: 5 })
    reader.on('packet', (packet) => {
      if (socket.destroyed) return
      if (this.#dice.chance(this.loss)) this.cut(socket, `without ${packet.cmd}`)
      else if (packet.cmd === 'connect') this.#open(socket)
      else if (socket === this.#socket) this.#answer(socket, packet)
    })
    socket.on('error', () => undefined)
    socket.on('data', (data) => reader.parse(data))
  }

  publish(published: Published): void {
    if (!this.session?.topics.has(published.topic)) return
    this.#say(`${published.mark} is published to ${published.topic}`)
    this.sent.push(published.mark)
    this.session.queue.push(published)
    this.#deliver()
  }

  cut(socket = this.#socket, why = 'by the network'): void {
    this.#say(`  the connection is cut ${why}`)
    socket?.destroy()
  }

  #open(socket: Socket): void {
    this.#socket?.destroy()
    this.#socket = socket
    // Begun and not heard of, it could not be told from the one before.
    if (this.session?.isFresh) this.session = undefined
    const sessionPresent = this.session !== undefined
    this.#say(`  connected, ${sessionPresent ? 'with' : 'without'} a session`)
    const empty = { topics: new Set<string>(), queue: [], flight: new Map<number, Published>() }
    this.session ??= { ...empty, next: 1, isFresh: true }
    this.#send(socket, { cmd: 'connack', reasonCode: 0, sessionPresent })
    for (const [id, published] of this.session.flight) this.#give(socket, id, published, true)
    this.#deliver()
  }

  #answer(socket: Socket, packet: Packet): void {
    const { session } = this
    if (session === undefined) return
    const { messageId = 0 } = packet
    if (packet.cmd === 'subscribe') {
      session.isFresh = false
      for (const { topic } of packet.subscriptions) session.topics.add(topic)
      this.#send(socket, { cmd: 'suback', messageId, granted: [1] })
    } else if (packet.cmd === 'unsubscribe') {
      for (const topic of packet.unsubscriptions) session.topics.delete(topic)
      this.#send(socket, { cmd: 'unsuback', messageId, granted: [0] })
    } else if (packet.cmd === 'puback') this.#forget(session, messageId)
  }

  #forget({ flight }: Session, id: number): void {
    const published = flight.get(id)
    if (published === undefined) return
    flight.delete(id)
    this.acknowledged.push(published.mark)
    this.#say(`  ${published.mark} is acknowledged, number ${id}`)
    this.#deliver()
  }

  #deliver(): void {
    const { session } = this
    const socket = this.#socket
    while (session && socket && !socket.destroyed && session.flight.size < IN_FLIGHT) {
      const published = session.queue.shift()
      if (published === undefined) return
      const id = session.next++
      session.flight.set(id, published)
      this.#give(socket, id, published, false)
    }
  }

  #give(socket: Socket, messageId: number, { mark, topic }: Published, dup: boolean): void {
    this.#say(`  ${mark} is sent, number ${messageId}${dup ? ', again' : ''}`)
    const payload = write(mark)
    this.#send(socket, { cmd: 'publish', topic, payload, qos: 1, dup, retain: false, messageId })
  }

  #send(socket: Socket, packet: Packet): void {
    if (socket.destroyed) return
    const bytes = generate(packet, { protocolVersion: 5 })
    const isLost = this.#dice.chance(this.loss)
    socket.write(isLost ? bytes.subarray(0, this.#dice.below(bytes.length)) : bytes)
    if (isLost) this.cut(socket, `before ${packet.cmd}`)
    else if (this.#dice.chance(this.loss)) this.cut(socket, `after ${packet.cmd}`)
  }
}

async function play(t: Test, parent: string, seed: number): Promise<Story> {
  const dice = new Dice(seed)
  const lines: string[] = []
  const folder = mkdtempSync(join(parent, 'history-'))
  const say = (line: string): void => {
    lines.push(line)
  }
  const broker = new Broker(dice, say)
  const listener = createServer((socket) => broker.take(socket))
  const url = `mqtt://127.0.0.1:${await listen(t, listener)}`
  let topic = 'one'
  const box = new QueueBox({
    folder,
    dice,
    say,
    type: 'mqtt',
    run: (_, intake, signal) =>
      SOURCE.run({ url, topic, client_id: 'box', status_topic: 'none' }, intake, signal),
  })
  const publish = (): void => {
    const mark = dice.pick(MARKS) ?? ''
    broker.publish({ mark, topic: dice.pick(['one', 'one', 'two']) ?? '' })
  }
  const restart = async (): Promise<void> => {
    await box.stop()
    topic = dice.pick([topic, 'one', 'two']) ?? ''
    say(`the queue starts again with topic ${topic}`)
    box.start()
  }
  const loseSession = (): void => {
    broker.cut(undefined, 'with its session')
    broker.session = undefined
  }
  const setLoss = (): void => {
    broker.loss = dice.pick([0, 0.05, 0.2]) ?? 0
  }
  const often = [...Array.from({ length: 5 }, () => publish), setLoss, setLoss]
  const deeds = [...often, restart, restart, () => broker.cut(), loseSession]
  box.start()
  for (let steps = 10 + dice.below(30); steps > 0; steps -= 1) {
    await dice.pick(deeds)?.()
    await sleep(dice.below(6))
  }
  broker.loss = 0
  await box.settle(() => broker.isDone)
  const faults = broker.isDone ? judge(box, broker) : ['messages stay at the broker']
  listener.close()
  await box.end()
  rmSync(folder, { recursive: true })
  return { seed, faults, lines }
}

/** Each message that was acknowledged is on disk, and none is twice; a bad one that comes again is kept once. */
function judge(box: QueueBox, { sent, acknowledged }: Broker): readonly string[] {
  return MARKS.flatMap((mark) => {
    const count = (marks: readonly string[]): number => marks.filter((each) => each === mark).length
    const [taken, most, least] = [box.count(mark), count(sent), count(acknowledged)]
    const isLost = taken < (mark === 'no label' ? Math.min(1, least) : least)
    return isLost || taken > most ? [`${mark}: ${taken} of ${least} to ${most}`] : []
  })
}

testHistories('a queue at an MQTT broker', 'test/plugins/source/mqtt-histories.test.ts', (t) =>
  Promise.resolve((folder, seed) => play(t, folder, seed)),
)
