import { failure, type Rate } from '../answers.ts'
import {
  type ActionPlan,
  type CarrierOrder,
  type CarrierOutcome,
  type HttpReply,
  isPaperless,
  type NextCall,
} from '../carrier.ts'
import {
  fieldsOfBoth,
  fieldsToShip,
  longFields,
  missingFields,
  refuseAdultSignature,
  withCountries,
} from '../orders.ts'
import { toPapers } from '../papers.ts'
import { at, dayOf, listOf, numberAt, refuseOrDoubt, textAt, toZonedTime } from '../reading.ts'
import {
  describeContents,
  insuranceOf,
  isDutiable,
  type PostalAddress,
  readCents,
  toAmount,
  travelOf,
  upToHundredths,
} from '../shipment.ts'
import {
  ADDRESS_MOST,
  bodyOf,
  callWith,
  plannedTime,
  readErrors,
  toPackage,
  toPlace,
  unitsOf,
} from './wire.ts'

const REFERENCE_MOST = 35 // characters of a customer reference

export const shipping: ActionPlan<'SubmitShipment'> = {
  request: askShipment,
  parse: readShipment,
  lookUp,
}

function askShipment(given: CarrierOrder): NextCall {
  const order = withCountries(given)
  const { shipment, account, now } = order
  const travel = travelOf(shipment)
  const number = account['account_number'] ?? ''
  const missing = missingFields([
    ['account_number', number],
    ...fieldsToShip(shipment, ['addr1', 'city', 'code', 'phone']),
    ['packages', shipment.parcels.length > 0 ? 'given' : ''],
    ['customs', isDutiable(shipment) && shipment.customs.length === 0 ? '' : 'given'],
  ])
  const wrong = [
    ...missing,
    ...longFields(shipment, ADDRESS_MOST),
    ...refuseAdultSignature(shipment),
  ]
  if (wrong.length > 0) return { errors: wrong }
  const isDeclared = isDutiable(shipment)
  const services = servicesOf(order)
  const call = callWith(order, 'POST', '/shipments', {
    plannedShippingDateAndTime: plannedTime(now),
    pickup: { isRequested: false },
    productCode: shipment.service,
    accounts: [
      { typeCode: 'shipper', number },
      // Of a return the shipper is the customer, and the shop pays.
      ...(shipment.isReturn ? [{ typeCode: 'payer', number }] : []),
      ...(isDutiesPaid(shipment) ? [{ typeCode: 'duties-taxes', number }] : []),
    ],
    ...(services.length > 0 && { valueAddedServices: services }),
    outputImageProperties: toImage(order, isDeclared),
    // Else one document has the labels of all.
    ...(shipment.parcels.length > 1 && {
      getAdditionalInformation: [{ typeCode: 'linkLabelsByPieces', isRequested: true }],
    }),
    customerReferences: [markOf(order), ...shipment.references].slice(0, 5).map((value) => ({
      value: value.slice(0, REFERENCE_MOST),
      typeCode: 'CU',
    })),
    customerDetails: {
      shipperDetails: toParty(travel.from),
      receiverDetails: toParty(travel.to),
    },
    content: {
      packages: shipment.parcels.map((one) => toPackage(one, shipment)),
      ...toContent(order),
    },
  })
  return { call: { ...call, spends: true } }
}

function isDutiesPaid(shipment: CarrierOrder['shipment']): boolean {
  return isDutiable(shipment) && shipment.incoterm === 'DDP'
}

// MyDHL API, value added services: II = insurance, DD = duties and taxes paid by the sender, PT = the label is good for three months,
// WY = paperless trade.
function servicesOf({ shipment, account }: CarrierOrder): readonly object[] {
  const insured = insuranceOf(shipment)
  return [
    ...(insured === undefined
      ? []
      : [{ serviceCode: 'II', value: toAmount(insured.cents), currency: insured.currency }]),
    ...(isDutiesPaid(shipment) ? [{ serviceCode: 'DD' }] : []),
    ...(shipment.isReturn ? [{ serviceCode: 'PT' }] : []),
    ...(isDutiable(shipment) && isPaperless(account) ? [{ serviceCode: 'WY' }] : []),
  ]
}

