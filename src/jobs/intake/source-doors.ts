import type { PlatenError } from '../../errors.ts'
import type { KnownPrinter } from '../../printers/printer.ts'
import type { Printers } from '../../printers/registry.ts'
import type { PrintOptions } from '../job.ts'
import * as moves from '../moves.ts'
import type { Spool } from '../spool/spool.ts'
import { fingerprint } from './checks.ts'
import { checkHeldRoom, explainUnreadable } from './hold-reasons.ts'
import type { CommandPolicy } from './label-commands.ts'
import type { Accepted, LabelRequest } from './requests.ts'

/** Above so many waiting jobs of its printer, or this share of the quota, a source leaves its labels where they are. */
export const SOURCE_LIMITS = { waitingJobs: 50, quotaShare: 0.7 } as const

/** The largest message of a source that is sure to find room when `ready` has said so. */
const ROOM_BYTES = 2 ** 20

const LOOK_AGAIN_MS = 5000 // free space on the disk tells nobody when it changes
const FORGET_AT = 50 // ids; forgetting them one by one would cost a flush each

/** One message of a source, as `Message` of the sources' contract. */
interface SourceMessage {
  readonly labels: readonly Uint8Array[]
  readonly options: PrintOptions
  readonly copies?: number
  readonly messageId?: string
  readonly onChecked?: () => void
}

/** As `BadMessage` of the sources' contract. */
interface UnreadableMessage {
  readonly bytes: Uint8Array
  readonly error: PlatenError
  readonly messageId?: string
}

/** As `Taken` of the sources' contract. */
interface TakenMessage {
  readonly jobs: readonly string[]
  readonly repeated: boolean
  readonly ended: Promise<void>
}

/** What a source is given by the jobs; a part of `SourceIntake` in the sources' contract. */
export interface SourceDoor {
  accept(message: SourceMessage): Promise<TakenMessage>
  park(message: SourceMessage, error: PlatenError): Promise<TakenMessage>
  setAside(message: UnreadableMessage): Promise<void>
  forget(idPrefix: string): void
  ready(signal: AbortSignal): Promise<void>
  /** Why labels cannot be taken now, one sentence; '' = they can. */
  blockage(): string
  /** True when labels of so many bytes would be taken now. */
  hasRoom(bytes: number): boolean
}

type TakeLabels = (
  request: LabelRequest,
  key: string | undefined,
  told: PrintOptions,
) => Accepted | Promise<Accepted>

/** What the doors work with. */
export interface SourceDoorParts {
  readonly spool: Pick<
    Spool,
    'add' | 'move' | 'counts' | 'waiting' | 'hasRoom' | 'onChange' | 'forgetRepeats'
  >
  readonly printers: Pick<Printers, 'resolve' | 'onChange'>
  /** `told` are the options of the message itself, which tell it from another one with the same key. */
  readonly accept: TakeLabels
  /** The same for labels that found no printer: they are held, and `error` says why. */
  readonly park: (error: PlatenError, ...taken: Parameters<TakeLabels>) => Accepted
}

/** Whose message it is, and what its settings say of its labels. */
interface Sender {
  readonly type: string
  readonly printer: string | undefined
  readonly commands: CommandPolicy | undefined
}

/** The intake as the sources see it: one door a source. */
export class SourceDoors {
  readonly #parts: SourceDoorParts
  /** Beginnings of the keys of messages that the other side has deleted for good; not yet forgotten on disk. */
  readonly #done = new Set<string>()

  constructor(parts: SourceDoorParts) {
    this.#parts = parts
  }

