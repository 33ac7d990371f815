import { LabelFault } from '../../fault.ts'
import type { TakeRow } from '../decoder.ts'
import { makeBands } from './bands.ts'
import { BitReader, type HuffmanTable } from './bits.ts'
import type { Idct } from './idct.ts'
import type { BlockLayout } from './layout.ts'
import { type JpegTables, type Scan, ZIGZAG } from './markers.ts'

/** A component of the scan, with its tables found. */
export interface ScanComponent {
  /** Position in the frame. */
  readonly component: number
  /** Place among the wanted components, or -1. */
  readonly plane: number
  /** Blocks of an MCU. */
  readonly h: number
  readonly v: number
  readonly dc: HuffmanTable
  readonly ac: HuffmanTable
  readonly quantizer: Int32Array
  prediction: number
}

/** The blocks that a scan walks over. */
export interface BlockGrid {
  readonly columns: number
  readonly rows: number
  readonly parts: readonly ScanComponent[]
}

/** A scan of one component has one block an MCU and no padding blocks (T.81 A.2.2). */
export function makeGrid(layout: BlockLayout, scan: Scan, tables: JpegTables): BlockGrid {
  const isAlone = scan.parts.length === 1
  const parts = scan.parts.map((part): ScanComponent => {
    const component = layout.frame.components[part.component]
    const quantizer = tables.quantizers[component?.quantizer ?? 0]
    if (component === undefined || quantizer === undefined) throw lacking('quantisation')
    return {
      component: part.component,
      plane: layout.wanted.indexOf(part.component),
      h: isAlone ? 1 : component.h,
      v: isAlone ? 1 : component.v,
      dc: table(tables.dc, part.dc, layout.frame.progressive && scan.from > 0),
      ac: table(tables.ac, part.ac, layout.frame.progressive && scan.from === 0),
      quantizer,
      prediction: 0,
    }
  })
  const alone = isAlone ? layout.frame.components[parts[0]?.component ?? 0] : undefined
  if (alone === undefined) return { columns: layout.mcusX, rows: layout.mcusY, parts }
  return {
    columns: Math.ceil(Math.ceil((layout.frame.width * alone.h) / layout.h) / 8),
    rows: Math.ceil(Math.ceil((layout.frame.height * alone.v) / layout.v) / 8),
    parts,
  }
}

const NO_TABLE: HuffmanTable = {
  fast: new Uint16Array(512),
  past: new Int32Array(17),
  offset: new Int32Array(17),
  symbols: new Uint8Array(0),
  whole: new Int32Array(512),
}

function table(tables: readonly HuffmanTable[], index: number, isUnused: boolean): HuffmanTable {
  const found = tables[index]
  if (found !== undefined) return found
  if (isUnused) return NO_TABLE
  throw lacking('Huffman')
}

const lacking = (kind: string): LabelFault =>
  new LabelFault('PICTURE_BROKEN', `The JPEG picture lacks a ${kind} table: it is damaged.`)

/** Counts MCUs and passes the restart markers. */
export function makeRestarts(
  interval: number,
  bits: BitReader,
  parts: readonly ScanComponent[],
): () => boolean {
  let left = interval
  return () => {
    if (interval === 0) return false
    const isDue = left === 0
    if (isDue) {
      bits.restart()
      for (const part of parts) part.prediction = 0
      left = interval
    }
    left -= 1
    return isDue
  }
}

/** @throws LabelFault PICTURE_BROKEN when the scan used more bits than the file has */
export function checkWhole(bits: BitReader): void {
  if (bits.isExhausted) {
    throw new LabelFault('PICTURE_BROKEN', 'The JPEG picture ends too early: it was cut.')
  }
}

/**
 * Decodes a sequential scan that holds every wanted component, a band of rows at a time, and hands its rows on.
 * @throws LabelFault PICTURE_BROKEN
 */
export function decodeSequential(
  bytes: Uint8Array,
  scan: Scan,
  layout: BlockLayout,
  tables: JpegTables,
  size: number,
  idct: Idct,
  take: TakeRow,
): void {
  const grid = makeGrid(layout, scan, tables)
  const bits = new BitReader(bytes, scan.at)
  const passRestart = makeRestarts(tables.restartInterval, bits, grid.parts)
  const blocksX = grid.columns * (grid.parts.length === 1 ? 1 : layout.across)
  const blockRows = grid.parts.length === 1 ? 1 : layout.down
  const bands = makeBands(layout, blocksX, blockRows, size, idct)
  const block = new Int32Array(64)
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = 0; column < grid.columns; column += 1) {
      passRestart()
      for (const part of grid.parts) readMcu(bits, part, column, block, bands.put)
    }
    checkWhole(bits)
    bands.flush(take)
  }
}

type Put = (plane: number, block: Int32Array, isFlat: boolean, x: number, y: number) => void

function readMcu(
  bits: BitReader,
  part: ScanComponent,
  column: number,
  block: Int32Array,
  put: Put,
): void {
  for (let y = 0; y < part.v; y += 1) {
    for (let x = 0; x < part.h; x += 1) {
      if (part.plane < 0) {
        skipBlock(bits, part.dc, part.ac)
        continue
      }
      const before = part.prediction
      part.prediction = readBlock(bits, part.dc, part.ac, part.quantizer, block, before)
      put(part.plane, block, isFlat(block), column * part.h + x, y)
      block.fill(0)
    }
  }
}

function isFlat(block: Int32Array): boolean {
  for (let k = 1; k < 64; k += 1) if (block[k] !== 0) return false
  return true
}

/**
 * Reads one sequential block (T.81 F.2.2): dequantised coefficients in natural order into `block`, which must be all 0.
 * Returns the new DC prediction; `block` stays 0 beyond the DC when the block is flat.
 * @throws LabelFault PICTURE_BROKEN
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

/** Walks over one sequential block of a component that is not wanted. @throws LabelFault PICTURE_BROKEN */
function skipBlock(bits: BitReader, dc: HuffmanTable, ac: HuffmanTable): void {
  bits.skip(bits.symbol(dc) & 15)
  for (let k = 1; k < 64; k += 1) {
    const next = bits.coefficient(ac)
    if (next >> 8 === 0 && next !== 15) return
    k += next & 15
  }
}
