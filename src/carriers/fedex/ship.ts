import { type Activity, BLANKS, failure, type ShippingDocument, toActivity } from '../answers.ts'
import {
  type ActionPlan,
  type CarrierOrder,
  type CarrierOutcome,
  type HttpReply,
  isPaperless,
  type LabelWish,
  type NextCall,
} from '../carrier.ts'
import {
  fieldsToShip,
  longFields,
  missingFields,
  refuseSignedReturn,
  withCountries,
} from '../orders.ts'
import { toPapers } from '../papers.ts'
import {
  at,
  dayOf,
  dimensionsAt,
  listOf,
  numberAt,
  placeAt,
  refuseOrDoubt,
  textAt,
  toZonedTime,
} from '../reading.ts'
import { isDutiable, readCents, toAmount, travelOf, upToHundredths } from '../shipment.ts'
import {
  ADDRESS_MOST,
  findMissing,
  outputOf,
  pickupOf,
  REFERENCE_MOST,
  readAlerts,
  readErrors,
  send,
  toCustoms,
  toFailure,
  toPackage,
  toParty,
} from './wire.ts'

// Ship API, labelSpecification.imageType; thermal stock goes with the printers' languages.
const LANGUAGES: Readonly<Partial<Record<LabelWish['format'], string>>> = {
  ZPL: 'ZPLII',
  EPL: 'EPL2',
}

export const shipping: ActionPlan<'SubmitShipment'> = {
  request: askShipment,
  parse: readShipment,
  lookUp,
}

function askShipment(given: CarrierOrder): NextCall {
  const order = withCountries(given)
  const { shipment, account, label } = order
  const { parcels } = shipment
  const travel = travelOf(shipment)
  const missing = findMissing(order, fieldsToShip(shipment, ['addr1', 'city', 'code', 'phone']))
  if (missing !== undefined) return missing
  const wrong = [...longFields(shipment, ADDRESS_MOST), ...refuseSignedReturn(shipment)]
  if (wrong.length > 0) return { errors: wrong }
  const language = LANGUAGES[label.format]
  const call = send('POST', '/ship/v1/shipments', {
    labelResponseOptions: 'LABEL',
    accountNumber: { value: account['account_number'] },
    requestedShipment: {
      shipper: toParty(travel.from),
      recipients: [toParty(travel.to)],
      shipDatestamp: dayOf(order.now),
      serviceType: shipment.service,
      packagingType: shipment.packagingType || 'YOUR_PACKAGING',
      pickupType: pickupOf(shipment),
      totalWeight: upToHundredths(parcels.reduce((sum, { weight }) => sum + weight, 0)),
      totalPackageCount: parcels.length,
      rateRequestType: ['ACCOUNT', 'LIST'],
      shippingChargesPayment: {
        paymentType: 'SENDER',
        // Of a return the sender is the customer, and the shop pays.
        ...(shipment.isReturn && {
          payor: { responsibleParty: { accountNumber: { value: account['account_number'] } } },
        }),
      },
      labelSpecification: {
        imageType: language ?? label.format,
        labelStockType: language === undefined ? 'PAPER_4X6' : 'STOCK_4X6',
        // Of ZPL alone.
        ...(label.format === 'ZPL' && { resolution: label.dpi }),
      },
      requestedPackageLineItems: parcels.map((parcel, index) => ({
        ...toPackage(parcel, order),
        sequenceNumber: index + 1,
        customerReferences: [markOf(order), ...shipment.references]
          .slice(0, 3)
          .map((value, place) => ({
            customerReferenceType: REFERENCES[place] ?? 'CUSTOMER_REFERENCE',
            value: value.slice(0, REFERENCE_MOST),
          })),
      })),
      ...toCustoms(order, 'RECIPIENT'),
      ...toServices(order),
      ...toPapersWanted(order),
    },
  })
  return { call: { ...call, spends: true } }
}

/** The invoice, made by FedEx; where the account has electronic trade documents FedEx sends it to customs itself. */
function toPapersWanted({ shipment }: CarrierOrder): object {
  if (!isDutiable(shipment)) return {}
  const documentFormat = { stockType: 'PAPER_LETTER', docType: 'PDF' }
  return {
    shippingDocumentSpecification: {
      shippingDocumentTypes: INVOICE,
      commercialInvoiceDetail: { documentFormat },
    },
  }
}