/** 203 dots per inch are called 200 there. The invoice is made by DHL, a file of its own, always PDF. */
function toImage({ label, shipment }: CarrierOrder, isDeclared: boolean): object {
  const { format, dpi } = label
  const { isReturn } = shipment
  const invoice = {
    typeCode: 'invoice',
    templateName: isReturn ? 'RET_COM_INVOICE_A4_01' : 'COMMERCIAL_INVOICE_P_10',
    invoiceType: isReturn ? 'returns' : 'commercial',
    languageCode: 'eng',
    isRequested: true,
  }
  return {
    encodingFormat: format.toLowerCase(),
    printerDPI: dpi === 300 ? 300 : 200,
    imageOptions: [
      { typeCode: 'label', templateName: 'ECOM26_84_001' },
      ...(isDeclared ? [invoice] : []),
    ],
    ...(isDeclared && { splitInvoiceAndReceipt: true }),
  }
}

function toParty(address: PostalAddress): object {
  const { name, company, phone, email, taxId } = address
  return {
    postalAddress: toPlace(address),
    ...(taxId !== undefined && {
      registrationNumbers: [
        {
          typeCode: REGISTRATIONS[taxId.type],
          number: taxId.number,
          issuerCountryCode: taxId.country,
        },
      ],
    }),
    contactInformation: {
      phone: phone.slice(0, 70),
      companyName: (company || name).slice(0, 100),
      fullName: (name || company).slice(0, 255),
      ...(email !== '' && { email: email.slice(0, 70) }),
    },
  }
}

// MyDHL API, registrationNumbers.typeCode; SDT is the number of the Import One Stop Shop.
const REGISTRATIONS = { EORI: 'EOR', VAT: 'VAT', IOSS: 'SDT', EIN: 'EIN', GST: 'GST' } as const
// MyDHL API, exportReasonType.
const REASONS = {
  GIFT: 'gift',
  SAMPLE: 'sample',
  RETURN: 'return',
} as const

function toContent(order: CarrierOrder): object {
  const { shipment, now } = order
  const { customs, currency, contents, incoterm, invoiceNumber } = shipment
  const isDeclared = isDutiable(shipment)
  const cents = customs.reduce((sum, line) => sum + line.cents * line.quantity, 0)
  return {
    isCustomsDeclarable: isDeclared,
    description: describeContents(shipment).slice(0, 70),
    incoterm,
    unitOfMeasurement: unitsOf(shipment),
    ...(isDeclared && {
      declaredValue: toAmount(cents),
      declaredValueCurrency: currency,
      exportDeclaration: {
        ...(contents !== 'MERCHANDISE' && { exportReasonType: REASONS[contents] }),
        lineItems: customs.map((line, index) => {
          const { quantity } = line
          const weight = upToHundredths(line.weight * quantity)
          return {
            number: index + 1,
            description: line.description,
            price: toAmount(line.cents),
            quantity: { value: quantity, unitOfMeasurement: 'PCS' },
            manufacturerCountry: line.origin,
            weight: { netValue: weight, grossValue: weight },
            ...(line.tariffCode !== '' && {
              commodityCodes: [{ typeCode: 'outbound', value: line.tariffCode }],
            }),
          }
        }),
        invoice: {
          number: (invoiceNumber || markOf(order)).slice(0, REFERENCE_MOST),
          date: dayOf(now),
        },
      },
    }),
  }
}

function markOf({ requestId }: CarrierOrder): string {
  return requestId.slice(-REFERENCE_MOST)
}

/** DHL cannot be asked; a person can. */
function lookUp(order: CarrierOrder): string {
  return `Look in MyDHL+ for a shipment with the reference ${markOf(order)}.`
}

