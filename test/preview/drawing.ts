import { pathToFileURL } from 'node:url'
import { locateLibrary } from '../../src/http/page.ts'
import type { Raster } from '../../src/labels/languages/raster.ts'
import { drawRaw } from '../../web/preview/draw.js'
import { type Gray, toRaster } from '../label-makers/gray.ts'

const encoders = await import(pathToFileURL(locateLibrary('bwipp.js') ?? '').href)

/** A label as the page draws it. */
export interface Drawn {
  readonly gray: Gray
  readonly raster: Raster
  /** Messages to a person: the key of the text, and its values. */
  readonly warnings: readonly string[]
}

/** Draws a raw label as the page's worker does. */
export async function draw(
  bytes: Uint8Array,
  format: string,
  size: { width_in?: number; height_in?: number; dpi?: number } = {},
): Promise<Drawn> {
  const { width_in = null, height_in = null, dpi = 203 } = size
  const drawn = await drawRaw(bytes, { format, width_in, height_in, dpi, encoders })
  if (drawn === undefined) throw new Error(`nothing draws ${format}`)
  const paper: { width: number; height: number; dots: Uint8Array } = drawn.paper
  const { width, height, dots } = paper
  const luma = new Uint8Array(dots.length)
  for (let at = 0; at < luma.length; at++) luma[at] = dots[at] === 1 ? 0 : 255
  const gray = { width, height, luma }
  const told: readonly { key: string; values: object }[] = drawn.warnings
  const warnings = told.map(({ key, values }) => [key, ...Object.values(values)].join(' '))
  return { gray, raster: toRaster(gray), warnings }
}
