import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { decoders, type PictureFormat, pictureFormats } from '../codecs/index.ts'
import { LabelFault, type Reason, reason } from '../fault.ts'
import { isBlank, latin1, skipWrapping } from '../languages/bytes.ts'
import { detectLanguage, isPlain, type LanguageName, languages } from '../languages/index.ts'
import { HEAD_BYTES } from '../languages/language.ts'
import { LOOKED_AT } from '../languages/plain.ts'
import { type AnswerReading, findInParts, isMultipart, readAnswer, readQuoted } from './answers.ts'
import { findSecond, type Seam } from './documents.ts'
import { FOREIGN_LANGUAGES } from './foreign.ts'
import { findSignature, type KnownFile } from './signatures.ts'

/** Format of a label. */
export type LabelFormat = LanguageName | PictureFormat | 'pdf'

/** Everything that can be printed, for people, e.g. `ZPL` and `PNG`. */
export const formatTitles: readonly string[] = [
  ...languages.map(({ title }) => title),
  ...pictureFormats.map((name) => name.toUpperCase()),
  'PDF',
]
const PDF = '%PDF-'
/** Readers open a PDF with so much before it (PDF 1.7, appendix H, implementation note 13). */
const PDF_WITHIN = 1024
const FORMATS = formatTitles.join(', ')

/**
 * Says what a label is by looking at its bytes, never at a name. Raw labels are looked at only: they reach the
 * printer byte for byte.
 * @throws LabelFault LABEL_EMPTY, LABEL_REFUSED (a format we know and do not print), LABEL_UNKNOWN
 */
export function detectFormat(label: Uint8Array): LabelFormat {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  const start = skipBlanks(bytes)
  if (start === bytes.length) {
    const detail = bytes.length === 0 ? '' : `All of its ${bytes.length} bytes are blanks.`
    throw new LabelFault('LABEL_EMPTY', reason('isEmpty'), { detail })
  }
  const format = detectPicture(bytes)
  if (format !== undefined) return format
  const head = latin1(bytes, start, HEAD_BYTES)
  if (head.startsWith(PDF)) return 'pdf'
  const known = findSignature(bytes)
  if (known !== undefined) throw refuseKnown(known, bytes)
  const language = findLanguageOf(bytes, start, head)
  if (language !== undefined) return language
  const answer = readAnswer(bytes)
  const refused = explainRefused(bytes, head, answer)
  if (refused !== undefined) throw refused
  if (latin1(bytes, 0, PDF_WITHIN).includes(PDF)) return 'pdf'
  throw explainUnknown(bytes, answer)
}

/** Explains why a file is refused; undefined when its kind is unknown. */
function explainRefused(
  bytes: Buffer,
  head: string,
  answer: AnswerReading | undefined,
): LabelFault | undefined {
  if (isMultipart(bytes)) return explainWhole('')
  if (answer?.part !== undefined) return explainWhole(answer.part)
  if (answer?.hasAddress)
    return new LabelFault('LABEL_REFUSED', reason('isWholeAnswer'), {
      advice: reason('downloadIt'),
    })
  const refused = findRefused(head)
  if (refused === undefined) return undefined
  const advice = refused.advice ?? reason('askForOneOf', { formats: FORMATS })
  return new LabelFault('LABEL_REFUSED', refused.what, { advice, detail: describe(bytes) })
}

function explainUnknown(bytes: Buffer, answer: AnswerReading | undefined): LabelFault {
  const detail = describe(bytes)
  return answer?.isJson
    ? new LabelFault('LABEL_UNKNOWN', reason('isAnswer'), { advice: reason('readAnswer'), detail })
    : new LabelFault('LABEL_UNKNOWN', reason('notPrintable'), {
        advice: reason('sendOneOf', { formats: FORMATS }),
        detail,
      })
}

/** Explains that a whole answer is not a label: `part` names what is one. */
function explainWhole(part: string): LabelFault {
  const advice = part === '' ? reason('readAnswer') : reason('sendPart', { part })
  return new LabelFault('LABEL_REFUSED', reason('isWholeAnswer'), { advice })
}

