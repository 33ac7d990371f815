/** Operations we ask for (RFC 8011, 5.4.15; CUPS's own from "CUPS Implementation of IPP"). */
export const OPERATIONS = {
  createJob: 0x0005,
  sendDocument: 0x0006,
  cancelJob: 0x0008,
  getJobAttributes: 0x0009,
  getPrinterAttributes: 0x000b,
  cupsGetPrinters: 0x4002,
} as const

/** Status of an answer (RFC 8011, appendix B); everything below 0x0100 is a success. */
export const STATUS = { firstFailure: 0x0100, notPossible: 0x0404, notFound: 0x0406 } as const

/** Delimiter tags that begin a group (RFC 8010, 3.5.1). */
export const GROUPS = { operation: 0x01, job: 0x02, end: 0x03, printer: 0x04 } as const

/** Value tags (RFC 8010, 3.5.2). */
export const TAGS = {
  integer: 0x21,
  boolean: 0x22,
  enum: 0x23,
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

/** Kinds of value that we send. */
export type SentTag = 'integer' | 'boolean' | 'enum' | 'name' | 'keyword' | 'uri' | 'mimeMediaType'

/** An attribute of a request. */
export interface SentAttribute {
  readonly name: string
  readonly tag: SentTag
  readonly values: readonly (string | number | boolean)[]
}

/** A request; charset and language are added by `encodeRequest`. */
export interface IppRequest {
  readonly operation: number
  readonly requestId: number
  /** In order: the target (`printer-uri` or `job-uri`) comes first (RFC 8011, 4.1.5). */
  readonly attributes: readonly SentAttribute[]
}

/**
 * A value of an answer: numbers are integers and enums, texts every kind of text. The rest (dates, ranges, resolutions,
 * out-of-band values such as "no value") stays as bytes; what is in a collection is left out.
 */
export type IppValue = number | boolean | string | Uint8Array

/** One group of an answer, e.g. one printer of a list. */
export interface IppGroup {
  /** One of `GROUPS`, or another delimiter tag. */
  readonly tag: number
  readonly attributes: ReadonlyMap<string, readonly IppValue[]>
}

/** An answer. */
export interface IppResponse {
  readonly status: number
  readonly requestId: number
  readonly groups: readonly IppGroup[]
}

/** The first value of an attribute, when it is a text. */
export function readText(group: IppGroup | undefined, name: string): string | undefined {
  const value = group?.attributes.get(name)?.[0]
  return typeof value === 'string' ? value : undefined
}

/** The first value of an attribute, when it is a number. */
export function readNumber(group: IppGroup | undefined, name: string): number | undefined {
  const value = group?.attributes.get(name)?.[0]
  return typeof value === 'number' ? value : undefined
}

/** All values of an attribute that are texts. */
export function readTexts(group: IppGroup | undefined, name: string): readonly string[] {
  const values = group?.attributes.get(name) ?? []
  return values.filter((value) => typeof value === 'string')
}
