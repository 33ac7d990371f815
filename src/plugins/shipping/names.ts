import {
  type Action,
  type Carrier,
  type CarrierRemark,
  CUSTOMS_PARAMS,
  failure,
  isBlank,
  PACKAGE_PARAMS,
  type ParamField,
  useOf,
} from '#carriers'
import { isObject } from '../../settings/field.ts'
import { CREDENTIALS, PAPER_PARAMS, PARAMS, PRINT_PARAMS } from './call-fields.ts'

type Table = Readonly<Record<string, ParamField>>

/** A level of a call at which names occur. */
interface Level {
  /** The level's place in a call, for people. */
  readonly place: string
  /** Every name of the level, aliases too, with the field that it means. */
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly field: ParamField }>
}

function toLevel(place: string, table: Table): Level {
  const entries = Object.entries(table).flatMap(([name, field]) =>
    [name, ...(field.aliases ?? [])].map((one) => [one, { name, field }] as const),
  )
  return { place, fields: new Map(entries) }
}

const LEVELS = {
  params: toLevel('params', PARAMS),
  packages: toLevel('an entry of packages', PACKAGE_PARAMS),
  customs: toLevel('an entry of customs', CUSTOMS_PARAMS),
  print: toLevel('print', PRINT_PARAMS),
  papers: toLevel('print.documents', PAPER_PARAMS),
} as const

/** The carrier of a call. */
type Taker = Pick<Carrier, 'name' | 'takes'>

/** Remarks about the names in a call. */
export interface NamesTold {
  /** Reasons to buy nothing: the purchase would differ from the request. */
  readonly refusals: readonly CarrierRemark[]
  /** Sentences about unused names. */
  readonly notes: readonly string[]
}

/** A name with a value. */
interface GivenName {
  readonly level: Level
  /** `packages[0].` */
  readonly path: string
  readonly name: string
  readonly value: unknown
}

const TOLD_MOST = 50

/**
 * Reports names in `params` that are not used: without a report a parcel would go without its second line of address, its signature, its
 * insurance. A name that could change what is bought is refused in a purchase; all others are noted.
 */
export function tellNames(
  params: Readonly<Record<string, unknown>>,
  carrier: Taker,
  action: Action,
): NamesTold {
  const refusals: CarrierRemark[] = []
  const notes: string[] = []
  const { print } = params
  if (isObject(print) && isBlank(print)) {
    notes.push('print is empty, so nothing prints here; true is the default printer.')
  }
  for (const given of namesIn(params)) {
    const told = tell(given, carrier, params)
    if (told === undefined) continue
    const isRefused = told.isGrave && action === 'SubmitShipment'
    if (isRefused && refusals.length < TOLD_MOST) {
      const field = given.path + short(given.name)
      refusals.push(failure('MISSING_FIELD', told.words, { field }))
    } else if (!isRefused && notes.length < TOLD_MOST) notes.push(told.words)
  }
  return { refusals, notes }
}

/** Walks every name of a call that has a value. */
function* namesIn(params: Readonly<Record<string, unknown>>): Generator<GivenName> {
  yield* namesOf(params, LEVELS.params, '')
  for (const list of ['packages', 'customs'] as const) {
    const entries = params[list]
    if (!Array.isArray(entries)) continue
    for (const [index, entry] of entries.entries()) {
      if (isObject(entry)) yield* namesOf(entry, LEVELS[list], `${list}[${index}].`)
    }
  }
  const { print } = params
  if (!isObject(print)) return
  yield* namesOf(print, LEVELS.print, 'print.')
  const { documents } = print
  if (isObject(documents)) yield* namesOf(documents, LEVELS.papers, 'print.documents.')
}

function* namesOf(
  own: Readonly<Record<string, unknown>>,
  level: Level,
  path: string,
): Generator<GivenName> {
  for (const [name, value] of Object.entries(own)) {
    if (!isBlank(value)) yield { level, path, name, value }
  }
}

interface NameAdvice {
  readonly words: string
  /** True when it could change what is bought. */
  readonly isGrave: boolean
}

function tell(
  given: GivenName,
  carrier: Taker,
  params: Readonly<Record<string, unknown>>,
): NameAdvice | undefined {
  const { level, path, name, value } = given
  const known = level.fields.get(name)
  if (known === undefined) return tellUnknown(given)
  if (level === LEVELS.params && !isBlank(params['packages']) && SIZES.has(name)) {
    return { words: `${name} is not used, as packages are given.`, isGrave: false }
  }
  const use = useOf(known.name, known.field, carrier.takes)
  if (use === 'used' || use === 'unused' || asksNothing(known.field, value)) return undefined
  const which = carrier.name === 'local' ? 'the local carrier' : carrier.name
  return use === 'refused'
    ? {
        words: `${path}${name}: ${which} cannot do this here; leave it out, or choose another carrier.`,
        isGrave: true,
      }
    : { words: `${path}${name} is not used: ${which} does not take it.`, isGrave: false }
}

