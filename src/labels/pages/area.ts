import { cropPicture, drawSmall, type OpenPicture, squareSize } from '../picture/draw.ts'
import { type Box, orientSize, type Size } from '../plane.ts'
import type { Area } from '../target.ts'
import { LOOK_DPI } from './cut.ts'
import { findArea } from './layout.ts'

// Screens and cameras state what is not so.
const DPI_LEAST = 150
const PAGE_INCHES = { least: 3, most: 22 }
/** Size of a picture that does not say how large it is: a letter page. */
const USUAL_INCHES = 11

/**
 * The part of a picture that somebody asked for, found as on a page of a PDF; undefined = it is blank. `dpi`: what is known
 * of its resolution, or 0.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED, FIELD_INVALID
 */
export async function findPart(
  picture: OpenPicture,
  area: Area,
  dpi: number,
): Promise<OpenPicture | undefined> {
  const { header } = picture
  const upright = orientSize(squareSize(header), header.orientation)
  const pixels = LOOK_DPI / chooseDpi(upright, dpi)
  const size = {
    width: Math.max(1, Math.round(upright.width * pixels)),
    height: Math.max(1, Math.round(upright.height * pixels)),
  }
  const found = findArea(await drawSmall(picture, size), area)
  return found && cropPicture(picture, partOf(found, size, upright))
}

function chooseDpi({ width, height }: Size, dpi: number): number {
  const longer = Math.max(width, height)
  const inches = longer / dpi
  const isKnown = dpi >= DPI_LEAST && inches >= PAGE_INCHES.least && inches <= PAGE_INCHES.most
  return isKnown ? dpi : longer / USUAL_INCHES
}

/** The pixels under a box of the look, and a dot around it: the look is coarse. */
function partOf(box: Box, look: Size, picture: Size): Box {
  const along = (from: number, length: number, dots: number, pixels: number) => {
    const first = Math.max(0, Math.floor(((from - 1) / dots) * pixels))
    const last = Math.min(pixels, Math.ceil(((from + length + 1) / dots) * pixels))
    return [first, last - first] as const
  }
  const [x, width] = along(box.x, box.width, look.width, picture.width)
  const [y, height] = along(box.y, box.height, look.height, picture.height)
  return { x, y, width, height }
}
