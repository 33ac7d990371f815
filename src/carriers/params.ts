import type { Action, CarrierCode, CarrierRemark } from './answers.ts'
import { CarrierFault } from './fault.ts'
import {
  CONTENTS,
  CUSTOMS_PARAMS,
  PARAM_LIMITS,
  type ParamField,
  SHIPMENT_PARAMS,
  SIGNATURES,
  TAX_ID_TYPES,
  WEIGHT_UNITS,
} from './fields.ts'
import { isCountry, isCurrency, postalFormOf, rightCountry } from './places.ts'
import { isBlank, isObject } from './reading.ts'
import {
  type CustomsLine,
  type Parcel,
  type PostalAddress,
  readCents,
  type Shipment,
  type SignatureService,
  type TaxId,
} from './shipment.ts'

type Params = Readonly<Record<string, unknown>>

/** A value that is wrong in itself, whichever carrier is asked. Decision `declarations`. */
function fault(code: CarrierCode, description: string, field: string): CarrierFault {
  return new CarrierFault(code, description, { field })
}

/** Facts of the call that matter to what is read. */
interface ParamsContext {
  readonly carrier?: string
  readonly action?: Action
}

/**
 * Reads the flat `params` of a request. Numbers may be texts, as in PHP; ounces and grams become pounds and kilograms. What is
 * missing is blank: which fields a carrier needs is its own to say. A line of customs is whole, or refused.
 */
export function readShipment(
  params: Params,
  asked?: ParamsContext,
): { readonly shipment: Shipment } | { readonly errors: readonly CarrierRemark[] } {
  try {
    return { shipment: read(params, asked) }
  } catch (error) {
    if (error instanceof CarrierFault) return { errors: [error.remark] }
    throw error
  }
}

function read(params: Params, asked?: ParamsContext): Shipment {
  const weights = readWeightUnit(params)
  const isReturn = readFlag(params, 'is_return') === true
  const from = readAddress(params, 'ship')
  const to = readAddress(params, 'to')
  const lines = readLines(params)
  const currency = readCurrency(params, lines, from)
  const parcels = readParcels(params, weights.perUnit, currency)
  const customs = readCustoms(params, lines, weights.perUnit)
  if (customs.length > 0 && currency === '') throw missing('currency')
  if (asked !== undefined) checkPlaces(params, { from, to, customs }, asked)
  return {
    from,
    to,
    parcels,
    weightUnit: weights.unit,
    lengthUnit: readLengthUnit(params),
    service: readText(params, 'service'),
    packagingType: readText(params, 'packaging_type'),
    pickupType: readText(params, 'pickup_type'),
    customerClassification: readText(params, 'customer_classification'),
    currency: currency || 'USD',
    customs,
    isReturn,
    contents:
      readChoice(params, 'contents_type', CONTENTS) || (isReturn ? 'RETURN' : 'MERCHANDISE'),
    incoterm: readChoice(params, 'incoterm', SHIPMENT_PARAMS['incoterm']?.choices ?? []) || 'DAP',
    invoiceNumber: toText(pick(params, SHIPMENT_PARAMS, 'invoice_number').value, 'invoice_number'),
    references: readReferences(params),
    trackingNumber: readText(params, 'tracking_number'),
    shipmentId: readText(params, 'shipment_id'),
    rateId: readText(params, 'rate_id'),
    carrierName: readText(params, 'carrier_name'),
    carrierAccounts: readAccounts(params),
  }
}

function missing(field: string, why = ''): CarrierFault {
  return fault('MISSING_FIELD', `${field} is missing.${why}`, field)
}

