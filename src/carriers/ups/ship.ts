import { createHash } from 'node:crypto'
import { type Activity, failure, type ShippingDocument, toActivity } from '../answers.ts'
import type {
  ActionPlan,
  CarrierFacts,
  CarrierOrder,
  CarrierOutcome,
  HttpCall,
  HttpReply,
  NextCall,
} from '../carrier.ts'
import {
  fieldsOfBoth,
  longFields,
  missingFields,
  refuseSignedReturn,
  withCountries,
} from '../orders.ts'
import { toPapers } from '../papers.ts'
import { at, dimensionsAt, jsonOf, listOf, numberAt, placeAt, textAt } from '../reading.ts'
import {
  describeContents,
  isAbroad,
  isDutiable,
  type PostalAddress,
  readCents,
  toAmount,
  travelOf,
} from '../shipment.ts'
import { refuseBare, toForms } from './forms.ts'
import {
  ADDRESS_MOST,
  findMissing,
  isGood,
  nameOf,
  PRINTED_RETURN,
  phoneOf,
  post,
  readAlerts,
  readErrors,
  refuseOrDoubt,
  toAddress,
  toPackage,
  VERSION,
} from './wire.ts'

const REFERENCE_MOST = 35 // characters of a ReferenceNumber
const GOODS_MOST = 50 // characters of a shipment's Description
const PRODUCT_MOST = 35 // and of a package's

export const shipping: ActionPlan<'SubmitShipment'> = {
  request: askShipment,
  parse: readShipment,
  recover: askRecovery,
  parseRecovery: readRecovery,
}

function askShipment(given: CarrierOrder): NextCall {
  const order = withCountries(given)
  const { shipment, account, label } = order
  const { from, to } = shipment
  const travel = travelOf(shipment)
  const missing = findMissing(order, [
    ['shipper', from.name] as const,
    ['to_name', to.name] as const,
    ...fieldsOfBoth(shipment, ['addr1', 'city', 'code']),
    ['service', shipment.service],
  ])
  if (missing !== undefined) return missing
  const wrong = [...longFields(shipment, ADDRESS_MOST), ...refuseSignedReturn(shipment)]
  if (wrong.length > 0) return { errors: wrong }
  const bare = refuseBare(shipment)
  if (bare !== undefined) return bare
  const number = account['account_number']
  const references = {
    ReferenceNumber: [markOf(order), ...shipment.references]
      .slice(0, 2)
      .map((value) => ({ Value: value.slice(0, REFERENCE_MOST) })),
  }
  // Those of packages are within the United States and Puerto Rico alone, those of shipments for all others (Shipping.yaml).
  const isOfPackages = from.country === to.country && ['US', 'PR'].includes(from.country)
  const call = post(`/api/shipments/${VERSION}/ship`, {
    ShipmentRequest: {
      Request: { RequestOption: 'nonvalidate' },
      Shipment: {
        ...(isAbroad(shipment) && {
          Description: describeContents(shipment).slice(0, GOODS_MOST),
        }),
        Shipper: { ...toParty(from), ShipperNumber: number },
        // The account's owner also where he gets the parcel back.
        ShipTo: toParty(travel.to),
        ShipFrom: toParty(travel.from),
        ...(shipment.isReturn && { ReturnService: PRINTED_RETURN }),
        PaymentInformation: {
          ShipmentCharge: [
            { Type: '01', BillShipper: { AccountNumber: number } },
            // Duties and taxes; left out the recipient pays them.
            ...(isDutiable(shipment) && shipment.incoterm === 'DDP'
              ? [{ Type: '02', BillShipper: { AccountNumber: number } }]
              : []),
          ],
        },
        Service: { Code: shipment.service },
        ...toForms(order, markOf(order)),
        ShipmentRatingOptions: { NegotiatedRatesIndicator: 'Y' },
        ...(!isOfPackages && references),
        Package: shipment.parcels.map((parcel) => ({
          Packaging: { Code: parcel.packagingType || '02' },
          ...toPackage(parcel, shipment),
          // Of returns alone it has to be there.
          ...(shipment.isReturn && {
            Description: describeContents(shipment).slice(0, PRODUCT_MOST),
          }),
          ...(isOfPackages && references),
        })),
      },
      LabelSpecification: {
        LabelImageFormat: { Code: label.format },
        LabelStockSize: { Height: '6', Width: '4' },
      },
    },
  })
  return { call: { ...call, spends: true }, kept: { mark: markOf(order) } }
}

/**
 * Our request among UPS's reference numbers, to ask for after a time-out: the ends of two long ids may be the same.
 * Decision `ups-recovery`.
 */
function markOf({ requestId }: CarrierOrder): string {
  if (requestId.length <= REFERENCE_MOST) return requestId
  const hash = createHash('sha256').update(requestId).digest('hex').slice(0, 16)
  return `${requestId.slice(0, REFERENCE_MOST - 17)}-${hash}`
}