/** Words of a language by chance are in many files: its commands must be all that there is. */
function findLanguageOf(bytes: Buffer, start: number, head: string): LanguageName | undefined {
  const begun = detectLanguage({ bytes, start, head }, 0)
  if (begun !== undefined && isPlainLabel(begun, bytes, start)) return begun
  const inside = skipWrapping(bytes)
  const glance = { bytes, start: inside, head: latin1(bytes, inside, HEAD_BYTES) }
  const language = detectLanguage(glance)
  return language !== undefined && isPlainLabel(language, bytes, inside) ? language : undefined
}

/** Tells whether a label is plain: what follows it may be a document of another kind. */
function isPlainLabel(language: LanguageName, bytes: Buffer, start: number): boolean {
  const end = findSecond(bytes, language, NEVER)?.end
  return isPlain(language, bytes.subarray(0, end), start)
}

/** Raw labels are looked through for signs alone. */
const NEVER = (): boolean => false

/** Says what it is, and what can be done with one of its kind. */
function refuseKnown({ name, isAn, kind }: KnownFile, bytes: Uint8Array): LabelFault {
  const detail = describe(bytes)
  if (kind === 'picture') {
    const what = reason(isAn ? 'isPictureKindAn' : 'isPictureKind', { kind: name })
    const isPhone = name === 'HEIC' || name === 'HEIF'
    const advice = isPhone ? [AS_PICTURE, reason('iphoneFormats')] : AS_PICTURE
    return new LabelFault('LABEL_REFUSED', what, { advice, detail })
  }
  const what = reason(isAn ? 'isFileKindAn' : 'isFileKind', { kind: name })
  const advice = {
    page: AS_PICTURE,
    archive: reason('unpackIt'),
    other: reason('askForOneOf', { formats: FORMATS }),
  }
  return new LabelFault('LABEL_REFUSED', what, { advice: advice[kind], detail })
}

function detectPicture(bytes: Buffer): PictureFormat | undefined {
  const head = latin1(bytes, 0, 16)
  return decoders.find(({ signs }) => signs.some((sign) => head.startsWith(sign)))?.format
}

const BLANKS_USUAL = 1_024
/** The complement of `isBlank`. */
const NO_BLANK = /[^\0\t-\r ]/

/** The first byte that is neither of a UTF-8 byte order mark nor a blank. */
function skipBlanks(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const near = Math.min(bytes.length, at + BLANKS_USUAL)
  while (at < near && isBlank(bytes[at])) at++
  if (at < near) return at
  // As text: byte by byte 16 MB of them take ten times as long.
  for (; at < bytes.length; at += LOOKED_AT) {
    const place = latin1(bytes, at, LOOKED_AT).search(NO_BLANK)
    if (place >= 0) return at + place
  }
  return bytes.length
}

/** Describes the first bytes, at most 8: labels hold addresses. */
function describe(bytes: Uint8Array): string {
  const seen = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0'))
  return `Its ${bytes.length} bytes begin with ${seen.join(' ')}.`
}

/** A kind of file that people do send and that is not printed: naming it saves a search. */
interface UnsupportedFile {
  /** First bytes, one character a byte. */
  readonly sign: string | RegExp
  readonly what: Reason
  /** Advice; left out = ask for one of ours. */
  readonly advice?: Reason | readonly Reason[]
}

