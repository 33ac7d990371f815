import { type CarrierRemark, failure } from '../answers.ts'
import type { CallWith, HttpReply } from '../carrier.ts'
import {
  at,
  jsonCall,
  jsonOf,
  kindOfStatus,
  listOf,
  saysInOrder,
  textAt,
  withOffset,
} from '../reading.ts'
import {
  hasSize,
  type Parcel,
  type PostalAddress,
  type Shipment,
  upToHundredths,
} from '../shipment.ts'

/** The description that our calls follow. */
const VERSION = '3.1.1'

/** A call with the account's name and password, as every call of DHL has them. */
export const callWith: CallWith = ({ account, requestId, isTest }, method, path, body) => {
  const pair = `${account['client_id'] ?? ''}:${account['client_secret'] ?? ''}`
  const headers = {
    Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
    'x-version': VERSION,
    'Message-Reference': messageOf(requestId),
  }
  return jsonCall(method, `/mydhlapi${isTest ? '/test' : ''}${path}`, headers, body)
}

/** 28 to 36 characters. */
function messageOf(requestId: string): string {
  return requestId.slice(-36).padStart(28, '0')
}

const HOUR_MS = 3_600_000

/** An hour from now, the time of the place with its zone, in DHL's own form: a time that is over is refused. */
export function plannedTime(now: number): string {
  const time = withOffset(new Date(now + HOUR_MS))
  return `${time.slice(0, 19)}GMT${time.slice(19)}`
}

/** Characters of an address line and of a city (MyDHL API). */
export const ADDRESS_MOST = { line: 45, city: 45 } as const

export function toPlace({
  city,
  code,
  country,
  addr1,
  addr2,
  addr3,
  state,
}: PostalAddress): object {
  return {
    postalCode: code.slice(0, 12),
    cityName: city.slice(0, ADDRESS_MOST.city),
    countryCode: country,
    ...(/^[A-Za-z]{2}$/.test(state) && { provinceCode: state.toUpperCase() }),
    ...(addr1 !== '' && { addressLine1: addr1.slice(0, ADDRESS_MOST.line) }),
    ...(addr2 !== '' && { addressLine2: addr2.slice(0, ADDRESS_MOST.line) }),
    ...(addr3 !== '' && { addressLine3: addr3.slice(0, ADDRESS_MOST.line) }),
  }
}

/** Metric where the weight is in kilograms; both units of a shipment are the one or the other there. */
export function unitsOf({ weightUnit }: Shipment): 'metric' | 'imperial' {
  return weightUnit === 'KG' ? 'metric' : 'imperial'
}

export function toPackage(parcel: Parcel, { lengthUnit, weightUnit }: Shipment): object {
  const wanted = weightUnit === 'KG' ? 'CM' : 'IN'
  const factor = wanted === lengthUnit ? 1 : wanted === 'CM' ? 2.54 : 1 / 2.54
  const size = (value: number): number => upToHundredths(value * factor)
  const { length, width, height } = parcel
  return {
    weight: upToHundredths(parcel.weight),
    ...(hasSize(parcel) && {
      dimensions: { length: size(length), width: size(width), height: size(height) },
    }),
  }
}

/** The body of a good answer. */
export function bodyOf({ status, text }: HttpReply): unknown {
  return status === 200 || status === 201 ? jsonOf(text) : undefined
}

/** `{title, detail, message, status, additionalDetails}`; never an empty list. */
export function readErrors({ status, text }: HttpReply): readonly CarrierRemark[] {
  const body = jsonOf(text)
  const told = [textAt(body, 'detail') || textAt(body, 'message') || textAt(body, 'title')]
  const more = listOf(at(body, 'additionalDetails')).map((one) => textAt(one))
  const words = [...told, ...more].filter((one) => one !== '')
  if (words.length === 0) words.push(`DHL answered with HTTP ${status}.`)
  return words.map((one) => {
    // "1001: The requested product(s) not available" and "996: ..." stand at the front of many.
    const carrierCode = /^(\d{3,6})\b/.exec(one)?.[1] ?? (textAt(body, 'status') || String(status))
    const field = /#\/([\w/]+)/.exec(one)?.[1]?.replaceAll('/', '.') ?? ''
    return failure(classify(one, status), one, { carrierCode, field })
  })
}

const PLACE = /postal|postcode|zip|city|location|country/i

function classify(words: string, status: number): Parameters<typeof failure>[0] {
  if (status !== 400 && status !== 422) return kindOfStatus(status)
  if (saysInOrder(words, /product/i, /not (available|found)/i)) return 'UNKNOWN_SERVICE'
  if (/no (products|rates)/i.test(words)) return 'UNKNOWN_SERVICE'
  if (saysInOrder(words, PLACE, /invalid|not found|not valid/i)) return 'NOT_SERVED'
  if (/weight|dimension|length|width|height/i.test(words)) return 'BAD_SIZE'
  if (/required|missing/i.test(words)) return 'MISSING_FIELD'
  return 'CARRIER_FAULT'
}
