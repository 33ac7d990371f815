import type { Header } from './codecs/decoder.ts'
import { checkPicture, findDecoder, type PictureFormat } from './codecs/index.ts'
import { LabelFault, type Remark, reason } from './fault.ts'
import { findLanguage, type LanguageName, namedLanguages } from './languages/index.ts'
import { realDpi } from './languages/language.ts'
import { type Raster, rowBytes } from './languages/raster.ts'
import type { DrawnPage } from './pages/look.ts'
import { drawOnCanvas, isBlank, SQUEEZED_MOST, squeeze } from './picture/dots.ts'
import { drawPicture, type OpenPicture, squareSize } from './picture/draw.ts'
import { isSameShape, needsInk, type Placement, placePicture } from './picture/placement.ts'
import { stretchLevels, thresholdPlane } from './picture/threshold.ts'
import { orientSize, type Plane, type Size, turnPlane, turnSize } from './plane.ts'
import {
  encodePng,
  inInches,
  isTiny,
  measureStock,
  type RenderedLabel,
  type Target,
} from './target.ts'

const MODULE_DOTS = 2 // bars finer than this fail to scan

/**
 * Turns a picture label into the printer's bytes: size gate, decoding, trim, scale, turn, levels, threshold, placing, encoding.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED, PICTURE_TOO_LARGE, FIELD_INVALID (a label beyond all
 *   measure), PRINTER_LANGUAGE when the printer's language is not known
 */
export async function renderPicture(
  label: Uint8Array,
  format: PictureFormat,
  target: Target,
): Promise<RenderedLabel> {
  checkLanguage(target)
  const canvas = measureStock(target)
  const header = checkPicture(label, format)
  const place = withDpi(target, chooseDpi(target, header, format, canvas))
  const whole = { label, decoder: findDecoder(format), header }
  const picture = await choosePart(whole, place)
  if (picture === undefined) return finishBlank(target)
  const { dots, placement, finestDots, isPale } = await drawDots(picture, canvas, place)
  const notes = noteScale(placement, finestDots)
  const more = notes.length > 0 ? [] : noteSize(picture, placement, canvas, target)
  const { width, height } = orientSize(squareSize(picture.header), header.orientation)
  const { pictureDpi = target.dpi } = place
  const own = inInches(width / pictureDpi, height / pictureDpi)
  return finish(dots, placement, { found: [...notes, ...more, ...notePale(isPale)], own }, target)
}

/** The part of a picture that the request wants, else all of it; undefined = that is blank. */
async function choosePart(picture: OpenPicture, place: Target): Promise<OpenPicture | undefined> {
  const { area = 'page', pictureDpi } = place
  if (area === 'page') return picture
  const { findPart } = await import('./pages/area.ts')
  return await findPart(picture, area, pictureDpi ?? picture.header.dpi)
}

function finishBlank(target: Target & { readonly language: LanguageName }): RenderedLabel {
  const canvas = measureStock(target)
  const dots = { ...canvas, bits: new Uint8Array(rowBytes(canvas.width) * canvas.height) }
  return finish(dots, placePicture(canvas, canvas, target), { found: [] }, target)
}

// What states less was made for a screen, or does not know it.
const DPI_LEAST = 300
const READABLE = 1 / 3

/** Notes a picture that comes out far smaller than it was probably meant. */
function noteSize(
  { header, decoder }: OpenPicture,
  { size, window, turn }: Placement,
  canvas: Size,
  target: Target,
): readonly Remark[] {
  const { dpi, pictureDpi, scaling } = target
  const isPage = decoder.format === 'pwg' || decoder.format === 'urf'
  if ((pictureDpi !== undefined || scaling === 'none') && isTiny(turnSize(size, turn), canvas)) {
    const label = inInches(target.labelWidth, target.labelHeight)
    return [reason('pictureTiny', { size: inInches(size.width / dpi, size.height / dpi), label })]
  }
  const stated = pictureDpi ?? (isPage ? header.dpi : Math.max(header.dpi, DPI_LEAST))
  const share = (size.width / window.width) * (stated / dpi)
  // Of the shape of the label it is the label at another resolution.
  if (share >= READABLE || isSameShape(turnSize(window, turn), canvas)) return []
  return [reason('pictureReduced', { percent: Math.max(1, Math.round(100 * share)) })]
}