const AS_PICTURE = reason('saveAsPdf')
const OTHER_MAKER = [reason('otherMaker'), reason('chooseFormat')]
const REFUSED: readonly UnsupportedFile[] = [
  { sign: /^! U\d? (?!.*\^XA)/is, what: reason('isSettings') },
  ...FOREIGN_LANGUAGES.map(({ sign, title, isPage }) => ({
    sign,
    what: reason('isInLanguage', { language: title }),
    advice: isPage === true ? AS_PICTURE : OTHER_MAKER,
  })),
  {
    sign: /^<(!doctype html|html|head|body|div|table|p|script|!--)\b/i,
    what: reason('isWebPage'),
    advice: reason('loginPage'),
  },
  {
    sign: /^<(!doctype|\?xml|(?!xpml)[a-z][\w:.-]*[\s>])(?!.*\^XA)/is,
    what: reason('isInLanguage', { language: 'XML' }),
  },
  {
    sign: /^https?:\/\/\S+\s*$/i,
    what: reason('isAddress'),
    advice: reason('downloadIt'),
  },
  // base64 of: ^XA, PNG, JPEG, GIF8, %PDF.
  {
    sign: /^(XlhB|iVBORw0KGgo|\/9j\/|R0lGOD|JVBERi)/,
    what: reason('isBrokenBase64'),
    advice: reason('downloadAgain'),
  },
]

/** The kind of a file that is not printed; undefined when it is unknown. */
function findRefused(head: string): UnsupportedFile | undefined {
  return REFUSED.find(({ sign }) =>
    typeof sign === 'string' ? head.startsWith(sign) : sign.test(head),
  )
}

/** Tells whether a document of its own begins here: behind another one it would be lost. */
function beginsDocument(bytes: Buffer): boolean {
  const head = latin1(bytes, 0, HEAD_BYTES)
  if (detectPicture(bytes) !== undefined || head.startsWith(PDF)) return true
  return findLanguageOf(bytes, 0, head) !== undefined
}

/** More than a request may have; a file with so many is not an honest one. */
const DOCUMENTS_MOST = 500

/**
 * The documents of a file that holds several, one after the other; each is a label, or a file of labels. Most files are one,
 * and given back as they are.
 */
export function splitDocuments(label: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let rest = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  for (;;) {
    const seam = parts.length < DOCUMENTS_MOST ? findSeam(rest) : undefined
    if (seam === undefined) return parts.length === 0 ? [label] : [...parts, new Uint8Array(rest)]
    parts.push(new Uint8Array(rest.subarray(0, seam.end)))
    rest = rest.subarray(seam.begin)
  }
}

/** Between the first document and the second; undefined of what is but one, or not a label. */
function findSeam(bytes: Buffer): Seam | undefined {
  const format = detectQuietly(bytes)
  return format && findSecond(bytes, format, beginsDocument)
}

function detectQuietly(bytes: Buffer): LabelFormat | undefined {
  try {
    return detectFormat(bytes)
  } catch (error) {
    if (error instanceof LabelFault) return undefined
    throw error
  }
}

/** Largest size of an unpacked label; the body of a request is no larger. */
const UNPACKED_BYTES_MAX = 16 * 2 ** 20
/** Packed so many times at most: base64 of gzip of UTF-16. */
const LAYERS_MAX = 3

/** A label as printers and decoders want it. */
export interface UnpackedLabel {
  readonly label: Uint8Array
  readonly format: LabelFormat
  /** Packings that came off, in the order in which it came off, e.g. `base64`; mostly nothing. */
  readonly packing: readonly string[]
}

/**
 * Finds out what a label is, and takes off what somebody packed it in once more: base64 (a carrier's, encoded again),
 * gzip (Amazon, FedEx), UTF-16 (Windows PowerShell's `>`). A label that is one already is left alone.
 * @throws LabelFault LABEL_EMPTY, LABEL_REFUSED, LABEL_UNKNOWN as `detectFormat` says of the label as it came, but for
 *   what was inside when that is known by name
 */
