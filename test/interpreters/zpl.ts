import { ready } from 'zpl-renderer-js'
import type { Raster } from '../../src/labels/languages/raster.ts'
import { fromPng } from '../label-makers/files.ts'
import { type Gray, toRaster } from '../label-makers/gray.ts'

/**
 * Draws ZPL with an independent renderer. Its traps: it rounds the page up (813x1220 for 4x6 inches at 203 dpi), so
 * the top left of the stock's size is taken; it does not check a CRC; it fails on :B64:; an error of its that nobody
 * catches prints a bundle of 9 MB.
 */
export async function renderZpl(
  zpl: Uint8Array | string,
  stock: { width: number; height: number; dpi: number },
): Promise<Raster> {
  const [first] = await renderZplPages(zpl, stock)
  if (first === undefined) throw new Error('the renderer drew no label')
  return first
}

/** Renders every ^XA..^XZ in the job, like `renderZpl`. */
export async function renderZplPages(
  zpl: Uint8Array | string,
  stock: { width: number; height: number; dpi: number },
): Promise<readonly Raster[]> {
  const dotsPerMm = Math.round(stock.dpi / 25.4)
  const text = typeof zpl === 'string' ? zpl : Buffer.from(zpl).toString('utf8')
  const [widthMm, heightMm] = [stock.width / dotsPerMm, stock.height / dotsPerMm]
  try {
    const { api } = await ready
    const pages = await api.zplToBase64MultipleAsync(text, widthMm, heightMm, dotsPerMm)
    return pages.map((page) => toRaster(cut(fromPng(Buffer.from(page, 'base64')), stock)))
  } catch (error) {
    throw new Error(`the renderer said: ${String(error).slice(0, 200)}`)
  }
}

function cut(page: Gray, size: { width: number; height: number }): Gray {
  const luma = new Uint8Array(size.width * size.height)
  for (let y = 0; y < size.height; y++) {
    const row = page.luma.subarray(y * page.width, y * page.width + size.width)
    luma.set(row, y * size.width)
  }
  return { width: size.width, height: size.height, luma }
}
