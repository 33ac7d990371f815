import { Buffer } from 'node:buffer'
import { latin1 } from '../languages/bytes.ts'
import { beginnings } from '../languages/index.ts'

// Programs hand on what a carrier or a shop answered, whole: a message of several parts, JSON or XML, with the label inside.

const HEAD_BYTES = 8_192
/** A header of a message or a part; what begins with a blank belongs to the one before. */
const HEADER = /^[\w-]{1,60}:/
const BOUNDARY = /^--([^\s-].{0,200}|-.{1,200})$/
const PARTS_MOST = 200
const PART_HEAD_BYTES = 4_096
const HEADERS_END = /\r?\n\r?\n/
const NAME = /;[ \t]*(?:file)?name="?([^";\r\n]{1,100})"?/i

/** A part of a message. */
interface MessagePart {
  readonly name: string
  readonly content: Buffer
}

/** True of a whole message of several parts, which is not a label though one may be in it. */
export function isMultipart(bytes: Uint8Array): boolean {
  return readBoundary(bytes) !== undefined
}

/** The boundary in front of a first part with a header; before it perhaps the head of the answer itself. */
function readBoundary(bytes: Uint8Array): string | undefined {
  const lines = latin1(bytes, 0, HEAD_BYTES).split(/\r?\n/)
  const first = /^HTTP\/[\d.]{1,5} \d{3}/.test(lines[0] ?? '') ? 1 : 0
  for (let n = first; n < lines.length; n += 1) {
    const line = lines[n] ?? ''
    const boundary = BOUNDARY.exec(line)?.[1]
    if (boundary !== undefined && HEADER.test(lines[n + 1] ?? '')) return boundary.trimEnd()
    if (line.trim() !== '' && !/^[ \t]/.test(line) && !HEADER.test(line)) return undefined
  }
  return undefined
}

/** Label found in an answer. */
export type AnswerLabel =
  | { readonly label: Uint8Array }
  /** The names of several parts that may be it; '' = none. */
  | { readonly parts: string }

/** The label among the parts of a message: the only one that is one, or that is called so. */
export function findInParts(bytes: Buffer, isLabel: (content: Uint8Array) => boolean): AnswerLabel {
  const labels = listParts(bytes).filter(({ content }) => isLabel(content))
  const named = labels.filter(({ name }) => /label/i.test(name))
  const [only, ...others] = named.length === 0 ? labels : named
  if (only !== undefined && others.length === 0) return { label: only.content }
  return { parts: labels.map(({ name }) => name).join(', ') }
}

function listParts(bytes: Buffer): readonly MessagePart[] {
  const boundary = readBoundary(bytes) ?? ''
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  const parts: MessagePart[] = []
  let at = bytes.indexOf(delimiter)
  while (at >= 0 && parts.length < PARTS_MOST) {
    const from = at + delimiter.length
    at = bytes.indexOf(delimiter, from)
    const part = readPart(bytes.subarray(from, at < 0 ? bytes.length : at))
    if (part !== undefined) parts.push(part)
  }
  return parts
}

function readPart(bytes: Buffer): MessagePart | undefined {
  const head = latin1(bytes, 0, PART_HEAD_BYTES)
  const end = HEADERS_END.exec(head)
  if (end === null) return undefined
  const headers = head.slice(0, end.index)
  const last = /\r?\n$/.exec(latin1(bytes, Math.max(0, bytes.length - 2), 2))?.[0].length ?? 0
  const name = /\bname="?([^";\r\n]{1,100})"?/i.exec(headers.replace(/filename\*?=/gi, 'file:'))
  return {
    name: (name ?? NAME.exec(headers))?.[1] ?? '',
    content: bytes.subarray(end.index + end[0].length, bytes.length - last),
  }
}

/** Base64 of labels' beginnings, in groups of three characters; left out what has none. */
const IN_BASE64 = beginnings
  .filter((text) => text.length >= 3)
  .map((text) => Buffer.from(text.slice(0, text.length - (text.length % 3))).toString('base64'))
/** Beginnings that no words have. */
const AS_THEY_ARE = beginnings.filter((text) => /[^\w\s,]/.test(text))
const LANGUAGES = [...IN_BASE64, ...AS_THEY_ARE]
  .map((text) => text.replace(/[+^$.*?()[\]{}|\\]/g, '\\$&'))
  .join('|')
/** Beginnings of labels in base64 (of languages, PNG, PDF, GIF, JPEG, TIFF, gzip), or as they are. */
const BEGINS = String.raw`(?:data:[^"'<>\s]{1,80},)?(?:${LANGUAGES}|iVBORw0KGgo|JVBERi|R0lGOD|\\?/9j\\?/|SUkq|TU0AKg|H4sI)`
const ALONE = new RegExp(`^${BEGINS}`)
const IN_JSON = new RegExp(String.raw`"([^"\\]{1,80})"\s*:\s*(?:\[\s*)?"${BEGINS}`)
const IN_XML = new RegExp(
  String.raw`<([\w:.-]{1,80})(?:\s[^<>]{0,400})?>\s*(?:<!\[CDATA\[\s*)?${BEGINS}`,
)
const ADDRESS =
  /["<]([^"<>\\]{0,40}(?:label|document|image)[^"<>\\]{0,40})["\s>][^"<>]{0,20}["\s>]{0,20}https?:\/\//i
const JSON_TEXT = /^\s*(?:\{\s*(?:"|\})|\[\s*(?:\{|\[|"|\]))/
const XML_TEXT =
  /^\s*<(?!!?(?:doctype )?(?:html|head|body|div|table|p|script|svg|xpml)\b)(?:\?xml|[a-z][\w:.-]*[\s>/])/i

/** True for a text of an answer that is a label, mostly in base64. */
export function holdsLabel(text: string): boolean {
  return ALONE.test(text)
}

/** Contents of an answer in JSON or XML. */
export interface AnswerReading {
  /** The name of what holds a label; undefined = nothing does. */
  readonly part: string | undefined
  /** It names an address of the label instead. */
  readonly hasAddress: boolean
  readonly isJson: boolean
}

/** Limit of an answer that is searched: labels of megabytes stand in few, and only to name the part. */
const ANSWER_BYTES = 2 ** 20

/** Looks into a text that is JSON or XML; undefined when it is neither. */
export function readAnswer(bytes: Buffer): AnswerReading | undefined {
  const head = latin1(bytes, 0, 200).replace(/^\xef\xbb\xbf/, '')
  const isJson = JSON_TEXT.test(head)
  if (!(isJson || XML_TEXT.test(head))) return undefined
  const text = latin1(bytes, 0, ANSWER_BYTES)
  return {
    part: (isJson ? IN_JSON : IN_XML).exec(text)?.[1],
    hasAddress: ADDRESS.test(text),
    isJson,
  }
}

/** The text in a string of JSON or of Python (`b'...'`), whole with its quotes; undefined when it is none. */
export function readQuoted(bytes: Buffer): string | undefined {
  const python = /^\s*b(['"])(?=[A-Za-z0-9+/])/.exec(latin1(bytes, 0, 64))
  if (python !== null) {
    const text = bytes.toString('latin1').trim()
    const inner = text.slice(2, -1)
    return text.endsWith(python[1] as string) && /^[A-Za-z0-9+/=_-]+$/.test(inner)
      ? inner
      : undefined
  }
  if (!/^(?:\xef\xbb\xbf)?\s*"/.test(latin1(bytes, 0, 64))) return undefined
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined // not JSON: what it is others say
  }
}