export function unpackLabel(label: Uint8Array): UnpackedLabel {
  const steps = unpackInSteps(label)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Unpacks with a pause before each layer that is taken off; without one, the label was none or was not packed. */
export function unpackInSteps(label: Uint8Array): Generator<void, UnpackedLabel> {
  return unpack(label, [])
}

function* unpack(label: Uint8Array, packing: readonly string[]): Generator<void, UnpackedLabel> {
  try {
    return { label, format: detectOne(label), packing }
  } catch (error) {
    const layer = packing.length < LAYERS_MAX ? findLayer(label) : undefined
    if (layer === undefined) throw error
    yield
    try {
      return yield* unpack(layer.open(), [...packing, layer.name])
    } catch (inner) {
      // What a text that only looks like base64 turns into means nothing.
      if (inner instanceof LabelFault && inner.code === 'LABEL_REFUSED') throw inner
      throw error
    }
  }
}

/** @throws LabelFault as `detectFormat`, and LABEL_REFUSED for a file of which only one document would print */
function detectOne(label: Uint8Array): LabelFormat {
  const format = detectFormat(label)
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  if (findSeam(bytes) === undefined) return format
  throw new LabelFault('LABEL_REFUSED', reason('isSeveral'), { advice: reason('sendEach') })
}

interface Layer {
  readonly name: string
  /** @throws LabelFault LABEL_REFUSED */
  open(): Uint8Array
}

function findLayer(label: Uint8Array): Layer | undefined {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { name: 'gzip', open: () => gunzip(bytes) }
  const utf16 = findUtf16(bytes)
  if (utf16 !== undefined) {
    return { name: 'UTF-16', open: () => Buffer.from(utf16.decode(bytes), 'utf8') }
  }
  if (isMultipart(bytes)) return { name: 'multipart', open: () => openParts(bytes) }
  const quoted = readQuoted(bytes)
  if (quoted !== undefined) return { name: 'quotes', open: () => Buffer.from(quoted, 'utf8') }
  const text = readBase64(bytes)
  return text === undefined
    ? undefined
    : { name: 'base64', open: () => Buffer.from(text, 'base64') }
}

/** @throws LabelFault LABEL_REFUSED when it is not clear which of the parts is the label */
function openParts(bytes: Buffer): Uint8Array {
  const found = findInParts(bytes, isLabel)
  if ('label' in found) return found.label
  throw explainWhole(found.parts)
}

function isLabel(content: Uint8Array): boolean {
  try {
    unpackLabel(content)
    return true
  } catch (error) {
    if (error instanceof LabelFault) return false
    throw error
  }
}

/** @throws LabelFault LABEL_REFUSED */
function gunzip(bytes: Buffer): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX })
  } catch (cause) {
    const isLarge = cause instanceof RangeError
    throw new LabelFault(
      'LABEL_REFUSED',
      isLarge
        ? reason('packedTooLarge', { most: UNPACKED_BYTES_MAX / 2 ** 20 })
        : reason('packedBroken'),
      { cause, advice: reason('downloadAgain') },
    )
  }
}

/** By its byte order mark, or by the zeros between the first letters. */
function findUtf16(bytes: Buffer): InstanceType<typeof TextDecoder> | undefined {
  const head = latin1(bytes, 0, 6)
  if (/^(?:\xff\xfe|(?:[\t-~]\0){3})/.test(head)) return new TextDecoder('utf-16le')
  return /^(?:\xfe\xff|(?:\0[\t-~]){3})/.test(head) ? new TextDecoder('utf-16be') : undefined
}

const DATA_URL = /^\s*data:[\w.+/;=-]{0,100},\s*/
// One way to match a text: blanks behind its letters belong to them, or a body of blanks would take hours.
const BASE64 = /^[A-Za-z0-9+/_\s-]+(?:={1,2}\s*)?$/
const BASE64_HEAD = /^[A-Za-z0-9+/_\s=-]*$/
const LETTERS_LEAST = 8

/** The base64 that a label is, without the beginning of a data URL; undefined when it is none. */
function readBase64(bytes: Buffer): string | undefined {
  // The beginning first: no text is made of megabytes that are not a label.
  if (!BASE64_HEAD.test(latin1(bytes, 0, HEAD_BYTES).replace(DATA_URL, ''))) return undefined
  const text = bytes.toString('latin1').replace(DATA_URL, '')
  if (text.length < LETTERS_LEAST || !BASE64.test(text)) return undefined
  return text
}
