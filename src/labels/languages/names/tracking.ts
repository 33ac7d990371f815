import type { PrintedText } from '../texts.ts'

/**
 * Evidence for a number: a check digit alone is right for one random number in ten. Its words are looked at once,
 * whatever there is of numbers: a label may hold 20,000 that look like one.
 */
interface NumberEvidence {
  /** Contents of its bar codes, letters and digits alone. */
  readonly bars: readonly string[]
  readonly isPostal: boolean
  readonly isUsps: boolean
  readonly isFedEx: boolean
  readonly isDhl: boolean
  readonly isWaybill: boolean
}

/** A kind of number. */
interface NumberKind {
  /** Never a part of a longer number or word. */
  readonly pattern: RegExp
  /** Blanks and brackets are out of `number` by then. */
  readonly isSure: (number: string, evidence: NumberEvidence) => boolean
  /** True if its form is sure enough where no bar code has it. */
  readonly isPlain?: true
}

/**
 * Forms of carriers' numbers, with their check digits. Sources: the carriers' own guides, as collected by
 * jkeen/tracking_number_data (MIT); UPU S10; USPS Publication 199 (IMpb); GS1 General Specifications.
 */
const KINDS: readonly NumberKind[] = [
  {
    // UPS: shipper, service, package, check digit.
    pattern: word('1Z ?[0-9A-Z]{3} ?[0-9A-Z]{3} ?[0-9A-Z]{2} ?\\d{4} ?\\d{3} ?\\d'),
    isSure: (number) => checkUps(number.slice(2)),
    isPlain: true,
  },
  {
    // USPS IMpb, which follows 420 and the ZIP code in its bar code.
    pattern: word('9[1-5]\\d{2}(?: ?\\d{4}){4}(?: ?\\d{4})? ?\\d{2}'),
    isSure: (number, { isUsps, bars }) =>
      checkThrees(number) &&
      (isUsps || bars.some((one) => /^420\d{5}(\d{4})?9/.test(one) && one.endsWith(number))),
    isPlain: true,
  },
  {
    // UPU S10.
    pattern: word(
      '[A-Z]{2} ?\\d{2} ?\\d{3} ?\\d{3} ?\\d ?[A-Z]{2}|[A-Z]{2} ?\\d{3} ?\\d{3} ?\\d{3} ?[A-Z]{2}|[A-Z]{2} ?\\d{4} ?\\d{4} ?\\d ?[A-Z]{2}',
    ),
    isSure: (number, { isPostal, bars }) => isPostal && checkS10(number) && bars.includes(number),
  },
  {
    // FedEx Express.
    pattern: word('\\d{4} ?\\d{4} ?\\d{4}'),
    isSure: (number, { isFedEx }) => isFedEx && checkFedEx(number),
  },
  {
    // FedEx Ground: 15 digits, or 20 and 22 of which they are a part.
    pattern: word(
      '\\d{15}|\\d{5} ?\\d{5} ?\\d{5}|96\\d{18}|96\\d{20}|\\d{4} ?\\d{4} ?\\d{4} ?\\d{3}',
    ),
    isSure: (number, { isFedEx }) => isFedEx && checkThrees(number.slice(-15)),
  },
  {
    // DHL Express: the waybill.
    pattern: word('(?<=WAYBILL:? ?)\\d{2} ?\\d{4} ?\\d{4}|\\d{2} ?\\d{4} ?\\d{4}|\\d{10}'),
    isSure: (number, { isWaybill }) =>
      isWaybill && Number(number.slice(0, 9)) % 7 === Number(number[9]),
  },
  {
    // DHL parcels: an SSCC of GS1, of which 00 is the mark.
    pattern: word('(?:\\(00\\) ?|00)?\\d(?: ?\\d){17}'),
    isSure: (number, { isDhl }) => isDhl && checkThrees(number.slice(-18)),
  },
  {
    // The license plate of DHL, which has no check digit.
    pattern: word('J?JD\\d{2} ?\\d{4} ?\\d{4} ?\\d{4} ?\\d{4,7}'),
    isSure: (number, { bars }) => bars.some((one) => one === number || one === `J${number}`),
  },
]

/** Words that posts print on labels; a serial number may have the form of S10. */
const POSTAL =
  /POST|MAIL|PARCEL|TRACKED|TRACKING|REGISTERED|RECOMMAND|EINSCHREIBEN|CORREOS|COLISSIMO|\bEMS\b|\bCN ?2[23]\b/

