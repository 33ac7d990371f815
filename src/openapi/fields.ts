import { describeSchema, type FieldDescription } from '../config/describe.ts'
import { FIELDS, type Field } from '../request/fields.ts'
import { IMAGE_TYPES } from '../shipping/label-choice.ts'
import { PARAM_LIMITS, SIGNATURES, WEIGHT_UNITS } from '../shipping/params.ts'
import {
  flag,
  list,
  number,
  object,
  orNull,
  record,
  type Schema,
  text,
  whole,
} from './components.ts'

/** The fields of a print request, from the table that checks them. Forms send numbers as texts. */
export function printFields(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, ofField(field)]))
}

function ofField(field: Field): Schema {
  const after = field.default === '' ? '' : ` Left out: ${field.default}.`
  if (field.type === 'text') return text(`${field.about}; ${field.wanted}.${after}`)
  const { min: minimum, max: maximum, unit, whole: isWhole } = field
  const more = { minimum, maximum, description: `${field.about} (${unit}).${after}` }
  return isWhole === true ? whole(more) : number(more)
}

/** The settings, from the schema that checks them; masked secrets may go back as they came. */
export function settings(fields = describeSchema()): Schema {
  const properties = Object.fromEntries(fields.map((one) => [one.key, ofSetting(one)]))
  // What only one type of queue has, the others need not have.
  const needed = fields.filter((one) => one.required && one.only === undefined)
  const required = needed.map(({ key }) => key)
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

function ofSetting(field: FieldDescription): Schema {
  const more = { title: field.title, description: field.description }
  if (field.choices !== undefined) return { enum: [...field.choices, ''], ...more }
  if (field.fields !== undefined) return list(settings(field.fields), more)
  if (field.type === 'boolean') return flag(more)
  if (field.type === 'texts') return list(text(), more)
  if (field.type === 'json') return more
  // Numbers may stand in quotes, and blank ones are left out.
  return { type: field.type === 'number' ? ['number', 'string'] : ['string', 'number'], ...more }
}

/** `params` of a call of the shipping API, with the credentials of all carriers. */
export function shippingParams(): Schema {
  const { properties } = ofParams(PARAMS) as {
    readonly properties: Readonly<Record<string, Schema>>
  }
  const more = {
    packages: list(ofParams(PACKAGE_PARAMS), PARAMS['packages']?.about ?? ''),
    customs: list(ofParams(CUSTOMS_PARAMS), PARAMS['customs']?.about ?? ''),
  }
  return {
    type: 'object',
    properties: { ...properties, ...more },
    description: 'The fields that the action needs, and the credentials of the carrier.',
  }
}

function ofParams(table: Readonly<Record<string, ParamAbout>>): Schema {
  const entries = Object.entries(table).map(([name, one]) => [name, ofParam(one)])
  return { type: 'object', properties: Object.fromEntries(entries) }
}

/** Numbers may be texts, as PHP writes them. */
function ofParam({ type, about, choices }: ParamAbout): Schema {
  const more = { description: about }
  if (type === 'print') {
    const papers = object({ printer: text(), copies: whole() }, ['copies'])
    const wish = object(
      {
        printer: text(),
        copies: whole(),
        cleanup: flag(),
        documents: { oneOf: [text(), papers], description: 'the printer for papers' },
      },
      ['printer', 'copies', 'cleanup', 'documents'],
    )
    return { oneOf: [text(), flag(), wish], ...more }
  }
  if (type === 'flag') return { type: ['boolean', 'integer', 'string'], ...more }
  if (type === 'texts') return { oneOf: [text(), list(text())], ...more }
  if (type === 'number' || type === 'amount') return { type: ['number', 'string'], ...more }
  if (type === 'country') return text({ ...more, pattern: '^[A-Za-z]{2}$' })
  return choices === undefined
    ? { type: ['string', 'number'], ...more }
    : text({ ...more, enum: choices })
}

/** What `params` of a call may hold: the readers (params.ts, calls.ts, accounts.ts) and this table name the same fields, a test sees to it. */
type ParamType = 'text' | 'number' | 'amount' | 'flag' | 'country' | 'list' | 'texts' | 'print'

interface ParamAbout {
  readonly type: ParamType
  readonly about: string
  /** All that it may be. */
  readonly choices?: readonly string[]
}

const words = (about: string): ParamAbout => ({ type: 'text', about })

function addressFields(side: 'ship' | 'to', who: string): Readonly<Record<string, ParamAbout>> {
  return {
    [`${side}_name`]: words(`name of ${who}`),
    [`${side}_addr1`]: words(`street of ${who}`),
    [`${side}_addr2`]: words('second line of the street'),
    [`${side}_city`]: words(`city of ${who}`),
    [`${side}_state`]: words(`state or province of ${who}`),
    [`${side}_code`]: words(`postal code of ${who}`),
    [`${side}_country`]: { type: 'country', about: 'two letters; `US` when left out' },
    [`${side}_phone`]: words(`phone of ${who}`),
    [`${side}_email`]: words(`e-mail address of ${who}`),
  }
}

const SIZES: Readonly<Record<string, ParamAbout>> = {
  weight: { type: 'number', about: 'weight of the parcel in `weight_unit`' },
  length: { type: 'number', about: 'in `length_unit`' },
  width: { type: 'number', about: 'in `length_unit`' },
  height: { type: 'number', about: 'in `length_unit`' },
}

const OF_PARCEL: Readonly<Record<string, ParamAbout>> = {
  packaging_type: words("the carrier's own code"),
  insured_value: { type: 'amount', about: 'insured value, 0 = none' },
  insured_currency: words('three letters; `USD` when left out'),
  signature_type: {
    type: 'text',
    about: 'who signs',
    choices: [...SIGNATURES],
  },
}

/** An entry of `packages`. */
export const PACKAGE_PARAMS: Readonly<Record<string, ParamAbout>> = { ...SIZES, ...OF_PARCEL }

/** An entry of `customs`. */
export const CUSTOMS_PARAMS: Readonly<Record<string, ParamAbout>> = {
  description: words('what it is'),
  quantity: { type: 'number', about: 'pieces; 1 when left out' },
  value: { type: 'amount', about: 'value of one piece in `currency`' },
  weight: { type: 'number', about: 'weight of one piece in `weight_unit`' },
  tariff_code: words('Harmonized System number'),
  hs_code: words('another name of `tariff_code`'),
  origin_country: { type: 'country', about: 'where it was made, two letters' },
}

const REFERENCES = Array.from({ length: PARAM_LIMITS.references }, (_, n) => `reference${n + 1}`)

/** Every field of `params` but the credentials, which the carriers' own files name. */
export const PARAMS: Readonly<Record<string, ParamAbout>> = {
  account: words('the name of an account of the print server, in the place of credentials'),
  test: { type: 'flag', about: "true: the carrier's test host, or only its test keys" },
  debug: {
    type: 'flag',
    about: 'true: the calls to the carrier stand in `meta.debug_information`',
  },
  timeout: { type: 'number', about: 'milliseconds to wait for the carrier' },
  print: { type: 'print', about: 'where the labels print; of SubmitShipment' },
  image_type: {
    type: 'text',
    about: 'the form of the label',
    choices: [...IMAGE_TYPES.keys()],
  },
  dpi: { type: 'number', about: '203 or 300: the label to ask for when it is not printed here' },
  shipper: words('the shop that sends'),
  ...addressFields('ship', 'the sender'),
  ...addressFields('to', 'the recipient'),
  to_company: words('company of the recipient'),
  residential: { type: 'flag', about: 'residential address' },
  packages: { type: 'list', about: 'the parcels; one parcel may lie flat in `params`' },
  ...SIZES,
  ...OF_PARCEL,
  weight_unit: { type: 'text', about: '`LB` when left out', choices: Object.keys(WEIGHT_UNITS) },
  length_unit: { type: 'text', about: '`IN` when left out', choices: ['IN', 'CM'] },
  signature_required: { type: 'flag', about: 'the same as `signature_type` DIRECT' },
  service: words("the carrier's own code, `service_code` of a rate"),
  pickup_type: words("the carrier's own code"),
  customer_classification: words("UPS's own code"),
  currency: words('of `customs`; `USD` when left out'),
  customs: { type: 'list', about: 'the lines of the customs declaration' },
  reference: words('a reference on the label'),
  ...Object.fromEntries(REFERENCES.map((name) => [name, words('a reference on the label')])),
  tracking_number: words('the number of a parcel'),
  shipment_id: words('as SubmitShipment answered it'),
  rate_id: words("an aggregator's price to buy"),
  carrier_name: words("an aggregator's carrier"),
  carrier_account: { type: 'texts', about: "an aggregator's accounts" },
}

const when = orNull(text())

/** A source as `GET /sources` shows it. */
export const source = object({
  type: text(),
  where: text(),
  printer: text(),
  ack: text(),
  state: text(),
  message: text(),
  detail: text('technical words'),
  texts: record(list({})),
  contact: when,
  error: text(),
  error_at: when,
  refusal: text(),
  refusal_at: when,
  warning: text(),
  warning_at: when,
  taken: whole(),
  refused: whole(),
  waiting: orNull(number()),
  bad: orNull(number()),
})
