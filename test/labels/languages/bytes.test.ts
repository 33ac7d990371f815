import { Buffer } from 'node:buffer'
import t from 'tap'
import {
  areCommands,
  endOfLine,
  isBlank,
  isLineEnd,
  type LineSigns,
  latin1,
  lineHead,
  pairOf,
  skipWrapping,
  upper,
} from '../../../src/labels/languages/bytes.ts'
import { freeIfWhole } from '../../../src/labels/memory.ts'

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

t.test('parts of a label as text, one character a byte', (t) => {
  const bytes = bytesOf('a\xff\0b')
  t.equal(latin1(bytes, 0, 4), 'a\xff\0b')
  t.equal(latin1(bytes, 1, 2), '\xff\0')
  t.equal(latin1(bytes, 3, 99), 'b')
  t.equal(latin1(bytes, 9, 1), '')
  for (const [text, from, most, head] of [
    ['AB\nCD', 0, 99, 'AB\n'],
    ['AB\rCD', 0, 99, 'AB\r'],
    ['AB\r\nCD', 0, 99, 'AB\r\n'],
    ['AB\n\rCD', 0, 99, 'AB\n'],
    ['AB\r\rCD', 0, 99, 'AB\r'],
    ['ABx\nCD', 0, 99, 'ABx\n'],
    ['AB\nCD', 3, 99, 'CD'],
    ['ABCD', 0, 2, 'ABC'],
    ['AB\r\nCD', 0, 2, 'AB\r\n'],
    ['', 0, 9, ''],
  ] as const) {
    t.equal(lineHead(bytesOf(text), from, most), head, JSON.stringify(text))
  }
  t.same([endOfLine(bytesOf('AB\nC'), 0), endOfLine(bytesOf('AB\nC'), 3)], [2, 4])
  t.same([endOfLine(bytesOf('\rA'), 0), endOfLine(bytesOf(''), 0)], [0, 0])
  t.end()
})

t.test('each byte: what ends a line, what is blank, what is a small letter', (t) => {
  const all = Array.from({ length: 256 }, (_, byte) => byte)
  t.same(all.filter(isLineEnd), [10, 13])
  t.same(all.filter(isBlank), [0, 9, 10, 11, 12, 13, 32])
  t.same([isLineEnd(undefined), isBlank(undefined)], [false, false])
  for (const byte of all) {
    const letter = String.fromCharCode(byte)
    const wanted = /[a-z]/.test(letter) ? letter.toUpperCase() : letter
    t.equal(String.fromCharCode(upper(byte)), wanted, `${byte}`)
  }
  t.equal(upper(undefined), 0)
  t.same(
    [pairOf(0x41, 0x42), pairOf(0x41, undefined), pairOf(undefined, 0x42)],
    [0x4142, 0x4100, 0x42],
  )
  t.end()
})

/** Lines of a language: D draws, P prints, O is another, F fills, B has so many bytes of data behind it. */
const SIGNS: LineSigns = {
  draws: /^[DB]/,
  prints: /^P/,
  others: /^[OF]/,
  fills: /^F/,
  endOfData(bytes, line) {
    const [head = '', count] = /^\s*B(\d+)\n/.exec(latin1(bytes, line, 40)) ?? []
    return count === undefined ? undefined : line + head.length + Number(count)
  },
}
const isLabel = (text: string, start = 0): boolean => areCommands(bytesOf(text), start, SIGNS)

t.test('a label draws, then prints; of its lines a fifth may be something else', (t) => {
  const lines = (count: number, line = 'O'): string => `${line}\n`.repeat(count)
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['draws and prints', 'D\nP\n', true],
    ['without a last end', 'D\nP', true],
    ['indented', ' \tD\n  P', true],
    ['with CR', 'D\r\nP\r\n', true],
    ['prints before it draws', 'P\nD\n', false],
    ['prints alone', 'O\nP\n', false],
    ['draws alone', 'D\nO\n', false],
    ['nothing', '', false],
    ['a line of the sender first', 'x\nD\nO\nO\nO\nP', true],
    ['a line of the sender, and too few commands', 'x\nD\nO\nO\nP', false],
    ['two lines of the sender', `x\nx\nD\n${lines(20)}P`, false],
    ['a blank line', 'D\n\n\nP', true],
    ['four known for one unknown', 'D\nO\nO\nO\nx\nP', true],
    ['three known for one unknown', 'D\nO\nO\nx\nP', false],
    ['eight known for two unknown', `D\n${lines(7)}x\nx\nP`, true],
    ['seven known for two unknown', `D\n${lines(6)}x\nx\nP`, false],
    ['any text behind what fills', `F\n${lines(50, 'x')}${'D\n'}P`, true],
    ['data of any bytes', `B6\nx\nx\nx\nP`, true],
    ['data that look like a print', `B4\nP\nP\n`, false],
    ['a line of 120 characters and more', `D${'.'.repeat(500)}\nP`, true],
    ['2,000 lines', `D\n${lines(1_998)}P`, true],
    ['2,001 lines', `D\n${lines(1_999)}P`, false],
  ]
  for (const [what, text, wanted] of cases) t.equal(isLabel(text), wanted, what)
  t.equal(isLabel('x\nx\nx\nD\nP', 6), true, 'from where it begins')
  t.end()
})

t.test('a raw label begins behind what drivers put before it', (t) => {
  const frame = '\x1b##\x05\x00any <bytes'
  const cases: readonly (readonly [string, string])[] = [
    ['', ''],
    ['^XA', '^XA'],
    [' \r\n\t\0^XA', '^XA'],
    ['\x02^XA', '^XA'],
    ['\x10\x1f\x20^XA', '^XA'],
    ['\x21^XA', '\x21^XA'],
    ['\xef\xbb\xbf^XA', '^XA'],
    ['\xef\xbb\xbf \xef\xbb\xbf^XA', '^XA'],
    ['\xef\xbb^XA', '\xef\xbb^XA'],
    ['\xef ^XA', '\xef ^XA'],
    ['\xbb\xbf^XA', '\xbb\xbf^XA'],
    ["<xpml><page quantity='0' pitch='1'></xpml>SIZE", 'SIZE'],
    ["<XPML><page quantity='0'></XPML>\r\n<xpml></page></xpml>SIZE", 'SIZE'],
    ['<xpml>SIZE', '<xpml>SIZE'],
    ['<html>^XA', '<html>^XA'],
    [`${frame}^XA`, '^XA'],
    [`${frame}^xa`, '^xa'],
    [`${frame}${frame}^XA`, '^XA'],
    [`${frame}no label`, `${frame}no label`],
    ['\x1b#^XA', '\x1b#^XA'],
    ['\x1b@^XA', '\x1b@^XA'],
  ]
  for (const [text, label] of cases) {
    const bytes = bytesOf(text)
    t.equal(latin1(bytes, skipWrapping(bytes), 99), label, JSON.stringify(text))
  }
  t.end()
})

t.test('the memory of an array is given back, unless others may hold a part of it', (t) => {
  const own = new Uint8Array(8)
  freeIfWhole(own)
  t.equal(own.byteLength, 0)
  for (const [from, to] of [
    [0, 7],
    [1, 8],
  ] as const) {
    const part = new Uint8Array(8).subarray(from, to)
    freeIfWhole(part)
    t.equal(part.byteLength, 7)
  }
  t.end()
})
