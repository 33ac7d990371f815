import fc from 'fast-check'
import t from 'tap'
import type { Mark } from '../../../src/labels/documents/drawing/canvas.ts'
import { makePrintable, measureLine } from '../../../src/labels/documents/drawing/lines.ts'
import { loadFont } from '../../../src/labels/documents/font/font.ts'
import { choosePackListStyle } from '../../../src/labels/documents/pack-list/page.ts'
import {
  checkPackList,
  layOutPackList,
  type PackList,
  renderPackList,
} from '../../../src/labels/documents/pack-list.ts'
import { LabelFault } from '../../../src/labels/fault.ts'
import { namedLanguages } from '../../../src/labels/languages/index.ts'
import type { Raster } from '../../../src/labels/languages/raster.ts'
import type { RenderedLabel, Target } from '../../../src/labels/target.ts'
import { anyCharacter } from '../../characters.ts'
import { interpretEpl } from '../../interpreters/epl.ts'
import { readSymbols } from '../../interpreters/symbols.ts'
import { interpretTspl } from '../../interpreters/tspl.ts'
import { renderZplPages } from '../../interpreters/zpl.ts'
import { fromPng } from '../../label-makers/files.ts'
import { toRaster } from '../../label-makers/gray.ts'
import { isLong } from '../../suite/long.ts'
import { makeTarget } from '../make-target.ts'
import { ORDER } from '../orders.ts'

const render = (order: unknown, target: Partial<Target> = {}) =>
  renderPackList(checkPackList(order), makeTarget(target))

function stockOf(target: Partial<Target>) {
  const { dpi, labelWidth, labelHeight } = makeTarget(target)
  return { width: Math.round(labelWidth * dpi), height: Math.round(labelHeight * dpi), dpi }
}

/** Marks of all pages of an order, laid out as for printing. */
function layOut(order: unknown, target: Partial<Target> = {}) {
  return layOutPackList(checkPackList(order), choosePackListStyle(makeTarget(target)))
}

/** The texts of a page, line by line. */
function texts(marks: readonly Mark[]): readonly string[] {
  return marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []))
}