/**
 * Chooses the resolution. What a picture itself says counts where it is not to be scaled, and of a page that a dialog has drawn;
 * not where somebody turns such a page of the shape of the label, which then fills it as all pictures do.
 */
function chooseDpi(
  { pictureDpi, scaling, rotate, dpi }: Target,
  header: Header,
  format: PictureFormat,
  canvas: Size,
): number | undefined {
  if (pictureDpi !== undefined) return pictureDpi
  if (scaling === 'none') return realDpi(header.dpi || dpi)
  if (format !== 'pwg' && format !== 'urf') return undefined
  const isTurned = rotate === 90 || rotate === 270
  return isTurned && isSameShape(squareSize(header), canvas)
    ? undefined
    : realDpi(header.dpi || dpi)
}

/** Counted in dots of `pictureDpi`, the starting point stays where it was asked for. */
function withDpi(target: Target, pictureDpi: number | undefined): Target {
  const dots = (pictureDpi ?? target.dpi) / (target.pictureDpi ?? target.dpi)
  const [startingPointX, startingPointY] = [
    target.startingPointX * dots,
    target.startingPointY * dots,
  ]
  return { ...target, pictureDpi, startingPointX, startingPointY }
}

/**
 * Turns a page of a PDF, drawn for this target, into the printer's bytes; its dots stay as they are.
 * @throws LabelFault FIELD_INVALID, PRINTER_LANGUAGE as `renderPicture`
 */
export function renderPage(
  page: Plane & Pick<DrawnPage, 'notes' | 'placed'>,
  target: Target,
): RenderedLabel {
  checkLanguage(target)
  const fitted = placePicture(page, measureStock(target), withDpi(target, target.dpi))
  const placement = { ...fitted, ...page.placed }
  const upright = turnPlane(page, placement.turn)
  const { dots, isPale } = thresholdPlane(stretchLevels(upright), target.dpi)
  return finish(dots, placement, { found: [...page.notes, ...notePale(isPale)] }, target)
}

/** @throws LabelFault PRINTER_LANGUAGE */
function checkLanguage(target: Target): asserts target is Target & { language: LanguageName } {
  if (target.language !== undefined) return
  throw new LabelFault(
    'PRINTER_LANGUAGE',
    `The printer has no known language, so a picture cannot be turned into it; wanted ${namedLanguages}.`,
  )
}

function finish(
  dots: Raster,
  placement: Placement,
  { found, own = '' }: { readonly found: readonly Remark[]; readonly own?: string },
  target: Target & { readonly language: LanguageName },
): RenderedLabel {
  const canvas = measureStock(target)
  const { raster, cut } = drawOnCanvas(dots, canvas, placement)
  const bytes = findLanguage(target.language).encode(raster, {
    widthDots: canvas.width,
    heightDots: canvas.height,
    dpi: target.dpi,
    darkness: target.darkness,
    speed: target.speed,
    z64: target.z64,
  })
  const notes = [...found]
  if (cut || placement.isCropped) notes.push(noteCut(dots, placement, own, target))
  if (isBlank(raster)) notes.push(reason('blankPicture'))
  return { bytes, preview: encodePng(raster), notes }
}

interface LabelDots {
  readonly dots: Raster
  readonly placement: Placement
  readonly finestDots: number | undefined
  /** Something large is too pale to be printed. */
  readonly isPale: boolean
}