function toParty(address: PostalAddress): object {
  const { name, phone, taxId } = address
  return {
    Name: nameOf(address),
    AttentionName: name.slice(0, 35),
    ...(phone === '' ? {} : { Phone: { Number: phoneOf(address) } }),
    ...(taxId !== undefined && { TaxIdentificationNumber: taxId.number }),
    Address: toAddress(address),
  }
}

function readShipment(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const body = at(jsonOf(reply.text), 'ShipmentResponse')
  const results = at(body, 'ShipmentResults')
  const packages = listOf(at(results, 'PackageResults'))
  const id = textAt(results, 'ShipmentIdentificationNumber')
  if (!isGood(reply) || id === '' || packages.length === 0) return refuseOrDoubt(reply)
  const list = readCents(textAt(results, 'ShipmentCharges', 'TotalCharges', 'MonetaryValue'))
  const own = readCents(textAt(results, 'NegotiatedRateCharges', 'TotalCharge', 'MonetaryValue'))
  const currency = textAt(results, 'ShipmentCharges', 'TotalCharges', 'CurrencyCode')
  const data = {
    charges: toAmount(own ?? list ?? 0),
    currency: currency || 'USD',
    tracking_number: textAt(packages, 0, 'TrackingNumber') || id,
    shipment_id: id,
    packages: packages.map((one) => toLabel(one, 'ShippingLabel', 'ImageFormat', order)),
    documents: papersOf(at(results, 'Form')),
  }
  return { data, remarks: readAlerts(body) }
}

function toLabel(one: unknown, image: string, format: string, order: CarrierOrder) {
  return {
    tracking_number: textAt(one, 'TrackingNumber'),
    label: cleanBase64(textAt(one, image, 'GraphicImage')),
    label_format: (textAt(one, image, format, 'Code') || order.label.format).toUpperCase(),
  }
}

/** Gives the one file with all forms that were asked for, which is the invoice. */
function papersOf(forms: unknown): readonly ShippingDocument[] {
  return listOf(forms).flatMap((one) =>
    toPapers(
      'commercial_invoice',
      textAt(one, 'Image', 'GraphicImage'),
      textAt(one, 'Image', 'ImageFormat', 'Code'),
    ),
  )
}

function cleanBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('base64')
}

function askRecovery(order: CarrierOrder, { mark }: CarrierFacts): HttpCall {
  const { label, account, requestId } = order
  return post(`/api/labels/${VERSION}/recovery`, {
    LabelRecoveryRequest: {
      Request: { RequestOption: '' },
      LabelSpecification: {
        // It gives no PNG.
        LabelImageFormat: { Code: label.format === 'PNG' ? 'GIF' : label.format },
        LabelStockSize: { Height: '6', Width: '4' },
      },
      ReferenceValues: {
        // Versions before this one wrote none down.
        ReferenceNumber: { Value: mark ?? requestId.slice(-REFERENCE_MOST) },
        ShipperNumber: account['account_number'],
      },
    },
  })
}

/**
 * Judges a recovery. What is found was bought. What is not found, or in part, may still come: UPS is slow to know, so it stays open. More than there are
 * parcels are of an earlier request too, which had this id before the journal forgot it: nobody can tell them apart.
 */
function readRecovery(
  reply: HttpReply,
  order: CarrierOrder,
): CarrierOutcome<'SubmitShipment'> | 'unknown' {
  const results = listOf(at(jsonOf(reply.text), 'LabelRecoveryResponse', 'LabelResults'))
  const packages = results
    .map((one) => toLabel(one, 'LabelImage', 'LabelImageFormat', order))
    .filter(({ tracking_number: number, label }) => number !== '' && label !== '')
  const [first] = packages
  const isWhole = packages.length === order.shipment.parcels.length
  if (!isGood(reply) || first === undefined || !isWhole) return 'unknown'
  const number = first.tracking_number
  const ids = { tracking_number: number, shipment_id: number }
  const body = at(jsonOf(reply.text), 'LabelRecoveryResponse')
  const documents = papersOf([
    ...listOf(at(body, 'Form')),
    ...results.map((one) => at(one, 'Form')),
  ])
  const message = 'UPS gave the label again; what it cost stands on the invoice.'
  return {
    data: { charges: 0, currency: 'USD', ...ids, packages, documents },
    remarks: [
      failure('CARRIER_TIMEOUT', message, { type: 'WARNING' }),
      ...(isDutiable(order.shipment) && documents.length === 0 ? [NO_INVOICE] : []),
    ],
  }
}

// Shipping.yaml: the recovery of labels has forms of returns alone.
const NO_INVOICE = failure(
  'CARRIER_TIMEOUT',
  'UPS does not give the commercial invoice again. Print it from the shipping history of UPS before the parcel leaves.',
  { type: 'WARNING' },
)

export const voiding: ActionPlan<'VoidShipment'> = { request: askVoid, parse: readVoid }

