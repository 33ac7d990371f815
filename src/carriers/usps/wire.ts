import { type CarrierRemark, failure } from '../answers.ts'
import type { CarrierOrder, HttpCall, HttpReply } from '../carrier.ts'
import { at, jsonCall, jsonOf, kindOfStatus, listOf, textAt, withoutBlanks } from '../reading.ts'
import {
  type Parcel,
  type PostalAddress,
  type Shipment,
  toInches,
  toPounds,
  upToHundredths,
} from '../shipment.ts'

export function send(
  method: 'POST' | 'GET' | 'DELETE',
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
): HttpCall {
  return jsonCall(method, path, { Accept: 'application/json', ...more }, body)
}

/** Pounds and inches, as USPS wants them. */
export function toParcel({ weight, length, width, height }: Parcel, shipment: Shipment) {
  const size = (value: number): number => upToHundredths(toInches(value, shipment))
  return {
    weight: upToHundredths(toPounds(weight, shipment)),
    length: size(length),
    width: size(width),
    height: size(height),
  }
}

// Domestic prices, extraServices: 921 and 922 = signature and adult signature, 930 and 931 = insurance up to and above $500.
export function extrasOf({ signature, insuredCents }: Parcel): readonly number[] {
  return [
    ...(signature === 'DIRECT' ? [921] : []),
    ...(signature === 'ADULT' ? [922] : []),
    ...(insuredCents > 0 ? [insuredCents <= 50_000 ? 930 : 931] : []),
  ]
}

/** Facts of a service that USPS needs to sell its label. */
interface Service {
  readonly mailClass: string
  readonly rateIndicator: string
  readonly processingCategory: string
}

const USUAL = ['SP', 'MACHINABLE'] as const

/** `PRIORITY_MAIL`, or `PRIORITY_MAIL/FB/MACHINABLE` for what is not a single machinable piece. */
export function writeService({ mailClass, rateIndicator, processingCategory }: Service): string {
  const isUsual = rateIndicator === USUAL[0] && processingCategory === USUAL[1]
  return isUsual ? mailClass : `${mailClass}/${rateIndicator}/${processingCategory}`
}

export function readService(code: string): Service {
  const [mailClass = '', rateIndicator = USUAL[0], processingCategory = USUAL[1]] = code.split('/')
  return { mailClass, rateIndicator, processingCategory }
}

const TERRITORIES: ReadonlySet<string> = new Set('AS FM GU MH MP PR PW VI'.split(' '))

/** Puerto Rico and others are countries to most shops, and states to USPS. */
export function withStates(order: CarrierOrder): CarrierOrder {
  const toState = (address: PostalAddress): PostalAddress => {
    const { country } = address
    return TERRITORIES.has(country) ? { ...address, country: 'US', state: country } : address
  }
  const { shipment } = order
  const { from, to } = shipment
  return { ...order, shipment: { ...shipment, from: toState(from), to: toState(to) } }
}

/** Characters of a line of an address, and of a city (Labels API). */
export const ADDRESS_MOST = { line: 50, city: 28 } as const

/** Blank fields are left out: USPS refuses them. */
export function toAddress(address: PostalAddress): object {
  const { name, company, addr1, addr2, city, state, code, phone, email } = address
  const [ZIPCode, ZIPPlus4] = [code.slice(0, 5), /^\d{5}-?(\d{4})$/.exec(code)?.[1] ?? '']
  const space = name.lastIndexOf(' ')
  const [firstName, lastName] =
    space < 0 ? [name, ''] : [name.slice(0, space), name.slice(space + 1)]
  const fields = {
    firstName,
    lastName,
    firm: company || (lastName === '' ? name : ''),
    streetAddress: addr1,
    secondaryAddress: addr2,
    city: city.slice(0, ADDRESS_MOST.city),
    state: state.toUpperCase(),
    ZIPCode,
    ZIPPlus4,
    email,
    phone: phone.replace(/\D/g, ''),
  }
  const given = Object.entries(withoutBlanks(fields))
  return Object.fromEntries(
    given.map(([field, value]) => [field, value.slice(0, ADDRESS_MOST.line)]),
  )
}

/** `{error: {code, message, errors}}`, or OAuth's `{error, error_description}`; never an empty list. */
export function readErrors({ status, text }: HttpReply): readonly CarrierRemark[] {
  const body = jsonOf(text)
  const error = at(body, 'error')
  const message = textAt(error, 'message') || textAt(body, 'error_description')
  const carrierCode = textAt(error, 'code') || textAt(error) || String(status)
  const details = listOf(at(error, 'errors')).flatMap((one) => {
    const words = textAt(one, 'detail') || textAt(one, 'title')
    return words === '' || words === message ? [] : [words]
  })
  const words = [message, ...details].filter((one) => one !== '')
  const told = words.length > 0 ? words : [`USPS answered with HTTP ${status}.`]
  return told.map((one) => {
    const field = fieldOf(one)
    return failure(classify(one, status, field), one, { carrierCode, field })
  })
}

/** A breach of USPS's description is one long sentence with a path in it. */
function fieldOf(words: string): string {
  return /\[Path '\/([^']*)'\]/.exec(words)?.[1]?.replaceAll('/', '.') ?? ''
}

const WORDS: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/duplicate|already (been )?(cancel|refund)/i, 'ALREADY_VOID'],
  [/\b(weight|length|width|height|girth|dimension)/i, 'BAD_SIZE'],
  [
    /address not found|invalid (zip|address|city|state)|not deliverable|from provided zips/i,
    'NOT_SERVED',
  ],
  [/mail ?class|rate ?indicator|processing ?category|no rates?\b/i, 'UNKNOWN_SERVICE'],
  [/insufficient funds|payment account/i, 'NO_FUNDS'],
]

function classify(words: string, status: number, field: string): Parameters<typeof failure>[0] {
  if (status !== 400 && status !== 404) return kindOfStatus(status)
  const found = WORDS.find(([pattern]) => pattern.test(field === '' ? words : field))?.[1]
  return found ?? (field === '' ? kindOfStatus(status) : 'MISSING_FIELD')
}
