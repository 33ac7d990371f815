import { createHash } from 'node:crypto'
import { type CarrierRemark, failure } from '../answers.ts'
import type { CallWith, CarrierOrder, HttpReply } from '../carrier.ts'
import { fieldsOf, missingFields } from '../orders.ts'
import {
  at,
  jsonCall,
  jsonOf,
  kindOfStatus,
  listOf,
  saysInOrder,
  textAt,
  withoutBlanks,
} from '../reading.ts'
import {
  hasSize,
  insuranceOf,
  type Parcel,
  type PostalAddress,
  type Shipment,
  signatureOf,
  toAmount,
  travelOf,
  upToHundredths,
} from '../shipment.ts'

/** ShipEngine and ShipStation have the same API under two names. */
export interface Edition {
  readonly name: string
  readonly host: string
  readonly version: 'v1' | 'v2'
}

export const callWith: CallWith = ({ account }, method, path, body) => {
  return jsonCall(method, path, { 'API-Key': account['key'] ?? '' }, body)
}

/** The fields that every shipment needs. */
export function findMissing({ shipment }: CarrierOrder): readonly CarrierRemark[] {
  return missingFields([
    ['shipper', shipment.from.name || shipment.from.company],
    ...fieldsOf('ship', shipment.from, ['addr1', 'city', 'code', 'phone']),
    ['to_name', shipment.to.name || shipment.to.company],
    ...fieldsOf('to', shipment.to, ['addr1', 'city', 'code']),
    ['packages', shipment.parcels.length > 0 ? 'given' : ''],
  ])
}

const CONFIRMATIONS = {
  '': 'none',
  DIRECT: 'signature',
  ADULT: 'adult_signature',
  NO_SIGNATURE_REQUIRED: 'delivery',
} as const

export function toShipment({ shipment: asked }: CarrierOrder): object {
  const shipment = travelOf(asked)
  const taxIds = [...toTaxId('shipper', shipment.from), ...toTaxId('recipient', shipment.to)]
  return {
    ship_from: toAddress(shipment.from),
    ship_to: toAddress(shipment.to),
    ...(shipment.isReturn && { is_return: true }),
    confirmation: CONFIRMATIONS[signatureOf(shipment)],
    // Without one the insured values of packages are passed over.
    ...(insuranceOf(shipment) !== undefined && { insurance_provider: 'carrier' }),
    packages: shipment.parcels.map((one) => toPackage(one, shipment)),
    ...(shipment.customs.length > 0 && { customs: toCustoms(shipment) }),
    ...(taxIds.length > 0 && { tax_identifiers: taxIds }),
  }
}

function toPackage(parcel: Parcel, shipment: Shipment): object {
  const { length, width, height, insuredCents, insuredCurrency } = parcel
  return {
    weight: {
      value: upToHundredths(parcel.weight),
      unit: shipment.weightUnit === 'LB' ? 'pound' : 'kilogram',
    },
    ...(hasSize(parcel) && {
      dimensions: {
        length,
        width,
        height,
        unit: shipment.lengthUnit === 'IN' ? 'inch' : 'centimeter',
      },
    }),
    ...(insuredCents > 0 && { insured_value: toMoney(insuredCents, insuredCurrency) }),
    ...(shipment.references.length > 0 && {
      label_messages: {
        reference1: shipment.references[0]?.slice(0, 60) ?? null,
        reference2: shipment.references[1]?.slice(0, 60) ?? null,
        reference3: shipment.references[2]?.slice(0, 60) ?? null,
      },
    }),
  }
}

/** Currencies are in lower case there. */
function toMoney(cents: number, currency: string): object {
  return { amount: toAmount(cents), currency: currency.toLowerCase() }
}

