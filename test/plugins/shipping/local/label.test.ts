import t from 'tap'
import { readShipment } from '../../../../src/carriers/params.ts'
import { scanLabel } from '../../../../src/labels/languages/index.ts'
import { drawLocalLabel, type LocalLabel } from '../../../../src/plugins/shipping/local/label.ts'
import { checkDigitOf, isNumber, makeNumber } from '../../../../src/plugins/shipping/local/store.ts'
import { readSymbols } from '../../../interpreters/symbols.ts'
import { renderZpl } from '../../../interpreters/zpl.ts'
import { fromPng } from '../../../label-makers/files.ts'
import { toRaster } from '../../../label-makers/gray.ts'
import { makeRandom } from '../../../random.ts'

const ADDRESS = {
  shipper: 'Shop',
  ship_addr1: '1 Dock Rd',
  ship_city: 'Reno',
  ship_state: 'NV',
  ship_code: '89501',
  to_name: 'Ann Buyer',
  to_addr1: '2 Elm St',
  to_city: 'Ames',
  to_state: 'IA',
  to_code: '50010',
  weight: 3,
  reference1: 'order 17',
}

function labelOf(more: Readonly<Record<string, unknown>> = {}): LocalLabel {
  const read = readShipment({ ...ADDRESS, ...more })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  const place = { weight: 3.25, description: 'Own van', n: 2, of: 3 }
  return { shipment: read.shipment, number: 'PL90783517512483971', ...place }
}

t.test(
  'numbers have a check digit that catches every wrong and every swapped digit but 5 apart',
  (t) => {
    for (let count = 0; count < 100; count += 1) {
      const number = makeNumber()
      t.match(number, /^PL9\d{16}$/)
      t.ok(isNumber(number))
      for (let at = 3; at < number.length; at += 1) {
        const digit = (Number(number[at]) + 1 + (count % 9)) % 10
        const wrong = `${number.slice(0, at)}${digit}${number.slice(at + 1)}`
        t.equal(isNumber(wrong), wrong === number, wrong)
      }
    }
    // 1*9 + 3*1 + 1*2 = 14.
    t.equal(checkDigitOf('912'), 6)
    t.end()
  },
)

t.test('the label scans at 203 and 300 dpi, as ZPL and as a picture', async (t) => {
  for (const dpi of [203, 300]) {
    const zpl = await drawLocalLabel(labelOf(), { format: 'ZPL', dpi })
    const text = Buffer.from(zpl).toString()
    t.match(text, /^\^XA[\s\S]*\^XZ$/)
    t.match(text, 'LOCAL CARRIER - NO POSTAGE')
    t.match(text, '2 OF 3')
    const stock = { width: 4 * dpi, height: 6 * dpi, dpi }
    const symbols = await readSymbols(await renderZpl(zpl, stock), ['Code128'])
    t.same(symbols, { Code128: labelOf().number }, `ZPL at ${dpi} dpi`)
    const png = await drawLocalLabel(labelOf(), { format: 'PNG', dpi })
    const drawn = toRaster(fromPng(Buffer.from(png)))
    t.match(drawn, { width: stock.width, height: stock.height })
    t.same(
      await readSymbols(drawn, ['Code128']),
      { Code128: labelOf().number },
      `PNG at ${dpi} dpi`,
    )
  }
})

/** Every command of a label, without its texts. */
function commandsOf(zpl: Uint8Array): string {
  return [
    ...Buffer.from(zpl)
      .toString()
      .matchAll(/[\^~][A-Z@][A-Z0-9@]?/g),
  ].join(' ')
}

t.test('no text of a request becomes a command', async (t) => {
  const random = makeRandom(20_261_123)
  const plain = commandsOf(await drawLocalLabel(labelOf(), { format: 'ZPL', dpi: 203 }))
  const signs = ['^', '~', '\\', '_', '_5E', '^XA', '~JR', '^FD', '\\&', '"', 'Ö', 'é', ' ', 'x']
  for (let count = 0; count < 200; count += 1) {
    const text = () =>
      Array.from({ length: 6 }, () => signs[Math.floor(random() * signs.length)]).join('')
    const hostile = { to_name: `a${text()}`, to_addr1: `a${text()}`, reference1: `a${text()}` }
    const zpl = await drawLocalLabel(labelOf(hostile), { format: 'ZPL', dpi: 203 })
    t.equal(commandsOf(zpl), plain, JSON.stringify(hostile))
    t.same(scanLabel(zpl, 'zpl'), { commands: [], cut: undefined })
  }
})

t.test('an underscore is printed as one', async (t) => {
  const zpl = await drawLocalLabel(labelOf({ to_name: 'a_5Eb' }), { format: 'ZPL', dpi: 203 })
  t.match(Buffer.from(zpl).toString(), '^FH^FDa_5F5Eb^FS')
})

t.test('letters that printers lack are drawn, and the longest address is whole', async (t) => {
  const zpl = await drawLocalLabel(labelOf({ to_name: 'Ann 東京' }), { format: 'ZPL', dpi: 203 })
  t.match(Buffer.from(zpl).toString(), /\^GFA,/)
  const long = 'Wolfgang Amadeus '.repeat(7).trim()
  const fields = { to_name: long, to_company: `${long}!`, to_addr1: long, to_addr2: long }
  const text = Buffer.from(
    await drawLocalLabel(labelOf(fields), { format: 'ZPL', dpi: 203 }),
  ).toString()
  t.equal(text.match(/Wolfgang/g)?.length, 4 * 7)
  t.match(text, 'Ames IA 50010')
})
