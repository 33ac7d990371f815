import type { PdfFile } from './file.ts'
import { type Dict, isDict, Name, type PdfValue, Stream } from './syntax.ts'

/** Signs that are lost when another font stands in for one. Decision `barcode-fonts`. */
export type SignKind = 'bars' | 'symbols'

// Names without prefixes, blanks and signs, in small letters. What a maker of bar code fonts calls them: IDAutomation, Azalea,
// Elfring, Libre Barcode, Morovia, ConnectCode, MRV; and what else prints as bars or is read by machines: MICR.
const BARS = [
  /barcode|barras|codebarre|strichcode|streepjescode|stregkode/,
  /co?d(?:e|igo)?(?:39|93|128|25|11|49|16k)(?!\d)|^(?:bar|bc)(?:39|93|128|25)|^[wc](?:39|93|128)|[a-z]c(?:39|128)[a-z]{0,12}$/,
  /3of9|2of5|itf14|interleaved25/,
  /codabar|codeabar|nw7/,
  /^(?:code)?ean(?:$|8|13|14|128|upc|bwr|ucc|bar|p\d)|ean(?:8|13|128)|^upc|(?:ean|code)upc|^isbn/,
  /postnet|(?:usps|planet|postal|royalmail|auspost|japanpost).*(?:bar|code|font|imb)|uspsimb|^imb|intelligentmail|onecode|usps4|rm4scc|^kix|4state/,
  /pdf417|data-?matrix|dmatrix|^qr|qrcode|aztec|maxicode|gs1|databar|rss14/,
  /idautomation|^ida(?:hc?\d|c\d|upc|i2|msi|\d)|azalea|^ccode|^wasp.*\d|^mrv|^mw6|connectcode|tekfont|^skandata|carolinabar|^bcw/,
  /plessey|telepen|pharmacode|logmars|hibc/,
  /(?:^|gnu|secure|automation)micr(?![oa])|micr(?:$|\d|e13|encoding|font)|e13b|cmc7/,
]
const SYMBOLS = [
  /wingdings|webdings|dingbats|^symbol|^marlett|^mtextra|bookshelfsymbol|monotypesorts/,
  /fontawesome|materialicons|glyphicons|icomoon|ionicons|^icons?$|iconfont|pictogram|^carta$/,
]
/** Text, whatever their flags and names say. */
const TEXT =
  /arial|helvet|times|courier|verdana|tahoma|calibri|cambria|georgia|trebuchet|segoe|roboto|opensans|noto|dejavu|liberation|nimbus|univers|frutiger|myriad|minion|garamond|palatino|bookman|century|futura|gill|lato|montserrat|ocr|lucida|consol|mono|sans|serif|gothic|mincho|song|hei|ming|kai|batang|gulim|dotum|malgun/
/** PDFium has them, as the font kind of all PDF programs since the first. */
const STANDARD = /^(?:symbol|symbolmt|zapfdingbats)$/
const SYMBOLIC = 4
const NONSYMBOLIC = 32
const PRIVATE_USE = /<\s*(?:F0|F1|F8|E[0-9A-F])[0-9A-F]{2}\s*>/i

/** A font as the letters of a page name it. */
export interface FontFacts {
  /** The name for people, without the prefix of a subset. */
  readonly name: string
  /** With that prefix. */
  readonly fullName: string
  /** The PDF brings it. */
  readonly isEmbedded: boolean
  /** Undefined = letters for people. */
  readonly signs: SignKind | undefined
}

export function readFont(file: PdfFile, font: Dict): FontFacts {
  const [descendant] = file.list(font.get('DescendantFonts'))
  const own = (descendant === undefined ? undefined : file.dict(descendant)) ?? font
  const descriptor = file.dict(own.get('FontDescriptor'))
  const full = file.name(font.get('BaseFont')) || file.name(descriptor?.get('FontName'))
  const name = full.replace(/^[A-Z]{6}\+/, '')
  const kind = file.name(font.get('Subtype'))
  const hasFile = ['FontFile', 'FontFile2', 'FontFile3'].some(
    (key) => file.get(descriptor?.get(key)) instanceof Stream,
  )
  const isEmbedded = hasFile || kind === 'Type3'
  const plain = plainName(name)
  const isStandard = kind !== 'TrueType' && kind !== 'Type0' && STANDARD.test(plain)
  const signs = isStandard ? undefined : (kindOf(plain) ?? kindBySigns(file, font, own, plain))
  return { name: name || 'without a name', fullName: full, isEmbedded, signs }
}

/** No font has a longer one. */
const NAME_MOST = 200

export function plainName(name: string): string {
  return name
    .slice(0, NAME_MOST)
    .replace(/^[A-Z]{6}\+/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

/** By its name alone, as `plainName` gives it. */
export function kindOf(plain: string): SignKind | undefined {
  if (BARS.some((one) => one.test(plain))) return 'bars'
  return SYMBOLS.some((one) => one.test(plain)) ? 'symbols' : undefined
}

/** A font of unknown signs says that its codes are its own, or that they stand for no letters. */
function kindBySigns(file: PdfFile, font: Dict, own: Dict, plain: string): SignKind | undefined {
  if (TEXT.test(plain)) return undefined
  const flags = file.number(file.dict(own.get('FontDescriptor'))?.get('Flags')) ?? 0
  const isSymbolic = (flags & SYMBOLIC) !== 0 && (flags & NONSYMBOLIC) === 0
  const isSimple = font === own
  if (isSymbolic && isSimple && !hasLetters(file, font.get('Encoding'))) return 'symbols'
  return standsForNothing(file, font) ? 'symbols' : undefined
}

/** An encoding by name, or a list of letters by theirs. */
function hasLetters(file: PdfFile, encoding: PdfValue | undefined): boolean {
  const found = file.get(encoding)
  if (found instanceof Name) return true
  return isDict(found) && (found.has('BaseEncoding') || found.has('Differences'))
}

/** Its letters mean signs of the Private Use Area of Unicode. */
function standsForNothing(file: PdfFile, font: Dict): boolean {
  const map = file.get(font.get('ToUnicode'))
  return map instanceof Stream && PRIVATE_USE.test(file.text(map))
}
