import type { Finding } from '#labels'
import { waitFor } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { NOTHING, type Sentences, say } from '../../words/say.ts'
import { isSettled, type Job, type PrintOptions } from '../job.ts'
import type { Outage } from '../moves.ts'
import type { Spool } from '../spool/spool.ts'
import type { NewJob } from '../spool/types.ts'

/**
 * The sender of an idempotency key. The same key with the same labels is the same request for all senders of a kind: a client that tries
 * again may have another address by then. With other labels it is a conflict for the same sender only.
 */
export interface KeySender {
  readonly kind: string
  readonly from: string
}

/** Labels that are taken together or not at all: one message of a source, or the labels of one request. */
export interface Message {
  /** Label bytes, base64 already decoded. */
  readonly labels: readonly Uint8Array[]
  /** Title of each label; left out or '' = the name found in it. */
  readonly titles?: readonly string[]
  readonly options: PrintOptions
  /** 1..100, default 1: jobs for each label. */
  readonly copies?: number
  /** The id of the source, or of the sender; one seen within 7 days makes no second job. */
  readonly messageId?: string
  /** True when another print server had it and may have printed it: unless it was taken here before, its labels are held. */
  readonly mayBeOut?: boolean
  /** Called when all labels are checked, before they are written. */
  readonly onChecked?: () => void
}

/** A message that cannot be printed and that the other side has no place for. */
export interface BadMessage {
  /** The bytes as received. */
  readonly bytes: Uint8Array
  readonly error: PlatenError
  readonly messageId?: string
  /** The sender's facts about it, and the owner of its share of the spool. */
  readonly from?: Pick<NewJob, 'title' | 'user' | 'sender'>
}

/** The sender of something to print. */
interface RequestSender {
  /** `http` or the type of a source. */
  readonly source: string
  /** The network that it comes from, whose share of the spool it uses; default `source`. */
  readonly network?: string
  readonly idempotencyKey?: string
  /** Left out: all senders share their keys. */
  readonly sender?: KeySender
  /** Makes a signal, only if somebody has to wait: it aborts when the sender has gone, and nothing is taken then. */
  readonly client?: () => AbortSignal
}

/** A message and its sender. */
export interface LabelRequest extends Omit<Message, 'messageId'>, RequestSender {
  /** The treatment of commands that change the printer itself; the setting of the box when left out. */
  readonly commands?: CommandPolicy
  /** Says what the sender had to leave out; it stays with the jobs. */
  readonly warning?: Sentences
  /** The user who printed it, according to their program. */
  readonly user?: string
  /** Ties its jobs to rows of a plugin; called with the `seq` of each in the transaction that adds them. */
  readonly onAdded?: ((seq: number) => void) | undefined
  /** True = its labels wait until a person releases them. */
  readonly isHeld?: boolean
  /** True = its labels are single pages, chosen before they came: `pages` chooses none of them. */
  readonly hasChosenPages?: boolean
  /** True = labels in a language that the printer does not speak are refused; left out = taken with a warning. */
  readonly refusesForeign?: boolean
  /** The outage for which a rule moved them here. */
  readonly outage?: Outage | undefined
}

/** A document of our own, drawn when it prints; the body is JSON text in UTF-8 that its owner has checked. */
export interface DocumentRequest extends RequestSender {
  readonly format: 'packlist' | 'test' | 'start'
  readonly body: Uint8Array
  /** The title. */
  readonly title?: string
  readonly options: PrintOptions
}

/** The jobs of a request that was taken; they are on disk. */
export interface RequestReceipt {
  readonly jobs: readonly Job[]
  /** True when it had come before: these are the jobs of that time. */
  readonly repeated: boolean
  /**
   * Resolves when all of them have ended or are held for a person, which may be never: held jobs are safe on disk and visible on the page,
   * and the labels behind them must not wait until a person looks.
   */
  readonly ended: Promise<void>
}

/** Waits for jobs to end. */
export class Endings {
  readonly #spool: Spool
  readonly #waiters = new Map<string, Set<() => void>>()