/** Picks what stands under a field's name or one of its other names; two that say different things are refused. */
function pick(
  own: Params,
  table: Readonly<Record<string, ParamField>>,
  name: string,
  path = '',
): { readonly value: unknown; readonly name: string } {
  const given = [name, ...(table[name]?.aliases ?? [])]
    .map((one) => ({ value: own[one], name: one }))
    .filter(({ value }) => !isBlank(value))
  const [first = { value: undefined, name }] = given
  const other = given.find(({ value }) => sameText(value) !== sameText(first.value))
  if (other === undefined) return first
  const seen = `${JSON.stringify(first.value)?.slice(0, 40)} and ${JSON.stringify(other.value)?.slice(0, 40)}`
  throw fault(
    'MISSING_FIELD',
    `${path}${first.name} and ${other.name} are the same field, and say ${seen}; wanted one of them.`,
    path + name,
  )
}

function sameText(value: unknown): string {
  return String(typeof value === 'object' ? JSON.stringify(value) : value)
    .trim()
    .toUpperCase()
}

function readAddress(params: Params, side: 'ship' | 'to'): PostalAddress {
  const text = (name: string): string => readText(params, `${side}_${name}`)
  const isFrom = side === 'ship'
  const country = readCountry(params, `${side}_country`) || 'US'
  return {
    name: isFrom ? text('name') || readText(params, 'shipper') : text('name'),
    company: isFrom ? readText(params, 'shipper') : text('company'),
    addr1: text('addr1'),
    addr2: text('addr2'),
    addr3: text('addr3'),
    city: text('city'),
    state: text('state'),
    code: text('code'),
    country,
    phone: text('phone'),
    email: text('email'),
    isResidential: isFrom ? undefined : readFlag(params, 'residential'),
    taxId: readTaxId(params, side, country),
  }
}

/** Checks that what was said of both places goes together; what was left out means the United States. */
function checkPlaces(
  params: Params,
  { from, to, customs }: Pick<Shipment, 'from' | 'to' | 'customs'>,
  { carrier, action }: ParamsContext,
): void {
  for (const [side, { code, country }] of [
    ['ship', from],
    ['to', to],
  ] as const) {
    const isSaid = !isBlank(params[`${side}_country`])
    // A country that was forgotten would make it a parcel that is not declared, or is declared as of another one.
    if (customs.length > 0 && !isSaid) {
      throw missing(`${side}_country`, ' It is needed with customs.')
    }
    // The local carrier's addresses are where the box stands; whether one is right is what AddressValidate tells.
    const isJudged = action !== 'AddressValidate' && (isSaid || carrier !== 'local')
    if (isJudged) checkPostalCode(code, country, `${side}_code`)
  }
}

function checkPostalCode(code: string, country: string, field: string): void {
  const form = postalFormOf(country)
  if (code === '' || form === undefined || form.isGood(code)) return
  // A number loses its zeros in front, as those of New Jersey and Dresden.
  const isShort = /^\d+$/.test(code) && form.isGood(`0${code}`)
  const advice = isShort ? ` Send it as a text: "0${code}"?` : ''
  const seen = JSON.stringify(code.slice(0, 40))
  const message = `${field}: got ${seen}, wanted ${form.wanted} for ${country}.${advice}`
  throw fault('MISSING_FIELD', message, field)
}

// The longest there is, an EORI number, has 17.
const TAX_ID_MOST = 20

function readTaxId(params: Params, side: 'ship' | 'to', country: string): TaxId | undefined {
  const number = readText(params, `${side}_tax_id`)
  const type = readChoice(params, `${side}_tax_id_type`, TAX_ID_TYPES)
  const said = readCountry(params, `${side}_tax_id_country`)
  if (number === '' && type === '' && said === '') return undefined
  if (number === '') throw missing(`${side}_tax_id`)
  if (number.length > TAX_ID_MOST) {
    const message = `${side}_tax_id has ${number.length} characters, wanted at most ${TAX_ID_MOST}.`
    throw fault('MISSING_FIELD', message, `${side}_tax_id`)
  }
  if (type === '') throw missing(`${side}_tax_id_type`, ` Wanted ${TAX_ID_TYPES.join(', ')}.`)
  const first = number.slice(0, 2).toUpperCase()
  // Numbers of the union's countries begin with their letters; Greece's with EL.
  const own = rightCountry(first) ?? first
  const isTold = (type === 'VAT' || type === 'EORI' || type === 'EOR') && isCountry(own)
  return {
    number,
    type: type === 'EOR' ? 'EORI' : type,
    country: said || (isTold ? own : country),
  }
}

