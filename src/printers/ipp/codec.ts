import {
  GROUPS,
  type IppAttributes,
  type IppGroup,
  type IppMessage,
  type IppValue,
  TAGS,
} from './message.ts'

// These bound what hostile bytes cost: every byte could begin a group, and every fifth a value.
const MOST_GROUPS = 2_000
const MOST_VALUES = 20_000
const LONGEST_TEXT = 1_023 // octets of any kind of text (RFC 8011, 5.1)
const HEAD_BYTES = 8
const FIRST_VALUE_TAG = 0x10 // tags below are delimiters of groups
const DEEPEST = 16 // collections in collections; the standard's own are 3 deep

/** Error for bytes that are not a whole IPP message. */
export class IppFault extends Error {}

interface OpenLevel {
  readonly attributes: Map<string, IppValue[]>
  /** The values of the attribute that came last. */
  values: IppValue[]
  /** Name of the next member of a collection. */
  member: string
}

interface IppRawValue {
  readonly tag: number
  readonly name: string
  readonly bytes: Buffer
}

/**
 * Reads a request or an answer (RFC 8010, 3.1); `end` is where a document begins.
 * @throws IppFault
 */
export function decodeMessage(bytes: Uint8Array): {
  readonly message: IppMessage
  readonly end: number
} {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (data.length < HEAD_BYTES)
    throw new IppFault(`${data.length} bytes; wanted ${HEAD_BYTES} or more`)
  const { groups, end } = readGroups(data)
  return {
    message: {
      version: [data.readUInt8(0), data.readUInt8(1)],
      code: data.readUInt16BE(2),
      requestId: data.readInt32BE(4),
      groups,
    },
    end,
  }
}

