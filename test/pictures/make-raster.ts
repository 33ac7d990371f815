import { Buffer } from 'node:buffer'

/** A page as a print dialog would send it; `samples` row by row, as the format stores them. */
export interface RasterPage {
  readonly width: number
  readonly height: number
  readonly dpi: number
  /** cupsColorSpace for PWG, Apple's number for URF. */
  readonly space: number
  readonly bitsPerPixel: number
  readonly samples: Uint8Array
}

/** A PWG raster file (PWG 5102.4). */
export function makePwg(...pages: readonly RasterPage[]): Buffer {
  return Buffer.concat([
    Buffer.from('RaS2'),
    ...pages.flatMap((page) => [pwgHead(page), packRows(page)]),
  ])
}

/** A URF file. */
export function makeUrf(...pages: readonly RasterPage[]): Buffer {
  const head = Buffer.from('UNIRAST\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(pages.length, 8)
  return Buffer.concat([head, ...pages.flatMap((page) => [urfHead(page), packRows(page)])])
}

function pwgHead({ width, height, dpi, space, bitsPerPixel }: RasterPage): Buffer {
  const head = Buffer.alloc(1796)
  head.write('PwgRaster')
  const numbers = {
    276: dpi,
    280: dpi,
    372: width,
    376: height,
    384: Math.min(8, bitsPerPixel),
    388: bitsPerPixel,
    392: Math.ceil((width * bitsPerPixel) / 8),
    400: space,
  }
  for (const [at, value] of Object.entries(numbers)) head.writeUInt32BE(value, Number(at))
  return head
}

function urfHead({ width, height, dpi, space, bitsPerPixel }: RasterPage): Buffer {
  const head = Buffer.alloc(32)
  head.set([bitsPerPixel, space, 1, 4])
  head.writeUInt32BE(width, 12)
  head.writeUInt32BE(height, 16)
  head.writeUInt32BE(dpi, 20)
  return head
}

/** Equal rows and runs of equal groups once, everything else as it is. */
function packRows({ width, height, bitsPerPixel, samples }: RasterPage): Buffer {
  const bytes = Math.ceil((width * bitsPerPixel) / 8)
  const parts: Buffer[] = []
  for (let y = 0; y < height; ) {
    const row = Buffer.from(samples.subarray(y * bytes, (y + 1) * bytes))
    let count = 1
    while (
      count < 256 &&
      y + count < height &&
      row.equals(samples.subarray((y + count) * bytes, (y + count + 1) * bytes))
    ) {
      count++
    }
    parts.push(Buffer.from([count - 1]), packRow(row, Math.ceil(bitsPerPixel / 8)))
    y += count
  }
  return Buffer.concat(parts)
}

function packRow(row: Buffer, group: number): Buffer {
  const parts: Buffer[] = []
  const at = (n: number): Buffer => row.subarray(n * group, (n + 1) * group)
  const groups = row.length / group
  for (let n = 0; n < groups; ) {
    let run = 1
    while (run < 128 && n + run < groups && at(n).equals(at(n + run))) run++
    if (run > 1) {
      parts.push(Buffer.from([run - 1]), at(n))
      n += run
      continue
    }
    let plain = 1
    while (plain < 128 && n + plain < groups && !at(n + plain).equals(at(n + plain - 1))) plain++
    parts.push(
      plain === 1 ? Buffer.from([0]) : Buffer.from([257 - plain]),
      row.subarray(n * group, (n + plain) * group),
    )
    n += plain
  }
  return Buffer.concat(parts)
}
