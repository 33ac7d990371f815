import { REQUEST_LIMITS } from './reader.ts'

/** Width and height of the stock in inches. */
interface StockSize {
  readonly labelWidth: number
  readonly labelHeight: number
}

const MM_PER_INCH = 25.4
/** ISO 216 sizes in millimeters, upright. */
const PAPERS: ReadonlyMap<string, readonly [number, number]> = new Map(
  Object.entries({
    A4: [210, 297],
    A5: [148, 210],
    A6: [105, 148],
    A7: [74, 105],
    A8: [52, 74],
  }),
)
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    in: 1,
    '"': 1,
    mm: MM_PER_INCH,
    cm: MM_PER_INCH / 10,
  }),
)
/** From here numbers without a unit are millimeters: no label is 25 inches wide. */
const MILLIMETERS_FROM = 25

/** A size: `4x6`, `4 x 6 in`, `100x150mm`, `10x15cm`, `A6`. */
const SIZE =
  /^\s*(?:A[4-8]|(\d+(?:\.\d+)?)(?:\s*(mm|cm|in|"))?\s*[x\u00d7*]\s*(\d+(?:\.\d+)?)(?:\s*(mm|cm|in|"))?)\s*$/i

/** Reads a size that matches `SIZE`. */
export function readSize(text: string): StockSize | undefined {
  const paper = PAPERS.get(text.trim().toUpperCase())
  if (paper !== undefined) return inInches(paper[0] / MM_PER_INCH, paper[1] / MM_PER_INCH)
  const [, width = '', firstUnit, height = '', lastUnit] = SIZE.exec(text) ?? []
  if (width === '') return undefined
  const [across, down] = [Number(width), Number(height)]
  const plain = Math.max(across, down) >= MILLIMETERS_FROM ? 'mm' : 'in'
  // A unit behind one of them is that of both.
  const perInch = (unit = plain): number => UNITS.get(unit.toLowerCase()) ?? 1
  const [wide, high] = [perInch(firstUnit ?? lastUnit), perInch(lastUnit ?? firstUnit)]
  return inInches(across / wide, down / high)
}

function inInches(width: number, height: number): StockSize {
  return { labelWidth: round(width), labelHeight: round(height) }
}

/** Rounds to a thousandth of an inch: less than a dot. */
function round(inches: number): number {
  return Math.round(inches * 1000) / 1000
}

/** A way in: `http` is form, multipart, JSON and the query of `POST /`; `message` comes from a source. */
export type Way = 'http' | 'message'

interface FieldFacts {
  /** The option of a job that it becomes; fields without one belong to the request itself. */
  readonly option?: string
  /** The ways in that read it; the others ignore it. */
  readonly from: readonly Way[]
  /** The value that holds when it is left out, for the docs. */
  readonly default: string
  /** The meaning, for the docs. */
  readonly about: string
}

interface NumberField extends FieldFacts {
  readonly type: 'number'
  readonly min: number
  readonly max: number
  readonly unit: string
  readonly whole?: true
}

interface TextField extends FieldFacts {
  readonly type: 'text'
  /** Matches every value that it accepts. */
  readonly pattern: RegExp
  /** The accepted values in words. */
  readonly wanted: string
}

/** A field of a print request that is not a label. */
export type RequestField = NumberField | TextField

const ANY_WAY = ['http', 'message'] as const
const DAY_SECONDS = 24 * 3600

/**
 * Every field of a print request but its labels: readers, checks, messages, backup and docs/api.md follow from this table. To add a field,
 * add a row here and the code that uses it.
 */
