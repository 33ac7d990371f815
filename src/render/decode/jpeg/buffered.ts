import { PlatenError } from '../../../errors.ts'
import { freeMemory } from '../../../system/memory.ts'
import type { TakeRow } from '../decoder.ts'
import { makeMemory } from '../memory.ts'
import { makeBands } from './bands.ts'
import { BitReader } from './bits.ts'
import { readBlock } from './blocks.ts'
import type { Idct } from './idct.ts'
import type { Layout } from './layout.ts'
import { findMarker, type Scan, type Tables } from './markers.ts'
import { makeAcReader, makeAcRefiner, type UnitReader } from './progressive.ts'
import { checkWhole, type Grid, makeGrid, makeRestarts, type Part } from './sequential.ts'

/** Coefficients of the wanted components, kept until the last scan: 2 bytes a pixel and component. */
export class Coefficients {
  readonly #layout: Layout
  readonly #blocksX: number
  readonly #blocksY: number
  readonly #planes: readonly Int16Array[]
  /** By plane: the quantisation table in force when its first scan began. */
  readonly #quantizers: Int32Array[] = []
  /** By plane and place in the zigzag: how many low bits are still to come. */
  readonly #bitsLeft: readonly Uint8Array[]

  constructor(layout: Layout) {
    this.#layout = layout
    this.#blocksX = layout.mcusX * layout.across
    this.#blocksY = layout.mcusY * layout.down
    this.#bitsLeft = layout.wanted.map(() => new Uint8Array(64).fill(255))
    const length = this.#blocksX * this.#blocksY * 64
    this.#planes = layout.wanted.map(
      () => new Int16Array(makeMemory(length * Int16Array.BYTES_PER_ELEMENT), 0, length),
    )
  }

  /** Reads one scan into the coefficients; returns where the data ends. @throws PlatenError PICTURE_BROKEN */
  read(bytes: Uint8Array, scan: Scan, tables: Tables): number {
    const grid = makeGrid(this.#layout, scan, tables)
    const [from, to, low] = this.#layout.frame.progressive
      ? [scan.from, scan.to, scan.low]
      : [0, 63, 0]
    for (const part of grid.parts) {
      if (part.plane >= 0) this.#quantizers[part.plane] ??= part.quantizer
      this.#bitsLeft[part.plane]?.fill(low, from, to + 1)
    }
    const bits = new BitReader(bytes, scan.at)
    const restart = makeRestarts(tables.restartInterval, bits, grid.parts)
    const readUnit = makeUnitReader(bits, scan, this.#layout.frame.progressive)
    this.#walk(grid, bits, restart, readUnit)
    return findMarker(bytes, bits.end)
  }

  #walk(grid: Grid, bits: BitReader, restart: () => boolean, readUnit: UnitReader): void {
    for (let row = 0; row < grid.rows; row += 1) {
      for (let column = 0; column < grid.columns; column += 1) {
        if (restart()) readUnit.reset()
        for (const part of grid.parts) this.#readMcu(part, row, column, readUnit)
      }
      checkWhole(bits)
    }
  }

  #readMcu(part: Part, row: number, column: number, readUnit: UnitReader): void {
    const plane = this.#planes[part.plane]
    for (let y = 0; y < part.v; y += 1) {
      for (let x = 0; x < part.h; x += 1) {
        const block = (row * part.v + y) * this.#blocksX + column * part.h + x
        readUnit.read(part, plane, block * 64)
      }
    }
  }

  /** All coefficients of all wanted components have come, to the last bit. */
  get isComplete(): boolean {
    return this.#bitsLeft.every((plane) => plane.every((bits) => bits === 0))
  }

  /** Transforms all blocks, hands the rows on and gives the coefficients' memory back. @throws PlatenError PICTURE_BROKEN when a component never came */
  render(size: number, idct: Idct, take: TakeRow): void {
    const bands = makeBands(this.#layout, this.#blocksX, 1, size, idct)
    const block = new Int32Array(64)
    for (let row = 0; row < this.#blocksY; row += 1) {
      for (let plane = 0; plane < this.#planes.length; plane += 1) {
        const coefficients = this.#planes[plane]
        const quantizer = this.#quantizers[plane]
        if (coefficients === undefined || quantizer === undefined) {
          throw new PlatenError('PICTURE_BROKEN', 'The JPEG picture lacks a scan: it was cut.')
        }
        for (let x = 0; x < this.#blocksX; x += 1) {
          const isFlat = dequantize(coefficients, (row * this.#blocksX + x) * 64, quantizer, block)
          bands.put(plane, block, isFlat, x, 0)
        }
      }
      bands.flush(take)
    }
    for (const coefficients of this.#planes) freeMemory(coefficients)
  }
}

function dequantize(from: Int16Array, at: number, quantizer: Int32Array, to: Int32Array): boolean {
  let any = 0
  to[0] = (from[at] as number) * (quantizer[0] as number)
  for (let k = 1; k < 64; k += 1) {
    const value = from[at + k] as number
    any |= value
    to[k] = value * (quantizer[k] as number)
  }
  return any === 0
}

function makeUnitReader(bits: BitReader, scan: Scan, isProgressive: boolean): UnitReader {
  if (!isProgressive) return makeSequentialReader(bits)
  const isFirst = scan.high === 0
  if (scan.from === 0) return (isFirst ? makeDcReader : makeDcRefiner)(bits, scan.low)
  return (isFirst ? makeAcReader : makeAcRefiner)(bits, scan)
}

const ONES = new Int32Array(64).fill(1)

function makeSequentialReader(bits: BitReader): UnitReader {
  const block = new Int32Array(64)
  return {
    read(part, plane, at) {
      block.fill(0)
      part.prediction = readBlock(bits, part.dc, part.ac, ONES, block, part.prediction)
      plane?.set(block, at)
    },
    reset: () => undefined,
  }
}

// T.81 G.1.2.1: DC, first pass.
function makeDcReader(bits: BitReader, low: number): UnitReader {
  return {
    read(part, plane, at) {
      const size = bits.symbol(part.dc) & 15
      if (size !== 0) part.prediction += bits.signed(size)
      if (plane !== undefined) plane[at] = part.prediction << low
    },
    reset: () => undefined,
  }
}

// The same, refinement: one bit a block.
function makeDcRefiner(bits: BitReader, low: number): UnitReader {
  return {
    read(_part, plane, at) {
      if (bits.unsigned(1) === 1 && plane !== undefined) {
        plane[at] = (plane[at] as number) | (1 << low)
      }
    },
    reset: () => undefined,
  }
}
