import { setImmediate } from 'node:timers/promises'
import { keepFile } from '../../config/write.ts'
import { quoteShort } from '../../errors.ts'
import type { Records } from '../../jobs/spool/records.ts'
import { type Action, type Answers, failure, type Rate, type Remark } from '../answers.ts'
import type { Order } from '../carrier.ts'
import type { PaidAction } from '../journal.ts'
import { toAmount } from '../money.ts'
import { missingFields } from '../params.ts'
import type { Performer, Result } from '../performer.ts'
import type { Shipment } from '../shipment.ts'
import { drawLocalLabel } from './label.ts'
import { isNumber, makeNumber } from './number.ts'
import { FIRST_RATES, type Offer, offer, parseRates, type RateRow } from './rates.ts'
import {
  CREATED,
  EVENTS_MOST,
  type LocalEvent,
  type LocalShipment,
  LocalShipments,
  VOIDED,
} from './store.ts'

/** What the local carrier works with. */
export interface LocalParts {
  readonly records: Records
  /** The rate table, which the owner edits. */
  readonly ratesFile: string
}

const CURRENCY = 'USD'
const DAY_MS = 86_400_000
const CLOSING_HOUR = 18
const EVENT_TEXT_MOST = 100

type Done<A extends Action> = (order: Order) => Promise<Result<A>> | Result<A>

/** The carrier that needs no account and no network: own vans, couriers, customers who pick up, trainings and tests. */
export class LocalCarrier implements Performer {
  readonly credentials = []
  readonly shipments: LocalShipments
  readonly #parts: LocalParts
  readonly #actions: { readonly [A in Action]?: Done<A> } = {
    GetAllRates: (order) => this.#rate(order),
    SubmitShipment: (order) => this.#ship(order),
    Track: (order) => this.#track(order),
    VoidShipment: (order) => this.#void(order),
    AddressValidate: ({ shipment }) => validate(shipment),
    TimeInTransit: (order) => this.#time(order),
  }

  constructor(parts: LocalParts) {
    this.#parts = parts
    this.shipments = new LocalShipments(parts.records)
  }

  supports(action: Action): boolean {
    return this.#actions[action] !== undefined
  }

  async perform<A extends Action>(action: A, order: Order): Promise<Result<A>> {
    const done = this.#actions[action]
    if (done === undefined) throw new Error(`the local carrier has no ${action}`)
    return await done(order)
  }

  /** All that was done is in our own tables. */
  async recover<A extends PaidAction>(action: A, order: Order): Promise<Result<A> | 'not done'> {
    if (action === 'VoidShipment') return 'not done'
    const made = this.shipments.byRequest(order.requestId)
    return made === undefined ? 'not done' : ((await describe(made)) as Result<A>)
  }

  /** The rate table as text; a new box gets one to begin with. */
  readRates(): string {
    const file = keepFile(this.#parts.ratesFile)
    const text = file.load()
    if (text !== undefined) return text
    file.save(FIRST_RATES)
    return FIRST_RATES
  }

  /** Keeps an edited table; a sentence when it cannot be used. */
  writeRates(text: string): string | undefined {
    const rows = parseRates(text)
    if (typeof rows === 'string') return rows
    keepFile(this.#parts.ratesFile).save(text)
    return undefined
  }

  /** Writes down what happened to a shipment: `{number, status, status_code, location}`; a sentence when it cannot be used. */
  noteEvent(event: Readonly<Record<string, unknown>>): string | undefined {
    const { number, status, status_code: code = '', location = '' } = event
    for (const [name, value] of Object.entries({ number, status, code, location })) {
      const isText = typeof value === 'string' && value.length <= EVENT_TEXT_MOST
      if (!isText) return `${name} must be a text of at most ${EVENT_TEXT_MOST} characters.`
    }
    const found = this.shipments.find(String(number))
    if (found === undefined)
      return `The local carrier has no shipment ${quoteShort(String(number))}.`
    if (status === '') return 'status must say what happened, such as Out for delivery.'
    if (this.shipments.events(found).length >= EVENTS_MOST) {
      return `The shipment has ${EVENTS_MOST} events, which is the most.`
    }
    const clean = (value: unknown) => String(value).replace(/\p{Cc}+/gu, ' ')
    this.shipments.note(found, {
      ...{ status: clean(status), code: clean(code), location: clean(location) },
    })
    return undefined
  }

  #rows(): readonly RateRow[] | Remark {
    const rows = parseRates(this.readRates())
    return typeof rows === 'string' ? failure('CARRIER_FAULT', rows) : rows
  }

  /** What it costs, or why nothing serves it. */
  #offers({ shipment }: Order): readonly Offer[] | { readonly errors: readonly Remark[] } {
    const missing = missingFields([
      ['ship_code', shipment.from.code],
      ['to_code', shipment.to.code],
    ])
    if (missing.length > 0) return { errors: missing }
    if (shipment.parcels.length === 0) {
      return { errors: [failure('MISSING_FIELD', 'packages is missing.', { field: 'packages' })] }
    }
    const rows = this.#rows()
    if (!isList(rows)) return { errors: [rows] }
    const offers = offer(rows, shipment)
    if (offers.length > 0) return offers
    const message = `No line of the rate table serves ${shipment.from.code} to ${shipment.to.code} with this weight.`
    return { errors: [failure('NOT_SERVED', message)] }
  }

  #rate(order: Order): Result<'GetAllRates'> {
    const offers = this.#offers(order)
    if ('errors' in offers) return offers
    return { data: { rates: offers.map((one) => toRate(one, order)) } }
  }

  #time(order: Order): Result<'TimeInTransit'> {
    const offers = this.#offers(order)
    if ('errors' in offers) return offers
    const services = offers.map(({ service, description, days }) => ({
      ...{ service_code: service, desc: description, delivery_days: days },
      est_delivery_time: estimate(order.now, days),
    }))
    return { data: { services } }
  }

  async #ship(order: Order): Promise<Result<'SubmitShipment'>> {
    const { shipment, label, requestId } = order
    const missing = missingFields(requiredOf(shipment))
    if (missing.length > 0) return { errors: missing }
    const offers = this.#offers(order)
    if ('errors' in offers) return offers
    const chosen = choose(offers, shipment.service)
    if ('errors' in chosen) return chosen
    // A printer of EPL draws the picture itself.
    const isPicture = label.format === 'PNG' || (label.format === 'EPL' && label.isPrinted)
    const format = isPicture ? 'PNG' : 'ZPL'
    if (!isPicture && label.format !== 'ZPL') {
      const message = `image_type: got ${label.format}, wanted ZPL or PNG.`
      return { errors: [failure('MISSING_FIELD', message, { field: 'image_type' })] }
    }
    const numbers = shipment.parcels.map(() => makeNumber())
    const made: Omit<LocalShipment, 'seq' | 'at'> = {
      ...{ shipmentId: numbers[0] ?? '', numbers, shipment, format, dpi: label.dpi },
      ...{ service: chosen.service, description: chosen.description, days: chosen.days },
      ...{ cents: chosen.cents, currency: CURRENCY },
    }
    // Drawn first: what cannot be drawn is not sold.
    const data = await describe(made)
    this.shipments.add(requestId, made)
    return data
  }

  #track({ shipment, now }: Order): Result<'Track'> {
    const name = shipment.trackingNumber || shipment.shipmentId
    if (name === '') return { errors: missingFields([['tracking_number', '']]) }
    const found = this.shipments.find(name)
    if (found === undefined) return unknownNumber(name)
    const events = this.shipments.events(found)
    return { data: describeTrack(found, events, shipment.trackingNumber, now) }
  }

  #void({ shipment }: Order): Result<'VoidShipment'> {
    const name = shipment.shipmentId || shipment.trackingNumber
    if (name === '') return { errors: missingFields([['shipment_id', '']]) }
    const found = this.shipments.find(name)
    if (found === undefined) return unknownNumber(name)
    if (this.shipments.events(found).some(({ code }) => code === VOIDED.code)) {
      return { errors: [failure('ALREADY_VOID', `The shipment ${name} is void already.`)] }
    }
    this.shipments.note(found, { ...VOIDED, location: '' })
    return { data: { status: 'Success', status_code: '1' } }
  }
}

