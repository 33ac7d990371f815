import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { nameCodes } from '../../src/labels/languages/names/index.ts'
import { readCodes } from '../../web/preview/read-codes.js'
import { type Gray, turn } from '../label-makers/gray.ts'
import { draw } from './drawing.ts'

const FOLDER = join(import.meta.dirname, 'labels')
const SYMBOLS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'symbols.json'), 'utf8'),
) as Readonly<Record<string, readonly string[]>>

type Place = { readonly row?: number; readonly column?: number }

function read({ width, height, luma }: Gray): readonly string[] {
  return readCodes(width, height, ({ row, column = 0 }: Place) => {
    const [first, step] = row === undefined ? [column, width] : [row * width, 1]
    const line = new Uint8Array(row === undefined ? height : width)
    for (let n = 0; n < line.length; n++) line[n] = (luma[first + n * step] ?? 255) < 128 ? 1 : 0
    return line
  })
}

/** Reduces the content of a code, as zxing and we read it, without the marks between its parts. */
const bare = (text: string): string => text.replace(/[^0-9A-Za-z]/g, '')

t.test('what the page reads in the Code 128 of carriers is what zxing reads there', async (t) => {
  let codes = 0
  let named = 0
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.zpl'))) {
    const wanted = (SYMBOLS[file] ?? []).filter((symbol) => symbol.startsWith('Code128|'))
    if (wanted.length === 0) continue
    const texts = wanted.map((symbol) => bare(symbol.slice('Code128|'.length)))
    const { gray } = await draw(readFileSync(join(FOLDER, file)), 'zpl', {
      width_in: 4,
      height_in: 8,
    })
    const seen = read(gray)
    for (const text of texts)
      t.ok(
        seen.some((one) => bare(one) === text),
        `${file}: ${text}`,
      )
    codes += texts.length
    if (nameCodes(seen) !== '') named += 1
    if (file !== 'ups.zpl') continue
    for (const angle of [90, 180, 270] as const)
      t.same(new Set(read(turn(gray, angle))), new Set(seen))
  }
  t.comment(`${codes} codes, ${named} labels named`)
  t.ok(codes > 25)
})

t.test('no code is read in noise, and no name is made of one that is damaged', (t) => {
  let state = 1
  const random = () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
  for (let n = 0; n < 8; n++) {
    const luma = Uint8Array.from({ length: 400 * 300 }, () => (random() < 0.5 ? 0 : 255))
    t.same(read({ width: 400, height: 300, luma } as Gray), [])
  }
  t.equal(nameCodes(['1Z999AA10123456784']), '1Z999AA10123456784')
  t.equal(nameCodes(['1Z999AA10123456785']), '', 'its check digit is wrong')
  t.equal(
    nameCodes(['420900129205590153710012345671']),
    nameCodes(['x', '420900129205590153710012345671']),
  )
  t.equal(nameCodes(['4006381333931', 'ORDER-4711', '123456789012']), '')
  t.end()
})
