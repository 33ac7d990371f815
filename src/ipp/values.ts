import { type IppValue, TAGS } from './message.ts'

type Content = IppValue['value']

function maker<C extends Content>(tag: number): (...values: C[]) => readonly IppValue[] {
  return (...values) => values.map((value) => ({ tag, value }))
}

export const integer = maker<number>(TAGS.integer)
export const enumeration = maker<number>(TAGS.enum)
export const boolean = maker<boolean>(TAGS.boolean)
export const keyword = maker<string>(TAGS.keyword)
export const text = maker<string>(TAGS.text)
export const name = maker<string>(TAGS.name)
export const uri = maker<string>(TAGS.uri)
export const charset = maker<string>(TAGS.charset)
export const language = maker<string>(TAGS.naturalLanguage)
export const mimeType = maker<string>(TAGS.mimeMediaType)
export const octets = (value: string): readonly IppValue[] => [
  { tag: TAGS.octetString, value: Buffer.from(value) },
]
export const range = (from: number, to: number): readonly IppValue[] => [
  { tag: TAGS.range, value: [from, to] },
]
/** Dots per inch, both ways. */
export const resolution = (dpi: number): readonly IppValue[] => [
  { tag: TAGS.resolution, value: [dpi, dpi, 3] },
]
export const collection = (
  members: Readonly<Record<string, readonly IppValue[]>>,
): readonly IppValue[] => [{ tag: TAGS.beginCollection, value: new Map(Object.entries(members)) }]
/** What has not happened (RFC 8010, 3.5.2). */
export const noValue: readonly IppValue[] = [{ tag: TAGS.noValue, value: new Uint8Array() }]
export const unknown: readonly IppValue[] = [{ tag: TAGS.unknown, value: new Uint8Array() }]

/** DateAndTime (RFC 2579) in UTC. */
export function dateTime(milliseconds: number): readonly IppValue[] {
  const at = new Date(milliseconds)
  const bytes = Buffer.alloc(11)
  bytes.writeUInt16BE(at.getUTCFullYear(), 0)
  bytes.set([at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes()], 2)
  bytes.set([at.getUTCSeconds(), 0, '+'.charCodeAt(0), 0, 0], 6)
  return [{ tag: TAGS.dateTime, value: bytes }]
}
