import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeLabel } from '../load/label.ts'
import { type Box, type Fleet, TUBE } from './fleet.ts'

/** The ways of labels to the fleet. */
export const WAYS = ['queue', 'mqtt', 'http'] as const
type Way = (typeof WAYS)[number]

/** The way of a label. Of ten, four are in the queue that all share, three at the topic of one box, three are posted to one. */
export const wayOf = (number: number): Way =>
  WAYS[[0, 1, 0, 2, 0, 1, 2, 0, 1, 2][number % 10] as number] as Way

const AGAIN_MS = 200
const IN_HAND_MOST = 400
const LABEL_BYTES = 1_500

/** Labels that bear their number and how they came: `L17`. */
export class Load {
  readonly #fleet: Fleet
  /** First offers of the labels, in Unix milliseconds. */
  readonly offered: number[] = []
  readonly #producer: Producer
  /** Labels that nobody has acknowledged yet. */
  #inHand = 0
  #onRoom: (() => void) | undefined

  constructor(fleet: Fleet) {
    this.#fleet = fleet
    this.#producer = new Producer(fleet.beanstalkd.port)
  }

  /** Kills the queue's server and starts it again, while no label is on its way to it. */
  async restartQueue(): Promise<void> {
    await this.#producer.rest(() => this.#fleet.beanstalkd.restart())
  }

  close(): void {
    this.#producer.close()
  }

  /** Offers so many more, spread over the time; resolves when all of them are acknowledged. */
  async offer(count: number, ms: number): Promise<void> {
    const first = this.offered.length
    const began = performance.now()
    for (let n = 0; n < count; n += 1) {
      const early = began + (ms * n) / count - performance.now()
      if (early > 1) await sleep(early)
      await this.#haveAtMost(IN_HAND_MOST)
      this.offered.push(performance.timeOrigin + performance.now())
      this.#inHand += 1
      void this.#send(first + n).then(() => {
        this.#inHand -= 1
        this.#onRoom?.()
      })
    }
    await this.#haveAtMost(0)
  }

  async #haveAtMost(most: number): Promise<void> {
    while (this.#inHand > most) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#onRoom = resolve
      await promise
    }
  }

  async #send(number: number): Promise<void> {
    const { boxes, mqtt } = this.#fleet
    const mark = `L${number}`
    const label = makeLabel(mark, LABEL_BYTES)
    const box = boxes[Math.floor(number / 10) % boxes.length] as Box
    const printer = box.printers[number % 2] ?? ''
    const text = Buffer.from(label).toString('base64')
    switch (wayOf(number)) {
      case 'queue':
        await this.#producer.put(text)
        return
      case 'mqtt': {
        const properties = { userProperties: { id: mark } }
        const message = JSON.stringify({ label: text, printer })
        // Where the broker went away in between; the id makes a repeat harmless.
        while (!(await succeeds(mqtt.publishAsync(box.topic, message, { qos: 1, properties }))))
          await sleep(AGAIN_MS)
        return
      }
      case 'http':
        while (!(await box.post(label, printer, mark).catch(() => false))) await sleep(AGAIN_MS)
    }
  }
}

/**
 * Puts labels into the tube, many on their way at once. While its server is killed none is: a put without an answer may
 * have been heard, and would make another job when it is sent again.
 */
class Producer {
  readonly #port: number
  readonly #answers: (() => void)[] = []
  #socket: Promise<Socket> | undefined
  #open: Promise<void> = Promise.resolve()
  #onIdle: (() => void) | undefined

  constructor(port: number) {
    this.#port = port
  }

  async put(body: string): Promise<void> {
    for (let open: unknown; open !== this.#open; ) {
      open = this.#open
      await this.#open
      this.#socket ??= this.#connect()
      await this.#socket
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#answers.push(resolve)
    ;(await this.#socket)?.write(`put 100 0 60 ${body.length}\r\n${body}\r\n`)
    await promise
  }

  async rest(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    await this.#open
    this.#open = promise
    if (this.#answers.length > 0) {
      const idle = Promise.withResolvers<void>()
      this.#onIdle = idle.resolve
      await idle.promise
    }
    this.close()
    await work()
    resolve()
  }

  close(): void {
    void this.#socket?.then((socket) => socket.destroy())
    this.#socket = undefined
  }

  async #connect(): Promise<Socket> {
    const socket = connect(this.#port, '127.0.0.1')
    await once(socket, 'connect')
    createInterface({ input: socket }).on('line', (line) => {
      if (!line.startsWith('INSERTED')) return
      this.#answers.shift()?.()
      if (this.#answers.length === 0) this.#onIdle?.()
    })
    socket.write(`use ${TUBE}\r\n`)
    return socket
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false
  }
}
