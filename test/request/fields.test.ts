import t from 'tap'
import { writeFieldsTable } from '../../docs.ts'
import { checkOptions, readValue } from '../../src/request/field-values.ts'
import { FIELD_NAMES, FIELDS, type Field, NUMBER_FIELDS } from '../../src/request/fields.ts'

t.test('what a request may say the intake takes, and nothing beyond', (t) => {
  for (const [name, { min, max, option }] of NUMBER_FIELDS) {
    for (const good of [min, max]) {
      t.equal(readValue(name, String(good)), good)
      if (option) t.doesNotThrow(() => checkOptions({ [option]: good }), name)
    }
    for (const bad of [min - 1, max + 1]) {
      t.throws(() => readValue(name, String(bad)), { code: 'FIELD_INVALID' }, name)
      if (option) t.throws(() => checkOptions({ [option]: bad }), { code: 'FIELD_INVALID' }, name)
    }
  }
  t.end()
})

t.test('every field has a row for the docs, and a name that is lower case', (t) => {
  const table = writeFieldsTable()
  for (const name of FIELD_NAMES) {
    const field: Field = FIELDS[name]
    t.equal(name, name.toLowerCase())
    t.match(table, `| \`${name}\` |`)
    t.match(table, field.about)
  }
  t.end()
})
