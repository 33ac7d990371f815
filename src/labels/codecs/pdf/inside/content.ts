import { latin1 } from '../../../languages/bytes.ts'
import type { PdfFile, PdfPage } from './file.ts'
import { decodeStream, type FilterOutput } from './filters.ts'
import { checkPicture, countComponents, wantedBytes } from './pictures.ts'
import {
  type Dict,
  END,
  isBlankByte,
  isDict,
  Keyword,
  Lexer,
  Name,
  nameOf,
  type PdfValue,
  Ref,
  Stream,
} from './syntax.ts'

/**
 * Defect in the content of a page. Surely lost: `damaged`, `cut`, `missing` (it names an object that is not there) and
 * `unknown` (packed in an unknown way). Perhaps: `checksum`, `unnamed` (a name that stands for nothing),
 * `nonsense` (an unknown operator). `open`: it ends without closing what it began.
 */
export type FaultKind =
  | 'damaged'
  | 'cut'
  | 'missing'
  | 'unknown'
  | 'checksum'
  | 'unnamed'
  | 'nonsense'
  | 'open'

export interface DrawingFault {
  readonly kind: FaultKind
  /** Part of the page that it is in. */
  readonly what: 'content' | 'picture' | 'font' | 'color' | 'part'
  /** The object; 0 = within another one. */
  readonly number: number
}

/** Content of a page and its defects. */
export interface PageDrawing {
  readonly faults: DrawingFault[]
  /** Fonts that letters are shown in. */
  readonly fonts: Set<Dict>
  /** Pictures and forms that it shows by itself, not those within these. */
  shown: number
}

const OPERATORS = new Set(
  'b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n q Q re RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y \' "'.split(
    ' ',
  ),
)
const PATH = new Set(['m', 'l', 'c', 'v', 'y', 're'])
const PAINT = new Set(['b', 'B', 'b*', 'B*', 'f', 'F', 'f*', 's', 'S', 'n'])
/** Paths, colors and lines, of which each is whole. */
const PLAIN =
  /(?:\s*(?:[-+.\d]+\s+){0,6}(?:re|[mlcvyhfFSsBbnWwJjiMgGkK]|[fBbW]\*|cm|rg|RG)(?=\s)){1,2000}/y
const PLAIN_TAIL = 200
const [INVISIBLE, CLIP_ONLY] = [3, 7]
const DEEP = 24
const OPERANDS_MOST = 1000
const ANNOTATION_HIDDEN = 2
const ANNOTATION_PRINT = 4

interface TextState {
  font: PdfValue | undefined
  mode: number
}

/** Walks through all that the pages of a file draw. */
export class ContentWalk {
  readonly #file: PdfFile
  /** By stream, font, or whatever else draws: what many pages share is looked at once. */
  readonly #known = new Map<unknown, PageDrawing>()

  constructor(file: PdfFile) {
    this.#file = file
  }

