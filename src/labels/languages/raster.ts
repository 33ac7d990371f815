/** A bitmap, one bit per dot, 1 = black, first dot of a row in the highest bit, rows padded with 0 to whole bytes. */
export interface Raster {
  /** Dots per row. */
  readonly width: number
  /** Rows. */
  readonly height: number
  /** `rowBytes(width) * height` bytes, top row first. */
  readonly bits: Uint8Array
}

/** Bytes that a row of so many dots takes. */
export function rowBytes(width: number): number {
  return (width + 7) >> 3
}

/** A rectangle of a raster, in rows and byte columns; `bottom` and `right` are the first beyond it. */
export interface Patch {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/**
 * Covers the black dots of a raster with patches that do not overlap, for languages that send dots as they are. Rows
 * are gathered to bands as long as that costs no more bytes than a band of its own would; a band is cut where its
 * columns are blank. So most of the white, also inside frames, is not sent. A blank raster has no patches.
 * @param headBytes bytes that one more patch costs in the language; Infinity = one patch around everything
 */
export function findPatches(raster: Raster, headBytes: number): Patch[] {
  const { bits, height } = raster
  const stride = rowBytes(raster.width)
  const patches: Patch[] = []
  // Columns with ink: of the band so far, and of the band with the next row.
  let band = new Uint8Array(stride)
  let grown = new Uint8Array(stride)
  let [top, bottom, cost] = [0, 0, 0]
  for (let y = 0; y < height; y++) {
    const row = bits.subarray(y * stride, (y + 1) * stride)
    const alone = measure(row, 1, headBytes)
    if (alone === 0) continue
    for (let x = 0; x < stride; x++) grown[x] = (band[x] as number) | (row[x] as number)
    const together = measure(grown, y + 1 - top, headBytes)
    if (bottom > 0 && together <= cost + alone) {
      ;[band, grown] = [grown, band]
      cost = together
    } else {
      cut(patches, band, top, bottom, headBytes)
      band.set(row)
      top = y
      cost = alone
    }
    bottom = y + 1
  }
  cut(patches, band, top, bottom, headBytes)
  return patches
}

/** The dots of a patch with 0 = black, as EPL and TSPL want them; the padding of our rows becomes white, as it must. */
export function invertPatch(raster: Raster, patch: Patch): Uint8Array {
  const stride = rowBytes(raster.width)
  const out = new Uint8Array((patch.bottom - patch.top) * (patch.right - patch.left))
  let to = 0
  for (let y = patch.top; y < patch.bottom; y++) {
    const end = y * stride + patch.right
    for (let from = y * stride + patch.left; from < end; from++) {
      out[to++] = ~(raster.bits[from] as number)
    }
  }
  return out
}

/** All dots of a raster with 0 = black. */
export function invertAll(raster: Raster): Uint8Array {
  const whole = { top: 0, bottom: raster.height, left: 0, right: rowBytes(raster.width) }
  return invertPatch(raster, whole)
}

/** Bytes that a band takes when it is cut at its best: blank columns are bridged where that is cheaper. */
function measure(columns: Uint8Array, rows: number, headBytes: number): number {
  let bytes = 0
  let end = 0
  for (let x = 0; x < columns.length; x++) {
    if (columns[x] === 0) continue
    bytes += rows + (bytes === 0 ? headBytes : Math.min((x - end) * rows, headBytes))
    end = x + 1
  }
  return bytes
}

function cut(
  into: Patch[],
  columns: Uint8Array,
  top: number,
  bottom: number,
  headBytes: number,
): void {
  let left = -1
  let right = 0
  for (let x = 0; x < columns.length; x++) {
    if (columns[x] === 0) continue
    if (left < 0) left = x
    else if ((x - right) * (bottom - top) > headBytes) {
      into.push({ top, bottom, left, right })
      left = x
    }
    right = x + 1
  }
  if (left >= 0) into.push({ top, bottom, left, right })
}

/** Joins commands (ASCII text) and data (bytes) to one job. */
export function joinParts(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  // Not from Node's shared pool: the bytes cross to another thread, and a view would drag its whole pool along.
  const job = Buffer.alloc(length)
  let offset = 0
  for (const part of parts) {
    if (typeof part === 'string') job.write(part, offset, 'latin1')
    else job.set(part, offset)
    offset += part.length
  }
  return job
}
