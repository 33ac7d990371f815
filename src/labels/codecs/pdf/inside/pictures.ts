import { Buffer } from 'node:buffer'
import { LabelFault } from '../../../fault.ts'
import { decodeJpeg } from '../../jpeg/decode.ts'
import { readJpegHeader } from '../../jpeg/header.ts'
import { countFaxRows } from '../../tiff/ccitt.ts'
import type { PdfFile } from './file.ts'
import { decodeStream, type FilterOutput } from './filters.ts'
import { checkJbig2, checkJpeg2000 } from './segments.ts'
import { type Dict, Name, type PdfValue, Stream } from './syntax.ts'
import type { DataFault } from './unpack.ts'

/** Counts the components of a color space; undefined = not known. */
export type CountComponents = (space: PdfValue | undefined) => number | undefined

/** Pixels up to which a JPEG is decoded to see whether it is whole. */
const JPEG_PIXELS_MOST = 40_000_000
/** Bytes of samples that a wrong length may have cost: an end of line. */
const LINE_END = 2

/**
 * Finds defects in the data of a picture; `open`: they do not end, but all rows are there. Those of its mask are looked at
 * by whoever calls.
 */
export function checkPicture(
  file: PdfFile,
  stream: Stream,
  count: CountComponents,
): DataFault | 'open' | undefined {
  const decoded = decodeStream(file, stream, true)
  if (decoded.fault !== undefined) return checkRest(file, stream, count, decoded)
  if (decoded.picture === undefined) return checkLength(file, stream, count, decoded)
  const { filter, parms } = decoded.picture
  const { data } = decoded
  switch (filter) {
    case 'DCTDecode':
      return checkJpeg(data)
    case 'CCITTFaxDecode':
      return checkFax(file, stream.dict, parms, data)
    case 'JPXDecode':
      return checkJpeg2000(data)
    default:
      return checkJbig2(data, true) ?? checkGlobals(file, parms)
  }
}

/** Data that end early may have all rows of the picture already. */
function checkRest(
  file: PdfFile,
  stream: Stream,
  count: CountComponents,
  decoded: FilterOutput,
): DataFault | 'open' | undefined {
  const { fault } = decoded
  if (fault !== 'cut' || wantedBytes(file, stream.dict, count) === undefined) return fault
  return checkLength(file, stream, count, decoded) ?? 'open'
}

function checkLength(
  file: PdfFile,
  stream: Stream,
  count: CountComponents,
  { length }: FilterOutput,
): DataFault | undefined {
  const wanted = wantedBytes(file, stream.dict, count)
  if (wanted === undefined) return undefined
  const isPlain = !stream.dict.has('Filter') && !stream.dict.has('F')
  const lost = isPlain && !stream.isMeasured ? LINE_END : 0
  return length + lost < wanted ? 'cut' : undefined
}

/** Bytes of all rows of a picture without filters. */
export function wantedBytes(file: PdfFile, dict: Dict, count: CountComponents): number | undefined {
  const [width, height] = [sideOf(file, dict, 'Width', 'W'), sideOf(file, dict, 'Height', 'H')]
  const isMask = file.get(dict.get('ImageMask') ?? dict.get('IM')) === true
  const bits = isMask ? 1 : sideOf(file, dict, 'BitsPerComponent', 'BPC')
  const components = isMask ? 1 : count(dict.get('ColorSpace') ?? dict.get('CS'))
  if (width === undefined || height === undefined || bits === undefined) return undefined
  if (components === undefined) return undefined
  return Math.ceil((width * bits * components) / 8) * height
}

function sideOf(file: PdfFile, dict: Dict, name: string, short: string): number | undefined {
  return file.number(dict.get(name) ?? dict.get(short))
}

function checkJpeg(data: Uint8Array): DataFault | undefined {
  const start = Buffer.from(data.buffer, data.byteOffset, data.byteLength).indexOf('ffd8', 0, 'hex')
  if (start === -1) return 'damaged'
  const jpeg = data.subarray(start)
  try {
    const header = readJpegHeader(jpeg)
    if (!header.isStreamed || header.pixels > JPEG_PIXELS_MOST) return checkJpegEnd(jpeg)
    decodeJpeg(jpeg, header.divisors.includes(8) ? 8 : 1, () => undefined)
    return undefined
  } catch (error) {
    if (!(error instanceof LabelFault)) throw error
    return error.code === 'PICTURE_BROKEN' ? 'cut' : checkJpegEnd(jpeg)
  }
}

function checkJpegEnd(jpeg: Uint8Array): DataFault | undefined {
  const whole = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength)
  return whole.lastIndexOf('ffd9', undefined, 'hex') === -1 ? 'cut' : undefined
}

function checkFax(
  file: PdfFile,
  dict: Dict,
  parms: Dict | undefined,
  data: Uint8Array,
): DataFault | undefined {
  const k = file.number(parms?.get('K')) ?? 0
  const width = file.number(parms?.get('Columns')) ?? 1728
  const rows = sideOf(file, dict, 'Height', 'H') ?? file.number(parms?.get('Rows')) ?? 0
  const found = countFaxRows(data, {
    width,
    rows,
    kind: k < 0 ? 'g4' : 'g3',
    is2d: k > 0,
    isAligned: file.get(parms?.get('EncodedByteAlign')) === true,
  })
  return found.rows >= rows || found.hasEnd ? undefined : 'cut'
}

function checkGlobals(file: PdfFile, parms: Dict | undefined): DataFault | undefined {
  if (parms?.has('JBIG2Globals') !== true) return undefined
  const globals = file.get(parms.get('JBIG2Globals'))
  if (!(globals instanceof Stream)) return 'damaged'
  const { data, fault } = decodeStream(file, globals)
  return fault ?? checkJbig2(data, false)
}

const FAMILIES: ReadonlyMap<string, number> = new Map([
  ['DeviceGray', 1],
  ['G', 1],
  ['CalGray', 1],
  ['Indexed', 1],
  ['I', 1],
  ['Separation', 1],
  ['DeviceRGB', 3],
  ['RGB', 3],
  ['CalRGB', 3],
  ['Lab', 3],
  ['DeviceCMYK', 4],
  ['CMYK', 4],
])

/** Components of a color space (8.6); names of the page's own are looked up by whoever calls. */
export function countComponents(file: PdfFile, space: PdfValue | undefined): number | undefined {
  const found = file.get(space)
  if (found instanceof Name) return FAMILIES.get(found.text)
  if (!Array.isArray(found)) return undefined
  const [family, second]: readonly PdfValue[] = found
  const name = file.name(family)
  if (name === 'ICCBased') return file.number(file.dict(second)?.get('N'))
  if (name === 'DeviceN') return file.list(second).length
  return FAMILIES.get(name)
}