function readChoice<Choice extends string>(
  params: Params,
  name: string,
  choices: readonly Choice[],
  path = '',
): Choice | '' {
  const said = readText(params, name, path).toUpperCase()
  const found = choices.find((one) => one === said)
  if (said === '' || found !== undefined) return found ?? ''
  const field = path + name
  const message = `${field}: got ${JSON.stringify(said.slice(0, 40))}, wanted ${choices.join(', ')}.`
  throw fault('MISSING_FIELD', message, field)
}

/** Reads the currency of the lines and of what is insured; '' = it was not said, and does not follow from where it is sent from. */
function readCurrency(
  params: Params,
  lines: readonly Params[],
  { country }: PostalAddress,
): string {
  const named = pick(params, SHIPMENT_PARAMS, 'currency')
  const said = [
    { value: named.value, field: named.name },
    ...lines.map((line, index) => {
      const path = `customs[${index}].`
      const { value, name } = pick(line, CUSTOMS_PARAMS, 'currency', path)
      return { value, field: path + name }
    }),
  ]
    .filter(({ value }) => !isBlank(value))
    .map(({ value, field }) => ({ value: toCurrency(value, field), field }))
  const [first] = said
  const other = said.find(({ value }) => value !== first?.value)
  if (other !== undefined) {
    const message = `${other.field}: got "${other.value}", wanted ${first?.value}, as ${first?.field} says.`
    throw fault('MISSING_FIELD', message, other.field)
  }
  return first?.value ?? (PAY_IN_DOLLARS.has(country) ? 'USD' : '')
}

// Their own money is the US dollar.
const PAY_IN_DOLLARS: ReadonlySet<string> = new Set('US PR VI GU AS MP'.split(' '))

function toCurrency(value: unknown, field: string): string {
  const said = toText(value, field).toUpperCase()
  if (said === '' || isCurrency(said)) return said
  const seen = JSON.stringify(said.slice(0, 40))
  const message = `${field}: got ${seen}, wanted a currency of three letters such as USD.`
  throw fault('MISSING_FIELD', message, field)
}

function readWeightUnit(params: Params): { readonly unit: 'LB' | 'KG'; readonly perUnit: number } {
  const said = readText(params, 'weight_unit').toUpperCase() || 'LB'
  const found = Object.hasOwn(WEIGHT_UNITS, said) ? WEIGHT_UNITS[said] : undefined
  if (found !== undefined) return found
  throw fault(
    'BAD_SIZE',
    `weight_unit: got ${JSON.stringify(said.slice(0, 20))}, wanted LB, OZ, KG or G.`,
    'weight_unit',
  )
}

function readLengthUnit(params: Params): 'IN' | 'CM' {
  const said = readText(params, 'length_unit').toUpperCase() || 'IN'
  if (said === 'IN' || said === 'CM') return said
  throw fault(
    'BAD_SIZE',
    `length_unit: got ${JSON.stringify(said.slice(0, 20))}, wanted IN or CM.`,
    'length_unit',
  )
}

/** `packages[]`, or one parcel whose weight and sizes lie flat in `params`; none where neither is there. */
function readParcels(params: Params, perUnit: number, currency: string): readonly Parcel[] {
  const { packages } = params
  if (isBlank(packages)) {
    return params['weight'] === undefined
      ? []
      : [readParcel(params, params, { perUnit, currency, path: '' })]
  }
  const list = readList(packages, 'packages', PARAM_LIMITS.parcels)
  const parcels = list.map((one, index) => {
    const own = list.length === 1 ? withFlatInsurance(one, params) : one
    return readParcel(own, params, { perUnit, currency, path: `packages[${index}].` })
  })
  if (list.length > 1 && readAmount(params, 'insured_value') > 0) {
    const message = 'insured_value stands beside several packages; put it into each of them.'
    throw fault('BAD_SIZE', message, 'insured_value')
  }
  checkCurrency(parcels)
  return parcels
}

