import { asKind, type CarrierRemark, failure, type Rate } from './answers.ts'
import type { CarrierOrder } from './carrier.ts'
import type { PostalAddress } from './shipment.ts'
import { insuranceOf, isDutiable, type Shipment, signatureOf } from './shipment.ts'
import { toCountry } from './zones.ts'

/** The fields that are blank, as errors; a name as in `params`. */
export function missingFields(
  fields: readonly (readonly [name: string, value: string])[],
): readonly CarrierRemark[] {
  return fields
    .filter(([, value]) => value === '')
    .map(([name]) => failure('MISSING_FIELD', `${name} is missing.`, { field: name }))
}

/** The territories of the United States as countries, which they are to all but the posts. */
export function withCountries(order: CarrierOrder): CarrierOrder {
  const { shipment } = order
  const { from, to } = shipment
  return { ...order, shipment: { ...shipment, from: toCountry(from), to: toCountry(to) } }
}

interface OrderErrors {
  readonly errors: readonly CarrierRemark[]
}

/** Refuses an order with blank fields; undefined = none is blank. */
export function refuseMissing(
  fields: Parameters<typeof missingFields>[0],
): OrderErrors | undefined {
  const errors = missingFields(fields)
  return errors.length > 0 ? { errors } : undefined
}

type AddressField = 'addr1' | 'city' | 'state' | 'code' | 'phone'

/** Fields of an address for `missingFields`, by their names in `params`. Where there are no postal codes the carrier itself knows. */
export function fieldsOf(
  side: 'ship' | 'to',
  address: PostalAddress,
  names: readonly AddressField[],
): readonly (readonly [string, string])[] {
  return names
    .filter((name) => name !== 'code' || address.country === 'US')
    .map((name) => [`${side}_${name}`, address[name]])
}

/** Lists these fields of both addresses. */
export function fieldsOfBoth(
  { from, to }: Shipment,
  names: readonly AddressField[],
): readonly (readonly [string, string])[] {
  return [...fieldsOf('ship', from, names), ...fieldsOf('to', to, names)]
}

/** Lists the fields no label is bought without, with these fields of both addresses. */
export function fieldsToShip(
  { from, to, service }: Shipment,
  names: readonly AddressField[],
): readonly (readonly [string, string])[] {
  return [
    ['shipper', from.company || from.name],
    ...fieldsOf('ship', from, names),
    ['to_name', to.name || to.company],
    ...fieldsOf('to', to, names),
    ['service', service],
  ]
}

/** Returns the person who answers for a declaration: the shop that sends. */
export function signerOf({ from, customs }: Shipment): readonly (readonly [string, string])[] {
  return customs.length === 0 ? [] : [['shipper', from.name || from.company]]
}

/** Characters that a carrier takes of an address. */
export interface AddressMost {
  readonly line: number
  readonly city: number
}

/** Refuses what a carrier would cut off: with half a street on its label a parcel goes elsewhere. */
export function longFields({ from, to }: Shipment, most: AddressMost): readonly CarrierRemark[] {
  const bounds = [
    ['addr1', most.line] as const,
    ['addr2', most.line] as const,
    ['addr3', most.line] as const,
    ['city', most.city] as const,
  ]
  const sides = [['ship', from] as const, ['to', to] as const]
  return sides.flatMap(([side, address]) =>
    bounds
      .filter(([name, length]) => address[name].length > length)
      .map(([name, length]) => {
        const field = `${side}_${name}`
        const seen = `${field}: got ${address[name].length} characters, wanted at most ${length}`
        const advice = name === 'addr1' ? `; put the rest into ${side}_addr2.` : '.'
        return failure('MISSING_FIELD', `${seen}${advice}`, { field })
      }),
  )
}

/** The insurance of a carrier that insures in US dollars alone: an amount of another currency would be taken for dollars. */
export function refuseForeignInsurance(shipment: Shipment): readonly CarrierRemark[] {
  const { currency = 'USD' } = insuranceOf(shipment) ?? {}
  if (currency === 'USD') return []
  const message = `insured_currency: got ${JSON.stringify(currency)}, wanted USD.`
  return [failure('BAD_SIZE', message, { field: 'insured_currency' })]
}

/** Refuses an uninsured rate that was given before: `rated` is what its shipment is insured for. Without a word the parcel would not be. */
export function refuseUninsured(
  shipment: Shipment,
  rated: NonNullable<ReturnType<typeof insuranceOf>>,
): OrderErrors | undefined {
  const { cents, currency } = insuranceOf(shipment) ?? { cents: 0, currency: '' }
  if (cents === 0 || (cents <= rated.cents && currency === rated.currency)) return undefined
  const message =
    'insured_value: the rate_id is of a rate without it; ask for the rates with insured_value, or leave rate_id out.'
  return { errors: [failure('MISSING_FIELD', message, { field: 'insured_value' })] }
}

