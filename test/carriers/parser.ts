import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Action, BLANKS } from '../../src/carriers/answers.ts'
import type {
  Account,
  Carrier,
  CarrierFacts,
  CarrierOrder,
  CarrierOutcome,
  HttpReply,
} from '../../src/carriers/carrier.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { ADDRESSES } from '../plugins/shipping/http/calls.ts'
import { makeRandom } from '../random.ts'
import { Faults, mutate } from './mutate.ts'

type Params = Readonly<Record<string, unknown>>

/** A carrier's two halves with answers that were saved or written for the test. */
export class Parser {
  readonly #carrier: Carrier
  readonly #account: Account
  readonly #params: Params

  constructor(carrier: Carrier, account: Account, params: Params) {
    this.#carrier = carrier
    this.#account = account
    this.#params = params
  }

  order(more: Params = {}, label: Partial<CarrierOrder['label']> = {}): CarrierOrder {
    const read = readShipment({ ...ADDRESSES, ...this.#params, ...more })
    if ('errors' in read) throw new Error(read.errors[0]?.description)
    return {
      shipment: read.shipment,
      account: this.#account,
      isTest: true,
      now: 0,
      requestId: 'order-1001',
      label: { format: 'ZPL', dpi: 203, isPrinted: false, ...label },
    }
  }

  parse<A extends Action>(
    action: A,
    reply: HttpReply,
    kept: CarrierFacts = {},
    order = this.order(),
  ): CarrierOutcome<A> {
    const plan = this.#carrier.actions[action]
    if (plan === undefined) throw new Error(`${this.#carrier.name} has no ${action}`)
    return plan.parse(reply, order, kept) as CarrierOutcome<A>
  }

  /** The fields of the errors that a request is refused with before it is sent; empty = it is sent. */
  refusedFields(
    action: Action,
    more: Params,
    label: Partial<CarrierOrder['label']> = {},
  ): readonly string[] {
    const next = this.#carrier.actions[action]?.request(this.order(more, label))
    return next && 'errors' in next ? next.errors.map(({ field }) => field) : []
  }

  /**
   * 1,000 answers with something wrong in them: no throw, and no failure without a reason. `digest`: of what they mean to us,
   * so that no change of it goes unseen; when one is meant, the test says the new one.
   */
  mutate(
    t: Test,
    digest: string,
    replies: readonly HttpReply[],
    kept: readonly CarrierFacts[] = [{}],
  ): void {
    const random = makeRandom(20_261_124)
    const hash = createHash('sha256')
    const actions = Object.keys(BLANKS).filter((one) => one in this.#carrier.actions) as Action[]
    const faults = new Faults()
    for (let count = 0; count < 1_000; count += 1) {
      const reply = replies[count % replies.length]
      if (reply === undefined) throw new Error('no replies')
      const text = mutate(reply.text, random)
      const status = random() < 0.2 ? Math.floor(100 + random() * 500) : reply.status
      for (const action of actions)
        hash.update(this.#check(faults, action, { ...reply, status, text }, kept))
      hash.update(JSON.stringify(this.#carrier.token?.parse({ ...reply, status, text }) ?? null))
    }
    faults.assertNone(t)
    t.equal(hash.digest('hex').slice(0, 16), digest, 'they mean what they meant')
  }

  /** Compares the meaning of each of these answers, whatever it answers, as a digest like that of `mutate`. */
  keep(t: Test, digest: string, texts: readonly string[], kept: CarrierFacts = {}): void {
    const hash = createHash('sha256')
    const actions = Object.keys(BLANKS).filter((one) => one in this.#carrier.actions) as Action[]
    for (const text of texts) {
      for (const action of actions) {
        const outcome = this.parse(action, { status: 200, headers: {}, text }, kept)
        hash.update(JSON.stringify(outcome))
      }
    }
    t.equal(hash.digest('hex').slice(0, 16), digest, 'they mean what they meant')
  }

  /** Returns the meaning of answers as text. */
  #check(faults: Faults, action: Action, reply: HttpReply, kept: readonly CarrierFacts[]): string {
    const found = kept.map((one) => {
      const outcome = this.parse(action, reply, one) as CarrierOutcome<Action>
      faults.note(outcome, `${action} ${reply.status} ${reply.text}`)
      return [outcome, this.#carrier.actions[action]?.parseRecovery?.(reply, this.order(), one)]
    })
    return JSON.stringify(found)
  }
}

/** A recorded answer, `usps/rate`. */
export function saved(name: string): HttpReply {
  const file = join(import.meta.dirname, 'answers', `${name}.json`)
  const { response } = JSON.parse(readFileSync(file, 'utf8'))
  const isText = typeof response.body === 'string' && !name.endsWith('401')
  const text = isText ? response.body : JSON.stringify(response.body)
  return { status: response.status, headers: response.headers ?? {}, text }
}

/** All recorded answers of a carrier. */
export function allSaved(carrier: string): readonly HttpReply[] {
  const folder = join(import.meta.dirname, 'answers', carrier)
  return readdirSync(folder)
    .toSorted()
    .map((file) => saved(`${carrier}/${file.replace('.json', '')}`))
}

/** An answer that was written for a test. */
export function answer(body: unknown, status = 200): HttpReply {
  return { status, headers: {}, text: JSON.stringify(body) }
}
