import { type CarrierRemark, failure } from '../answers.ts'
import type { CarrierOrder, HttpCall, HttpReply } from '../carrier.ts'
import { missingFields } from '../orders.ts'
import { at, jsonCall, jsonOf, kindOfStatus, listOf, textAt } from '../reading.ts'
import {
  hasSize,
  type Parcel,
  type PostalAddress,
  type Shipment,
  shortPhone,
  signatureOf,
  toDecimal,
} from '../shipment.ts'

/** The newest that Rating allows. */
export const VERSION = 'v2409'

/** Characters of an AddressLine and of a City (Shipping.yaml). */
export const ADDRESS_MOST = { line: 35, city: 30 } as const

export function post(path: string, body: object): HttpCall {
  return jsonCall('POST', path, {}, body)
}

/** Finds what UPS would only refuse; undefined = all is there. */
export function findMissing(
  { account, shipment }: CarrierOrder,
  fields: readonly (readonly [string, string])[],
): { readonly errors: readonly CarrierRemark[] } | undefined {
  const number = account['account_number'] ?? ''
  const missing = missingFields([['account_number', number], ...fields])
  if (missing.length > 0) return { errors: missing }
  if (shipment.parcels.length > 0) return undefined
  return { errors: missingFields([['packages', '']]) }
}

export function nameOf({ name, company }: PostalAddress): string {
  return (company || name || 'Shipper').slice(0, 35)
}

const PHONE_MOST = 15

// Shipping.yaml and Rating.yaml, ReturnService: a label that the shop prints and sends to its customer.
export const PRINTED_RETURN = { Code: '9' } as const

export function phoneOf({ phone }: PostalAddress): string {
  return shortPhone(phone, PHONE_MOST)
}

export function toAddress(address: PostalAddress): object {
  const { addr1, addr2, addr3, city, state, code, country, isResidential } = address
  return {
    AddressLine: [addr1, addr2, addr3]
      .filter((line) => line !== '')
      .map((line) => line.slice(0, ADDRESS_MOST.line)),
    City: city.slice(0, ADDRESS_MOST.city),
    ...(isState(address) && { StateProvinceCode: state }),
    ...(code !== '' && { PostalCode: code.replace(/[\s-]/g, '') }),
    CountryCode: country,
    ...(isResidential === true ? { ResidentialAddressIndicator: 'Y' } : {}),
  }
}

/** A code of at most five characters; shops of other countries than these give the name of a region. */
function isState({ state, country }: PostalAddress): boolean {
  return state !== '' && (state.length <= 5 || ['US', 'CA', 'IE'].includes(country))
}

/** Numbers are texts there; every unit needs its description too. */
export function toPackage(parcel: Parcel, shipment: Shipment): object {
  const { weightUnit, lengthUnit } = shipment
  const { length, width, height, weight, insuredCents, insuredCurrency } = parcel
  const inches = { Code: 'IN', Description: 'Inches' }
  const centimeters = { Code: 'CM', Description: 'Centimeters' }
  const options = {
    ...(insuredCents === 0
      ? {}
      : {
          DeclaredValue: { CurrencyCode: insuredCurrency, MonetaryValue: toDecimal(insuredCents) },
        }),
    ...(isSignedByParcel(shipment) && !shipment.isReturn && confirmation(parcel)),
  }
  return {
    ...(hasSize(parcel) && {
      Dimensions: {
        UnitOfMeasurement: lengthUnit === 'IN' ? inches : centimeters,
        Length: whole(length),
        Width: whole(width),
        Height: whole(height),
      },
    }),
    PackageWeight: {
      UnitOfMeasurement:
        weightUnit === 'LB'
          ? { Code: 'LBS', Description: 'Pounds' }
          : { Code: 'KGS', Description: 'Kilograms' },
      Weight: readableWeight(weight),
    },
    ...(Object.keys(options).length > 0 && { PackageServiceOptions: options }),
  }
}

