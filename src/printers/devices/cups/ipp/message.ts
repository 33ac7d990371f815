import { PlatenError } from '../../../../errors.ts'
import { decodeMessage, encodeMessage, IppFault } from '../../../../ipp/codec.ts'
import { GROUPS, type IppGroup, type IppValue, TAGS } from '../../../../ipp/message.ts'

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

/** The most of an answer that is read; 1,000 queues with the attributes we ask for take about 0.5 MB. */
export const MOST_BYTES = 1_048_576

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

/** An answer. */
export interface IppResponse {
  readonly status: number
  readonly requestId: number
  readonly groups: readonly IppGroup[]
}

/** The request as it goes over the wire, version 2.0, which cupsd has spoken since 1.5; a document's bytes follow directly. */
export function encodeRequest({ operation, requestId, attributes }: IppRequest): Uint8Array {
  const list: readonly (readonly [string, readonly IppValue[]])[] = [
    // These two come first, in this order (RFC 8011, 4.1.4).
    ['attributes-charset', [{ tag: TAGS.charset, value: 'utf-8' }]],
    ['attributes-natural-language', [{ tag: TAGS.naturalLanguage, value: 'en' }]],
    ...attributes.map(
      ({ name, tag, values }) =>
        [name, values.map((value) => ({ tag: TAGS[tag], value }))] as const,
    ),
  ]
  const groups = [{ tag: GROUPS.operation, attributes: new Map(list) }]
  return encodeMessage({ version: [2, 0], code: operation, requestId, groups })
}

/**
 * Reads an answer. Bytes behind its end are ignored.
 * @throws PlatenError PRINTER_OFFLINE when the bytes are not a whole IPP message: what answered is not a print spooler
 */
export function decodeResponse(bytes: Uint8Array): IppResponse {
  if (bytes.length > MOST_BYTES) throw broken(`${bytes.length} bytes; wanted ${MOST_BYTES} at most`)
  const [major = 0, minor = 0] = bytes
  if (bytes.length >= 8 && major !== 1 && major !== 2) {
    throw broken(`version ${major}.${minor}; wanted 1 or 2`)
  }
  try {
    const { code, requestId, groups } = decodeMessage(bytes).message
    return { status: code, requestId, groups }
  } catch (error) {
    throw error instanceof IppFault ? broken(error.message) : error
  }
}

function broken(seen: string): PlatenError {
  return new PlatenError(
    'PRINTER_OFFLINE',
    `The print spooler of this computer sent an answer that cannot be read: ${seen}.`,
  )
}
