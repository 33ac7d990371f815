import { type CarrierRemark, failure } from '../answers.ts'
import type { CallWith, CarrierOrder, HttpReply, NextCall } from '../carrier.ts'
import { fieldsOfBoth, missingFields, signerOf } from '../orders.ts'
import { at, jsonCall, jsonOf, kindOfStatus, listOf, textAt, withoutBlanks } from '../reading.ts'
import {
  hasSize,
  insuranceOf,
  type PostalAddress,
  type Shipment,
  toAmount,
  toDecimal,
  upToHundredths,
} from '../shipment.ts'

export const callWith: CallWith = ({ account, requestId }, method, path, body) => {
  const headers = {
    Authorization: `Token ${account['key'] ?? ''}`,
    'X-Request-ID': requestId.replace(/[^\w.-]/g, '_').slice(-200),
  }
  return jsonCall(method, path, headers, body)
}

/** A draft: without a service it is only rated. */
export function askRates(order: CarrierOrder): NextCall {
  const { shipment, label, requestId } = order
  const missing = missingFields([
    ...fieldsOfBoth(shipment, ['addr1', 'city', 'code']),
    ...signerOf(shipment),
    ['packages', shipment.parcels.length > 0 ? 'given' : ''],
  ])
  if (missing.length > 0) return { errors: missing }
  const body = {
    shipper: toAddress(shipment.from),
    recipient: toAddress(shipment.to),
    parcels: shipment.parcels.map((one) => ({
      weight: upToHundredths(one.weight),
      weight_unit: shipment.weightUnit,
      ...(hasSize(one) && {
        length: one.length,
        width: one.width,
        height: one.height,
        dimension_unit: shipment.lengthUnit,
      }),
      packaging_type: one.packagingType || 'your_packaging',
    })),
    ...(Object.keys(optionsOf(shipment)).length > 0 && { options: optionsOf(shipment) }),
    ...(shipment.customs.length > 0 && { customs: toCustoms(shipment) }),
    ...(shipment.carrierAccounts.length > 0 && { carrier_ids: shipment.carrierAccounts }),
    label_type: label.format,
    reference: (shipment.references[0] || requestId).slice(0, 100),
  }
  return { call: callWith(order, 'POST', '/v1/shipments', body) }
}

function optionsOf(shipment: Shipment): object {
  const insured = insuranceOf(shipment)
  const isSigned = shipment.parcels.some(
    ({ signature }) => signature === 'DIRECT' || signature === 'ADULT',
  )
  return {
    ...(isSigned && { signature_confirmation: true }),
    ...(insured !== undefined && {
      insurance: toAmount(insured.cents),
      currency: insured.currency,
    }),
  }
}

function toAddress(address: PostalAddress): object {
  const { name, company, addr1, addr2, city, state, code, country, phone, email } = address
  const fields = {
    person_name: name,
    company_name: company,
    phone_number: phone,
    email,
    address_line1: addr1,
    address_line2: addr2,
    city,
    state_code: state,
    postal_code: code,
    country_code: country,
    federal_tax_id: address.taxId?.number ?? '',
  }
  return {
    ...withoutBlanks(fields),
    ...(address.isResidential !== undefined && { residential: address.isResidential }),
  }
}

function toCustoms(shipment: Shipment): object {
  const { contents, incoterm, invoiceNumber } = shipment
  return {
    content_type: contents === 'RETURN' ? 'return_merchandise' : contents.toLowerCase(),
    incoterm,
    ...(invoiceNumber !== '' && { invoice: invoiceNumber.slice(0, 50) }),
    certify: true,
    signer: (shipment.from.name || shipment.from.company).slice(0, 50),
    commodities: shipment.customs.map((line) => ({
      description: line.description,
      quantity: line.quantity,
      weight: upToHundredths(line.weight),
      weight_unit: shipment.weightUnit,
      value_amount: Number(toDecimal(line.cents)),
      value_currency: shipment.currency,
      origin_country: line.origin,
      ...(line.tariffCode !== '' && { hs_code: line.tariffCode }),
    })),
  }
}

/** karrio's own faults stand in `errors`, those of the carriers underneath (424) in `messages`; never an empty list. */
export function readErrors({ status, text }: HttpReply): readonly CarrierRemark[] {
  const body = jsonOf(text)
  const told = [...readList(at(body, 'errors'), status), ...readList(at(body, 'messages'), status)]
  if (told.length > 0) return told
  const words = textAt(body, 'detail') || `karrio answered with HTTP ${status}.`
  return [failure(kindOfStatus(status), words, { carrierCode: String(status) })]
}

/** `messages` stand beside rates too. */
export function readList(list: unknown, status: number): readonly CarrierRemark[] {
  return listOf(list).map((one) => {
    const message = textAt(one, 'message')
    const details = at(one, 'details')
    const from = textAt(one, 'carrier_name')
    const more =
      message === '' && details !== undefined ? JSON.stringify(details).slice(0, 300) : ''
    const words = [from, message || more].filter((part) => part !== '').join(': ')
    const code = textAt(one, 'code')
    return failure(kindOf(code, status), words || 'karrio refused without a reason.', {
      carrierCode: code,
    })
  })
}

function kindOf(code: string, status: number): Parameters<typeof failure>[0] {
  if (code === 'state_error') return 'ALREADY_VOID'
  if (/required|validation|invalid/i.test(code)) return 'MISSING_FIELD'
  return status === 200 || status === 201 ? 'NOT_SERVED' : kindOfStatus(status)
}
