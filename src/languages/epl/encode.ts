import type { Encoding } from '../language.ts'
import { findPatches, invertPatch, joinParts, type Raster } from '../raster.ts'

/** `GW800,1200,100,1200,` and the line end after the data, in round figures. */
const HEAD_BYTES = 20

/**
 * EPL2, page mode (EPL Programming Guide, 14245L-003). `GW` has 0 = black and no escaping: any byte may follow.
 * `Q` is never sent: it is stored in flash and the printer measures the stock itself.
 */
export function encode(raster: Raster, encoding: Encoding): Uint8Array {
  const parts: (string | Uint8Array)[] = [begin(encoding)]
  for (const patch of findPatches(raster, HEAD_BYTES)) {
    const rows = patch.bottom - patch.top
    parts.push(`GW${patch.left * 8},${patch.top},${patch.right - patch.left},${rows},`)
    parts.push(invertPatch(raster, patch), '\n')
  }
  parts.push('P1\n')
  return joinParts(parts)
}

function begin(encoding: Encoding): string {
  // The first line end flushes half a command that may have been left over, N clears the image buffer.
  const lines = ['', 'N', `q${widthToSet(encoding.widthDots)}`]
  if (encoding.darkness !== undefined) lines.push(`D${Math.round(encoding.darkness * 0.15)}`)
  if (encoding.speed !== undefined) lines.push(`S${wholeSpeed(encoding.speed)}`)
  return `${lines.join('\n')}\n`
}

/**
 * q centers the stock under the head, where the guides of the desktop printers hold it (832 dots above a label of
 * 812), and undoes the q or R of an earlier label. Whole bytes, so that the padding of a GW row is never beyond the
 * label. It clears the image buffer, so it comes before the first GW.
 */
function widthToSet(widthDots: number): number {
  return (widthDots + 7) & ~7
}

/** S counts inches per second on newer printers, and steps of about the same on a 2844 (1.5, 2, 2.5, 3.5). */
function wholeSpeed(inchesPerSecond: number): number {
  return Math.min(6, Math.max(1, Math.round(inchesPerSecond)))
}
