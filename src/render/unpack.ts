import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { PlatenError } from '../errors.ts'
import { latin1 } from '../languages/bytes.ts'
import { HEAD_BYTES } from '../languages/language.ts'
import { detectFormat, type Format } from './detect.ts'

/** As much as a label may be unpacked to; a body of a request is no larger. */
const UNPACKED_BYTES_MAX = 16 * 2 ** 20
/** Packed so many times at most: base64 of gzip of UTF-16. */
const LAYERS_MAX = 3

/** A label as printers and decoders want it. */
export interface Unpacked {
  readonly label: Uint8Array
  readonly format: Format
  /** What it had been packed in, in the order in which it came off, e.g. `base64`; mostly nothing. */
  readonly packing: readonly string[]
}

/**
 * Finds out what a label is, and takes off what somebody packed it in once more: base64 (a carrier's, encoded again),
 * gzip (Amazon, FedEx), UTF-16 (Windows PowerShell's `>`). A label that is one already is left alone.
 * @throws PlatenError LABEL_EMPTY, LABEL_REFUSED, LABEL_UNKNOWN as `detectFormat` says of the label as it came, but for
 *   what was inside when that is known by name
 */
export function unpackLabel(label: Uint8Array): Unpacked {
  return unpack(label, [])
}

function unpack(label: Uint8Array, packing: readonly string[]): Unpacked {
  try {
    return { label, format: detectFormat(label), packing }
  } catch (error) {
    const layer = packing.length < LAYERS_MAX ? findLayer(label) : undefined
    if (layer === undefined) throw error
    try {
      return unpack(layer.open(), [...packing, layer.name])
    } catch (inner) {
      // What a text that only looks like base64 turns into means nothing.
      if (inner instanceof PlatenError && inner.code === 'LABEL_REFUSED') throw inner
      throw error
    }
  }
}

interface Layer {
  readonly name: string
  /** @throws PlatenError LABEL_REFUSED */
  open(): Uint8Array
}

function findLayer(label: Uint8Array): Layer | undefined {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { name: 'gzip', open: () => gunzip(bytes) }
  const utf16 = findUtf16(bytes)
  if (utf16 !== undefined) {
    return { name: 'UTF-16', open: () => Buffer.from(utf16.decode(bytes), 'utf8') }
  }
  const text = readBase64(bytes)
  return text === undefined
    ? undefined
    : { name: 'base64', open: () => Buffer.from(text, 'base64') }
}

/** @throws PlatenError LABEL_REFUSED */
function gunzip(bytes: Buffer): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX })
  } catch (cause) {
    const isLarge = cause instanceof RangeError
    throw new PlatenError(
      'LABEL_REFUSED',
      isLarge
        ? `The label is packed with gzip and holds more than ${UNPACKED_BYTES_MAX / 2 ** 20} MB; wanted less.`
        : 'The label is packed with gzip, and the package is damaged; wanted all of it.',
      { cause, hint: 'Download the label once more, or unpack it and send what is inside.' },
    )
  }
}

/** By its byte order mark, or by the zeros between the first letters. */
function findUtf16(bytes: Buffer): InstanceType<typeof TextDecoder> | undefined {
  const head = latin1(bytes, 0, 6)
  if (/^(?:\xff\xfe|(?:[\t-~]\0){3})/.test(head)) return new TextDecoder('utf-16le')
  return /^(?:\xfe\xff|(?:\0[\t-~]){3})/.test(head) ? new TextDecoder('utf-16be') : undefined
}

const DATA_URL = /^\s*data:[\w.+/;=-]{0,100},\s*/
const BASE64 = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/
const BASE64_HEAD = /^[A-Za-z0-9+/_\s=-]*$/
const LETTERS_LEAST = 8

/** The base64 that a label is, without the beginning of a data URL; undefined when it is none. */
function readBase64(bytes: Buffer): string | undefined {
  // The beginning first: of a label of megabytes that is none, no text is made.
  if (!BASE64_HEAD.test(latin1(bytes, 0, HEAD_BYTES).replace(DATA_URL, ''))) return undefined
  const text = bytes.toString('latin1').replace(DATA_URL, '')
  if (text.length < LETTERS_LEAST || !BASE64.test(text)) return undefined
  return text
}
