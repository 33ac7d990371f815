import { Buffer } from 'node:buffer'

export interface GifFramePlan {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Index of a pixel of this frame. */
  readonly index: (x: number, y: number) => number
  readonly interlaced?: boolean
  readonly transparent?: number
  readonly palette?: readonly (readonly [number, number, number])[]
}

export interface GifPlan {
  readonly width: number
  readonly height: number
  /** Palette of the screen; a power of two of colors. */
  readonly palette?: readonly (readonly [number, number, number])[]
  readonly frames: readonly GifFramePlan[]
}

export function makeGif(plan: GifPlan): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  screen.writeUInt16LE(plan.width, 6)
  screen.writeUInt16LE(plan.height, 8)
  screen[10] = paletteBits(plan.palette)
  const loop = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1')
  return Buffer.concat([
    screen,
    Buffer.from((plan.palette ?? []).flat()),
    ...(plan.frames.length > 1 ? [loop] : []),
    ...plan.frames.flatMap((frame) => makeFrame(frame, plan)),
    Buffer.from([0x3b]),
  ])
}

function makeFrame(frame: GifFramePlan, plan: GifPlan): Buffer[] {
  const control = Buffer.from([
    0x21,
    0xf9,
    4,
    frame.transparent === undefined ? 0 : 1,
    0,
    0,
    frame.transparent ?? 0,
    0,
  ])
  const head = Buffer.alloc(10)
  head[0] = 0x2c
  head.writeUInt16LE(frame.x, 1)
  head.writeUInt16LE(frame.y, 3)
  head.writeUInt16LE(frame.width, 5)
  head.writeUInt16LE(frame.height, 7)
  head[9] = paletteBits(frame.palette) | (frame.interlaced ? 0x40 : 0)
  const colors = (frame.palette ?? plan.palette ?? []).length
  const codeSize = Math.max(2, Math.ceil(Math.log2(colors)))
  const indexes = rowOrder(frame).flatMap((y) =>
    Array.from({ length: frame.width }, (_, x) => frame.index(x, y)),
  )
  return [
    control,
    head,
    Buffer.from((frame.palette ?? []).flat()),
    Buffer.from([codeSize]),
    makeBlocks(packLzw(indexes, codeSize)),
  ]
}

function paletteBits(palette: readonly unknown[] | undefined): number {
  return palette === undefined ? 0 : 0x80 | (Math.ceil(Math.log2(palette.length)) - 1)
}

function rowOrder({ height, interlaced }: GifFramePlan): number[] {
  const starts = interlaced
    ? [
        [0, 8],
        [4, 8],
        [2, 4],
        [1, 2],
      ]
    : [[0, 1]]
  return starts.flatMap(([from = 0, step = 1]) => {
    const rows: number[] = []
    for (let y = from; y < height; y += step) rows.push(y)
    return rows
  })
}

/** GIF89a, appendix F, with a full table kept until the end. */
export function packLzw(indexes: readonly number[], codeSize: number): Buffer {
  const clear = 1 << codeSize
  const table = new Map<string, number>()
  const out = new CodeWriter()
  let next = clear + 2
  let bits = codeSize + 1
  const put = (code: number): void => {
    out.put(code, bits)
    if (next === 1 << bits && bits < 12) bits++
  }
  out.put(clear, bits)
  let prefix = indexes[0] ?? 0
  for (const index of indexes.slice(1)) {
    const known = table.get(`${prefix},${index}`)
    if (known === undefined) {
      put(prefix)
      if (next < 4096) table.set(`${prefix},${index}`, next++)
    }
    prefix = known ?? index
  }
  put(prefix)
  out.put(clear + 1, bits)
  return out.end()
}

/** Codes of changing width, lowest bit first. */
export class CodeWriter {
  readonly #bytes: number[] = []
  #held = 0
  #bits = 0

  put(code: number, bits: number): void {
    this.#held |= code << this.#bits
    for (this.#bits += bits; this.#bits >= 8; this.#bits -= 8) {
      this.#bytes.push(this.#held & 0xff)
      this.#held >>>= 8
    }
  }

  end(): Buffer {
    if (this.#bits > 0) this.#bytes.push(this.#held & 0xff)
    return Buffer.from(this.#bytes)
  }
}

export function makeBlocks(data: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; at += 255) {
    const part = data.subarray(at, at + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat([...parts, Buffer.from([0])])
}
