import { type Action, CARRIER_CODES, type CarrierRemark, failure } from './answers.ts'
import type {
  ActionPlan,
  Carrier,
  CarrierFacts,
  CarrierOrder,
  CarrierOutcome,
  HttpCall,
} from './carrier.ts'
import { CarrierFault } from './fault.ts'
import { type CarrierSuccess, fetchLabels } from './fetch-labels.ts'
import type { ActionResult, ActionRun, PaidAction, Performer } from './performer.ts'
import { Redaction } from './redact.ts'
import { type ActionWork, CarrierWire, type EngineParts } from './wire.ts'

/** Calls of one action, such as a refund of each label: a carrier that goes on forever is cut off. Decision `no-retry`. */
const STEPS_MOST = 60

/** Outcome that no further call follows. */
type FinalOutcome<A extends Action> = Exclude<CarrierOutcome<A>, { readonly next: HttpCall }>

/** Outcome of a question about a purchase. */
type InquiryOutcome<A extends Action> = CarrierOutcome<A> | 'unknown' | 'not done'

/** Does the actions of a carrier that is reached by HTTP: sends what its file asks for, and gives it the replies. */
export class Engine implements Performer {
  readonly #carrier: Carrier
  readonly #parts: EngineParts
  readonly #wire: CarrierWire

  constructor(carrier: Carrier, parts: EngineParts) {
    this.#carrier = carrier
    this.#parts = parts
    this.#wire = new CarrierWire(carrier, parts)
  }

  get credentials(): Carrier['credentials'] {
    return this.#carrier.credentials
  }

  get labels(): Carrier['labels'] {
    return this.#carrier.labels
  }

  get takes(): Carrier['takes'] {
    return this.#carrier.takes
  }

  supports(action: Action): boolean {
    return action === 'Authenticate'
      ? this.#carrier.token !== undefined
      : this.#carrier.actions[action] !== undefined
  }

  whyNot(action: Action): string | undefined {
    return this.#carrier.unsupported?.[action]
  }

  async perform<A extends Action>(
    action: A,
    order: CarrierOrder,
    run: ActionRun,
  ): Promise<ActionResult<A>> {
    const work = this.#begin(action, order, run)
    const result = await this.#perform(action, work)
    return clean(result, work.redaction, this.#adviceOn(action))
  }

  async recover<A extends PaidAction>(
    action: A,
    order: CarrierOrder,
    kept: CarrierFacts,
    run: ActionRun,
  ): Promise<ActionResult<A> | 'not done'> {
    const work = this.#begin(action, order, run)
    const plan = this.#planOf(action)
    if (action === 'VoidShipment' && plan.recover === undefined) {
      return clean(judgeAgain(await this.#perform(action, work)), work.redaction, AGAIN)
    }
    const found = await this.#askAfter(plan, kept, work)
    return found === 'not done' ? found : clean(found, work.redaction, this.#adviceOn(action))
  }

  /** Advises a person on a call that may have been done: a carrier that cannot be asked never says more. */
  #adviceOn(action: Action): string {
    if (action !== 'SubmitShipment') return AGAIN
    return this.#planOf(action).recover === undefined ? BY_HAND : AGAIN
  }

  #planOf<A extends Action>(action: A): ActionPlan<A> {
    const plan = this.#carrier.actions[action] as ActionPlan<A> | undefined
    if (plan === undefined) throw new Error(`${this.#carrier.name} has no ${action}`)
    return plan
  }

  #begin(action: Action, order: CarrierOrder, run: ActionRun): ActionWork {
    const { account } = order
    const pair = `${account['client_id'] ?? ''}:${account['client_secret'] ?? ''}`
    const basic = Buffer.from(pair).toString('base64')
    const { credentials } = this.#carrier
    const isSetting = (name: string) =>
      credentials.some((one) => one.name === name && one.isSetting)
    const values = Object.entries(account).flatMap(([name, value]) =>
      isSetting(name) ? [] : [value],
    )
    const secrets = [...values, ...(pair === ':' ? [] : [pair, basic])]
    const endsAt = performance.now() + run.timeoutMs
    return { action, order, run, endsAt, redaction: new Redaction(secrets) }
  }

  async #perform<A extends Action>(action: A, work: ActionWork): Promise<ActionResult<A>> {
    const refusal = this.#refuse(work.order)
    if (refusal.length > 0) return { errors: refusal }
    if (action === 'Authenticate') return (await this.#authenticate(work)) as ActionResult<A>
    const plan = this.#planOf(action)
    const next = plan.request(work.order)
    if ('errors' in next) return next
    if (next.kept !== undefined) work.run.keep(next.kept)
    return await this.#follow(plan, next.call, next.kept ?? {}, work)
  }

  #refuse(order: CarrierOrder): readonly CarrierRemark[] {
    const { account } = order
    const own = this.#carrier.refuse?.(order)
    if (own !== undefined) return [own]
    // A token of the client's own stands for the rest.
    if (account['key'] !== undefined && this.#carrier.token !== undefined) return []
    return this.#carrier.credentials
      .filter(({ name, isRequired }) => isRequired && account[name] === undefined)
      .map(({ name, title }) =>
        failure('AUTHENTICATION', `${name} (${title}) is missing.`, { field: name }),
      )
  }

  async #authenticate(work: ActionWork): Promise<ActionResult<'Authenticate'>> {
    const token = await this.#wire.token(work, false)
    if ('errors' in token) return token
    const issuedAt = work.order.now
    return {
      data: {
        access_token: token.accessToken,
        token_type: token.tokenType,
        scope: token.scope,
        expires_in: token.expiresIn,
        issued_at: issuedAt,
        expires_at: issuedAt + token.expiresIn * 1_000,
      },
    }
  }