function isList(value: readonly RateRow[] | Remark): value is readonly RateRow[] {
  return Array.isArray(value)
}

function unknownNumber(name: string): { readonly errors: readonly Remark[] } {
  const isMisread = /^PL\d+$/.test(name) && !isNumber(name)
  const why = isMisread ? ' Its check digit is wrong: read it again.' : ''
  const message = `The local carrier has no shipment ${JSON.stringify(name.slice(0, 40))}.${why}`
  return { errors: [failure('UNKNOWN_NUMBER', message)] }
}

function requiredOf({ from, to }: Shipment): readonly (readonly [string, string])[] {
  return [
    ['shipper', from.name],
    ['ship_addr1', from.addr1],
    ['ship_city', from.city],
    ['ship_code', from.code],
    ['to_name', to.name],
    ['to_addr1', to.addr1],
    ['to_city', to.city],
    ['to_code', to.code],
  ]
}

/** The service that was asked for; with a single one on offer it may be left out. Never the cheapest by itself. */
function choose(
  offers: readonly Offer[],
  service: string,
): Offer | { readonly errors: readonly Remark[] } {
  const [only, other] = offers
  if (service === '' && only !== undefined && other === undefined) return only
  const wanted = offers.find((one) => one.service.toUpperCase() === service.toUpperCase())
  if (wanted !== undefined) return wanted
  const names = offers.map((one) => one.service).join(', ')
  if (service === '') {
    return {
      errors: [
        failure('MISSING_FIELD', `service is missing; wanted one of ${names}.`, {
          field: 'service',
        }),
      ],
    }
  }
  const message = `service: got ${JSON.stringify(service)}, wanted one of ${names}.`
  return { errors: [failure('UNKNOWN_SERVICE', message, { field: 'service' })] }
}

