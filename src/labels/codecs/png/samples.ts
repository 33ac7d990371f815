/** Turns one unfiltered row (samples from byte 1 on) into luma over white; `out` takes one byte a pixel. */
export type ToLuma = (row: Uint8Array, out: Uint8Array) => void

const WHITE = 255
const GRAY = 0
const COLOR = 2
const PALETTE = 3
const GRAY_ALPHA = 4

/** Contents of PLTE and tRNS; both may be missing. */
export interface Colors {
  readonly palette: Uint8Array | undefined
  readonly transparency: Uint8Array | undefined
}

// Rec. 601 in integers; the three weights make 256, so white stays 255.
const luma = (red: number, green: number, blue: number): number =>
  (77 * red + 150 * green + 29 * blue) >> 8

/** Laid over white paper. */
const overWhite = (value: number, alpha: number): number =>
  alpha === 255 ? value : Math.round((value * alpha + 255 * (255 - alpha)) / 255)

/** A picture's color type and bits a sample. */
interface PngSampleFormat {
  readonly color: number
  readonly depth: number
}

/**
 * The function for a picture's color type and depth (PNG 6.1, 11.3.1 for transparency), which takes rows as
 * `countsHighOnly` says.
 */
export function makeToLuma(kind: PngSampleFormat, colors: Colors): ToLuma {
  const depth = countsHighOnly(kind, colors) ? 8 : kind.depth
  switch (kind.color) {
    case PALETTE:
      return byTable(paletteTable(colors), depth)
    case GRAY:
      return gray(depth, colors.transparency)
    case GRAY_ALPHA:
      return grayAlpha
    case COLOR:
      return color(depth, colors.transparency)
    default:
      return colorAlpha
  }
}

/**
 * True of pictures of 16 bits a sample, of which the higher 8 are looked at: a sample is cut, as libvips and libpng
 * (png_set_strip_16) do, and comes out at most one step beside its rounded value (PNG 13.12). Where one color of 16 bits
 * is transparent, the lower 8 decide which pixels have it.
 */
export function countsHighOnly(
  { color, depth }: PngSampleFormat,
  { transparency }: Colors,
): boolean {
  if (depth !== 16) return false
  if (color === GRAY) return key(transparency, 0) === undefined
  return color !== COLOR || key(transparency, 2) === undefined
}

/**
 * Luma of the bits 0 and 1, of a picture of one bit a pixel whose colors are plain black and plain white; undefined of
 * all others.
 */
export function bilevelColors(
  color: number,
  depth: number,
  colors: Colors,
): readonly [number, number] | undefined {
  if (depth !== 1) return undefined
  const table = color === PALETTE ? paletteTable(colors) : grayTable(1, colors.transparency)
  const [zero = 0, one = 0] = table
  return [zero, one].every((luma) => luma === 0 || luma === WHITE) ? [zero, one] : undefined
}

function paletteTable({ palette, transparency }: Colors): Uint8Array {
  // An index beyond the palette is an error that viewers show as black (PNG 11.2.2); pngjs and libpng do so too.
  const table = new Uint8Array(256)
  const entries = Math.min(256, Math.floor((palette?.length ?? 0) / 3))
  for (let i = 0; i < entries; i++) {
    const [red = 0, green = 0, blue = 0] = palette?.subarray(i * 3, i * 3 + 3) ?? []
    table[i] = overWhite(luma(red, green, blue), transparency?.[i] ?? 255)
  }
  return table
}

function gray(depth: number, transparency: Uint8Array | undefined): ToLuma {
  if (depth === 16) return wideGray(key(transparency, 0))
  if (depth < 8 || transparency !== undefined) return byTable(grayTable(depth, transparency), depth)
  return (row, out) => out.set(row.subarray(1, 1 + out.length))
}

function grayTable(depth: number, transparency: Uint8Array | undefined): Uint8Array {
  const table = new Uint8Array(256)
  const most = (1 << depth) - 1
  for (let i = 0; i <= most; i++) table[i] = (i * 255) / most
  const clear = key(transparency, 0)
  if (clear !== undefined && clear <= most) table[clear] = 255
  return table
}