// Shipping.yaml, DeliveryConfirmation.DCISType: 2 = signature, 3 = adult signature.
function confirmation({ signature }: Parcel): object {
  if (signature === 'DIRECT') return { DeliveryConfirmation: { DCISType: '2' } }
  return signature === 'ADULT' ? { DeliveryConfirmation: { DCISType: '3' } } : {}
}

const DOMESTIC: ReadonlySet<string> = new Set(['US', 'PR'])

/** Within the United States and Puerto Rico each parcel is signed for, elsewhere the shipment (Shipping.yaml, DeliveryConfirmation). */
function isSignedByParcel({ from, to }: Pick<Shipment, 'from' | 'to'>): boolean {
  return DOMESTIC.has(from.country) && DOMESTIC.has(to.country)
}

export function signatureForAll(shipment: Shipment): object {
  const signature = signatureOf(shipment)
  if (isSignedByParcel(shipment) || shipment.isReturn) return {}
  if (signature === 'DIRECT') return { DeliveryConfirmation: { DCISType: '1' } }
  return signature === 'ADULT' ? { DeliveryConfirmation: { DCISType: '2' } } : {}
}

/** A size of three digits, never rounded down: a parcel that is larger costs more, and a fine. */
function whole(size: number): string {
  return String(Math.min(999, Math.ceil(size)))
}

/** A weight of at most five characters, never rounded down. */
export function readableWeight(weight: number): string {
  const tenths = Math.ceil(Math.round(weight * 1_000) / 100) / 10
  return String(tenths >= 1_000 ? Math.ceil(weight) : tenths)
}

/** 200 with an empty body and the error in two headers is not a success. */
export function isGood({ status, headers }: HttpReply): boolean {
  return status === 200 && headers['errorcode'] === undefined
}

/** UPS's own words; never an empty list. */
export function readErrors(reply: HttpReply): readonly CarrierRemark[] {
  const told = listOf(at(jsonOf(reply.text), 'response', 'errors')).map((one) => ({
    code: textAt(one, 'code'),
    message: textAt(one, 'message'),
  }))
  const { errorcode = '', errordescription = '' } = reply.headers
  if (told.length === 0 && errorcode + errordescription !== '') {
    told.push({ code: errorcode, message: errordescription })
  }
  if (told.length === 0) told.push({ code: String(reply.status), message: '' })
  return told.map(({ code, message }) =>
    failure(classify(code, reply.status), message || `UPS answered with HTTP ${reply.status}.`, {
      carrierCode: code,
    }),
  )
}

// From the saved answers and the published samples; all others go by the HTTP status.
const CODES: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/^250002$/, 'AUTHENTICATION'],
  [/^190102$/, 'UNKNOWN_NUMBER'],
  [/^(111285|9264030)$/, 'NOT_SERVED'],
  [/^120202$/, 'MISSING_FIELD'],
]

function classify(code: string, status: number): Parameters<typeof failure>[0] {
  const found = CODES.find(([pattern]) => pattern.test(code))
  return found?.[1] ?? kindOfStatus(status)
}

/** Notes beside a good answer, e.g. 820: the address was changed. */
export function readAlerts(body: unknown): readonly CarrierRemark[] {
  return listOf(at(body, 'Response', 'Alert')).map((alert) => {
    const carrierCode = textAt(alert, 'Code')
    return failure('CARRIER_FAULT', textAt(alert, 'Description'), { carrierCode, type: 'NOTE' })
  })
}

/** A gateway's fault leaves open whether it was bought; UPS's own words do not. */
export function refuseOrDoubt(
  reply: HttpReply,
): { readonly errors: readonly CarrierRemark[] } | { readonly unknown: readonly CarrierRemark[] } {
  const errors = readErrors(reply)
  const isUps = listOf(at(jsonOf(reply.text), 'response', 'errors')).length > 0
  const isTold = isUps || reply.headers['errorcode'] !== undefined
  if (isTold || (reply.status >= 400 && reply.status < 500)) return { errors }
  return { unknown: errors }
}