  page({ dict, resources }: PdfPage): PageDrawing {
    const drawing = makeDrawing()
    const own = this.#file.dict(resources)
    if (own === undefined && resources !== undefined) add(drawing, 'missing', 'part', resources)
    const contents = this.#listContents(dict.get('Contents'), drawing)
    const parts = contents.map((stream) => decodeStream(this.#file, stream))
    for (const [n, { fault }] of parts.entries()) {
      if (fault !== undefined) add(drawing, fault, 'content', contents[n])
    }
    const isProven = parts.every((part) => part.isProven)
    const isMeasured = contents.every((stream) => stream.isMeasured)
    const content = new ContentReader(this.#file, this, own ?? new Map(), drawing, 0)
    content.read(join(parts), { isProven, isMeasured, of: contents[0] })
    this.#walkAnnotations(dict, drawing)
    return drawing
  }

  /** A form, a pattern, a letter. */
  form(stream: Stream, resources: Dict, depth: number): PageDrawing {
    const known = this.#known.get(stream)
    if (known !== undefined) return known
    const drawing = makeDrawing()
    this.#known.set(stream, drawing)
    const decoded = decodeStream(this.#file, stream)
    if (decoded.fault !== undefined) add(drawing, decoded.fault, 'part', stream)
    const own = this.#file.dict(stream.dict.get('Resources')) ?? resources
    const { isProven } = decoded
    new ContentReader(this.#file, this, own, drawing, depth).read(decoded.data, {
      isProven,
      isMeasured: stream.isMeasured,
      of: stream,
    })
    return drawing
  }

  /** Once each, whoever asks first. */
  once(key: unknown, look: (drawing: PageDrawing) => void): PageDrawing {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const drawing = makeDrawing()
    this.#known.set(key, drawing)
    look(drawing)
    return drawing
  }

  #listContents(value: PdfValue | undefined, drawing: PageDrawing): readonly Stream[] {
    const found = this.#file.get(value)
    const all: readonly PdfValue[] = Array.isArray(found)
      ? found
      : value === undefined
        ? []
        : [value]
    return all.flatMap((one) => {
      const stream = this.#file.get(one)
      if (stream instanceof Stream) return [stream]
      if (one !== null) add(drawing, 'missing', 'content', one)
      return []
    })
  }

  /** Walks the appearance streams of annotations that print. */
  #walkAnnotations(page: Dict, drawing: PageDrawing): void {
    const file = this.#file
    for (const one of file.list(page.get('Annots'))) {
      const annotation = file.dict(one)
      const flags = file.number(annotation?.get('F')) ?? 0
      const isPrinted = (flags & (ANNOTATION_PRINT | ANNOTATION_HIDDEN)) === ANNOTATION_PRINT
      if (annotation === undefined || !isPrinted) continue
      const normal = file.dict(annotation.get('AP'))?.get('N')
      const look = file.get(normal)
      const state = isDict(look) ? look.get(file.name(annotation.get('AS'))) : normal
      const stream = file.get(state)
      if (stream instanceof Stream) merge(drawing, this.form(stream, new Map(), 1))
      else if (state instanceof Ref) add(drawing, 'missing', 'part', state)
    }
  }
}

function makeDrawing(): PageDrawing {
  return { faults: [], fonts: new Set(), shown: 0 }
}

function add(
  drawing: PageDrawing,
  kind: FaultKind,
  what: DrawingFault['what'],
  of: Stream | PdfValue | undefined,
): void {
  const number = of instanceof Stream || of instanceof Ref ? of.number : 0
  drawing.faults.push({ kind, what, number })
}

function merge(to: PageDrawing, from: PageDrawing): void {
  if (to === from) return
  to.faults.push(...from.faults)
  for (const font of from.fonts) to.fonts.add(font)
}

/** Streams of one page follow each other as if there were a blank between them. */
function join(parts: readonly FilterOutput[]): Uint8Array {
  const [first, ...others] = parts
  if (first === undefined) return new Uint8Array()
  if (others.length === 0) return first.data
  const out = new Uint8Array(parts.reduce((sum, { data }) => sum + data.length + 1, 0)).fill(0x20)
  let at = 0
  for (const { data } of parts) {
    out.set(data, at)
    at += data.length + 1
  }
  return out
}

/** Tells whether a word is a number in an odd notation of some programs: 1e-5, NaN. */
function isOddNumber(word: string): boolean {
  return /^[-+.\d]|^nan|^inf/i.test(word)
}

interface ContentSource {
  readonly isProven: boolean
  readonly isMeasured: boolean
  readonly of: Stream | undefined
}

/** Reads the operators of one piece of content (8, 9) and follows what they use. */
class ContentReader {
  readonly #file: PdfFile
  readonly #walk: ContentWalk
  readonly #resources: Dict
  readonly #drawing: PageDrawing
  readonly #depth: number
  #state: TextState = { font: undefined, mode: 0 }
  readonly #saved: TextState[] = []
  #isInText = false
  #hasPath = false
  #lastUnknown = false
  #nonsense = false
  /** Between BX and EX anything may stand. */
  #lenient = 0

  constructor(
    file: PdfFile,
    walk: ContentWalk,
    resources: Dict,
    drawing: PageDrawing,
    depth: number,
  ) {
    this.#file = file
    this.#walk = walk
    this.#resources = resources
    this.#drawing = drawing
    this.#depth = depth
  }

  read(bytes: Uint8Array, source: ContentSource): void {
    const lexer = new Lexer(bytes)
    const operands: PdfValue[] = []
    const text = latin1(bytes, 0, bytes.length)
    this.#skipPlain(lexer, text)
    for (let token = lexer.read(); token !== END; token = lexer.read()) {
      if (!(token instanceof Keyword)) {
        if (operands.length < OPERANDS_MOST) operands.push(token)
        continue
      }
      if (!OPERATORS.has(token.text) && isOddNumber(token.text)) continue
      this.#run(token.text, operands, lexer)
      operands.length = 0
      this.#skipPlain(lexer, text)
    }
    this.#judgeEnd(lexer.isOpen || operands.length > 0 || this.#lastUnknown, source)
  }