export function toAddress(address: PostalAddress): object {
  const { name, company, addr1, addr2, addr3, city, state, code, country, phone, email } = address
  const { isResidential } = address
  const fields = {
    name: name || company,
    company_name: company,
    phone,
    email,
    address_line1: addr1,
    address_line2: addr2,
    address_line3: addr3,
    city_locality: city,
    state_province: state,
    postal_code: code,
    country_code: country,
    address_residential_indicator:
      isResidential === undefined ? 'unknown' : isResidential ? 'yes' : 'no',
  }
  return withoutBlanks(fields)
}

// Description of ShipEngine, package_contents.
const CONTENTS = {
  MERCHANDISE: 'merchandise',
  GIFT: 'gift',
  SAMPLE: 'sample',
  RETURN: 'returned_goods',
} as const

function toTaxId(entity: 'shipper' | 'recipient', { taxId }: PostalAddress): readonly object[] {
  if (taxId === undefined) return []
  const { number, type, country } = taxId
  return [
    {
      taxable_entity_type: entity,
      // Its list has no number of the goods and services tax but the general one.
      identifier_type: type === 'GST' ? 'tin' : type.toLowerCase(),
      issuing_authority: country,
      value: number,
    },
  ]
}

function toCustoms(shipment: Shipment): object {
  return {
    contents: CONTENTS[shipment.contents],
    non_delivery: 'return_to_sender',
    customs_items: shipment.customs.map((line) => ({
      description: line.description,
      quantity: line.quantity,
      value: toAmount(line.cents),
      value_currency: shipment.currency.toLowerCase(),
      country_of_origin: line.origin,
      ...(line.tariffCode !== '' && { harmonized_tariff_code: line.tariffCode }),
    })),
  }
}

const ID_MOST = 50 // characters of an external_shipment_id; a longer one is cut

/**
 * Our request, which the account knows a shipment by: unique, so that it can be bought once. With the time, as the id of a request
 * may be used again after days.
 */
export function externalId({ requestId, now }: CarrierOrder): string {
  const id = `${requestId}-${now.toString(36)}`
  if (id.length <= ID_MOST) return id
  return createHash('sha256').update(id).digest('hex').slice(0, ID_MOST)
}

/** `{errors: [...]}`, or the bare text `Unauthorized`; never an empty list. */
export function readErrors({ status, text }: HttpReply): readonly CarrierRemark[] {
  const told = readList(jsonOf(text), status)
  if (told.length > 0) return told
  const words = textAt(jsonOf(text)) || `It answered with HTTP ${status}.`
  return [failure(kindOfStatus(status), words, { carrierCode: String(status) })]
}

/** Faults that stand in `errors` of an answer, also beside good rates. */
export function readList(body: unknown, status: number): readonly CarrierRemark[] {
  return listOf(at(body, 'errors')).map((one) => {
    const message = textAt(one, 'message')
    const code = textAt(one, 'error_code')
    const from = textAt(one, 'carrier_name') || textAt(one, 'carrier_code')
    const words = [from, message].filter((part) => part !== '').join(': ')
    return failure(kindOf(one, message, status), words || 'It refused without a reason.', {
      carrierCode: code,
      field: textAt(one, 'field_name'),
    })
  })
}

function kindOf(one: unknown, message: string, status: number): Parameters<typeof failure>[0] {
  const type = textAt(one, 'error_type')
  if (type === 'security') return 'AUTHENTICATION'
  if (type === 'account_status') return 'NO_FUNDS'
  if (/voided/i.test(message) && /already|(has|have|was) been/i.test(message)) return 'ALREADY_VOID'
  if (/is required|A value is required/i.test(message)) return 'MISSING_FIELD'
  if (/weight|dimension/i.test(message)) return 'BAD_SIZE'
  if (/service_code/i.test(message) || saysInOrder(message, /service /i, /invalid|not/i))
    return 'UNKNOWN_SERVICE'
  if (status !== 400 && status !== 200 && status !== 207) return kindOfStatus(status)
  return textAt(one, 'field_name') === '' ? 'CARRIER_FAULT' : 'MISSING_FIELD'
}
