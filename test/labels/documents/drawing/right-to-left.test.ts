import fc from 'fast-check'
import t from 'tap'
import { measureLine, wrapText } from '../../../../src/labels/documents/drawing/lines.ts'
import {
  orderForPaper,
  shapeArabic,
} from '../../../../src/labels/documents/drawing/right-to-left.ts'

t.test('Hebrew and Arabic are turned around, numbers and Latin are not', (t) => {
  t.equal(orderForPaper('Size 12 (XL)'), 'Size 12 (XL)')
  t.equal(orderForPaper('אבג'), 'גבא')
  t.equal(orderForPaper('abc אבג def'), 'abc גבא def')
  t.equal(orderForPaper('אבג abc דהו'), 'והד abc גבא')
  t.equal(orderForPaper('רחוב 12'), '12 בוחר')
  t.equal(orderForPaper('Item 5 אב 12.50 גד'), 'Item 5 דג 12.50 בא')
  t.equal(orderForPaper('(אבג)'), '(גבא)')
  t.equal(orderForPaper('a (אבג) b'), 'a (גבא) b')
  t.equal(orderForPaper('אב גד!'), '!דג בא')
  t.equal(orderForPaper('אב 100%'), '100% בא', 'with its sign')
  t.equal(orderForPaper('100% אב גד'), 'דג בא 100%')
  t.equal(orderForPaper('אב ₪50, 20°'), '20° ,₪50 בא')
  t.equal(orderForPaper('אב $ גד'), 'דג $ בא')
  t.equal(orderForPaper('قط 100%'), '%100 طق', 'which Arabic has on the other side')
  t.equal(orderForPaper('Size 100% אב'), 'Size 100% בא')
  t.end()
})

t.test('all lines of a paragraph begin where it begins', (t) => {
  const style = { height: 20 }
  const onPaper = (text: string, cells: number) =>
    wrapText(text, cells * 10, style).map((line) => {
      t.ok(measureLine(line, style) <= cells * 10)
      return orderForPaper(line)
    })
  t.same(onPaper('אבגד הוזח abc טיכל', 9), ['חזוה דגבא', 'לכיט abc'])
  t.same(onPaper('abcd efgh אבג ijk', 9), ['abcd efgh', 'גבא ijk'])
  t.same(onPaper('אבגד הוזח abc', 9), ['חזוה דגבא', 'abc'])
  t.same(onPaper('אבגד\nabc אבג', 9), ['דגבא', 'abc גבא'], 'a paragraph of its own')
  t.end()
})

t.test('turning around loses nothing', (t) => {
  const line = fc.string({ unit: fc.constantFrom(...'ab 12.-%₪()אבגسل٣'), maxLength: 40 })
  fc.assert(
    fc.property(line, (line) => {
      const bare = (text: string) => [...text.replace(/[()]/g, '')].sort().join('')
      return bare(orderForPaper(line)) === bare(line)
    }),
  )
  t.end()
})

t.test('letters of Arabic script take the form of their place', (t) => {
  t.equal(shapeArabic('plain'), 'plain')
  t.equal(shapeArabic('بيت'), '\ufe91\ufef4\ufe96', 'initial, middle, final')
  t.equal(shapeArabic('دار'), '\ufea9\ufe8d\ufead', 'these never join on')
  t.equal(shapeArabic('سلام'), '\ufeb3\ufefc\ufee1', 'lam and alef are one')
  t.equal(shapeArabic('لا'), '\ufefb')
  t.equal(shapeArabic('بِيت'), '\ufe91\ufef4\ufe96', 'vowel signs are left out')
  t.equal(shapeArabic('پی'), '\ufb58\ufbfd', 'Persian')
  t.equal(shapeArabic('بـب'), '\ufe91ـ\ufe90')
  t.equal(shapeArabic('ب ب'), '\ufe8f \ufe8f')
  t.equal(shapeArabic('ء'), '\ufe80')
  t.end()
})
