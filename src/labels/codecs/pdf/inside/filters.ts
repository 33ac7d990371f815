import { inflateRawSync, inflateSync } from 'node:zlib'
import { type Dict, nameOf, type Objects, type PdfValue, type Stream } from './syntax.ts'
import {
  type DataFault,
  type FilterStep,
  readBase85,
  readHex,
  UNPACKED_MOST,
  unpackLzw,
  unpackRuns,
} from './unpack.ts'

export interface FilterOutput {
  /** The data as far as it could be unpacked; for a picture that is only inspected, perhaps with its predictor on. */
  readonly data: Uint8Array
  /** Length in bytes without the predictor. */
  readonly length: number
  readonly fault: DataFault | undefined
  /** Image filter that is still on: what is for the one who draws pictures, with its parameters. */
  readonly picture: { readonly filter: string; readonly parms: Dict | undefined } | undefined
  /** Its data carry a checksum, which is right: they are what their maker wrote. */
  readonly isProven: boolean
}

const FILTERS_MOST = 8
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['AHx', 'ASCIIHexDecode'],
  ['A85', 'ASCII85Decode'],
  ['LZW', 'LZWDecode'],
  ['Fl', 'FlateDecode'],
  ['RL', 'RunLengthDecode'],
  ['CCF', 'CCITTFaxDecode'],
  ['DCT', 'DCTDecode'],
])
const PICTURE_FILTERS = new Set(['CCITTFaxDecode', 'DCTDecode', 'JPXDecode', 'JBIG2Decode'])

/** Takes the filters of a stream off, up to those of pictures. `isLook`: nobody wants the samples of the picture. */
export function decodeStream(file: Objects, stream: Stream, isLook = false): FilterOutput {
  const isPlain = nameOf(stream.dict.get('Type')) === 'XRef'
  const data =
    file.key === undefined || stream.number === 0 || isPlain
      ? stream.data
      : file.key.unlock(stream.data, stream.number)
  if (stream.dict.has('F') && !isInline(stream)) return faulty('unknown')
  const filters = listOf(file, stream.dict.get('Filter') ?? stream.dict.get('F'))
  const parms = listOf(file, stream.dict.get('DecodeParms') ?? stream.dict.get('DP'))
  let step: FilterStep = { data }
  for (const [n, one] of filters.slice(0, FILTERS_MOST).entries()) {
    const name = nameOf(one)
    const filter = SHORT_NAMES.get(name) ?? name
    const own = file.dict(parms[n])
    if (PICTURE_FILTERS.has(filter)) {
      return { ...asDecoded(step), picture: { filter, parms: own } }
    }
    step = applyFilter(file, filter, step.data, { parms: own, isLook })
    if (step.fault !== undefined) break
  }
  return asDecoded(step)
}

/** `/F` is the filter of a picture within content, and elsewhere another file. */
function isInline({ number }: Stream): boolean {
  return number === 0
}

function asDecoded({
  data,
  length = data.length,
  fault,
  isProven = false,
}: FilterStep): FilterOutput {
  return { data, length, fault, isProven, picture: undefined }
}

function faulty(fault: DataFault): FilterOutput {
  return asDecoded({ data: new Uint8Array(), fault })
}

function listOf(file: Objects, value: PdfValue | undefined): readonly PdfValue[] {
  const found = file.get(value)
  if (found === null) return []
  return Array.isArray(found) ? found.map((one) => file.get(one)) : [found]
}

function applyFilter(
  file: Objects,
  filter: string,
  data: Uint8Array,
  how: { readonly parms: Dict | undefined; readonly isLook: boolean },
): FilterStep {
  const early = file.number(how.parms?.get('EarlyChange')) ?? 1
  switch (filter) {
    case 'FlateDecode':
      return undoPredictor(file, inflate(data), how)
    case 'LZWDecode':
      return undoPredictor(file, unpackLzw(data, early), how)
    case 'RunLengthDecode':
      return unpackRuns(data)
    case 'ASCIIHexDecode':
      return readHex(data)
    case 'ASCII85Decode':
      return readBase85(data)
    case 'Crypt':
      return { data }
    default:
      return { data: new Uint8Array(), fault: 'unknown' }
  }
}

const CHECKSUM_BYTES = 4
const ZLIB_HEAD = 2

/** Unpacks zlib's format; without the checksum at its end, or with zeros there, it is as good. */
function inflate(data: Uint8Array): FilterStep {
  try {
    return { data: inflateSync(data, { maxOutputLength: UNPACKED_MOST }), isProven: true }
  } catch (error) {
    if (isTooLarge(error)) return { data: new Uint8Array() }
  }
  if (!isZlibHead(data))
    return { data: new Uint8Array(), fault: data.length < 2 ? 'cut' : 'damaged' }
  return inflateRaw(data.subarray(ZLIB_HEAD))
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError
}

function isZlibHead([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 15) === 8 && method >> 4 <= 7 && (method * 256 + flags) % 31 === 0
}

interface InflateResult {
  readonly buffer: Uint8Array
  readonly engine: { readonly bytesWritten: number }
}

