import { GROUPS, type IppAttributes, type IppMessage, type IppValue, TAGS } from './message.ts'

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
  if (typeof value === 'string') return Buffer.from(value)
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