/** DHL's answer has no price: it stands on the invoice. */
function readShipment(reply: HttpReply, { label }: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const body = bodyOf(reply)
  const number = textAt(body, 'shipmentTrackingNumber')
  const documents = listOf(at(body, 'documents'))
  const labels = documents.filter((one) => textAt(one, 'typeCode') === 'label')
  if (number === '') return refuseOrDoubt(reply, readErrors(reply))
  const pieces = listOf(at(body, 'packages'))
  const billed = listOf(at(body, 'shipmentCharges')).find(
    (one) => textAt(one, 'currencyType') === 'BILLC',
  )
  const data = {
    charges: toAmount(readCents(textAt(billed, 'price')) ?? 0),
    currency: textAt(billed, 'priceCurrency') || 'USD',
    tracking_number: number,
    shipment_id: number,
    packages: (labels.length === 0 ? [undefined] : labels).map((one, index) => ({
      tracking_number: textAt(pieceOf(one, pieces) ?? pieces[index], 'trackingNumber') || number,
      label: Buffer.from(textAt(one, 'content'), 'base64').toString('base64'),
      label_format: textAt(one, 'imageFormat').toUpperCase() || label.format,
    })),
    documents: documents
      .filter((one) => textAt(one, 'typeCode') !== 'label')
      .flatMap((one) =>
        toPapers(textAt(one, 'typeCode'), textAt(one, 'content'), textAt(one, 'imageFormat')),
      ),
  }
  const warnings = listOf(at(body, 'warnings')).map((one) =>
    failure('CARRIER_FAULT', textAt(one) || 'DHL has a warning.', { type: 'WARNING' }),
  )
  return { data, remarks: warnings }
}

/** The parcel that a label says it is of. */
function pieceOf(label: unknown, pieces: readonly unknown[]): unknown {
  const named = numberAt(label, 'packageReferenceNumber')
  return pieces.find((piece) => named > 0 && numberAt(piece, 'referenceNumber') === named)
}

export const rating: ActionPlan<'GetAllRates'> = { request: askRates, parse: readRates }

function askRates(given: CarrierOrder): NextCall {
  const order = withCountries(given)
  const { shipment, account, now } = order
  const travel = travelOf(shipment)
  const number = account['account_number'] ?? ''
  const missing = missingFields([
    ['account_number', number],
    ...fieldsOfBoth(shipment, ['city', 'code']),
    ['packages', shipment.parcels.length > 0 ? 'given' : ''],
  ])
  if (missing.length > 0) return { errors: missing }
  const call = callWith(order, 'POST', '/rates', {
    customerDetails: {
      shipperDetails: toPlace(travel.from),
      receiverDetails: toPlace(travel.to),
    },
    accounts: [{ typeCode: 'shipper', number }],
    ...(shipment.service !== '' && { productCode: shipment.service }),
    plannedShippingDateAndTime: plannedTime(now),
    unitOfMeasurement: unitsOf(shipment),
    isCustomsDeclarable: isDutiable(shipment),
    packages: shipment.parcels.map((parcel) => toPackage(parcel, shipment)),
  })
  return { call }
}

function readRates(reply: HttpReply): CarrierOutcome<'GetAllRates'> {
  const body = bodyOf(reply)
  const products = listOf(at(body, 'products'))
  const rates = products.flatMap(toRate)
  if (rates.length > 0) return { data: { rates } }
  if (body === undefined) return { errors: readErrors(reply) }
  return { errors: [failure('NOT_SERVED', 'DHL has no price for this shipment.')] }
}

/** In the currency that is billed; a product without a price is none. */
function toRate(product: unknown): readonly Rate[] {
  const prices = listOf(at(product, 'totalPrice'))
  const billed = (list: readonly unknown[]): unknown =>
    list.find((one) => textAt(one, 'currencyType') === 'BILLC') ?? list[0]
  const price = billed(prices)
  const cents = readCents(textAt(price, 'price'))
  if (cents === undefined || cents === 0) return []
  const details = listOf(at(billed(listOf(at(product, 'detailedPriceBreakdown'))), 'breakdown'))
  return [
    {
      desc: textAt(product, 'productName') || textAt(product, 'productCode'),
      rate: toAmount(cents),
      negotiated_rate: toAmount(cents),
      currency: textAt(price, 'priceCurrency') || 'USD',
      service_code: textAt(product, 'productCode'),
      est_delivery_time: toZonedTime(
        textAt(product, 'deliveryCapabilities', 'estimatedDeliveryDateAndTime'),
      ),
      delivery_days: Math.trunc(numberAt(product, 'deliveryCapabilities', 'totalTransitDays')),
      package_type: '',
      rate_detail: details.map((one) => ({
        desc: textAt(one, 'name'),
        amount: toAmount(readCents(textAt(one, 'price')) ?? 0),
      })),
    },
  ]
}
