import { readFaults } from '../config/store.ts'
import { PlatenError } from '../errors.ts'

/** Where a refusal can only be temporary: seconds until it makes sense to try again (RFC 9110, 10.2.3). */
const RETRY_AFTER: Readonly<Record<number, string>> = { 408: '1', 429: '60', 503: '10', 507: '60' }

/** The value of Retry-After for a status, or undefined. */
export function retryAfterOf(status: number): string | undefined {
  return RETRY_AFTER[status]
}

/** The one shape of errors outside `/packlist` and `/v1`. */
export interface RefusalJson {
  readonly Status: 'Error'
  readonly Message: string
  readonly code: string
  readonly hint: string
  /** Of settings: all faults at once, by key. */
  readonly faults?: readonly unknown[]
}

/** The failure that a client sees: any other error is our own fault and stays in the log. */
export function toFailure(error: unknown): PlatenError {
  if (error instanceof PlatenError) return error
  return new PlatenError('INTERNAL', 'The print server made a mistake.', { cause: error })
}

/** A failure as JSON. */
export function refusalJson(failure: PlatenError): RefusalJson {
  const faults = readFaults(failure)
  return {
    Status: 'Error',
    Message: failure.message,
    code: failure.code,
    hint: failure.hint,
    ...(faults.length > 0 && { faults }),
  }
}
