import { createHash } from 'node:crypto'
import { type Action, asNumber, BLANKS, type DebugTrace, isBlank } from '#carriers'
import type { Scope } from '../../http/access/keys.ts'
import { isObject } from '../../settings/field.ts'
import { quoteShort } from '../../words/errors.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import { CREDENTIALS, PARAMS } from './call-fields.ts'
import { CARRIERS, findCarrier, type ShippingCarrier } from './carriers.ts'
import { ServiceError } from './envelope.ts'
import { findTestMark, isTestMark } from './names.ts'
import { type PrintWish, readPrintWish } from './print.ts'

/** The sender of a call. */
export interface Caller {
  /** Name of the key. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The owner of the share of the spool that its labels use. */
  readonly network: string
  /** Aborted when the caller hangs up; left out: unknown. */
  readonly signal?: AbortSignal
}

/** The scope that each action needs. */
const SCOPE_OF: Readonly<Record<Action, Scope>> = {
  Authenticate: 'ship',
  GetAllRates: 'rate',
  SubmitShipment: 'ship',
  Track: 'track',
  VoidShipment: 'ship',
  AddressValidate: 'rate',
  TimeInTransit: 'rate',
}

const ACTIONS = Object.keys(BLANKS) as readonly Action[]

/** A call whose form is checked. */
export interface ShippingCall {
  readonly carrier: ShippingCarrier
  readonly action: Action
  readonly params: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly timeoutMs: number
  readonly isTest: boolean
  readonly isDebug: boolean
  readonly print: PrintWish | undefined
}

/** A call with the trace that is shown of it. */
export type TracedCall = ShippingCall & { readonly trace: DebugTrace | undefined }

/** The names under which a call may give its id. */
const ID_NAMES = ['request_id', 'requestId'] as const

/**
 * Reads the id of a request: beside `params`, in them, because clients of the original API have no other place for it, or in the header
 * `Idempotency-Key`. Ids in several places must be equal.
 * @throws ServiceError 400
 */
export function readRequestId(body: unknown, header?: string): string | undefined {
  const own = isObject(body) ? body : {}
  const params = isObject(own['params']) ? own['params'] : {}
  const given = [
    ...ID_NAMES.map((name) => ({ value: own[name], name })),
    ...ID_NAMES.map((name) => ({ value: params[name], name: `params.${name}` })),
    { value: header, name: 'Idempotency-Key' },
  ].filter(({ value }) => value !== undefined && value !== null)
  const ids = given.map(({ value, name }) => ({ id: readId(value, name), name }))
  const [first] = ids
  const other = ids.find(({ id }) => id !== first?.id)
  if (first === undefined || other === undefined) return first?.id
  const seen = `${quoteShort(first.id)} and ${quoteShort(other.id)}`
  throw new ServiceError(400, `${first.name} and ${other.name} say ${seen}; wanted one of them.`)
}

function readId(value: unknown, name: string): string {
  const isThere = !isBlank(value)
  const text = typeof value === 'number' ? String(value) : value
  if (isThere && typeof text === 'string' && /^[\x21-\x7e]+$/.test(text)) {
    if (text.length <= SHIPPING_BOUNDS.requestId) return text
  }
  const wanted = `1 to ${SHIPPING_BOUNDS.requestId} letters, digits and signs without blanks`
  throw new ServiceError(
    400,
    isThere
      ? `${name} must be ${wanted}.`
      : `${name} is there and blank; wanted ${wanted}, or leave it out.`,
  )
}

const MEMBERS = ['carrier', 'action', 'params', ...ID_NAMES]

/**
 * Refuses unknown members: a test mark beside `params` must not lead to a purchase.
 * @throws ServiceError 400
 */
function checkMembers(body: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(body).find((name) => !MEMBERS.includes(name) && !isBlank(body[name]))
  if (wrong === undefined) return
  const shown = quoteShort(wrong)
  const isOfParams = Object.hasOwn(PARAMS, wrong) || CREDENTIALS.has(wrong)
  const advice =
    isOfParams || isTestMark(wrong, body[wrong])
      ? `it stands beside params; put ${isOfParams ? 'it' : '"test"'} into params.`
      : 'a call has carrier, action, params and request_id.'
  throw new ServiceError(400, `${shown} is not a part of a call: ${advice}`)
}

