import { PlatenError } from '../../../../errors.ts'
import { GROUPS, type IppGroup, type IppResponse, type IppValue, TAGS } from './message.ts'

/** The most of an answer that is read; 1,000 queues with the attributes we ask for take about 0.5 MB. */
export const MOST_BYTES = 1_048_576

// Both bound what a hostile answer costs: of 1 MB every byte could begin a group, and every fifth a value.
const MOST_GROUPS = 2_000
const MOST_VALUES = 20_000
const LONGEST_TEXT = 1_023 // octets of any kind of text (RFC 8011, 5.1)
const HEAD_BYTES = 8
const FIRST_VALUE_TAG = 0x10 // tags below are delimiters of groups
const DEEPEST = 16 // collections in collections; the standard's own are 3 deep

interface OpenGroup {
  readonly tag: number
  readonly attributes: Map<string, IppValue[]>
}

interface Value {
  readonly tag: number
  readonly name: string
  readonly bytes: Buffer
}

/**
 * Reads an answer (RFC 8010, 3.1). Bytes behind its end are ignored.
 * @throws PlatenError PRINTER_OFFLINE when the bytes are not a whole IPP message: what answered is not a print spooler
 */
export function decodeResponse(bytes: Uint8Array): IppResponse {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (data.length > MOST_BYTES) throw broken(`${data.length} bytes; wanted ${MOST_BYTES} at most`)
  if (data.length < HEAD_BYTES) throw broken(`${data.length} bytes; wanted ${HEAD_BYTES} or more`)
  const [major, minor] = [data.readUInt8(0), data.readUInt8(1)]
  if (major !== 1 && major !== 2) throw broken(`version ${major}.${minor}; wanted 1 or 2`)
  return {
    status: data.readUInt16BE(2),
    requestId: data.readUInt32BE(4),
    groups: readGroups(data),
  }
}

function readGroups(data: Buffer): readonly IppGroup[] {
  const collector = new Collector()
  for (let at = HEAD_BYTES; ; ) {
    if (at >= data.length) throw broken('no end')
    const tag = data.readUInt8(at)
    if (tag === GROUPS.end) return collector.groups
    if (tag < FIRST_VALUE_TAG) {
      collector.begin(tag)
      at += 1
    } else {
      const [value, next] = readValue(data, at)
      collector.take(value)
      at = next
    }
  }
}

/** Puts values together to attributes and groups, as they come. */
class Collector {
  readonly groups: OpenGroup[] = []
  #values: IppValue[] = []
  #depth = 0
  #count = 0

  begin(tag: number): void {
    if (this.#depth > 0) throw broken('a collection without an end')
    if (this.groups.length === MOST_GROUPS) throw broken(`more than ${MOST_GROUPS} groups`)
    this.groups.push({ tag, attributes: new Map() })
  }

  take(value: Value): void {
    this.#count += 1
    if (this.#count > MOST_VALUES) throw broken(`more than ${MOST_VALUES} values`)
    const group = this.groups.at(-1)
    if (group === undefined) throw broken('a value outside of any group')
    const isInside = this.#depth > 0
    this.#depth = measureDepth(this.#depth, value.tag)
    if (isInside) return
    if (value.name !== '') {
      this.#values = []
      // The first attribute of a name counts; a second one is a fault of the sender (RFC 8010, 3.1.4).
      if (!group.attributes.has(value.name)) group.attributes.set(value.name, this.#values)
    }
    if (value.tag !== TAGS.beginCollection) this.#values.push(readContent(value))
  }
}

function readValue(data: Buffer, at: number): readonly [Value, number] {
  const nameEnd = at + 3 + readLength(data, at + 1)
  const end = nameEnd + 2 + readLength(data, nameEnd)
  if (end > data.length) throw broken('a value that is cut off')
  const value = {
    tag: data.readUInt8(at),
    name: data.toString('utf8', at + 3, nameEnd),
    bytes: data.subarray(nameEnd + 2, end),
  }
  return [value, end]
}

function readLength(data: Buffer, at: number): number {
  if (at + 2 > data.length) throw broken('a value that is cut off')
  return data.readUInt16BE(at)
}

function measureDepth(depth: number, tag: number): number {
  if (tag === TAGS.beginCollection) {
    if (depth === DEEPEST) throw broken(`collections more than ${DEEPEST} deep`)
    return depth + 1
  }
  if (tag !== TAGS.endCollection) return depth
  if (depth === 0) throw broken('the end of a collection that never began')
  return depth - 1
}

function readContent({ tag, bytes }: Value): IppValue {
  switch (tag) {
    case TAGS.integer:
    case TAGS.enum:
      return bytes.length === 4 ? bytes.readInt32BE(0) : copy(bytes)
    case TAGS.boolean:
      return bytes.length === 1 ? bytes.readUInt8(0) !== 0 : copy(bytes)
    case TAGS.textWithLanguage:
    case TAGS.nameWithLanguage:
      return readWithLanguage(bytes)
    default:
      // 0x40 to 0x5f are character strings (RFC 8010, 3.5.2).
      return tag >= 0x40 && tag <= 0x5f ? readText(bytes) : copy(bytes)
  }
}

/** Length and name of the language, then length and bytes of the text (RFC 8010, 3.9). */
function readWithLanguage(bytes: Buffer): IppValue {
  const textAt = bytes.length >= 2 ? 2 + bytes.readUInt16BE(0) : bytes.length
  if (textAt + 2 > bytes.length) return copy(bytes)
  return readText(bytes.subarray(textAt + 2, textAt + 2 + bytes.readUInt16BE(textAt)))
}

function readText(bytes: Buffer): string {
  return bytes.toString('utf8', 0, LONGEST_TEXT)
}

/** A copy, so that one odd value does not keep the whole answer in memory. */
function copy(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, LONGEST_TEXT))
}

function broken(seen: string): PlatenError {
  return new PlatenError(
    'PRINTER_OFFLINE',
    `The print spooler of this computer sent an answer that cannot be read: ${seen}.`,
  )
}
