import { Buffer } from 'node:buffer'
import { decoders } from '../codecs/index.ts'
import { PWG, type RasterKind, readRasterPage, URF } from '../codecs/pwg/header.ts'
import { isBlank, latin1 } from '../languages/bytes.ts'
import { findLanguage, languages } from '../languages/index.ts'
import type { Language } from '../languages/language.ts'
import type { StreamCommands } from '../languages/stream.ts'

// Shops put several labels into one file, and programs send one after the other without an end between them. Readers of
// pictures stop behind the first, readers of PDF begin with the last: the others would be lost without a word.

/** Distance behind the end of a document within which another one may begin: some programs put a line of their own between them. */
const NEAR_BYTES = 4_096
const PDF = '%PDF-'
const PNG = '\x89PNG\r\n\x1a\n'
const EOF = '%%EOF'

/** Test for the bytes from here on being a document of its own. */
export type DocumentStart = (bytes: Buffer) => boolean

/** Cut between documents: where the first document of a file is cut off, and where the second one begins. */
export interface Seam {
  readonly end: number
  readonly begin: number
}

/** Seam between two documents. What stands between them trails the first: its reader passes over it. */
function seamAt(begin: number | undefined): Seam | undefined {
  return begin === undefined ? undefined : { end: begin, begin }
}

/**
 * Finds the start of a file's second document; undefined when there is but one, whatever trails it: blanks, zeros, a
 * signature, the film of a phone's photo.
 */
export function findSecond(bytes: Buffer, format: string, begins: DocumentStart): Seam | undefined {
  switch (format) {
    case 'pdf':
      return seamAt(findAfterPdf(bytes, begins))
    case 'pwg':
      return findAfterPages(PWG, bytes, begins)
    case 'urf':
      return findAfterPages(URF, bytes, begins)
    default: {
      const language = findLanguage(format)
      if (language !== undefined)
        return hasSign(bytes) ? seamAt(findInLabels(bytes, language)) : undefined
      const end = ENDS.get(format)?.(bytes)
      return end === undefined ? undefined : seamAt(findBehind(bytes, end, begins))
    }
  }
}

/** Functions that find the end of a picture; of a format that is not here nobody looks behind the first one. */
const ENDS: ReadonlyMap<string, (bytes: Buffer) => number | undefined> = new Map([
  ['png', endOfPng],
  ['jpeg', endOfJpeg],
  ['gif', endOfGif],
  ['tiff', endOfTiff],
])

/** Another document behind the end of the first, or behind a line or two. */
function findBehind(bytes: Buffer, end: number, begins: DocumentStart): number | undefined {
  let at = end
  while (at < bytes.length && isBlank(bytes[at])) at += 1
  if (at >= bytes.length) return undefined
  if (begins(bytes.subarray(at))) return at
  const near = latin1(bytes, at, NEAR_BYTES)
  const found = LINE_SIGNS.map((sign) => near.indexOf(sign)).filter((place) => place >= 0)
  return found.length === 0 ? undefined : at + Math.min(...found) + 1
}

/** A PDF ends as often as it was saved, and one inside of another is a stream of that. */
function findAfterPdf(bytes: Buffer, begins: DocumentStart): number | undefined {
  for (let at = bytes.indexOf(EOF); at >= 0; at = bytes.indexOf(EOF, at + 1)) {
    const end = at + EOF.length
    const begin = findBehind(bytes, end, begins)
    if (begin !== undefined && !latin1(bytes, end, begin - end).includes('stream')) return begin
  }
  return undefined
}

/** Its reader takes all behind a page for the next one. */
function findAfterPages(kind: RasterKind, bytes: Buffer, begins: DocumentStart): Seam | undefined {
  try {
    for (let end = kind.head.length; end < bytes.length; ) {
      let begin = end
      while (begin < bytes.length && isBlank(bytes[begin])) begin += 1
      if (end > kind.head.length && begins(bytes.subarray(begin))) return { end, begin }
      end = readRasterPage(kind, bytes, end).end
    }
  } catch {
    // What is wrong with a page its decoder says.
  }
  return undefined
}

/** Behind the chunk IEND (PNG, 5.6). */
function endOfPng(bytes: Buffer): number | undefined {
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (latin1(bytes, at + 4, 4) === 'IEND') return end
    at = end
  }
  return undefined
}

const [MARK, SOI, EOI, SOS, APP2] = [0xff, 0xd8, 0xd9, 0xda, 0xe2]

/** Behind the marker EOI (T.81, B.1.1). Phones put more pictures of the same behind it, and say so in front (CIPA DC-007). */
function endOfJpeg(bytes: Buffer): number | undefined {
  for (let at = 2; bytes[at] === MARK; ) {
    if (bytes[at + 1] === EOI) return at + 2
    if (bytes[at + 1] === APP2 && latin1(bytes, at + 4, 4) === 'MPF\0') return undefined
    at = endOfMarker(bytes, at)
  }
  return undefined
}

function endOfMarker(bytes: Buffer, at: number): number {
  const marker = bytes[at + 1]
  if (marker === MARK) return at + 1
  if (marker === SOI || at + 4 > bytes.length) return at + 2
  const end = at + 2 + bytes.readUInt16BE(at + 2)
  return marker === SOS ? endOfScan(bytes, end) : end
}

