import { setImmediate } from 'node:timers/promises'
import {
  type ActionResult,
  type Answers,
  type CarrierOrder,
  type CarrierPlace,
  failure,
  fieldsOf,
  missingFields,
  NOWHERE,
  type Rate,
  type Shipment,
  toActivity,
  toAmount,
  toPlace,
  withOffset,
} from '#carriers'
import { drawLocalLabel } from './label.ts'
import type { RateOffer } from './rates.ts'
import { CREATED, type LocalEvent, type LocalShipment } from './store.ts'

/** The currency of the local carrier. */

export const CURRENCY = 'USD'
const CLOSING_HOUR = 18

export function toRate(
  { service, description, cents, fuelCents, days }: RateOffer,
  { now }: CarrierOrder,
): Rate {
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

/** Estimates a delivery: closing time of that day, in the zone of the box. */
export function estimate(now: number, days: number): string {
  const today = new Date(now)
  const day = today.getDate() + days // not every day has 24 hours
  return withOffset(new Date(today.getFullYear(), today.getMonth(), day, CLOSING_HOUR))
}

/** Describes a purchase; the same whenever it is asked for. */
export async function describe(
  made: Omit<LocalShipment, 'seq' | 'at'>,
): Promise<ActionResult<'SubmitShipment'>> {
  const { shipment, numbers, format, dpi, description, cents, currency, shipmentId } = made
  const packages: NonNullable<Answers['SubmitShipment']['packages']>[number][] = []
  for (const [index, number] of numbers.entries()) {
    // A shipment may have 50 labels, and others want to print meanwhile.
    await setImmediate()
    const { weight = 0, signature = '' } = shipment.parcels[index] ?? {}
    const place = { n: index + 1, of: numbers.length }
    const label = await drawLocalLabel(
      { shipment, number, weight, signature, description, ...place },
      { format, dpi },
    )
    const text = Buffer.from(label).toString('base64')
    packages.push({ tracking_number: number, label: text, label_format: format })
  }
  return {
    data: {
      charges: toAmount(cents),
      currency,
      tracking_number: numbers[0] ?? '',
      shipment_id: shipmentId,
      packages,
      documents: [],
    },
  }
}

export function describeTrack(
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
  const places = [placeOfAddress(shipment.from), placeOfAddress(shipment.to)]
  const activity = events.toReversed().map((event) =>
    toActivity({
      time: withOffset(new Date(event.at)),
      status: event.status,
      code: event.code,
      // The owner writes where it is; the ends of its way are known.
      location: {
        ...(places.find(({ city }) => city === event.location) ?? NOWHERE),
        description: event.location,
      },
    }),
  )
  // The id of a shipment is the number of its first parcel.
  const shown = numbers.includes(number) ? [number] : numbers
  return {
    status: latest.status,
    status_code: latest.code,
    shipment_id: shipmentId,
    origin: placeOfAddress(shipment.from),
    destination: placeOfAddress(shipment.to),
    service: { code: service, description },
    pickup_date: '',
    estimated_delivery: estimate(at, days),
    delivered_time: delivered === undefined ? '' : withOffset(new Date(delivered.at)),
    weight: {
      amount: shipment.parcels.reduce((sum, one) => sum + one.weight, 0),
      unit: unit.weight,
    },
    dimensions: {
      length: parcel?.length ?? 0,
      width: parcel?.width ?? 0,
      height: parcel?.height ?? 0,
      unit: unit.length,
    },
    reference_numbers: shipment.references,
    alternative_tracking_ids: [],
    packages: shown.map((one) => ({ tracking_number: one, activity })),
  }
}

function placeOfAddress({ city, state, code, country }: Shipment['from']): CarrierPlace {
  return toPlace({ city, state, zip_code: code, country })
}

const ZIP = /^\d{5}(-\d{4})?$/
// Canada Post, addressing guidelines: letter digit letter, digit letter digit.
const CANADIAN = /^[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d$/i

/** Checks the form of an address only: `match` is null, because there is no list of addresses to compare with. */
export function validate({ to }: Shipment): ActionResult<'AddressValidate'> {
  const missing = missingFields(fieldsOf('to', to, ['addr1', 'city', 'code']))
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
      name: to.name,
      addr1: to.addr1,
      addr2: to.addr2,
      addr3: '',
      city: to.city,
      state: to.state,
      zip_code: zip,
      zip_code_addon: addon,
      country: to.country,
      match: null,
      city_state_zip_match: null,
      residential: to.isResidential ?? null,
      po_box: /\bp\.?\s*o\.?\s*box\b/i.test(`${to.addr1} ${to.addr2}`),
      suggestions: [],
    },
  }
}
