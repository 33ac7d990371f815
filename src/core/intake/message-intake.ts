import type { PlatenError } from '../../words/errors.ts'
import { NOTHING, type Sentences, say } from '../../words/say.ts'
import type { PrintOptions } from '../job.ts'
import type { Printers } from '../printers/registry.ts'
import type { KnownPrinter } from '../printers/status.ts'
import { explainUnreadable } from '../reasons/held-label.ts'
import type { Repeats } from '../spool/repeats.ts'
import type { Spool } from '../spool/spool.ts'
import { fingerprint } from './checks.ts'
import { checkHeldRoom } from './parked.ts'
import type {
  BadMessage,
  CommandPolicy,
  LabelRequest,
  Message,
  RequestReceipt,
} from './requests.ts'

/** Waiting jobs of its printer, and share of the quota, above which a source leaves its labels where they are. */
const SOURCE_LIMITS = { waitingJobs: 50, quotaShare: 0.7 } as const

/** The largest message of a source that is sure to find room after `ready`. */
const ROOM_BYTES = 2 ** 20

const LOOK_AGAIN_MS = 5000 // free space on the disk tells nobody when it changes
const FORGET_AT = 50 // ids; forgetting them one by one would cost a flush each
const FORGET_MS = 30_000 // then those that are left: few boxes are shut down before they are unplugged

/** The intake as a source uses it. */
export interface MessageIntake {
  /**
   * Resolves once the jobs are safe in the spool, with their ids and a promise of their ends. Ask `isMessageFault`
   * whether a refusal is the message's fault or the box's: the former is set aside, the latter tried again later.
   * @throws PlatenError with the code of the refusal; nothing of the message was taken
   */
  accept(message: Message): Promise<RequestReceipt>
  /**
   * Keeps a bad message as a held job that says why, for sources that have no place of their own for such.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; it was not kept
   */
  setAside(message: BadMessage): Promise<void>
  /**
   * Keeps the labels of a good message that found no printer as held jobs, for sources whose other side does not send
   * them again; `error` says why. An id that comes again makes no second job.
   * @throws PlatenError LABEL_*, FIELD_INVALID, SPOOL_FULL, SPOOL_BROKEN; it was not kept
   */
  park(message: Message, error: PlatenError): Promise<RequestReceipt>
  /** Notes that the other side has deleted the messages whose ids begin with this, and may reuse the ids. */
  forget(idPrefix: string): void
  /** Resolves once the target printer can print and the spool is below its mark. */
  ready(signal: AbortSignal): Promise<void>
  /** Tells whether that is so now: a message that came at the end of a long poll may find the printer stopped. */
  isReady(): boolean
  /** Explains why labels cannot be taken now; empty = they can be. */
  blockage(): Sentences
  /** True when labels of that many bytes would find room now, whatever the printers do. */
  hasRoom(bytes: number): boolean
}

type TakeLabels = (
  request: LabelRequest,
  key: string | undefined,
  told: PrintOptions,
) => RequestReceipt | Promise<RequestReceipt>

/** The parts of an intake of messages. */
export interface MessageIntakeParts {
  readonly spool: Pick<Spool, 'add' | 'history' | 'line' | 'health' | 'onChange'>
  readonly printers: Pick<Printers, 'resolve' | 'onChange'>
  /** Takes labels. `told` has the options of the message itself, which distinguish it from another one with the same key. */
  readonly accept: TakeLabels
  /** Holds labels that found no printer; `error` says why. */
  readonly park: (error: PlatenError, ...taken: Parameters<TakeLabels>) => ReturnType<TakeLabels>
  /** Name of the way that labels of this source come, for people. */
  readonly nameWay: (source: string) => string
  /** Shared by all sources. */
  readonly forgotten: ForgottenKeys
}

/** A source, and what its settings say about its labels. */
interface SourceSender {
  readonly type: string
  /** Gets the labels that name no printer; undefined = the default printer. */
  readonly printer: string | undefined
  readonly commands: CommandPolicy | undefined
}

