import { type CarrierRemark, failure } from '../answers.ts'
import type { CarrierOrder, HttpCall, HttpReply } from '../carrier.ts'
import { missingFields } from '../orders.ts'
import { at, jsonCall, jsonOf, kindOfStatus, listOf, textAt } from '../reading.ts'
import {
  type CustomsLine,
  hasSize,
  isAbroad,
  isDutiable,
  type Parcel,
  type PostalAddress,
  shortPhone,
  toAmount,
  toPounds,
  upToHundredths,
} from '../shipment.ts'

export function send(method: 'POST' | 'PUT', path: string, body: object): HttpCall {
  return jsonCall(method, path, { 'X-locale': 'en_US' }, body)
}

/** Finds what FedEx would only refuse; undefined = all is there. */
export function findMissing(
  { account, shipment }: CarrierOrder,
  fields: readonly (readonly [string, string])[],
): { readonly errors: readonly CarrierRemark[] } | undefined {
  const number = account['account_number'] ?? ''
  const hasCustoms = !isDutiable(shipment) || shipment.customs.length > 0
  const missing = missingFields([
    ['account_number', number],
    ...fields,
    ['packages', shipment.parcels.length > 0 ? 'given' : ''],
    ['customs', hasCustoms ? 'given' : ''],
  ])
  return missing.length > 0 ? { errors: missing } : undefined
}

/** Characters of a street line and of a city (Ship API). */
export const ADDRESS_MOST = { line: 35, city: 35 } as const
const PHONE_MOST = 15

/** Gives the pickup type; what a customer sends back is handed in. */
export function pickupOf({ pickupType, isReturn }: CarrierOrder['shipment']): string {
  return pickupType || (isReturn ? 'DROPOFF_AT_FEDEX_LOCATION' : 'USE_SCHEDULED_PICKUP')
}

/** A place to rate: no lines of a street there. */
export function toPlace({ city, state, code, country, isResidential }: PostalAddress) {
  return {
    ...(city !== '' && { city: city.slice(0, ADDRESS_MOST.city) }),
    // A state of two letters; other countries' regions are not asked for.
    ...(/^[A-Za-z]{2}$/.test(state) && { stateOrProvinceCode: state.toUpperCase() }),
    ...(code !== '' && { postalCode: code }),
    countryCode: country,
    ...(isResidential !== undefined && { residential: isResidential }),
  }
}

export function toStreet({ addr1, addr2, addr3 }: PostalAddress): readonly string[] {
  return [addr1, addr2, addr3]
    .filter((line) => line !== '')
    .map((line) => line.slice(0, ADDRESS_MOST.line))
}

export function toParty(address: PostalAddress): object {
  const { name, company, phone, email, taxId } = address
  return {
    contact: {
      ...(name !== '' && { personName: name.slice(0, 70) }),
      ...(company !== '' && { companyName: company.slice(0, 35) }),
      ...(email !== '' && { emailAddress: email }),
      phoneNumber: shortPhone(phone, PHONE_MOST),
    },
    address: { streetLines: toStreet(address), ...toPlace(address) },
    ...(taxId !== undefined && {
      tins: [{ number: taxId.number, tinType: TIN_TYPES[taxId.type], usage: taxId.type }],
    }),
  }
}

// Ship API, TaxpayerIdentification: a number of the European Union, of a country, of the United States.
const TIN_TYPES = {
  EORI: 'BUSINESS_UNION',
  IOSS: 'BUSINESS_UNION',
  VAT: 'BUSINESS_NATIONAL',
  GST: 'BUSINESS_NATIONAL',
  EIN: 'FEDERAL',
} as const

/** FedEx calls the units by other names than `params` for sizes only. */
export function toPackage(parcel: Parcel, { shipment }: CarrierOrder): object {
  const { length, width, height, weight, insuredCents, insuredCurrency, signature } = parcel
  return {
    groupPackageCount: 1,
    weight: { units: shipment.weightUnit, value: upToHundredths(weight) },
    ...(hasSize(parcel) && {
      dimensions: {
        length: Math.ceil(length),
        width: Math.ceil(width),
        height: Math.ceil(height),
        units: shipment.lengthUnit,
      },
    }),
    ...(insuredCents > 0 && {
      declaredValue: { amount: toAmount(insuredCents), currency: insuredCurrency },
    }),
    ...(signature !== '' && { packageSpecialServices: { signatureOptionType: signature } }),
  }
}

/**
 * The customs declaration; nothing within a country, and within a customs union only where the shop declares its goods. A price is always
 * the sender's.
 */
