import { GROUPS, type IppRequest, type SentAttribute, TAGS } from './message.ts'

/** The request as it goes over the wire, version 2.0 (RFC 8010, 3.1); a document's bytes follow directly. */
export function encodeRequest({ operation, requestId, attributes }: IppRequest): Uint8Array {
  const head = Buffer.alloc(9)
  head.writeUInt8(2, 0) // version 2.0, which cupsd has spoken since 1.5
  head.writeUInt16BE(operation, 2)
  head.writeUInt32BE(requestId, 4)
  head.writeUInt8(GROUPS.operation, 8)
  return Buffer.concat([
    head,
    // These two come first, in this order (RFC 8011, 4.1.4).
    encodeValue(TAGS.charset, 'attributes-charset', Buffer.from('utf-8')),
    encodeValue(TAGS.naturalLanguage, 'attributes-natural-language', Buffer.from('en')),
    ...attributes.map(encodeAttribute),
    Buffer.of(GROUPS.end),
  ])
}

function encodeAttribute({ name, tag, values }: SentAttribute): Buffer {
  // A further value of the same attribute has an empty name (RFC 8010, 3.1.5).
  const parts = values.map((value, index) =>
    encodeValue(TAGS[tag], index === 0 ? name : '', encodeBytes(value)),
  )
  return Buffer.concat(parts)
}

function encodeBytes(value: string | number | boolean): Buffer {
  if (typeof value === 'string') return Buffer.from(value)
  if (typeof value === 'boolean') return Buffer.of(value ? 1 : 0)
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function encodeValue(tag: number, name: string, value: Buffer): Buffer {
  const key = Buffer.from(name)
  const bytes = Buffer.alloc(5 + key.length + value.length)
  bytes.writeUInt8(tag, 0)
  bytes.writeUInt16BE(key.length, 1)
  key.copy(bytes, 3)
  bytes.writeUInt16BE(value.length, 3 + key.length)
  value.copy(bytes, 5 + key.length)
  return bytes
}
