import { createHash } from 'node:crypto'
import { PlatenError } from '../../errors.ts'
import { clockText, dayText } from '../clock-time.ts'
import { formatToRender } from '../drawing/payload.ts'
import { hasEnded, type Job, type JobFormat, type PrintOptions } from '../job.ts'
import type { Sentence } from '../moves.ts'

/**
 * Tells one print from another: the label's bytes, its format and, where it is drawn, how. Two jobs of one printer with
 * the same hash put the same on paper.
 */
export function hashPrint(
  format: Exclude<JobFormat, 'unknown'>,
  label: Uint8Array,
  options: PrintOptions,
): string {
  const { labelWidth, labelHeight, dpi, startingPointX, startingPointY, pages, area } = options
  const isRaw = formatToRender(format) === undefined
  const { rotate, scaling, darkness } = options
  const wishes = [rotate, scaling, darkness].filter((wish) => wish !== undefined)
  const place = [labelWidth, labelHeight, dpi, startingPointX, startingPointY, ...wishes]
  const drawing = format === 'pdf' ? [...place, pages, area] : place
  const hash = createHash('sha256').update(JSON.stringify([format, isRaw ? [] : drawing]))
  return hash.update(label).digest('base64url')
}

/**
 * Why a label is held that was printed a moment ago, or still is to print. `title`: what it is called, '' = unknown.
 * `now`: milliseconds since the epoch.
 */
export function explainTwin(title: string, twin: Job, now: number): Sentence {
  // The same bytes under another name: whoever looks for the first one needs the name of that.
  const name = twin.title || title
  const [printed, taken] =
    name === ''
      ? ['Already', 'The same label was']
      : [`${JSON.stringify(name)} was already`, `${JSON.stringify(name)} was`]
  const message = hasEnded(twin)
    ? `${printed} printed at ${timeText(twin.endedAt, now)} on ${twin.printer}.`
    : `${taken} taken at ${timeText(twin.createdAt, now)} and still waits for ${twin.printer}.`
  const { hint, code } = new PlatenError('JOB_DUPLICATE', message)
  return { message, hint, code, detail: `the same as ${twin.id}` }
}

/** The time of day, with the date before it on another day. */
function timeText(at: number, now: number): string {
  const [day, time] = [dayText(new Date(at)), clockText(new Date(at))]
  return day === dayText(new Date(now)) ? time : `${day} ${time}`
}
