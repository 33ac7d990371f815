import { LabelFault } from '../../fault.ts'

/** An exact decimal number: ten-thousand-millionths (1e-10) of the currency's unit, so that sums never drift. */
export type Money = bigint

const DECIMALS = 10
const CENT = 10n ** BigInt(DECIMALS - 2)

/** The largest amount that is taken, either way. */
export const MOST_MONEY = 1_000_000_000

/** No amount is written in more characters; BigInt takes time by the square of the digits. */
const MONEY_LENGTH = 40

/**
 * Reads a number, or a text that holds one such as `12.50`; the decimal digits count as they are written, not their binary
 * neighbor. Undefined when it is not a number, not finite, or beyond `MOST_MONEY`.
 */
export function readMoney(value: unknown): Money | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const number = Number(value)
  if (!Number.isFinite(number) || Math.abs(number) > MOST_MONEY) return undefined
  const text = typeof value === 'number' ? plainDigits(value) : value.trim()
  if (text.length > MONEY_LENGTH) return undefined
  const [, sign = '', whole = '', rest = ''] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === '' && rest === '') return undefined
  const units = BigInt(whole + rest.slice(0, DECIMALS).padEnd(DECIMALS, '0'))
  return sign === '-' ? -units : units
}

/** The shortest decimal text of a number, without an exponent. */
function plainDigits(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(DECIMALS) : text
}

/** Two decimals, halves rounded away from zero, no currency sign, since the request names none. */
export function writeMoney(money: Money): string {
  const positive = money < 0n ? -money : money
  const cents = (positive + CENT / 2n) / CENT
  const digits = String(cents).padStart(3, '0')
  const sign = money < 0n && cents > 0n ? '-' : ''
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** A pack list as the specification has it, checked; '' and undefined stand for what was left out. */
export interface PackList {
  readonly orderNumber: string
  readonly date: string
  /** The customer's e-mail address. */
  readonly user: string
  readonly shipDate: string
  readonly shippingCost: Money | undefined
  readonly tax: Money | undefined
  readonly discounts: Money | undefined
  readonly shipper: PackListAddress
  readonly to: PackListAddress
  /** At least one. */
  readonly items: readonly PackListItem[]
  readonly customFields: readonly CustomField[]
}

/** A postal address; '' = left out. */
export interface PackListAddress {
  readonly name: string
  readonly addr1: string
  readonly addr2: string
  readonly city: string
  readonly state: string
  readonly postcode: string
}

/** A line of the order. */
export interface PackListItem {
  readonly sku: string
  readonly desc: string
  readonly price: Money | undefined
  readonly qty: number | undefined
}

/** Something that the shop wants printed with the order. */
export interface CustomField {
  readonly key: string
  readonly value: string
}

/** Bounds of a pack list, in characters, entries and pieces. */
export const PACK_LIST_LIMITS = {
  items: 1_000,
  customFields: 200,
  shortText: 200,
  longText: 4_000,
  qty: 1_000_000,
  /** All texts together: about 140 labels of 4x6 inches. */
  allText: 400_000,
} as const

const FAULTS_TOLD = 5
const SEEN_CHARACTERS = 8

const ITEM_KEYS: readonly string[] = [
  'sku',
  'desc',
  'price',
  'qty',
] satisfies (keyof PackListItem)[]

type JsonFields = Readonly<Record<string, unknown>>

/** Reads fields by key, collecting what is wrong with them, so that one refusal can name several faults. */
class FieldReader {
  readonly faults: string[] = []
  characters = 0

  fault(path: string, value: unknown, wanted: string): void {
    this.faults.push(`${path} is ${describe(value)}; wanted ${wanted}`)
  }

  /** A text, or a number where shops write one (order numbers, postcodes). Null counts as left out. */
  text(
    fields: JsonFields,
    key: string,
    path: string,
    most: number = PACK_LIST_LIMITS.shortText,
  ): string {
    const value = fields[key] ?? ''
    const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
    if (typeof text !== 'string') {
      this.fault(`${path}${key}`, value, 'a text')
      return ''
    }
    if (text.length > most) {
      this.faults.push(`${path}${key} has ${text.length} characters; wanted at most ${most}`)
      return ''
    }
    this.characters += text.length
    return text
  }

  money(fields: JsonFields, key: string, path: string): Money | undefined {
    const value = fields[key] ?? ''
    if (value === '') return undefined
    const money = readMoney(value)
    if (money === undefined) {
      this.fault(`${path}${key}`, value, `a number such as 12.50, at most ${MOST_MONEY} either way`)
    }
    return money
  }

  quantity(fields: JsonFields, key: string, path: string): number | undefined {
    const value = fields[key] ?? ''
    if (value === '') return undefined
    const isText = typeof value === 'string' && /^\d{1,8}$/.test(value.trim())
    const number = isText ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0) {
      if (number <= PACK_LIST_LIMITS.qty) return number
    }
    this.fault(`${path}${key}`, value, `a whole number from 0 to ${PACK_LIST_LIMITS.qty}`)
    return undefined
  }

  object(value: unknown, path: string): JsonFields {
    if (isFields(value)) return value
    this.fault(path, value, 'an object')
    return {}
  }

  list(fields: JsonFields, key: string, most: number): readonly unknown[] {
    const value = fields[key] ?? []
    if (!Array.isArray(value)) {
      this.fault(key, value, 'an array')
      return []
    }
    if (value.length > most) {
      this.faults.push(`${key} has ${value.length} entries; wanted at most ${most}`)
      return []
    }
    return value
  }

  address(fields: JsonFields, key: string): PackListAddress {
    const value = this.object(fields[key] ?? {}, key)
    const text = (name: keyof PackListAddress) => this.text(value, name, `${key}.`)
    return {
      name: text('name'),
      addr1: text('addr1'),
      addr2: text('addr2'),
      city: text('city'),
      state: text('state'),
      postcode: text('postcode'),
    }
  }
}