export function toCustoms({ shipment }: CarrierOrder, payer: 'SENDER' | 'RECIPIENT'): object {
  const { contents, invoiceNumber, incoterm, isReturn } = shipment
  const isDeclared = isDutiable(shipment) || isAbroad(shipment)
  if (!isDeclared || shipment.customs.length === 0) return {}
  return {
    customsClearanceDetail: {
      commercialInvoice: {
        shipmentPurpose: PURPOSES[contents],
        ...(payer === 'RECIPIENT' && { termsOfSale: incoterm }),
        // A price has none.
        ...(payer === 'RECIPIENT' &&
          invoiceNumber !== '' && {
            customerReferences: [
              {
                customerReferenceType: 'INVOICE_NUMBER',
                value: invoiceNumber.slice(0, REFERENCE_MOST),
              },
            ],
          }),
      },
      // Of a return the shop is the recipient.
      dutiesPayment: { paymentType: incoterm === 'DDP' && !isReturn ? 'SENDER' : payer },
      ...(isReturn &&
        payer === 'RECIPIENT' && { customsOption: { type: 'COURTESY_RETURN_LABEL' } }),
      commodities: shipment.customs.map((line) => toCommodity(line, shipment)),
    },
  }
}

// Ship API, commercialInvoice.shipmentPurpose.
const PURPOSES = {
  MERCHANDISE: 'SOLD',
  GIFT: 'GIFT',
  SAMPLE: 'SAMPLE',
  RETURN: 'REPAIR_AND_RETURN',
} as const

/** Characters of a customer reference. */
export const REFERENCE_MOST = 40

const KILOGRAMS = 0.453_592_37 // of a pound

/** FedEx takes kilograms alone here. */
function toCommodity(line: CustomsLine, shipment: CarrierOrder['shipment']): object {
  const { currency } = shipment
  const { quantity } = line
  const money = (cents: number) => ({ amount: toAmount(cents), currency })
  return {
    description: line.description,
    quantity,
    quantityUnits: 'PCS',
    unitPrice: money(line.cents),
    customsValue: money(line.cents * quantity),
    countryOfManufacture: line.origin,
    weight: {
      units: 'KG',
      value: upToHundredths(toPounds(line.weight * quantity, shipment) * KILOGRAMS),
    },
    ...(line.tariffCode !== '' && { harmonizedCode: line.tariffCode }),
  }
}

/** `output` of a good answer. */
export function outputOf({ status, text }: HttpReply): unknown {
  return status === 200 ? at(jsonOf(text), 'output') : undefined
}

/** FedEx's own words; never an empty list. */
export function readErrors({ status, text }: HttpReply): readonly CarrierRemark[] {
  const told = listOf(at(jsonOf(text), 'errors')).map((one) =>
    toFailure(one, status, `FedEx answered with HTTP ${status}.`),
  )
  if (told.length > 0) return told
  return [
    failure(kindOfStatus(status), `FedEx answered with HTTP ${status}.`, {
      carrierCode: String(status),
    }),
  ]
}

/** A `{code, message}` of FedEx. */
export function toFailure(one: unknown, status: number, otherwise: string): CarrierRemark {
  const code = textAt(one, 'code')
  const field = textAt(one, 'parameterList', 'key')
  return failure(classify(code, status), textAt(one, 'message') || otherwise, {
    carrierCode: code,
    field,
  })
}

/** The longest code of FedEx's specifications has 70 characters. */
const CODE_MOST = 200
// FedEx's codes are words: what is wrong stands at their end.
const CODES: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/^(NOT\.AUTHORIZED|FORBIDDEN|LOGIN|UNAUTHORIZED)\b/, 'AUTHENTICATION'],
  [/ALREADY/, 'ALREADY_VOID'],
  [/^TRACKING\..*NOT\.?FOUND|TRACKINGNUMBER\.(INVALID|NOTFOUND)/, 'UNKNOWN_NUMBER'],
  [/^(SERVICE|SERVICETYPE)\b.*(INVALID|NOT|UNAVAILABLE)/, 'UNKNOWN_SERVICE'],
  [/(WEIGHT|DIMENSION|LENGTH|GIRTH)/, 'BAD_SIZE'],
  [/(POSTAL|ZIP|COUNTRY|STATE|CITY).*(INVALID|NOTFOUND|NOT\.SERVED|MISMATCH)/, 'NOT_SERVED'],
  [/(REQUIRED|MISSING|EMPTY|INVALID\.INPUT)/, 'MISSING_FIELD'],
]

function classify(code: string, status: number): Parameters<typeof failure>[0] {
  const word = code.slice(0, CODE_MOST)
  return CODES.find(([pattern]) => pattern.test(word))?.[1] ?? kindOfStatus(status)
}

/** Notes and warnings beside a good answer. */
export function readAlerts(output: unknown): readonly CarrierRemark[] {
  return listOf(at(output, 'alerts')).flatMap((one) => {
    const description = textAt(one, 'message') || textAt(one)
    const type = textAt(one, 'alertType') === 'WARNING' ? 'WARNING' : 'NOTE'
    const carrierCode = textAt(one, 'code')
    return description === '' ? [] : [failure('CARRIER_FAULT', description, { carrierCode, type })]
  })
}
