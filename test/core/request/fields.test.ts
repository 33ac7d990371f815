import t from 'tap'
import { writeFieldsTable } from '../../../packaging/docs.ts'
import { checkOptions, readValue } from '../../../src/core/request/field-values.ts'
import {
  FIELD_NAMES,
  FIELDS,
  NUMBER_FIELDS,
  type RequestField,
  readSize,
} from '../../../src/core/request/fields.ts'
import { REQUEST_LIMITS } from '../../../src/core/request/reader.ts'
import { RequestFields } from '../../../src/core/request/request-fields.ts'

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
    const field: RequestField = FIELDS[name]
    t.equal(name, name.toLowerCase())
    t.match(table, `| \`${name}\` |`)
    t.match(table, field.about)
  }
  t.end()
})

t.test('sizes are words that people know', (t) => {
  const sizes: Readonly<Record<string, readonly [number, number]>> = {
    '4x6': [4, 6],
    '4 x 6 in': [4, 6],
    '4"x6"': [4, 6],
    '2.25×1.25': [2.25, 1.25],
    '100x150mm': [3.937, 5.906],
    '10cm x 150mm': [3.937, 5.906],
    '100 mm x 15 cm': [3.937, 5.906],
    '4in x 150mm': [4, 5.906],
    '100x150': [3.937, 5.906],
    '100mm x 150mm': [3.937, 5.906],
    '10 x 15 cm': [3.937, 5.906],
    A4: [8.268, 11.693],
    A5: [5.827, 8.268],
    A6: [4.134, 5.827],
    A7: [2.913, 4.134],
    a8: [2.047, 2.913],
    a5: [5.827, 8.268],
  }
  for (const [text, [labelWidth, labelHeight]] of Object.entries(sizes)) {
    t.same(readSize(text), { labelWidth, labelHeight }, text)
  }
  for (const text of ['', '4', 'x6', 'A9', '4x6x2', 'letter', '4x6 ft'])
    t.equal(readSize(text), undefined, text)
  t.end()
})

t.test('a request says its size once', (t) => {
  const read = (texts: Readonly<Record<string, string>>) => {
    const fields = new RequestFields(REQUEST_LIMITS)
    fields.addLabel(Buffer.from('^XA^XZ'))
    for (const [name, value] of Object.entries(texts)) fields.addText(name, value)
    return fields.request().options
  }
  t.same(read({ size: 'A6' }), { labelWidth: 4.134, labelHeight: 5.827 })
  t.throws(() => read({ size: '4x6', label_width: '4' }), {
    code: 'FIELD_INVALID',
    message: /one or the other/,
  })
  t.throws(() => read({ size: '90x90in' }), {
    code: 'FIELD_INVALID',
    message: /label_width: got "90"/,
  })
  t.throws(() => read({ size: 'large' }), {
    code: 'FIELD_INVALID',
    message: /size: got "large", wanted a size like 4x6/,
  })
  t.end()
})
