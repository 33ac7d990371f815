import { LabelFault } from '../../fault.ts'
import type { Divisor, TakeRow } from '../decoder.ts'
import { enlarge } from './bands.ts'
import { Coefficients } from './buffered.ts'
import { makeIdcts } from './idct.ts'
import { type BlockLayout, layOut } from './layout.ts'
import {
  type Frame,
  findMarker,
  isFrame,
  type JpegTables,
  makeTables,
  nextSegment,
  readFrame,
  readScan,
  readTables,
  SCANS_MAX,
  type Scan,
  type Segment,
} from './markers.ts'
import { decodeSequential } from './sequential.ts'

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda

const noFrame = (): LabelFault =>
  new LabelFault('PICTURE_BROKEN', 'The JPEG picture has no frame header: it is damaged or cut.')

/** Findings of one pass over the file so far. */
interface DecodePass {
  readonly bytes: Uint8Array
  readonly tables: JpegTables
  frame: Frame | undefined
  layout: BlockLayout | undefined
  kept: Coefficients | undefined
  scans: number
}

// Samples that are made of 8 in a row or column.
const SAMPLES = { 1: 8, 2: 4, 4: 2, 8: 1 } as const

/**
 * Decodes luma and calls `take` once a row, top to bottom, as stored, smaller by `divisor` (rounded up; 1 of luma that is
 * stored coarser than color). A file that ends without EOI is as good as one with it, when all that luma is made of has come.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function decodeJpeg(bytes: Uint8Array, divisor: Divisor, take: TakeRow): void {
  const size = SAMPLES[divisor]
  const idct = makeIdcts()[size]
  const progress: DecodePass = {
    bytes,
    tables: makeTables(),
    frame: undefined,
    layout: undefined,
    kept: undefined,
    scans: 0,
  }
  for (let at = 2; ; ) {
    const segment = nextSegment(bytes, at)
    if (segment === undefined || segment.marker === END_OF_IMAGE) {
      renderKept(progress, segment !== undefined, divisor, take)
      return
    }
    if (segment.marker !== START_OF_SCAN) {
      takeSegment(progress, segment)
      at = segment.to
      continue
    }
    const { scan, layout } = startScan(progress, segment)
    if (isStreamed(scan, layout)) {
      decodeSequential(bytes, scan, layout, progress.tables, size, idct, enlarge(layout, take))
      return
    }
    at = keepScan(progress, scan, layout)
  }
}

/** Renders the coefficients of several scans; without the end of the file it must be all there is. */
function renderKept(
  { kept, layout }: DecodePass,
  hasEnd: boolean,
  divisor: Divisor,
  take: TakeRow,
): void {
  if (!hasEnd && kept?.isComplete !== true) {
    throw new LabelFault('PICTURE_BROKEN', 'The JPEG picture was cut.')
  }
  if (kept === undefined || layout === undefined) throw noFrame()
  const size = SAMPLES[divisor]
  kept.render(size, makeIdcts()[size], enlarge(layout, take))
}

/** Reads one of several scans; those without luma are walked over. Returns where the next segment is looked for. */
function keepScan(progress: DecodePass, scan: Scan, layout: BlockLayout): number {
  const { bytes, tables } = progress
  if (!scan.parts.some((part) => layout.wanted.includes(part.component))) {
    return findMarker(bytes, scan.at)
  }
  progress.kept ??= new Coefficients(layout)
  return progress.kept.read(bytes, scan, tables)
}

function takeSegment(progress: DecodePass, segment: Segment): void {
  if (!isFrame(segment.marker)) {
    readTables(progress.bytes, segment, progress.tables)
    return
  }
  if (progress.frame !== undefined) {
    throw new LabelFault('PICTURE_UNSUPPORTED', 'The JPEG picture has several frames; wanted one.')
  }
  progress.frame = readFrame(progress.bytes, segment)
}

function startScan(progress: DecodePass, segment: Segment): { scan: Scan; layout: BlockLayout } {
  const { bytes, tables, frame } = progress
  if (frame === undefined) throw noFrame()
  progress.scans += 1
  if (progress.scans > SCANS_MAX) {
    throw new LabelFault('PICTURE_BROKEN', `The JPEG picture has more than ${SCANS_MAX} scans.`)
  }
  progress.layout ??= layOut(frame, tables)
  return { scan: readScan(bytes, segment, frame), layout: progress.layout }
}

/** A sequential scan with all that luma needs can be shown as it is read; anything else must be kept. */
function isStreamed(scan: Scan, layout: BlockLayout): boolean {
  if (layout.frame.progressive) return false
  return layout.wanted.every((index) => scan.parts.some((part) => part.component === index))
}
