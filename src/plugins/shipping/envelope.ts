import type { Action, Answers, CarrierRemark } from '#carriers'

/** The answer to every call. Carrier faults are in `data.errors`, our own in `meta.error_message`. */
export interface Envelope {
  readonly meta: {
    /** Equal to the HTTP status of a single call; 200 only means that the carrier was asked. */
    readonly code: number
    readonly error_message: string
    /** Sentences about names of `params` that were not used; absent when there are none. */
    readonly notes?: readonly string[]
    /** Present only on request. */
    readonly debug_information?: unknown
  }
  readonly data: (Answers[Action] & { readonly errors: readonly CarrierRemark[] | null }) | null
  /** The client's id, or ours for a call that spends money; absent otherwise. */
  readonly request_id?: string
}

/** A call that never reached a carrier: its sentence is `meta.error_message`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  /** The HTTP status and `meta.code`. */
  readonly code: ServiceCode

  constructor(code: ServiceCode, message: string, more: { readonly cause?: unknown } = {}) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
  }
}

type ServiceCode = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 429 | 500 | 503

/** Makes the envelope of a call that never reached a carrier. */
export function serviceFault(code: number, message: string, requestId?: string): Envelope {
  return {
    meta: { code, error_message: message },
    data: null,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  }
}

/** The common beginning of the names of keys that live as long as a call of `platen ship`. */
export const PASSING = 'platen ship '
