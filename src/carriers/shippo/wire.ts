import { type CarrierRemark, failure } from '../answers.ts'
import type { CallWith, CarrierOrder, HttpReply, NextCall } from '../carrier.ts'
import { fieldsOfBoth, missingFields, signerOf } from '../orders.ts'
import {
  at,
  isObject,
  jsonCall,
  jsonOf,
  kindOfStatus,
  listOf,
  textAt,
  withoutBlanks,
} from '../reading.ts'
import {
  describeContents,
  hasSize,
  type Parcel,
  type PostalAddress,
  type Shipment,
  signatureOf,
  toDecimal,
  upToHundredths,
} from '../shipment.ts'

export const ID = /^\w{8,64}$/

export const callWith: CallWith = ({ account }, method, path, body) => {
  const Authorization = `ShippoToken ${account['key'] ?? ''}`
  return jsonCall(method, path, { Authorization, 'SHIPPO-API-VERSION': '2018-02-08' }, body)
}

/** Our request, as each label that it buys has it. */
export function markOf({ requestId }: CarrierOrder): string {
  return requestId.slice(-100)
}

/** Labels of one request: a rate may be bought again by another one. Those of further parcels may have no mark. */
export function ofMark(transactions: readonly unknown[], mark: string): readonly unknown[] {
  return transactions.filter((one) => ['', mark].includes(textAt(one, 'metadata')))
}

/** Numbers are texts there. */
export function askRates(order: CarrierOrder): NextCall {
  const { shipment } = order
  const { parcels } = shipment
  const sizeless = parcels.findIndex((one) => !hasSize(one))
  const missing = missingFields([
    ...fieldsOfBoth(shipment, ['addr1', 'city', 'code']),
    ...signerOf(shipment),
    ['packages', parcels.length > 0 ? 'given' : ''],
    [`packages[${sizeless}].length`, sizeless < 0 ? 'given' : ''],
  ])
  if (missing.length > 0) return { errors: missing }
  if (shipment.from.taxId?.type === 'GST') {
    const message =
      'ship_tax_id_type: got "GST", wanted EORI, VAT, IOSS or EIN: Shippo has no other.'
    return { errors: [failure('MISSING_FIELD', message, { field: 'ship_tax_id_type' })] }
  }
  const signature = signatureOf(shipment)
  const [first, another] = parcels
  const extra = {
    // Shippo itself turns the addresses round.
    ...(shipment.isReturn && { is_return: true }),
    ...(signature === 'DIRECT' && { signature_confirmation: 'STANDARD' }),
    ...(signature === 'ADULT' && { signature_confirmation: 'ADULT' }),
    ...(first !== undefined && another === undefined && insuranceFor(first, shipment)),
    ...(shipment.references[0] !== undefined && {
      reference_1: shipment.references[0].slice(0, 50),
    }),
  }
  const body = {
    address_from: toAddress(shipment.from),
    address_to: toAddress(shipment.to),
    parcels: parcels.map((one) => ({
      length: decimal(one.length),
      width: decimal(one.width),
      height: decimal(one.height),
      distance_unit: shipment.lengthUnit.toLowerCase(),
      weight: decimal(one.weight),
      mass_unit: shipment.weightUnit.toLowerCase(),
      ...(another !== undefined && one.insuredCents > 0 && { extra: insuranceFor(one, shipment) }),
    })),
    ...(Object.keys(extra).length > 0 && { extra }),
    ...(shipment.customs.length > 0 && { customs_declaration: toCustoms(shipment) }),
    ...(shipment.carrierAccounts.length > 0 && { carrier_accounts: shipment.carrierAccounts }),
    metadata: markOf(order),
    async: false,
  }
  return { call: callWith(order, 'POST', '/shipments', body) }
}

/** Makes the insurance of a shipment of one parcel, or of each parcel of several; without a content there is none. */
function insuranceFor({ insuredCents, insuredCurrency }: Parcel, { customs }: Shipment): object {
  if (insuredCents === 0) return {}
  const content = describeContents({ customs }).slice(0, 200)
  return { insurance: { amount: toDecimal(insuredCents), currency: insuredCurrency, content } }
}

function decimal(value: number): string {
  return String(upToHundredths(value))
}

