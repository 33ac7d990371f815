import { languages } from '../../languages/index.ts'
import type { StreamLines } from '../../languages/language.ts'
import { keyOf } from '../../languages/zpl/commands.ts'
import { decoders } from '../../render/decode/index.ts'
import type { Question } from './questions.ts'

/** What was found in a stream, in its order. */
export type Piece =
  /** A whole label, as it came but for blanks around it. */
  | { readonly kind: 'label'; readonly bytes: Uint8Array }
  /** A label whose end never came. */
  | { readonly kind: 'broken'; readonly bytes: Uint8Array }
  /** What stood behind the last label and puts nothing on paper. */
  | { readonly kind: 'rest'; readonly bytes: Uint8Array }
  | { readonly kind: 'question'; readonly question: Question }
  /** The other side takes this for another kind of port; nothing more is found. */
  | { readonly kind: 'http' | 'tls' }

export const LINES: readonly StreamLines[] = languages.flatMap((language) =>
  'lines' in language ? [language.lines] : [],
)

/** The longest head of data: of a BITMAP, a GW, and of ZPL's parameters. */
export const LINE_HEAD = 120
export const ZPL_HEAD = 164
/** How far into a label text of any kind may stand before ^XA: drivers put settings there. */
export const WITHIN = 4096
export const ZPL_INSIDE = /\^XA[ \t\r\n]*[\^~]/i
export const HTTP = /^(?:GET|POST|PUT|HEAD|OPTIONS|DELETE|PATCH|TRACE|CONNECT) (?:\/|\*|https?:)/
/** Only ask, so that they never make a job; those that are answered are in questions.ts. */
export const ASKS = /^~H[BDMQU]/i
export const KEYS = { begin: keyOf('^XA'), end: keyOf('^XZ') } as const
export const [CARET, TILDE, ESC, LF, CR, TLS] = [0x5e, 0x7e, 0x1b, 0x0a, 0x0d, 0x16]

/** One document takes the whole connection: how they begin. */
export const DOCUMENTS: readonly string[] = [
  ...decoders.flatMap(({ signs }) => signs),
  ...['%PDF-', '\x1f\x8b', '\xff\xfe', '\xfe\xff'], // PDF; gzip and UTF-16, which the intake unpacks
]
