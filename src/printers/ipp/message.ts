/** Delimiter tags that begin a group (RFC 8010, 3.5.1). */
export const GROUPS = {
  operation: 0x01,
  job: 0x02,
  end: 0x03,
  printer: 0x04,
  unsupported: 0x05,
} as const

/** Value tags (RFC 8010, 3.5.2). */
export const TAGS = {
  unsupported: 0x10,
  unknown: 0x12,
  noValue: 0x13,
  integer: 0x21,
  boolean: 0x22,
  enum: 0x23,
  octetString: 0x30,
  dateTime: 0x31,
  resolution: 0x32,
  range: 0x33,
  beginCollection: 0x34,
  textWithLanguage: 0x35,
  nameWithLanguage: 0x36,
  endCollection: 0x37,
  text: 0x41,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  charset: 0x47,
  naturalLanguage: 0x48,
  mimeMediaType: 0x49,
  memberName: 0x4a,
} as const

/** The attributes of a group, or the members of a collection, in their order. */
export type IppAttributes = ReadonlyMap<string, readonly IppValue[]>

/** A value and its kind. */
export interface IppValue {
  /** Value tag: one of `TAGS`, or another. */
  readonly tag: number
  /**
   * Numbers are integers and enums, texts every kind of text; a range is its two ends, a resolution both its numbers and
   * their unit; the rest (dates, octets, out-of-band values such as "no value", values of a wrong length) stays as bytes.
   */
  readonly value: number | boolean | string | readonly number[] | IppAttributes | Uint8Array
}

/** An attribute group, e.g. one printer of a list. */
export interface IppGroup {
  /** Delimiter tag: one of `GROUPS`, or another. */
  readonly tag: number
  readonly attributes: IppAttributes
}

/** A request or an answer. */
export interface IppMessage {
  readonly version: readonly [major: number, minor: number]
  /** Operation of a request, status of an answer. */
  readonly code: number
  readonly requestId: number
  readonly groups: readonly IppGroup[]
}

/** The first value of an attribute, when it is a text. */
export function readText(group: IppGroup | undefined, name: string): string | undefined {
  const value = readFirst(group, name)
  return typeof value === 'string' ? value : undefined
}

/** The first value of an attribute, when it is a number. */
export function readNumber(group: IppGroup | undefined, name: string): number | undefined {
  const value = readFirst(group, name)
  return typeof value === 'number' ? value : undefined
}

/** The first value of an attribute. */
export function readFirst(
  group: IppGroup | undefined,
  name: string,
): IppValue['value'] | undefined {
  return group?.attributes.get(name)?.[0]?.value
}

/** All values of an attribute that are texts. */
export function readTexts(group: IppGroup | undefined, name: string): readonly string[] {
  const values = group?.attributes.get(name) ?? []
  return values.map(({ value }) => value).filter((value) => typeof value === 'string')
}

type IppContent = IppValue['value']

function maker<C extends IppContent>(tag: number): (...values: C[]) => readonly IppValue[] {
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
/** Value `no-value` for what has not happened (RFC 8010, 3.5.2). */
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
