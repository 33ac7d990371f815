import { LINE_STEPS, type PrintedText } from '../texts.ts'
import { readTexts } from './texts.ts'
import { findTracking } from './tracking.ts'

/**
 * The tracking number among what the bar codes of a picture say; '' when none is sure. The words beside them, which many
 * numbers need to be sure, are not known.
 */
export function nameCodes(codes: readonly string[]): string {
  const place = { isBars: true, x: 0, y: 0, turn: 0 } as const
  return findTracking(codes.map((text) => ({ text, ...place }))) ?? ''
}

/**
 * Names a raw label: its tracking number, else whom it goes to; '' when neither is sure, for a wrong name is
 * worse than none. Pictures have no name, nor have labels of a language whose texts are not read. Never throws.
 */
export function nameLabel(label: Uint8Array, format: string): string {
  const texts = readTexts(label, format)
  return findTracking(texts) ?? findRecipient(texts) ?? ''
}

/** Words before the recipient's address, in the languages of carriers' labels. */
const MARK =
  /^(?:(?:ship(?:ped|ping)?|deliver(?:y|ed)?|send) ?to|(?:ship(?:ping)?|delivery) address|to|recipient|consignee|receiver|addressee|empf[a\u00e4]nger|lieferadresse|zustelladresse|an|bestemmeling|destinataire|destinatario|destinat[a\u00e1]rio|ontvanger|geadresseerde|aan|mottaker|mottagare|modtager|odbiorca|p[r\u0159][i\u00ed]jemce|[a\u00e0])$/i
/** Words that also mean something else: marks before a colon, or in capitals. */
const SHORT = /^(?:to|an|aan|a|\u00e0|receiver)$/i
const SENDS =
  /^(?:(?:ship(?:ped)?|sent) ?)?from\b|^(?:return|sender|shipper|absender|exp[e\u00e9]diteur|remitente|mittente|von|de|afzender|avsender)\b\s*:?/i
const CARE_OF = /^(?:attn|attention|att|c\/o|z\. ?h(?:d)?\.|contact|name)\s*[.:]*\s*/i
/** No person and no company: what else stands on a label. */
const NO_NAME =
  /^(?:ref(?:erence)?|inv(?:oice)?|po|p\.o\.|order|dept|tel|phone|ph|fax|e-?mail|track\w*|trk|weight|wt|date|ship date|service|billing|acct|account|cad|dims?|qty|sku|pkg|package|box|route|zone|zip|postal|country|fold|page|desc(?:ription)?|customs|usps|ups|fedex|dhl|gls|dpd|priority|ground|express|standard|signature|delivery|shipment|parcel|address|united states|usa?|germany|deutschland)\b/i
const STREET =
  /\b(?:st|street|ave|avenue|rd|road|blvd|dr|drive|lane|ln|hwy|highway|str(?:a(?:ss|\u00df)e)?|weg|platz|rue|via|calle|suite|ste|apt|floor|unit)\b\.?/i
const CITY = /,\s*[A-Z]{2}\.?\s+\d{5}|\b[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}$|^\d{4,5}\s+\p{L}/u

/** Dots: of a line to the next, and to the sides. Labels of 300 dpi have some 40 a line. */
const [NEXT_LINE, SAME_LINE, ASIDE_BEFORE, ASIDE_BEHIND, RIGHT_OF] = [190, 14, 80, 260, 420]

/** Finds the recipient in the words on a label; undefined when no line is certainly a name. */
function findRecipient(texts: readonly PrintedText[]): string | undefined {
  const printed = texts.filter(({ isBars }) => !isBars)
  for (const [n, mark] of printed.entries()) {
    const said = readMark(mark.text)
    if (said === undefined) continue
    const before = printed[n - 1]
    // UPS writes SHIP and TO one below the other, and the name beside the first of them.
    const start = before?.text.trim().toUpperCase() === 'SHIP' ? before : mark
    const name = said === '' ? nameBehind(start, printed) : readName(said)
    if (name !== undefined) return name
  }
  return undefined
}

/** Reads the text behind a mark, '' = nothing; undefined when the text is not a mark. */
function readMark(text: string): string | undefined {
  const plain = text.trim().replace(/\s+/g, ' ')
  const [, mark = '', colon, rest = ''] = /^([^:]{1,60}?) ?(:|$) ?(.*)$/.exec(plain) ?? []
  // Labels of countries with two languages say it twice.
  const words = mark.split(/ ?\/ ?/)
  if (!words.some((word) => MARK.test(word))) return undefined
  const isShort = words.every((word) => SHORT.test(word))
  return isShort && colon === '' && plain !== 'TO' ? undefined : rest
}

/** Captions, phone numbers, one letter of a form: they may stand between a mark and its name. */
const BETWEEN = /^(?:(?:tel|phone|ph|attn|fax)\b.*|.*:|[-+\d() ./]+|.{1,2})$/i
const LOOKED_AT = 4

/** The first line beside or below the mark, as they lie on the label. */
function nameBehind(mark: PrintedText, texts: readonly PrintedText[]): string | undefined {
  const near = texts
    .filter((one) => one !== mark && one.turn === mark.turn)
    .map((one) => ({ text: one.text.trim(), ...distance(mark, one) }))
    .filter(({ along, below }) => isNear(along, below))
    .sort((a, b) => rowOf(a.below) - rowOf(b.below) || a.along - b.along)
  for (const { text } of near.slice(0, LOOKED_AT)) {
    const name = SENDS.test(text) ? undefined : readName(text)
    if (name !== undefined || !BETWEEN.test(text) || SENDS.test(text)) return name
  }
  return undefined
}

/** Measures the distance of a text from the mark, in the direction of reading and across it. */
function distance(mark: PrintedText, one: PrintedText): { along: number; below: number } {
  const [lineX, lineY] = LINE_STEPS[mark.turn]
  const [dx, dy] = [one.x - mark.x, one.y - mark.y]
  // Reading goes a quarter turn before the next line: N reads to the right and goes down.
  return { along: dx * lineY - dy * lineX, below: dx * lineX + dy * lineY }
}

function isNear(along: number, below: number): boolean {
  if (Math.abs(below) <= SAME_LINE) return along > 0 && along <= RIGHT_OF
  return below > 0 && below <= NEXT_LINE && along >= -ASIDE_BEFORE && along <= ASIDE_BEHIND
}

function rowOf(below: number): number {
  return Math.round(below / SAME_LINE)
}

/** Names that were copied from a phone often stand between marks of direction, which would turn what stands beside them. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu

/** No line of a name is longer, blanks and control characters included. */
const LINE_MOST = 500

/** A line that can be the name of a person or a company, tidied; undefined for all others. */
function readName(line: string): string | undefined {
  if (line.length > LINE_MOST) return undefined
  const name = line
    .replace(UNSEEN, ' ')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(CARE_OF, '')
    .replace(/[,;:]+$/, '')
  const letters = name.match(/\p{L}/gu)?.length ?? 0
  if (letters < 3 || name.length > 60 || letters < name.length / 2) return undefined
  if (/^[\d#(]/.test(name) || /\d{4}/.test(name) || NO_NAME.test(name)) return undefined
  if (STREET.test(name) && /\d/.test(name)) return undefined
  return CITY.test(name) || readMark(name) !== undefined || SENDS.test(name) ? undefined : name
}
