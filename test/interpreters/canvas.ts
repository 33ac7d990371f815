import type { Raster } from '../../src/labels/languages/raster.ts'

/** The image buffer of a pretended printer: dots, 1 = black. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly dots: Uint8Array
}

/** The output of a pretended printer: the dots of one label and the settings it had then. */
export interface Printed {
  readonly raster: Raster
  readonly settings: Readonly<Record<string, string>>
  readonly copies: number
}

/** A pretended printer of one size of paper, given in dots. */
export interface Pretended {
  readonly stock: { readonly width: number; readonly height: number }
  readonly printed: Printed[]
  readonly settings: Record<string, string>
  canvas: Canvas
  origin: { x: number; y: number }
}

/** An empty image buffer. */
export function createCanvas(width: number, height: number): Canvas {
  return { width, height, dots: new Uint8Array(width * height) }
}

/** A black box, clipped as paper clips it. */
export function blacken(canvas: Canvas, x: number, y: number, width: number, height: number): void {
  for (let row = Math.max(0, y); row < Math.min(canvas.height, y + height); row++) {
    const start = row * canvas.width
    canvas.dots.fill(1, start + Math.max(0, x), start + Math.min(canvas.width, x + width))
  }
}

/**
 * Copies packed dots. Black beyond the paper is a fault of the sender; white beyond it is padding.
 * @param black the bit that stands for black
 */
export function copyDots(
  canvas: Canvas,
  at: { x: number; y: number; widthBytes: number; rows: number },
  data: Uint8Array,
  black: 0 | 1,
): void {
  if (data.length !== at.widthBytes * at.rows) {
    throw new Error(`${at.widthBytes}x${at.rows} wants other than ${data.length} bytes`)
  }
  const white = black === 1 ? 0 : 255
  for (const [index, byte] of data.entries()) {
    if (byte === white) continue
    const y = at.y + Math.floor(index / at.widthBytes)
    copyByte(canvas, at.x + (index % at.widthBytes) * 8, y, black === 1 ? byte : 255 - byte)
  }
}

function copyByte(canvas: Canvas, x: number, y: number, byte: number): void {
  for (let dot = 0; dot < 8; dot++) {
    if (((byte >> (7 - dot)) & 1) === 0) continue
    if (x + dot >= canvas.width || y >= canvas.height) throw new Error(`${x},${y} is off paper`)
    canvas.dots[y * canvas.width + x + dot] = 1
  }
}

/** The dots, packed. */
export function pack(canvas: Canvas): Raster {
  const stride = Math.ceil(canvas.width / 8)
  const bits = new Uint8Array(stride * canvas.height)
  let next = canvas.dots.indexOf(1)
  while (next >= 0) {
    const x = next % canvas.width
    const at = Math.floor(next / canvas.width) * stride + Math.floor(x / 8)
    bits[at] = (bits[at] ?? 0) + 2 ** (7 - (x % 8))
    next = canvas.dots.indexOf(1, next + 1)
  }
  return { width: canvas.width, height: canvas.height, bits }
}

/** A command of a language: the pattern of its line, and its effect with the groups of the pattern. */
export type Rule<State> = readonly [RegExp, (state: State, values: readonly string[]) => void]

/** Runs the first command whose pattern fits, or says that there is none. */
export function obey<State>(rules: readonly Rule<State>[], state: State, line: string): void {
  for (const [pattern, act] of rules) {
    const found = pattern.exec(line)
    if (found === null) continue
    act(state, found.slice(1))
    return
  }
  throw new Error(`no such command: ${JSON.stringify(line.slice(0, 20))}`)
}

/** The four sides of a box. */
export function outline(canvas: Canvas, sides: readonly number[], thick: number): void {
  const [left = 0, top = 0, right = 0, bottom = 0] = sides
  blacken(canvas, left, top, right - left, thick)
  blacken(canvas, left, bottom - thick, right - left, thick)
  blacken(canvas, left, top, thick, bottom - top)
  blacken(canvas, right - thick, top, thick, bottom - top)
}

/** Walks through a job of text lines with counted data in between. */
export class Reader {
  readonly #job: Buffer
  #at = 0

  constructor(job: Uint8Array) {
    this.#job = Buffer.from(job)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#job.length
  }

  /** Text up to the next line feed, without the line end. */
  line(): string {
    const feed = this.#job.indexOf(10, this.#at)
    const end = feed < 0 ? this.#job.length : feed
    const text = this.#job.toString('latin1', this.#at, end)
    this.#at = end + 1
    return text.replace(/\r$/, '')
  }

  /** Matches a pattern right here, and passes it; undefined when it does not match. */
  match(pattern: RegExp): readonly string[] | undefined {
    const ahead = this.#job.toString('latin1', this.#at, this.#at + 80)
    const found = new RegExp(`^(?:${pattern.source})`, pattern.flags).exec(ahead)
    if (found === null) return undefined
    this.#at += found[0].length
    return found.slice(1)
  }

  /** The next bytes, whatever they are. */
  bytes(count: number): Uint8Array {
    if (this.#at + count > this.#job.length) {
      throw new Error(`${count} bytes announced, ${this.#job.length - this.#at} came`)
    }
    this.#at += count
    return this.#job.subarray(this.#at - count, this.#at)
  }
}