/** Refuses a signature for a return: the shop itself gets the parcel back. */
export function refuseSignedReturn(shipment: Shipment): readonly CarrierRemark[] {
  const signature = signatureOf(shipment)
  if (!shipment.isReturn || signature === '' || signature === 'NO_SIGNATURE_REQUIRED') return []
  const message = `signature_type: got ${JSON.stringify(signature)}, which the carrier does not have for returns.`
  return [failure('MISSING_FIELD', message, { field: 'signature_type' })]
}

/** A rate that was given before is bought as it was rated: there, or back. */
export function refuseOtherWay(shipment: Shipment, isRated: boolean): OrderErrors | undefined {
  if (shipment.isReturn === isRated) return undefined
  const message = isRated
    ? 'is_return: the rate_id is of a return; ask for the rates without is_return, or send it as well.'
    : 'is_return: the rate_id is not of a return; ask for the rates with is_return, or leave it out.'
  return { errors: [failure('MISSING_FIELD', message, { field: 'is_return' })] }
}

/** A carrier that cannot ask for an adult's signature: without a word the parcel would be given to anybody. */
export function refuseAdultSignature(shipment: Shipment): readonly CarrierRemark[] {
  if (signatureOf(shipment) !== 'ADULT') return []
  const message = 'signature_type: got "ADULT", wanted DIRECT: it cannot be asked for here.'
  return [failure('MISSING_FIELD', message, { field: 'signature_type' })]
}

/** Refuses a parcel without the facts it is looked up by where many carriers are known. */
export function refuseUntracked({ shipment }: CarrierOrder): OrderErrors | undefined {
  const { trackingNumber, carrierName } = shipment
  return refuseMissing([
    ['tracking_number', trackingNumber],
    ['carrier_name', carrierName],
  ])
}

/** Rules of carriers that sell the labels of many others. */

/** The one rate of the service that was asked for; never the cheapest, never the nearest name. */
export function chooseRate(
  rates: readonly Rate[],
  { service }: Shipment,
): { readonly rate: Rate & { readonly rate_id: string } } | { readonly error: CarrierRemark } {
  const found = rates.filter((one) => one.service_code.toLowerCase() === service.toLowerCase())
  const [rate, another] = found
  if (rate?.rate_id !== undefined && rate.rate_id !== '' && another === undefined) {
    return { rate: { ...rate, rate_id: rate.rate_id } }
  }
  const seen = `service: got ${JSON.stringify(service)}`
  const offered = rates.map((one) => one.service_code)
  const list = offered.length === 0 ? 'none is offered' : `offered are ${offered.join(', ')}`
  const message =
    found.length > 1
      ? `${seen}, which ${found.length} accounts offer; name one with carrier_account, or buy a rate_id.`
      : `${seen}; ${list}.`
  return { error: failure('UNKNOWN_SERVICE', message, { field: 'service' }) }
}

/** Refuses a shipment without what has to be there before a service is rated to be bought: abroad it is rated without customs, and refused when bought. */
export function refuseUnbuyable({ shipment }: CarrierOrder): OrderErrors | undefined {
  const isBare = isDutiable(shipment) && shipment.customs.length === 0
  if (shipment.service === '') return { errors: missingFields([['service', '']]) }
  return isBare ? { errors: missingFields([['customs', '']]) } : undefined
}

/** Keeps a call that says it is a test from a key that costs money. */
export function refuseLiveKey(
  { account, isTest }: CarrierOrder,
  prefix: string,
): CarrierRemark | undefined {
  if (!isTest || account['key'] === undefined || account['key'].startsWith(prefix)) return undefined
  const message = `test is true, and the key is not one of the test mode (${prefix}…); nothing was sent.`
  return failure('AUTHENTICATION', message, { field: 'key' })
}

/** Rates of the carrier underneath that was asked for. */
export function ofCarrier(rates: readonly Rate[], { carrierName }: Shipment): readonly Rate[] {
  const wanted = carrierName.toLowerCase()
  if (wanted === '') return rates
  return rates.filter((one) => one.carrier_name?.toLowerCase() === wanted)
}

/** Rates, or why there are none; faults of single carriers are warnings beside the rates of others. */
export function ratesOrReasons(
  rates: readonly Rate[],
  remarks: readonly CarrierRemark[],
  more: { readonly test?: boolean } = {},
) {
  if (rates.length === 0 && remarks.length > 0) return { errors: remarks }
  return { data: { rates, ...more }, remarks: asKind('WARNING', remarks) }
}
