import { PlatenError } from '../../errors.ts'
import { freeMemory } from '../../free-memory.ts'
import { quote as quoteWhole } from '../../printers/uri.ts'
import { Base64Reader } from '../../request/base64.ts'
import type { Bounds } from '../bounds.ts'

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

/** Takes the base64 text of one label as it arrives. A fault is kept for `settle`. */
export interface LabelText {
  push(text: string): void
  /** The same, one byte a letter. */
  pushBytes(text: Uint8Array): void
  end(): void
}

/**
 * The fields of one print request, collected while its body is read, and bounded while they are. The first fault is
 * kept until the end: the message can then say how many labels there were, and the page where the browser wanted to go.
 */
export class Fields {
  /** In the order of the request, whichever of the names they came under. */
  readonly labels: Uint8Array[] = []
  readonly texts = new Map<string, string>()
  readonly #bounds: Bounds
  #fields = 0
  #labels = 0
  #fault: ((labels: number) => PlatenError) | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Fields seen so far, labels and unknown ones too. */
  get count(): number {
    return this.#fields
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
    const number = this.#labels
    let reader: Base64Reader | undefined = new Base64Reader()
    const attempt = (step: () => void): void => {
      if (this.#attempt(number, step)) return
      reader?.free()
      reader = undefined
    }
    return {
      push: (text) => attempt(() => reader?.push(text)),
      pushBytes: (text) => attempt(() => reader?.pushBytes(text)),
      end: () =>
        attempt(() => {
          if (reader) this.labels.push(reader.end())
        }),
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
   * A label that was decoded before it was known to be one; `take` throws what is wrong with its base64.
   * @throws PlatenError TOO_MANY_FIELDS
   */
  addDecoded(take: () => Uint8Array): void {
    this.#countLabel()
    this.#attempt(this.#labels, () => this.labels.push(take()))
  }

  /** The failure of a value beyond `valueBytes`. */
  tooLong(name: string): PlatenError {
    return tooLong(name, this.#bounds)
  }

  /**
   * An empty value counts as left out. A name may come twice with the same value, never with two.
   * @throws PlatenError FIELD_INVALID when the value is too long
   */
  addText(name: string, value: string): void {
    if (value.length > this.#bounds.valueBytes) throw this.tooLong(name)
    if (value.trim() === '') return
    const before = this.texts.get(name)
    if (before === undefined) this.texts.set(name, value)
    else if (before !== value) this.#fault ??= () => contradiction(name, before, value)
  }

  /**
   * To be called after the last field.
   * @throws PlatenError LABEL_BASE64, naming the label and the offset; FIELD_INVALID
   */
  settle(): void {
    if (this.#fault) throw this.#fault(this.#labels)
  }

  /** Gives the memory of the labels back, once they are in the spool or refused; nobody may touch them afterwards. */
  freeLabels(): void {
    for (const label of this.labels) freeMemory(label)
  }

  /** Keeps the first fault of a label; false when there is one. */
  #attempt(number: number, step: () => void): boolean {
    try {
      step()
      return true
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      this.#fault ??= (labels) => numbered(error, number, labels)
      return false
    }
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
  return quoteWhole(value.length > 40 ? `${value.slice(0, 40)}…` : value)
}

/** `label`, `label[]`, and `label[0]`, which some form libraries make of it. */
function isLabelName(name: string): boolean {
  return name === 'label' || /^label\[\d{0,6}\]$/.test(name)
}

function numbered(error: PlatenError, number: number, labels: number): PlatenError {
  const message = `label ${number} of ${labels}: ${error.message}`
  return new PlatenError(error.code, message, { cause: error })
}

function contradiction(name: string, one: string, other: string): PlatenError {
  return new PlatenError(
    'FIELD_INVALID',
    `${name}: got ${quote(one)} and ${quote(other)}, wanted one value.`,
  )
}
