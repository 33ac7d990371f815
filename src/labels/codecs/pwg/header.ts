import { LabelFault } from '../../fault.ts'
import { describePixels, type Header, type PicturePage } from '../decoder.ts'

// PWG Raster (PWG 5102.4) and Apple's URF: what print dialogs turn a page into. Both pack rows alike, one page after the
// other, and nothing but the count of its rows says where a page ends.

/** Color space, which decides how samples become luma. */
export type Space = 'gray' | 'black' | 'rgb' | 'cmyk'

/** Contents of a page header. */
export interface RasterHeader extends Header {
  readonly bitsPerPixel: number
  readonly bytesPerLine: number
  readonly space: Space
  /** Bytes of the file before the packed rows, and where these end. */
  readonly start: number
  readonly end: number
}

/** Either of the two formats. */
export interface RasterKind {
  readonly name: string
  /** First bytes of its files, one character a byte. */
  readonly sign: string
  /** Bytes before a file of one page. */
  readonly head: Uint8Array
  readonly pageHeadBytes: number
  readPageHead(head: DataView): PageHead
}

interface PageHead {
  readonly width: number
  readonly height: number
  readonly across: number
  readonly down: number
  readonly bitsPerPixel: number
  readonly bytesPerLine: number
  readonly space: Space | undefined
}

/** cupsColorSpace (PWG 5102.4, table 4): W, RGB, K, CMYK, sGray, sRGB, AdobeRGB. */
const PWG_SPACES: Readonly<Record<number, Space>> = {
  0: 'gray',
  1: 'rgb',
  3: 'black',
  6: 'cmyk',
  18: 'gray',
  19: 'rgb',
  20: 'rgb',
}
/** sGray, sRGB, AdobeRGB, DeviceW, DeviceRGB, DeviceCMYK, as CUPS writes and reads them (raster-stream.c). */
const URF_SPACES: Readonly<Record<number, Space>> = {
  0: 'gray',
  1: 'rgb',
  3: 'rgb',
  4: 'gray',
  5: 'rgb',
  6: 'cmyk',
}
const SAMPLES: Readonly<Record<Space, number>> = { gray: 1, black: 1, rgb: 3, cmyk: 4 }

export const PWG: RasterKind = {
  name: 'PWG raster',
  sign: 'RaS2',
  head: bytesOf('RaS2'),
  pageHeadBytes: 1796,
  readPageHead(head) {
    if (head.getUint32(396) !== 0) throw unsupported(this, 'its colors in planes')
    return {
      width: head.getUint32(372),
      height: head.getUint32(376),
      across: head.getUint32(276),
      down: head.getUint32(280),
      bitsPerPixel: head.getUint32(388),
      bytesPerLine: head.getUint32(392),
      space: PWG_SPACES[head.getUint32(400)],
    }
  },
}

export const URF: RasterKind = {
  name: 'URF',
  sign: 'UNIRAST\0',
  head: bytesOf('UNIRAST\0\0\0\0\x01'),
  pageHeadBytes: 32,
  readPageHead(head) {
    const [bitsPerPixel, width, dpi] = [head.getUint8(0), head.getUint32(12), head.getUint32(20)]
    return {
      width,
      height: head.getUint32(16),
      across: dpi,
      down: dpi,
      bitsPerPixel,
      bytesPerLine: Math.ceil((width * bitsPerPixel) / 8),
      space: URF_SPACES[head.getUint8(1)],
    }
  },
}

/**
 * The first page; its rows are walked through without unpacking them, 0.1 to 5 ms, so that a file that was cut off is seen.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function readRasterHeader(kind: RasterKind, bytes: Uint8Array): RasterHeader {
  return readRasterPage(kind, bytes, kind.head.length)
}

/**
 * The pages of a file, each as a file of its own.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED, PICTURE_TOO_LARGE
 */
export function listRasterPages(
  kind: RasterKind,
  bytes: Uint8Array,
  most: number,
): readonly PicturePage[] {
  const pages: PicturePage[] = []
  for (let at = kind.head.length; at < bytes.length; ) {
    if (pages.length === most) {
      throw new LabelFault('PICTURE_TOO_LARGE', `The ${kind.name} has more than ${most} pages.`)
    }
    const header = readRasterPage(kind, bytes, at)
    const page = bytes.subarray(at, header.end)
    pages.push({
      header: () => header,
      file() {
        const own = new Uint8Array(kind.head.length + page.length)
        own.set(kind.head)
        own.set(page, kind.head.length)
        return own
      },
    })
    at = header.end
  }
  return pages
}

