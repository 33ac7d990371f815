import type { Encoding } from '../language.ts'
import { findPatches, invertPatch, joinParts, type Raster } from '../raster.ts'

const MM_PER_INCH = 25.4

/**
 * TSPL and TSPL2 (TSC, and the clones that say XPP, which draw BITMAP and nothing else). BITMAP has 0 = black. One
 * BITMAP around all that is black, as drivers send it. No GAP: the printer knows its stock, and END is not TSPL2.
 */
export function encode(raster: Raster, encoding: Encoding): Uint8Array {
  const parts: (string | Uint8Array)[] = [begin(encoding)]
  for (const patch of findPatches(raster, Number.POSITIVE_INFINITY)) {
    const rows = patch.bottom - patch.top
    parts.push(`BITMAP ${patch.left * 8},${patch.top},${patch.right - patch.left},${rows},0,`)
    parts.push(invertPatch(raster, patch), '\r\n')
  }
  parts.push('PRINT 1,1\r\n')
  return joinParts(parts)
}

function begin(encoding: Encoding): string {
  const width = millimetres(encoding.widthDots, encoding.dpi)
  const height = millimetres(encoding.heightDots, encoding.dpi)
  const lines = [`SIZE ${width} mm,${height} mm`, 'DIRECTION 0,0', 'REFERENCE 0,0']
  if (encoding.darkness !== undefined) lines.push(`DENSITY ${Math.round(encoding.darkness * 0.15)}`)
  if (encoding.speed !== undefined) lines.push(`SPEED ${Math.max(1, Math.round(encoding.speed))}`)
  lines.push('CLS', '')
  return lines.join('\r\n')
}

/** To a tenth, which is finer than a dot at 203 dpi. */
function millimetres(dots: number, dpi: number): number {
  return Math.round((dots / dpi) * MM_PER_INCH * 10) / 10
}