/** Reads the insurance, which may lie flat for a single parcel. */
function withFlatInsurance(own: Params, params: Params): Params {
  const { insured_value: value, insured_currency: currency } = params
  if (isBlank(value)) return own
  return {
    ...own,
    insured_value: isBlank(own['insured_value']) ? value : own['insured_value'],
    insured_currency: isBlank(own['insured_currency']) ? currency : own['insured_currency'],
  }
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
  throw fault('BAD_SIZE', message, field)
}

/** Way in which the values of a parcel are read. */
interface ParcelReading {
  readonly perUnit: number
  readonly currency: string
  readonly path: string
}

function readParcel(
  own: Params,
  params: Params,
  { perUnit, currency, path }: ParcelReading,
): Parcel {
  if (isBlank(own['weight'])) throw missing(`${path}weight`)
  const size = (name: string): number => (isBlank(own[name]) ? 0 : readNumber(own, name, path, 0))
  const heavy = readNumber(own, 'weight', path, Number.MIN_VALUE)
  const insuredCents = readAmount(own, 'insured_value', path)
  const named = toCurrency(own['insured_currency'], `${path}insured_currency`) || currency
  if (insuredCents > 0 && named === '') throw missing(`${path}insured_currency`)
  return {
    weight: heavy / perUnit,
    length: size('length'),
    width: size('width'),
    height: size('height'),
    packagingType: readText(own, 'packaging_type', path) || readText(params, 'packaging_type'),
    insuredCents,
    insuredCurrency: named || 'USD',
    signature: readSignature(own, params, path),
  }
}

/** Reads the signature of the parcel, else of all of them. */
function readSignature(own: Params, params: Params, path: string): SignatureService {
  const said = readChoice(own, 'signature_type', SIGNATURES, path)
  const ofAll = readChoice(params, 'signature_type', SIGNATURES)
  const isRequired =
    readFlag(own, 'signature_required', path) ?? readFlag(params, 'signature_required')
  return said || ofAll || (isRequired === true ? 'DIRECT' : '')
}

/** The lines of `customs` as they were given. */
function readLines(params: Params): readonly Params[] {
  const { customs } = params
  return isBlank(customs) ? [] : readList(customs, 'customs', PARAM_LIMITS.customsLines)
}

/** Each line whole: what is missing cannot stand on a declaration, and nothing is put in its place. */
function readCustoms(
  params: Params,
  lines: readonly Params[],
  perUnit: number,
): readonly CustomsLine[] {
  const customs = lines.map((line, index) => readLine(line, perUnit, `customs[${index}].`))
  if (customs.length === 0) return []
  const cents = customs.reduce((sum, one) => sum + one.cents * one.quantity, 0)
  checkSum(params['customs_value'], cents, 'customs_value', 'the sum of quantity times value')
  return customs
}

const PIECES = CUSTOMS_PARAMS['quantity_units']?.choices ?? []

/** A value of a line, under the name that it was given by. */
interface LineValue {
  readonly value: unknown
  /** The name as it was written: `customs[0].customs_value`. */
  readonly said: string
  /** The name used here: `customs[0].value`. */
  readonly field: string
}

function readLine(line: Params, perUnit: number, path: string): CustomsLine {
  const given = (name: string): LineValue => {
    const { value, name: said } = pick(line, CUSTOMS_PARAMS, name, path)
    return { value, said: path + said, field: path + name }
  }
  const needed = (name: string): LineValue => {
    const one = given(name)
    if (isBlank(one.value)) throw missing(one.field)
    return one
  }
  const description = readDescription(needed('description'), given('invoice_line_description'))
  const quantity = readQuantity(needed('quantity'), given('quantity_units'))
  const cents = readWorth(needed('value'))
  const weight = readLineWeight(needed('weight')) / perUnit
  const { value: made } = needed('origin_country')
  const origin = readCountry({ origin_country: made }, 'origin_country', path)
  const sum = given('line_amount')
  checkSum(sum.value, cents * quantity, sum.said, 'quantity times value')
  const tariffCode = readTariffCode(given('tariff_code'))
  return { description, quantity, cents, weight, tariffCode, origin }
}

