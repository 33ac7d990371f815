import { setTimeout as sleep } from 'node:timers/promises'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import type { Ack, SourceIntake } from '../../../src/plugins/source/source.ts'
import { createFileDevice } from '../../../src/printers/devices/file.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, toSentences } from '../../../src/words/say.ts'
import { makePrintServer } from '../../core/print-server.ts'
import type { Dice } from '../../simulator/history.ts'
import { makeIntakeGuard } from './intake-bench.ts'

export const BAD: readonly string[] = ['no label', 'stranger']
/** Marks of the messages of a history: few, because labels of equal content are what matters. */
export const MARKS: readonly string[] = ['aa', 'bb', 'cc', ...BAD]
const SETTLE_MS = 60_000 // a busy machine

/** The text of a message. */
export function write(mark: string): string {
  if (mark === 'no label') return mark
  const label = Buffer.from(labelOf(mark)).toString('base64')
  return mark === 'stranger' ? JSON.stringify({ label, printer: 'Z' }) : label
}

function labelOf(mark: string): string {
  return `^XA^FD${mark}^FS^XZ`
}

interface Parts {
  readonly folder: string
  readonly dice: Dice
  /** Takes a line of the history. */
  readonly say: (line: string) => void
  readonly type: 'sqs' | 'beanstalkd' | 'mqtt'
  /** Pulls from the queue until the signal aborts, or it fails. */
  readonly run: (box: QueueBox, intake: SourceIntake, signal: AbortSignal) => Promise<unknown>
}

/** A print server whose queues are stopped, started and changed, and that is killed. */
export class QueueBox {
  server: ReturnType<typeof makePrintServer>
  redelivered: 'print' | 'hold' | undefined
  /** Sentences for people about messages that were refused. */
  readonly told: string[] = []
  readonly #parts: Parts
  readonly #memory = openMemory()
  readonly #guard = makeIntakeGuard() // one of the program, as in the field
  #acks: readonly Ack[] = ['spooled']
  #fullness = 0
  #fits = 0
  #stopping = new AbortController()
  #ended: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    this.server = this.#open()
  }

  start(): void {
    this.#stopping = new AbortController()
    const { signal } = this.#stopping
    this.#ended = Promise.all(this.#acks.map((ack) => this.#run(ack, signal)))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  /** Changes to one or two queues with other settings. */
  async change(): Promise<void> {
    const { dice, say } = this.#parts
    await this.stop()
    const ack = dice.pick(['spooled', 'printed'] as const) ?? 'spooled'
    this.#acks = dice.chance(0.4) ? [ack, 'spooled'] : [ack]
    this.redelivered = dice.pick([undefined, 'print', 'hold'] as const)
    say(`the queues start again: ${this.#acks}, ${this.redelivered}`)
    this.start()
  }

  /** The program ends and starts again; killed, it has not written what it would at its end, and its connections are cut. */
  async restart(cut: () => void): Promise<void> {
    const isKilled = this.#parts.dice.chance(0.5)
    this.#parts.say(`the program is ${isKilled ? 'killed' : 'started again'}`)
    if (isKilled) cut()
    await this.end(isKilled)
    this.server = this.#open()
    this.start()
  }

  /** Its disk refuses and its printer stops as often as chance has it. */
  fill(): void {
    const { dice } = this.#parts
    this.#fullness = dice.pick([0, 0, 0.3, 1]) ?? 0
    this.#fits = dice.pick([0, 0.3, 0.6]) ?? 0
  }

  /** Nothing is in its way any more: waits until the queue is done, or for so long that it will not be. */
  async settle(isDone: () => boolean): Promise<void> {
    this.#fullness = 0
    this.#fits = 0
    const end = performance.now() + SETTLE_MS
    while (!isDone() && performance.now() < end) await sleep(2)
    await this.stop()
  }

  async end(isKilled = false): Promise<void> {
    await this.stop()
    await this.server.scheduler.stop(0)
    await this.server.renderer.close()
    if (!isKilled) this.server.intake.close()
    this.server.spool.close()
  }

  /** Labels of this mark on disk, and evidence of it. */
  count(mark: string): number {
    const { history } = this.server.spool
    const labels = history.list({ limit: 1_000 }).map(({ id }) => history.label(id) ?? [])
    const wanted = mark === 'no label' ? mark : labelOf(mark)
    return labels.filter((label) => Buffer.from(label).toString() === wanted).length
  }

  #open(): ReturnType<typeof makePrintServer> {
    const { folder } = this.#parts
    const spool = { minFreeBytes: 0, ballastBytes: 0 }
    const device = createFileDevice(folder)
    const server = makePrintServer({ folder, uris: { A: 'file:a' }, device, spool })
    server.scheduler.start()
    return server
  }

  /** A printer that stops for a moment now and then. */
  #fitful(): Pick<SourceIntake, 'isReady' | 'ready'> {
    const { dice } = this.#parts
    let stopped: Promise<void> | undefined
    const isReady = (): boolean => {
      if (stopped === undefined && dice.chance(this.#fits)) {
        stopped = sleep(dice.below(12)).then(() => {
          stopped = undefined
        })
      }
      return stopped === undefined
    }
    const ready = async (signal: AbortSignal): Promise<void> => {
      for (;;) {
        signal.throwIfAborted()
        if (isReady()) return
        await stopped
      }
    }
    return { isReady, ready }
  }

  async #run(ack: Ack, signal: AbortSignal): Promise<void> {
    const { dice, type, run } = this.#parts
    const messages = this.server.intake.forSource(type)
    const refuse = async (): Promise<void> => {
      await sleep(dice.below(3))
      if (dice.chance(this.#fullness)) throw new PlatenError('SPOOL_FULL', 'It is full.')
    }
    const intake: SourceIntake = {
      ack,
      messageBytes: 60_000,
      memory: this.#memory,
      ...this.#guard,
      ...messages,
      ...this.#fitful(),
      accept: (message) => refuse().then(() => messages.accept(message)),
      park: (message, error) => refuse().then(() => messages.park(message, error)),
      setAside: (message) => refuse().then(() => messages.setAside(message)),
      report: (event) => {
        if (event.kind === 'refused') this.told.push(inEnglish(toSentences(event.message)))
      },
    }
    while (!signal.aborted) {
      await run(this, intake, signal).catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof PlatenError)) throw error
      })
      await sleep(1)
    }
  }
}
