import { Buffer } from 'node:buffer'
import { type Divisor, describePixels, type Header } from '../decoder.ts'
import { type Exif, readExif } from '../exif.ts'
import {
  broken,
  type Density,
  EOI,
  findExif,
  findWanted,
  readAdobeTransform,
  readJfifDensity,
  readSegments,
  SOF0,
  SOF2,
  SOS,
  unsupported,
  withoutEnd,
} from './layout.ts'
import { checkTables, findComponents, SCANS_MAX } from './markers.ts'

/** Contents of the segments. Sections below are those of ITU-T T.81. */
export interface JpegHeader extends Header {
  /** 1 gray, 3 color, 4 printer's colors. */
  readonly components: number
  /** The colors are stored as they are, not as luma and chroma. */
  readonly isPlain: boolean
  /** The streaming decoder takes it: what luma is made of is stored at full resolution, or luma alone is stored coarser. */
  readonly isStreamed: boolean
}

interface FrameHeader {
  readonly width: number
  readonly height: number
  /** Name and sampling factors of each component. */
  readonly components: readonly FrameHeaderComponent[]
  readonly isProgressive: boolean
}

interface FrameHeaderComponent {
  readonly name: number
  readonly across: number
  readonly down: number
}

const SCAN_COMPONENTS_MAX = 4 // B.2.3, table B.3
const BLOCK = 8

// The streaming decoder keeps one row of MCUs, or, of a picture whose scans complete each other, 16 bits a coefficient.
const COEFFICIENT_BYTES = 2
const DIVISORS: readonly Divisor[] = [1, 2, 4, 8]

// jpeg-js 0.4.4, which takes the samplings that the streaming decoder does not, keeps an object a block of 64 samples, then the samples, then three bytes a pixel: 907 to 1211 bytes
// a block measured (gray, 4:4:4, 4:2:0 and CMYK of 4 and 9 million pixels), which is 18 to 57 bytes a pixel.
export const BYTES_PER_BLOCK = 1150

// B.1.1.3, table B.1: what we cannot decode, by its marker.
const UNSUPPORTED: Readonly<Record<number, string>> = {
  195: 'lossless coding',
  197: 'hierarchical coding',
  198: 'hierarchical coding',
  199: 'hierarchical coding',
  201: 'arithmetic coding',
  202: 'arithmetic coding',
  203: 'arithmetic coding',
  205: 'arithmetic coding',
  206: 'arithmetic coding',
  207: 'arithmetic coding',
}
const APP0 = 0xe0
const APP1 = 0xe1
const APP14 = 0xee

/**
 * Walks over all segments (B.2.1), so that a file cut in one of them is known at once; the scans stay undecoded. What is
 * kept of them does not grow with the file.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function readJpegHeader(bytes: Uint8Array): JpegHeader {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: JpegSegments = { orientation: 1, scans: [], hasEnd: false }
  for (const { marker, data } of readSegments(file)) {
    readSegment(found, marker, data)
    found.hasEnd = marker === EOI
  }
  const { frame, adobe, orientation, hasEnd } = found
  if (frame === undefined) throw broken('has no frame header (SOF)')
  const { width, height, components } = frame
  if (components.length === 4 && adobe === undefined) {
    throw unsupported('has four colors and does not say which (no Adobe segment)')
  }
  const isPlain = adobe === undefined ? isNamedRgb(components) : adobe === 0
  const wanted = findWanted(namesOf(components), adobe)
  const luma = components.filter((_, n) => wanted.includes(n))
  const across = Math.max(...components.map((component) => component.across))
  const down = Math.max(...components.map((component) => component.down))
  const isWhole = luma.every((part) => part.across === across && part.down === down)
  const isStreamed = isWhole || isCoarse(luma, across, down)
  if (!isStreamed) checkForJpegJs(components, hasEnd, bytes.length)
  return {
    width,
    height,
    orientation,
    pixels: width * height,
    memoryBytes: isStreamed
      ? measureStreaming(found.scans, frame, wanted, luma, across, down)
      : countBlocks(width, height, components) * BYTES_PER_BLOCK,
    ...readPixels(found),
    // Of inks luma is a product, so that means of them have not its mean.
    divisors: isWhole && components.length < 4 ? DIVISORS : [1],
    components: components.length,
    isPlain,
    isStreamed,
  }
}

/** Refuses files that only the streaming decoder can read. */
function checkForJpegJs(
  components: readonly FrameHeaderComponent[],
  hasEnd: boolean,
  bytes: number,
): void {
  // Without its end only that one knows whether the picture is whole: jpeg-js fills what is missing.
  if (!hasEnd) throw withoutEnd(bytes)
  // jpeg-js keeps components by their names.
  if (new Set(namesOf(components)).size < components.length) {
    throw unsupported('names two of its colors alike')
  }
}

/** Luma alone, in whole steps coarser than color. */
function isCoarse(luma: readonly FrameHeaderComponent[], across: number, down: number): boolean {
  const [only] = luma
  if (only === undefined || luma.length > 1) return false
  return across % only.across === 0 && down % only.down === 0
}

/** Bytes that the streaming decoder holds: a band of rows, and the coefficients when one scan is not the whole. */
function measureStreaming(
  scans: readonly (readonly number[])[],
  { width, height, isProgressive }: FrameHeader,
  wanted: readonly number[],
  luma: readonly FrameHeaderComponent[],
  across: number,
  down: number,
): number {
  const part = luma[0] ?? { across, down }
  const stride = Math.ceil(width / (BLOCK * across)) * BLOCK * part.across
  const bandRows = BLOCK * part.down
  const rows = Math.ceil(height / (BLOCK * down)) * bandRows
  const first = scans.find((scan) => wanted.some((n) => scan.includes(n))) ?? []
  const isWhole = !isProgressive && wanted.every((n) => first.includes(n))
  const kept = isWhole ? 0 : stride * rows * COEFFICIENT_BYTES
  return (stride * bandRows + kept) * luma.length
}

