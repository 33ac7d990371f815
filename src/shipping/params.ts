import { isObject } from '../settings.ts'
import { type CARRIER_CODES, failure, type Remark } from './answers.ts'
import {
  type Address,
  type CustomsLine,
  type Parcel,
  readCents,
  type Shipment,
  type Signature,
} from './shipment.ts'

/** What one request may hold. */
export const PARAM_LIMITS = {
  parcels: 50,
  customsLines: 200,
  references: 10,
  /** Characters of a text. */
  text: 200,
} as const

type Params = Readonly<Record<string, unknown>>

/** A value of `params` that is wrong in itself, whichever carrier is asked. */
class ParamError extends Error {
  readonly remark: Remark

  constructor(code: keyof typeof CARRIER_CODES, description: string, field: string) {
    super(description)
    this.remark = failure(code, description, { field })
  }
}

/**
 * Reads the flat `params` of a request. Numbers may be texts, as in PHP; ounces and grams become pounds and kilograms. What is
 * missing is blank: which fields a carrier needs is its own to say.
 */
export function readShipment(
  params: Params,
): { readonly shipment: Shipment } | { readonly errors: readonly Remark[] } {
  try {
    return { shipment: read(params) }
  } catch (error) {
    if (error instanceof ParamError) return { errors: [error.remark] }
    throw error
  }
}

function read(params: Params): Shipment {
  const weights = readWeightUnit(params)
  const parcels = readParcels(params, weights.perUnit)
  const currency = readText(params, 'currency').toUpperCase() || 'USD'
  return {
    from: readAddress(params, 'ship'),
    to: readAddress(params, 'to'),
    parcels,
    weightUnit: weights.unit,
    lengthUnit: readLengthUnit(params),
    service: readText(params, 'service'),
    packagingType: readText(params, 'packaging_type'),
    pickupType: readText(params, 'pickup_type'),
    customerClassification: readText(params, 'customer_classification'),
    currency,
    customs: readCustoms(params, weights.perUnit),
    references: readReferences(params),
    trackingNumber: readText(params, 'tracking_number'),
    shipmentId: readText(params, 'shipment_id'),
    rateId: readText(params, 'rate_id'),
    carrierName: readText(params, 'carrier_name'),
    carrierAccounts: readAccounts(params),
  }
}

function readAddress(params: Params, side: 'ship' | 'to'): Address {
  const text = (name: string): string => readText(params, `${side}_${name}`)
  const isFrom = side === 'ship'
  return {
    name: isFrom ? text('name') || readText(params, 'shipper') : text('name'),
    company: isFrom ? readText(params, 'shipper') : text('company'),
    addr1: text('addr1'),
    addr2: text('addr2'),
    city: text('city'),
    state: text('state'),
    code: text('code'),
    country: readCountry(params, `${side}_country`) || 'US',
    phone: text('phone'),
    email: text('email'),
    isResidential: isFrom ? undefined : readFlag(params, 'residential'),
  }
}

// 1 lb = 16 oz; NIST Special Publication 811, appendix B, has grams.
export const WEIGHT_UNITS: Readonly<
  Record<string, { readonly unit: 'LB' | 'KG'; readonly perUnit: number }>
> = {
  LB: { unit: 'LB', perUnit: 1 },
  LBS: { unit: 'LB', perUnit: 1 },
  OZ: { unit: 'LB', perUnit: 16 },
  KG: { unit: 'KG', perUnit: 1 },
  KGS: { unit: 'KG', perUnit: 1 },
  G: { unit: 'KG', perUnit: 1_000 },
}

function readWeightUnit(params: Params): { readonly unit: 'LB' | 'KG'; readonly perUnit: number } {
  const said = readText(params, 'weight_unit').toUpperCase() || 'LB'
  const found = Object.hasOwn(WEIGHT_UNITS, said) ? WEIGHT_UNITS[said] : undefined
  if (found !== undefined) return found
  throw new ParamError(
    'BAD_SIZE',
    `weight_unit: got ${JSON.stringify(said.slice(0, 20))}, wanted LB, OZ, KG or G.`,
    'weight_unit',
  )
}