/** Key prefixes of messages that the other side has deleted; not yet removed from disk. */
export class ForgottenKeys {
  readonly #repeats: Pick<Repeats, 'forget'>
  readonly #keys = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(repeats: Pick<Repeats, 'forget'>) {
    this.#repeats = repeats
  }

  add(key: string): void {
    this.#keys.add(key)
    if (this.#keys.size >= FORGET_AT) this.write()
    else this.#timer ??= setTimeout(() => this.#writeLate(), FORGET_MS).unref()
  }

  #writeLate(): void {
    this.#timer = undefined
    try {
      this.write()
    } catch {
      // They stay in memory until the next one, and who asks for one of them is told.
    }
  }

  /** Writes down a forgotten key before a message with it is taken: it may have been given up and issued again. */
  settle(key: string): void {
    if ([...this.#keys].some((forgotten) => key.startsWith(forgotten))) this.write()
  }

  /** Writes down what is only in memory; to be called before the spool closes. */
  write(): void {
    if (this.#keys.size === 0) return
    this.#repeats.forget([...this.#keys])
    this.#keys.clear()
  }
}

/** The intake as one source sees it. */
export function openMessageIntake(parts: MessageIntakeParts, sender: SourceSender): MessageIntake {
  const intake = new SenderIntake(parts, sender)
  return {
    accept: (message) => intake.accept(message),
    park: (message, error) => intake.accept(message, error),
    // A promise so that a refusal is a rejection.
    setAside: (message) => new Promise((resolve) => resolve(intake.setAside(message))),
    forget: (idPrefix) => parts.forgotten.add(`${sender.type}:${idPrefix}`),
    ready: (signal) => intake.ready(signal),
    isReady: () => intake.blockage().length === 0,
    blockage: () => intake.blockage(),
    hasRoom: (bytes) => parts.spool.health.hasRoom(bytes),
  }
}

class SenderIntake {
  readonly #parts: MessageIntakeParts
  readonly #sender: SourceSender

  constructor(parts: MessageIntakeParts, sender: SourceSender) {
    this.#parts = parts
    this.#sender = sender
  }

  /** Takes a message. `error`: why its labels found no printer; they are held then. */
  async accept({ messageId, ...message }: Message, error?: PlatenError): Promise<RequestReceipt> {
    const { type, printer, commands } = this.#sender
    const { options: told } = message
    const key = messageId === undefined ? undefined : `${type}:${messageId}`
    if (key !== undefined) this.#parts.forgotten.settle(key)
    // What is not for this queue must not print where its labels do, though a person releases it.
    const usual = error?.code === 'LABEL_MISDIRECTED' ? undefined : printer
    // Released once the language is known, it prints there.
    const spoken = error?.code === 'PRINTER_LANGUAGE' ? this.#target()?.name : undefined
    const named = told.printer ?? usual ?? spoken
    const request = {
      ...message,
      options: { ...told, ...(named === undefined ? {} : { printer: named }) },
      source: type,
      ...(commands === undefined ? {} : { commands }),
    }
    return await (error === undefined
      ? this.#parts.accept(request, key, told)
      : this.#parts.park(error, request, key, told))
  }

  setAside({ bytes, error, messageId, from }: BadMessage): void {
    const { spool } = this.#parts
    const { type, printer } = this.#sender
    checkHeldRoom(spool.history.counts())
    const repeat =
      messageId === undefined
        ? undefined
        : { key: `${type}:bad:${messageId}`, fingerprint: fingerprint('unknown', [bytes], {}) }
    const job = {
      ...from,
      source: type,
      printer: this.#target()?.name ?? printer ?? '',
      format: 'unknown',
      options: {},
      label: bytes,
      reasons: ['document-format-error'],
      held: explainUnreadable(this.#parts.nameWay(type), error),
    } as const
    spool.add([job], repeat)
  }

  async ready(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.blockage().length > 0) await this.#change(signal)
  }

  blockage(): Sentences {
    const { printer } = this.#sender
    const target = this.#target()
    if (target === undefined) {
      return printer === undefined
        ? say('noneChosen')
        : say('namedNone', { name: JSON.stringify(printer) })
    }
    const { state, message } = target.status
    if (state === 'stopped')
      return message.length > 0 ? message : say('cannot', { printer: target.name })
    const waiting = this.#parts.spool.line.waiting().get(target.name) ?? 0
    if (waiting >= SOURCE_LIMITS.waitingJobs) {
      return say('waitForIt', { n: waiting, printer: target.name })
    }
    if (this.#parts.spool.health.hasRoom(ROOM_BYTES, SOURCE_LIMITS.quotaShare)) return NOTHING
    return say('noRoom')
  }

  /** Finds the target printer. With none at all, or an unknown one, the source finds out at `accept` what is wrong. */
  #target(): KnownPrinter | undefined {
    try {
      return this.#parts.printers.resolve(this.#sender.printer)
    } catch {
      return undefined // nothing to log: the state is on the page, and changes with the configuration
    }
  }

  /**
   * Waits until a job, a printer or perhaps the disk has changed.
   * @throws the signal's reason
   */
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
