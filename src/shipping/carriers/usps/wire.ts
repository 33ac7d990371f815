import type { HttpCall } from '../../carrier.ts'
import {
  type Address,
  type Parcel,
  type Shipment,
  toInches,
  toPounds,
  upToHundredths,
} from '../../shipment.ts'
import { jsonCall, withoutBlanks } from '../../writing.ts'

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
    ...{ length: size(length), width: size(width), height: size(height) },
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

/** What USPS needs to know of a service to sell its label. */
export interface Service {
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

/** Blank fields are left out: USPS refuses them. */
export function toAddress(address: Address): object {
  const { name, company, addr1, addr2, city, state, code, phone, email } = address
  const [ZIPCode, ZIPPlus4] = [code.slice(0, 5), /^\d{5}-?(\d{4})$/.exec(code)?.[1] ?? '']
  const space = name.lastIndexOf(' ')
  const [firstName, lastName] =
    space < 0 ? [name, ''] : [name.slice(0, space), name.slice(space + 1)]
  const fields = {
    ...{ firstName, lastName, firm: company || (lastName === '' ? name : '') },
    ...{ streetAddress: addr1, secondaryAddress: addr2, city: city.slice(0, 28) },
    ...{ state: state.toUpperCase(), ZIPCode, ZIPPlus4, email },
    phone: phone.replace(/\D/g, ''),
  }
  const given = Object.entries(withoutBlanks(fields))
  return Object.fromEntries(given.map(([field, value]) => [field, value.slice(0, 50)]))
}
