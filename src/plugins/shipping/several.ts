import { asKind, type CarrierRemark, failure, isBlank, type Rate } from '#carriers'
import { isObject } from '../../settings/field.ts'
import { quoteShort } from '../../words/errors.ts'
import type { ShownAccount } from './accounts.ts'
import { answered } from './answered.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import { CREDENTIALS } from './call-fields.ts'
import { showValue } from './calls.ts'
import { CARRIERS, findCarrier, type ShippingCarrier } from './carriers.ts'
import { type Envelope, ServiceError } from './envelope.ts'

/** Means every account of the box. */
const ALL = '*'

/** A carrier that a call asks in parallel with others. */
export interface Seller {
  readonly carrier: ShippingCarrier
  /** The account of the box for it; '' = none. */
  readonly account: string
  /** Credentials in the call itself, for this carrier alone. */
  readonly own: Readonly<Record<string, unknown>>
}

/** The answer of one of them. */
export interface SellerAnswer {
  readonly seller: Seller
  readonly envelope: Envelope
}

/** Tells whether a call asks several carriers. */
export function asksSeveral(body: unknown): body is Readonly<Record<string, unknown>> {
  if (!isObject(body)) return false
  const { carrier } = body
  return Array.isArray(carrier) || carrier === ALL
}

/**
 * Reads the carriers of a call whose `carrier` is a list or `*`. An entry is the name of a carrier, which is asked with every account that
 * the box has for it, `*`, or an object with the carrier and an account or credentials for it alone.
 * @throws ServiceError 400
 */
export function readSellers(
  { carrier, action, params }: Readonly<Record<string, unknown>>,
  accounts: readonly ShownAccount[],
): readonly Seller[] {
  const wanted = typeof action === 'string' ? action : ''
  if (wanted.toLowerCase() !== 'getallrates') {
    const message = `carrier: several carriers go with GetAllRates alone, not with ${quoteShort(wanted)}; name one carrier.`
    throw new ServiceError(400, message)
  }
  const entries = Array.isArray(carrier) ? carrier : [carrier]
  const found = entries.flatMap((entry) => readEntry(entry, accounts))
  const sellers = [...new Map(found.map((one) => [nameOf(one), one])).values()]
  if (sellers.length === 0) throw new ServiceError(400, NOBODY)
  if (sellers.length > SHIPPING_BOUNDS.sellers) {
    const message = `carrier: got ${sellers.length} carriers and accounts, wanted at most ${SHIPPING_BOUNDS.sellers}.`
    throw new ServiceError(400, message)
  }
  refuseShared(isObject(params) ? params : {}, sellers)
  return sellers
}

const NOBODY =
  'carrier: no carrier is named, and there is no account of one on this print server. Name some, or save an account.'

function readEntry(entry: unknown, accounts: readonly ShownAccount[]): readonly Seller[] {
  if (entry === ALL) return accounts.flatMap((one) => sellersOf(one))
  if (!isObject(entry)) return ofCarrier(readName(entry), accounts)
  const { carrier: named, account, ...own } = entry
  const carrier = readName(named)
  const wrong = Object.keys(own).find((name) => !CREDENTIALS.has(name))
  if (wrong !== undefined) {
    const message = `carrier: got ${quoteShort(wrong)} in an entry of ${carrier.name}, wanted carrier, account or credentials.`
    throw new ServiceError(400, message)
  }
  if (isBlank(account) && Object.values(own).every(isBlank)) return ofCarrier(carrier, accounts)
  if (!isBlank(account) && typeof account !== 'string') {
    throw new ServiceError(
      400,
      `carrier: account of ${carrier.name} must be the name of an account.`,
    )
  }
  return [{ carrier, account: isBlank(account) ? '' : String(account), own }]
}

function sellersOf({ name, carrier }: ShownAccount): readonly Seller[] {
  const found = findCarrier(carrier)
  return found === undefined ? [] : [{ carrier: found, account: name, own: {} }]
}

/** Lists a carrier with each of its accounts; without any, its answer says what is missing. */
function ofCarrier(carrier: ShippingCarrier, accounts: readonly ShownAccount[]): readonly Seller[] {
  const own = accounts.filter((one) => findCarrier(one.carrier)?.name === carrier.name)
  if (own.length === 0) return [{ carrier, account: '', own: {} }]
  return own.flatMap((one) => sellersOf(one))
}

