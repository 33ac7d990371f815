import { detectFormat, LabelFault } from '#labels'
import { PlatenError } from '../../words/errors.ts'
import { readForeign } from '../../words/foreign.ts'
import { join, NOTHING, say } from '../../words/say.ts'
import type { JobFormat, JobReason, PrintOptions } from '../job.ts'
import { explainNoLabel } from '../reasons/held-label.ts'
import { checkOptions, tidyTitle } from '../request/field-values.ts'
import { REQUEST_LIMITS } from '../request/reader.ts'
import { type JobLine, mapTexts, PAGE, type RepeatLine } from './backup.ts'
import type { Spool } from './spool.ts'
import type { NewJob, Repeat } from './types.ts'

/** Label bytes of one request that are held in memory together; the rest is added separately. */
const GROUP_BYTES = 32 * 2 ** 20

/** The result of a restore. */
export interface RestoreResult {
  /** Labels that now wait for a person. */
  readonly labels: number
  /** Labels that this spool knew already. */
  readonly known: number
}

type SpoolPart = Pick<Spool, 'archive' | 'add' | 'history' | 'repeats'>

/**
 * Takes over the jobs of a backup, each held until a person has checked: the old box may have printed it. A job is taken once, however
 * often the backup is restored, and not at all on the box that it came from. Lines come in the order of the file.
 */
export class Restorer {
  readonly #spool: SpoolPart
  #group: JobLine[] = []
  #groupBytes = 0
  #repeats: Repeat[] = []
  /** Key of the request whose labels are being taken: that its first labels are here does not make the rest known. */
  #key: string | undefined
  #labels = 0
  #known = 0

  constructor(spool: SpoolPart) {
    this.#spool = spool
  }

  /** @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; what was taken stays */
  take(line: JobLine | RepeatLine): void {
    if (line.type === 'repeat') {
      this.#endGroup()
      this.#repeats.push({ key: line.key, fingerprint: line.fingerprint })
      if (this.#repeats.length >= PAGE) this.#endRepeats()
      return
    }
    const [first] = this.#group
    const isSame = first?.repeat != null && first.repeat.key === line.repeat?.key
    const isFull =
      this.#group.length === REQUEST_LIMITS.jobs ||
      this.#groupBytes + line.label.length > GROUP_BYTES
    if (!isSame || isFull) this.#endGroup()
    this.#group.push(line)
    this.#groupBytes += line.label.length
  }

  /**
   * Ends the restore; to be called after the last line.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  end(): RestoreResult {
    this.#endGroup()
    this.#endRepeats()
    return { labels: this.#labels, known: this.#known }
  }

  #endRepeats(): void {
    if (this.#repeats.length > 0) this.#spool.repeats.remember(this.#repeats)
    this.#repeats = []
  }

  /** Adds the jobs of one request together, so that its repeat finds them. */
  #endGroup(): void {
    const group = this.#group.filter((line) => !this.#isHere(line))
    this.#known += this.#group.length - group.length
    this.#group = []
    this.#groupBytes = 0
    const [first] = group
    if (first === undefined) return
    const repeat = first.repeat ?? undefined
    if (repeat !== undefined && this.#findRepeat(repeat) === undefined) {
      this.#key = repeat.key
      this.#add(group, repeat)
      return
    }
    // Without a request, or with one that is known here by other labels: each by its old id.
    for (const line of group)
      this.#add([line], { key: `restored:${line.id}`, fingerprint: line.id })
  }

  #add(group: readonly JobLine[], repeat: Repeat): void {
    const { repeated } = this.#spool.add(group.map(newJob), repeat)
    if (repeated) this.#known += group.length
    else this.#labels += group.length
  }

  /** Tells whether a job is here already: this is the box that made the backup, or it has restored it before. */
  #isHere(line: JobLine): boolean {
    if (this.#spool.history.get(line.id) !== undefined) return true
    const isBegun = line.repeat?.key === this.#key
    const request = line.repeat && !isBegun ? this.#findRepeat(line.repeat) : undefined
    const own = this.#findRepeat({ key: `restored:${line.id}`, fingerprint: line.id })
    return own !== undefined || (request ?? []).some((job) => job.labelBytes === bytesOf(line))
  }

  /** Finds the jobs of a request; none when a different request has used its key. */
  #findRepeat(repeat: Repeat): ReturnType<Spool['repeats']['find']> {
    try {
      return this.#spool.repeats.find(repeat)
    } catch (error) {
      if (error instanceof PlatenError && error.code === 'IDEMPOTENCY_CONFLICT') return []
      throw error
    }
  }
}

function bytesOf({ label }: JobLine): number {
  return Buffer.byteLength(label, 'base64')
}

const REASONS: readonly JobReason[] = ['platen-interrupted', 'platen-restored']

/** Makes a job that is held like a label that was cut off: only a person knows whether it is on paper. */
function newJob(line: JobLine): NewJob {
  const { hash } = line
  const sender = '' // what the owner brings back is held to no share
  const [source, printer] = [plain(line.source), plain(line.printer)]
  const warning = readForeign(line.warning) ?? NOTHING
  const title = tidyTitle(line.title)
  const { expireAfter, ...lasting } = keepGood(line.options) // its time was that of the old box
  const label = Buffer.from(line.label, 'base64')
  const format = checkFormat(line.format as JobFormat, label)
  if (format === 'unknown') {
    const reasons = ['document-format-error', 'platen-restored'] as const
    const held = explainNoLabel()
    const bare = { source, sender, printer, title, options: lasting, label, reasons, held }
    return { ...bare, format: 'unknown' }
  }
  return {
    source,
    sender,
    printer,
    title,
    options: lasting,
    warning,
    hash,
    label,
    format,
    reasons: REASONS,
    held: {
      message: join(say('restored'), say('perhapsPrinted')),
      hint: say('lookWhetherThere'),
      code: 'PRINTER_LOST',
    },
  }
}

/** Checks that a label has the format that its line claims: its bytes would go to the printer unchanged. */
function checkFormat(format: JobFormat, label: Uint8Array): JobFormat {
  if (format === 'packlist' || format === 'test' || format === 'unknown') return format
  try {
    return detectFormat(label) === format ? format : 'unknown'
  } catch (error) {
    if (error instanceof LabelFault) return 'unknown'
    throw error
  }
}

/** Drops the options that no request may have. */
function keepGood(options: PrintOptions): PrintOptions {
  const good = Object.entries(options).filter(([name, value]) => isGood({ [name]: value }))
  return mapTexts(Object.fromEntries(good), plain)
}

function isGood(options: PrintOptions): boolean {
  try {
    checkOptions(options)
    return true
  } catch (error) {
    if (error instanceof PlatenError) return false
    throw error
  }
}

/** Replaces control characters, which none of our names and sentences has. */
function plain(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, ' ')
}