export const FIELDS = {
  printer: {
    type: 'text',
    pattern: /^.{1,127}$/s,
    wanted: 'at most 127 characters',
    option: 'printer',
    from: ANY_WAY,
    default: 'the default printer',
    about: 'a name from `GET /printers`; an unknown name is refused',
  },
  size: {
    type: 'text',
    pattern: SIZE,
    wanted: 'a size like 4x6 (inches), 100x150mm or A6',
    from: ANY_WAY,
    default: '',
    about: 'size of the label, instead of `label_width` and `label_height`',
  },
  label_width: {
    type: 'number',
    min: 0.25,
    max: 24,
    unit: 'inches',
    option: 'labelWidth',
    from: ANY_WAY,
    default: "the printer's, else 4",
    about: 'width of the label; 100 mm is 3.94',
  },
  label_height: {
    type: 'number',
    min: 0.25,
    max: 40,
    unit: 'inches',
    option: 'labelHeight',
    from: ANY_WAY,
    default: "the printer's, else 6",
    about: 'height of the label; 150 mm is 5.91',
  },
  dpi: {
    type: 'number',
    min: 50,
    max: 1_200,
    unit: 'dots per inch',
    whole: true,
    option: 'dpi',
    from: ANY_WAY,
    default: "the print head's",
    about:
      'resolution of the picture and of the starting point; 200 counts as 203. A PDF page has a size of its own, so there only the starting point counts in it',
  },
  starting_point_x: {
    type: 'number',
    min: -32_000,
    max: 32_000,
    unit: 'dots',
    option: 'startingPointX',
    from: ANY_WAY,
    default: 'centered',
    about: "where the picture's left edge goes, in dots of `dpi`",
  },
  starting_point_y: {
    type: 'number',
    min: -32_000,
    max: 32_000,
    unit: 'dots',
    option: 'startingPointY',
    from: ANY_WAY,
    default: 'centered',
    about: "where the picture's top edge goes, in dots of `dpi`",
  },
  pages: {
    type: 'text',
    pattern: /^[\d\s,-]{1,200}$/,
    wanted: 'pages as in 2, 1-3 or 1,3',
    option: 'pages',
    from: ANY_WAY,
    default: 'all',
    about: 'which pages of a PDF, TIFF, PWG or URF to print; each page is a label',
  },
  area: {
    type: 'text',
    pattern: /^(page|(top|bottom)(-(left|right))?|left|right|[1-9]\d?x[1-9]\d?-[1-9]\d{0,3})$/,
    wanted:
      'page, top, bottom, left, right, a quarter such as top-left, or a label of a sheet such as 3x10-4',
    option: 'area',
    from: ANY_WAY,
    default: 'the label found on a PDF page, all of a picture',
    about:
      'which part of a PDF page or picture to print; `3x10-4` is the fourth label of a sheet of 3 columns and 10 rows',
  },
  rotate: {
    type: 'text',
    pattern: /^(auto|0|90|180|270)$/,
    wanted: 'auto, 0, 90, 180 or 270',
    option: 'rotate',
    from: ANY_WAY,
    default: "the printer's, else `auto`",
    about:
      'turns pictures and PDF pages clockwise; `auto` chooses the direction that fills the label best',
  },
  scaling: {
    type: 'text',
    pattern: /^(auto|none)$/,
    wanted: 'auto or none',
    option: 'scaling',
    from: ANY_WAY,
    default: '`auto`: pictures fit the label, larger PDF pages too',
    about:
      '`none`: a picture keeps the size stated in its file (otherwise one pixel is one dot), a PDF page its own; what extends beyond the label is cut off',
  },
  darkness: {
    type: 'number',
    min: 0,
    max: 100,
    unit: 'percent',
    whole: true,
    option: 'darkness',
    from: ANY_WAY,
    default: "the printer's entry, else the printer's own setting",
    about: 'how dark pictures print; the printer keeps the value until it is set again',
  },
  redirect_url: {
    type: 'text',
    pattern: /^.*$/s,
    wanted: 'an absolute http:// or https:// address',
    from: ['http'],
    default: '',
    about:
      'where to send the browser (303) once the labels are accepted; it does not wait for them to print',
  },
  copies: {
    type: 'number',
    min: 1,
    max: REQUEST_LIMITS.copies,
    unit: 'labels',
    whole: true,
    from: ANY_WAY,
    default: '1',
    about: 'number of copies; each copy is a job',
  },
  idempotency_key: {
    type: 'text',
    // The client chooses the characters of a key.
    pattern: /^[^\p{Cc}]{1,255}$/u,
    wanted: '1 to 255 printable characters',
    from: ANY_WAY,
    default: '',
    about:
      'also accepted as the header `Idempotency-Key`. The same key with the same labels and options within 7 days prints nothing and returns the first jobs; with different ones it is 409. [Scope of a key](#scope-of-a-key)',
  },
  title: {
    type: 'text',
    // The words of a client: what a line cannot show of them is left out, never a label for it.
    pattern: /^.{1,255}$/su,
    wanted: 'at most 255 characters',
    from: ANY_WAY,
    default: "the file's name, else a tracking number or recipient found on the label",
    about:
      'a name for the label, such as an order number; shown on the page, in `/jobs` and `/events`, and sent to `result_url`',
  },
  expire_after: {
    type: 'number',
    min: 1,
    max: 365 * DAY_SECONDS,
    unit: 'seconds',
    whole: true,
    option: 'expireAfter',
    from: ANY_WAY,
    default: '`expire_after` in the settings, else never',
    about: 'cancels the label if it has not printed by then',
  },
} as const satisfies Record<string, RequestField>

type FieldTable = typeof FIELDS

/** The name of a field as clients write it. */
export type FieldName = keyof FieldTable

type ValueOf<F extends RequestField> = F extends NumberField ? number : string
/** The value of a field: a string or a number. */
export type FieldValue<Name extends FieldName> = ValueOf<FieldTable[Name]>

type OptionOf<F> = F extends { readonly option: infer Option extends string } ? Option : never

/** The fields that travel with a label to its job; what was left out is undefined and filled in at print time. */
export type PrintOptions = {
  readonly [Name in FieldName as OptionOf<FieldTable[Name]>]?: ValueOf<FieldTable[Name]>
}

/** The names of the fields as clients write them. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[]

/** The fields that are numbers, with their ranges. */
export const NUMBER_FIELDS: readonly (readonly [FieldName, NumberField])[] = FIELD_NAMES.flatMap(
  (name) => {
    const field: RequestField = FIELDS[name]
    return field.type === 'number' ? [[name, field] as const] : []
  },
)
