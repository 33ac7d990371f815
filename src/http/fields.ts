import { PlatenError } from '../errors.ts'
import { Base64Reader } from '../jobs/base64.ts'
import type { Bounds } from './bounds.ts'

/** The fields of a print request that are no labels; all others are ignored. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'printer',
  'label_width',
  'label_height',
  'dpi',
  'starting_point_x',
  'starting_point_y',
  'redirect_url',
  'copies',
  'idempotency_key',
  'expire_after',
])

/** What a body parser does with the value of a field: decode it, collect it, or let it pass. */
export type FieldKind = 'label' | 'text' | 'skip'

/** Takes the base64 text of one label as it arrives. */
export interface LabelText {
  /** @throws PlatenError LABEL_BASE64, naming the label */
  push(text: string): void
  /** @throws PlatenError LABEL_BASE64, naming the label */
  end(): void
}

/** The fields of one print request, collected while its body is read, and bounded while they are. */
export class Fields {
  /** In the order of the request, whichever of the names they came under. */
  readonly labels: Uint8Array[] = []
  readonly texts = new Map<string, string>()
  readonly #bounds: Bounds
  #fields = 0
  #labels = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /**
   * Says what to do with the next field.
   * @throws PlatenError TOO_MANY_FIELDS
   */
  open(name: string): FieldKind {
    this.#fields++
    if (this.#fields > this.#bounds.fields) {
      throw new PlatenError(
        'TOO_MANY_FIELDS',
        `The request has more than ${this.#bounds.fields} fields.`,
      )
    }
    if (!isLabelName(name)) return TEXT_FIELDS.has(name) ? 'text' : 'skip'
    return 'label'
  }

  /** @throws PlatenError TOO_MANY_FIELDS */
  openLabel(): LabelText {
    this.#countLabel()
    const reader = new Base64Reader()
    const number = this.#labels
    return {
      push: (text) => numbered(number, () => reader.push(text)),
      end: () => numbered(number, () => this.labels.push(reader.end())),
    }
  }

  /**
   * A label whose bytes came as they are (a file).
   * @throws PlatenError TOO_MANY_FIELDS
   */
  addLabel(label: Uint8Array): void {
    this.#countLabel()
    this.labels.push(label)
  }

  /**
   * An empty value counts as left out. A name may come twice with the same value, never with two.
   * @throws PlatenError FIELD_INVALID
   */
  addText(name: string, value: string): void {
    if (value.length > this.#bounds.valueBytes) throw tooLong(name, this.#bounds)
    if (value.trim() === '') return
    const before = this.texts.get(name)
    if (before !== undefined && before !== value) {
      throw new PlatenError(
        'FIELD_INVALID',
        `${name}: got ${quote(before)} and ${quote(value)}, wanted one value.`,
      )
    }
    this.texts.set(name, value)
  }

  #countLabel(): void {
    this.#labels++
    if (this.#labels > this.#bounds.labels) {
      throw new PlatenError(
        'TOO_MANY_FIELDS',
        `The request has more than ${this.#bounds.labels} labels.`,
      )
    }
  }
}

/** The failure of a value beyond `valueBytes`. */
export function tooLong(name: string, bounds: Bounds): PlatenError {
  return new PlatenError(
    'FIELD_INVALID',
    `${name}: got more than ${bounds.valueBytes} bytes, wanted fewer.`,
  )
}

/** A value as a message shows it: quoted, on one line, cut when long. */
export function quote(value: string): string {
  const short = value.length > 40 ? `${value.slice(0, 40)}…` : value
  return JSON.stringify(short)
}

/** `label`, `label[]`, and `label[0]`, which some form libraries make of it. */
function isLabelName(name: string): boolean {
  return name === 'label' || /^label\[\d{0,6}\]$/.test(name)
}

function numbered(number: number, step: () => void): void {
  try {
    step()
  } catch (error) {
    if (!(error instanceof PlatenError)) throw error
    throw new PlatenError(error.code, `label ${number}: ${error.message}`, { cause: error })
  }
}
