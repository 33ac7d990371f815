import type { BitReader } from './bits.ts'
import type { HuffmanTable } from './huffman.ts'
import { ZIGZAG } from './markers.ts'

/**
 * Reads one sequential block (T.81 F.2.2): dequantised coefficients in natural order into `block`, which must be all 0.
 * Returns the new DC prediction; `block` stays 0 beyond the DC when the block is flat.
 * @throws PlatenError PICTURE_BROKEN
 */
export function readBlock(
  bits: BitReader,
  dc: HuffmanTable,
  ac: HuffmanTable,
  quantizer: Int32Array,
  block: Int32Array,
  prediction: number,
): number {
  const size = bits.symbol(dc)
  const value = size === 0 ? prediction : prediction + bits.signed(size & 15)
  block[0] = value * (quantizer[0] as number)
  for (let k = 1; k < 64; k += 1) {
    const next = bits.coefficient(ac)
    const run = next & 15
    if (next >> 8 === 0) {
      if (run !== 15) break
      k += 15
      continue
    }
    k += run
    const at = ZIGZAG[k & 63] as number
    block[at] = (next >> 8) * (quantizer[at] as number)
  }
  return value
}

/** Walks over one sequential block of a component that is not wanted. @throws PlatenError PICTURE_BROKEN */
export function skipBlock(bits: BitReader, dc: HuffmanTable, ac: HuffmanTable): void {
  bits.skip(bits.symbol(dc) & 15)
  for (let k = 1; k < 64; k += 1) {
    const next = bits.coefficient(ac)
    if (next >> 8 === 0 && next !== 15) return
    k += next & 15
  }
}
