import t from 'tap'
import { readPrint } from '../../../src/plugins/printnode/print.ts'

const JOB = { printerId: 7, contentType: 'raw_base64', content: 'XlhB' }
const FORM = 'application/x-www-form-urlencoded'

const read = (fields: object, type = 'application/json') =>
  readPrint(Buffer.from(JSON.stringify(fields)), type)

t.test('what a job asks for, as clients write it', (t) => {
  t.same(read(JOB), {
    printer: 7,
    content: 'XlhB',
    isAddress: false,
    credentials: '',
    title: '',
    source: '',
    options: {},
    copies: 1,
  })
  const cases: readonly (readonly [object, object])[] = [
    [{ printerId: '12' }, { printer: 12 }],
    [{ printerId: undefined, printer: 9 }, { printer: 9 }],
    [{ contentType: 'pdf_base64' }, { isAddress: false }],
    [{ contentType: 'raw_uri' }, { isAddress: true, credentials: '' }],
    [
      { title: ' Order 7\n', source: 5 },
      { title: 'Order 7', source: '' },
    ],
    [{ source: 'shop' }, { source: 'shop' }],
    [{ qty: 2 }, { copies: 2 }],
    [{ qty: 2, options: { copies: '3' } }, { copies: 6 }],
    [{ options: [] }, { options: {}, copies: 1 }],
    [{ options: null }, { options: {}, copies: 1 }],
    [{ expireAfter: 600 }, { options: { expireAfter: 600 } }],
    [{ expireAfter: null }, { options: {} }],
    [{ options: { rotate: 90 } }, { options: { rotate: '90' } }],
    [{ options: { pages: '1,3' } }, { options: { pages: '1,3' } }],
    [{ options: { pages: '-5' } }, { options: { pages: '1-5' } }],
    [{ options: { pages: '1,3-' } }, { options: { pages: '1,3-9999999999' } }],
    [{ options: { pages: '-' } }, { options: { pages: '1-9999999999' } }],
    [{ options: { pages: '2-3, 5' } }, { options: { pages: '2-3, 5' } }],
    [{ options: { fit_to_page: false } }, { options: { scaling: 'none' } }],
    [{ options: { fit_to_page: 'false' } }, { options: { scaling: 'none' } }],
    [{ options: { fit_to_page: '0' } }, { options: { scaling: 'none' } }],
    [{ options: { fit_to_page: true } }, { options: { scaling: 'auto' } }],
    [{ options: { bin: '', collate: true, color: 'false', nup: 1 } }, { options: {} }],
    [{ options: { duplex: 'one-sided', media: null } }, { options: {} }],
  ]
  for (const [more, wanted] of cases) {
    t.match(read({ ...JOB, ...more }), wanted, JSON.stringify(more))
  }
  t.same(
    read({ ...JOB, options: { dpi: '203x203' } }).options,
    read({ ...JOB, options: { dpi: 203 } }).options,
  )
  t.match(read({ ...JOB, options: { paper: '4x6' } }).options, { labelWidth: 4, labelHeight: 6 })
  t.end()
})

t.test('credentials are read for an address alone', (t) => {
  const authentication = { type: 'BasicAuth', credentials: { user: 'anna', pass: 'pw:1' } }
  const of = (more: object, contentType = 'pdf_uri') =>
    read({ ...JOB, contentType, ...more }).credentials
  t.equal(of({ authentication }), 'anna:pw:1')
  t.equal(of({ authentication }, 'pdf_base64'), '')
  t.equal(of({ authentication: null }), '')
  t.equal(of({ authentication: { type: 'BasicAuth' } }), ':')
  const refused = { code: 'FIELD_INVALID', message: /authentication/ }
  t.throws(() => of({ authentication: { type: 'DigestAuth' } }), refused)
  t.throws(() => of({ authentication: 'anna:pw' }), refused)
  t.end()
})

t.test('a form has the same names; what begins as JSON is JSON', (t) => {
  const form =
    'printerId=7&contentType=raw_base64&content=XlhB&options[copies]=2&options[rotate]=180'
  t.match(readPrint(Buffer.from(form), FORM), { printer: 7, copies: 2, options: { rotate: '180' } })
  t.match(readPrint(Buffer.from(form), `${FORM.toUpperCase()}; charset=utf-8`), { printer: 7 })
  t.match(read(JOB, FORM), { printer: 7, content: 'XlhB' }, 'as curl sends it')
  t.match(readPrint(Buffer.from(` \n${JSON.stringify(JOB)}`), FORM), { printer: 7 })
  const marked = Buffer.from(`\ufeff${JSON.stringify(JOB)}`)
  for (const type of ['application/json', FORM]) t.match(readPrint(marked, type), { printer: 7 })
  t.throws(() => readPrint(Buffer.from(form), 'application/json'), { code: 'BODY_BROKEN' })
  t.throws(() => readPrint(Buffer.from('[1]'), 'application/json'), {
    message: 'The body is not a JSON object.',
  })
  t.end()
})

t.test('what cannot be done is refused with the name of its field', (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ contentType: 'raw' }, /^contentType: .*raw_base64/],
    [{ contentType: undefined }, /^contentType/],
    [{ content: '' }, /^content: /],
    [{ content: 5 }, /^content: .*number/],
    [{ printerId: 0 }, /^printerId: .*a whole number from 1/],
    [{ printerId: 'Bench' }, /^printerId/],
    [{ printerId: 1.5 }, /^printerId/],
    [{ printerId: '1'.repeat(16) }, /^printerId/],
    [{ qty: 0 }, /^qty/],
    [{ options: { copies: '-1' } }, /^copies/],
    [{ expireAfter: 0 }, /^expireAfter/],
    [{ options: [1] }, /^options: .*an object/],
    [{ options: 'copies' }, /^options/],
    [{ options: { duplex: 'long-edge' } }, /^options\.duplex: this print server does not do/],
    [{ options: { nup: 2 } }, /^options\.nup/],
    [{ options: { color: true } }, /^options\.color/],
    [{ options: { toString: 'x' } }, /^options\.toString/],
    [{ options: { constructor: '' } }, /^options\.constructor/],
    [{ options: { dpi: '203x300' } }, /^options\.dpi/],
    [{ options: { dpi: 'fine' } }, /^options\.dpi/],
    [{ options: { paper: 'letter' } }, /^options\.paper: .*4x6/],
    [{ options: { rotate: 45 } }, /rotate/],
  ]
  for (const [more, message] of cases) {
    const wanted = { code: 'FIELD_INVALID', message }
    t.throws(() => read({ ...JOB, ...more }), wanted, JSON.stringify(more))
  }
  t.end()
})
