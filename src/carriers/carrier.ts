import type { Action, Answers, CarrierRemark } from './answers.ts'
import type { Shipment } from './shipment.ts'

/**
 * A company that takes parcels, or sells the labels of many. A carrier's file never touches sockets, time, the environment or files: it
 * makes requests and reads replies, so both can be tested without a network. To add one, write a folder with a `Carrier`, its test, and a
 * line in `list.ts`.
 */
export interface Carrier {
  /** The name in `list.ts`. */
  readonly name: string
  /** Credentials of its accounts: shown on the page, redacted in debug output. */
  readonly credentials: readonly CredentialField[]
  /** Origins, `https://host`; undefined = the account says it (karrio). Nothing is ever sent anywhere else. */
  readonly hosts: { readonly live: string; readonly test: string } | undefined
  /** Hosts that label URLs of this carrier may name; a leading dot stands for every name below it. */
  readonly labelHosts?: readonly string[]
  readonly labels: LabelFormats
  /** Names of the fields with `otherwise` (fields.ts) that it sends, or prints on its label. */
  readonly takes: ReadonlySet<string>
  /** Call for a bearer token; left out where each call carries the credentials themselves. */
  readonly token?: TokenCall
  /** Refuses an account before anything is sent: a credential missing, a live key in a test. */
  readonly refuse?: (order: CarrierOrder) => CarrierRemark | undefined
  /** True when the reply says that the token is no longer good: the core gets a new one and asks once more. */
  readonly isTokenRefused?: (reply: HttpReply) => boolean
  /** Refuses an action that this token's account has no right to, before it is sent. */
  readonly refuseToken?: (token: AccessToken, action: Action) => CarrierRemark | undefined
  /** The reason why an action that people will look for is missing: a whole sentence. */
  readonly unsupported?: { readonly [A in Action]?: string }
  readonly actions: { readonly [A in Action]?: ActionPlan<A> }
}

export interface CredentialField {
  /** The name in `params` and in the account's file, e.g. `client_secret`. */
  readonly name: string
  readonly title: string
  readonly isSecret: boolean
  readonly isRequired: boolean
  /** Other names of it, as the carrier or the original API calls it. */
  readonly aliases?: readonly string[]
  /** Read from an account of the box alone: a request must not choose it. */
  readonly isOfBox?: true
  /** It says how the account works, and is nothing to hide. */
  readonly isSetting?: true
}

/** `paperless` of an account: its invoices go to customs electronically. */
export const PAPERLESS: CredentialField = {
  name: 'paperless',
  title: 'Paperless trade (yes or no)',
  isSecret: false,
  isRequired: false,
  isSetting: true,
}

/** Tells whether the account has it; anything but a yes is a no. */
export function isPaperless({ paperless = '' }: Account): boolean {
  return /^(?:yes|true|1|on)$/i.test(paperless.trim())
}

/** An account of one's own with the carrier, by OAuth's client credentials; what the carrier calls them. */
export function clientCredentials(id: string, secret: string, number: string): CredentialField[] {
  return [
    { name: 'client_id', title: id, isSecret: true, isRequired: true },
    { name: 'client_secret', title: secret, isSecret: true, isRequired: true },
    { name: 'account_number', title: number, isSecret: true, isRequired: false },
  ]
}

/** The two halves of an action, each pure. What one call cannot do goes on by `Outcome.next`. */
export interface ActionPlan<A extends Action> {
  /** The first call, or what is wrong with the order. */
  request(order: CarrierOrder): NextCall
  /** Parses a reply. `kept` is what the step before wrote down. */
  parse(reply: HttpReply, order: CarrierOrder, kept: CarrierFacts): CarrierOutcome<A>
  /**
   * After a time-out of a call that `spends`: how to find out whether it was done; its replies go to `parseRecovery`.
   * `not done` from `recover`: what was written down so far shows that nothing can have been bought. Undefined: the carrier
   * cannot be asked, e.g. since its account lacks a number now.
   */
  recover?(order: CarrierOrder, kept: CarrierFacts): HttpCall | 'not done' | undefined
  /** `unknown` = the carrier cannot say either. */
  parseRecovery?(
    reply: HttpReply,
    order: CarrierOrder,
    kept: CarrierFacts,
  ): CarrierOutcome<A> | 'unknown' | 'not done'
  /** Tells where a person looks for it when the carrier cannot be asked: a whole sentence. */
  lookUp?(order: CarrierOrder): string
}