  async #follow<A extends Action>(
    plan: ActionPlan<A>,
    first: HttpCall,
    begun: CarrierFacts,
    work: ActionWork,
  ): Promise<ActionResult<A>> {
    let call = first
    let kept = begun
    let hasSpent = false
    for (let step = 0; step < STEPS_MOST; step += 1) {
      const reply = await this.#wire.send(call, work)
      if (reply instanceof CarrierFault) {
        const isOpen = hasSpent || (call.spends === true && reply.isSent)
        return await this.#lose(plan, isOpen, kept, reply, work)
      }
      const outcome = 'errors' in reply ? reply : plan.parse(reply, work.order, kept)
      if (!('next' in outcome))
        return await this.#end(plan, hasSpent ? doubt(outcome) : outcome, kept, work)
      hasSpent ||= call.spends === true
      keepNew(outcome.kept, kept, work)
      ;({ next: call, kept } = outcome)
    }
    return { errors: [failure('CARRIER_FAULT', 'The carrier asked for too many calls.')] }
  }

  async #end<A extends Action>(
    plan: ActionPlan<A>,
    outcome: FinalOutcome<A>,
    kept: CarrierFacts,
    work: ActionWork,
  ): Promise<ActionResult<A>> {
    if ('errors' in outcome) return outcome
    if ('unknown' in outcome) {
      const found = await this.#askAfter(plan, kept, work)
      // What the carrier itself left open may still be done: only what it says counts.
      return found === 'not done' || 'unknown' in found ? sayWhere(plan, outcome, work) : found
    }
    if ('packages' in outcome.data) work.run.claim?.(outcome.data.shipment_id)
    return await this.#fetch(outcome, work)
  }

  /** A call without a reply: where it may have spent the outcome is unknown, unless the carrier can be asked. */
  async #lose<A extends Action>(
    plan: ActionPlan<A>,
    isOpen: boolean,
    kept: CarrierFacts,
    lost: CarrierFault,
    work: ActionWork,
  ): Promise<ActionResult<A>> {
    const { remark } = lost
    if (!isOpen) return { errors: [remark] }
    const found = await this.#askAfter(plan, kept, work)
    if (found !== 'not done' && !('unknown' in found)) return found
    if (found === 'not done') return { errors: [remark] }
    const where = plan.lookUp?.(work.order)
    if (where === undefined) return { unknown: [remark] }
    return { unknown: [{ ...remark, description: `${remark.description} ${where}` }] }
  }

  /** Asks the carrier what became of a purchase. */
  async #askAfter<A extends Action>(
    plan: ActionPlan<A>,
    kept: CarrierFacts,
    work: ActionWork,
  ): Promise<ActionResult<A> | 'not done'> {
    const words = `The carrier did not answer in time. ${plan.lookUp?.(work.order) ?? ''}`.trim()
    const nothing = { unknown: [failure('CARRIER_TIMEOUT', words)] }
    // The time of the call itself may be over by now.
    const more = { ...work, endsAt: performance.now() + work.run.timeoutMs }
    const first = plan.recover?.(work.order, kept)
    if (first === 'not done') return first
    let call: HttpCall | undefined = first
    for (let step = 0; call !== undefined && step < STEPS_MOST; step += 1) {
      const outcome: InquiryOutcome<A> = await this.#askOnce(plan, call, kept, more)
      if (outcome === 'not done') return outcome
      if (outcome === 'unknown' || 'errors' in outcome) return nothing
      if (!('next' in outcome)) return await this.#found(outcome, more)
      call = outcome.next
    }
    return nothing
  }

  /** Asks once about a purchase; a question that fails tells nothing. */
  async #askOnce<A extends Action>(
    plan: ActionPlan<A>,
    call: HttpCall,
    kept: CarrierFacts,
    work: ActionWork,
  ): Promise<InquiryOutcome<A>> {
    const reply = await this.#wire.send(call, work)
    if (reply instanceof CarrierFault || 'errors' in reply) return 'unknown'
    return plan.parseRecovery?.(reply, work.order, kept) ?? 'unknown'
  }

  async #found<A extends Action>(
    outcome: CarrierSuccess<A> | { readonly unknown: readonly CarrierRemark[] },
    work: ActionWork,
  ): Promise<ActionResult<A>> {
    if ('unknown' in outcome) return outcome
    const found = await this.#fetch(outcome, work)
    const { run, order } = work
    const shipmentId = 'packages' in outcome.data ? outcome.data.shipment_id : ''
    const buyer = run.buyerOf(shipmentId) ?? order.requestId
    if (buyer === order.requestId) return found
    // Two requests may buy one rate, and the carrier shows the label of the other one.
    const words = `The carrier shows only what the request_id ${buyer} bought.`
    return { unknown: [failure('CARRIER_FAULT', words)] }
  }

  async #fetch<A extends Action>(
    outcome: CarrierSuccess<A>,
    { endsAt }: ActionWork,
  ): Promise<ActionResult<A>> {
    const { sender, origins, bounds } = this.#parts
    const hosts = this.#carrier.labelHosts ?? []
    return await fetchLabels(outcome, { sender, origins, bounds, hosts, endsAt })
  }
}