/** Blank fields are left out. */
export function toAddress(address: PostalAddress): object {
  const { name, company, addr1, addr2, addr3, city, state, code, country, phone, email } = address
  const fields = {
    name: name || company,
    company,
    street1: addr1,
    street2: addr2,
    street3: addr3,
    city,
    state,
    zip: code,
    country,
    phone,
    email,
  }
  return {
    ...withoutBlanks(fields),
    ...(address.isResidential !== undefined && { is_residential: address.isResidential }),
  }
}

/** It takes an EORI number, or one of these kinds. */
function toExporter({ taxId }: PostalAddress): object | undefined {
  if (taxId === undefined) return undefined
  const { number, type } = taxId
  return type === 'EORI' ? { eori_number: number } : { tax_id: { number, type } }
}

function toCustoms(shipment: Shipment): object {
  const { contents, invoiceNumber } = shipment
  const exporter = toExporter(shipment.from)
  return {
    certify: true,
    certify_signer: shipment.from.name || shipment.from.company,
    contents_type: contents === 'RETURN' ? 'RETURN_MERCHANDISE' : contents,
    ...(invoiceNumber !== '' && { invoice: invoiceNumber }),
    ...(exporter !== undefined && { exporter_identification: exporter }),
    non_delivery_option: 'RETURN',
    items: shipment.customs.map((line) => {
      const { quantity } = line
      return {
        description: line.description,
        quantity,
        net_weight: decimal(line.weight * quantity),
        mass_unit: shipment.weightUnit.toLowerCase(),
        value_amount: toDecimal(line.cents * quantity),
        value_currency: shipment.currency,
        origin_country: line.origin,
        ...(line.tariffCode !== '' && { tariff_number: line.tariffCode }),
      }
    }),
  }
}

/** The body of a good answer. */
export function bodyOf({ status, text }: HttpReply): unknown {
  return status === 200 || status === 201 ? jsonOf(text) : undefined
}

/** Shippo has four shapes: `{detail}`, `{field: [text]}`, `{message}` and a bare text; never an empty list. */
export function readErrors({ status, text }: HttpReply): readonly CarrierRemark[] {
  const body = jsonOf(text)
  const whole = textAt(body, 'detail') || textAt(body, 'message') || textAt(body)
  if (whole !== '') return [failure(kindOf(whole, status), whole, { carrierCode: String(status) })]
  const fields = isObject(body) ? Object.entries(body) : []
  const told = fields.flatMap(([field, value]) =>
    wordsOf(value).map((words) =>
      failure(kindOf(words, status), words, { carrierCode: String(status), field }),
    ),
  )
  if (told.length > 0) return told
  const otherwise = `Shippo answered with HTTP ${status}.`
  return [failure(kindOfStatus(status), otherwise, { carrierCode: String(status) })]
}

function wordsOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((one) => {
    if (isObject(one)) return Object.values(one).flatMap(wordsOf)
    const words = textAt(one)
    return words === '' ? [] : [words]
  })
}

function kindOf(words: string, status: number): Parameters<typeof failure>[0] {
  if (status !== 400 && status !== 200 && status !== 201) return kindOfStatus(status)
  if (/required|data not accepted as valid/i.test(words)) return 'MISSING_FIELD'
  if (/weight|dimension|length|width|height/i.test(words)) return 'BAD_SIZE'
  if (/10429|too many requests/i.test(words)) return 'RATE_LIMIT'
  if (/not yet registered|insufficient|balance|payment method/i.test(words)) return 'NO_FUNDS'
  return /tracking/i.test(words) ? 'UNKNOWN_NUMBER' : 'CARRIER_FAULT'
}

/** Faults of the carriers underneath stand in a good answer. */
export function readMessages(
  body: unknown,
  kind?: Parameters<typeof failure>[0],
): readonly CarrierRemark[] {
  return listOf(at(body, 'messages')).map((one) => {
    const words = textAt(one, 'text') || textAt(one)
    const told = [textAt(one, 'source'), words].filter((part) => part !== '').join(': ')
    const found = kindOf(told, 200)
    return failure(
      found === 'CARRIER_FAULT' ? (kind ?? found) : found,
      told || 'A carrier refused.',
      {
        carrierCode: textAt(one, 'code'),
      },
    )
  })
}
