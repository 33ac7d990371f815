import { type CarrierCode, type CarrierRemark, failure } from './answers.ts'

/**
 * The reason why an action or a call cannot be done: the only error that the library throws on purpose, and the one that a `Sender` throws.
 * Users of the library get it as a `Remark`, except from `Sender` itself.
 */
export class CarrierFault extends Error {
  override readonly name = 'CarrierFault'
  readonly code: CarrierCode
  /** Path of the field of `params` that it is about; blank when it is about none. */
  readonly field: string
  /** The carrier may have got the call. */
  readonly isSent: boolean

  constructor(
    code: CarrierCode,
    message: string,
    more: { readonly field?: string; readonly isSent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
    this.field = more.field ?? ''
    this.isSent = more.isSent ?? false
  }

  get remark(): CarrierRemark {
    return failure(this.code, this.message, { field: this.field })
  }
}
