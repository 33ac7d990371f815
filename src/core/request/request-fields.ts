import { freeMemory } from '../../system/memory.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import { Base64Reader } from './base64.ts'
import {
  checkJobs,
  checkOptions,
  findSpelling,
  isLabelName,
  misspelled,
  readValue,
  tidyTitle,
  titleOfFile,
} from './field-values.ts'
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  type FieldValue,
  type PrintOptions,
  type RequestField,
  readSize,
  type Way,
} from './fields.ts'
import type { RequestBounds } from './reader.ts'

/** The treatment of the value of a field by a body parser: decode it, collect it, or let it pass. */
export type FieldKind = 'label' | 'text' | 'skip'

/** Takes the base64 text of one label as it arrives. A fault is kept for `settle`. */
export interface LabelTextSink {
  push(text: string): void
  /** Takes text of one byte a character. */
  pushBytes(text: Uint8Array): void
  end(): void
}

/** The place of a field in a request. */
export type FieldPlace = 'header' | 'address' | 'body'

/** A print request, read and checked; formats and printers are the intake's. */
export interface PrintRequest {
  readonly labels: readonly Uint8Array[]
  /** The title of each label: the field `title`, else its file name; '' = unknown. */
  readonly titles: readonly string[]
  readonly options: PrintOptions
  readonly copies: number
  readonly idempotencyKey: string | undefined
  /** The address as received; the code that redirects checks it. */
  readonly redirectUrl: string | undefined
}

interface Spare {
  readonly name: string
  readonly label: Uint8Array
}

interface Text {
  readonly value: string
  readonly place: FieldPlace
}

const known = new Map<Way, readonly FieldName[]>()

/** Lists the fields that may come this way. */
function knownBy(way: Way): readonly FieldName[] {
  const names =
    known.get(way) ??
    FIELD_NAMES.filter((name) => (FIELDS[name] as RequestField).from.includes(way))
  known.set(way, names)
  return names
}

/**
 * The fields of one print request, collected and bounded while it is read. The first fault is kept until the end: the message can then say
 * how many labels there were, and the page where the browser wanted to go.
 */
export class RequestFields {
  /** Labels in the order of the request, under whichever of the names they came. */
  readonly labels: Uint8Array[] = []
  /** File names of the labels that came as files. */
  readonly #files = new Map<Uint8Array, string>()
  readonly #texts = new Map<string, Text>()
  readonly #bounds: RequestBounds
  readonly #known: readonly FieldName[]
  #place: FieldPlace = 'body'
  #fields = 0
  #labels = 0
  #fault: ((labels: number) => PlatenError) | undefined
  /** Parts under other names, one of which may be the label of an answer that was passed on whole. */
  readonly #spares: Spare[] = []
  #elsewhere = ''

  constructor(bounds: RequestBounds, way: Way = 'http') {
    this.#bounds = bounds
    this.#known = knownBy(way)
  }

  /** The text of a field that is not a label, as received. */
  text(name: FieldName): string | undefined {
    return this.#texts.get(name)?.value
  }

  /** Sets the place of the fields that follow, for messages. */
  enter(place: FieldPlace): void {
    this.#place = place
  }