const SIZES: ReadonlySet<string> = new Set(['weight', 'length', 'width', 'height'])

/** Tells whether a value asks nothing of a carrier that cannot do it: no amount, no option, or the default. */
function asksNothing({ type, neutral = [] }: ParamField, value: unknown): boolean {
  if (type === 'amount') return Number(value) === 0
  if (type === 'flag') return isNo(value)
  return neutral.includes(wordOf(value).toUpperCase())
}

function isNo(value: unknown): boolean {
  return /^(false|0|no|off|none|n)$/.test(wordOf(value))
}

/** Returns a value in lower case; '' for lists and objects. */
function wordOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value).trim().toLowerCase()
}

function tellUnknown({ level, path, name, value }: GivenName): NameAdvice | undefined {
  if (level === LEVELS.params && CREDENTIALS.has(name)) return undefined
  const shown = path + short(name)
  const home = Object.values(LEVELS).find((one) => one !== level && one.fields.has(name))
  if (home !== undefined) {
    const words = `${shown} stands in the wrong place: put it into ${home.place}.`
    // What a shop says of its order is no line of a declaration.
    return { words, isGrave: name !== 'description' }
  }
  const near = nearestOf(name, level)
  if (near !== undefined && near.edits <= editsMost(name)) {
    return { words: `${shown} is unknown; did you mean ${near.name}?`, isGrave: true }
  }
  const meaning = isNo(value) ? undefined : meaningOf(name, level)
  if (meaning !== undefined) {
    const words = `${shown} is unknown, and would change ${meaning}; ask for it in a way that ${PLACE_OF_NAMES} has, or leave it out.`
    return { words, isGrave: true }
  }
  const isLike = near !== undefined && near.edits <= Math.ceil(name.length / 2)
  const nearest = isLike ? `; the nearest known name is ${near.name}` : ''
  return { words: `${shown} is unknown and was not used${nearest}.`, isGrave: false }
}

const PLACE_OF_NAMES = 'docs/shipping.md'

/** The number of edits up to which a name is a mistype: in a long name two characters may be wrong. */
function editsMost(name: string): number {
  const { length } = plain(name)
  if (length <= 2) return 0
  return length <= 4 ? 1 : 2
}

/** Reduces a name for comparison, without case and separators: toAddr2, to-addr2. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function short(name: string): string {
  return name.length <= 60 ? name : `${name.slice(0, 60)}…`
}

const NAME_MOST = 60

/** Finds the known name that differs in the fewest characters. */
function nearestOf(
  name: string,
  { fields }: Level,
): { readonly name: string; readonly edits: number } | undefined {
  if (name.length > NAME_MOST) return undefined
  const own = plain(name)
  let nearest: { readonly name: string; readonly edits: number } | undefined
  for (const known of fields.keys()) {
    const edits = editsBetween(own, plain(known))
    if (nearest === undefined || edits < nearest.edits) nearest = { name: known, edits }
  }
  return nearest
}

/** Counts characters that are added, left out, changed or swapped with their neighbor (Damerau and Levenshtein, optimal alignment). */
export function editsBetween(a: string, b: string): number {
  let rows: readonly (readonly number[])[] = [Array.from({ length: b.length + 1 }, (_, n) => n)]
  for (let i = 1; i <= a.length; i += 1) rows = [nextRow(a, b, i, rows), ...rows.slice(0, 1)]
  return rows[0]?.[b.length] ?? 0
}

