import { type Raster, rowBytes } from '../languages/raster.ts'
import type { Plane } from '../plane.ts'
import { CELL, CELL_BITS, type Cells, findToned } from './cells.ts'
import { Painter, TONE } from './painter.ts'
import { findPhotos } from './photos.ts'
import { drawRegions, drawRims, findRegions } from './regions.ts'
import { findStates, isNoisy, measureContrast } from './states.ts'
import { drawWords } from './words.ts'

/** Findings of drawing the tones. Decision `tones`. */
export interface Tones {
  /** Something large is too pale to be printed. */
  readonly isPale: boolean
}

/**
 * Draws what is neither ink nor paper again, where the one threshold loses it: words and bars by the contrast that they have to
 * what is around them, boxes in one tone, photos with a pattern. Black on white is left as it is.
 */
export function printTones(plane: Plane, dots: Raster, dpi: number): Tones {
  const cells = findToned(plane)
  let isPale = false
  if (cells === undefined) return { isPale }
  const { across, marks } = cells
  const down = marks.length / across
  const isOn = (row: number): boolean =>
    marks.subarray(row * across, (row + 1) * across).includes(1)
  for (let top = 0; top < down; top++) {
    if (!isOn(top)) continue
    let bottom = top + 1
    while (bottom < down && isOn(bottom)) bottom++
    const band = { across, marks: marks.subarray(top * across, bottom * across) }
    const [from, to] = [top * CELL, Math.min(plane.height, bottom * CELL)]
    if (printBand(cutPlane(plane, from, to), band, cutDots(dots, from, to), dpi)) isPale = true
    top = bottom
  }
  return { isPale }
}

function cutPlane({ width, luma }: Plane, top: number, bottom: number): Plane {
  return { width, height: bottom - top, luma: luma.subarray(top * width, bottom * width) }
}

function cutDots({ width, bits }: Raster, top: number, bottom: number): Raster {
  const stride = rowBytes(width)
  return { width, height: bottom - top, bits: bits.subarray(top * stride, bottom * stride) }
}

const PALE_DOTS = 150

/** Rows with black and white above and below; tells whether something in them was too pale. */
function printBand(plane: Plane, cells: Cells, dots: Raster, dpi: number): boolean {
  const photos = findPhotos(plane, cells)
  const noise = isNoisy(plane, cells, photos) ? measureContrast(plane) : undefined
  const states = findStates(plane, cells, photos, noise)
  const painter = new Painter(dots)
  const regions = findRegions(plane, states, noise, dpi)
  const paints = drawRegions(plane, regions, painter)
  drawWords({ plane, states, paints, isNoisy: noise !== undefined }, painter, dpi)
  drawRims(plane, states, paints, painter, noise)
  dither(plane, cells, photos, painter)
  return regions.palest >= PALE_DOTS
}

function dither(
  { width, height, luma }: Plane,
  { across }: Cells,
  photos: Uint8Array,
  painter: Painter,
): void {
  for (let y = 0; y < height; y++) {
    const row = (y >> CELL_BITS) * across
    for (let x = 0; x < width; x++) {
      if (photos[row + (x >> CELL_BITS)] === 0) x |= CELL - 1
      else painter.put(x, y, TONE, luma[y * width + x] as number)
    }
  }
}