/** A page, whose head begins at `at`. @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED */
export function readRasterPage(kind: RasterKind, bytes: Uint8Array, at: number): RasterHeader {
  const start = at + kind.pageHeadBytes
  if (start > bytes.length) throw cutOff(kind)
  const head = kind.readPageHead(
    new DataView(bytes.buffer, bytes.byteOffset + at, kind.pageHeadBytes),
  )
  const { width, height, bitsPerPixel, bytesPerLine } = head
  const space = checkHead(kind, head)
  return {
    width,
    height,
    pixels: width * height,
    orientation: 1,
    ...describePixels(head.across, head.down, 1),
    divisors: [1],
    memoryBytes: bytesPerLine + 2 * width,
    ...(bitsPerPixel === 1 && { isBilevel: true }),
    bitsPerPixel,
    bytesPerLine,
    space,
    start,
    end: findEnd(kind, bytes, { start, height, bytesPerLine, bitsPerPixel }),
  }
}

function checkHead(kind: RasterKind, head: PageHead): Space {
  const { width, height, bitsPerPixel, bytesPerLine, space } = head
  if (space === undefined) throw unsupported(kind, 'colors of an unknown kind')
  const samples = SAMPLES[space]
  const bits = bitsPerPixel / samples
  const isKnown = bits === 8 || bits === 16 || (bits === 1 && samples === 1)
  if (!isKnown) throw unsupported(kind, `${bitsPerPixel} bits a pixel`)
  if (width < 1 || height < 1) throw broken(kind, 'a page has no size')
  if (bytesPerLine !== Math.ceil((width * bitsPerPixel) / 8)) {
    throw broken(kind, 'the head of a page is damaged')
  }
  return space
}

/** Finds where the rows of a page end. */
function findEnd(
  kind: RasterKind,
  bytes: Uint8Array,
  page: Pick<RasterHeader, 'start' | 'height' | 'bytesPerLine' | 'bitsPerPixel'>,
): number {
  const group = Math.ceil(page.bitsPerPixel / 8)
  let at = page.start
  for (let y = 0; y < page.height; ) {
    y += (bytes[at] ?? 0) + 1
    at = findRowEnd(kind, bytes, at + 1, { group, bytesPerLine: page.bytesPerLine })
  }
  if (at > bytes.length) throw cutOff(kind)
  return at
}

function findRowEnd(
  kind: RasterKind,
  bytes: Uint8Array,
  from: number,
  { group, bytesPerLine }: { readonly group: number; readonly bytesPerLine: number },
): number {
  let at = from
  for (let x = 0; x < bytesPerLine; ) {
    const code = bytes[at++]
    if (code === undefined) throw cutOff(kind)
    if (code === REST_IS_WHITE) return at
    at += storedGroups(code) * group
    x += drawnGroups(code) * group
    if (x > bytesPerLine) throw broken(kind, 'its rows are damaged')
  }
  return at
}

// Codes of the packing: 0 to 127 repeat the group that follows, 129 to 255 are followed by groups as they are.
export const REST_IS_WHITE = 128
const LITERAL_BASE = 257

/** Groups of bytes that follow a code. */
export function storedGroups(code: number): number {
  return code < REST_IS_WHITE ? 1 : LITERAL_BASE - code
}

/** Groups of bytes of the row that a code stands for. */
export function drawnGroups(code: number): number {
  return code < REST_IS_WHITE ? code + 1 : LITERAL_BASE - code
}

/** Samples of a pixel. */
export function samplesOf(space: Space): number {
  return SAMPLES[space]
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}

function cutOff(kind: RasterKind): LabelFault {
  return broken(kind, 'it is cut off')
}

function broken({ name }: RasterKind, why: string): LabelFault {
  return new LabelFault('PICTURE_BROKEN', `The ${name} cannot be read: ${why}.`)
}

function unsupported({ name }: RasterKind, what: string): LabelFault {
  return new LabelFault('PICTURE_UNSUPPORTED', `The ${name} has ${what}, which is not read here.`)
}