/** A pattern that neither letters nor digits touch. */
function word(pattern: string): RegExp {
  return new RegExp(`(?<![0-9A-Z])(?:${pattern})(?![0-9A-Z])`, 'g')
}

/** Words before a tracking number of carriers whose format is not known here. */
const SAYS_SO =
  /\b(?:(?:TRACKING|TRCK|TRK) ?(?:#|NUMBER|NO\b\.?|NR\b\.?|ID\b|CODE\b|$|(?=:))|TRACK ?& ?TRACE)(?: ?\/[^:]*)? ?[:#]? ?([A-Z]{0,4}[0-9][0-9A-Z -]{6,34})?$/

/** The tracking number of a label without blanks; undefined when none is sure. */
export function findTracking(texts: readonly PrintedText[]): string | undefined {
  const bars = texts.filter(({ isBars }) => isBars).map(({ text }) => readBars(text))
  const printed = texts.filter(({ isBars }) => !isBars).map(({ text }) => text.toUpperCase())
  const evidence = weigh(printed.join('\n'), bars)
  const messages = texts.filter(({ isBars }) => isBars).flatMap(({ text }) => numbersIn(text))
  const said = [...printed, ...bars.flatMap(pieces), ...messages]
  for (const kind of KINDS) {
    const found = findOne(kind, said, evidence)
    if (found !== undefined) return found
  }
  return findTold(printed, evidence)
}

/** Samples and test labels: no carrier has come so far that its numbers end so. */
const FILLED = /(\d)\1{8}/

/** The one number of a kind; none where there are several, for labels name other parcels too. */
function findOne(
  kind: NumberKind,
  texts: readonly string[],
  evidence: NumberEvidence,
): string | undefined {
  const all = texts.flatMap((text) => text.match(kind.pattern) ?? [])
  if (all.length === 0) return undefined
  const numbers = new Set(all.map((one) => one.replace(/[ ()]/g, '')))
  const isScanned = (number: string) => evidence.bars.some((one) => one.includes(number))
  const sure = [...numbers].filter((one) => !FILLED.test(one) && kind.isSure(one, evidence))
  const scanned = sure.filter(isScanned)
  if (scanned.length === 1 || kind.isPlain !== true)
    return scanned.length === 1 ? scanned[0] : undefined
  return sure.length === 1 ? sure[0] : undefined
}

/** A number that the label itself calls its tracking number and has in a bar code. */
function findTold(printed: readonly string[], evidence: NumberEvidence): string | undefined {
  for (const [n, text] of printed.entries()) {
    const told = SAYS_SO.exec(text.trim())
    if (told === null) continue
    const number = (told[1] ?? printed[n + 1] ?? '').replace(/[ -]/g, '')
    const isNumber =
      !FILLED.test(number) &&
      /^[0-9A-Z]{8,34}$/.test(number) &&
      number.replace(/\D/g, '').length >= 6 &&
      !number.startsWith('1Z')
    if (isNumber && evidence.bars.some((one) => one.includes(number))) return number
  }
  return undefined
}

/**
 * Reads a bar code, its letters and digits alone. Code 128 of ZPL has `>` and a character for its subsets and FNC1
 * (ZPL II guide, ^BC); brackets stand around the identifiers of GS1.
 */
function readBars(text: string): string {
  return text
    .replace(/>[0-9:;<=]/g, '')
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
}

/** A bar code as a whole, and what stands in it behind what sorts the parcel. */
function pieces(bars: string): readonly string[] {
  const usps = /^420\d{5}(?:\d{4})?(9[1-5]\d{18}(?:\d{2}|\d{6}))$/.exec(bars)?.[1]
  const fedex = /^\d{22}(\d{12})$/.exec(bars)?.[1]
  return [bars, usps, fedex].filter((one) => one !== undefined)
}

/**
 * Numbers in what a two-dimensional code says, where no one-dimensional one may be beside it. UPS's MaxiCode has the class
 * of service, the last eight digits and the shipper apart (ANSI MH10.8.3, format 01; UPS Guide to Labeling); FedEx's
 * PDF417 has the form's number behind its own. ZPL puts the error correction before what a QR code says (^BQ).
 */
function numbersIn(text: string): readonly string[] {
  const code = text.toUpperCase().replaceAll('\x1e', '|').replaceAll('\x1d', '|')
  const ups = UPS_MESSAGE.exec(code)
  const whole = ups === null ? undefined : `1Z${ups[3]}${ups[1]}${ups[2]}`
  const fedex = FEDEX_MESSAGE.exec(code)?.[1]
  const qr = /^[HLMQ][AM],([0-9A-Z]{8,34})$/.exec(code)?.[1]
  return [whole, fedex, qr].filter((one) => one !== undefined)
}

const UPS_MESSAGE = /^\d(\d\d)\d{3}[0-9A-Z ]{5,9}\[\)>\|01\|\d\d1Z(\d{8})\|UPSN\|([0-9A-Z]{6})\|/
const FEDEX_MESSAGE = /\[\)>\|01\|[0-9A-Z]{5,11}\|\d{3}\|\d{2,3}\|(\d{12})\d{4}\|FDE/

/** `words`: all that the label says, in capitals. */
function weigh(words: string, bars: readonly string[]): NumberEvidence {
  return {
    bars,
    isPostal: POSTAL.test(words),
    isUsps: /\bUSPS\b|U\.?S\.? POSTAGE|POSTAL SERVICE/.test(words),
    isFedEx: isFedEx(words, bars),
    isDhl: /\bDHL\b/.test(words),
    isWaybill: /\bWAYBILL\b/.test(words),
  }
}

/** By its words, or by the codes that nobody else has: of 34 digits, and with its name behind the number of the form. */
function isFedEx(words: string, bars: readonly string[]): boolean {
  if (/\bFEDEX\b|\bTRK ?#/.test(words)) return true
  return bars.some((one) => /^96\d{32}$|^01[0-9A-Z]{10,17}\d{16}FDE/.test(one))
}

function digitsOf(number: string): readonly number[] {
  return [...number].map(Number)
}

/** The last digit makes the sum of the others, times 3 and 1 from behind, a multiple of ten (GS1, USPS, FedEx Ground). */
export function checkThrees(number: string): boolean {
  const digits = digitsOf(number).toReversed()
  const sum = digits.reduce((all, digit, n) => all + digit * (n % 2 === 1 ? 3 : 1), 0)
  return sum % 10 === 0
}

/** UPS: letters count as the digits from 2 on, A = 2 to Z = 7; every second one twice. */
export function checkUps(number: string): boolean {
  const values = [...number].map((one) =>
    /\d/.test(one) ? Number(one) : (one.charCodeAt(0) - 63) % 10,
  )
  const sum = values.slice(0, -1).reduce((all, value, n) => all + value * (n % 2 === 1 ? 2 : 1), 0)
  return (10 - (sum % 10)) % 10 === values.at(-1)
}

const FEDEX_WEIGHTS = [3, 1, 7]

export function checkFedEx(number: string): boolean {
  const digits = digitsOf(number)
  const sum = digits
    .slice(0, 11)
    .reduce((all, digit, n) => all + digit * (FEDEX_WEIGHTS[n % 3] as number), 0)
  return (sum % 11) % 10 === digits[11]
}

const S10_WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7]
/** Kinds of mail that S10 gives to posts. */
const S10_KINDS = /^[ABCEHLMPQRSUVZ]/

/** UPU S10: eight digits, a check digit modulo 11, and the country of the post. */
export function checkS10(number: string): boolean {
  const digits = digitsOf(number.slice(2, 11))
  const sum = S10_WEIGHTS.reduce((all, weight, n) => all + weight * (digits[n] as number), 0)
  const rest = 11 - (sum % 11)
  const check = rest === 10 ? 0 : rest === 11 ? 5 : rest
  return S10_KINDS.test(number) && check === digits[8] && POSTS.has(number.slice(-2))
}

/** ISO 3166, of whose countries posts send parcels. */
const POSTS: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AL AM AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN ' +
    'CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FO FR GA GB GD GE GG GH GI GL GM GN GQ GR GT GW GY HK ' +
    'HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY ' +
    'MA MC MD ME MG MK ML MM MN MO MR MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PT PW PY ' +
    'QA RE RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SX SY SZ TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA ' +
    'UG US UY UZ VA VC VE VN VU WS YE ZA ZM ZW'
  ).split(' '),
)
