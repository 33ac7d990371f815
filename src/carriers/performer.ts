import type { Action, Answers, CarrierRemark } from './answers.ts'
import type { CarrierFacts, CarrierOrder, CredentialField, LabelFormats } from './carrier.ts'

/** An action that spends money, or asks for it back. */
export type PaidAction = 'SubmitShipment' | 'VoidShipment'

/** Result of one action. */
export type ActionResult<A extends Action> =
  | { readonly data: Answers[A]; readonly remarks?: readonly CarrierRemark[] }
  /** It was not done. */
  | { readonly errors: readonly CarrierRemark[] }
  /** Nobody can tell whether it was done. */
  | { readonly unknown: readonly CarrierRemark[] }

/** Dependencies of an action while it runs. */
export interface ActionRun {
  /** Milliseconds for all of it. */
  readonly timeoutMs: number
  /** Writes down, on disk, what is needed to ask later what became of a purchase. */
  readonly keep: (kept: CarrierFacts) => void
  /** The carrier has just said to this call that it bought the shipment; its label may still have to be fetched. */
  readonly claim?: (shipmentId: string) => void
  /** The request that this shipment is known to be bought by, or that asked for it first and has not ended. */
  readonly buyerOf: (shipmentId: string) => string | undefined
  /** Trace of what went to the carrier and came back, for `debug`; undefined = nobody wants it. */
  readonly trace: CallTrace | undefined
}

/** Collects calls for `meta.debug_information`, with everything secret already taken out. */
export interface CallTrace {
  note(entry: object): void
}

/** Does the actions of one carrier: by HTTP (engine.ts), or however a program does those of a carrier of its own. */
export interface Performer {
  /** Credentials of its accounts; empty = it needs none. */
  readonly credentials: readonly CredentialField[]
  readonly labels: LabelFormats
  /** The fields of `Carrier.takes`. */
  readonly takes: ReadonlySet<string>
  supports(action: Action): boolean
  /** The reason why it does not support an action that people will ask for: a whole sentence. */
  whyNot?(action: Action): string | undefined
  perform<A extends Action>(
    action: A,
    order: CarrierOrder,
    run: ActionRun,
  ): Promise<ActionResult<A>>
  /** Finds out what became of a purchase or a refund whose answer never came. `not done`: it may be asked for again. */
  recover<A extends PaidAction>(
    action: A,
    order: CarrierOrder,
    kept: CarrierFacts,
    run: ActionRun,
  ): Promise<ActionResult<A> | 'not done'>
}