  /**
   * Returns the treatment of the next field.
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
    if (isLabelName(name)) return 'label'
    if (this.#known.some((known) => known === name)) return 'text'
    const lower = name.toLowerCase()
    const ours = isLabelName(lower) ? lower : findSpelling(name, this.#known)
    if (ours !== undefined) this.#fault ??= () => misspelled(name, ours)
    return 'skip'
  }

  /**
   * Opens a label in base64. `file`: the name of the file that held it.
   * @throws PlatenError TOO_MANY_FIELDS
   */
  openLabel(file = ''): LabelTextSink {
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
          if (reader) this.#keep(reader.end(), file)
        }),
    }
  }

  /**
   * Adds a label whose bytes came as they are: a file, with its name.
   * @throws PlatenError TOO_MANY_FIELDS
   */
  addLabel(label: Uint8Array, file = ''): void {
    this.#countLabel()
    this.#keep(label, file)
  }

  /** Adds a part under an unknown name that may be a label: it counts when the request has no other one. */
  addSpare(name: string, label: Uint8Array): void {
    this.#spares.push({ name, label })
  }

  /** Notes a field under an unknown name that looks like a label. */
  noteElsewhere(name: string): void {
    this.#elsewhere ||= name
  }

  /** Takes the spare part whose name says label, if there is exactly one: answers of carriers have one. */
  #takeSpare(): void {
    if (this.#labels > 0) return
    const named = this.#spares.filter(({ name }) => /label/i.test(name))
    const [only, ...others] = named
    if (this.#spares.length === 0) return
    if (only !== undefined && others.length === 0) this.addLabel(only.label)
    else this.#elsewhere ||= this.#spares.map(({ name }) => name).join('" or "')
  }

  /**
   * Adds a label that was decoded before it was known to be one; `take` throws the fault of its base64.
   * @throws PlatenError TOO_MANY_FIELDS
   */
  addDecoded(take: () => Uint8Array): void {
    this.#countLabel()
    this.#attempt(this.#labels, () => this.#keep(take()))
  }

  /** Makes the failure of a value beyond `valueBytes`. */
  tooLong(name: string): PlatenError {
    return tooLong(name, this.#bounds)
  }

  /**
   * Adds a text. An empty value counts as left out; a name may come twice with the same value, never with two.
   * @throws PlatenError FIELD_INVALID when the value is too long
   */
  addText(name: string, value: string): void {
    if (value.length > this.#bounds.valueBytes) throw this.tooLong(name)
    if (value.trim() === '') return
    const text = { value, place: this.#place }
    const before = this.#texts.get(name)
    if (before === undefined) this.#texts.set(name, text)
    else if (before.value !== value) this.#fault ??= () => contradiction(name, before, text)
  }

  /**
   * Returns the request; to be called after the last field.
   * @throws PlatenError LABEL_BASE64, naming the label and the offset; LABEL_MISSING, FIELD_INVALID, TOO_MANY_FIELDS
   */
  request(): PrintRequest {
    this.#takeSpare()
    this.settle()
    if (this.labels.length === 0) throw this.#noLabel()
    const copies = this.#read('copies') ?? 1
    checkJobs(this.labels.length, copies, this.#bounds)
    const idempotencyKey = this.#read('idempotency_key')
    const redirectUrl = this.#read('redirect_url')
    const title = tidyTitle(this.#read('title') ?? '')
    const titles = this.labels.map((label) => title || titleOfFile(this.#files.get(label) ?? ''))
    const options = this.#options()
    return { labels: this.labels, titles, options, copies, idempotencyKey, redirectUrl }
  }

  /**
   * Returns the value of one field where no label is wanted; to be called after the last field.
   * @throws PlatenError FIELD_INVALID
   */
  value<Name extends FieldName>(name: Name): FieldValue<Name> | undefined {
    this.settle()
    return this.#read(name)
  }

  /**
   * Throws the first fault, if any; to be called after the last field where no label is wanted.
   * @throws PlatenError LABEL_BASE64, naming the label and the offset; FIELD_INVALID
   */
  settle(): void {
    if (this.#fault) throw this.#fault(this.#labels)
  }

  #options(): PrintOptions {
    const given = FIELD_NAMES.flatMap((name) => {
      const { option }: RequestField = FIELDS[name]
      const value = option === undefined ? undefined : this.#read(name)
      return value === undefined ? [] : [[option, value]]
    })
    const options: PrintOptions = Object.fromEntries(given)
    const size = this.#read('size')
    if (size === undefined) return options
    if (options.labelWidth !== undefined || options.labelHeight !== undefined) {
      throw new PlatenError(
        'FIELD_INVALID',
        `size: got ${quoteShort(size)} beside label_width or label_height, wanted one or the other.`,
      )
    }
    const stock = readSize(size)
    checkOptions(stock ?? {})
    return { ...options, ...stock }
  }

  #noLabel(): PlatenError {
    const seen = this.#fields === 1 ? '1 field' : `${this.#fields} fields`
    const message = `The request has ${seen} and no label; wanted label=… with the label as base64.`
    if (this.#elsewhere === '') return new PlatenError('LABEL_MISSING', message)
    const part = quoteShort(this.#elsewhere).replaceAll('\\"', '"')
    return new PlatenError('LABEL_MISSING', message, {
      hint: `This looks like the whole answer of a carrier or a shop: send only its part ${part} as label.`,
    })
  }

  #keep(label: Uint8Array, file = ''): void {
    this.labels.push(label)
    if (file !== '') this.#files.set(label, file)
  }

  #read<Name extends FieldName>(name: Name): FieldValue<Name> | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : readValue(name, text)
  }

  /** Frees the memory of the labels, once they are in the spool or refused; nothing may touch them afterwards. */
  freeLabels(): void {
    for (const label of this.labels) freeMemory(label)
    for (const { label } of this.#spares) if (!this.labels.includes(label)) freeMemory(label)
  }

  /** Runs a step of a label and keeps its first fault; false when there is one. */
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

/** Makes the failure of a value beyond `valueBytes`. */
export function tooLong(name: string, bounds: RequestBounds): PlatenError {
  return new PlatenError(
    'FIELD_INVALID',
    `${name}: got more than ${bounds.valueBytes} bytes, wanted fewer.`,
  )
}

/** Makes the failure of one of several labels. */
function numbered(error: PlatenError, number: number, labels: number): PlatenError {
  const message = `label ${number} of ${labels}: ${error.message}`
  const { hint, detail } = error
  return new PlatenError(error.code, message, { cause: error, hint, detail })
}

function contradiction(name: string, one: Text, other: Text): PlatenError {
  const [seen, differing] = [quoteShort(one.value), quoteShort(other.value)]
  const got =
    one.place === other.place
      ? `got ${seen} and ${differing}`
      : `the ${one.place} says ${seen} and the ${other.place} ${differing}`
  return new PlatenError('FIELD_INVALID', `${name}: ${got}, wanted one value.`)
}
