import { Buffer } from 'node:buffer'
import t from 'tap'
import { checkLzw } from '../../../src/render/decode/lzw.ts'
import { CodeWriter, makeBlocks, packLzw } from '../../pictures/make-gif.ts'

function dataOf(codes: readonly (readonly [number, number])[]): Buffer {
  const out = new CodeWriter()
  for (const [code, bits] of codes) out.put(code, bits)
  return Buffer.concat([Buffer.from([2]), makeBlocks(out.end())])
}

t.test('takes whole data of every code size', (t) => {
  for (let codeSize = 2; codeSize <= 8; codeSize++) {
    const indexes = Array.from({ length: 20_000 }, (_, n) => (n * n + (n >> 5)) % 2 ** codeSize)
    const data = Buffer.concat([Buffer.from([codeSize]), makeBlocks(packLzw(indexes, codeSize))])
    t.doesNotThrow(() => checkLzw(data, 0, indexes.length))
    t.throws(() => checkLzw(data, 0, indexes.length + 1), {
      message: /holds 20000 of 20001 pixels/,
    })
    t.throws(() => checkLzw(data, 0, indexes.length - 1), { message: /holds more of 19999 pixels/ })
  }
  t.end()
})

t.test('takes a code that repeats the one before it and its first pixel', (t) => {
  // Clear, 1, then the code that is only now made: 1 1 1.
  const data = dataOf([
    [4, 3],
    [1, 3],
    [6, 3],
    [5, 3],
  ])
  t.doesNotThrow(() => checkLzw(data, 0, 3))
  t.end()
})

t.test('takes a table that is cleared in between', (t) => {
  const data = dataOf([
    [4, 3],
    [1, 3],
    [6, 3],
    [4, 3],
    [2, 3],
    [5, 3],
  ])
  t.doesNotThrow(() => checkLzw(data, 0, 4))
  t.end()
})

t.test('refuses a code that cannot be known yet: it makes omggif loop for ever', (t) => {
  for (const codes of [
    [
      [4, 3],
      [6, 3],
    ],
    [
      [4, 3],
      [1, 3],
      [7, 3],
    ],
    [
      [4, 3],
      [7, 3],
      [7, 3],
    ],
  ] as const) {
    t.throws(() => checkLzw(dataOf(codes), 0, 100), {
      code: 'PICTURE_BROKEN',
      message: /unknown code/,
    })
  }
  t.end()
})

t.test('refuses code sizes that GIF does not have', (t) => {
  for (const size of [0, 9, 255]) {
    t.throws(() => checkLzw(Buffer.from([size, 0]), 0, 1), {
      code: 'PICTURE_BROKEN',
      message: `The GIF has ${size} bits a colour; wanted 1 to 8.`,
    })
  }
  t.end()
})
