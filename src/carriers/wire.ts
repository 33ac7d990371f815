import { createHash } from 'node:crypto'
import type { Action, CarrierRemark } from './answers.ts'
import type { AccessToken, Account, Carrier, CarrierOrder, HttpCall, HttpReply } from './carrier.ts'
import { CarrierFault } from './fault.ts'
import type { PaperBounds } from './fetch-labels.ts'
import type { ActionRun } from './performer.ts'
import type { Redaction } from './redact.ts'
import type { CarrierSender } from './sender.ts'

/** Dependencies of an engine. */
export interface EngineParts {
  readonly sender: CarrierSender
  readonly tokens: Tokens
  readonly bounds: PaperBounds
  /** Origins in the place of the carriers' own, by theirs: for tests alone. */
  readonly origins: Readonly<Record<string, string>>
}

/** State of one action under way. */
export interface ActionWork {
  readonly action: Action
  readonly order: CarrierOrder
  readonly run: ActionRun
  readonly endsAt: number
  readonly redaction: Redaction
}

/** Sends the calls of one carrier, with its token, and notes them for `debug`. */
export class CarrierWire {
  readonly #carrier: Carrier
  readonly #parts: EngineParts

  constructor(carrier: Carrier, parts: EngineParts) {
    this.#carrier = carrier
    this.#parts = parts
  }

  /** Sends a call with its token; a token that is refused is got again, once. */
  async send(
    call: HttpCall,
    work: ActionWork,
  ): Promise<HttpReply | CarrierFault | { readonly errors: readonly CarrierRemark[] }> {
    for (const isAgain of [false, true]) {
      const signed = await this.#sign(call, work, isAgain)
      if ('errors' in signed) return signed
      const reply = await this.#exchange(signed, work)
      if (reply instanceof CarrierFault || isAgain) return reply
      if (this.#carrier.isTokenRefused?.(reply) !== true || !this.#ownsToken(work.order))
        return reply
    }
    throw new Error('unreachable')
  }

  /** False where the client sent a token of its own, which nobody here can renew. */
  #ownsToken({ account }: CarrierOrder): boolean {
    return this.#carrier.token !== undefined && account['key'] === undefined
  }

  async #sign(
    call: HttpCall,
    work: ActionWork,
    isAgain: boolean,
  ): Promise<HttpCall | { readonly errors: readonly CarrierRemark[] }> {
    if (this.#carrier.token === undefined) return call
    const token = await this.token(work, isAgain)
    if ('errors' in token) return token
    const refusal = this.#carrier.refuseToken?.(token, work.action)
    if (refusal !== undefined) return { errors: [refusal] }
    return { ...call, headers: { ...call.headers, Authorization: `Bearer ${token.accessToken}` } }
  }

  async token(
    work: ActionWork,
    isAgain: boolean,
  ): Promise<AccessToken | { readonly errors: readonly CarrierRemark[] }> {
    const { account, isTest } = work.order
    const { key } = account
    if (key !== undefined) {
      return { accessToken: key, tokenType: 'Bearer', expiresIn: 0, scope: '' }
    }
    return await this.#parts.tokens.get(
      { carrier: this.#carrier.name, isTest, account, isAgain },
      () => this.#askToken(account, work),
    )
  }

  async #askToken(
    account: Account,
    work: ActionWork,
  ): Promise<AccessToken | { readonly errors: readonly CarrierRemark[] }> {
    const { token } = this.#carrier
    if (token === undefined) throw new Error('this carrier has no tokens')
    const reply = await this.#exchange(token.request(account), work)
    if (reply instanceof CarrierFault) return { errors: [reply.remark] }
    return token.parse(reply)
  }

  async #exchange(
    call: HttpCall,
    { order, run, endsAt, redaction }: ActionWork,
  ): Promise<HttpReply | CarrierFault> {
    const origin = this.#originOf(order)
    const began = performance.now()
    const left = Math.max(1, Math.round(endsAt - began))
    const note = (ending: { readonly reply?: HttpReply; readonly fault?: string }): void => {
      const ms = Math.round(performance.now() - began)
      const url = `${origin}${call.path}`
      run.trace?.note(redaction.exchange(this.#carrier.name, url, call, { ...ending, ms }))
    }
    try {
      const { status, headers, bytes } = await this.#parts.sender.send(origin, call, left)
      const reply = { status, headers, text: bytes.toString('utf8') }
      note({ reply })
      return reply
    } catch (error) {
      const fault = error instanceof CarrierFault ? error : lostFor(error)
      note({ fault: fault.message })
      return fault
    }
  }

  #originOf({ isTest, account }: CarrierOrder): string {
    const { hosts } = this.#carrier
    const own = hosts === undefined ? account['url'] : isTest ? hosts.test : hosts.live
    if (own === undefined) throw new Error(`${this.#carrier.name} has no address`)
    return this.#parts.origins[own] ?? own
  }
}

/** Makes the fault for what a sender did not foresee: it may have happened at any moment; its words may hold some of the call. */
function lostFor(cause: unknown): CarrierFault {
  const message = 'The connection to the carrier failed.'
  return new CarrierFault('CARRIER_FAULT', message, { isSent: true, cause })
}

const RENEW_EARLY_MS = 60_000
const KEPT_MOST = 100

type TokenReply = AccessToken | { readonly errors: readonly CarrierRemark[] }

/** Owner of a token. */
interface TokenOwner {
  readonly carrier: string
  readonly isTest: boolean
  readonly account: Account
  /** The last one was refused. */
  readonly isAgain: boolean
}

/** The carriers' access tokens, in memory only; got when they are needed, renewed a minute early. */
export class Tokens {
  readonly #kept = new Map<string, { readonly got: Promise<TokenReply>; endsAt: number }>()

  /** The token; several who want it at once wait for one call. A refusal is not kept. */
  async get(owner: TokenOwner, ask: () => Promise<TokenReply>): Promise<TokenReply> {
    const name = nameOf(owner)
    const known = this.#kept.get(name)
    if (known !== undefined && known.endsAt > performance.now() && !owner.isAgain)
      return await known.got
    // Until it is known how long it lasts, all wait for this one.
    const entry = { got: ask(), endsAt: Number.POSITIVE_INFINITY }
    this.#kept.delete(name)
    this.#kept.set(name, entry)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MOST) break
      this.#kept.delete(oldest)
    }
    const isEnded = (): void => {
      if (this.#kept.get(name) === entry) this.#kept.delete(name)
    }
    try {
      const got = await entry.got
      if ('errors' in got) isEnded()
      else entry.endsAt = performance.now() + got.expiresIn * 1_000 - RENEW_EARLY_MS
      return got
    } catch (error) {
      isEnded()
      throw error
    }
  }
}

/** A digest, so that no credential is a key of a map that somebody logs. */
function nameOf({ carrier, isTest, account }: TokenOwner): string {
  const { client_id: id = '', client_secret: secret = '', child_key: child = '' } = account
  return createHash('sha256')
    .update(JSON.stringify([carrier, isTest, id, secret, child]))
    .digest('hex')
}