function readLengthUnit(params: Params): 'IN' | 'CM' {
  const said = readText(params, 'length_unit').toUpperCase() || 'IN'
  if (said === 'IN' || said === 'CM') return said
  throw new ParamError(
    'BAD_SIZE',
    `length_unit: got ${JSON.stringify(said.slice(0, 20))}, wanted IN or CM.`,
    'length_unit',
  )
}

/** `packages[]`, or one parcel whose weight and sizes lie flat in `params`; none where neither is there. */
function readParcels(params: Params, perUnit: number): readonly Parcel[] {
  const { packages } = params
  if (packages === undefined || packages === null) {
    return params['weight'] === undefined ? [] : [readParcel(params, params, perUnit, '')]
  }
  const parcels = readList(packages, 'packages', PARAM_LIMITS.parcels).map((one, index) =>
    readParcel(one, params, perUnit, `packages[${index}].`),
  )
  checkCurrency(parcels)
  return parcels
}

/** Carriers insure all parcels of a shipment in one currency. */
function checkCurrency(parcels: readonly Parcel[]): void {
  const wanted = parcels.find(({ insuredCents }) => insuredCents > 0)?.insuredCurrency
  const index = parcels.findIndex(
    ({ insuredCents, insuredCurrency }) => insuredCents > 0 && insuredCurrency !== wanted,
  )
  if (index < 0) return
  const field = `packages[${index}].insured_currency`
  const seen = JSON.stringify(parcels[index]?.insuredCurrency.slice(0, 40))
  const message = `${field}: got ${seen}, wanted ${wanted}, as of the parcels before it.`
  throw new ParamError('BAD_SIZE', message, field)
}

function readParcel(own: Params, params: Params, perUnit: number, path: string): Parcel {
  const { weight } = own
  if (weight === undefined || weight === null || weight === '') {
    throw new ParamError('MISSING_FIELD', `${path}weight is missing.`, `${path}weight`)
  }
  const size = (name: string): number =>
    own[name] === undefined || own[name] === null || own[name] === ''
      ? 0
      : readNumber(own, name, path, 0)
  const heavy = readNumber(own, 'weight', path, Number.MIN_VALUE)
  return {
    weight: heavy / perUnit,
    length: size('length'),
    width: size('width'),
    height: size('height'),
    packagingType: readText(own, 'packaging_type', path) || readText(params, 'packaging_type'),
    insuredCents: readAmount(own, 'insured_value', path),
    insuredCurrency: readText(own, 'insured_currency', path).toUpperCase() || 'USD',
    signature: readSignature(own, params, path),
  }
}

export const SIGNATURES: ReadonlySet<string> = new Set(['DIRECT', 'NO_SIGNATURE_REQUIRED', 'ADULT'])

function readSignature(own: Params, params: Params, path: string): Signature {
  const said = readText(own, 'signature_type', path).toUpperCase()
  if (said === '') return readFlag(params, 'signature_required') === true ? 'DIRECT' : ''
  if (SIGNATURES.has(said)) return said as Signature
  throw new ParamError(
    'MISSING_FIELD',
    `${path}signature_type: got ${JSON.stringify(said.slice(0, 40))}, wanted ${[...SIGNATURES].join(', ')}.`,
    `${path}signature_type`,
  )
}

function readCustoms(params: Params, perUnit: number): readonly CustomsLine[] {
  const { customs } = params
  if (customs === undefined || customs === null) return []
  return readList(customs, 'customs', PARAM_LIMITS.customsLines).map((line, index) => {
    const path = `customs[${index}].`
    const given = (name: string): boolean => line[name] !== undefined && line[name] !== null
    return {
      description: readText(line, 'description', path),
      quantity: given('quantity') ? readNumber(line, 'quantity', path, 1) : 1,
      cents: readAmount(line, 'value', path),
      weight: given('weight') ? readNumber(line, 'weight', path, 0) / perUnit : 0,
      tariffCode: readText(line, 'tariff_code', path) || readText(line, 'hs_code', path),
      origin: readCountry(line, 'origin_country', path),
    }
  })
}

