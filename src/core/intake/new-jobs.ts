import { createHash } from 'node:crypto'
import { isLanguage, languages } from '#labels'
import { PlatenError } from '../../words/errors.ts'
import { hintOf, join, NOTHING, type Sentences, say } from '../../words/say.ts'
import { warnOfLanguage } from '../drawing/target.ts'
import {
  clockText,
  dayText,
  type Explanation,
  formatToRender,
  hasEnded,
  type Job,
  type JobFormat,
  type PrintOptions,
} from '../job.ts'
import { HELD_AT_WISH, type Outage, tellOutage } from '../moves.ts'
import type { KnownPrinter } from '../printers/status.ts'
import type { History } from '../spool/history.ts'
import { walkWaiting } from '../spool/line.ts'
import type { Spool } from '../spool/spool.ts'
import type { NewJob } from '../spool/types.ts'

/** A label to be taken. */
export interface LabelItem {
  readonly format: JobFormat
  readonly label: Uint8Array
  /** The title; '' = unknown. */
  readonly title: string
  /** A message that stays with its job; empty = none. */
  readonly warning: Sentences
  /** False = the sentence is not about commands of the label, e.g. for one that was moved before. */
  readonly hasCommands?: boolean
  /** Notes for developers; '' = nothing. */
  readonly note?: string
  /** Options of its own beside those of its request. */
  readonly options?: PrintOptions
  /** The reason why it must not print; undefined = it may. */
  readonly held: Explanation | undefined
}

/** Source and target of the labels of one request. */
export interface Origin {
  readonly printer: KnownPrinter
  readonly options: PrintOptions
  readonly source: string
  readonly network?: string
  readonly reprintOf?: string
  readonly onAdded?: ((seq: number) => void) | undefined
  readonly user?: string
  readonly isHeld?: boolean
  /** The outage for which a rule moved it. */
  readonly outage?: Outage | undefined
  readonly mayBeOut?: boolean
}

/** A label's hash, and the reason to hold it if the same was printed just now. */
export type DuplicateCheck = Pick<NewJob, 'hash' | 'held'>

/** Makes the jobs of one request; `checkDuplicate` is called for each label before any of them is taken. */
export function makeJobs(
  items: readonly LabelItem[],
  origin: Origin,
  checkDuplicate: (item: LabelItem) => DuplicateCheck,
): readonly NewJob[] {
  const checked = new Map<LabelItem, DuplicateCheck>()
  return items.map((item) => {
    // Copies are the same item many times: a photo is hashed once.
    const duplicate = checked.get(item) ?? checkDuplicate(item)
    checked.set(item, duplicate)
    return makeJob(item, origin, duplicate)
  })
}

function makeJob(item: LabelItem, origin: Origin, duplicate: DuplicateCheck): NewJob {
  const { printer, source, network, reprintOf, onAdded, user = '', isHeld = false, outage } = origin
  const options = { ...origin.options, ...item.options }
  const { format, label, title, note = '', hasCommands = item.warning.length > 0 } = item
  const mismatch = warnOfLanguage(format, printer)
  const moved = outage === undefined ? NOTHING : tellOutage(outage, printer.name)
  const warning = join(moved, item.warning)
  return {
    source,
    user,
    printer: printer.name,
    title,
    format,
    options,
    label,
    warning,
    note,
    message: join(mismatch, warning),
    reasons: firstReasons(printer, {
      'document-format-error': item.held !== undefined,
      'platen-duplicate': item.held === undefined && duplicate.held !== undefined,
      'job-hold-until-specified': isHeld && duplicate.held === undefined,
      'platen-language-mismatch': mismatch.length > 0,
      'platen-printer-command': hasCommands,
    }),
    ...(isHeld ? { held: HELD_AT_WISH } : {}),
    ...duplicate,
    ...(reprintOf === undefined ? {} : { reprintOf }),
    ...(network === undefined ? {} : { sender: network }),
    onAdded,
  }
}

type FirstReason =
  | 'document-format-error'
  | 'job-hold-until-specified'
  | 'platen-duplicate'
  | 'platen-language-mismatch'
  | 'platen-printer-command'

/** Lists the reasons known before the first try; the first label of a stopped printer gets its sentence from the scheduler. */
function firstReasons(
  printer: KnownPrinter,
  found: Readonly<Record<FirstReason, boolean>>,
): Job['reasons'] {
  const isHeld =
    found['platen-duplicate'] || found['document-format-error'] || found['job-hold-until-specified']
  const isStopped = printer.status.state === 'stopped' && !isHeld
  const own = (Object.keys(found) as FirstReason[]).filter((reason) => found[reason])
  const reasons = isStopped ? (['printer-stopped', ...own] as const) : own
  return reasons.length === 0 ? ['none'] : reasons
}

/**
 * Hashes what goes on paper: the label's bytes, its format and, if it is drawn, its drawing options. Two jobs of one printer with the same
 * hash print the same. `page`: of a picture whose pages share its bytes.
 */
function hashPrint(
  format: Exclude<JobFormat, 'unknown'>,
  label: Uint8Array,
  options: PrintOptions,
  page: string | undefined,
): string {
  const { labelWidth, labelHeight, dpi, startingPointX, startingPointY, pages, area } = options
  const isRaw = formatToRender(format) === undefined
  const { rotate, scaling, darkness } = options
  const wishes = [rotate, scaling, darkness].filter((wish) => wish !== undefined)
  const place = [labelWidth, labelHeight, dpi, startingPointX, startingPointY, ...wishes]
  // Named, so that none is taken for another.
  const part = area === undefined ? [] : ['area', area]
  const own = page === undefined ? [...place, ...part] : [...place, page, ...part]
  const drawing = format === 'pdf' ? [...place, pages, area] : own
  const hash = createHash('sha256').update(JSON.stringify([format, isRaw ? [] : drawing]))
  return hash.update(label).digest('base64url')
}