/** Some programs store RGB without an Adobe segment and name the components so. */
function isNamedRgb(components: readonly FrameHeaderComponent[]): boolean {
  return String.fromCharCode(...namesOf(components)) === 'RGB'
}

function namesOf(components: readonly FrameHeaderComponent[]): readonly number[] {
  return components.map(({ name }) => name)
}

interface JpegSegments {
  /** The last segment was EOI. */
  hasEnd: boolean
  frame?: FrameHeader
  adobe?: number | undefined
  orientation: number
  density?: Density
  exif?: Exif
  /** Positions in the frame of the components of each scan. */
  readonly scans: (readonly number[])[]
}

function readSegment(found: JpegSegments, marker: number, data: Buffer): void {
  const coding = UNSUPPORTED[marker]
  if (coding !== undefined) throw unsupported(`uses ${coding}; wanted baseline or progressive`)
  if (marker >= SOF0 && marker <= SOF2) {
    if (found.frame !== undefined) throw broken('says its size twice')
    found.frame = readFrame(data, marker === SOF2)
  } else if (marker === SOS) noteScan(found, data)
  else if (marker >= APP0) readApplication(found, marker, data)
  else checkTables(marker, data)
}

/** Reads what programs add of their own (APPn). */
function readApplication(found: JpegSegments, marker: number, data: Buffer): void {
  if (marker === APP0) readJfif(found, data)
  else if (marker === APP1) readExifSegment(found, data)
  // What comes after the first scan is too late, for the decoder too.
  else if (marker === APP14 && found.scans.length === 0) {
    found.adobe = readAdobeTransform(data) ?? found.adobe
  }
}

/** Reads JFIF: of several the last one that says something, in a unit if any does. */
function readJfif(found: JpegSegments, data: Buffer): void {
  const density = readJfifDensity(data)
  if (density === undefined || density.across === 0) return
  if (density.perInch > 0 || found.density === undefined) found.density = density
}

function readExifSegment(found: JpegSegments, data: Buffer): void {
  const block = findExif(data)
  if (block === undefined) return
  const exif = readExif(block)
  found.exif ??= exif
  found.orientation = exif.orientation ?? found.orientation
}

/** Reads the resolution: JFIF's in a unit; without one Exif's, else how the densities of JFIF relate. */
function readPixels({ density, exif }: JpegSegments): Pick<Header, 'dpi' | 'stretch'> {
  if (density !== undefined && density.perInch > 0) {
    return describePixels(density.across, density.down, density.perInch)
  }
  if (exif?.across !== undefined) return describePixels(exif.across, exif.down ?? exif.across, 1)
  return describePixels(density?.across ?? 0, density?.down ?? 0, 0)
}

function noteScan({ frame, scans }: JpegSegments, data: Buffer): void {
  if (frame === undefined) throw broken('has no frame header (SOF) before its first scan')
  if (scans.length === SCANS_MAX) throw broken(`has more than ${SCANS_MAX} scans`)
  const positions = findComponents(namesOf(frame.components), readScanNames(data))
  if (positions === undefined) throw broken('has a scan of a color that its frame lacks')
  scans.push(positions)
}

/** B.2.3: how many components, name and tables of each, then three bytes. libjpeg wants the length to fit, too. */
function readScanNames(data: Buffer): readonly number[] {
  const count = data[0] ?? 0
  if (count < 1 || count > SCAN_COMPONENTS_MAX || data.length !== 4 + 2 * count) {
    throw broken('has a damaged scan header (SOS)')
  }
  return Array.from({ length: count }, (_, n) => data.readUInt8(1 + 2 * n))
}

/** B.2.2: precision, lines, samples a line, then identifier, sampling and table of each component. */
function readFrame(data: Buffer, isProgressive: boolean): FrameHeader {
  const components = data[5] ?? 0
  if (data.length !== 6 + 3 * components) throw broken('has a damaged frame header (SOF)')
  const precision = data.readUInt8(0)
  const height = data.readUInt16BE(1)
  const width = data.readUInt16BE(3)
  if (precision !== 8) throw unsupported(`has ${precision} bits a sample; wanted 8`)
  if (height === 0) throw unsupported('says its height only after the picture (DNL)')
  if (width === 0) throw broken(`says ${width}x${height} pixels`)
  if (![1, 3, 4].includes(components))
    throw unsupported(`has ${components} colors; wanted 1, 3 or 4`)
  const parts = Array.from({ length: components }, (_, n) => readComponent(data, 6 + 3 * n))
  if (parts.some(({ across, down }) => across < 1 || across > 4 || down < 1 || down > 4)) {
    throw broken('has sampling factors outside 1 to 4')
  }
  return { width, height, components: parts, isProgressive }
}

function readComponent(data: Buffer, at: number): FrameHeaderComponent {
  const packed = data.readUInt8(at + 1)
  return { name: data.readUInt8(at), across: packed >> 4, down: packed & 15 }
}

/** A.2.4: every component is padded to whole MCUs. */
function countBlocks(
  width: number,
  height: number,
  sampling: readonly { across: number; down: number }[],
): number {
  const across = Math.max(...sampling.map((part) => part.across))
  const down = Math.max(...sampling.map((part) => part.down))
  const mcus = Math.ceil(width / (BLOCK * across)) * Math.ceil(height / (BLOCK * down))
  return mcus * sampling.reduce((sum, part) => sum + part.across * part.down, 0)
}
