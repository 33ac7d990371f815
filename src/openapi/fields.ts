import { describeSchema, type FieldDescription } from '../config/describe.ts'
import { FIELDS, type Field } from '../request/fields.ts'
import { CUSTOMS_PARAMS, PACKAGE_PARAMS, PARAMS, type ParamAbout } from './params.ts'
import { flag, list, number, object, type Schema, text, whole } from './shapes.ts'

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
  const required = fields.filter((one) => one.required).map(({ key }) => key)
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
    const wish = object({ printer: text(), copies: whole(), cleanup: flag() }, [
      'printer',
      'copies',
      'cleanup',
    ])
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
