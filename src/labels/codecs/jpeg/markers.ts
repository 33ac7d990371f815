import { Buffer } from 'node:buffer'
import { LabelFault } from '../../fault.ts'
import { buildHuffman, type HuffmanTable } from './bits.ts'

/** Natural position of the k-th coefficient of the file's zigzag order (ITU-T T.81, figure A.6). */
export const ZIGZAG = Uint8Array.of(
  0,
  1,
  8,
  16,
  9,
  2,
  3,
  10,
  17,
  24,
  32,
  25,
  18,
  11,
  4,
  5,
  12,
  19,
  26,
  33,
  40,
  48,
  41,
  34,
  27,
  20,
  13,
  6,
  7,
  14,
  21,
  28,
  35,
  42,
  49,
  56,
  57,
  50,
  43,
  36,
  29,
  22,
  15,
  23,
  30,
  37,
  44,
  51,
  58,
  59,
  52,
  45,
  38,
  31,
  39,
  46,
  53,
  60,
  61,
  54,
  47,
  55,
  62,
  63,
)

/** A color component of the frame. */
export interface Component {
  readonly id: number
  /** Sampling factors, 1..4. */
  readonly h: number
  readonly v: number
  /** Index of its quantisation table. */
  readonly quantizer: number
}

/** SOFn: what the frame is. */
export interface Frame {
  readonly progressive: boolean
  readonly width: number
  readonly height: number
  readonly components: readonly Component[]
}

/** SOS: what the entropy-coded data that follows holds. */
export interface Scan {
  /** Positions in `frame.components` with their table numbers. */
  readonly parts: readonly {
    readonly component: number
    readonly dc: number
    readonly ac: number
  }[]
  /** First and last coefficient. */
  readonly from: number
  readonly to: number
  /** Successive approximation: high and low bit. */
  readonly high: number
  readonly low: number
  /** Offset of the entropy-coded data. */
  readonly at: number
}

/** Tables that stay in force until a later segment replaces them. */
export interface JpegTables {
  readonly quantizers: Int32Array[]
  readonly dc: HuffmanTable[]
  readonly ac: HuffmanTable[]
  /** MCUs between restart markers; 0 = none. */
  restartInterval: number
  /** Adobe's APP14 transform: 0 = RGB or CMYK, 1 = YCbCr, 2 = YCCK; undefined = no such segment. */
  adobe: number | undefined
}

/** A segment: its marker byte and the range of its content. */
export interface Segment {
  readonly marker: number
  readonly from: number
  readonly to: number
}

/** Encoders write 10 scans or so; each walks over the whole picture, so thousands of them in a small file take hours. */
export const SCANS_MAX = 200

// B.2.4: a segment has no reason to define a table twice, and of empty ones a megabyte holds 60,000.
const QUANTIZERS_MAX = 4
const HUFFMAN_MAX = 8
const CODE_LENGTHS = 16
const CODES_MAX = 256

/** No tables yet. */
export function makeTables(): JpegTables {
  return { quantizers: [], dc: [], ac: [], restartInterval: 0, adobe: undefined }
}

const broken = (what: string): LabelFault =>
  new LabelFault('PICTURE_BROKEN', `The JPEG picture ${what}: it is damaged or cut.`)

/** Markers without a length: TEM, RSTn, SOI, EOI. */
const standsAlone = (marker: number): boolean =>
  marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)

/**
 * The segment at or after `at`, fill bytes skipped; undefined at the end of the file.
 * @throws LabelFault PICTURE_BROKEN
 */
export function nextSegment(bytes: Uint8Array, at: number): Segment | undefined {
  let i = bytes.indexOf(0xff, at)
  if (i < 0) return undefined
  while (bytes[i] === 0xff) i += 1
  const marker = bytes[i]
  if (marker === undefined) return undefined
  if (standsAlone(marker)) return { marker, from: i + 1, to: i + 1 }
  const length = ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number)
  const to = i + 1 + length
  if (length < 2 || to > bytes.length) throw broken('ends inside a segment')
  return { marker, from: i + 3, to }
}

