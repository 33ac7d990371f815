// Makes web/preview/type-data.js, the outlines that the page draws labels with, from the Debian package fonts-liberation2 2.1.5:
//   apt-get install fonts-liberation2
//   node packaging/font/outlines.ts        (reads below /usr/share; another root may be given as argument)
// The result depends on nothing but those files, so a second run changes nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTrueType, type TrueType } from './true-type.ts'

const root = join(process.argv[2] ?? '/usr/share', 'fonts/truetype/liberation2')
const target = join(import.meta.dirname, '../../web/preview/type-data.js')
/** Steps that an em has in the result: half a dot of a letter of 100. */
const GRID = 256

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n)
}

const LATIN = [...span(0x20, 0x7e), ...span(0xa1, 0xff)]
const CENTRAL = span(0x100, 0x17e)
const SIGNS = [...'–—‘’‚“”„†•…€™'].map((sign) => sign.codePointAt(0) ?? 0)

/** Bytes of a number: 7 bits each, the lowest first; the sign is the lowest bit. */
function varint(value: number): number[] {
  let rest = value < 0 ? -value * 2 - 1 : value * 2
  const bytes: number[] = []
  for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128)
  return [...bytes, rest]
}

/** A glyph: advance, contours, and of each its points: x * 2 + (1 = on the curve), y, both as steps from the point before. */
function glyphBytes(font: TrueType, point: number): number[] {
  const scale = (value: number) => Math.round((value * GRID) / font.unitsPerEm)
  const { advance, contours } = font.glyph(point)
  const bytes = [...varint(point), ...varint(scale(advance)), ...varint(contours.length)]
  let [x, y] = [0, 0]
  for (const contour of contours) {
    bytes.push(...varint(contour.length))
    for (const at of contour) {
      const [nextX, nextY] = [scale(at.x), scale(at.y)]
      bytes.push(...varint((nextX - x) * 2 + (at.isOn ? 1 : 0)), ...varint(nextY - y))
      ;[x, y] = [nextX, nextY]
    }
  }
  return bytes
}

function pack(file: string, points: readonly number[]): string {
  const font = readTrueType(readFileSync(join(root, file)))
  const known = points.filter((point) => font.has(point))
  return Buffer.from(known.flatMap((point) => glyphBytes(font, point))).toString('base64')
}

writeFileSync(
  target,
  `// Made by packaging/font/outlines.ts; do not edit. Derived from Liberation 2.1.5, SIL Open Font License 1.1, see type.license.txt.\n\n` +
    `/** Steps of an em. */\nexport const GRID = ${GRID}\n\n` +
    `/** For the printers' scalable font. */\nexport const SANS =\n  '${pack('LiberationSans-Bold.ttf', [...LATIN, ...CENTRAL, ...SIGNS])}'\n\n` +
    `/** For their bitmap fonts. */\nexport const MONO =\n  '${pack('LiberationMono-Bold.ttf', [...LATIN, ...SIGNS])}'\n`,
)
