import { createHash } from 'node:crypto'
import { PlatenError } from '../errors.ts'
import { hasEnded, type Job, type JobFormat, type PrintOptions } from './job.ts'
import type { Sentence } from './moves.ts'
import { formatToRender } from './payload.ts'

/**
 * Tells one print from another: the label's bytes, its format and, where it is drawn, how. Two jobs of one printer with
 * the same hash put the same on paper.
 */
export function hashPrint(
  format: Exclude<JobFormat, 'unknown'>,
  label: Uint8Array,
  options: PrintOptions,
): string {
  const { labelWidth, labelHeight, dpi, startingPointX, startingPointY } = options
  const isRaw = formatToRender(format) === undefined
  const drawing = [labelWidth, labelHeight, dpi, startingPointX, startingPointY]
  const hash = createHash('sha256').update(JSON.stringify([format, isRaw ? [] : drawing]))
  return hash.update(label).digest('base64url')
}

/** Why a label is held that was printed a moment ago, or still is to print. `now`: milliseconds since the epoch. */
export function explainTwin(twin: Job, now: number): Sentence {
  const message = hasEnded(twin)
    ? `Already printed at ${clockText(twin.endedAt, now)} on ${twin.printer} (job ${twin.id}).`
    : `The same label was taken at ${clockText(twin.createdAt, now)} and still waits for ${twin.printer} (job ${twin.id}).`
  const { hint, code } = new PlatenError('JOB_DUPLICATE', message)
  return { message, hint, code }
}

/** `14:02` in the time zone of the box, with the date before it on another day. */
function clockText(at: number, now: number): string {
  const pad = (n: number): string => String(n).padStart(2, '0')
  const when = new Date(at)
  const time = `${pad(when.getHours())}:${pad(when.getMinutes())}`
  if (when.toDateString() === new Date(now).toDateString()) return time
  return `${when.getFullYear()}-${pad(when.getMonth() + 1)}-${pad(when.getDate())} ${time}`
}
