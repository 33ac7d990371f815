import { isLanguageType } from '#labels'
import { freeMemory } from '../../system/memory.ts'
import { PlatenError } from '../../words/errors.ts'
import { LabelMemory, type RequestBounds, type RequestReader } from './reader.ts'
import { type LabelTextSink, type RequestFields, tooLong } from './request-fields.ts'

const LINE_END = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')
/** Longest boundary: RFC 2046, 5.1.1 allows 70; some clients write more. */
const BOUNDARY_MAX = 200

/** The receiver of the fields of a form. */
export type FormFields = Pick<
  RequestFields,
  'open' | 'openLabel' | 'addLabel' | 'addText' | 'addSpare'
>

/** Consumes the content of a part. */
interface PartReader {
  take(content: Uint8Array): void
  end(): void
}

/**
 * Reads a multipart/form-data body as it arrives (RFC 7578). A part with a file name, or with a content type that is not text, is the label
 * itself; any other label part is base64 text, as in a form.
 */
export class MultipartReader implements RequestReader {
  readonly #fields: FormFields
  readonly #bounds: RequestBounds
  readonly #delimiter: Buffer
  /** Bytes that could not be judged yet. The line end before the first boundary is optional, so one is put there. */
  #rest: Buffer = LINE_END
  #state: 'preamble' | 'boundary' | 'headers' | 'content' | 'epilogue' = 'preamble'
  #part: PartReader | undefined
  #parts = 0

  /** @throws PlatenError BODY_BROKEN when the boundary cannot be one */
  constructor(boundary: string | undefined, fields: FormFields, bounds: RequestBounds) {
    if (!boundary || boundary.length > BOUNDARY_MAX) {
      throw broken(
        `The multipart body has a boundary of ${boundary?.length ?? 0} letters, wanted 1 to 70`,
      )
    }
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#fields = fields
    this.#bounds = bounds
  }

