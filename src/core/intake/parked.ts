import { isPicture, type LabelScan, nameLabel, scanLabel, unpackLabel } from '#labels'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { splitPicture } from '../drawing/picture-pages.ts'
import type { JobState } from '../job.ts'
import { callLabels, explainLabelFault } from '../label-faults.ts'
import { explainParked } from '../reasons/held-label.ts'
import type { NewJob } from '../spool/types.ts'
import { Bulk } from './bulk.ts'
import type { LabelFindings } from './checks.ts'
import { type CommandPolicy, checkCommands, type LabelRequest } from './requests.ts'

/** Held jobs, of all kinds, above which unreadable messages are no longer kept. */
export const HELD_MOST = 200

/**
 * Refuses more unreadable messages: a sender that sends junk all day must not fill the spool.
 * @throws PlatenError SPOOL_FULL
 */
export function checkHeldRoom(counts: Readonly<Record<JobState, number>>): void {
  const held = counts['pending-held']
  if (held < HELD_MOST) return
  throw new PlatenError('SPOOL_FULL', say('heldFull', { held }))
}

/**
 * Makes jobs for labels that found no printer, held from the beginning. `way`: the way that they came.
 * @throws PlatenError LABEL_EMPTY, LABEL_UNKNOWN, LABEL_REFUSED, LABEL_COMMAND, BODY_TOO_LARGE; of a picture of several pages PICTURE_*,
 * FIELD_INVALID
 */
export function makeParked(
  request: LabelRequest,
  error: PlatenError,
  way: string,
  { looks, scans, refused }: Omit<LabelFindings, 'pages'>,
): readonly NewJob[] {
  if (refused !== undefined) throw explainLabelFault(refused.fault)
  const { labels, titles, options, copies = 1, source, commands = 'warn' } = request
  const bulk = new Bulk()
  return labels.flatMap((sent, index) => {
    const { label, format } = looks[index] ?? callLabels(() => unpackLabel(sent))
    const job: Omit<NewJob, 'label'> = {
      ...(request.network === undefined ? {} : { sender: request.network }),
      source,
      printer: options.printer ?? '',
      format,
      options,
      title: titles?.[index] || nameLabel(label, format),
      ...lookAtCommands(scans[index] ?? scanLabel(label, format), commands),
      held: explainParked(way, options.printer, error),
    }
    // Nobody looks for pages once a person has chosen the printer: only the first would print.
    if (!isPicture(format)) bulk.add(label)
    const pages = isPicture(format) ? splitPicture(label, format, options.pages, bulk) : [{ label }]
    return pages.flatMap((own) => {
      const page = { ...job, ...own, options: { ...options, ...own.options } }
      return Array.from({ length: copies }, () => page)
    })
  })
}

/**
 * Checks the commands of a label now: when a person prints it later, nothing checks it again.
 * @throws PlatenError LABEL_COMMAND under `refuse`
 */
function lookAtCommands({ commands }: LabelScan, policy: CommandPolicy) {
  const { warning, detail: note } = checkCommands(commands, policy)
  const more = warning.length === 0 ? [] : (['platen-printer-command'] as const)
  return { reasons: ['resources-are-not-ready', ...more] as const, warning, note }
}
