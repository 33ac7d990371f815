import { FIELDS, type RequestField } from '../core/request/fields.ts'
import type { FieldDescription } from '../settings/describe.ts'
import {
  type AnswerDescription,
  flag,
  list,
  number,
  object,
  type Parameter,
  ref,
  type Schema,
  text,
  whole,
} from './json-schema.ts'

/** The headers for how long an answer waits for the paper, and what makes a repeat harmless. */
export const PREFER: readonly Parameter[] = [
  {
    name: 'Prefer',
    about: '`wait=10`: seconds to wait for the paper; `respond-async`: none',
    schema: text(),
  },
  { name: 'Idempotency-Key', about: 'the same as the field `idempotency_key`', schema: text() },
]

/** Labels were accepted. */
export const ACCEPTED = (): readonly AnswerDescription[] => [
  { status: 200, about: 'All labels have ended.', schema: ref('PrintAnswer') },
  { status: 202, about: 'The labels are kept and will print.', schema: ref('PrintAnswer') },
]

/** The fields of a print request, from the table that checks them. Forms send numbers as texts. */
export function printFields(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, ofField(field)]))
}

function ofField(field: RequestField): Schema {
  const after = field.default === '' ? '' : ` Left out: ${field.default}.`
  if (field.type === 'text') return text(`${field.about}; ${field.wanted}.${after}`)
  const { min: minimum, max: maximum, unit, whole: isWhole } = field
  const more = { minimum, maximum, description: `${field.about} (${unit}).${after}` }
  return isWhole === true ? whole(more) : number(more)
}

/** The settings, from the schema that checks them; masked secrets may go back as they came. */
export function settings(fields: readonly FieldDescription[]): Schema {
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

/** The answer that says what became of settings that were saved. */
export const CHANGED = {
  Status: text(),
  Message: text(),
  restart: list(text()),
  warnings: list(text()),
  notes: list(object({ message: text(), texts: list({}) }), 'the same for people'),
}