  /** Bars are thousands of operators that name nothing: passed over at once, not read one by one. */
  #skipPlain(lexer: Lexer, text: string): void {
    PLAIN.lastIndex = lexer.at
    const [run] = PLAIN.exec(text) ?? []
    if (run === undefined) return
    lexer.at = PLAIN.lastIndex
    this.#lastUnknown = false
    const last = run
      .slice(-PLAIN_TAIL)
      .split(/\s+/)
      .findLast((one) => PATH.has(one) || PAINT.has(one))
    if (last !== undefined) this.#hasPath = PATH.has(last)
  }

  #judgeEnd(isCut: boolean, { isProven, isMeasured, of }: ContentSource): void {
    const isOpen = this.#isInText || this.#hasPath
    if (isCut || (!isMeasured && of !== undefined && (isOpen || this.#saved.length > 0))) {
      add(this.#drawing, 'cut', 'content', of)
    } else if (isOpen || (this.#saved.length > 0 && !isProven)) {
      add(this.#drawing, 'open', 'content', of)
    } else if (this.#nonsense) add(this.#drawing, isProven ? 'open' : 'nonsense', 'content', of)
  }

  #run(operator: string, operands: readonly PdfValue[], lexer: Lexer): void {
    this.#lastUnknown = this.#lenient === 0 && !OPERATORS.has(operator)
    if (this.#lastUnknown) this.#nonsense = true
    if (PATH.has(operator)) this.#hasPath = true
    else if (PAINT.has(operator)) this.#hasPath = false
    else this.#runOther(operator, operands, lexer)
  }

  #runOther(operator: string, operands: readonly PdfValue[], lexer: Lexer): void {
    const last = operands.at(-1)
    switch (operator) {
      case 'q':
        this.#saved.push({ ...this.#state })
        return
      case 'Q':
        this.#state = this.#saved.pop() ?? this.#state
        // Some programs end what they saved, and with it the text.
        this.#isInText = false
        return
      case 'BT':
      case 'ET':
        this.#isInText = operator === 'BT'
        return
      case 'BX':
        this.#lenient++
        return
      case 'EX':
        this.#lenient = Math.max(0, this.#lenient - 1)
        return
      case 'BI':
        this.#readInline(lexer)
        return
      case 'Tr':
        if (typeof last === 'number') this.#state.mode = last
        return
      case 'Tf':
        this.#state.font = operands.at(-2)
        return
      case 'Tj':
      case 'TJ':
      case "'":
      case '"':
        this.#showText(last)
        return
      default:
        this.#use(operator, last)
    }
  }

  #use(operator: string, last: PdfValue | undefined): void {
    if (!(last instanceof Name)) return
    switch (operator) {
      case 'Do':
        this.#showObject(last)
        return
      case 'gs':
        this.#setState(last)
        return
      case 'sh':
        this.#checkShading(this.#named('Shading', last))
        return
      case 'SCN':
      case 'scn':
        this.#checkPattern(this.#named('Pattern', last))
        return
      case 'CS':
      case 'cs':
        this.#checkSpace(this.#findSpace(last))
        return
    }
  }

  /** Resolves a name of the page's resources; undefined when that is nothing, which is told. */
  #named(kind: string, { text }: Name): PdfValue | undefined {
    const value = this.#file.dict(this.#resources.get(kind))?.get(text)
    if (value === undefined) add(this.#drawing, 'unnamed', 'part', undefined)
    else if (this.#file.get(value) === null) add(this.#drawing, 'missing', 'part', value)
    return value
  }

  #showObject(name: Name): void {
    const value = this.#named('XObject', name)
    const object = this.#file.get(value)
    if (value === undefined || object === null) return
    if (!(object instanceof Stream)) {
      add(this.#drawing, 'missing', 'part', value)
      return
    }
    const kind = this.#file.name(object.dict.get('Subtype'))
    if (kind === 'PS') return
    if (kind !== 'Image' && kind !== 'Form') {
      add(this.#drawing, 'missing', 'part', value)
      return
    }
    this.#drawing.shown++
    if (kind === 'Image') merge(this.#drawing, this.#checkImage(object))
    else if (this.#depth < DEEP) {
      merge(this.#drawing, this.#walk.form(object, this.#resources, this.#depth + 1))
    }
  }

  #checkImage(image: Stream): PageDrawing {
    return this.#walk.once(image, (drawing) => {
      for (const part of [image, ...this.#masksOf(image, drawing)]) {
        const fault = checkPicture(this.#file, part, (space) => this.#count(space))
        if (fault !== undefined) add(drawing, fault, 'picture', part)
      }
      this.#checkSpace(image.dict.get('ColorSpace'), drawing)
    })
  }

  #masksOf({ dict }: Stream, drawing: PageDrawing): readonly Stream[] {
    return ['SMask', 'Mask'].flatMap((key) => {
      const value = dict.get(key)
      const mask = this.#file.get(value)
      if (mask instanceof Stream) return [mask]
      if (mask === null && value instanceof Ref) add(drawing, 'missing', 'picture', value)
      return []
    })
  }

  #count(space: PdfValue | undefined): number | undefined {
    const found = this.#file.get(space)
    return countComponents(this.#file, found instanceof Name ? this.#findSpace(found) : found)
  }

  /** A color space of the page, or one that everybody knows. */
  #findSpace(name: Name): PdfValue {
    const own = this.#file.dict(this.#resources.get('ColorSpace'))?.get(name.text)
    return own ?? name
  }

  /** Streams that colors are made of: tables, and functions of inks. */
  #checkSpace(space: PdfValue | undefined, drawing = this.#drawing): void {
    const found = this.#file.get(space)
    if (!Array.isArray(found)) return
    const [family, ...parts]: readonly PdfValue[] = found
    const name = nameOf(this.#file.get(family))
    if (name === 'Indexed' || name === 'I') this.#checkStream(parts[2], drawing)
    if (name === 'Separation' || name === 'DeviceN') this.#checkFunction(parts[2], drawing)
  }

  #checkFunction(value: PdfValue | undefined, drawing = this.#drawing): void {
    const found = this.#file.get(value)
    if (Array.isArray(found)) for (const one of found as PdfValue[]) this.#checkStream(one, drawing)
    else this.#checkStream(value, drawing)
  }

  #checkStream(value: PdfValue | undefined, drawing: PageDrawing): void {
    const found = this.#file.get(value)
    if (found === null && value instanceof Ref) add(drawing, 'missing', 'color', value)
    if (!(found instanceof Stream)) return
    const { fault } = decodeStream(this.#file, found)
    if (fault !== undefined) add(drawing, fault, 'color', found)
  }

  #checkShading(value: PdfValue | undefined): void {
    const found = this.#file.get(value)
    if (found instanceof Stream) this.#checkStream(found, this.#drawing)
    const dict = this.#file.dict(found)
    this.#checkSpace(dict?.get('ColorSpace'))
    this.#checkFunction(dict?.get('Function'))
  }

  #checkPattern(value: PdfValue | undefined): void {
    const found = this.#file.get(value)
    if (!(found instanceof Stream)) this.#checkShading(this.#file.dict(found)?.get('Shading'))
    else if (this.#depth < DEEP) {
      merge(this.#drawing, this.#walk.form(found, this.#resources, this.#depth + 1))
    }
  }

  #setState(name: Name): void {
    const dict = this.#file.dict(this.#named('ExtGState', name))
    const font = this.#file.list(dict?.get('Font'))[0]
    if (font !== undefined) this.#state.font = font
    const mask = this.#file.get(this.#file.dict(dict?.get('SMask'))?.get('G'))
    if (mask instanceof Stream && this.#depth < DEEP) {
      merge(this.#drawing, this.#walk.form(mask, this.#resources, this.#depth + 1))
    }
  }

  #showText(text: PdfValue | undefined): void {
    const { font, mode } = this.#state
    if (mode === INVISIBLE || mode === CLIP_ONLY || !hasSigns(text)) return
    const value = font instanceof Name ? this.#named('Font', font) : font
    const dict = this.#file.dict(value)
    if (dict === undefined) return
    this.#drawing.fonts.add(dict)
    merge(
      this.#drawing,
      this.#walk.once(dict, (drawing) => this.#checkFont(dict, drawing)),
    )
  }

  #checkFont(font: Dict, drawing: PageDrawing): void {
    const file = this.#file
    if (file.name(font.get('Subtype')) === 'Type3') {
      this.#checkLetters(font, drawing)
      return
    }
    const [descendant] = file.list(font.get('DescendantFonts'))
    const own = descendant === undefined ? font : file.dict(descendant)
    const descriptor = file.dict(own?.get('FontDescriptor'))
    const parts = [
      ...['FontFile', 'FontFile2', 'FontFile3'].map((key) => descriptor?.get(key)),
      descendant === undefined ? undefined : font.get('Encoding'),
      own?.get('CIDToGIDMap'),
    ]
    if (own === undefined) add(drawing, 'missing', 'font', descendant)
    for (const part of parts) {
      const found = file.get(part)
      if (found === null && part instanceof Ref) add(drawing, 'missing', 'font', part)
      if (!(found instanceof Stream)) continue
      const { fault } = decodeStream(file, found)
      if (fault !== undefined) add(drawing, fault, 'font', found)
    }
  }