/** The next marker that is not one of the scan itself. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MARK, from); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== MARK && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

/** Behind the trailer (GIF89a, 27). */
function endOfGif(bytes: Buffer): number | undefined {
  let at = 13 + colorsOf(bytes[10])
  while (at < bytes.length) {
    const block = bytes[at]
    if (block === 0x3b) return at + 1
    if (block === 0x21) at = endOfBlocks(bytes, at + 2)
    else if (block === 0x2c) at = endOfBlocks(bytes, at + 11 + colorsOf(bytes[at + 9]))
    else return undefined
  }
  return undefined
}

/** Bytes of a table of colors. */
function colorsOf(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)
}

function endOfBlocks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] as number)
  return at + 1
}

/** Bytes of a value by its type (TIFF 6.0, 2). */
const VALUE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
/** Tags of strips and tiles: their offsets and byte counts. */
const PLACES: readonly (readonly [places: number, bytes: number])[] = [
  [273, 279],
  [324, 325],
  [513, 514],
]
const DIRECTORIES_MOST = 1_000
const VALUES_MOST = 100_000

/** Behind all that its directories name; undefined when one of them cannot be read. */
function endOfTiff(bytes: Buffer): number | undefined {
  try {
    const extent = new TiffExtent(bytes)
    return extent.end > bytes.length ? undefined : extent.end
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Extent of a TIFF in its file. @throws RangeError for what lies beyond the bytes */
class TiffExtent {
  readonly #bytes: Buffer
  readonly #isLittle: boolean
  end = 8

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#isLittle = bytes[0] === 0x49
    let directory = this.#long(4)
    for (let n = 0; directory !== 0 && n < DIRECTORIES_MOST; n++) {
      directory = this.#walkDirectory(directory)
    }
  }

  /** Gives where the next one is. */
  #walkDirectory(directory: number): number {
    const last = directory + 2 + this.#short(directory) * 12
    const values = new Map<number, readonly number[]>()
    for (let entry = directory + 2; entry < last; entry += 12) {
      values.set(this.#short(entry), this.#readEntry(entry))
    }
    for (const [places, sizes] of PLACES) {
      const lengths = values.get(sizes) ?? []
      for (const [n, place] of (values.get(places) ?? []).entries()) {
        this.#reach(place + (lengths[n] ?? 0))
      }
    }
    this.#reach(last + 4)
    return this.#long(last)
  }

  /** The numbers of an entry that says where something lies; none of any other. */
  #readEntry(entry: number): readonly number[] {
    const count = this.#long(entry + 4)
    const size = VALUE_BYTES[this.#short(entry + 2)] ?? 1
    const at = size * count <= 4 ? entry + 8 : this.#long(entry + 8)
    this.#reach(at + size * count)
    if (!PLACES.flat().includes(this.#short(entry)) || count > VALUES_MOST) return []
    return Array.from({ length: count }, (_, n) =>
      size === 2 ? this.#short(at + n * 2) : this.#long(at + n * 4),
    )
  }

  #reach(end: number): void {
    this.end = Math.max(this.end, end)
  }

  #short(at: number): number {
    return this.#isLittle ? this.#bytes.readUInt16LE(at) : this.#bytes.readUInt16BE(at)
  }

  #long(at: number): number {
    return this.#isLittle ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at)
  }
}

/** Signs of documents that no label of commands holds outside of its data. */
const SIGNS: readonly string[] = [PDF, ...decoders.flatMap(({ signs }) => signs)]
const LONG_SIGNS = SIGNS.filter((sign) => sign.length > 4)

/** Signs of documents behind lines of a program's own: these are sure in any text. */
const LINE_SIGNS = [...languages.flatMap(({ commands }) => commands?.opening ?? []), PDF, PNG].map(
  (sign) => `\n${sign}`,
)

const SIGN_BYTES = SIGNS.map((sign) => Buffer.from(sign, 'latin1'))

/** Few labels hold one: looking for it takes a thousandth of the time of walking from command to command. */
function hasSign(bytes: Buffer): boolean {
  return SIGN_BYTES.some((sign) => bytes.includes(sign))
}

/** A document of another kind among labels of commands; undefined when there is none, or nobody can tell data from it. */
function findInLabels(bytes: Buffer, { commands, lines }: Language): number | undefined {
  if (commands !== undefined) return findInCommands(bytes, commands)
  return lines && findInLines(bytes, lines.endOfData)
}

/** Behind the end of a label; where a line begins, or at once. */
function findInCommands(bytes: Buffer, { listEnds }: StreamCommands): number | undefined {
  for (const { end, next } of listEnds(bytes)) {
    let from = end
    while (from < next && isBlank(bytes[from])) from += 1
    if (isSign(bytes, from)) return from
    const tail = latin1(bytes, from, Math.min(next - from, NEAR_BYTES))
    const found = LONG_SIGNS.map((sign) => tail.indexOf(sign)).filter((place) => place >= 0)
    if (found.length > 0) return from + Math.min(...found)
  }
  return undefined
}

const FIRST_BYTES: ReadonlySet<number> = new Set(SIGNS.map((sign) => sign.charCodeAt(0)))

function findInLines(
  bytes: Buffer,
  endOfData: (bytes: Uint8Array, line: number) => number | undefined,
): number | undefined {
  for (let at = 0; at < bytes.length; ) {
    while (isBlank(bytes[at])) at += 1
    if (FIRST_BYTES.has(bytes[at] ?? 0) && isSign(bytes, at)) return at
    const data = endOfData(bytes, at)
    const end = bytes.indexOf(0x0a, at)
    if (data === undefined && end < 0) break
    at = data ?? end + 1
  }
  return undefined
}

function isSign(bytes: Buffer, at: number): boolean {
  return SIGNS.some((sign) => latin1(bytes, at, sign.length) === sign)
}