const INVOICE = ['COMMERCIAL_INVOICE'] as const

function toServices({ shipment, account }: CarrierOrder): object {
  const isSent = isDutiable(shipment) && isPaperless(account)
  const types = [
    ...(isSent ? ['ELECTRONIC_TRADE_DOCUMENTS'] : []),
    ...(shipment.isReturn ? ['RETURN_SHIPMENT'] : []),
  ]
  if (types.length === 0) return {}
  return {
    shipmentSpecialServices: {
      specialServiceTypes: types,
      ...(isSent && { etdDetail: { requestedDocumentTypes: INVOICE } }),
      ...(shipment.isReturn && { returnShipmentDetail: { returnType: 'PRINT_RETURN_LABEL' } }),
    },
  }
}

// One of each kind is allowed.
const REFERENCES = ['CUSTOMER_REFERENCE', 'INVOICE_NUMBER', 'P_O_NUMBER'] as const

function markOf({ requestId }: CarrierOrder): string {
  return requestId.slice(-REFERENCE_MOST)
}

/** FedEx cannot be asked; a person can. */
function lookUp(order: CarrierOrder): string {
  return `Look in FedEx Ship Manager for a shipment with the reference ${markOf(order)}.`
}

function readShipment(reply: HttpReply, { label }: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const output = outputOf(reply)
  const shipment = at(output, 'transactionShipments', 0)
  const pieces = listOf(at(shipment, 'pieceResponses'))
  const number = textAt(shipment, 'masterTrackingNumber') || textAt(pieces, 0, 'trackingNumber')
  const remarks = [...readAlerts(output), ...readAlerts(shipment)]
  if (number === '' || pieces.length === 0) return refuseOrDoubt(reply, readErrors(reply))
  const { cents, currency } = chargeOf(shipment, pieces)
  const data = {
    charges: toAmount(cents),
    currency,
    tracking_number: number,
    shipment_id: number,
    packages: pieces.map((piece) => {
      const documents = listOf(at(piece, 'packageDocuments'))
      const found = documents.find((one) => textAt(one, 'contentType') === 'LABEL') ?? documents[0]
      return {
        tracking_number: textAt(piece, 'trackingNumber') || number,
        label: Buffer.from(textAt(found, 'encodedLabel'), 'base64').toString('base64'),
        // ZPLII is ZPL.
        label_format: textAt(found, 'docType').replace(/^(ZPL|EPL).*$/, '$1') || label.format,
      }
    }),
    documents: papersOf(shipment, pieces),
  }
  return { data, remarks }
}

/** Lists the documents of the shipment, and those beside the labels of its parcels. */
function papersOf(shipment: unknown, pieces: readonly unknown[]): readonly ShippingDocument[] {
  const beside = pieces.flatMap((piece) =>
    listOf(at(piece, 'packageDocuments')).filter((one) => textAt(one, 'contentType') !== 'LABEL'),
  )
  return [...listOf(at(shipment, 'shipmentDocuments')), ...beside].flatMap((one) =>
    toPapers(textAt(one, 'contentType'), textAt(one, 'encodedLabel'), textAt(one, 'docType')),
  )
}

function chargeOf(shipment: unknown, pieces: readonly unknown[]) {
  const rating = at(shipment, 'completedShipmentDetail', 'shipmentRating')
  const details = listOf(at(rating, 'shipmentRateDetails'))
  const actual = textAt(rating, 'actualRateType')
  const rate = details.find((one) => textAt(one, 'rateType') === actual) ?? details[0]
  const whole = readCents(textAt(rate, 'totalNetCharge'))
  const each = pieces.map((piece) => readCents(textAt(piece, 'netChargeAmount')) ?? 0)
  return {
    cents: whole ?? each.reduce((sum, cents) => sum + cents, 0),
    currency: textAt(rate, 'currency') || textAt(pieces, 0, 'currency') || 'USD',
  }
}

export const voiding: ActionPlan<'VoidShipment'> = { request: askVoid, parse: readVoid }