/** Finds where the next marker after entropy-coded data stands: stuffing and restart markers belong to the data. */
export function findMarker(bytes: Uint8Array, at: number): number {
  for (let i = bytes.indexOf(0xff, at); i >= 0; i = bytes.indexOf(0xff, i + 1)) {
    const next = bytes[i + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return i
  }
  return bytes.length
}

/** True for SOFn of any coding process; DHT, JPG and DAC lie in the same range. */
export function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED (12-bit, lossless, hierarchical, arithmetic) */
export function readFrame(bytes: Uint8Array, segment: Segment): Frame {
  const { marker, from, to } = segment
  checkProcess(marker, bytes[from])
  const height = ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number)
  const width = ((bytes[from + 3] as number) << 8) | (bytes[from + 4] as number)
  const count = bytes[from + 5] ?? 0
  if (width === 0 || height === 0) throw broken(`says it is ${width}x${height}`)
  if (![1, 3, 4].includes(count) || from + 6 + count * 3 > to) {
    throw broken(`has ${count} color components instead of 1, 3 or 4`)
  }
  const components = Array.from({ length: count }, (_, i) => readComponent(bytes, from + 6 + i * 3))
  return { progressive: marker === 0xc2, width, height, components }
}

function checkProcess(marker: number, bitsPerSample: number | undefined): void {
  if (marker > 0xc2) {
    const process = marker >= 0xc9 ? 'arithmetic coding' : 'a lossless or hierarchical process'
    throw new LabelFault(
      'PICTURE_UNSUPPORTED',
      `The JPEG picture uses ${process}; wanted Huffman coding.`,
    )
  }
  if (bitsPerSample === 8) return
  throw new LabelFault(
    'PICTURE_UNSUPPORTED',
    `The JPEG picture has ${bitsPerSample} bits a sample; wanted 8.`,
  )
}

function readComponent(bytes: Uint8Array, at: number): Component {
  const h = (bytes[at + 1] as number) >> 4
  const v = (bytes[at + 1] as number) & 15
  const quantizer = bytes[at + 2] ?? 0
  if (h < 1 || h > 4 || v < 1 || v > 4 || quantizer > 3) throw broken('has a bad sampling factor')
  return { id: bytes[at] ?? 0, h, v, quantizer }
}

/** Takes DQT, DHT, DRI and APP14 into `tables`; other segments change nothing. @throws LabelFault PICTURE_BROKEN */
export function readTables(bytes: Uint8Array, segment: Segment, tables: JpegTables): void {
  const content = bytes.subarray(segment.from, segment.to)
  if (segment.marker === 0xdb) readQuantizers(content, tables)
  else if (segment.marker === 0xc4) readHuffman(content, tables)
  else if (segment.marker === 0xdd) tables.restartInterval = readRestartInterval(content)
  else if (segment.marker === 0xee && isAdobe(content)) tables.adobe = content[11]
}

// APP14 as Adobe TN 5116 has it: "Adobe", version, two flag words, the transform.
const isAdobe = (content: Uint8Array): boolean =>
  content.length >= 12 && Buffer.from(content.subarray(0, 5)).toString('latin1') === 'Adobe'

/**
 * Positions in the frame of the components that a scan names, undefined when one is not there. Components that have one
 * name are taken in their order, as libjpeg-turbo does (jdmarker.c, get_sos); none is taken twice.
 */
export function findComponents(
  frame: readonly number[],
  names: readonly number[],
): readonly number[] | undefined {
  const found: number[] = []
  for (const name of names) {
    const at = frame.findIndex((id, n) => id === name && !found.includes(n))
    if (at === -1) return undefined
    found.push(at)
  }
  return found
}

/** Looks at the counts and lengths of DQT, DHT, DRI and DNL alone; nothing is built. @throws LabelFault PICTURE_BROKEN */
export function checkTables(marker: number, content: Uint8Array): void {
  if (marker === 0xdb) splitQuantizers(content)
  else if (marker === 0xc4) splitHuffman(content)
  else if (marker === 0xdd) readRestartInterval(content)
  else if (marker === 0xdc && content.length !== 2) throw broken('has a bad number of lines')
}

/** B.2.4.4. @throws LabelFault PICTURE_BROKEN */
function readRestartInterval(content: Uint8Array): number {
  const [high, low] = content
  if (content.length !== 2 || high === undefined || low === undefined) {
    throw broken('has a bad restart interval')
  }
  return (high << 8) | low
}

