import { promisify } from 'node:util'
import { gunzip, inflateRaw } from 'node:zlib'
import { PlatenError } from '../../errors.ts'
import { detectFormat } from '../../render/detect.ts'
import { RAW_FORMATS } from './printer.ts'
import { Refusal } from './protocol.ts'

const FORMATS: Readonly<Record<string, string>> = {
  'image/pwg-raster': 'pwg',
  'image/urf': 'urf',
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  ...Object.fromEntries(Object.entries(RAW_FORMATS).map(([name, format]) => [format, name])),
}

/** `deflate` of IPP is without a head (RFC 1951), and CUPS packs by itself as soon as it may. */
const UNPACK = { gzip: promisify(gunzip), deflate: promisify(inflateRaw) } as const

/** One after the other: what each may take is bounded, many at once would not be. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * The document unpacked.
 * @throws Refusal compressionError, tooLarge
 */
export async function unpackDocument(
  bytes: Uint8Array,
  compression: string,
  maxOutputLength: number,
): Promise<Uint8Array> {
  if (compression !== 'gzip' && compression !== 'deflate') return bytes
  const unpacked = turn.then(() => UNPACK[compression](bytes, { maxOutputLength }))
  turn = unpacked.catch(() => undefined)
  try {
    return await unpacked
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Refusal('tooLarge', `The document has more than ${maxOutputLength} bytes.`)
    }
    throw new Refusal('compressionError', `The document cannot be unpacked as ${compression}.`)
  }
}

/**
 * Whether the bytes are what the client says; of `application/octet-stream` nothing is said.
 * @throws Refusal documentFormatError
 */
export function checkDocument(bytes: Uint8Array, format: string): void {
  const wanted = FORMATS[format]
  if (wanted === undefined) return
  const seen = detectQuietly(bytes)
  if (seen === wanted) return
  const what = seen === undefined ? 'something else' : seen.toUpperCase()
  throw new Refusal(
    'documentFormatError',
    `The document is said to be ${wanted.toUpperCase()} (${format}), but it is ${what}.`,
  )
}

function detectQuietly(bytes: Uint8Array): string | undefined {
  try {
    return detectFormat(bytes)
  } catch (error) {
    if (error instanceof PlatenError) return undefined
    throw error
  }
}
