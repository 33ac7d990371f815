import { CUSTOMS_PARAMS, PACKAGE_PARAMS, type ParamField } from '#carriers'
import { FIELDS, type Field } from '../../core/request/fields.ts'
import { PAPER_PARAMS, PARAMS, PRINT_PARAMS } from '../../plugins/shipping/call-fields.ts'
import { describeSchema, type FieldDescription } from '../../settings/describe.ts'
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

function ofParams(table: Readonly<Record<string, ParamField>>): Schema {
  const entries = Object.entries(table).flatMap(([name, one]) => [
    [name, ofParam(one)] as const,
    ...(one.aliases ?? []).map(
      (alias) => [alias, ofParam({ ...one, about: `another name of \`${name}\`` })] as const,
    ),
  ])
  return { type: 'object', properties: Object.fromEntries(entries) }
}

/** Numbers may be texts, as PHP writes them, and what is left out may be there as an empty list. */
function ofParam({ type, about, choices }: ParamField): Schema {
  const more = { description: about }
  if (type === 'print') {
    return { oneOf: [text(), flag(), ofParams(PRINT_PARAMS)], ...more }
  }
  if (type === 'papers') {
    return { oneOf: [text(), ofParams(PAPER_PARAMS)], ...more }
  }
  if (type === 'flag') return { type: ['boolean', 'integer', 'string'], ...more }
  if (type === 'texts') return { oneOf: [text(), list(text())], ...more }
  if (type === 'number' || type === 'whole' || type === 'amount') {
    return { type: ['number', 'string'], ...more }
  }
  if (type === 'country') return text({ ...more, pattern: '^([A-Za-z]{2})?$' })
  return choices === undefined
    ? { type: ['string', 'number'], ...more }
    : text({ ...more, enum: choices })
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
