import { type CarrierRemark, failure } from '../answers.ts'
import type { CallWith, CarrierOrder, HttpReply, LabelWish, NextCall } from '../carrier.ts'
import { fieldsOfBoth, missingFields, refuseForeignInsurance, signerOf } from '../orders.ts'
import { at, jsonCall, jsonOf, kindOfStatus, listOf, textAt, withoutBlanks } from '../reading.ts'
import {
  hasSize,
  type PostalAddress,
  type Shipment,
  toDecimal,
  toInches,
  toPounds,
} from '../shipment.ts'

/** A call with the key, which is the user's name of HTTP Basic. */
export const callWith: CallWith = ({ account }, method, path, body) => {
  const key = Buffer.from(`${account['key'] ?? ''}:`).toString('base64')
  return jsonCall(method, `/v2${path}`, { Authorization: `Basic ${key}` }, body)
}

export function formatOf({ format }: LabelWish): string {
  return format === 'EPL' ? 'EPL2' : format
}

/** A shipment is rated with the form of its label: later it could only be converted. */
export function askRates(order: CarrierOrder): NextCall {
  const { shipment, label, requestId } = order
  const missing = missingFields([
    ...fieldsOfBoth(shipment, ['addr1', 'city', 'code']),
    ...signerOf(shipment),
  ])
  const wrong = [...missing, ...refuseForeignInsurance(shipment)]
  if (wrong.length > 0) return { errors: wrong }
  const [parcel, another] = shipment.parcels
  if (parcel === undefined || another !== undefined) {
    const message = `packages: got ${shipment.parcels.length}, wanted 1; send a call for each parcel.`
    return { errors: [failure('MISSING_FIELD', message, { field: 'packages' })] }
  }
  const size = (value: number): number => round(toInches(value, shipment))
  const taxIds = [...toTaxId('SENDER', shipment.from), ...toTaxId('RECEIVER', shipment.to)]
  const body = {
    shipment: {
      reference: requestId,
      // EasyPost itself turns the addresses round.
      ...(shipment.isReturn && { is_return: true }),
      from_address: toAddress(shipment.from),
      to_address: toAddress(shipment.to),
      parcel: {
        ...(hasSize(parcel) && {
          length: size(parcel.length),
          width: size(parcel.width),
          height: size(parcel.height),
        }),
        weight: ounces(parcel.weight, shipment),
      },
      ...(shipment.customs.length > 0 && { customs_info: toCustoms(shipment) }),
      ...(parcel.insuredCents > 0 && { insurance: toDecimal(parcel.insuredCents) }),
      ...(taxIds.length > 0 && { tax_identifiers: taxIds }),
      options: {
        label_format: formatOf(label),
        label_size: '4x6',
        ...signature(parcel.signature),
        ...(shipment.invoiceNumber !== '' && { invoice_number: shipment.invoiceNumber }),
      },
      ...(shipment.carrierAccounts.length > 0 && { carrier_accounts: shipment.carrierAccounts }),
    },
  }
  return { call: callWith(order, 'POST', '/shipments', body) }
}

function toTaxId(entity: 'SENDER' | 'RECEIVER', { taxId }: PostalAddress): readonly object[] {
  if (taxId === undefined) return []
  const { number, type, country } = taxId
  return [{ entity, tax_id: number, tax_id_type: type, issuing_country: country }]
}

function signature(wanted: Shipment['parcels'][number]['signature']): object {
  if (wanted === 'DIRECT') return { delivery_confirmation: 'SIGNATURE' }
  if (wanted === 'ADULT') return { delivery_confirmation: 'ADULT_SIGNATURE' }
  return wanted === '' ? {} : { delivery_confirmation: 'NO_SIGNATURE' }
}

/** Blank fields are left out: EasyPost takes a blank text for a value. */
export function toAddress(address: PostalAddress): object {
  const { name, company, addr1, addr2, city, state, code, country, phone, email } = address
  const { isResidential } = address
  const fields = {
    name,
    company,
    street1: addr1,
    street2: addr2,
    city,
    state,
    zip: code,
    country,
    phone,
    email,
  }
  return {
    ...withoutBlanks(fields),
    ...(isResidential === undefined ? {} : { residential: isResidential }),
  }
}

// CustomsInfo, contents_type.
const CONTENTS = {
  MERCHANDISE: 'merchandise',
  GIFT: 'gift',
  SAMPLE: 'sample',
  RETURN: 'returned_goods',
} as const

function toCustoms(shipment: Shipment): object {
  return {
    contents_type: CONTENTS[shipment.contents],
    customs_certify: true,
    customs_signer: shipment.from.name,
    customs_items: shipment.customs.map((line) => ({
      description: line.description,
      quantity: line.quantity,
      // Of the whole line, as its weight.
      value: round((line.cents * line.quantity) / 100),
      weight: ounces(line.weight * line.quantity, shipment),
      ...(line.tariffCode !== '' && { hs_tariff_number: line.tariffCode }),
      origin_country: line.origin,
      currency: shipment.currency,
    })),
  }
}

/** Never rounded down to nothing. */
function ounces(weight: number, shipment: Shipment): number {
  return Math.max(0.1, round(toPounds(weight, shipment) * 16))
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

type FailureKind = Parameters<typeof failure>[0]

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^(PARAMETER|ADDRESS\.PARAMETERS)\./, 'MISSING_FIELD'],
  [/^PARCEL\./, 'BAD_SIZE'],
  [/^SHIPMENT\.MISSING_RATE$/, 'UNKNOWN_SERVICE'],
  [/^ADDRESS\.VERIFY/, 'NOT_SERVED'],
  [/^TRACKER\.NOT_FOUND$/, 'UNKNOWN_NUMBER'],
]

function classify(code: string, status: number): FailureKind {
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? kindOfStatus(status)
}

/**
 * `{error: {code, message, errors}}`, where the message may be a list and the errors objects or texts; never an empty list.
 */
export function readErrors({ text, status }: HttpReply): readonly CarrierRemark[] {
  const error = at(jsonOf(text), 'error')
  const code = textAt(error, 'code')
  const kind = classify(code, status)
  const details = listOf(at(error, 'errors')).flatMap((one) => {
    const description = textAt(one) || textAt(one, 'message')
    const field = textAt(one, 'field')
    return description === '' ? [] : [{ description, field }]
  })
  const message = listOf(at(error, 'message'))
    .map((one) => textAt(one))
    .join(' ')
    .trim()
  const whole = { description: message || `EasyPost answered with HTTP ${status}.`, field: '' }
  return [whole, ...details].map(({ description, field }) =>
    failure(kind, description, { carrierCode: code, field }),
  )
}

/** Reads the reasons why some carriers offer nothing, beside the rates of others. */
export function readMessages(shipment: unknown): readonly CarrierRemark[] {
  return listOf(at(shipment, 'messages')).map((one) => {
    const told = [textAt(one, 'carrier'), textAt(one, 'message')].filter((part) => part !== '')
    return failure('NOT_SERVED', told.join(': ') || 'A carrier offers no rate.', {
      carrierCode: textAt(one, 'type'),
    })
  })
}

/** Anything but a fault of its own. */
export function isGood({ status }: HttpReply): boolean {
  return status === 200 || status === 201
}