function wrong({ value, said, field }: LineValue, wanted: string): CarrierFault {
  const seen = JSON.stringify(value)?.slice(0, 40)
  return fault('MISSING_FIELD', `${said}: got ${seen}, wanted ${wanted}.`, field)
}

function readDescription(about: LineValue, again: LineValue): string {
  const description = toText(about.value, about.field)
  if (!/\p{L}/u.test(description)) throw wrong(about, 'words that say what it is')
  if (isBlank(again.value) || sameText(again.value) === sameText(about.value)) return description
  throw wrong(again, `the words of ${about.said}, or nothing`)
}

function readQuantity(count: LineValue, unit: LineValue): number {
  const quantity = toNumber(count.value)
  const isCount = Number.isInteger(quantity) && quantity >= 1 && quantity <= NUMBER_MOST
  if (!isCount) throw wrong(count, `a whole number from 1 to ${NUMBER_MOST}`)
  const pieces = toText(unit.value, unit.field).toUpperCase()
  if (pieces !== '' && !PIECES.includes(pieces)) throw wrong(unit, `one of ${PIECES.join(', ')}`)
  return quantity
}

function readWorth(worth: LineValue): number {
  const cents = readCents(worth.value) ?? 0
  if (cents > 0 && isWholeCents(worth.value, cents)) return cents
  throw wrong(worth, 'an amount above 0 such as 49.90')
}

function readLineWeight(heavy: LineValue): number {
  const weight = toNumber(heavy.value)
  if (weight > 0 && weight <= NUMBER_MOST) return weight
  throw wrong(heavy, `a number above 0, at most ${NUMBER_MOST}`)
}

function readTariffCode(tariff: LineValue): string {
  const code = toText(tariff.value, tariff.field)
  if (code === '' || /^\d(?:[ .-]?\d){3,13}$/.test(code)) return code
  throw wrong(tariff, 'a Harmonized System number such as 6109.10')
}

/** 2.675 is not 2.68: what is declared is what was said. Traces of floats do not count (19.99 * 3 / 3). */
function isWholeCents(value: unknown, cents: number): boolean {
  return Math.abs(Number(value) * 100 - cents) < 0.000_1
}

/** A sum that the caller made as well, and that must be the one that is declared. */
function checkSum(value: unknown, cents: number, field: string, what: string): void {
  if (isBlank(value) || readCents(value) === cents) return
  const seen = JSON.stringify(value)?.slice(0, 40)
  const wanted = (cents / 100).toFixed(2)
  const message = `${field}: got ${seen}, wanted ${wanted}, ${what}; value is of one piece.`
  throw fault('MISSING_FIELD', message, field)
}

/** Reads the references of the shipment, then those of its parcels. */
function readReferences(params: Params): readonly string[] {
  const names = Array.from({ length: PARAM_LIMITS.references }, (_, n) => `reference${n + 1}`)
  const own = ['reference', ...names].map((name) => readText(params, name))
  const { packages } = params
  const ofParcels = Array.isArray(packages)
    ? packages.map((one, index) =>
        isObject(one) ? readText(one, 'reference_value', `packages[${index}].`) : '',
      )
    : []
  const given = own.filter((one) => one !== '')
  const more = new Set(ofParcels.filter((one) => one !== '' && !given.includes(one)))
  return [...given, ...more]
}

function readAccounts(params: Params): readonly string[] {
  const { carrier_account: said } = params
  if (isBlank(said)) return []
  if (!Array.isArray(said)) return [readText(params, 'carrier_account')]
  return said
    .slice(0, PARAM_LIMITS.parcels)
    .map((one, index) => toText(one, `carrier_account[${index}]`))
}