/** The search for labels that were printed a moment ago. */
interface DuplicateSearch {
  /** Undefined = this request may print what was printed just now. */
  readonly find: Pick<History, 'findDuplicate'> | undefined
  /** Undefined = nothing is a duplicate. */
  readonly windowMs: number | undefined
  readonly now: () => number
}

/** Checks a label for duplicates. All labels of a request are checked before any is taken: they are not duplicates of each other. */
export function checkDuplicate(
  { format, label, title, held, options: own }: LabelItem,
  { printer, options, mayBeOut }: Pick<Origin, 'printer' | 'options' | 'mayBeOut'>,
  { find, windowMs, now }: DuplicateSearch,
): DuplicateCheck {
  if (held !== undefined) return { held }
  if (mayBeOut) return { held: explainElsewhere() }
  // Somebody who prints a test label twice wants two.
  if (windowMs === undefined || format === 'test' || format === 'start' || format === 'unknown')
    return {}
  const hash = hashPrint(format, label, { ...options, ...own }, own?.pages)
  const duplicate = find?.findDuplicate({ printer: printer.name, hash }, windowMs)
  return duplicate === undefined
    ? { hash }
    : { hash, held: explainDuplicate(title, duplicate, now()) }
}

function explainElsewhere(): Explanation {
  return { message: say('stationHadIt'), hint: hintOf('JOB_DUPLICATE'), code: 'JOB_DUPLICATE' }
}

/**
 * Explains why a label is held that was printed a moment ago, or still is to print. `title`: of the label, '' = unknown. `now`:
 * milliseconds since the epoch.
 */
export function explainDuplicate(title: string, duplicate: Job, now: number): Explanation {
  // The same bytes under another name: a person who looks for the first label needs its name.
  const name = duplicate.title || title
  const message = tellDuplicate(JSON.stringify(name).slice(1, -1), duplicate, now)
  const detail = `the same as ${duplicate.id}`
  return { message, hint: hintOf('JOB_DUPLICATE'), code: 'JOB_DUPLICATE', detail }
}

function tellDuplicate(name: string, duplicate: Job, now: number): Sentences {
  const { printer } = duplicate
  if (hasEnded(duplicate)) {
    const time = timeText(duplicate.endedAt, now)
    return name === ''
      ? say('alreadyPrinted', { time, printer })
      : say('wasPrinted', { name, time, printer })
  }
  const time = timeText(duplicate.createdAt, now)
  return name === ''
    ? say('sameWaits', { time, printer })
    : say('takenWaits', { name, time, printer })
}

/** Formats the time of day, with the date before it on another day. */
function timeText(at: number, now: number): string {
  const [day, time] = [dayText(new Date(at)), clockText(new Date(at))]
  return day === dayText(new Date(now)) ? time : `${day} ${time}`
}

/** The result for the labels of one printer that were to go to another. */
export interface MoveCount {
  readonly moved: number
  /** Labels in a language that the other printer does not speak: they stay. */
  readonly foreign: number
}

/** Selects the waiting labels that move, and says why. */
export interface MoveRule {
  readonly only?: (job: Job) => boolean
  readonly outage?: Outage | undefined
}

/**
 * Moves the labels that wait for a printer to another, in their order, each in a transaction of its own: one that begins or ends meanwhile
 * stays where it is. Labels held for a person stay too, and those that `only` excludes. `move` throws JOB_STATE for a label that no longer
 * waits, and JOB_LABEL_GONE for one that cannot be read, which its own printer finds out.
 * @throws PlatenError as `move`; those before it are moved
 */
export async function moveWaiting(
  spool: Pick<Spool, 'line' | 'history'>,
  from: string,
  to: KnownPrinter,
  move: (job: Job) => void,
  only: (job: Job) => boolean,
): Promise<MoveCount> {
  let [moved, foreign] = [0, 0]
  for await (const ids of walkWaiting(spool, from, ['pending'], 1)) {
    const job = spool.history.get(ids[0] ?? '')
    if (job === undefined || !only(job)) continue
    if (isForeign(job, to)) foreign += 1
    else if (tryMove(job, move)) moved += 1
  }
  return { moved, foreign }
}

/** Tells whether a label is in a language that the printer does not speak; an unknown language may be right. */
export function isForeign(
  { format }: Job,
  { language }: { readonly language: string | null | undefined },
): boolean {
  return isLanguage(format) && (language ?? format) !== format
}

/**
 * Refuses to move a waiting label to a printer that cannot print it.
 * @throws PlatenError PRINTER_LANGUAGE
 */
export function checkMove(job: Job, { name, language }: KnownPrinter): void {
  if (hasEnded(job) || !isForeign(job, { language })) return
  const title = (word: string | undefined) =>
    languages.find((one) => one.name === word)?.title ?? word ?? ''
  const values = { language: title(job.format), printer: name, other: title(language) }
  throw new PlatenError('PRINTER_LANGUAGE', say('languageHere', values), {
    hint: say('printerOf', { language: title(job.format) }),
  })
}

function tryMove(job: Job, move: (job: Job) => void): boolean {
  try {
    move(job)
    return true
  } catch (error) {
    const stays = ['JOB_STATE', 'JOB_LABEL_GONE']
    if (error instanceof PlatenError && stays.includes(error.code)) return false
    throw error
  }
}