function askVoid({ shipment }: CarrierOrder): NextCall {
  const id = shipment.shipmentId || shipment.trackingNumber
  if (id === '') return { errors: missingFields([['shipment_id', '']]) }
  const path = `/api/shipments/${VERSION}/void/cancel/${encodeURIComponent(id)}`
  return { call: { method: 'DELETE', path, headers: {}, spends: true } }
}

function readVoid(reply: HttpReply): CarrierOutcome<'VoidShipment'> {
  const status = at(jsonOf(reply.text), 'VoidShipmentResponse', 'SummaryResult', 'Status')
  if (isGood(reply) && textAt(status, 'Code') === '1') {
    return { data: { status: textAt(status, 'Description') || 'Voided', status_code: '1' } }
  }
  const doubt = refuseOrDoubt(reply)
  return 'unknown' in doubt ? { unknown: doubt.unknown } : { errors: readErrors(reply) }
}

export const tracking: ActionPlan<'Track'> = { request: askTrack, parse: readTrack }

function askTrack({ shipment, requestId }: CarrierOrder): NextCall {
  const number = shipment.trackingNumber || shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  return {
    call: {
      method: 'GET',
      path: `/api/track/v1/details/${encodeURIComponent(number)}?locale=en_US`,
      headers: { transId: requestId.slice(0, 32), transactionSrc: 'platen' },
    },
  }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const shipment = at(jsonOf(reply.text), 'trackResponse', 'shipment')
  const packages = listOf(at(shipment, 'package'))
  const [first] = packages
  if (!isGood(reply) || first === undefined) {
    const warnings = listOf(at(shipment, 'warnings')).map((one) =>
      failure('UNKNOWN_NUMBER', textAt(one, 'message'), { carrierCode: textAt(one, 'code') }),
    )
    return { errors: warnings.length > 0 ? warnings : readErrors(reply) }
  }
  const dates = listOf(at(first, 'deliveryDate'))
  const dayOf = (type: string): string => {
    const found = dates.find((one) => textAt(one, 'type') === type)
    return toDay(textAt(found, 'date'))
  }
  const activities = packages.map(readActivities)
  const delivered = activities[0]?.find(({ status_code: code }) => code === 'D')
  const place = (type: string) => {
    const found = listOf(at(first, 'packageAddress')).find((one) => textAt(one, 'type') === type)
    return placeAt(at(found, 'address'), PLACE)
  }
  return {
    data: {
      status: textAt(first, 'currentStatus', 'description') || (activities[0]?.[0]?.status ?? ''),
      status_code: textAt(first, 'activity', 'status', 'type'),
      shipment_id: textAt(shipment, 'inquiryNumber'),
      origin: place('ORIGIN'),
      destination: place('DESTINATION'),
      service: {
        code: textAt(first, 'service', 'code'),
        description: textAt(first, 'service', 'description'),
      },
      pickup_date: '',
      estimated_delivery: dayOf('SDD') || dayOf('RDD'),
      delivered_time: delivered?.time ?? '',
      weight: {
        amount: numberAt(first, 'weight', 'weight'),
        unit: textAt(first, 'weight', 'unitOfMeasurement'),
      },
      dimensions: dimensionsAt(at(first, 'dimension'), 'unitOfDimension'),
      reference_numbers: listOf(at(first, 'referenceNumber')).map((one) => textAt(one, 'number')),
      alternative_tracking_ids: listOf(at(first, 'alternateTrackingNumber')).map((one) => ({
        value: textAt(one, 'number'),
      })),
      packages: packages.map((one, index) => ({
        tracking_number: textAt(one, 'trackingNumber'),
        activity: activities[index] ?? [],
      })),
    },
  }
}

/** Newest first, as UPS sends them. */
function readActivities(one: unknown): readonly Activity[] {
  return listOf(at(one, 'activity')).map((event) =>
    toActivity({
      time: toTime(event),
      status: textAt(event, 'status', 'description'),
      code: textAt(event, 'status', 'type'),
      location: placeAt(at(event, 'location', 'address'), PLACE),
    }),
  )
}

const PLACE = {
  city: 'city',
  state: 'stateProvince',
  zip_code: 'postalCode',
  country: 'country',
} as const

/** `date` and `time` are those of the place; `gmtOffset` may be missing. */
function toTime(event: unknown): string {
  const day = toDay(textAt(event, 'date'))
  const time = /^(\d\d)(\d\d)(\d\d)$/.exec(textAt(event, 'time'))
  if (day === '') return ''
  const offset = textAt(event, 'gmtOffset')
  const clock = time === null ? '00:00:00' : `${time[1]}:${time[2]}:${time[3]}`
  return `${day}T${clock}${/^[+-]\d\d:\d\d$/.test(offset) ? offset : '-00:00'}`
}

function toDay(date: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)$/.exec(date)
  return found === null ? '' : `${found[1]}-${found[2]}-${found[3]}`
}
