import { PlatenError } from '../errors.ts'
import type { Header, TakeRow } from './decode/decoder.ts'
import { decoders } from './decode/index.ts'
import type { PictureFormat } from './detect.ts'
import { checkPicture } from './gate.ts'
import { findLanguage } from './languages/index.ts'
import { type BarMeter, createBarMeter } from './picture/bars.ts'
import { findInk } from './picture/ink.ts'
import { stretchLevels } from './picture/levels.ts'
import { drawOnCanvas, isBlank } from './picture/paper.ts'
import { needsInk, type Placement, placePicture, storedSize } from './picture/placement.ts'
import { orientPlane, orientSize, type Plane, type Size, turnPlane } from './picture/plane.ts'
import { createScaler } from './picture/scale.ts'
import { thresholdPlane } from './picture/threshold.ts'
import { encodePng } from './png.ts'
import type { Rendered, Target } from './target.ts'

const DOTS_MAX = 40_000_000 // a 600 dpi head 4 inches wide, on 27 inches of stock
const MODULE_DOTS = 2 // bars finer than this fail to scan

interface Drawn {
  /** Upright and turned: as it comes onto the label. */
  readonly plane: Plane
  readonly placement: Placement
  /** Width of the finest bars as printed, in dots; undefined when nothing became smaller. */
  readonly finestDots: number | undefined
}

/**
 * Turns a picture label into the printer's bytes: size gate, decoding, trim, scale, turn, levels, threshold, placing, encoding.
 * @throws PlatenError PICTURE_BROKEN, PICTURE_UNSUPPORTED, PICTURE_TOO_LARGE, FIELD_INVALID (a label beyond all
 *   measure), PRINTER_LANGUAGE when the printer's language is not known
 */
export function renderPicture(label: Uint8Array, format: PictureFormat, target: Target): Rendered {
  if (target.language === undefined) {
    throw new PlatenError(
      'PRINTER_LANGUAGE',
      'The printer has no known language, so a picture cannot be turned into it; wanted zpl, epl or tspl.',
    )
  }
  const canvas = measureCanvas(target)
  const header = checkPicture(label, format)
  const drawn = drawPicture(label, format, header, canvas, target)
  const { raster, cut } = drawOnCanvas(
    thresholdPlane(stretchLevels(drawn.plane)),
    canvas,
    drawn.placement,
  )
  const bytes = findLanguage(target.language).encode(raster, {
    widthDots: canvas.width,
    heightDots: canvas.height,
    dpi: target.dpi,
    darkness: target.darkness,
    speed: target.speed,
    z64: target.z64,
  })
  const notes = noteScale(drawn)
  if (cut) notes.push(noteCut(drawn, canvas, target))
  if (isBlank(raster))
    notes.push('Nothing of the picture is dark enough to print: the label is blank.')
  return { bytes, preview: encodePng(raster), notes }
}

/** The label in dots of the head. */
function measureCanvas({ labelWidth, labelHeight, dpi }: Target): Size {
  const width = Math.round(labelWidth * dpi)
  const height = Math.round(labelHeight * dpi)
  if (!(width >= 1 && height >= 1 && width * height <= DOTS_MAX)) {
    throw new PlatenError(
      'FIELD_INVALID',
      `A label of ${labelWidth}x${labelHeight} inches at ${dpi} dpi has ${width}x${height} dots; wanted 1 to ${DOTS_MAX}.`,
    )
  }
  return { width, height }
}

function drawPicture(
  label: Uint8Array,
  format: PictureFormat,
  header: Header,
  canvas: Size,
  target: Target,
): Drawn {
  const upright = orientSize(header, header.orientation)
  return needsInk(upright, canvas, target)
    ? drawPart(label, format, header, canvas, target)
    : drawWhole(label, format, header, canvas, target)
}

/** Row by row: the picture itself is never held. */
function drawWhole(
  label: Uint8Array,
  format: PictureFormat,
  header: Header,
  canvas: Size,
  target: Target,
): Drawn {
  const { orientation } = header
  const placement = placePicture(orientSize(header, orientation), canvas, target)
  const scaler = createScaler(header, storedSize(placement, orientation))
  const meter = meterFor(placement)
  decodePicture(label, format, (row, y) => {
    scaler.take(row)
    meter?.take(row, y)
  })
  const plane = turnPlane(orientPlane(scaler.plane, orientation), placement.turn)
  return { plane, placement, finestDots: finestDots(meter, placement) }
}

/** Where the ink lies decides, so all rows are held as grey before any is drawn. */
function drawPart(
  label: Uint8Array,
  format: PictureFormat,
  header: Header,
  canvas: Size,
  target: Target,
): Drawn {
  const picture = orientPlane(readPlane(label, format, header), header.orientation)
  const placement = placePicture(picture, canvas, target, findInk(picture))
  const { window } = placement
  const scaler = createScaler(window, placement.size)
  const meter = meterFor(placement)
  for (let y = 0; y < window.height; y++) {
    const from = (window.y + y) * picture.width + window.x
    const row = picture.luma.subarray(from, from + window.width)
    scaler.take(row)
    meter?.take(row, y)
  }
  const plane = turnPlane(scaler.plane, placement.turn)
  return { plane, placement, finestDots: finestDots(meter, placement) }
}

function readPlane(label: Uint8Array, format: PictureFormat, { width, height }: Size): Plane {
  const luma = new Uint8Array(width * height)
  decodePicture(label, format, (row, y) => luma.set(row, y * width))
  return { width, height, luma }
}

function decodePicture(label: Uint8Array, format: PictureFormat, take: TakeRow): void {
  for (const decoder of decoders) {
    if (decoder.format === format) decoder.decode(label, take)
  }
}

function meterFor({ window, size }: Placement): BarMeter | undefined {
  return size.width < window.width ? createBarMeter(window) : undefined
}

function finestDots(meter: BarMeter | undefined, { window, size }: Placement): number | undefined {
  const pixels = meter?.finest()
  return pixels === undefined ? undefined : (pixels * size.width) / window.width
}

function noteScale({ placement, finestDots }: Drawn): string[] {
  if (finestDots === undefined || finestDots >= MODULE_DOTS) return []
  const percent = Math.round((100 * placement.size.width) / placement.window.width)
  return [
    `The picture was scaled to ${percent} % to fit: its finest bars are ${finestDots.toFixed(1)} dots wide and may not scan, wanted ${MODULE_DOTS}. Ask for the label at the size and resolution of the printer.`,
  ]
}

function noteCut({ plane, placement }: Drawn, canvas: Size, target: Target): string {
  return `The starting point ${target.startingPointX}, ${target.startingPointY} moved part of the picture off the label: ${plane.width}x${plane.height} dots at ${placement.x}, ${placement.y} on ${canvas.width}x${canvas.height}.`
}
