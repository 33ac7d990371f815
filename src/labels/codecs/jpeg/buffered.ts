import { LabelFault } from '../../fault.ts'
import { freeMemory } from '../../memory.ts'
import { makeMemory, type TakeRow } from '../decoder.ts'
import { makeBands } from './bands.ts'
import { BitReader } from './bits.ts'
import type { Idct } from './idct.ts'
import type { BlockLayout } from './layout.ts'
import { findMarker, type JpegTables, type Scan, ZIGZAG } from './markers.ts'
import {
  type BlockGrid,
  checkWhole,
  makeGrid,
  makeRestarts,
  readBlock,
  type ScanComponent,
} from './sequential.ts'

/** Coefficients of the wanted components, kept until the last scan: 2 bytes a pixel and component. */
export class Coefficients {
  readonly #layout: BlockLayout
  readonly #blocksX: number
  readonly #blocksY: number
  readonly #planes: readonly Int16Array[]
  /** By plane: the quantisation table in force when its first scan began. */
  readonly #quantizers: Int32Array[] = []
  /** By plane and place in the zigzag: how many low bits are still to come. */
  readonly #bitsLeft: readonly Uint8Array[]

  constructor(layout: BlockLayout) {
    this.#layout = layout
    this.#blocksX = layout.mcusX * layout.across
    this.#blocksY = layout.mcusY * layout.down
    this.#bitsLeft = layout.wanted.map(() => new Uint8Array(64).fill(255))
    const length = this.#blocksX * this.#blocksY * 64
    this.#planes = layout.wanted.map(
      () => new Int16Array(makeMemory(length * Int16Array.BYTES_PER_ELEMENT), 0, length),
    )
  }

  /** Reads one scan into the coefficients; returns where the data ends. @throws LabelFault PICTURE_BROKEN */
  read(bytes: Uint8Array, scan: Scan, tables: JpegTables): number {
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

  #walk(grid: BlockGrid, bits: BitReader, restart: () => boolean, readUnit: UnitReader): void {
    for (let row = 0; row < grid.rows; row += 1) {
      for (let column = 0; column < grid.columns; column += 1) {
        if (restart()) readUnit.reset()
        for (const part of grid.parts) this.#readMcu(part, row, column, readUnit)
      }
      checkWhole(bits)
    }
  }

  #readMcu(part: ScanComponent, row: number, column: number, readUnit: UnitReader): void {
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

  /** Transforms all blocks, hands the rows on and gives the coefficients' memory back. @throws LabelFault PICTURE_BROKEN when a component never came */
  render(size: number, idct: Idct, take: TakeRow): void {
    const bands = makeBands(this.#layout, this.#blocksX, 1, size, idct)
    const block = new Int32Array(64)
    for (let row = 0; row < this.#blocksY; row += 1) {
      for (let plane = 0; plane < this.#planes.length; plane += 1) {
        const coefficients = this.#planes[plane]
        const quantizer = this.#quantizers[plane]
        if (coefficients === undefined || quantizer === undefined) {
          throw new LabelFault('PICTURE_BROKEN', 'The JPEG picture lacks a scan: it was cut.')
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

/** Reads one block of a scan; `plane` is undefined for components that are not kept. */
export interface UnitReader {
  read(part: ScanComponent, plane: Int16Array | undefined, at: number): void
  /** After a restart marker. */
  reset(): void
}

/** AC coefficients, first pass (T.81 G.1.2.2): runs of blocks may end at once. */
function makeAcReader(bits: BitReader, scan: Scan): UnitReader {
  let ended = 0
  return {
    read(part, plane, at) {
      if (ended > 0) ended -= 1
      else if (plane !== undefined) ended = readBand(bits, part, scan, plane, at)
    },
    reset() {
      ended = 0
    },
  }
}

/** Returns how many of the next blocks have ended too. */
function readBand(
  bits: BitReader,
  part: ScanComponent,
  scan: Scan,
  plane: Int16Array,
  at: number,
): number {
  for (let k = scan.from; k <= scan.to; k += 1) {
    const symbol = bits.symbol(part.ac)
    const run = symbol >> 4
    const size = symbol & 15
    if (size === 0 && run < 15) return (1 << run) - 1 + (run > 0 ? bits.unsigned(run) : 0)
    k += run
    if (size > 0) plane[at + (ZIGZAG[k & 63] as number)] = bits.signed(size) << scan.low
  }
  return 0
}

/** AC coefficients, refinement (T.81 G.1.2.3): a correction bit for every coefficient that is not zero yet. */
function makeAcRefiner(bits: BitReader, scan: Scan): UnitReader {
  let ended = 0
  return {
    read(part, plane, at) {
      if (plane === undefined) return
      let k = scan.from
      if (ended === 0) {
        const stop = refineBand(bits, part, scan, plane, at)
        if (stop === undefined) return
        k = stop.k
        ended = stop.blocks
      }
      // Past the end of a block nothing new comes, but every coefficient met is corrected.
      passZeros(bits, scan, plane, at, k, 64)
      ended -= 1
    },
    reset() {
      ended = 0
    },
  }
}

/** Refines a band. Gives where a run of ended blocks began and how many they are; undefined when the band was filled. */
function refineBand(
  bits: BitReader,
  part: ScanComponent,
  scan: Scan,
  plane: Int16Array,
  at: number,
): { k: number; blocks: number } | undefined {
  for (let k = scan.from; k <= scan.to; k += 1) {
    const symbol = bits.symbol(part.ac)
    const run = symbol >> 4
    const isZero = (symbol & 15) === 0
    if (isZero && run < 15) return { k, blocks: (1 << run) + (run > 0 ? bits.unsigned(run) : 0) }
    const value = isZero ? 0 : signOf(bits) << scan.low
    k = passZeros(bits, scan, plane, at, k, run)
    if (value !== 0 && k <= scan.to) plane[at + (ZIGZAG[k] as number)] = value
  }
  return undefined
}

const signOf = (bits: BitReader): number => (bits.unsigned(1) === 1 ? 1 : -1)

/** Passes `run` zeros from `k` on, correcting what it meets; returns where the next zero stands. */
function passZeros(
  bits: BitReader,
  scan: Scan,
  plane: Int16Array,
  at: number,
  k: number,
  run: number,
): number {
  const plus = 1 << scan.low
  let left = run
  let here = k
  for (; here <= scan.to; here += 1) {
    const i = at + (ZIGZAG[here] as number)
    const value = plane[i] as number
    if (value === 0) {
      if (left === 0) return here
      left -= 1
    } else if (bits.unsigned(1) === 1 && (value & plus) === 0) {
      plane[i] = value + (value > 0 ? plus : -plus)
    }
  }
  return here
}