function inflateRaw(packed: Uint8Array): FilterStep {
  const options = { maxOutputLength: UNPACKED_MOST, info: true }
  try {
    const { buffer, engine } = inflateRawSync(packed, options) as unknown as InflateResult
    const sum = packed.subarray(engine.bytesWritten, engine.bytesWritten + CHECKSUM_BYTES)
    return { data: buffer, fault: isNoSum(sum, buffer) ? undefined : 'checksum' }
  } catch (error) {
    if (isTooLarge(error)) return { data: new Uint8Array() }
    const isCut = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
    return isCut ? inflateStart(packed) : { data: new Uint8Array(), fault: 'damaged' }
  }
}

/** Zeros, or as much of the right one as there is. */
function isNoSum(sum: Uint8Array, data: Uint8Array): boolean {
  if (sum.every((byte) => byte === 0)) return true
  const right = adler32(data)
  const bytes = [24, 16, 8, 0].map((shift) => (right >>> shift) & 0xff)
  return sum.length < CHECKSUM_BYTES && sum.every((byte, n) => byte === bytes[n])
}

const ADLER = 65521
/** So many bytes can be summed up before the rest is taken (zlib's NMAX). */
const ADLER_ROUND = 5552

function adler32(data: Uint8Array): number {
  let [a, b] = [1, 0]
  for (let from = 0; from < data.length; from += ADLER_ROUND) {
    const to = Math.min(data.length, from + ADLER_ROUND)
    for (let n = from; n < to; n++) {
      a += data[n] as number
      b += a
    }
    a %= ADLER
    b %= ADLER
  }
  return ((b << 16) | a) >>> 0
}

const FLUSHED = [0, 0, 0xff, 0xff]

/** Inflates data that end early. Some programs end with a flush instead of a last block: then all of it came. */
function inflateStart(packed: Uint8Array): FilterStep {
  const options = { maxOutputLength: UNPACKED_MOST, finishFlush: 2 } // Z_SYNC_FLUSH
  const isFlushed = FLUSHED.every((byte, n) => packed.at(n - FLUSHED.length) === byte)
  try {
    return { data: inflateRawSync(packed, options), fault: isFlushed ? undefined : 'cut' }
  } catch {
    return { data: new Uint8Array(), fault: 'damaged' }
  }
}

const TIFF = 2
const PNG = 10
const PNG_KINDS = 4

/** Undoes what made rows easier to pack (7.4.4.4). */
function undoPredictor(
  file: Objects,
  step: FilterStep,
  { parms, isLook }: { readonly parms: Dict | undefined; readonly isLook: boolean },
): FilterStep {
  const value = (name: string, usual: number) => file.number(parms?.get(name)) ?? usual
  const kind = value('Predictor', 1)
  if (kind < PNG || step.data.length === 0) {
    return kind === TIFF || kind <= 1 ? step : { ...step, fault: step.fault ?? 'unknown' }
  }
  const bits = value('Colors', 1) * value('BitsPerComponent', 8)
  const rowBytes = Math.ceil((bits * value('Columns', 1)) / 8)
  if (!(rowBytes > 0 && rowBytes < UNPACKED_MOST)) return { ...step, fault: 'damaged' }
  return isLook ? lookAtPng(step, rowBytes) : undoPng(step, rowBytes, Math.max(1, bits >> 3))
}

function lookAtPng(step: FilterStep, rowBytes: number): FilterStep {
  const { data } = step
  let [fault, rows]: [DataFault | undefined, number] = [step.fault, 0]
  for (let at = 0; at < data.length; at += rowBytes + 1, rows++) {
    if ((data[at] as number) > PNG_KINDS) fault ??= 'damaged'
  }
  return { ...step, length: data.length - rows, fault }
}

function undoPng(step: FilterStep, rowBytes: number, pixel: number): FilterStep {
  const { data } = step
  const rows = Math.ceil(data.length / (rowBytes + 1))
  const out = new Uint8Array(Math.max(0, data.length - rows))
  let fault = step.fault
  for (let y = 0; y < rows; y++) {
    const from = y * (rowBytes + 1)
    const packed = data.subarray(from + 1, from + 1 + rowBytes)
    const kind = data[from] as number
    if (kind > PNG_KINDS) fault ??= 'damaged'
    undoRow(kind, packed, out, y * rowBytes, rowBytes, pixel)
  }
  return { ...step, data: out, fault }
}

function undoRow(
  kind: number,
  packed: Uint8Array,
  out: Uint8Array,
  to: number,
  rowBytes: number,
  pixel: number,
): void {
  if (kind === 0 || kind > PNG_KINDS) {
    out.set(packed, to)
    return
  }
  for (let n = 0; n < packed.length; n++) {
    const left = n < pixel ? 0 : (out[to + n - pixel] as number)
    const up = to === 0 ? 0 : (out[to + n - rowBytes] as number)
    const corner = n < pixel || to === 0 ? 0 : (out[to + n - rowBytes - pixel] as number)
    out[to + n] = (packed[n] as number) + predict(kind, left, up, corner)
  }
}

function predict(kind: number, left: number, up: number, corner: number): number {
  if (kind === 1) return left
  if (kind === 2) return up
  if (kind === 3) return (left + up) >> 1
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}