  /** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN */
  push(chunk: Uint8Array): void {
    if (this.#state === 'epilogue') return
    const whole = Buffer.allocUnsafeSlow(this.#rest.length + chunk.length)
    whole.set(this.#rest)
    whole.set(chunk, this.#rest.length)
    this.#rest = whole
    while (this.#step());
    // The rest is short, and everything before it was copied by its consumer.
    this.#rest = Buffer.from(this.#rest)
    freeMemory(whole)
  }

  /** @throws PlatenError BODY_BROKEN when the closing boundary never came */
  end(): void {
    if (this.#state === 'epilogue') return
    throw broken(
      this.#parts === 0
        ? 'The multipart body has no boundary line'
        : `The multipart body ends in the middle of part ${this.#parts}`,
    )
  }

  /** Takes one step through what has arrived; false = more is needed. */
  #step(): boolean {
    switch (this.#state) {
      case 'preamble':
      case 'content':
        return this.#readContent()
      case 'boundary':
        return this.#readBoundary()
      case 'headers':
        return this.#readHeaders()
      case 'epilogue':
        this.#rest = Buffer.alloc(0)
        return false
    }
  }

  #readContent(): boolean {
    const at = this.#rest.indexOf(this.#delimiter)
    // The end may be the beginning of a delimiter.
    const sure = at < 0 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : at
    if (sure > 0) this.#part?.take(this.#rest.subarray(0, sure))
    this.#rest = this.#rest.subarray(at < 0 ? sure : at + this.#delimiter.length)
    if (at < 0) return false
    this.#part?.end()
    this.#part = undefined
    this.#state = 'boundary'
    return true
  }

  #readBoundary(): boolean {
    if (this.#rest.length < 2) return false
    if (this.#rest.subarray(0, 2).equals(Buffer.from('--'))) {
      this.#state = 'epilogue'
      return true
    }
    const end = this.#rest.indexOf(LINE_END)
    const padding = this.#rest.subarray(0, end < 0 ? this.#rest.length : end).toString('latin1')
    // Blanks may follow a boundary (RFC 2046, 5.1.1), and a CR may wait for its LF.
    if (/[^ \t\r]/.test(padding) || padding.length > this.#bounds.partHeaderBytes) {
      throw broken(`The boundary line before part ${this.#parts + 1} is not a whole line`)
    }
    if (end < 0) return false
    // The line end stays: an empty head is a head that ends at once.
    this.#rest = this.#rest.subarray(end)
    this.#state = 'headers'
    return true
  }

  #readHeaders(): boolean {
    const end = this.#rest.indexOf(HEADERS_END)
    if ((end < 0 ? this.#rest.length : end) > this.#bounds.partHeaderBytes) {
      throw broken(
        `Part ${this.#parts + 1} has more than ${this.#bounds.partHeaderBytes} bytes of headers`,
      )
    }
    if (end < 0) return false
    const head = this.#rest.subarray(0, end).toString('utf8')
    this.#rest = this.#rest.subarray(end + HEADERS_END.length - LINE_END.length)
    // The line end before an empty content may belong to the delimiter, so it is taken off by the content.
    this.#parts++
    this.#part = skipFirst(LINE_END.length, this.#open(readHead(head)))
    this.#state = 'content'
    return true
  }

  /** @throws PlatenError BODY_BROKEN, TOO_MANY_FIELDS */
  #open(head: ReadonlyMap<string, string>): PartReader | undefined {
    const disposition = parseContentType(head.get('content-disposition') ?? '')
    const name = disposition.parameters.get('name')
    if (disposition.type !== 'form-data' || name === undefined) {
      throw broken(
        `Part ${this.#parts} has no "Content-Disposition: form-data" header with a field name`,
      )
    }
    const coding = (head.get('content-transfer-encoding') ?? '8bit').toLowerCase()
    const { type, parameters } = parseContentType(head.get('content-type') ?? 'text/plain')
    const kind = this.#fields.open(name)
    if (kind === 'skip') return mayBeLabel(name, type) ? sparePart(this.#fields, name) : undefined
    if (kind === 'text') {
      return textPart(name, openDecoder(parameters.get('charset')), this.#fields, this.#bounds)
    }
    return this.#openLabel(coding, type, disposition)
  }

  #openLabel(coding: string, type: string, disposition: ContentType): PartReader {
    if (!['7bit', '8bit', 'binary', 'base64'].includes(coding)) {
      throw broken(
        `Part ${this.#parts} has the transfer encoding ${JSON.stringify(coding.slice(0, 40))}, wanted binary or base64`,
      )
    }
    const fileName = disposition.parameters.get('filename')
    const isFile = fileName !== undefined || disposition.parameters.has('filename*')
    if (coding === 'base64' || !(isFile || !type.startsWith('text/'))) {
      return base64Part(this.#fields.openLabel(fileName))
    }
    return filePart(this.#fields, fileName)
  }
}

function readHead(head: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0)
      headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

/**
 * Opens the decoder of a part's charset (RFC 7578, 4.5); Apache's HttpClient for Java sends text as ISO-8859-1 unless configured otherwise.
 */
function openDecoder(charset: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

function textPart(
  name: string,
  decoder: InstanceType<typeof TextDecoder>,
  fields: FormFields,
  bounds: RequestBounds,
): PartReader {
  let value = ''
  return {
    take(content) {
      value += decoder.decode(content, { stream: true })
      if (value.length > bounds.valueBytes) throw tooLong(name, bounds)
    },
    end() {
      fields.addText(name, value + decoder.decode())
    },
  }
}

/**
 * Tells whether a part under an unknown name may be a label: carriers answer with parts of their own names, for data about a label and for
 * the label itself.
 */
function mayBeLabel(name: string, type: string): boolean {
  if (/^application\/(?:[\w.-]+\+)?(?:json|xml)$/.test(type)) return false
  if (/label/i.test(name) || isLanguageType(type)) return true
  return /^(?:image\/|application\/(?:pdf|octet-stream))/.test(type)
}

/** Collects a part that is base64 or the file itself; the code that detects labels finds out which. */
function sparePart(fields: FormFields, name: string): PartReader {
  const memory = new LabelMemory()
  return {
    take: (content) => memory.append(content),
    end() {
      if (memory.length > 0) fields.addSpare(name, memory.take())
    },
  }
}

function base64Part(label: LabelTextSink): PartReader {
  return {
    take: (content) => label.pushBytes(content),
    end: () => label.end(),
  }
}

function filePart(fields: FormFields, fileName: string | undefined): PartReader {
  const memory = new LabelMemory()
  return {
    take: (content) => memory.append(content),
    end() {
      const label = memory.take()
      // A browser sends an unfilled file field as an empty part without a name.
      if (label.length > 0 || fileName !== '') fields.addLabel(label, fileName)
    },
  }
}

/** Drops the first bytes of a part. */
function skipFirst(bytes: number, part: PartReader | undefined): PartReader {
  let left = bytes
  return {
    take(content) {
      const skipped = Math.min(left, content.length)
      left -= skipped
      if (skipped < content.length) part?.take(content.subarray(skipped))
    },
    end: () => part?.end(),
  }
}

function broken(message: string): PlatenError {
  return new PlatenError('BODY_BROKEN', `${message}.`)
}

/** A media type with its parameters (RFC 9110, 8.3.1). */
export interface ContentType {
  /** Lower case, e.g. `multipart/form-data`; '' when there is none. */
  readonly type: string
  /** Names in lower case, quotes undone. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Reads a Content-Type or Content-Disposition header; malformed parameters are left out. */
export function parseContentType(header: string): ContentType {
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase()
  const parameters = new Map<string, string>()
  // A quote that nothing closes is taken too, so that every letter is looked at once; its value is none.
  const parameter = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)("?)|([^;"]*))/g
  for (const [, name = '', quoted, close, plain = ''] of header.matchAll(parameter)) {
    // Browsers escape only the quote, and write C:\label.png as it is.
    const value = close ? (quoted ?? '').replaceAll('\\"', '"') : plain.trim()
    parameters.set(name.toLowerCase(), value)
  }
  return { type, parameters }
}
