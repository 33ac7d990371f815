import t from 'tap'
import { makeTarget, paperOf, warnOfLanguage } from '../../../src/core/drawing/target.ts'
import { realDpi } from '../../../src/labels/languages/language.ts'
import { spoken } from '../../words/spoken.ts'
import { printer } from '../bench.ts'

const bare = printer('A', 'file:a')

t.test('what nobody says comes from the seed', (t) => {
  t.match(makeTarget(bare, {}), {
    language: 'zpl',
    dpi: 203,
    labelWidth: 4,
    labelHeight: 6,
    pictureDpi: undefined,
    startingPointX: 0,
    startingPointY: 0,
    z64: false,
  })
  t.end()
})

t.test('the request wins over the printer, the printer over the seed', (t) => {
  const own = { ...bare, labelWidth: 3, labelHeight: 2, dpi: 300 }
  t.match(makeTarget(own, { labelHeight: 5, startingPointX: 7, startingPointY: 8 }), {
    labelWidth: 3,
    labelHeight: 5,
    dpi: 300,
    startingPointX: 7,
    startingPointY: 8,
  })
  t.end()
})

t.test('200 dpi is the trade’s name for 203', (t) => {
  t.equal(realDpi(200), 203)
  t.match(makeTarget({ ...bare, dpi: 200 }, { dpi: 200 }), { dpi: 203, pictureDpi: 203 })
  t.equal(makeTarget(bare, { dpi: 300 }).pictureDpi, 300)
  t.end()
})

t.test('Z64 goes to those that surely read it', (t) => {
  const zebra = { ...bare, makeAndModel: 'Zebra ZD421' }
  t.equal(makeTarget(zebra, {}).z64, true)
  t.equal(makeTarget({ ...zebra, graphics: 'acs' }, {}).z64, false)
  t.equal(makeTarget({ ...bare, graphics: 'z64' }, {}).z64, true)
  t.equal(makeTarget({ ...bare, language: 'cpcl' }, {}).language, undefined)
  t.end()
})

t.test('warns of a raw label in another language, and only of that', (t) => {
  t.match(spoken(warnOfLanguage('epl', bare)), /is EPL but A speaks ZPL/)
  t.equal(spoken(warnOfLanguage('zpl', bare)), '')
  t.equal(spoken(warnOfLanguage('png', bare)), '')
  t.equal(spoken(warnOfLanguage('epl', { ...bare, language: undefined })), '')
  t.end()
})

t.test('how a picture lies: the request first, then the printer', (t) => {
  const turned = { ...bare, rotate: 90, darkness: 5 } as const
  for (const [options, expected] of [
    [{}, { rotate: 90, darkness: 5, scaling: undefined }],
    [{ rotate: 'auto' }, { rotate: 'auto' }],
    [{ rotate: '0' }, { rotate: 0 }],
    [{ rotate: '270' }, { rotate: 270 }],
    [
      { darkness: 0, scaling: 'none' },
      { darkness: 0, scaling: 'none', rotate: 90 },
    ],
    [{ scaling: 'fit' }, { scaling: undefined }],
  ] as const) {
    t.match(makeTarget(turned, options), expected, JSON.stringify(options))
  }
  t.end()
})

t.test('a PDF is drawn for the stock as it lies', (t) => {
  const target = makeTarget({ ...bare, labelWidth: 2, labelHeight: 3, dpi: 203 }, { rotate: '90' })
  const { canvas, dpi, rotate } = paperOf(target)
  t.match({ canvas, dpi, rotate }, { canvas: { width: 406, height: 609 }, dpi: 203, rotate: 90 })
  t.end()
})