/** The n-th 16-bit sample of tRNS: the one color that is transparent. */
function key(transparency: Uint8Array | undefined, n: number): number | undefined {
  if (transparency === undefined || transparency.length < n * 2 + 2) return undefined
  return ((transparency[n * 2] as number) << 8) | (transparency[n * 2 + 1] as number)
}

function byTable(table: Uint8Array, depth: number): ToLuma {
  if (depth === 8) {
    return (row, out) => {
      for (let x = 0; x < out.length; x++) out[x] = table[row[x + 1] as number] as number
    }
  }
  const perByte = 8 / depth
  const mask = (1 << depth) - 1
  return (row, out) => {
    for (let x = 0, i = 1; x < out.length; i++) {
      let byte = row[i] as number
      const end = Math.min(out.length, x + perByte)
      for (; x < end; x++) {
        out[x] = table[(byte >> (8 - depth)) & mask] as number
        byte <<= depth
      }
    }
  }
}

function wideGray(clear: number | undefined): ToLuma {
  return (row, out) => {
    for (let x = 0, i = 1; x < out.length; x++, i += 2) {
      const high = row[i] as number
      out[x] = ((high << 8) | (row[i + 1] as number)) === clear ? WHITE : high
    }
  }
}

function grayAlpha(row: Uint8Array, out: Uint8Array): void {
  for (let x = 0, i = 1; x < out.length; x++, i += 2) {
    out[x] = overWhite(row[i] as number, row[i + 1] as number)
  }
}

function color(depth: number, transparency: Uint8Array | undefined): ToLuma {
  const clear = [key(transparency, 0), key(transparency, 1), key(transparency, 2)]
  return clear[2] === undefined ? colorOf8 : colorWithKey(depth / 8, clear)
}

const ALL_WHITE = -1

/** Four pixels are three words; on a label most of them are white. */
function colorOf8(row: Uint8Array, out: Uint8Array): void {
  const words = new Int32Array(row.buffer, row.byteOffset + 1, (row.length - 1) >> 2)
  const fours = Math.min(Math.floor(words.length / 3), out.length >> 2)
  let x = 0
  for (let n = 0; n < fours; n++, x += 4) {
    const at = n * 3
    if (
      ((words[at] as number) & (words[at + 1] as number) & (words[at + 2] as number)) ===
      ALL_WHITE
    ) {
      out[x] = WHITE
      out[x + 1] = WHITE
      out[x + 2] = WHITE
      out[x + 3] = WHITE
      continue
    }
    const i = 1 + x * 3
    out[x] = luma(row[i] as number, row[i + 1] as number, row[i + 2] as number)
    out[x + 1] = luma(row[i + 3] as number, row[i + 4] as number, row[i + 5] as number)
    out[x + 2] = luma(row[i + 6] as number, row[i + 7] as number, row[i + 8] as number)
    out[x + 3] = luma(row[i + 9] as number, row[i + 10] as number, row[i + 11] as number)
  }
  for (let i = 1 + x * 3; x < out.length; x++, i += 3) {
    out[x] = luma(row[i] as number, row[i + 1] as number, row[i + 2] as number)
  }
}

function colorWithKey(bytes: number, clear: readonly (number | undefined)[]): ToLuma {
  const [clearRed, clearGreen, clearBlue] = clear
  const sample = (row: Uint8Array, at: number): number =>
    bytes === 1 ? (row[at] as number) : ((row[at] as number) << 8) | (row[at + 1] as number)
  return (row, out) => {
    for (let x = 0, i = 1; x < out.length; x++, i += 3 * bytes) {
      const isClear =
        sample(row, i) === clearRed &&
        sample(row, i + bytes) === clearGreen &&
        sample(row, i + 2 * bytes) === clearBlue
      out[x] = isClear
        ? WHITE
        : luma(row[i] as number, row[i + bytes] as number, row[i + 2 * bytes] as number)
    }
  }
}

function colorAlpha(row: Uint8Array, out: Uint8Array): void {
  for (let x = 0, i = 1; x < out.length; x++, i += 4) {
    const value =
      (77 * (row[i] as number) + 150 * (row[i + 1] as number) + 29 * (row[i + 2] as number)) >> 8
    const alpha = row[i + 3] as number
    out[x] = alpha === 255 ? value : Math.round((value * alpha + 255 * (255 - alpha)) / 255)
  }
}
