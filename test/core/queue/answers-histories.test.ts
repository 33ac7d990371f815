// What printers that answer late, fall silent, lose their power and print for others say, and what is believed of it.

import type { Printer } from '#printers'
import { type QueueParts, TIMING } from '../../../src/core/queue/parts.ts'
import { verify } from '../../../src/core/queue/verify.ts'
import { PrinterWatch } from '../../../src/core/queue/watch.ts'
import type { Connection } from '../../../src/printers/device.ts'
import { type AskerParts, StatusAsker } from '../../../src/printers/status/asker.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { Dice, type Story, testHistories } from '../../simulator/history.ts'
import { Ledger } from '../../simulator/ledger.ts'
import { HOST_IDENTITY, hostStatus } from '../../vm/models.ts'

const LIMIT_MS = 120_000
const TIMES = { openMs: LIMIT_MS, confirmMs: 300, confirmAskMs: 1 }
const LABEL_MS = 700
/** The least time between two looks; a label is read before the second one. */
const STEP_MS = 250
const SEND_MS = 20
const ANSWER_MS = 1500
const ERRORS = (bits: number) =>
  `\x02\r\n  PRINTER STATUS\r\n   ERRORS:  ${bits > 0 ? 1 : 0} 00000000 0000000${bits}\r\n\x03`

interface Format {
  readonly mark: string
  readonly readAt: number
  leftMs: number
}

class PrinterWorld extends Dice {
  readonly ledger = new Ledger()
  readonly #out = new Set<string>()
  readonly #keepsLine = this.chance(0.5)
  /** Another box between it and the network, which gives late answers to whoever is connected then. */
  readonly #hasServer = !this.#keepsLine && this.chance(0.3)
  #counts = this.chance(0.6)
  #count = this.below(2_000)
  #formats: Format[] = []
  #answers: { readonly at: number; readonly text: string; readonly line: number }[] = []
  #isEmpty = false
  #lateness = this.pick([0, 0.2]) ?? 0
  /** Connections before the one that is open. */
  #lineNumber = 0
  #isCut = false
  #now = 1_000
  #marks = 0
  readonly #asker: StatusAsker
  readonly #watch: PrinterWatch
  readonly #signal = AbortSignal.timeout(LIMIT_MS)

  constructor(seed: number) {
    super(seed)
    const keepsLine = this.#keepsLine ? { keepsLine: true as const } : {}
    const printer = { name: 'A', uri: 'socket://a', language: 'zpl' } as Printer
    const printers = {
      get: () => printer as ReturnType<AskerParts['printers']['get']>,
      asking: () => ({ isTwoWay: true, idleSeconds: 10, ...keepsLine }),
      open: () => Promise.resolve(this.#open()),
      pausedHint: () => undefined,
    }
    this.#asker = new StatusAsker({ printers, now: () => this.#now, answerMs: ANSWER_MS })
    const timing = { ...TIMING, openMs: LIMIT_MS }
    const parts = { asker: this.#asker, printers, timing, fault: () => undefined }
    this.#watch = new PrinterWatch('A', parts as unknown as QueueParts, () => undefined)
    const is = [this.#keepsLine && 'on a cable', this.#hasServer && 'behind a print server']
    this.ledger.say(`a printer ${is.filter(Boolean).join()}, counts: ${this.#counts}`)
  }

  async step(): Promise<void> {
    const actions: readonly (() => unknown)[] = [
      () => this.#look(),
      () => this.#print(),
      () => this.#print(),
      () => this.#print(),
      () => this.#cancel(),
      () => this.#pass(this.below(40_000)),
      () => this.#change('lateness', () => (this.#lateness = this.pick([0, 0.2, 0.6]) ?? 0)),
      () => this.#change('out of labels', () => (this.#isEmpty = this.chance(0.5))),
      () => this.#powerCut(),
      () => this.#swap(),
      () => this.#strangers(),
    ]
    await this.pick(actions)?.()
  }

  async #look(): Promise<void> {
    this.ledger.say('it is looked at')
    await this.#watch.ask().catch((error: unknown) => this.#lose(error))
  }

  async #print(): Promise<void> {
    const marks = this.#take(this.chance(0.2) ? 2 : 1)
    this.ledger.say(`prints ${marks.join()}`)
    const show = () => this.chance(0.1) && this.#happen()
    const parts = { asker: this.#asker, timing: TIMES, show }
    const isOut = await verify(parts, 'A', this.#signal).catch((error: unknown) =>
      this.#lose(error),
    )
    this.ledger.say(`  ${isOut === true ? 'confirmed' : 'sent'}`)
    this.#pass(0)
    const missing = marks.filter((mark) => !this.#out.has(mark))
    if (isOut === true && missing.length > 0) this.ledger.fault(`${missing.join()} is confirmed`)
  }

  /** While it is asked. */
  #happen(): void {
    this.pick([
      () => this.#powerCut(),
      () => this.#strangers(),
      () => this.#change('out of labels', () => (this.#isEmpty = !this.#isEmpty)),
    ])?.()
  }

  #cancel(): void {
    this.ledger.say(`prints ${this.#take(2).join()}, and it is canceled`)
    this.#pass(this.below(2 * LABEL_MS))
    this.#asker.takeCount('A')
  }

  #change(what: string, deed: () => unknown): void {
    this.ledger.say(`${what}: ${String(deed())}`)
  }