/** Tells where a person looks for what the carrier itself left open. */
function sayWhere<A extends Action>(
  plan: ActionPlan<A>,
  { unknown }: { readonly unknown: readonly CarrierRemark[] },
  { order }: ActionWork,
): { readonly unknown: readonly CarrierRemark[] } {
  const where = plan.recover === undefined ? plan.lookUp?.(order) : undefined
  if (where === undefined) return { unknown }
  return {
    unknown: unknown.map((one) => ({ ...one, description: `${one.description} ${where}` })),
  }
}

/** Keeps new facts. What is written down already must not fail behind a purchase, as on a disk that became full. */
function keepNew(kept: CarrierFacts, before: CarrierFacts, { run }: ActionWork): void {
  if (kept !== before) run.keep(kept)
}

/** An error in what comes after a purchase says nothing of it. */
function doubt<A extends Action>(outcome: FinalOutcome<A>): FinalOutcome<A> {
  return 'errors' in outcome ? { unknown: outcome.errors } : outcome
}

/**
 * A refund costs nothing, so one whose answer was lost is asked for again. That it is void already may be by the first time, and any
 * other refusal says nothing of that one.
 */
function judgeAgain<A extends PaidAction>(result: ActionResult<A>): ActionResult<A> {
  if (!('errors' in result)) return result
  const isVoid = result.errors.some(({ code }) => code === CARRIER_CODES.ALREADY_VOID)
  return isVoid ? (VOIDED as ActionResult<A>) : { unknown: result.errors }
}

const VOIDED: ActionResult<'VoidShipment'> = { data: { status: 'Success', status_code: '1' } }

const AGAIN =
  'Nobody can tell whether it was done. Send the same call with the same request_id again; it is not done twice.'

const BY_HAND =
  'Nobody can tell whether it was done, and the carrier cannot be asked: the same request_id again buys nothing. If it is not there, send it with a new request_id.'

/** Says what went wrong, and that the call may still have taken effect. */
function unclear(remark: CarrierRemark, advice: string): CarrierRemark {
  return { ...remark, type: 'UNKNOWN', description: `${remark.description} ${advice}`.trim() }
}

/** A carrier may repeat what it was sent. */
function clean<A extends Action>(
  result: ActionResult<A>,
  redaction: Redaction,
  advice: string,
): ActionResult<A> {
  const words = (remark: CarrierRemark): CarrierRemark => ({
    ...remark,
    description: redaction.words(remark.description),
    carrier_code: redaction.words(remark.carrier_code),
  })
  if ('errors' in result) return { errors: result.errors.map(words) }
  if ('unknown' in result)
    return { unknown: result.unknown.map((one) => unclear(words(one), advice)) }
  return { data: result.data, remarks: (result.remarks ?? []).map(words) }
}
