import { Buffer } from 'node:buffer'
import { PlatenError } from '../errors.ts'
import { isBlank, latin1 } from '../languages/bytes.ts'
import { detectLanguage, type LanguageName, languages, listWords } from '../languages/index.ts'
import { HEAD_BYTES } from '../languages/language.ts'
import { skipWrapping } from '../languages/wrapping.ts'
import { decoders, type PictureFormat, pictureFormats } from './decode/index.ts'
import { findRefused } from './refused.ts'

/** What a label is. */
export type Format = LanguageName | PictureFormat | 'pdf'

/** Everything that can be printed, for people, e.g. `ZPL` and `PNG`. */
export const formatTitles: readonly string[] = [
  ...languages.map(({ title }) => title),
  ...pictureFormats.map((name) => name.toUpperCase()),
  'PDF',
]
const PDF = '%PDF-'
/** Readers open a PDF with so much before it (PDF 1.7, appendix H, implementation note 13). */
const PDF_WITHIN = 1024
const FORMATS = listWords(formatTitles, 'or')
const WANTED = `wanted ${FORMATS}`

/** What to do about something that is not a label. */
export const SEND_FORMATS = `Send ${FORMATS}.`

/**
 * Says what a label is by looking at its bytes, never at a name. Raw labels are looked at only: they reach the
 * printer byte for byte.
 * @throws PlatenError LABEL_EMPTY, LABEL_REFUSED (a format we know and do not print), LABEL_UNKNOWN
 */
export function detectFormat(label: Uint8Array): Format {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  const start = skipBlanks(bytes)
  if (start === bytes.length) {
    throw new PlatenError(
      'LABEL_EMPTY',
      bytes.length === 0
        ? `The label is empty; ${WANTED}.`
        : `The label is empty: all of its ${bytes.length} bytes are blanks; ${WANTED}.`,
    )
  }
  const format = detectPicture(bytes)
  if (format !== undefined) return format
  const head = latin1(bytes, start, HEAD_BYTES)
  if (head.startsWith(PDF)) return 'pdf'
  const begun = detectLanguage({ bytes, start, head }, 0)
  if (begun !== undefined) return begun
  const inside = skipWrapping(bytes)
  const language = detectLanguage({
    bytes,
    start: inside,
    head: latin1(bytes, inside, HEAD_BYTES),
  })
  if (language !== undefined) return language
  const refused = findRefused(head)
  if (refused !== undefined) {
    const message = `The label is ${refused.name}, which cannot be printed here; ${WANTED}.`
    const hint = refused.hint ?? `Ask the shop or carrier for ${FORMATS} instead.`
    throw new PlatenError('LABEL_REFUSED', `${message} ${describe(bytes)}.`, { hint })
  }
  if (latin1(bytes, 0, PDF_WITHIN).includes(PDF)) return 'pdf'
  const message = `This is not a label that can be printed here; ${WANTED}.`
  throw new PlatenError('LABEL_UNKNOWN', `${message} ${describe(bytes)}.`, {
    hint: SEND_FORMATS,
  })
}

function detectPicture(bytes: Buffer): PictureFormat | undefined {
  const head = latin1(bytes, 0, 16)
  return decoders.find(({ signs }) => signs.some((sign) => head.startsWith(sign)))?.format
}

/** The first byte that is neither of a UTF-8 byte order mark nor a blank. */
function skipBlanks(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (at < bytes.length && isBlank(bytes[at])) at++
  return at
}

/** What was seen, in at most 8 bytes: labels hold addresses. */
function describe(bytes: Uint8Array): string {
  const seen = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0'))
  return `Its ${bytes.length} bytes begin with ${seen.join(' ')}`
}
