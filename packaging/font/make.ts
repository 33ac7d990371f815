// Makes the label fonts in src/labels/documents/font from the Debian packages xfonts-terminus 4.48 and unifont 15.0.01:
//   apt-get install xfonts-terminus unifont
//   node packaging/font/make.ts            (reads below /usr/share; another root may be given as argument)
//   biome format --write src/labels/documents/font
// The result depends on nothing but those files, so a second run changes nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { readPcf } from './pcf.ts'
import { wantedInTerminus, wantedInUnifont } from './repertoire.ts'

const root = process.argv[2] ?? '/usr/share'
const target = join(import.meta.dirname, '../../src/labels/documents/font')
const SIZES = [
  [8, 16],
  [10, 20],
  [12, 24],
  [14, 28],
  [16, 32],
] as const

/** Base64 of the Brotli stream of all glyphs, one behind the other. */
function pack(glyphs: readonly Uint8Array[]): string {
  return brotliCompressSync(Buffer.concat(glyphs)).toString('base64')
}

/** `first-last` in hexadecimal, one blank between ranges. */
function ranges(codePoints: readonly number[]): string {
  const found: [number, number][] = []
  for (const point of codePoints) {
    const last = found.at(-1)
    if (last !== undefined && last[1] + 1 === point) last[1] = point
    else found.push([point, point])
  }
  return found
    .map(([from, to]) =>
      from === to ? from.toString(16) : `${from.toString(16)}-${to.toString(16)}`,
    )
    .join(' ')
}

/** Terminus, bold: five sizes, the same characters in each. */
function makeNarrow(): void {
  const faces = SIZES.map(([width, height]) =>
    readPcf(
      readFileSync(join(root, `fonts/X11/misc/ter-u${height}b_unicode.pcf.gz`)),
      width,
      height,
    ),
  )
  const points = [...(faces[0]?.glyphs.keys() ?? [])].filter(wantedInTerminus).sort((a, b) => a - b)
  const entries = faces.map((face) => {
    const glyphs = points.map((point) => {
      const glyph = face.glyphs.get(point)
      if (glyph === undefined) throw new Error(`size ${face.height} lacks ${point.toString(16)}`)
      return glyph
    })
    return `  { width: ${face.width}, height: ${face.height}, glyphs: '${pack(glyphs)}' },`
  })
  writeFileSync(
    join(target, 'narrow-glyphs.ts'),
    `// Made by packaging/font/make.ts; do not edit. Derived from Terminus Font 4.48, SIL Open Font License 1.1, see LICENSE.txt.\n` +
      `import type { PackedFont } from './glyph.ts'\n\n` +
      `/** Latin, Greek, Cyrillic, Hebrew, punctuation, currency signs and arrows, drawn for each size. */\n` +
      `export const narrow: PackedFont = {\n  ranges: '${ranges(points)}',\n  faces: [\n${entries.join('\n')}\n  ],\n}\n`,
  )
  process.stdout.write(`narrow: ${points.length} characters, ${faces.length} faces\n`)
}

/** Unifont: one size, 16 rows; a glyph is 8 or 16 dots wide. */
function makeWide(): void {
  const byWidth = { 1: new Map<number, Uint8Array>(), 2: new Map<number, Uint8Array>() }
  for (const line of readFileSync(join(root, 'unifont/unifont.hex'), 'latin1').split('\n')) {
    const [point = '', bits = ''] = line.split(':')
    const code = Number.parseInt(point, 16)
    if (wantedInUnifont(code))
      byWidth[bits.length === 32 ? 1 : 2].set(code, Buffer.from(bits, 'hex'))
  }
  const parts = ([1, 2] as const).map((cells) => {
    const points = [...byWidth[cells].keys()].sort((a, b) => a - b)
    const glyphs = points.map((point) => byWidth[cells].get(point) ?? new Uint8Array())
    const name = cells === 1 ? 'sparse' : 'wide'
    const words =
      cells === 1 ? 'other alphabets, 8 x 16 dots' : 'East Asian characters, 16 x 16 dots'
    process.stdout.write(`${name}: ${points.length} characters\n`)
    return (
      `/** ${words}. */\nexport const ${name}: PackedFont = {\n  ranges: '${ranges(points)}',\n` +
      `  faces: [{ width: ${8 * cells}, height: 16, glyphs: '${pack(glyphs)}' }],\n}\n`
    )
  })
  writeFileSync(
    join(target, 'wide-glyphs.ts'),
    `// Made by packaging/font/make.ts; do not edit. Derived from GNU Unifont 15.0.01, SIL Open Font License 1.1, see LICENSE.txt.\n` +
      `import type { PackedFont } from './glyph.ts'\n\n${parts.join('\n')}`,
  )
}

makeNarrow()
makeWide()
