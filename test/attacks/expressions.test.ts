import t, { type Test } from 'tap'
import { readErrors as readDhlErrors } from '../../src/carriers/dhl/wire.ts'
import { readErrors as readFedexErrors } from '../../src/carriers/fedex/wire.ts'
import { readErrors as readShipEngineErrors } from '../../src/carriers/shipengine/wire.ts'
import { readSize } from '../../src/core/request/fields.ts'
import { parseBasic } from '../../src/http/access/session.ts'
import { unpackLabel } from '../../src/labels/detect/detect.ts'
import { readMoney } from '../../src/labels/documents/pack-list/check.ts'
import { LabelFault } from '../../src/labels/fault.ts'
import { nameLabel } from '../../src/labels/languages/names/index.ts'
import { browserPrint } from '../../src/plugins/browser-print/index.ts'
import { readPrint } from '../../src/plugins/printnode/print.ts'
import { processorMs } from '../labels/processor-time.ts'
import { findClosedPort } from '../listen.ts'
import { openDoor } from '../plugins/door/door-bench.ts'

// Texts of strangers on which an expression once took time by the square, by the cube, or without end. Each is so long that it
// took minutes then; the bound is forty times what it takes now.

const MOST_MS = 2_000
const MIB = 2 ** 20

function costsLittle(t: Test, name: string, work: () => unknown): void {
  const ms = processorMs(work)
  t.ok(ms < MOST_MS, `${name}: ${ms.toFixed(0)} ms`)
}

t.test('an amount of a pack list in a million digits is not read', (t) => {
  for (const text of [
    `${'0'.repeat(MIB)}e0`,
    '0'.repeat(MIB),
    `1.${'0'.repeat(MIB)}`,
    `.${'0'.repeat(MIB)}x`,
  ]) {
    costsLittle(t, text.slice(0, 8), () => t.equal(readMoney(text), undefined))
  }
  t.equal(readMoney('12.50'), 125_000_000_000n)
  t.equal(readMoney('.5'), 5_000_000_000n)
  t.equal(readMoney('7.'), 70_000_000_000n)
  t.end()
})

t.test('a login of blanks is no login', (t) => {
  for (const header of [`Basic ${' '.repeat(MIB)}x`, `Basic ${' '.repeat(15_500)}`]) {
    costsLittle(t, `${header.length} characters`, () => t.equal(parseBasic(header), undefined))
  }
  const header = `basic  ${Buffer.from('admin:a b').toString('base64')} `
  t.same(parseBasic(header), { username: 'admin', password: 'a b' })
  t.end()
})

t.test('a size and pages of blanks are refused', (t) => {
  const blanks = ' '.repeat(MIB)
  for (const text of [
    `1${blanks}`,
    `1${blanks}x`,
    `1x1${blanks}x`,
    `${blanks}x`,
    '1'.repeat(MIB),
  ]) {
    costsLittle(t, 'a size', () => t.equal(readSize(text), undefined))
  }
  for (const options of [
    { pages: blanks },
    { pages: `1${blanks}` },
    { pages: `1${blanks}-${blanks}x` },
    { pages: '-,'.repeat(MIB / 2) },
    { paper: `1${blanks}` },
  ]) {
    const body = Buffer.from(
      JSON.stringify({ printerId: 1, contentType: 'raw_base64', content: 'QQ==', options }),
    )
    costsLittle(t, Object.keys(options)[0] ?? '', () =>
      t.throws(() => readPrint(body, 'application/json'), { code: 'FIELD_INVALID' }),
    )
  }
  t.end()
})

t.test("a carrier's endless words are looked through once", (t) => {
  const words = (text: string) => text.repeat(Math.floor(MIB / text.length))
  for (const text of [
    'product',
    'postal',
    'service ',
    'already ',
    'voided ',
    'COUNTRY',
    'TRACKING.',
  ]) {
    const long = words(text)
    const dhl = {
      status: 400,
      headers: {},
      text: JSON.stringify({ detail: long, additionalDetails: [long] }),
    }
    costsLittle(t, `DHL: ${text}`, () => readDhlErrors(dhl))
    const fedex = {
      status: 400,
      headers: {},
      text: JSON.stringify({ errors: [{ code: long, message: long }] }),
    }
    costsLittle(t, `FedEx: ${text}`, () => readFedexErrors(fedex))
    const engine = {
      status: 400,
      headers: {},
      text: JSON.stringify({ errors: [{ message: long }] }),
    }
    costsLittle(t, `ShipEngine: ${text}`, () => readShipEngineErrors(engine))
  }
  t.end()
})

t.test('a label of one endless line is named at once', (t) => {
  for (const piece of ['to ', ',', 'TRACKING ', '#', '1', 'a: ', '"', 'Z ']) {
    const label = Buffer.from(`^XA^FO1,1^FDto: ${piece.repeat(MIB / piece.length)}^FS^XZ`)
    costsLittle(t, piece, () => nameLabel(label, 'zpl'))
  }
  t.end()
})

t.test('a file of nothing but comments or headers is looked at once', (t) => {
  const fill = (text: string) => text.repeat(Math.ceil(MIB / text.length))
  const files = [
    `<?xml${fill('<!---->')}`,
    `${fill('<!---->')}<svgx`,
    `<?xml${fill('<!doctype svg')}`,
    `a:\n${fill(' \n')}`,
    fill('a:\r\n \r\n'),
    `{"label"${fill(' ')}`,
    `<a label${fill('"> ')}`,
    `SIZE 4,6\nCLS\n${fill(`a${'\0'.repeat(4_090)}b\n`)}`,
    `N\n${fill(`A${' '.repeat(4_090)}b\n`)}`,
    `^XA${fill('^GFA, , , , , , ,')}`,
  ]
  for (const file of files) {
    costsLittle(t, JSON.stringify(file.slice(0, 24)), () => {
      try {
        unpackLabel(Buffer.from(file, 'latin1'))
      } catch (error) {
        t.ok(error instanceof LabelFault, 'refused on purpose')
      }
    })
  }
  t.end()
})

t.test('a question of Browser Print in which questions lie is answered at once', async (t) => {
  const port = await findClosedPort()
  await openDoor(t, browserPrint, { browser_print: true, browser_print_port: port })
  // 196 characters took 5 s, and 17 more seven times as long.
  const data = `${`! U1 getvar ${' '.repeat(5)}`.repeat(11)}^`
  t.ok(data.length < 200)
  const before = process.cpuUsage()
  const answer = await fetch(`http://127.0.0.1:${port}/write`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: JSON.stringify({ device: { uid: 'A' }, data }),
  })
  const { user } = process.cpuUsage(before)
  t.ok(answer.status > 0)
  t.ok(user / 1_000 < MOST_MS, `${(user / 1_000).toFixed(0)} ms`)
})
