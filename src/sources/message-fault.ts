import { type FailureCode, PlatenError } from '../errors.ts'

/** Refusals that are the box's own affair: the message is good and is tried again later. */
const BOX_FAULTS: ReadonlySet<FailureCode> = new Set([
  'PRINTER_NONE',
  'PRINTER_AMBIGUOUS',
  'SPOOL_FULL',
  'SPOOL_BROKEN',
  'SOURCE_UNREACHABLE',
  'SOURCE_REFUSED',
  'STATE_UNWRITABLE',
  'INTERNAL',
])

/**
 * True when the message itself cannot be printed here, now or later: it is set aside, and the next one comes. False when
 * the box cannot take it yet. A printer that nobody knows is the message's fault only when the message names it.
 */
export function isMessageFault(error: unknown, namedPrinter?: string): error is PlatenError {
  if (!(error instanceof PlatenError) || BOX_FAULTS.has(error.code)) return false
  return error.code !== 'PRINTER_UNKNOWN' || namedPrinter !== undefined
}
