import fc from 'fast-check'
import t from 'tap'
import {
  fitText,
  makePrintable,
  measureLine,
  shortenLine,
  wrapText,
} from '../../../../src/labels/documents/drawing/lines.ts'
import { loadFont } from '../../../../src/labels/documents/font/font.ts'
import { anyCharacter } from '../../../characters.ts'

const style = { height: 20 }
const cells = (count: number) => count * 10

t.test('a line is as wide as the wider of the two fonts', (t) => {
  t.equal(measureLine('1234567890', style), 100, 'digits: ours')
  t.ok(measureLine('WWWWWWWWWW', style) > 150, 'capitals: the one of the printer')
  t.equal(measureLine('漢字', style), 40)
  t.equal(measureLine('', style), 0)
  t.end()
})

t.test('text is broken at blanks and behind hyphens, and long words are cut', (t) => {
  t.same(wrapText('one two three', cells(8), style), ['one two', 'three'])
  t.same(wrapText('ab-cd-ef', cells(7), style), ['ab-cd-', 'ef'])
  t.same(wrapText('0123456789', cells(4), style), ['0123', '4567', '89'])
  t.same(wrapText('an 0123456789', cells(4), style), ['an', '0123', '4567', '89'])
  t.same(wrapText('a\nb', cells(9), style), ['a', 'b'])
  t.same(wrapText('漢字漢字', cells(6), style), ['漢字漢', '字'])
  t.same(wrapText('', cells(9), style), [])
  t.same(wrapText('漢', 1, style), ['漢'], 'a character wider than the line stands alone')
  t.end()
})

t.test('no character is lost and no line is too wide, whatever the text', (t) => {
  const text = fc.string({ unit: fc.constantFrom(...'aW0-/ ,.漢é\n'), maxLength: 300 })
  fc.assert(
    fc.property(text, fc.integer({ min: 21, max: 400 }), (text, width) => {
      const lines = wrapText(text, width, style)
      const seen = lines.join('').replaceAll(' ', '')
      return (
        seen === text.replace(/[ \n]/g, '') &&
        lines.every((line) => measureLine(line, style) <= width)
      )
    }),
  )
  t.end()
})

t.test('text is set in the largest style in which it fits', (t) => {
  const [large, small] = [{ height: 40 }, { height: 20 }]
  t.equal(fitText('1234', cells(8), [large, small], 1).style, large)
  t.equal(fitText('12345', cells(8), [large, small], 1).style, small, 'no word is cut for size')
  t.same(fitText('12345 12345', cells(8), [large, small], 1).lines, ['12345', '12345'])
  t.end()
})

t.test('a line that must fit ends in an ellipsis', (t) => {
  t.equal(shortenLine('12345', cells(5), style), '12345')
  t.equal(shortenLine('123 56789', cells(6), style), '123…')
  t.end()
})

const isLatin = (point: number) =>
  (point >= 0x20 && point < 0x7f) || (point >= 0xa1 && point < 0x180)
const print = (text: string) => makePrintable(text, isLatin).text

t.test('control and format characters are left out, line breaks of all kinds are kept', (t) => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('x')
  t.equal(
    print(`a${controls}b\u007f\u0085c`).replaceAll('\n', ''),
    `a${'x'.repeat(9)} ${'x'.repeat(22)}bc`,
  )
  t.equal(print('a\r\nb\rc\n\n\nd\u2028e'), 'a\nb\nc\nd\ne')
  t.equal(print('a\u200bb\u202ec\ufeffd\u00ade'), 'abcde')
  t.equal(print(' a \t\u00a0\u3000 b '), 'a b')
  t.end()
})

t.test('a character that is missing becomes the letter it is made from', (t) => {
  t.equal(print('e\u0301'), 'é')
  t.equal(print('ấ ﬁ ① ½ 𝐀 x\u0331'), 'a fi 1 ½ A x')
  t.end()
})

t.test('what cannot be written is told, and stays in its place', (t) => {
  t.same(makePrintable('a😀b漢', isLatin), { text: 'a😀b漢', lost: ['😀', '漢'] })
  t.same(makePrintable('a\ud800b', isLatin), { text: 'a\ufffdb', lost: ['\ufffd'] })
  t.end()
})

t.test('a ligature that the font lacks becomes joined letters at once', async (t) => {
  const font = await loadFont('漢')
  for (const text of ['\ufc00', '\ufc5e', 'a\ufc5e b', '\ufdfa']) {
    const once = makePrintable(text, font.has).text
    t.equal(makePrintable(once, font.has).text, once)
  }
})

t.test('any text at all becomes lines without controls, which stay as they are', async () => {
  const font = await loadFont('漢')
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
      const once = makePrintable(text, font.has).text
      return !/[^\P{Cc}\n]/u.test(once) && makePrintable(once, font.has).text === once
    }),
  )
})
