import fc from 'fast-check'
import t from 'tap'
import { makePrintable } from '../../../src/render/drawing/lines.ts'
import { loadFont } from '../../../src/render/font/font.ts'

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
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const once = makePrintable(text, font.has).text
      return !/[^\P{Cc}\n]/u.test(once) && makePrintable(once, font.has).text === once
    }),
  )
})