/** @throws ServiceError 400 */
export function readCall(body: unknown, requestId: string | undefined): ShippingCall {
  if (!isObject(body)) {
    throw new ServiceError(400, 'The body must be an object with carrier, action and params.')
  }
  checkMembers(body)
  // PHP writes an object without anything in it as [].
  const params = isBlank(body['params']) ? {} : body['params']
  if (!isObject(params)) throw new ServiceError(400, 'params must be an object.')
  const mark = findTestMark(params)
  if (mark !== undefined) {
    const name = quoteShort(mark.path + mark.name)
    throw new ServiceError(
      400,
      `${name} is not how a test is asked for: put "test": true into params.`,
    )
  }
  const action = readAction(body['action'])
  const print = isBlank(params['print']) ? undefined : readPrintWish(params['print'])
  if (print !== undefined && action !== 'SubmitShipment') {
    throw new ServiceError(400, `print goes with SubmitShipment, not with ${action}.`)
  }
  return {
    carrier: readCarrier(body['carrier']),
    action,
    params,
    requestId,
    print,
    timeoutMs: readTimeout(params['timeout']),
    isTest: readFlag('test', params['test']),
    isDebug: readFlag('debug', params['debug']),
  }
}

/** A person's finding about a purchase. */
export interface FoundByHand {
  readonly requestId: string
  /** Tracking number; '' = it was not bought. */
  readonly number: string
  /** '' = equal to the number. */
  readonly shipmentId: string
}

/**
 * Reads a person's statement about a purchase.
 * @throws ServiceError 400
 */
export function readFoundByHand(body: Readonly<Record<string, unknown>>): FoundByHand {
  const requestId = readRequestId({ request_id: body['request_id'] })
  const text = (name: string): string => {
    const value = isBlank(body[name]) ? '' : body[name]
    if (typeof value === 'string' && /^[\x21-\x7e]{0,80}$/.test(value.trim())) return value.trim()
    throw new ServiceError(
      400,
      `${name}: got ${showValue(value)}, wanted a number as on the label.`,
    )
  }
  const number = text('tracking_number')
  const shipmentId = text('shipment_id')
  const isNot = body['bought'] === false
  if (requestId !== undefined && (number !== '') !== isNot) {
    return { requestId, number, shipmentId }
  }
  throw new ServiceError(
    400,
    'Send request_id with the tracking_number that you found, or with "bought": false.',
  )
}

function readCarrier(value: unknown): ShippingCarrier {
  const found = typeof value === 'string' ? findCarrier(value) : undefined
  if (found !== undefined) return found
  const names = CARRIERS.map(({ name }) => name).join(', ')
  throw new ServiceError(400, `carrier: got ${showValue(value)}, wanted one of ${names}.`)
}

function readAction(value: unknown): Action {
  const wanted = typeof value === 'string' ? value.toLowerCase() : ''
  const found = ACTIONS.find((one) => one.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new ServiceError(
    400,
    `action: got ${showValue(value)}, wanted one of ${ACTIONS.join(', ')}.`,
  )
}

function readTimeout(value: unknown): number {
  if (isBlank(value)) return SHIPPING_BOUNDS.timeoutMs
  const ms = asNumber(value)
  if (typeof ms === 'number' && Number.isInteger(ms) && ms > 0) {
    return Math.min(ms, SHIPPING_BOUNDS.timeoutMs)
  }
  throw new ServiceError(400, `timeout: got ${showValue(value)}, wanted milliseconds above 0.`)
}

/** Reads a flag, also as forms and PHP write it. Any other word is refused, because it must not buy where a test was meant. */
function readFlag(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  const word = typeof value === 'object' ? '' : String(value).toLowerCase()
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  throw new ServiceError(400, `${name}: got ${showValue(value)}, wanted true or false.`)
}

/** Formats a value for a refusal. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? quoteShort(value) : quoteShort(JSON.stringify(value) ?? '')
}

/** @throws ServiceError 403 */
export function checkScopes(
  { action, print, isDebug }: ShippingCall,
  { scopes, name }: Caller,
): void {
  const wanted: readonly Scope[] = [
    SCOPE_OF[action],
    ...(print === undefined ? [] : (['print'] as const)),
    ...(isDebug ? (['debug'] as const) : []),
  ]
  const missing = wanted.find((scope) => !scopes.has(scope))
  if (missing === undefined) return
  throw new ServiceError(
    403,
    `The key ${JSON.stringify(name)} may not do this; it needs the scope ${missing}.`,
  )
}

/** Hashes the request of a call. Its timeout, its debug flag, the place of its id and a token that is renewed hourly are not part of it. */
export function hashCall({ carrier, action, params }: ShippingCall): string {
  const passing = [...PASSING, ...ID_NAMES, ...(carrier.keyIsToken === true ? ['key'] : [])]
  return hash([carrier.name, action, leaveOut(params, passing)])
}

/** Fields that only affect how long a call may take, and what it shows. */
const PASSING: readonly string[] = ['debug', 'timeout']

function leaveOut(
  params: ShippingCall['params'],
  names: readonly string[],
): ShippingCall['params'] {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)))
}

function hash(asked: unknown): string {
  return createHash('sha256').update(canonical(asked)).digest('hex')
}

/** Formats JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}
