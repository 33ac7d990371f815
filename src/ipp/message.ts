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
  /** One of `TAGS`, or another. */
  readonly tag: number
  /**
   * Numbers are integers and enums, texts every kind of text; a range is its two ends, a resolution both its numbers and
   * their unit; the rest (dates, octets, out-of-band values such as "no value", values of a wrong length) stays as bytes.
   */
  readonly value: number | boolean | string | readonly number[] | IppAttributes | Uint8Array
}

/** One group, e.g. one printer of a list. */
export interface IppGroup {
  /** One of `GROUPS`, or another delimiter tag. */
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