function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes a value in a few words and with no more than eight characters of it. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  const shown = shorten(String(value))
  return typeof value === 'string' ? `the text ${JSON.stringify(shown)}` : shown
}

function shorten(text: string): string {
  return text.length > SEEN_CHARACTERS ? `${text.slice(0, SEEN_CHARACTERS)}…` : text
}

function readItem(reader: FieldReader, value: unknown, index: number): PackListItem {
  const item = reader.object(value, `items[${index}]`)
  const path = `items[${index}].`
  const keys = Object.keys(item)
  // A line of the order that would print empty: its keys have other names in that shop.
  if (keys.length > 0 && !keys.some((key) => ITEM_KEYS.includes(key))) {
    const seen = keys.slice(0, FAULTS_TOLD).map(shorten).join(', ')
    reader.faults.push(`items[${index}] has the keys ${seen}; wanted ${ITEM_KEYS.join(', ')}`)
  }
  return {
    sku: reader.text(item, 'sku', path),
    desc: reader.text(item, 'desc', path, PACK_LIST_LIMITS.longText),
    price: reader.money(item, 'price', path),
    qty: reader.quantity(item, 'qty', path),
  }
}

function readCustomField(reader: FieldReader, value: unknown, index: number): CustomField {
  const field = reader.object(value, `custom_fields[${index}]`)
  const path = `custom_fields[${index}].`
  return {
    key: reader.text(field, 'key', path),
    value: reader.text(field, 'value', path, PACK_LIST_LIMITS.longText),
  }
}

/**
 * Checks the body of `POST /packlist`, parsed from JSON. Every field may be left out (or be null or ''), but for one item;
 * unknown keys are ignored, unless an item has no others; numbers may be texts and texts may be numbers.
 * @throws LabelFault PACKLIST_INVALID, naming up to five keys, what was seen and what was wanted
 */
export function checkPackList(value: unknown): PackList {
  const reader = new FieldReader()
  const body = reader.object(value, 'the pack list')
  const items = reader.list(body, 'items', PACK_LIST_LIMITS.items)
  if (reader.faults.length === 0 && items.length === 0) {
    reader.faults.push('items is empty or missing; wanted at least one item')
  }
  const list: PackList = {
    orderNumber: reader.text(body, 'order_number', ''),
    date: reader.text(body, 'date', ''),
    user: reader.text(body, 'user', ''),
    shipDate: reader.text(body, 'ship_date', ''),
    shippingCost: reader.money(body, 'shipping_cost', ''),
    tax: reader.money(body, 'tax', ''),
    discounts: reader.money(body, 'discounts', ''),
    shipper: reader.address(body, 'shipper_address'),
    to: reader.address(body, 'to_address'),
    items: items.map((item, index) => readItem(reader, item, index)),
    customFields: reader
      .list(body, 'custom_fields', PACK_LIST_LIMITS.customFields)
      .map((field, index) => readCustomField(reader, field, index)),
  }
  if (reader.characters > PACK_LIST_LIMITS.allText) {
    reader.faults.push(
      `all texts together have ${reader.characters} characters; wanted at most ${PACK_LIST_LIMITS.allText}`,
    )
  }
  if (reader.faults.length > 0) throw new LabelFault('PACKLIST_INVALID', tell(reader.faults))
  return list
}

/**
 * The pack list that was accepted as this JSON. A whole number that JavaScript would round is an order number or the like, and
 * the text of its digits, as it was when the list was checked.
 * @throws LabelFault PACKLIST_INVALID as `checkPackList`
 */
export function readPackList(json: string): PackList {
  const exact = (...[, value, context]: unknown[]): unknown => {
    if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
    const { source = '' } = context as { readonly source?: string }
    return /^-?\d+$/.test(source) ? source : value
  }
  return checkPackList(JSON.parse(json, exact))
}

function tell(faults: readonly string[]): string {
  const told = faults.slice(0, FAULTS_TOLD).join('; ')
  const more = faults.length - FAULTS_TOLD
  return more > 0 ? `${told}; and ${more} more faults.` : `${told}.`
}
