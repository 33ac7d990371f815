import type { KnownPrinter } from '../../printers/printer.ts'
import { warnOfLanguage } from '../drawing/target.ts'
import type { Job, JobFormat, PrintOptions } from '../job.ts'
import { HELD_AT_WISH, type Sentence } from '../moves.ts'
import type { NewJob } from '../spool/types.ts'

/** A label to be taken. */
export interface Item {
  readonly format: JobFormat
  readonly label: Uint8Array
  /** What it is called; '' = unknown. */
  readonly title: string
  /** A sentence that stays with its job; '' = none. */
  readonly warning: string
  /** For developers; '' = nothing. */
  readonly note?: string
  /** What it has of its own beside those of its request. */
  readonly options?: PrintOptions
  /** Why it must not print; undefined = it may. */
  readonly held: Sentence | undefined
}

/** Where the labels of one request come from and go. */
export interface Origin {
  readonly printer: KnownPrinter
  readonly options: PrintOptions
  readonly source: string
  readonly network?: string
  readonly reprintOf?: string
  readonly user?: string
  readonly isHeld?: boolean
}

/** A label's hash, and why it must not print when the same was printed just now. */
export type Twin = Pick<NewJob, 'hash' | 'held'>

/** The jobs of one request; `findTwin` is asked about each label before any of them is taken. */
export function makeJobs(
  items: readonly Item[],
  origin: Origin,
  findTwin: (item: Item) => Twin,
): readonly NewJob[] {
  const twins = new Map<Item, Twin>()
  return items.map((item) => {
    // Copies are the same item many times: a photo is hashed once.
    const twin = twins.get(item) ?? findTwin(item)
    twins.set(item, twin)
    return makeJob(item, origin, twin)
  })
}

function makeJob(item: Item, origin: Origin, twin: Twin): NewJob {
  const { printer, source, network, reprintOf, user = '', isHeld = false } = origin
  const options = { ...origin.options, ...item.options }
  const { format, label, title, warning, note = '' } = item
  const mismatch = warnOfLanguage(format, printer)
  return {
    ...{ source, user, printer: printer.name, title, format, options, label, warning, note },
    message: [mismatch, warning].filter((sentence) => sentence !== '').join(' '),
    reasons: firstReasons(printer, {
      'document-format-error': item.held !== undefined,
      'platen-duplicate': item.held === undefined && twin.held !== undefined,
      'job-hold-until-specified': isHeld && twin.held === undefined,
      'platen-language-mismatch': mismatch !== '',
      'platen-printer-command': warning !== '',
    }),
    ...(isHeld ? { held: HELD_AT_WISH } : {}),
    ...twin,
    ...(reprintOf === undefined ? {} : { reprintOf }),
    ...(network === undefined ? {} : { sender: network }),
  }
}

type FirstReason =
  | 'document-format-error'
  | 'job-hold-until-specified'
  | 'platen-duplicate'
  | 'platen-language-mismatch'
  | 'platen-printer-command'

/** What is known before the first try; the first label of a stopped printer gets its sentence from the scheduler. */
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