function readReferences(params: Params): readonly string[] {
  const names = Array.from({ length: PARAM_LIMITS.references }, (_, n) => `reference${n + 1}`)
  return ['reference', ...names].map((name) => readText(params, name)).filter((one) => one !== '')
}

function readAccounts(params: Params): readonly string[] {
  const { carrier_account: said } = params
  if (said === undefined || said === null || said === '') return []
  if (!Array.isArray(said)) return [readText(params, 'carrier_account')]
  return said
    .slice(0, PARAM_LIMITS.parcels)
    .map((one, index) => toText(one, `carrier_account[${index}]`))
}

function readList(value: unknown, name: string, most: number): readonly Params[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new ParamError('MISSING_FIELD', `${name} must be a list with at least one entry.`, name)
  }
  if (value.length > most) {
    const message = `${name} has ${value.length} entries, wanted at most ${most}.`
    throw new ParamError('BAD_SIZE', message, name)
  }
  return value.map((one, index) => {
    if (isObject(one)) return one
    const field = `${name}[${index}]`
    throw new ParamError('MISSING_FIELD', `${field} must be an object.`, field)
  })
}

/** One line of text: controls become spaces, so that nothing of it is a command of a printer or a new line of a log. */
function readText(params: Params, name: string, path = ''): string {
  return toText(params[name], path + name)
}

function toText(value: unknown, field: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') {
    throw new ParamError('MISSING_FIELD', `${field} must be a text.`, field)
  }
  if (value.length > PARAM_LIMITS.text) {
    const message = `${field} has ${value.length} characters, wanted at most ${PARAM_LIMITS.text}.`
    throw new ParamError('BAD_SIZE', message, field)
  }
  // Half a letter, as a shop's program that cuts texts leaves it, cannot stand in an address of the web.
  return value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}

function readCountry(params: Params, name: string, path = ''): string {
  const said = readText(params, name, path).toUpperCase()
  if (said === '' || /^[A-Z]{2}$/.test(said)) return said
  const field = path + name
  const message = `${field}: got ${JSON.stringify(said.slice(0, 40))}, wanted two letters such as US.`
  throw new ParamError('MISSING_FIELD', message, field)
}

/** As in forms, PHP and Python. A word that is neither must not ship without the signature that was meant. */
function readFlag(params: Params, name: string): boolean | undefined {
  const value = params[name]
  if (value === undefined || value === null || value === '') return undefined
  const word = typeof value === 'object' ? '' : String(value).trim()
  if (/^(true|1|yes|on)$/i.test(word)) return true
  if (/^(false|0|no|off)$/i.test(word)) return false
  const seen = JSON.stringify(value)?.slice(0, 40)
  throw new ParamError('MISSING_FIELD', `${name}: got ${seen}, wanted true or false.`, name)
}

const NUMBER_MOST = 1_000_000

function readNumber(params: Params, name: string, path: string, least: number): number {
  const value = params[name]
  const text = typeof value === 'string' ? value.trim() : value
  const isNumber =
    typeof text === 'number' || (typeof text === 'string' && /^\d{0,9}(\.\d{0,9})?$/.test(text))
  const number = isNumber && text !== '' && text !== '.' ? Number(text) : Number.NaN
  if (number >= least && number <= NUMBER_MOST) return number
  const field = path + name
  const isAbove = least === Number.MIN_VALUE
  const wanted = isAbove ? 'a number above 0, at most' : `a number from ${least} to`
  const seen = JSON.stringify(value)?.slice(0, 40)
  throw new ParamError('BAD_SIZE', `${field}: got ${seen}, wanted ${wanted} ${NUMBER_MOST}.`, field)
}

/** Whole cents; 0 = not given. */
function readAmount(params: Params, name: string, path = ''): number {
  const value = params[name]
  if (value === undefined || value === null || value === '') return 0
  const cents = readCents(value)
  if (cents !== undefined && cents >= 0) return cents
  const field = path + name
  const seen = JSON.stringify(value)?.slice(0, 40)
  const message = `${field}: got ${seen}, wanted an amount such as 49.90.`
  throw new ParamError('BAD_SIZE', message, field)
}