function askVoid({ shipment, account }: CarrierOrder): NextCall {
  const number = shipment.shipmentId || shipment.trackingNumber
  const missing = missingFields([
    ['account_number', account['account_number'] ?? ''],
    ['shipment_id', number],
  ])
  if (missing.length > 0) return { errors: missing }
  const call = send('PUT', '/ship/v1/shipments/cancel', {
    accountNumber: { value: account['account_number'] },
    emailShipment: false,
    senderCountryCode: shipment.from.country,
    deletionControl: 'DELETE_ALL_PACKAGES',
    trackingNumber: number,
  })
  return { call: { ...call, spends: true } }
}

function readVoid(reply: HttpReply): CarrierOutcome<'VoidShipment'> {
  const output = outputOf(reply)
  const isDone = at(output, 'cancelledShipment') === true
  if (isDone) {
    return { data: { status: 'Success', status_code: '1' }, remarks: readAlerts(output) }
  }
  if (output === undefined) return refuseOrDoubt(reply, readErrors(reply))
  const words = textAt(output, 'message') || textAt(output, 'successMessage')
  const message = words || 'FedEx did not cancel the shipment.'
  return { errors: [failure('CARRIER_FAULT', message), ...readAlerts(output)] }
}

const PLACE = {
  city: 'city',
  state: 'stateOrProvinceCode',
  country: 'countryCode',
} as const

export const tracking: ActionPlan<'Track'> = { request: askTrack, parse: readTrack }

function askTrack({ shipment }: CarrierOrder): NextCall {
  const number = shipment.trackingNumber || shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  const trackingInfo = [{ trackingNumberInfo: { trackingNumber: number } }]
  return {
    call: send('POST', '/track/v1/trackingnumbers', { includeDetailedScans: true, trackingInfo }),
  }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const result = at(outputOf(reply), 'completeTrackResults', 0)
  const tracked = at(result, 'trackResults', 0)
  const error = at(tracked, 'error')
  const status = at(tracked, 'latestStatusDetail')
  if (tracked === undefined) return { errors: readErrors(reply) }
  if (textAt(error, 'code') !== '') {
    return { errors: [toFailure(error, 404, 'FedEx does not know this number.')] }
  }
  const timeOf = (type: string): string => {
    const times = listOf(at(tracked, 'dateAndTimes'))
    return toZonedTime(
      textAt(
        times.find((one) => textAt(one, 'type') === type),
        'dateTime',
      ),
    )
  }
  const weights = at(tracked, 'packageDetails', 'weightAndDimensions')
  const ids = listOf(at(tracked, 'additionalTrackingInfo', 'packageIdentifiers'))
  const number =
    textAt(result, 'trackingNumber') || textAt(tracked, 'trackingNumberInfo', 'trackingNumber')
  return {
    data: {
      ...BLANKS.Track,
      status: textAt(status, 'statusByLocale') || textAt(status, 'description'),
      status_code: textAt(status, 'derivedCode') || textAt(status, 'code'),
      shipment_id: number,
      origin: placeAt(at(tracked, 'shipperInformation', 'address'), PLACE),
      destination: placeAt(at(tracked, 'recipientInformation', 'address'), PLACE),
      service: {
        code: textAt(tracked, 'serviceDetail', 'type'),
        description: textAt(tracked, 'serviceDetail', 'description'),
      },
      pickup_date: timeOf('ACTUAL_PICKUP'),
      estimated_delivery: timeOf('ESTIMATED_DELIVERY'),
      delivered_time: timeOf('ACTUAL_DELIVERY'),
      weight: {
        amount: numberAt(weights, 'weight', 'value'),
        unit: textAt(weights, 'weight', 'unit'),
      },
      dimensions: dimensionsAt(at(weights, 'dimensions'), 'units'),
      reference_numbers: ids.flatMap((one) =>
        listOf(at(one, 'values') ?? at(one, 'value')).map((value) => textAt(value)),
      ),
      packages: [
        { tracking_number: number, activity: listOf(at(tracked, 'scanEvents')).map(readEvent) },
      ],
    },
    remarks: readAlerts(outputOf(reply)),
  }
}

function readEvent(event: unknown): Activity {
  const more = textAt(event, 'exceptionDescription')
  const words = textAt(event, 'eventDescription')
  const type = textAt(event, 'eventType')
  return toActivity({
    time: toZonedTime(textAt(event, 'date')),
    status: more === '' ? words : `${words}: ${more}`,
    code: textAt(event, 'derivedStatusCode') || type,
    type,
    location: placeAt(at(event, 'scanLocation'), PLACE),
  })
}