function readGroups(data: Buffer): { readonly groups: readonly IppGroup[]; readonly end: number } {
  const collector = new Collector()
  for (let at = HEAD_BYTES; ; ) {
    if (at >= data.length) throw new IppFault('no end')
    const tag = data.readUInt8(at)
    if (tag === GROUPS.end) return { groups: collector.close(), end: at + 1 }
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

/** Puts values together to collections, attributes and groups, as they come. */
class Collector {
  readonly #groups: IppGroup[] = []
  /** The group, and the collections that are open in it. */
  #levels: OpenLevel[] = []
  #count = 0

  begin(tag: number): void {
    this.close()
    if (this.#groups.length === MOST_GROUPS) throw new IppFault(`more than ${MOST_GROUPS} groups`)
    const level = openLevel()
    this.#levels = [level]
    this.#groups.push({ tag, attributes: level.attributes })
  }

  close(): readonly IppGroup[] {
    if (this.#levels.length > 1) throw new IppFault('a collection without an end')
    return this.#groups
  }

  take(value: IppRawValue): void {
    this.#count += 1
    if (this.#count > MOST_VALUES) throw new IppFault(`more than ${MOST_VALUES} values`)
    const level = this.#levels.at(-1)
    if (level === undefined) throw new IppFault('a value outside of any group')
    const isInside = this.#levels.length > 1
    if (value.tag === TAGS.endCollection) {
      if (!isInside) throw new IppFault('the end of a collection that never began')
      this.#levels.pop()
    } else if (isInside && value.tag === TAGS.memberName) {
      level.member = readText(value.bytes)
    } else {
      this.#add(level, isInside ? level.member : value.name, value)
    }
  }

  #add(level: OpenLevel, name: string, value: IppRawValue): void {
    if (name !== '') {
      level.values = []
      level.member = ''
      // The first attribute of a name counts; a second one is a fault of the sender (RFC 8010, 3.1.4).
      if (!level.attributes.has(name)) level.attributes.set(name, level.values)
    }
    if (value.tag !== TAGS.beginCollection) {
      level.values.push({ tag: value.tag, value: readContent(value) })
      return
    }
    if (this.#levels.length > DEEPEST) throw new IppFault(`collections more than ${DEEPEST} deep`)
    const inner = openLevel()
    level.values.push({ tag: value.tag, value: inner.attributes })
    this.#levels.push(inner)
  }
}

function openLevel(): OpenLevel {
  return { attributes: new Map(), values: [], member: '' }
}

function readValue(data: Buffer, at: number): readonly [IppRawValue, number] {
  const nameEnd = at + 3 + readLength(data, at + 1)
  const end = nameEnd + 2 + readLength(data, nameEnd)
  if (end > data.length) throw new IppFault('a value that is cut off')
  const value = {
    tag: data.readUInt8(at),
    name: data.toString('utf8', at + 3, nameEnd),
    bytes: data.subarray(nameEnd + 2, end),
  }
  return [value, end]
}

function readLength(data: Buffer, at: number): number {
  if (at + 2 > data.length) throw new IppFault('a value that is cut off')
  return data.readUInt16BE(at)
}

type ValueReader = (bytes: Buffer) => IppValue['value']

/** By tag; each with the length that it must have, else the bytes stay as they are. */
const READERS: ReadonlyMap<number, { readonly length: number; readonly read: ValueReader }> =
  new Map([
    [TAGS.integer, { length: 4, read: (bytes: Buffer) => bytes.readInt32BE(0) }],
    [TAGS.enum, { length: 4, read: (bytes: Buffer) => bytes.readInt32BE(0) }],
    [TAGS.boolean, { length: 1, read: (bytes: Buffer) => bytes.readUInt8(0) !== 0 }],
    [
      TAGS.range,
      { length: 8, read: (bytes: Buffer) => [bytes.readInt32BE(0), bytes.readInt32BE(4)] },
    ],
    [
      TAGS.resolution,
      {
        length: 9,
        read: (bytes: Buffer) => [bytes.readInt32BE(0), bytes.readInt32BE(4), bytes.readUInt8(8)],
      },
    ],
  ])

function readContent({ tag, bytes }: IppRawValue): IppValue['value'] {
  const reader = READERS.get(tag)
  if (reader !== undefined) return bytes.length === reader.length ? reader.read(bytes) : copy(bytes)
  if (tag === TAGS.textWithLanguage || tag === TAGS.nameWithLanguage) return readWithLanguage(bytes)
  // 0x40 to 0x5f are character strings (RFC 8010, 3.5.2).
  return tag >= 0x40 && tag <= 0x5f ? readText(bytes) : copy(bytes)
}

/** Length and name of the language, then length and bytes of the text (RFC 8010, 3.9). */
function readWithLanguage(bytes: Buffer): string | Uint8Array {
  const textAt = bytes.length >= 2 ? 2 + bytes.readUInt16BE(0) : bytes.length
  if (textAt + 2 > bytes.length) return copy(bytes)
  return readText(bytes.subarray(textAt + 2, textAt + 2 + bytes.readUInt16BE(textAt)))
}

function readText(bytes: Buffer): string {
  return bytes.toString('utf8', 0, LONGEST_TEXT)
}

/** A copy, so that one odd value does not keep the whole message in memory. */
function copy(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, LONGEST_TEXT))
}

/** The message as it goes over the wire (RFC 8010, 3.1); a document's bytes follow directly. */
export function encodeMessage({ version, code, requestId, groups }: IppMessage): Buffer {
  const head = Buffer.alloc(8)
  head.set(version)
  head.writeUInt16BE(code, 2)
  head.writeInt32BE(requestId, 4)
  const parts: Buffer[] = [head]
  for (const { tag, attributes } of groups) {
    parts.push(Buffer.of(tag))
    for (const [name, values] of attributes) encodeAttribute(parts, name, values)
  }
  parts.push(Buffer.of(GROUPS.end))
  return Buffer.concat(parts)
}

/** A further value of the same attribute has an empty name (RFC 8010, 3.1.5). */
function encodeAttribute(parts: Buffer[], name: string, values: readonly IppValue[]): void {
  for (const [index, { tag, value }] of values.entries()) {
    const key = index === 0 ? name : ''
    if (value instanceof Map) encodeCollection(parts, key, value)
    else parts.push(encodeValue(tag, key, encodeBytes(tag, value as Scalar)))
  }
}

/** Each member is its name, then its values without one (RFC 8010, 3.1.6). */
function encodeCollection(parts: Buffer[], name: string, members: IppAttributes): void {
  parts.push(encodeValue(TAGS.beginCollection, name, Buffer.alloc(0)))
  for (const [member, values] of members) {
    parts.push(encodeValue(TAGS.memberName, '', Buffer.from(member)))
    encodeAttribute(parts, '', values)
  }
  parts.push(encodeValue(TAGS.endCollection, '', Buffer.alloc(0)))
}

type Scalar = Exclude<IppValue['value'], IppAttributes>

function encodeBytes(tag: number, value: Scalar): Uint8Array {
  if (typeof value === 'string') return encodeText(tag, value)
  if (typeof value === 'boolean') return Buffer.of(value ? 1 : 0)
  if (value instanceof Uint8Array) return value
  const numbers = typeof value === 'number' ? [value] : value
  const bytes = Buffer.alloc(tag === TAGS.resolution ? 9 : 4 * numbers.length)
  for (const [n, number] of numbers.entries()) {
    if (tag === TAGS.resolution && n === 2) bytes.writeUInt8(number, 8)
    else bytes.writeInt32BE(number, 4 * n)
  }
  return bytes
}

const ENGLISH = Buffer.from('\0\x02en')

/** Encodes a text. The language that it was in is not kept, but one must precede it (see `readWithLanguage`). */
function encodeText(tag: number, text: string): Uint8Array {
  const bytes = Buffer.from(text)
  if (tag !== TAGS.textWithLanguage && tag !== TAGS.nameWithLanguage) return bytes
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([ENGLISH, length, bytes])
}

function encodeValue(tag: number, name: string, value: Uint8Array): Buffer {
  const key = Buffer.from(name)
  const bytes = Buffer.alloc(5 + key.length + value.length)
  bytes.writeUInt8(tag, 0)
  bytes.writeUInt16BE(key.length, 1)
  key.copy(bytes, 3)
  bytes.writeUInt16BE(value.length, 3 + key.length)
  bytes.set(value, 5 + key.length)
  return bytes
}
