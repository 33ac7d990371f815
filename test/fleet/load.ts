import { setTimeout as sleep } from 'node:timers/promises'
import { makeLabel } from '../load/label.ts'
import { type Box, type Fleet, TUBE } from './fleet.ts'

/** How a label comes to the fleet. */
export const WAYS = ['queue', 'mqtt', 'http'] as const
type Way = (typeof WAYS)[number]

/** Of ten labels: four lie in the queue that all share, three at the topic of one box, three are posted to one. */
export const wayOf = (number: number): Way =>
  WAYS[[0, 1, 0, 2, 0, 1, 2, 0, 1, 2][number % 10] as number] as Way

const AGAIN_MS = 200
const IN_HAND_MOST = 400
const LABEL_BYTES = 1_500

/** Labels that bear their number and how they came: `L17`. */
export class Load {
  readonly #fleet: Fleet
  /** When each was first offered, in Unix milliseconds. */
  readonly offered: number[] = []
  /** Of labels that nobody has acknowledged yet. */
  readonly #inHand = new Set<Promise<void>>()

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  /** Offers so many more, spread over the time; resolves when all of them are acknowledged. */
  async offer(count: number, ms: number): Promise<void> {
    const first = this.offered.length
    const began = performance.now()
    for (let n = 0; n < count; n += 1) {
      const early = began + (ms * n) / count - performance.now()
      if (early > 1) await sleep(early)
      while (this.#inHand.size >= IN_HAND_MOST) await Promise.race(this.#inHand)
      const number = first + n
      this.offered.push(performance.timeOrigin + performance.now())
      const sent = this.#send(number).finally(() => this.#inHand.delete(sent))
      this.#inHand.add(sent)
    }
    await Promise.all(this.#inHand)
  }

  async #send(number: number): Promise<void> {
    const { boxes, beanstalkd, mqtt } = this.#fleet
    const mark = `L${number}`
    const label = makeLabel(mark, LABEL_BYTES)
    const box = boxes[Math.floor(number / 10) % boxes.length] as Box
    const printer = box.printers[number % 2] ?? ''
    const text = Buffer.from(label).toString('base64')
    switch (wayOf(number)) {
      case 'queue':
        await beanstalkd.put(TUBE, text)
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

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false
  }
}
