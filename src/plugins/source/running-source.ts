import type { MessageIntake } from '../../core/intake/message-intake.ts'
import type { CommandPolicy } from '../../core/intake/requests.ts'
import { type BackOff, backOffMs, pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { inEnglish, isSame, NOTHING, type Sentences, say, toSentences } from '../../words/say.ts'
import type { CrashGuard } from './memory.ts'
import type { Ack, Source, SourceEvent, SourceIntake, SourceMemory } from './source.ts'

/** A source and its settings. */
export interface SourceEntry {
  readonly source: Source
  /** The output of `source.settings`. */
  readonly settings: unknown
  /** The printer of labels that name none; undefined = the default printer. */
  readonly printer?: string | undefined
  readonly ack: Ack
  /** The treatment of commands that change the printer itself; undefined = the setting of the box. */
  readonly commands?: CommandPolicy | undefined
  /** The reason why it must not run, in one sentence. */
  readonly clash?: string | undefined
}

/** The parts of a running source. */
export interface RunningParts {
  readonly openIntake: (
    type: string,
    printer: string | undefined,
    commands: CommandPolicy | undefined,
  ) => MessageIntake
  /** Bytes of the largest message; called each time. */
  readonly messageBytes: () => number
  readonly log: {
    info(fields: object, event: string): void
    warn(fields: object, event: string): void
  }
  readonly now: () => number
  /** 0..1. */
  readonly random: () => number
  readonly backOff: BackOff
  readonly memory: SourceMemory
  /** Shared by all sources. */
  readonly guard: Pick<CrashGuard, 'run' | 'end'>
}

/** The usual time between contacts: queues are asked, or ask, several times a minute. */
const QUIET_S = 60

/** Runs a source until it is stopped, and restarts it after failures, with longer and longer pauses. */
export class RunningSource {
  readonly entry: SourceEntry
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>
  readonly #parts: RunningParts
  readonly #stopping = new AbortController()
  readonly #messages: MessageIntake
  readonly #where: string
  #record: SourceRecord = NEW_RECORD
  /** True when it leaves labels on the other side while they cannot print. */
  #asksReady = false

  /** Begins once `after` has resolved: a source of the same kind may have to leave first. */
  constructor(entry: SourceEntry, parts: RunningParts, after: Promise<unknown>) {
    this.entry = entry
    this.#parts = parts
    this.#messages = parts.openIntake(entry.source.type, entry.printer, entry.commands)
    this.#where = entry.source.describe(entry.settings)
    const { clash } = entry
    this.ended = after.then(() =>
      clash === undefined ? this.#run() : this.#report({ kind: 'error', ...clashWords(clash) }),
    )
  }

  get status(): SourceStatus {
    const { failure, ...record } = this.#record
    const { source, settings, printer = '', ack } = this.entry
    const blockage = this.#asksReady ? this.#messages.blockage() : NOTHING
    const quiet = record.contactAt === 0 ? 'starting' : 'running'
    const state = failure.length > 0 ? 'failing' : blockage.length > 0 ? 'waiting' : quiet
    const message = failure.length > 0 ? failure : blockage
    const quietSeconds = source.quietSeconds?.(settings) ?? QUIET_S
    const known = { type: source.type, where: this.#where, printer, ack, quietSeconds }
    return {
      ...known,
      state,
      message,
      ...record,
      detail: failure.length === 0 ? '' : record.detail,
    }
  }

  /** Takes no more labels; `ended` resolves when the work in hand is settled. */
  stop(): void {
    this.#stopping.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { source, settings } = this.entry
    let failures = 0
    while (!signal.aborted) {
      const contactAt = this.#record.contactAt
      try {
        await source.run(settings, this.#intake(), signal)
        if (!signal.aborted) this.#fail(new Error(inEnglish(say('endedItself'))))
      } catch (error) {
        if (!signal.aborted) this.#fail(error)
      }
      failures = this.#record.contactAt === contactAt ? failures + 1 : 1
      if (signal.aborted) break
      await pause(backOffMs(failures, this.#parts.random(), this.#parts.backOff), signal)
    }
  }

  #intake(): SourceIntake {
    const messages = this.#messages
    const { guard, memory, messageBytes } = this.#parts
    const asked = (): MessageIntake => {
      this.#asksReady = true
      return messages
    }
    return {
      ...messages,
      accept: async (message) => {
        const taken = await messages.accept({ ...message, onChecked: () => guard.end() })
        this.#record = { ...this.#record, taken: this.#record.taken + 1 }
        return taken
      },
      ready: (signal) => asked().ready(signal),
      isReady: () => asked().isReady(),
      blockage: () => asked().blockage(),
      ack: this.entry.ack,
      messageBytes: messageBytes(),
      guard: (key, work) => guard.run(`${this.entry.source.type}:${key}`, work),
      memory,
      report: (event) => this.#report(event),
    }
  }

  #report(event: SourceEvent): void {
    const before = this.#record
    this.#record = note(before, event, this.#parts.now())
    const fields = { source: this.entry.source.type, where: this.#where }
    // Once for each trouble and its end, not at every try.
    if (event.kind === 'error' && !isSame(toSentences(event.message), before.failure)) {
      const { message: why, detail = '' } = event
      this.#parts.log.warn({ ...fields, why, ...(detail && { detail }) }, 'source failing')
    } else if (event.kind === 'contact' && (before.contactAt === 0 || before.failure.length > 0)) {
      this.#parts.log.info(fields, 'source reached')
    } else if (event.kind === 'refused') {
      this.#parts.log.warn({ ...fields, why: event.message }, 'message set aside')
    } else if (event.kind === 'warning') {
      const { message: why, detail = '' } = event
      this.#parts.log.warn({ ...fields, why, ...(detail && { detail }) }, 'source')
    }
  }

  #fail(error: unknown): void {
    if (error instanceof PlatenError) {
      this.#report({ kind: 'error', message: error.said, detail: error.detail })
      return
    }
    // A fault of ours: the page says that there is one, the log which.
    this.#parts.log.warn({ err: error, source: this.entry.source.type }, 'source fault')
    this.#report({ kind: 'error', message: say('sourceFault') })
  }
}

/** @param clash the queues and settings, for the person who can change them */
function clashWords(clash: string): { readonly message: Sentences; readonly detail: string } {
  return { message: say('sameAsOther'), detail: clash }
}

/** `starting`: no contact yet; `waiting`: its printer or the spool cannot take labels; `failing`: the last try failed. */
export type SourceState = 'starting' | 'running' | 'waiting' | 'failing'

/** The state of a source of this box. */
export interface SourceStatus {
  readonly type: string
  /** The place that it pulls from, e.g. `queue.example:11300, tube labels`. */
  readonly where: string
  /** The printer of labels that name none; '' = the default printer. */
  readonly printer: string
  readonly ack: Ack
  readonly state: SourceState
  /** The reason why it is waiting or failing; empty otherwise. */
  readonly message: Sentences
  /** Technical words about the reason; '' otherwise. */
  readonly detail: string
  /** Milliseconds since the epoch; 0 = never. */
  readonly contactAt: number
  /** Seconds that may pass between two contacts while all is well. */
  readonly quietSeconds: number
  readonly errorAt: number
  /** The last error; it stays when all is well again. */
  readonly error: Sentences
  readonly refusedAt: number
  /** The reason why the last unprintable message was set aside. */
  readonly refusal: Sentences
  readonly warningAt: number
  /** The last warning for a person; nothing was lost. */
  readonly warning: Sentences
  /** Messages since the start whose labels were taken, and those that were set aside. */
  readonly taken: number
  readonly refused: number
  /** Messages that wait on the other side, and bad ones that it keeps; undefined = unknown. */
  readonly waiting: number | undefined
  readonly bad: number | undefined
}

/** The part of a source's state that its events write. */
export type SourceRecord = Omit<
  SourceStatus,
  'type' | 'where' | 'printer' | 'ack' | 'state' | 'message' | 'quietSeconds'
> & {
  /** The error since the last contact, if any. */
  readonly failure: Sentences
}

/** The record before the first event. */
const NEW_RECORD: SourceRecord = {
  contactAt: 0,
  errorAt: 0,
  error: NOTHING,
  detail: '',
  failure: NOTHING,
  refusedAt: 0,
  refusal: NOTHING,
  warningAt: 0,
  warning: NOTHING,
  taken: 0,
  refused: 0,
  waiting: undefined,
  bad: undefined,
}

/** The record after an event. */
function note(record: SourceRecord, event: SourceEvent, at: number): SourceRecord {
  switch (event.kind) {
    case 'contact':
      return { ...record, contactAt: at, failure: NOTHING }
    case 'error':
      return {
        ...record,
        errorAt: at,
        error: toSentences(event.message),
        failure: toSentences(event.message),
        detail: event.detail ?? '',
      }
    case 'refused':
      return {
        ...record,
        refusedAt: at,
        refusal: toSentences(event.message),
        refused: record.refused + 1,
      }
    case 'warning':
      return { ...record, warningAt: at, warning: toSentences(event.message) }
    case 'backlog':
      return { ...record, waiting: event.waiting, bad: event.bad }
  }
}
