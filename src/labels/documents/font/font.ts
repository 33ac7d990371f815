import { brotliDecompressSync } from 'node:zlib'
import { cellsOf, drawNothing, type Glyph, type PackedFace, type PackedFont } from './glyph.ts'

/** The glyphs that a label can be written with; every character takes one cell or, as East Asian ones do, two. */
export interface Font {
  /** False = a box is drawn in its place. */
  has(codePoint: number): boolean
  /** The glyph for a cell of `height` dots that a face of `FACE_HEIGHTS` has; a frame for a character that is not there. */
  glyph(codePoint: number, height: number): Glyph
}

interface Face {
  readonly index: ReadonlyMap<number, number>
  readonly packed: PackedFace
  bytes?: Uint8Array
}

function readRanges(ranges: string): ReadonlyMap<number, number> {
  const index = new Map<number, number>()
  for (const range of ranges.split(' ')) {
    const [first = '', last = first] = range.split('-')
    const end = Number.parseInt(last, 16)
    for (let point = Number.parseInt(first, 16); point <= end; point += 1) {
      index.set(point, index.size)
    }
  }
  return index
}

function readFaces(font: PackedFont): readonly Face[] {
  const index = readRanges(font.ranges)
  return font.faces.map((packed) => ({ index, packed }))
}

function findGlyph(face: Face, codePoint: number): Glyph | undefined {
  const at = face.index.get(codePoint)
  if (at === undefined) return undefined
  const { width, height, glyphs } = face.packed
  face.bytes ??= brotliDecompressSync(Buffer.from(glyphs, 'base64'))
  const length = ((width + 7) >> 3) * height
  return { width, height, rows: face.bytes.subarray(at * length, (at + 1) * length) }
}

/**
 * Loads the fonts of `./narrow-glyphs.ts` and, only for text that needs it, of `./wide-glyphs.ts`. About 10 ms and, with
 * both, 3 MB that go when the caller lets go of the font: for the worker, never for the server's resident set.
 */
export async function loadFont(text: string): Promise<Font> {
  const { narrow } = await import('./narrow-glyphs.ts')
  const drawn = readFaces(narrow)
  const points = drawn[0]?.index ?? new Map<number, number>()
  const rest: Face[] = []
  if ([...text].some((character) => !points.has(character.codePointAt(0) ?? 0))) {
    const { sparse, wide } = await import('./wide-glyphs.ts')
    rest.push(...readFaces(sparse), ...readFaces(wide))
  }
  const find = (codePoint: number, height: number) => {
    const face = drawn.find((entry) => entry.packed.height === height)
    const glyph = face === undefined ? undefined : findGlyph(face, codePoint)
    if (glyph !== undefined) return glyph
    for (const other of rest) {
      const found = findGlyph(other, codePoint)
      if (found !== undefined) return found
    }
    return undefined
  }
  return {
    has: (codePoint) => points.has(codePoint) || rest.some((face) => face.index.has(codePoint)),
    glyph: (codePoint, height) =>
      find(codePoint, height) ?? drawNothing((cellsOf(codePoint) * height) / 2, height),
  }
}
