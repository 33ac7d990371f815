import { Buffer } from 'node:buffer'
import { latin1 } from '../../../languages/bytes.ts'
import { decodeStream } from './filters.ts'
import {
  type Dict,
  END,
  isBlankByte,
  isDict,
  type Key,
  Keyword,
  Lexer,
  nameOf,
  type Objects,
  type PdfValue,
  Ref,
  Stream,
} from './syntax.ts'

/** Location of an object: in the file, or in a stream of objects. */
type ObjectLocation = { readonly at: number } | { readonly inside: number; readonly index: number }

const HEADER_WITHIN = 1024
const TAIL = 4096
const DEEP = 32
const PAGES_MOST = 20_000
const REVISIONS_MOST = 1000
const OBJECTS_MOST = 1_000_000

/** A stream of objects: its data, and where each of them begins. */
interface Parent {
  readonly data: Uint8Array
  readonly places: readonly (readonly [number: number, at: number])[]
}

/** A page and what it inherits. */
export interface PdfPage {
  readonly dict: Dict
  readonly resources: PdfValue | undefined
}

/**
 * The objects of a PDF, read as PDFium reads them: by its table of places, or, where that is broken, by looking for all
 * objects. What cannot be read is `null`, as the specification says of what is not there.
 */
export class PdfFile implements Objects {
  readonly bytes: Buffer
  /** Undefined while the file is not locked, or the way is not known. */
  key: Key | undefined
  trailer: Dict = new Map()
  readonly #base: number
  #places = new Map<number, ObjectLocation>()
  #found: ReadonlyMap<number, ObjectLocation> | undefined
  readonly #objects = new Map<number, PdfValue>()
  readonly #parents = new Map<number, Parent>()
  /** Being read: a length that lies in its own stream leads nowhere. */
  readonly #open = new Set<number>()

  constructor(pdf: Uint8Array) {
    this.bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
    this.#base = Math.max(0, latin1(pdf, 0, HEADER_WITHIN).indexOf('%PDF-'))
    if (!this.#readTables() || this.pages().pages.length === 0) this.#rebuild()
  }

  /** Resolves references. */
  get(value: PdfValue | undefined): PdfValue {
    let seen = value ?? null
    for (let n = 0; n < DEEP && seen instanceof Ref; n++) seen = this.#read(seen.number)
    return seen instanceof Ref ? null : seen
  }

  dict(value: PdfValue | undefined): Dict | undefined {
    const found = this.get(value)
    if (found instanceof Stream) return found.dict
    return isDict(found) ? found : undefined
  }

  list(value: PdfValue | undefined): readonly PdfValue[] {
    const found = this.get(value)
    return Array.isArray(found) ? found : []
  }

  number(value: PdfValue | undefined): number | undefined {
    const found = this.get(value)
    return typeof found === 'number' ? found : undefined
  }

  name(value: PdfValue | undefined): string {
    return nameOf(this.get(value))
  }

  /** The data of a stream as one character a byte. */
  text(stream: Stream): string {
    const { data } = decodeStream(this, stream)
    return latin1(data, 0, data.length)
  }

  /** In order. `isWhole`: every page that the tree names is there. */
  pages(): { readonly pages: readonly PdfPage[]; readonly isWhole: boolean } {
    const root = this.dict(this.trailer.get('Root'))
    const pages: PdfPage[] = []
    const seen = new Set<Dict>()
    const walk = (
      value: PdfValue | undefined,
      inherited: PdfValue | undefined,
      depth: number,
    ): boolean => {
      const dict = this.dict(value)
      if (dict === undefined) return false
      if (seen.has(dict) || depth > DEEP || pages.length >= PAGES_MOST) return true
      seen.add(dict)
      const resources = dict.get('Resources') ?? inherited
      if (!dict.has('Kids')) {
        pages.push({ dict, resources })
        return true
      }
      return this.list(dict.get('Kids'))
        .map((kid) => walk(kid, resources, depth + 1))
        .every(Boolean)
    }
    const isWhole = walk(root?.get('Pages'), undefined, 0)
    return { pages, isWhole }
  }

  #read(number: number): PdfValue {
    const known = this.#objects.get(number)
    if (known !== undefined) return known
    if (this.#open.has(number)) return null
    this.#open.add(number)
    const value = this.#readAt(number, this.#places.get(number)) ?? this.#readFound(number)
    this.#open.delete(number)
    this.#objects.set(number, value)
    return value
  }

  /** By looking for it, where the table is wrong; one that the table does not know is not there. */
  #readFound(number: number): PdfValue {
    if (!this.#places.has(number)) return null
    this.#found ??= this.#findObjects()
    return this.#readAt(number, this.#found.get(number)) ?? null
  }

  #readAt(number: number, place: ObjectLocation | undefined): PdfValue | undefined {
    if (place === undefined) return undefined
    if ('inside' in place) return this.#readInside(place.inside, place.index)
    const lexer = new Lexer(this.bytes, place.at)
    if (lexer.read() !== number || typeof lexer.read() !== 'number') return undefined
    const word = lexer.read()
    if (!(word instanceof Keyword) || word.text !== 'obj') return undefined
    const value = lexer.readObject()
    if (value === END || value instanceof Keyword) return undefined
    if (!isDict(value)) return value
    const before = lexer.at
    const next = lexer.read()
    if (next instanceof Keyword && next.text === 'stream') {
      return this.#readStream(value, number, lexer.at)
    }
    lexer.at = before
    return value
  }