  /** A door for a source of this type; `printer` takes the labels that name none. */
  make(type: string, printer: string | undefined, commands?: CommandPolicy): SourceDoor {
    return {
      accept: (message) => this.#accept({ type, printer, commands }, message),
      park: (message, error) => this.#accept({ type, printer, commands }, message, error),
      // A promise so that a refusal is a rejection, as the contract has it.
      setAside: (message) =>
        new Promise((resolve) => resolve(this.#setAside(type, printer, message))),
      forget: (idPrefix) => this.#forget(`${type}:${idPrefix}`),
      ready: (signal) => this.#ready(printer, signal),
      blockage: () => this.#blockage(printer),
      hasRoom: (bytes) => this.#parts.spool.hasRoom(bytes),
    }
  }

  /** Writes down what is only in memory; to be called before the spool closes. */
  close(): void {
    if (this.#done.size === 0) return
    this.#parts.spool.forgetRepeats([...this.#done])
    this.#done.clear()
  }

  /** `error`: why the labels found no printer; they are held then. */
  async #accept(
    { type, printer, commands }: Sender,
    message: SourceMessage,
    error?: PlatenError,
  ): Promise<TakenMessage> {
    const { labels, copies, messageId, options: told, onChecked } = message
    const key = messageId === undefined ? undefined : `${type}:${messageId}`
    if (key !== undefined && [...this.#done].some((done) => key.startsWith(done))) this.close()
    // What is not for this queue must not print where its labels do, though a person releases it.
    const usual = error?.code === 'LABEL_MISDIRECTED' ? undefined : printer
    const named = told.printer ?? usual
    const options = { ...told, ...(named === undefined ? {} : { printer: named }) }
    const request = {
      ...{ labels, options, source: type },
      ...(copies === undefined ? {} : { copies }),
      ...(commands === undefined ? {} : { commands }),
      ...(onChecked === undefined ? {} : { onChecked }),
    }
    const taken = await (error === undefined
      ? this.#parts.accept(request, key, told)
      : this.#parts.park(error, request, key, told))
    return {
      jobs: taken.jobs.map((job) => job.id),
      repeated: taken.repeated,
      get ended() {
        return taken.ended
      },
    }
  }

  #setAside(type: string, printer: string | undefined, message: UnreadableMessage): void {
    const { spool } = this.#parts
    checkHeldRoom(spool.counts())
    const { bytes, error, messageId } = message
    const repeat =
      messageId === undefined
        ? undefined
        : { key: `${type}:bad:${messageId}`, fingerprint: fingerprint('unknown', [bytes], {}) }
    const job = {
      source: type,
      printer: this.#target(printer)?.name ?? printer ?? '',
      format: 'unknown',
      options: {},
      label: bytes,
    } as const
    const { jobs, repeated } = spool.add([job], repeat)
    if (repeated) return
    const sentence = explainUnreadable(type, error)
    for (const { id } of jobs) {
      spool.move(id, (now) => moves.hold(now, 'document-format-error', sentence))
    }
  }

  #forget(key: string): void {
    this.#done.add(key)
    if (this.#done.size >= FORGET_AT) this.close()
  }

  async #ready(printer: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.#blockage(printer) !== '') await this.#change(signal)
  }

  #blockage(printer: string | undefined): string {
    const target = this.#target(printer)
    if (target === undefined) {
      return printer === undefined
        ? 'No printer is chosen for labels that name none.'
        : `The printer ${JSON.stringify(printer)} is not known.`
    }
    const { state, message } = target.status
    if (state === 'stopped') return message || `${target.name} cannot print now.`
    const waiting = this.#parts.spool.waiting().get(target.name) ?? 0
    if (waiting >= SOURCE_LIMITS.waitingJobs) return `${waiting} labels wait for ${target.name}.`
    if (this.#parts.spool.hasRoom(ROOM_BYTES, SOURCE_LIMITS.quotaShare)) return ''
    return 'The disk of the print server has no room for more labels.'
  }

  /** No printer at all, or an unknown one, is not ready; the source finds out at `accept` what is wrong. */
  #target(printer: string | undefined): KnownPrinter | undefined {
    try {
      return this.#parts.printers.resolve(printer)
    } catch {
      return undefined // nothing to log: the state is on the page, and changes with the configuration
    }
  }

  /** Until a job, a printer or perhaps the disk has changed. @throws the signal's reason */
  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = (): void => reject(signal.reason)
    const timer = setTimeout(resolve, LOOK_AGAIN_MS).unref()
    const ends = [
      this.#parts.spool.onChange(() => resolve()),
      this.#parts.printers.onChange(() => resolve()),
    ]
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      for (const end of ends) end()
    }
  }
}
