import type { Raster } from '../../src/labels/languages/raster.ts'

/** A picture in shades of gray, one byte a pixel, 0 black to 255 white, top row first. */
export interface Gray {
  readonly width: number
  readonly height: number
  readonly luma: Uint8Array
}

/** White paper. */
export function createGray(width: number, height: number): Gray {
  return { width, height, luma: new Uint8Array(width * height).fill(255) }
}

/** A filled box; what lies outside the picture is left out. */
export function fillBox(
  gray: Gray,
  x: number,
  y: number,
  width: number,
  height: number,
  luma = 0,
): void {
  for (let row = Math.max(0, y); row < Math.min(gray.height, y + height); row++) {
    const start = row * gray.width
    gray.luma.fill(luma, start + Math.max(0, x), start + Math.min(gray.width, x + width))
  }
}

/** Lays `picture` on `page` with its top left at x, y. */
export function place(page: Gray, picture: Gray, x: number, y: number): Gray {
  for (let row = 0; row < picture.height; row++) {
    const from = picture.luma.subarray(row * picture.width, (row + 1) * picture.width)
    page.luma.set(from, (y + row) * page.width + x)
  }
  return page
}

/** Turns a picture clockwise. */
export function turn(gray: Gray, degrees: 0 | 90 | 180 | 270): Gray {
  const { width, height, luma } = gray
  const swap = degrees === 90 || degrees === 270
  const out = createGray(swap ? height : width, swap ? width : height)
  // Where the first pixel goes, and how far apart neighbours to the right and below come to lie.
  const [first, right, below] = {
    0: [0, 1, width] as const,
    90: [height - 1, height, -1] as const,
    180: [width * height - 1, -1, -width] as const,
    270: [(width - 1) * height, -height, 1] as const,
  }[degrees]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      out.luma[first + x * right + y * below] = luma[y * width + x] ?? 255
    }
  }
  return out
}

/** Converts a picture without shades: dark half black, light half white. */
export function toRaster(gray: Gray): Raster {
  const stride = (gray.width + 7) >> 3
  const bits = new Uint8Array(stride * gray.height)
  for (let y = 0; y < gray.height; y++) {
    for (let x = 0; x < gray.width; x++) {
      if ((gray.luma[y * gray.width + x] ?? 255) < 128) {
        const at = y * stride + (x >> 3)
        bits[at] = (bits[at] ?? 0) | (128 >> (x & 7))
      }
    }
  }
  return { width: gray.width, height: gray.height, bits }
}

/** Back to shades, for readers that want pixels. */
export function fromRaster(raster: Raster): Gray {
  const stride = (raster.width + 7) >> 3
  const gray = createGray(raster.width, raster.height)
  for (let y = 0; y < raster.height; y++) {
    for (let x = 0; x < raster.width; x++) {
      if ((raster.bits[y * stride + (x >> 3)] ?? 0) & (128 >> (x & 7))) {
        gray.luma[y * raster.width + x] = 0
      }
    }
  }
  return gray
}