async function drawDots(picture: OpenPicture, canvas: Size, target: Target): Promise<LabelDots> {
  const placement = placeBits(picture.header, canvas, target)
  if (placement !== undefined) {
    const dots = await readBits(picture)
    if (dots !== undefined) return { dots, placement, finestDots: undefined, isPale: false }
  }
  const drawn = await drawPicture(picture, canvas, target)
  const squeezed = await drawSqueezed(picture, canvas, target, drawn.placement)
  if (squeezed !== undefined) return squeezed
  return { ...drawn, ...thresholdPlane(stretchLevels(drawn.plane), target.dpi) }
}

/** A picture that would be scaled by a hair, dot for dot instead; undefined when it is none, or has nothing to lose. */
async function drawSqueezed(
  picture: OpenPicture,
  canvas: Size,
  target: Target,
  { fit, isFitted }: Placement,
): Promise<LabelDots | undefined> {
  const isMoved = target.startingPointX !== 0 || target.startingPointY !== 0
  if (!isFitted || fit >= 1 || fit < 1 - SQUEEZED_MOST) return
  if (target.pictureDpi !== undefined || isMoved) return
  const room = (dots: number): number => Math.ceil(dots / (1 - SQUEEZED_MOST))
  const larger = { width: room(canvas.width), height: room(canvas.height) }
  const { plane, placement } = await drawPicture(picture, larger, target)
  if (placement.size.width !== placement.window.width) return
  const { dots: whole, isPale } = thresholdPlane(stretchLevels(plane), target.dpi)
  const dots = squeeze(whole, canvas)
  if (dots === undefined) return
  const middle = (room: number, taken: number): number =>
    Math.max(0, Math.floor((room - taken) / 2))
  const [x, y] = [middle(canvas.width, dots.width), middle(canvas.height, dots.height)]
  return { dots, placement: { ...placement, x, y }, finestDots: undefined, isPale }
}

/** The placement of a black and white picture that comes onto the label whole, dot for dot and upright as it is. */
function placeBits(header: Header, canvas: Size, target: Target): Placement | undefined {
  if (header.isBilevel !== true || header.orientation !== 1) return undefined
  if (header.stretch !== undefined) return undefined
  if (needsInk(header, canvas, target)) return undefined
  const placement = placePicture(header, canvas, target)
  const { size, turn } = placement
  const isAsStored = turn === 0 && size.width === header.width && size.height === header.height
  return isAsStored ? placement : undefined
}

/** The short way, without gray: such a picture is the raster already. */
async function readBits({ label, decoder, header }: OpenPicture): Promise<Raster | undefined> {
  if (decoder.decodeBits === undefined) return undefined
  const { width, height } = header
  const stride = rowBytes(width)
  const bits = new Uint8Array(stride * height)
  await decoder.decodeBits(label, (row, y) => bits.set(row, y * stride))
  return { width, height, bits }
}

function notePale(isPale: boolean): Remark[] {
  return isPale ? [reason('palePart')] : []
}

function noteScale({ size, window }: Placement, finestDots: number | undefined): Remark[] {
  // Told to a tenth, so that 2.0 is never below 2.
  if (finestDots === undefined || Math.round(finestDots * 10) / 10 >= MODULE_DOTS) return []
  const percent = Math.round((100 * size.width) / window.width)
  return [
    `The picture was scaled to ${percent} % to fit: bar codes may not scan (the finest bars are ${finestDots.toFixed(1)} dots wide, wanted ${MODULE_DOTS}). Ask for the label at the size and resolution of the printer.`,
  ]
}

/** `own`: the size of the picture in inches, where it was not scaled. */
function noteCut(dots: Size, placement: Placement, own: string, target: Target): Remark {
  const { startingPointX, startingPointY, scaling, labelWidth, labelHeight } = target
  if (scaling === 'none' && startingPointX === 0 && startingPointY === 0) {
    return reason('pictureCut', { size: own, label: inInches(labelWidth, labelHeight) })
  }
  const { width, height } = measureStock(target)
  return `The starting point ${startingPointX}, ${startingPointY} moved part of the picture off the label: ${dots.width}x${dots.height} dots at ${placement.x}, ${placement.y} on ${width}x${height}.`
}
