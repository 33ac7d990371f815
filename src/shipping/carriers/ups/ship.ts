import { failure } from '../../answers.ts'
import type { HttpCall, Next, Order, Outcome, Reply } from '../../carrier.ts'
import { readCents, toAmount } from '../../money.ts'
import { fieldsOf, missingFields } from '../../params.ts'
import { at, jsonOf, listOf, textAt } from '../../reading.ts'
import { type Address, isAbroad } from '../../shipment.ts'
import { isGood, readAlerts, readErrors, refuseOrDoubt } from './replies.ts'
import { findMissing, nameOf, post, toAddress, toPackage, VERSION } from './wire.ts'

const REFERENCE_MOST = 35 // characters of a ReferenceNumber

const FORMATS = { ZPL: 'ZPL', EPL: 'EPL', PNG: 'PNG', GIF: 'GIF', PDF: '' } as const

export function askShipment(order: Order): Next {
  const { shipment, account, label } = order
  const { from, to } = shipment
  const missing = findMissing(order, [
    ...[['shipper', from.name] as const, ['to_name', to.name] as const],
    ...fieldsOf('ship', from, ['addr1', 'city', 'code']),
    ...fieldsOf('to', to, ['addr1', 'city', 'code']),
    ['service', shipment.service],
  ])
  if (missing !== undefined) return missing
  if (isAbroad(shipment)) {
    const message = 'Labels to another country need customs papers, which are not built for UPS.'
    return { errors: [failure('NOT_SERVED', message, { field: 'to_country' })] }
  }
  const format = FORMATS[label.format]
  if (format === '') {
    const message = 'image_type: UPS has no PDF labels; wanted ZPL, EPL, PNG or GIF.'
    return { errors: [failure('MISSING_FIELD', message, { field: 'image_type' })] }
  }
  const number = account['account_number']
  const call = post(`/api/shipments/${VERSION}/ship`, {
    ShipmentRequest: {
      Request: { RequestOption: 'nonvalidate' },
      Shipment: {
        Description: (shipment.customs[0]?.description || 'Goods').slice(0, 50),
        Shipper: { ...toParty(from), ShipperNumber: number },
        ShipTo: toParty(to),
        ShipFrom: toParty(from),
        PaymentInformation: {
          ShipmentCharge: [{ Type: '01', BillShipper: { AccountNumber: number } }],
        },
        Service: { Code: shipment.service },
        ShipmentRatingOptions: { NegotiatedRatesIndicator: 'Y' },
        Package: shipment.parcels.map((parcel) => ({
          Packaging: { Code: parcel.packagingType || '02' },
          ...toPackage(parcel, shipment),
          ReferenceNumber: [markOf(order), ...shipment.references].slice(0, 2).map((value) => ({
            Value: value.slice(0, REFERENCE_MOST),
          })),
        })),
      },
      LabelSpecification: {
        LabelImageFormat: { Code: format },
        LabelStockSize: { Height: '6', Width: '4' },
      },
    },
  })
  return { call: { ...call, spends: true } }
}

/** Our request among UPS's reference numbers, to ask for after a time-out. */
function markOf({ requestId }: Order): string {
  return requestId.slice(-REFERENCE_MOST)
}

function toParty(address: Address): object {
  const { name, phone } = address
  return {
    ...{ Name: nameOf(address), AttentionName: name.slice(0, 35) },
    ...(phone === '' ? {} : { Phone: { Number: phone.slice(0, 15) } }),
    Address: toAddress(address),
  }
}

export function readShipment(reply: Reply, order: Order): Outcome<'SubmitShipment'> {
  const body = at(jsonOf(reply.text), 'ShipmentResponse')
  const results = at(body, 'ShipmentResults')
  const packages = listOf(at(results, 'PackageResults'))
  const id = textAt(results, 'ShipmentIdentificationNumber')
  if (!isGood(reply) || id === '' || packages.length === 0) return refuseOrDoubt(reply)
  const list = readCents(textAt(results, 'ShipmentCharges', 'TotalCharges', 'MonetaryValue'))
  const own = readCents(textAt(results, 'NegotiatedRateCharges', 'TotalCharge', 'MonetaryValue'))
  const currency = textAt(results, 'ShipmentCharges', 'TotalCharges', 'CurrencyCode')
  const data = {
    ...{ charges: toAmount(own ?? list ?? 0), currency: currency || 'USD' },
    ...{ tracking_number: textAt(packages, 0, 'TrackingNumber') || id, shipment_id: id },
    packages: packages.map((one) => toLabel(one, 'ShippingLabel', 'ImageFormat', order)),
    documents: [],
  }
  return { data, remarks: readAlerts(body) }
}

function toLabel(one: unknown, image: string, format: string, { label }: Order) {
  return {
    tracking_number: textAt(one, 'TrackingNumber'),
    label: cleanBase64(textAt(one, image, 'GraphicImage')),
    label_format: (textAt(one, image, format, 'Code') || label.format).toUpperCase(),
  }
}

function cleanBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('base64')
}

export function askRecovery(order: Order): HttpCall {
  const { label, account } = order
  return post(`/api/labels/${VERSION}/recovery`, {
    LabelRecoveryRequest: {
      Request: { RequestOption: '' },
      LabelSpecification: {
        // It gives no PNG.
        LabelImageFormat: { Code: label.format === 'PNG' ? 'GIF' : FORMATS[label.format] },
        LabelStockSize: { Height: '6', Width: '4' },
      },
      ReferenceValues: {
        ReferenceNumber: { Value: markOf(order) },
        ShipperNumber: account['account_number'],
      },
    },
  })
}

/** What is found was bought. What is not found may still come: UPS is slow to know, so it stays open. */
export function readRecovery(reply: Reply, order: Order): Outcome<'SubmitShipment'> | 'unknown' {
  const results = listOf(at(jsonOf(reply.text), 'LabelRecoveryResponse', 'LabelResults'))
  const packages = results
    .map((one) => toLabel(one, 'LabelImage', 'LabelImageFormat', order))
    .filter(({ tracking_number: number, label }) => number !== '' && label !== '')
  const [first] = packages
  if (!isGood(reply) || first === undefined) return 'unknown'
  const number = first.tracking_number
  const ids = { tracking_number: number, shipment_id: number }
  const message = 'UPS gave the label again; what it cost stands on the invoice.'
  return {
    data: { charges: 0, currency: 'USD', ...ids, packages, documents: [] },
    remarks: [{ ...failure('CARRIER_TIMEOUT', message), type: 'WARNING' }],
  }
}

export function askVoid({ shipment }: Order): Next {
  const id = shipment.shipmentId || shipment.trackingNumber
  if (id === '') return { errors: missingFields([['shipment_id', '']]) }
  const path = `/api/shipments/${VERSION}/void/cancel/${encodeURIComponent(id)}`
  return { call: { method: 'DELETE', path, headers: {}, spends: true } }
}

export function readVoid(reply: Reply): Outcome<'VoidShipment'> {
  const status = at(jsonOf(reply.text), 'VoidShipmentResponse', 'SummaryResult', 'Status')
  if (isGood(reply) && textAt(status, 'Code') === '1') {
    return { data: { status: textAt(status, 'Description') || 'Voided', status_code: '1' } }
  }
  const doubt = refuseOrDoubt(reply)
  return 'unknown' in doubt ? { unknown: doubt.unknown } : { errors: readErrors(reply) }
}
