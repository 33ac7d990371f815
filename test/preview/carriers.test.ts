import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readBarcodes } from 'zxing-wasm/reader'
import { readSymbols } from '../interpreters/symbols.ts'
import { toRgba } from '../label-makers/files.ts'
import { createGray, type Gray, turn } from '../label-makers/gray.ts'
import { type Drawn, draw } from './drawing.ts'

t.setTimeout(600_000)

const FOLDER = join(import.meta.dirname, 'labels')
const WANTED = JSON.parse(
  readFileSync(join(import.meta.dirname, 'symbols.json'), 'utf8'),
) as Readonly<Record<string, readonly string[]>>
/** Not readable here: other text lies on the one, and the other ends at the edge of the paper without the white it needs. */
const UNREAD = new Set(['inpost.zpl QRCode', 'posteit.zpl DataMatrix'])

const BLANK = { width: 8, height: 8, bits: new Uint8Array(8) }

/** Symbols of a picture, as `format|text`. */
async function read(gray: Gray): Promise<readonly string[]> {
  const data = new Uint8ClampedArray(toRgba(gray))
  const { width, height } = gray
  const picture = { data, width, height, colorSpace: 'srgb' as const }
  const found = await readBarcodes(picture, { tryHarder: true, maxNumberOfSymbols: 20 })
  return found.map(({ format, text }) => `${format}|${text}`)
}

/** Each dot as four: the reader wants more than two dots a module of the densest symbols. */
function twice({ width, height, luma }: Gray): Gray {
  const out = createGray(width * 2, height * 2)
  for (let at = 0; at < out.luma.length; at++) {
    const [x, y] = [at % out.width, Math.floor(at / out.width)]
    out.luma[at] = luma[(y >> 1) * width + (x >> 1)] ?? 255
  }
  return out
}

async function missing(name: string, drawn: Drawn): Promise<readonly string[]> {
  let left = WANTED[name] ?? []
  for (const make of [(gray: Gray) => gray, twice, (gray: Gray) => turn(gray, 180)]) {
    if (left.length === 0) return []
    const found = await read(make(drawn.gray))
    left = left.filter((symbol) => !found.includes(symbol))
  }
  return left
}

// Labels that carriers' systems wrote, from the test data of GOODBOY008/labelize (MIT), and what zxing reads in the pictures that
// Labelary made of them.
t.test('carriers: 49 labels are drawn, and of their 70 symbols 68 are read', async (t) => {
  await readSymbols(BLANK) // starts the reader with its own wasm
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.zpl'))
  t.equal(names.length, 49)
  const unread: string[] = []
  for (const name of names) {
    const bytes = readFileSync(join(FOLDER, name))
    const drawn = await draw(bytes, 'zpl', { width_in: 4, height_in: 8 })
    t.ok(drawn.gray.luma.includes(0), `${name} is drawn`)
    for (const symbol of await missing(name, drawn)) unread.push(`${name} ${symbol.split('|')[0]}`)
  }
  t.same(new Set(unread), UNREAD)
})

t.test('carriers: an EPL label of DPD UK', async (t) => {
  const drawn = await draw(readFileSync(join(FOLDER, 'dpduk.epl')), 'epl')
  t.same(await read(drawn.gray), ['Code128|%009181015504393131829101901'])
})