  /** Checks the glyphs of a Type 3 font, which are drawn like pages. */
  #checkLetters(font: Dict, drawing: PageDrawing): void {
    const resources = this.#file.dict(font.get('Resources')) ?? this.#resources
    for (const value of this.#file.dict(font.get('CharProcs'))?.values() ?? []) {
      const letter = this.#file.get(value)
      if (letter instanceof Stream && this.#depth < DEEP) {
        merge(drawing, this.#walk.form(letter, resources, this.#depth + 1))
      } else if (letter === null) add(drawing, 'missing', 'font', value)
    }
  }

  /** A picture within the content (8.9.7): its data end where the samples do, or before EI. */
  #readInline(lexer: Lexer): void {
    this.#drawing.shown++
    const dict = readInlineDict(lexer)
    if (dict === undefined) {
      add(this.#drawing, 'cut', 'picture', undefined)
      return
    }
    const { bytes } = lexer
    const from = lexer.at + 1
    const count = (space: PdfValue | undefined) => this.#count(space)
    const isPlain = !dict.has('F') && !dict.has('Filter')
    const length = isPlain ? wantedBytes(this.#file, dict, count) : undefined
    const end = findInlineEnd(bytes, from + (length ?? 0))
    if (end === undefined) {
      lexer.at = bytes.length
      add(this.#drawing, 'cut', 'picture', undefined)
      return
    }
    lexer.at = end + 2
    const data = bytes.subarray(from, length === undefined ? end : from + length)
    const fault = checkPicture(this.#file, new Stream(dict, data, 0, true), count)
    if (fault !== undefined) add(this.#drawing, fault, 'picture', undefined)
  }
}

function readInlineDict(lexer: Lexer): Dict | undefined {
  const dict = new Map<string, PdfValue>()
  while (true) {
    const key = lexer.read()
    if (key instanceof Keyword && key.text === 'ID') return dict
    const value = lexer.read()
    if (!(key instanceof Name) || value === END || value instanceof Keyword) return undefined
    dict.set(key.text, value)
  }
}

const [E, I] = [0x45, 0x49]
/** After the end of a picture come operators: text. */
const TEXT_BEHIND = 10

/** `EI` between blanks, from here on; some programs leave the first one out. */
function findInlineEnd(bytes: Uint8Array, from: number): number | undefined {
  let glued: number | undefined
  for (let at = bytes.indexOf(E, from); at !== -1; at = bytes.indexOf(E, at + 1)) {
    const isEnd = at + 2 >= bytes.length || isBlankByte(bytes[at + 2])
    if (bytes[at + 1] !== I || !isEnd) continue
    if (!isText(bytes.subarray(at + 2, at + 2 + TEXT_BEHIND))) continue
    if (at === from || isBlankByte(bytes[at - 1]) || bytes[at - 1] === 0x3e) return at
    glued ??= at
  }
  return glued
}

function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => isBlankByte(byte) || (byte > 0x20 && byte < 0x7f))
}

/** Tells whether a string, or a list of strings and gaps, has something other than blanks. */
function hasSigns(text: PdfValue | undefined): boolean {
  const parts: readonly PdfValue[] = Array.isArray(text) ? text : [text ?? null]
  return parts.some((part) => part instanceof Uint8Array && !part.every(isBlankByte))
}