function toRate({ service, description, cents, fuelCents, days }: Offer, { now }: Order): Rate {
  return {
    desc: description,
    rate: toAmount(cents),
    negotiated_rate: toAmount(cents),
    currency: CURRENCY,
    service_code: service,
    est_delivery_time: estimate(now, days),
    delivery_days: days,
    package_type: '',
    rate_detail: [
      { desc: 'Base', amount: toAmount(cents - fuelCents) },
      ...(fuelCents === 0 ? [] : [{ desc: 'Fuel', amount: toAmount(fuelCents) }]),
    ],
  }
}

/** Closing time of that day, in the zone of the box. */
function estimate(now: number, days: number): string {
  const day = new Date(now + days * DAY_MS)
  return withOffset(new Date(day.getFullYear(), day.getMonth(), day.getDate(), CLOSING_HOUR))
}

/** RFC 3339 with the offset of the box's own zone. */
function withOffset(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19)
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}

/** The answer to a purchase; the same whenever it is asked. */
async function describe(
  made: Omit<LocalShipment, 'seq' | 'at'>,
): Promise<Result<'SubmitShipment'>> {
  const { shipment, numbers, format, dpi, description, cents, currency, shipmentId } = made
  const packages: NonNullable<Answers['SubmitShipment']['packages']>[number][] = []
  for (const [index, number] of numbers.entries()) {
    // A shipment may have 50 labels, and others want to print meanwhile.
    await setImmediate()
    const weight = shipment.parcels[index]?.weight ?? 0
    const place = { n: index + 1, of: numbers.length }
    const label = await drawLocalLabel(
      { shipment, number, weight, description, ...place },
      { format, dpi },
    )
    const text = Buffer.from(label).toString('base64')
    packages.push({ tracking_number: number, label: text, label_format: format })
  }
  return {
    data: {
      ...{ charges: toAmount(cents), currency, tracking_number: numbers[0] ?? '' },
      ...{ shipment_id: shipmentId, packages, documents: [] },
    },
  }
}

function describeTrack(
  found: LocalShipment,
  events: readonly LocalEvent[],
  number: string,
  now: number,
): Answers['Track'] {
  const { shipment, numbers, service, description, shipmentId, at, days } = found
  const latest = events.at(-1) ?? { ...CREATED, at: now, location: '' }
  const delivered = events.find(({ code }) => code === 'D')
  const [parcel] = shipment.parcels
  const unit = { weight: shipment.weightUnit, length: shipment.lengthUnit }
  const activity = events.toReversed().map((event) => ({
    ...{ time: withOffset(new Date(event.at)), status: event.status },
    ...{ status_code: event.code, location: event.location },
  }))
  // The id of a shipment is the number of its first parcel.
  const shown = numbers.includes(number) ? [number] : numbers
  return {
    ...{ status: latest.status, status_code: latest.code, shipment_id: shipmentId },
    ...{ origin: placeOf(shipment.from), destination: placeOf(shipment.to) },
    service: { code: service, description },
    pickup_date: '',
    estimated_delivery: estimate(at, days),
    delivered_time: delivered === undefined ? '' : withOffset(new Date(delivered.at)),
    weight: {
      amount: shipment.parcels.reduce((sum, one) => sum + one.weight, 0),
      unit: unit.weight,
    },
    dimensions: {
      ...{ length: parcel?.length ?? 0, width: parcel?.width ?? 0, height: parcel?.height ?? 0 },
      unit: unit.length,
    },
    reference_numbers: shipment.references,
    alternative_tracking_ids: [],
    packages: shown.map((one) => ({ tracking_number: one, activity })),
  }
}

function placeOf({ city, state, country }: Shipment['from']): string {
  return [city, state, country].filter((part) => part !== '').join(', ')
}

const ZIP = /^\d{5}(-\d{4})?$/
// Canada Post, addressing guidelines: letter digit letter, digit letter digit.
const CANADIAN = /^[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d$/i

/** The form of the address only: `match` is null, as there is no list of addresses to compare with. */
function validate({ to }: Shipment): Result<'AddressValidate'> {
  const missing = missingFields([
    ['to_addr1', to.addr1],
    ['to_city', to.city],
    ['to_code', to.code],
  ])
  if (missing.length > 0) return { errors: missing }
  const isBad =
    (to.country === 'US' && !ZIP.test(to.code)) || (to.country === 'CA' && !CANADIAN.test(to.code))
  if (isBad) {
    const message = `to_code: ${JSON.stringify(to.code)} is not a postal code of ${to.country}.`
    return { errors: [failure('NOT_SERVED', message, { field: 'to_code' })] }
  }
  const [zip = '', addon = ''] = to.country === 'US' ? to.code.split('-') : [to.code]
  return {
    data: {
      ...{ name: to.name, addr1: to.addr1, addr2: to.addr2, addr3: '', city: to.city },
      ...{ state: to.state, zip_code: zip, zip_code_addon: addon, country: to.country },
      ...{ match: null, city_state_zip_match: null, residential: to.isResidential ?? null },
      ...{ po_box: /\bp\.?\s*o\.?\s*box\b/i.test(`${to.addr1} ${to.addr2}`), suggestions: [] },
    },
  }
}