  constructor(spool: Spool) {
    this.#spool = spool
    spool.onChange((job) => {
      if (isSettled(job)) for (const wake of this.#waiters.get(job.id) ?? []) wake()
    })
  }

  /**
   * Resolves with the jobs once each has ended or is held for a person, or as they are when the signal aborts. Unknown ids
   * are left out.
   */
  async of(ids: readonly string[], signal: AbortSignal): Promise<readonly Job[]> {
    await Promise.race([this.#allSettled(ids, signal), waitFor(() => undefined, signal)])
    return ids.flatMap((id) => this.#spool.history.look(id) ?? [])
  }

  /** Makes the receipt for a caller whose jobs are on disk. */
  taken(jobs: readonly Job[], repeated: boolean): RequestReceipt {
    const wait = (): Promise<void> => this.#allSettled(jobs.map((job) => job.id))
    let ended: Promise<void> | undefined
    return {
      jobs,
      repeated,
      // Made when asked for: most callers never wait.
      get ended() {
        ended ??= wait()
        return ended
      },
    }
  }

  async #allSettled(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const id of ids) await this.#oneSettled(id, signal)
  }

  #oneSettled(id: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const job = this.#spool.history.look(id)
    if (job === undefined || isSettled(job) || signal?.aborted) return Promise.resolve()
    const waiters = this.#waiters.get(id) ?? new Set()
    const done = (): void => {
      signal?.removeEventListener('abort', done)
      waiters.delete(done)
      if (waiters.size === 0) this.#waiters.delete(id)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
    this.#waiters.set(id, waiters.add(done))
    return promise
  }
}

/** Treatments of labels that hold commands which change the printer itself. */
export const COMMAND_POLICIES = ['allow', 'warn', 'refuse'] as const

/** Most different sentences a day; labels can hold commands in many orders. */
const TOLD_MOST = 1_000

/** The treatment of such a label. */
export type CommandPolicy = (typeof COMMAND_POLICIES)[number]

/** The warnings about a label's commands; each is empty when there are none. */
interface CommandWords {
  /** About commands that a label should not hold: stays with the job, and makes it one with warnings. */
  readonly warning: Sentences
  /** The names of these commands. */
  readonly detail: string
  /** About commands that drivers and carriers send with every label: logged once a day for developers. */
  readonly usual: string
}

/**
 * Describes what the label does to the printer. Commands in labels of real carriers are reported but never refused.
 * @throws PlatenError LABEL_COMMAND under `refuse`
 */
export function checkCommands(findings: readonly Finding[], policy: CommandPolicy): CommandWords {
  if (policy === 'allow') return { warning: NOTHING, detail: '', usual: '' }
  const spoiler = findings.find(({ isCommon }) => !isCommon)
  if (policy === 'refuse' && spoiler !== undefined) {
    const { command, means, offset } = spoiler
    const detail = `It holds ${command} at byte ${offset}, which ${means}.`
    throw new PlatenError('LABEL_COMMAND', say('changesPrinter'), { detail })
  }
  const [usual = '', detail = ''] = [true, false].map((isCommon) =>
    describeCommands(findings.filter((finding) => finding.isCommon === isCommon)),
  )
  return { warning: detail === '' ? NOTHING : say('holdsCommands'), detail, usual }
}

const NAMED = 3

/** Describes each command in a sentence, for the person at the printer; '' when there is none. */
function describeCommands(findings: readonly Finding[]): string {
  const named = findings.slice(0, NAMED).map(({ command, means }) => `${command} ${means}.`)
  const more = findings.length - named.length
  if (more > 0) named.push(`${more} more commands of this kind stand in the label.`)
  return named.join(' ')
}

/** Returns a sentence once per printer and day. */
export class DailyWords {
  readonly #told = new Set<string>()
  #day = ''

  /** Returns the sentence, or '' if it was returned today; `day` is any text that changes with the day. */
  once(printer: string, sentence: string, day: string): string {
    if (sentence === '') return ''
    if (day !== this.#day) this.#told.clear()
    this.#day = day
    const key = `${printer}\n${sentence}`
    if (this.#told.has(key) || this.#told.size >= TOLD_MOST) return ''
    this.#told.add(key)
    return sentence
  }
}