function readName(value: unknown): ShippingCarrier {
  const found = typeof value === 'string' ? findCarrier(value) : undefined
  if (found !== undefined) return found
  const names = CARRIERS.map(({ name }) => name).join(', ')
  throw new ServiceError(
    400,
    `carrier: got ${showValue(value)} in the list, wanted some of ${names}, or *.`,
  )
}

/** Refuses credentials beside several carriers: they would go to all of them. */
function refuseShared(params: Readonly<Record<string, unknown>>, sellers: readonly Seller[]): void {
  const names = new Set(sellers.map(({ carrier }) => carrier.name))
  const shared = [...CREDENTIALS, 'account'].find((name) => !isBlank(params[name]))
  if (shared === undefined || (names.size === 1 && shared !== 'account')) return
  const message = `${shared} stands beside several carriers and would go to all of them; put it into the list: {"carrier": "UPS", "${shared}": …}.`
  throw new ServiceError(400, message)
}

function nameOf({ carrier, account, own }: Seller): string {
  return JSON.stringify([carrier.name, account, own])
}

/** Makes the call to one of them. */
export function callOf(
  body: Readonly<Record<string, unknown>>,
  { carrier, account, own }: Seller,
): Readonly<Record<string, unknown>> {
  const params = isObject(body['params']) ? body['params'] : {}
  const timeout = isBlank(params['timeout']) ? SHIPPING_BOUNDS.sellerMs : params['timeout']
  const with_ = account === '' ? {} : { account }
  return { ...body, carrier: carrier.name, params: { ...params, ...own, ...with_, timeout } }
}

/** Makes the answer of a carrier that did not answer in time. */
export function tooLate(): Envelope {
  return answered({ rates: null }, [
    failure('CARRIER_TIMEOUT', 'The carrier did not answer in time.'),
  ])
}

/**
 * Merges the rates of all into one list, the cheapest first; each rate and each error names its carrier. Amounts of different currencies
 * are not compared: the rates of each currency are together, those of `currency` first.
 */
export function mergeRates(all: readonly SellerAnswer[], currency: string): Envelope {
  const rates = all.flatMap(({ seller, envelope }) =>
    ratesIn(envelope).map((rate) => ({ ...rate, ...whose(seller) })),
  )
  const currencies = [...new Set(rates.map((one) => one.currency))].toSorted((a, b) =>
    a === currency ? -1 : b === currency ? 1 : a < b ? -1 : 1,
  )
  const sorted = currencies.flatMap((one) =>
    rates.filter((rate) => rate.currency === one).toSorted(byPrice),
  )
  const faults = all.flatMap(({ seller, envelope }) =>
    remarksIn(envelope).map((remark) => ({ ...remark, ...whose(seller) })),
  )
  // What one of them refuses is not a failure of the call, as others sell.
  const told =
    rates.length === 0
      ? faults
      : faults.map((one) => (one.type === 'ERROR' ? { ...one, type: 'WARNING' as const } : one))
  const isTest = rates.some(({ test }) => test === true)
  const data = { rates: rates.length === 0 ? null : sorted, ...(isTest ? { test: true } : {}) }
  return answered<'GetAllRates'>(data, [...told, ...tellCurrencies(currencies)])
}

function whose({ carrier, account }: Seller): {
  readonly carrier: string
  readonly account: string
} {
  return { carrier: carrier.name, account }
}

function ratesIn({ data }: Envelope): readonly Rate[] {
  return data !== null && 'rates' in data ? (data.rates ?? []) : []
}

function remarksIn({ meta, data }: Envelope): readonly CarrierRemark[] {
  return data === null ? [failure('CARRIER_FAULT', meta.error_message)] : (data.errors ?? [])
}

/** Compares the amounts that the account pays. */
function byPrice(a: Rate, b: Rate): number {
  return a.negotiated_rate - b.negotiated_rate || a.rate - b.rate
}

function tellCurrencies(currencies: readonly string[]): readonly CarrierRemark[] {
  if (currencies.length < 2) return []
  const words = `The rates are in ${currencies.join(', ')}: those of each currency stand together, the cheapest first.`
  return asKind('NOTE', [failure('CARRIER_FAULT', words)])
}