function readList(value: unknown, name: string, most: number): readonly Params[] {
  if (!Array.isArray(value)) {
    throw fault('MISSING_FIELD', `${name} must be a list.`, name)
  }
  if (value.length > most) {
    const message = `${name} has ${value.length} entries, wanted at most ${most}.`
    throw fault('BAD_SIZE', message, name)
  }
  return value.map((one, index) => {
    if (isObject(one)) return one
    const field = `${name}[${index}]`
    throw fault('MISSING_FIELD', `${field} must be an object.`, field)
  })
}

/** Reads a line of text: controls become spaces, so that nothing of it is a command of a printer or a new line of a log. */
function readText(params: Params, name: string, path = ''): string {
  return toText(params[name], path + name)
}

function toText(value: unknown, field: string): string {
  if (isBlank(value)) return ''
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') {
    throw fault('MISSING_FIELD', `${field} must be a text.`, field)
  }
  if (value.length > PARAM_LIMITS.text) {
    const message = `${field} has ${value.length} characters, wanted at most ${PARAM_LIMITS.text}.`
    throw fault('BAD_SIZE', message, field)
  }
  // Half a letter, as a shop's program that cuts texts leaves it, cannot stand in an address of the web.
  return value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}

function readCountry(params: Params, name: string, path = ''): string {
  const said = readText(params, name, path).toUpperCase()
  if (said === '' || isCountry(said)) return said
  const field = path + name
  const seen = JSON.stringify(said.slice(0, 40))
  const right = rightCountry(said) ?? 'two letters such as US'
  throw fault('MISSING_FIELD', `${field}: got ${seen}, wanted ${right}.`, field)
}

/**
 * Reads a flag, also as forms, PHP and Python write it. Any other word is refused, because it must not ship without the signature that was
 * meant.
 */
function readFlag(params: Params, name: string, path = ''): boolean | undefined {
  const value = params[name]
  if (isBlank(value)) return undefined
  const word = typeof value === 'object' ? '' : String(value).trim()
  if (/^(true|1|yes|on)$/i.test(word)) return true
  if (/^(false|0|no|off)$/i.test(word)) return false
  const field = path + name
  const seen = JSON.stringify(value)?.slice(0, 40)
  throw fault('MISSING_FIELD', `${field}: got ${seen}, wanted true or false.`, field)
}

const NUMBER_MOST = 1_000_000

/** NaN for what is not a number; it may be a text, as in PHP. */
function toNumber(value: unknown): number {
  const text = typeof value === 'string' ? value.trim() : value
  const isNumber =
    typeof text === 'number' || (typeof text === 'string' && /^\d{0,9}(\.\d{0,9})?$/.test(text))
  return isNumber && text !== '' && text !== '.' ? Number(text) : Number.NaN
}

function readNumber(params: Params, name: string, path: string, least: number): number {
  const value = params[name]
  const number = toNumber(value)
  if (number >= least && number <= NUMBER_MOST) return number
  const field = path + name
  const isAbove = least === Number.MIN_VALUE
  const wanted = isAbove ? 'a number above 0, at most' : `a number from ${least} to`
  const seen = JSON.stringify(value)?.slice(0, 40)
  throw fault('BAD_SIZE', `${field}: got ${seen}, wanted ${wanted} ${NUMBER_MOST}.`, field)
}

/** Whole cents; 0 = not given. */
function readAmount(params: Params, name: string, path = ''): number {
  const value = params[name]
  if (isBlank(value)) return 0
  const cents = readCents(value)
  if (cents !== undefined && cents >= 0) return cents
  const field = path + name
  const seen = JSON.stringify(value)?.slice(0, 40)
  const message = `${field}: got ${seen}, wanted an amount such as 49.90.`
  throw fault('BAD_SIZE', message, field)
}