/** The rightmost and lowest black dots, and the first ones. */
function findInk(raster: Raster) {
  const stride = Math.ceil(raster.width / 8)
  const ink = { left: raster.width, right: -1, top: raster.height, bottom: -1 }
  for (let y = 0; y < raster.height; y += 1) {
    for (let x = 0; x < raster.width; x += 1) {
      if ((((raster.bits[y * stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 0) continue
      ink.left = Math.min(ink.left, x)
      ink.right = Math.max(ink.right, x)
      ink.top = Math.min(ink.top, y)
      ink.bottom = Math.max(ink.bottom, y)
    }
  }
  return ink
}

function previewOf(rendered: RenderedLabel): Raster {
  return toRaster(fromPng(Buffer.from(rendered.preview ?? [])))
}

/** Asserts that everything stands inside the margins. */
function checkMargins(
  t: { ok(value: boolean, name: string): unknown },
  raster: Raster,
  target: Partial<Target>,
  what: string,
): void {
  const style = choosePackListStyle(makeTarget(target))
  const ink = findInk(raster)
  t.ok(ink.left >= style.left, `${what}: nothing left of the margin, ${ink.left}`)
  t.ok(ink.right <= style.right, `${what}: nothing right of it, ${ink.right} of ${style.right}`)
  t.ok(ink.top >= style.top && ink.bottom < style.bottom, `${what}: ${ink.top}..${ink.bottom}`)
}

t.setTimeout(300_000)

t.test('an order prints as ZPL whose barcode scans, with a picture of it', async (t) => {
  const rendered = await render(ORDER)
  const zpl = Buffer.from(rendered.bytes).toString()
  t.match(zpl, /^\^XA\^CI28\^LH0,0\^LS0\^PON\^LRN\^PMN\^FWN\^MCY\^PW812\^LL1218\n/)
  t.match(zpl, /\^XZ\n$/)
  const [page, ...more] = await renderZplPages(zpl, stockOf({}))
  if (page === undefined) throw new Error('no label came out')
  t.same(more, [])
  t.same(await readSymbols(page, ['Code128']), { Code128: '1000234567' })
  t.same(await readSymbols(previewOf(rendered), ['Code128']), { Code128: '1000234567' })
  checkMargins(t, page, {}, 'ZPL')
  checkMargins(t, previewOf(rendered), {}, 'picture')
  t.same(rendered.notes, [])
})

t.test('printers of other languages get the same as a picture', async (t) => {
  const preview = previewOf(await render(ORDER))
  const epl = interpretEpl((await render(ORDER, { language: 'epl' })).bytes, stockOf({}))
  const tspl = interpretTspl((await render(ORDER, { language: 'tspl' })).bytes, 203)
  for (const printed of [epl, tspl]) {
    t.equal(printed.length, 1)
    const raster = printed[0]?.raster ?? { width: 0, height: 0, bits: new Uint8Array() }
    t.same(await readSymbols(raster, ['Code128']), { Code128: '1000234567' })
    t.same(findInk(raster), findInk(preview))
  }
})

t.test('it says what a packer needs', (t) => {
  const { pages } = layOut(ORDER)
  const lines = texts(pages.flat())
  for (const text of [
    'PACKING LIST',
    'Page 1 of 1',
    '1000234567',
    '06/15/2026',
    '06/16/2026',
    'Jane Doe',
    '742 Evergreen Terrace',
    'Apt 4B',
    'Springfield, IL 62701',
    'Acme Outdoor Supply, 1 Warehouse Way, Reno, NV 89501',
    'jane.doe@example.com',
    'TENT-2P-GRN',
    '129.50',
    'STOVE-GAS',
    '34.00',
    '68.00',
    'MUG-ENAMEL-0.4L',
    '87.00',
    '15 pieces in 3 lines',
    '284.50',
    '5.99',
    '8.25',
    '-10.00',
    'TOTAL',
    '288.74',
    'Gift message:',
    'Happy birthday, Jane!',
    'Love, Tom',
  ]) {
    t.ok(lines.includes(text), text)
  }
  const quantities = pages.flat().filter((mark) => mark.kind === 'text' && mark.align === 'center')
  t.same(texts(quantities), ['1', '2', '12'])
  t.equal(pages.flat().filter(({ kind }) => kind === 'frame').length, 2, 'more than one is framed')
  t.end()
})

t.test('what is missing leaves its place out', (t) => {
  const lines = texts(layOut({ items: [{ sku: 'A' }] }).pages.flat())
  t.same(lines, ['PACKING LIST', 'Page 1 of 1', 'QTY', 'ITEM', 'A', '1 line'])
  const unpriced = {
    items: [
      { sku: 'A', qty: 2, price: 1 },
      { sku: 'B', qty: 1 },
    ],
    tax: 1,
  }
  const some = texts(layOut(unpriced).pages.flat())
  t.ok(some.includes('Tax') && some.includes('3 pieces in 2 lines'))
  t.notOk(some.includes('TOTAL') || some.includes('Subtotal'), 'no total of an unknown sum')
  const whole = texts(layOut({ items: [{ desc: 'Only words', qty: 1, price: 3 }] }).pages.flat())
  t.ok(
    whole.includes('Only words') && whole.includes('1 piece in 1 line') && whole.includes('TOTAL'),
  )
  t.notOk(whole.includes('Subtotal'), 'it would be the total')
  t.ok(
    texts(layOut({ items: [{ price: 3 }] }).pages.flat()).includes('3.00'),
    'a price without quantity',
  )
  const nameless = {
    items: [{}],
    custom_fields: [{ value: 'only a value' }, { key: 'only a key' }, {}],
  }
  const fields = texts(layOut(nameless).pages.flat())
  t.ok(fields.includes('only a value') && fields.includes('only a key:'))
  t.end()
})

t.test('500 items with long descriptions run over many labels, each with its number', async (t) => {
  const items = Array.from({ length: 500 }, (_, index) => ({
    sku: `SKU-${index}`,
    desc: 'A long description that has to be wrapped over several lines. '.repeat(8),
    price: 1.01,
    qty: 2,
  }))
  const { pages } = layOut({ ...ORDER, items })
  t.ok(pages.length > 50, `${pages.length} pages`)
  for (const [index, marks] of pages.entries()) {
    t.ok(texts(marks).includes(`Page ${index + 1} of ${pages.length}`))
    if (index > 0) t.ok(texts(marks).includes('ORDER 1000234567'))
  }
  const lines = texts(pages.flat())
  t.ok(items.every(({ sku }) => lines.includes(sku)))
  t.ok(lines.includes('1010.00') && lines.includes('1000 pieces in 500 lines'))
  const rendered = await render({ ...ORDER, items })
  t.equal(Buffer.from(rendered.bytes).toString().match(/\^XA/g)?.length, pages.length)
  const epl = await render({ ...ORDER, items: items.slice(0, 30) }, { language: 'epl' })
  const printed = interpretEpl(epl.bytes, stockOf({}))
  t.equal(printed.length, layOut({ ...ORDER, items: items.slice(0, 30) }).pages.length)
})

t.test('hostile text stays text', async (t) => {
  const controls = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')
  const order = {
    ...ORDER,
    order_number: 'A>B^C~',
    items: [
      { sku: '^XZ^XA^FDx', desc: `^XZ~JA~DGR:X^FS_5E\\&${controls}`, qty: 1 },
      { sku: '\u202eevil\u200f', desc: '😀👩‍👩‍👧 עברית العربية', qty: 1 },
      { sku: '\ud800', desc: 'x'.repeat(4000), qty: 1 },
    ],
    custom_fields: [{ key: '^FS', value: 'a\r\nb\u0000c\u2028d' }],
  }
  const rendered = await render(order)
  const zpl = Buffer.from(rendered.bytes).toString()
  const count = zpl.match(/\^XA/g)?.length ?? 0
  t.equal(zpl.match(/\^XZ/g)?.length, count)
  t.notMatch(zpl, /~/, 'no control command')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  t.notMatch(zpl, /[\u0000-\u0009\u000b-\u001f\u007f]/, 'no control character')
  const pages = await renderZplPages(zpl, stockOf({}))
  t.equal(pages.length, count)
  const [first] = pages
  if (first === undefined) throw new Error('no label came out')
  t.same(await readSymbols(first, ['Code128']), { Code128: 'A>B^C~' })
  for (const page of pages) checkMargins(t, page, {}, 'ZPL')
  t.match(rendered.notes.join(), /U\+1F600/)
})

t.test('the name of a field that is broken over two lines is set in one', async (t) => {
  const order = { items: [{}], custom_fields: [{ key: 'Gift\r\nnote', value: 'one\ntwo' }] }
  const zpl = Buffer.from((await render(order)).bytes).toString()
  t.match(zpl, /\^FDGift note:\^FS/)
  t.notMatch(zpl, /\^GFA/, 'no picture of a box')
})

t.test('scripts that the font of the printer lacks are sent as pictures', async (t) => {
  const order = {
    items: [{ sku: 'Łódź', desc: '漢字 and Ελληνικά', qty: 1 }, { sku: 'Crème “brûlée” – €5' }],
  }
  const zpl = Buffer.from((await render(order)).bytes).toString()
  t.equal(zpl.match(/\^GFA/g)?.length, 2)
  t.notMatch(zpl, 'Łódź')
  t.match(zpl, '^FH^FDCrème “brûlée” – €5^FS')
})

t.test('labels of every size and head hold it', async (t) => {
  const sizes = [
    [4, 4, 203],
    [3, 5, 203],
    [2.25, 1.25, 203],
    [4, 6, 300],
    [1.5, 1, 203],
    [6, 4, 203],
    ...(isLong ? ([[4, 6, 600]] as const) : []), // nine times the dots
  ] as const
  for (const [labelWidth, labelHeight, dpi] of sizes) {
    const target = { labelWidth, labelHeight, dpi }
    const name = `${labelWidth}x${labelHeight} at ${dpi}`
    const rendered = await render(ORDER, target)
    const pages = await renderZplPages(rendered.bytes, stockOf(target))
    const found = await Promise.all(pages.map((page) => readSymbols(page, ['Code128'])))
    t.ok(
      found.some((symbols) => symbols['Code128'] === '1000234567'),
      `${name}: barcode`,
    )
    for (const page of pages) checkMargins(t, page, target, name)
    checkMargins(t, previewOf(rendered), target, name)
  }
})

t.test('what a printer is set to is kept', async (t) => {
  const turned = await render(ORDER, { rotate: 180, darkness: 50, speed: 4 })
  t.match(Buffer.from(turned.bytes).toString(), /^~SD15\n\^XA.*\^POI.*\^PR4\n/)
  const plain = interpretEpl((await render(ORDER, { language: 'epl' })).bytes, stockOf({}))
  const down = interpretEpl(
    (await render(ORDER, { language: 'epl', rotate: 180 })).bytes,
    stockOf({}),
  )
  const [ink, other] = [plain, down].map(([label]) => findInk(label?.raster as Raster))
  t.equal(other?.bottom, 1217 - (ink?.top ?? 0))
  t.equal(other?.right, 811 - (ink?.left ?? 0))
  const [near, far] = [{}, { startingPointX: 20, startingPointY: 40 }].map((target) =>
    choosePackListStyle(makeTarget(target)),
  )
  t.equal(far?.left, (near?.left ?? 0) + 20)
  t.equal(far?.top, (near?.top ?? 0) + 40)
  const scaled = choosePackListStyle(makeTarget({ dpi: 406, pictureDpi: 203, startingPointX: 20 }))
  t.equal(scaled.left - choosePackListStyle(makeTarget({ dpi: 406 })).left, 40)
  const absurd = choosePackListStyle(makeTarget({ startingPointX: 5000, startingPointY: -5 }))
  t.ok(absurd.right - absurd.left > 400 && absurd.top === near?.top)
})

t.test('an order number that no barcode holds is told', async (t) => {
  t.match((await render({ ...ORDER, order_number: 'Nr. ö' })).notes, [/no barcode/])
  t.match((await render({ ...ORDER, order_number: 'x'.repeat(120) })).notes, [/no barcode/])
  const wide = layOut({ ...ORDER, order_number: 'A'.repeat(25) })
  t.same(wide.notes, [], 'it stands below the dates when it is wide')
  t.equal(wide.pages.flat().filter(({ kind }) => kind === 'bars').length, 1)
})

t.test('what cannot be printed is refused', async (t) => {
  const refused = (code: string, message: RegExp) => ({ name: 'LabelFault', code, message })
  await t.rejects(
    render(ORDER, { language: undefined }),
    refused('PRINTER_LANGUAGE', new RegExp(namedLanguages)),
  )
  await t.rejects(
    render(ORDER, { labelWidth: 1000 }),
    refused('FIELD_INVALID', /1000x6 inches at 203/),
  )
  await t.rejects(render(ORDER, { labelWidth: 1 }), refused('PACKLIST_INVALID', /1 x 6 inches/))
  const items = Array.from({ length: 1000 }, () => ({
    sku: 'A',
    desc: 'long words and more of them '.repeat(10),
  }))
  await t.rejects(
    render({ items }, { labelWidth: 2, labelHeight: 1 }),
    refused('PACKLIST_INVALID', /takes \d+ labels of this size; wanted at most 500/),
  )
  await t.rejects(
    render({ items }, { language: 'tspl', dpi: 600 }),
    refused('PACKLIST_INVALID', /more than \d+ bytes/),
  )
})

const word = fc.string({ unit: fc.constantFrom(...'aW0-/ ,.^~_\\漢é😀\n\u0007'), maxLength: 60 })
const anyText = fc.oneof(word, fc.string({ unit: anyCharacter, maxLength: 300 }))
const money = fc.oneof(fc.double(), fc.integer(), fc.constant('1.5'), fc.constant(undefined))
const optional = { requiredKeys: [] }
const anyItem = fc.record({ sku: word, desc: anyText, price: money, qty: fc.nat() }, optional)
const anyOrder = fc.record(
  {
    items: fc.array(anyItem, { maxLength: 12 }),
    order_number: word,
    date: word,
    ship_date: word,
    user: word,
    tax: money,
    discounts: money,
    to_address: fc.record({ name: word, city: word, postcode: word }, optional),
    shipper_address: fc.record({ name: word, addr2: word }, optional),
    custom_fields: fc.array(fc.record({ key: word, value: word }), { maxLength: 4 }),
  },
  { requiredKeys: ['items'] },
)
const anySize = fc.constantFrom([4, 6, 203], [3, 5, 203], [2.25, 1.25, 203], [1.5, 1, 300])

/** Every character of every item is on paper, and the beginning of every article number as it was written. */
function checkNothingLost(list: PackList, marks: readonly Mark[]): void {
  const all = texts(marks).join('').replaceAll(' ', '')
  for (const { sku, desc } of list.items) {
    const lost = [...`${sku}${desc}`].find(
      (character) => !/\s/.test(character) && !all.includes(character),
    )
    if (lost !== undefined) throw new Error(`${lost} of ${sku} ${desc} is lost`)
    const start = sku.split('\n')[0]?.replaceAll(' ', '').slice(0, 4) ?? ''
    if (!all.includes(start)) throw new Error(`${sku} is lost`)
  }
}

function checkInside(marks: readonly Mark[], right: number): void {
  for (const mark of marks) {
    if (mark.kind !== 'text' || mark.align !== 'left' || [...mark.text].length === 1) continue
    const end = mark.x + measureLine(mark.text, mark.style)
    if (end > right) throw new Error(`${mark.text} ends at ${end} of ${right}`)
  }
}

/** The error, when it is not the one that a wrong order may have. */
function passRefusal(error: unknown): void {
  if (!(error instanceof LabelFault) || error.code !== 'PACKLIST_INVALID') throw error
}

t.test(
  'no order throws anything but PACKLIST_INVALID, loses an item or leaves the paper',
  async () => {
    const font = await loadFont('漢')
    const clean = (text: string) => makePrintable(text, font.has).text
    const check = async (order: unknown, target: Target) => {
      const list = checkPackList(order)
      const rendered = await renderPackList(list, target)
      const zpl = Buffer.from(rendered.bytes).toString()
      if (/~|\^XZ(?!\n)/.test(zpl)) throw new Error('a command of the text came through')
      const items = list.items.map((item) => ({
        ...item,
        sku: clean(item.sku),
        desc: clean(item.desc),
      }))
      const style = choosePackListStyle(target)
      const marks = layOutPackList({ ...list, items }, style).pages.flat()
      checkNothingLost({ ...list, items }, marks)
      checkInside(marks, style.right)
    }
    const property = fc.asyncProperty(
      anyOrder,
      anySize,
      (order, [labelWidth = 4, labelHeight = 6, dpi = 203]) =>
        check(order, makeTarget({ labelWidth, labelHeight, dpi })).catch(passRefusal),
    )
    await fc.assert(property, { numRuns: 100 })
  },
)