/** Computes the next row; `rows` are the last one and the one before it. */
function nextRow(
  a: string,
  b: string,
  i: number,
  [last = [], before = []]: readonly (readonly number[])[],
): readonly number[] {
  const row = [i]
  for (let j = 1; j <= b.length; j += 1) {
    const ways = [
      (last[j] ?? 0) + 1,
      (row[j - 1] ?? 0) + 1,
      (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
    ]
    const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    if (isSwapped) ways.push((before[j - 2] ?? 0) + 1)
    row.push(Math.min(...ways))
  }
  return row
}

/** Meanings of unknown names, by their words or parts of them; the first match counts. */
const MEANINGS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/return/, 'who gets the parcel'],
  [/third_?party|bill_?|payor|payer|payment|pay_?type|freight_?collect/, 'who pays'],
  [/dut(y|ies)|ddp|\bddu\b|incoterm|terms_of|customs/, 'what is declared and who pays duties'],
  [/\b(tax|vat|eori|ioss|ein|gst)\b|tax_?id/, 'what is declared'],
  [/\bcod\b|collect_?on|cash_?on/, 'what the recipient pays'],
  [
    /hazmat|hazardous|dangerous|lithium|batter(y|ies)|dry_?ice|alcohol|firearm|\bun_?number\b/,
    'what may be carried',
  ],
  [/saturday|sunday|weekend|holiday/, 'the day of delivery'],
  [
    /\b(ship|shipping|shipment|pickup|delivery|deliver|label|mailing|dispatch|collection|future|planned|departure)_?(date|day|time|by|on|at)|date_?stamp|^date$|time_?window|time_?slot|guarantee/,
    'the day',
  ],
  [
    /\bhold|locker|access_?point|pickup_?point|service_?point|drop_?off|parcel_?shop|post_?office|\bneighbou?r\b/,
    'where it is delivered',
  ],
  [
    /addr|street|\bline_?\d\b|apartment|\bapt\b|\bsuite\b|\bunit_?no\b|\bfloor\b|po_?box/,
    'the address',
  ],
  [
    /\bsign|signature|adult|confirm|\bage\b|over_?1[68]|over_?21|release/,
    'who the parcel is given to',
  ],
  [/insur|declared|coverage|\bcover\b/, 'what it is insured for'],
  [/service|carrier|\brate\b|addon|option|extra|special/, 'what is bought'],
  [/currency/, 'the currency'],
  [/oversize|non_?machinable|additional_?handling|liftgate|inside_?delivery/, 'how it is carried'],
]

/** Meanings in a customs line, where every word of a declaration counts. */
const CUSTOMS_MEANING =
  /desc|quantity|\bqty\b|count|pieces|\bunits?\b|value|price|amount|cost|weight|origin|country|manufact|made|tariff|\bhs|harmoni|schedule|hts|taric|eccn|licen[cs]e/

/** Long words of MEANINGS, which are recognized with one wrong character, too. */
const WORDS = [
  'return',
  'payment',
  'duties',
  'hazmat',
  'dangerous',
  'lithium',
  'battery',
  'saturday',
  'sunday',
  'address',
  'street',
  'signature',
  'insurance',
  'insured',
  'delivery',
  'service',
  'currency',
]

function isMistypeOf(word: string, part: string): boolean {
  return part.length >= 5 && part.length <= 12 && editsBetween(word, part) === 1
}

/** Splits a name into words: those of `shipDate`, `ship-date` and `ship_date` are the same. */
function partsOf(name: string): readonly string[] {
  return name
    .slice(0, NAME_MOST)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
}

function meaningOf(name: string, level: Level): string | undefined {
  const parts = partsOf(name).map((part) => WORDS.find((word) => isMistypeOf(word, part)) ?? part)
  // Each of its words, and those next to each other.
  const wordsOfName = parts.join(' ')
  const joined = parts.join('_')
  const isOf = (pattern: RegExp): boolean => pattern.test(wordsOfName) || pattern.test(joined)
  if (level === LEVELS.customs && isOf(CUSTOMS_MEANING)) return 'what is declared'
  return MEANINGS.find(([pattern]) => isOf(pattern))?.[1]
}

/** Finds a test mark in a place where nothing reads it; undefined = none. */
export function findTestMark(
  params: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly path: string } | undefined {
  for (const { level, path, name, value } of namesIn(params)) {
    if (level === LEVELS.params && name === 'test') continue
    if (isTestMark(name, value)) return { name, path }
  }
  return undefined
}

/** Tells whether a name and value mean a test. */
export function isTestMark(name: string, value: unknown): boolean {
  const parts = partsOf(name)
  const said = wordOf(value)
  const isOff = isNo(value) || isBlank(value)
  if ([...parts, parts.join('')].some((part) => TEST_WORDS.test(part))) {
    return !isOff && !LIVE.test(said)
  }
  if (parts.some((part) => /^(live|prod|production)(mode)?$/.test(part))) return isOff
  if (parts.some((part) => /^(mode|env|environment)$/.test(part))) {
    return /test|sand|stag|demo|dev|qa|dry|mock|simul/.test(said)
  }
  return false
}

const TEST_WORDS =
  /^(is|use|in|run|as)?(test|tests|testing|testmode|tested|sandbox|sandboxed|sandboxmode|staging|demo|demomode|dryrun|simulate|simulation|mock|trial)(mode|env)?$/
const LIVE = /^(live|prod|production|real)$/