  #powerCut(): void {
    this.ledger.say('its power is cut')
    this.#formats = []
    this.#answers = []
    this.#isCut = true
  }

  /** Its address is given to another printer. */
  #swap(): void {
    this.#powerCut()
    this.#counts = this.chance(0.5)
    this.#count = this.below(2_000)
    this.ledger.say(`another one has its address, counts: ${this.#counts}`)
    if (this.#keepsLine) this.#watch.noteUnreachable() // a new printer on the cable is noticed
  }

  #strangers(): void {
    if (this.#keepsLine) return
    this.ledger.say('another computer prints')
    this.#take(1 + this.below(3))
  }

  #take(count: number): readonly string[] {
    const marks = Array.from({ length: count }, () => `m${this.#marks++}`)
    const readAt = this.#now + this.below(2 * STEP_MS)
    for (const mark of marks) this.#formats.push({ mark, readAt, leftMs: LABEL_MS })
    return marks
  }

  #pass(ms: number): void {
    for (let left = ms; left > 0 && !this.#isEmpty; ) {
      const [first] = this.#formats
      if (first === undefined) break
      const waitMs = Math.max(0, first.readAt - this.#now)
      const part = Math.min(left, waitMs > 0 ? waitMs : first.leftMs)
      if (waitMs === 0) first.leftMs -= part
      this.#now += part
      left -= part
      ms -= part
      if (first.leftMs > 0) continue
      this.#formats.shift()
      this.#out.add(first.mark)
      this.#count += 1
    }
    this.#now += ms
  }

  #open(): Connection {
    const line = this.#keepsLine ? 0 : ++this.#lineNumber
    this.#isCut = false
    if (!this.#hasServer) this.#answers = this.#answers.filter((answer) => answer.line === line)
    const send = (bytes: Uint8Array): Promise<void> => {
      this.#pass(SEND_MS)
      if (this.#isCut) return Promise.reject(new PlatenError('PRINTER_LOST', 'The link broke.'))
      const text = this.#answer(Buffer.from(bytes).toString('latin1'))
      const lateMs = this.chance(this.#lateness) ? this.below(5_000) : 5
      const at = Math.max(this.#now + lateMs, this.#answers.at(-1)?.at ?? 0)
      if (text !== '') this.#answers.push({ at, text, line })
      return Promise.resolve()
    }
    const receive = (ms: number): Promise<Uint8Array> => {
      if (ms === 1 || ms === ANSWER_MS) this.#pass(STEP_MS - SEND_MS) // the wait before a question
      const at = this.#answers[0]?.at ?? Number.POSITIVE_INFINITY
      this.#pass(Math.min(ms, Math.max(0, at - this.#now)))
      const due = this.#answers.filter((answer) => answer.at <= this.#now)
      this.#answers = this.#answers.slice(due.length)
      return Promise.resolve(Buffer.from(due.map(({ text }) => text).join(''), 'latin1'))
    }
    return { send, receive, [Symbol.asyncDispose]: () => Promise.resolve() }
  }

  #answer(question: string): string {
    const formats = this.#formats.filter(({ readAt }) => readAt <= this.#now).length
    if (question === '~HS') return this.#isEmpty ? '' : hostStatus({ formats })
    if (question === '~HQES') return ERRORS(this.#isEmpty ? 1 : 0)
    if (question === '~HI') return this.#counts ? HOST_IDENTITY : '\x02Clone,1,8,1,1\x03'
    if (question.includes('total_label_count')) return `"${this.#count}"`
    return question.includes('width') ? '"832"' : '"?"'
  }

  #lose(error: unknown): undefined {
    if (!(error instanceof PlatenError)) this.ledger.fault(String(error))
    this.#watch.noteUnreachable()
  }
}

async function play(_: string, seed: number): Promise<Story> {
  const world = new PrinterWorld(seed)
  for (let step = 0; step < 25 && world.ledger.faults.length === 0; step += 1) await world.step()
  return world.ledger.tell(seed)
}

testHistories(
  'what printers answer and what is believed',
  'test/core/queue/answers-histories.test.ts',
  () => Promise.resolve(play),
)