function readQuantizers(content: Uint8Array, tables: JpegTables): void {
  for (const { head, from, to } of splitQuantizers(content)) {
    tables.quantizers[head & 15] = readQuantizer(content.subarray(from, to), (head >> 4) + 1)
  }
}

/** A table of DQT or DHT: its first byte, and where the rest of it lies. */
interface TableRange {
  readonly head: number
  readonly from: number
  readonly to: number
}

/** B.2.4.1. @throws LabelFault PICTURE_BROKEN */
function splitQuantizers(content: Uint8Array): readonly TableRange[] {
  const parts: TableRange[] = []
  for (let i = 0; i < content.length; ) {
    const head = content[i] ?? 0
    const bytesPerValue = (head >> 4) + 1
    const to = i + 1 + 64 * bytesPerValue
    const isBad = bytesPerValue > 2 || (head & 15) > 3 || to > content.length
    if (isBad || parts.length === QUANTIZERS_MAX) throw broken('has a bad quantisation table')
    parts.push({ head, from: i + 1, to })
    i = to
  }
  return parts
}

function readQuantizer(content: Uint8Array, bytesPerValue: number): Int32Array {
  const table = new Int32Array(64)
  for (let k = 0; k < 64; k += 1) {
    const last = content[(k + 1) * bytesPerValue - 1] ?? 0
    const high = bytesPerValue === 2 ? (content[k * 2] ?? 0) : 0
    table[ZIGZAG[k] as number] = (high << 8) | last
  }
  return table
}

function readHuffman(content: Uint8Array, tables: JpegTables): void {
  for (const { head, from, to } of splitHuffman(content)) {
    const kind = head >> 4 === 0 ? tables.dc : tables.ac
    const symbols = from + CODE_LENGTHS
    kind[head & 15] = buildHuffman(content.subarray(from, symbols), content.subarray(symbols, to))
  }
}

/** B.2.4.2: the counts of codes of 1 to 16 bits, then a byte for each code. @throws LabelFault PICTURE_BROKEN */
function splitHuffman(content: Uint8Array): readonly TableRange[] {
  const parts: TableRange[] = []
  for (let i = 0; i < content.length; ) {
    const head = content[i] ?? 0
    const from = i + 1
    const codes = content.subarray(from, from + CODE_LENGTHS).reduce((sum, count) => sum + count, 0)
    const to = from + CODE_LENGTHS + codes
    const isBad = head >> 4 > 1 || (head & 15) > 3 || codes > CODES_MAX || to > content.length
    if (isBad || parts.length === HUFFMAN_MAX) throw broken('has a bad Huffman table')
    parts.push({ head, from, to })
    i = to
  }
  return parts
}

/** @throws LabelFault PICTURE_BROKEN */
export function readScan(bytes: Uint8Array, segment: Segment, frame: Frame): Scan {
  const { from, to } = segment
  const count = bytes[from] ?? 0
  const rest = from + 1 + count * 2
  if (count < 1 || count > frame.components.length || rest + 3 > to) throw broken('has a bad scan')
  const found = findComponents(
    frame.components.map((part) => part.id),
    Array.from({ length: count }, (_, i) => bytes[from + 1 + i * 2] ?? 0),
  )
  if (found === undefined) throw broken('has a scan of an unknown color component')
  const parts = found.map((component, i) => {
    const tables = bytes[from + 2 + i * 2] ?? 0
    return { component, dc: tables >> 4, ac: tables & 15 }
  })
  const scan = {
    parts,
    from: bytes[rest] ?? 0,
    to: bytes[rest + 1] ?? 0,
    high: (bytes[rest + 2] as number) >> 4,
    low: (bytes[rest + 2] as number) & 15,
    at: to,
  }
  if (frame.progressive && !isProgression(scan)) throw broken('has a scan with bad limits')
  return scan
}

/** T.81 G.1.1.1: a DC scan, or an AC scan of one component. */
function isProgression(scan: Scan): boolean {
  if (scan.to > 63 || scan.low > 13 || (scan.high !== 0 && scan.high !== scan.low + 1)) return false
  return scan.from === 0 ? scan.to === 0 : scan.from <= scan.to && scan.parts.length === 1
}