/** Short facts from step to step, e.g. the id of a rate; in the journal before the next call leaves. */
export type CarrierFacts = Readonly<Record<string, string>>

/** The next call, or why there is none. */
export type NextCall =
  | { readonly call: HttpCall; readonly kept?: CarrierFacts }
  | { readonly errors: readonly CarrierRemark[] }

export type CarrierOutcome<A extends Action> =
  /** Done; `remarks` are notes and warnings beside it. */
  | {
      readonly data: Answers[A]
      readonly remarks?: readonly CarrierRemark[]
      readonly fetch?: readonly LabelUrl[]
      /** Papers that have to be fetched: their bytes go into `documents[index].content`. */
      readonly fetchPapers?: readonly LabelUrl[]
    }
  | { readonly errors: readonly CarrierRemark[] }
  /** A further call; its reply comes to `parse` with `kept`. */
  | { readonly next: HttpCall; readonly kept: CarrierFacts }
  /** The reply itself leaves it open whether money was spent, e.g. a gateway's 504. */
  | { readonly unknown: readonly CarrierRemark[] }

/** A label that has to be fetched: the core puts its bytes into `packages[index].label`; or a paper. */
export interface LabelUrl {
  readonly index: number
  readonly url: string
}

/** A request to the carrier. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the host, with the query: `/api/rating/v2409/Shop`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON or a form, already text; left out = no body. */
  readonly body?: string
  /** It buys or refunds: never sent twice, in the journal first, and `UNKNOWN` after a time-out. */
  readonly spends?: true
}

/** A request with what the account and the carrier want of each. */
export type CallWith = (
  order: CarrierOrder,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
) => HttpCall

/** A reply with whatever status, at most 8 MiB. */
export interface HttpReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface TokenCall {
  request(account: Account): HttpCall
  parse(reply: HttpReply): AccessToken | { readonly errors: readonly CarrierRemark[] }
}

export interface AccessToken {
  readonly accessToken: string
  readonly tokenType: string
  /** Seconds. */
  readonly expiresIn: number
  readonly scope: string
  /** The products that the account may use, as the carrier names them. */
  readonly products?: string
}

/** Credentials by their names in `params`: `key`, `client_id`, `account_number` …; blank ones are left out. */
export type Account = Readonly<Record<string, string>>

/** All that a carrier's file is given. */
export interface CarrierOrder {
  readonly shipment: Shipment
  readonly account: Account
  readonly isTest: boolean
  /** The label to ask for. */
  readonly label: LabelWish
  /** Ours or the client's: goes to the carrier where it has a place for it. */
  readonly requestId: string
  /** Unix time, ms. */
  readonly now: number
}

/**
 * The labels that a carrier makes, each with the resolutions it is made for; what is left out it does not make. Of pictures the one
 * that comes first is asked for where none is named.
 */
export type LabelFormats = Readonly<
  Partial<Record<LabelWish['format'], readonly LabelWish['dpi'][]>>
>

/** For `LabelFormats`: made for either, or a picture, which is drawn for the head. */
export const EITHER_DPI: readonly LabelWish['dpi'][] = [203, 300]

export interface LabelWish {
  readonly format: 'ZPL' | 'EPL' | 'PNG' | 'GIF' | 'PDF'
  readonly dpi: 203 | 300
  /** The label goes to a printer of this box. */
  readonly isPrinted: boolean
}