  #readStream(dict: Dict, number: number, at: number): Stream {
    const { bytes } = this
    // What follows up to the end of the line is none of it.
    let from = at
    while (from < bytes.length && bytes[from] !== 0x0a && bytes[from] !== 0x0d) from++
    if (bytes[from] === 0x0d) from++
    if (bytes[from] === 0x0a) from++
    const length = this.number(dict.get('Length'))
    const to = length === undefined ? -1 : from + length
    const isMeasured = to >= from && this.#endsAt(to)
    const data = bytes.subarray(from, isMeasured ? to : this.#findEnd(from))
    return new Stream(dict, data, number, isMeasured)
  }

  #endsAt(to: number): boolean {
    let at = to
    while (isBlankByte(this.bytes[at]) && at < to + 4) at++
    return latin1(this.bytes, at, 9) === 'endstream'
  }

  /** Without the end of line before the word. */
  #findEnd(from: number): number {
    const { bytes } = this
    const found = bytes.indexOf('endstream', from, 'latin1')
    const other = found === -1 ? bytes.indexOf('endobj', from, 'latin1') : found
    let to = other === -1 ? bytes.length : other
    if (bytes[to - 1] === 0x0a && to > from) to--
    if (bytes[to - 1] === 0x0d && to > from) to--
    return to
  }

  #readParent(number: number): Parent {
    const known = this.#parents.get(number)
    if (known !== undefined) return known
    this.#parents.set(number, { data: new Uint8Array(), places: [] })
    const stream = this.#read(number)
    const data = stream instanceof Stream ? decodeStream(this, stream).data : new Uint8Array()
    const places = stream instanceof Stream ? this.#listInside(stream, data) : []
    const parent = { data, places }
    this.#parents.set(number, parent)
    return parent
  }

  #readInside(parent: number, index: number): PdfValue | undefined {
    const { data, places } = this.#readParent(parent)
    const at = places[index]?.[1]
    if (at === undefined) return undefined
    const value = new Lexer(data, at).readObject()
    return value === END || value instanceof Keyword ? undefined : value
  }

  /** Numbers and places of the objects in a stream of them. */
  #listInside({ dict }: Stream, data: Uint8Array): readonly (readonly [number, number])[] {
    const first = this.number(dict.get('First')) ?? 0
    const count = Math.min(this.number(dict.get('N')) ?? 0, OBJECTS_MOST)
    const lexer = new Lexer(data)
    const found: (readonly [number, number])[] = []
    for (let n = 0; n < count; n++) {
      const [number, at] = [lexer.read(), lexer.read()]
      if (typeof number !== 'number' || typeof at !== 'number') break
      found.push([number, first + at])
    }
    return found
  }

  /** False when one of the tables cannot be read. */
  #readTables(): boolean {
    const { bytes } = this
    const found = bytes.lastIndexOf('startxref', undefined, 'latin1')
    if (found < bytes.length - TAIL || found === -1) return false
    const at = new Lexer(bytes, found + 'startxref'.length).read()
    if (typeof at !== 'number') return false
    return this.#readRevisions(at) && this.#isFirstRight()
  }

  /** The table at a place, and those before it. */
  #readRevisions(newest: number): boolean {
    const seen = new Set<number>()
    const waiting = [newest]
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      if (seen.has(at) || seen.size > REVISIONS_MOST) continue
      seen.add(at)
      const trailer = this.#readTable(at + this.#base)
      if (trailer === undefined) return false
      if (this.trailer.size === 0) this.trailer = trailer
      const others = [trailer.get('XRefStm'), trailer.get('Prev')].map((one) => this.number(one))
      waiting.push(...others.filter((one) => one !== undefined))
    }
    return true
  }

  /** PDFium looks at one place of the table only. */
  #isFirstRight(): boolean {
    let [first, at] = [Number.POSITIVE_INFINITY, 0]
    for (const [number, place] of this.#places) {
      if ('at' in place && number < first) [first, at] = [number, place.at]
    }
    return first === Number.POSITIVE_INFINITY || new Lexer(this.bytes, at).read() === first
  }

  #readTable(at: number): Dict | undefined {
    if (at < 0 || at >= this.bytes.length) return undefined
    const lexer = new Lexer(this.bytes, at)
    const first = lexer.read()
    if (typeof first === 'number') return this.#readTableStream(first, at)
    if (!(first instanceof Keyword) || first.text !== 'xref') return undefined
    if (!this.#readSections(lexer)) return undefined
    const trailer = lexer.readObject()
    return isDict(trailer) ? trailer : undefined
  }

  #readSections(lexer: Lexer): boolean {
    while (true) {
      const start = lexer.read()
      if (start instanceof Keyword && start.text === 'trailer') return true
      const count = lexer.read()
      if (typeof start !== 'number' || typeof count !== 'number') return false
      if (!this.#readSection(lexer, start, Math.min(count, OBJECTS_MOST))) return false
    }
  }

  #readSection(lexer: Lexer, start: number, count: number): boolean {
    for (let n = 0; n < count; n++) {
      const [at, generation, kind] = [lexer.read(), lexer.read(), lexer.read()]
      if (typeof at !== 'number' || typeof generation !== 'number') return false
      if (!(kind instanceof Keyword)) return false
      if (kind.text === 'n' && at > 0) this.#place(start + n, { at: at + this.#base })
    }
    return true
  }

  /** The newest table comes first. */
  #place(number: number, place: ObjectLocation): void {
    if (!this.#places.has(number)) this.#places.set(number, place)
  }

  #readTableStream(number: number, at: number): Dict | undefined {
    const stream = this.#readAt(number, { at })
    if (!(stream instanceof Stream)) return undefined
    const { data, fault } = decodeStream(this, stream)
    const widths = this.list(stream.dict.get('W')).map((width) => this.number(width) ?? 0)
    const size = widths.reduce((sum, width) => sum + width, 0)
    if (fault !== undefined || widths.length < 3 || size < 1 || size > 32) return undefined
    const index = stream.dict.has('Index')
      ? this.list(stream.dict.get('Index')).map((one) => this.number(one) ?? 0)
      : [0, this.number(stream.dict.get('Size')) ?? 0]
    let row = 0
    for (let n = 0; n + 1 < index.length; n += 2) {
      const [start = 0, count = 0] = index.slice(n, n + 2)
      for (let m = 0; m < count && (row + 1) * size <= data.length; m++, row++) {
        this.#placeRow(start + m, data.subarray(row * size, (row + 1) * size), widths)
      }
    }
    return stream.dict
  }

  #placeRow(number: number, row: Uint8Array, [a = 0, b = 0, c = 0]: readonly number[]): void {
    const field = (from: number, width: number): number =>
      row.subarray(from, from + width).reduce((sum, byte) => sum * 256 + byte, 0)
    const kind = a === 0 ? 1 : field(0, a)
    if (kind === 1) this.#place(number, { at: field(a, b) + this.#base })
    if (kind === 2) this.#place(number, { inside: field(a, b), index: field(a + b, c) })
  }

  #rebuild(): void {
    this.#objects.clear()
    this.#parents.clear()
    const found = this.#findObjects()
    this.#places = new Map(found)
    const trailers = [this.trailer, ...this.#findTrailers()]
    for (const [number, place] of found) {
      const object = this.#readAt(number, place)
      if (!(object instanceof Stream)) continue
      const type = this.name(object.dict.get('Type'))
      if (type === 'XRef') trailers.push(object.dict)
      if (type === 'ObjStm') this.#addInside(number, object)
    }
    this.trailer = new Map(trailers.flatMap((trailer) => [...trailer]))
    if (this.dict(this.trailer.get('Root'))?.has('Pages') !== true) this.#findRoot()
  }

  #findRoot(): void {
    for (const number of this.#places.keys()) {
      if (this.name(this.dict(new Ref(number))?.get('Type')) !== 'Catalog') continue
      this.trailer = new Map([...this.trailer, ['Root', new Ref(number)]])
    }
  }

  #addInside(parent: number, stream: Stream): void {
    const { data } = decodeStream(this, stream)
    for (const [index, [number]] of this.#listInside(stream, data).entries()) {
      this.#place(number, { inside: parent, index })
    }
  }

  /** Every `7 0 obj` in the file; the last one of a number counts. */
  #findObjects(): ReadonlyMap<number, ObjectLocation> {
    const { bytes } = this
    const found = new Map<number, ObjectLocation>()
    for (let at = bytes.indexOf('obj', 0, 'latin1'); at !== -1; ) {
      const head = /(?:^|[^\d])(\d{1,8})\s+\d{1,5}\s+$/.exec(
        latin1(bytes, Math.max(0, at - 24), Math.min(24, at)),
      )
      if (head !== null) {
        const digits = head[1] ?? ''
        const from = Math.min(24, at) - (head.index + head[0].indexOf(digits))
        found.set(Number(digits), { at: at - from })
      }
      at = bytes.indexOf('obj', at + 3, 'latin1')
    }
    return found
  }

  #findTrailers(): readonly Dict[] {
    const { bytes } = this
    const found: Dict[] = []
    for (let at = bytes.indexOf('trailer', 0, 'latin1'); at !== -1; ) {
      const dict = new Lexer(bytes, at + 'trailer'.length).readObject()
      if (isDict(dict)) found.push(dict)
      at = bytes.indexOf('trailer', at + 7, 'latin1')
    }
    return found
  }
}
