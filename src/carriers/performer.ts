import type { Action, Answers, Remark } from './answers.ts'
import type { CredentialField, Kept, LabelFormats, Order } from './carrier.ts'

/** An action that spends money, or asks for it back. */
export type PaidAction = 'SubmitShipment' | 'VoidShipment'

/** What became of one action. */
export type Result<A extends Action> =
  | { readonly data: Answers[A]; readonly remarks?: readonly Remark[] }
  /** It was not done. */
  | { readonly errors: readonly Remark[] }
  /** Nobody can tell whether it was done. */
  | { readonly unknown: readonly Remark[] }

/** What an action may use while it runs. */
export interface Run {
  /** Milliseconds for all of it. */
  readonly timeoutMs: number
  /** Writes down, on disk, what is needed to ask later what became of a purchase. */
  readonly keep: (kept: Kept) => void
  /** The request that this shipment is known to be bought by. */
  readonly buyerOf: (shipmentId: string) => string | undefined
  /** What went to the carrier and came back, for `debug`; undefined = nobody wants it. */
  readonly trace: Trace | undefined
}

/** Collects calls for `meta.debug_information`, with everything secret already taken out. */
export interface Trace {
  note(entry: object): void
}

/** Does the actions of one carrier: by HTTP (engine.ts), or however a program does those of a carrier of its own. */
export interface Performer {
  /** What an account of it holds; empty = it needs none. */
  readonly credentials: readonly CredentialField[]
  readonly labels: LabelFormats
  /** As `Carrier.takes`. */
  readonly takes: ReadonlySet<string>
  supports(action: Action): boolean
  /** Why it does not, where people will ask: a whole sentence. */
  whyNot?(action: Action): string | undefined
  perform<A extends Action>(action: A, order: Order, run: Run): Promise<Result<A>>
  /** What became of a purchase or a refund whose answer never came. `not done`: it may be asked for again. */
  recover<A extends PaidAction>(
    action: A,
    order: Order,
    kept: Kept,
    run: Run,
  ): Promise<Result<A> | 'not done'>
}
