/** @import { Block } from './qr-blocks.js' */
import { encodeBytes, findBlock } from './qr-blocks.js'

/**
 * The dark modules of a QR code (ISO/IEC 18004, model 2, byte mode, error correction M), row by row.
 * Undefined when the text is longer than 106 bytes: an address of a print server is not.
 * @param {string} text
 * @param {number} [forced] a mask 0 to 7; left out: the one that readers like best
 * @returns {boolean[][] | undefined}
 */
export function drawQr(text, forced) {
  const bytes = new TextEncoder().encode(text)
  const block = findBlock(bytes.length)
  if (block === undefined) return undefined
  const codewords = encodeBytes(bytes, block)
  const masks = forced === undefined ? MASKS.map((_, mask) => mask) : [forced]
  const drawn = masks.map((mask) => drawMasked(block, codewords, mask))
  return drawn.reduce((best, next) => (countPenalty(next) < countPenalty(best) ? next : best))
}

/** ISO/IEC 18004, table 10: where a mask turns a module over. */
const MASKS = [
  (/** @type {number} */ row, /** @type {number} */ column) => (row + column) % 2 === 0,
  (/** @type {number} */ row) => row % 2 === 0,
  (/** @type {number} */ _, /** @type {number} */ column) => column % 3 === 0,
  (/** @type {number} */ row, /** @type {number} */ column) => (row + column) % 3 === 0,
  (/** @type {number} */ row, /** @type {number} */ column) =>
    (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (/** @type {number} */ row, /** @type {number} */ column) =>
    ((row * column) % 2) + ((row * column) % 3) === 0,
  (/** @type {number} */ row, /** @type {number} */ column) =>
    (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (/** @type {number} */ row, /** @type {number} */ column) =>
    (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/**
 * @param {Block} block
 * @param {Uint8Array} codewords
 * @param {number} mask
 */
function drawMasked({ version, align }, codewords, mask) {
  const size = 17 + 4 * version
  /** @type {(boolean | undefined)[][]} */
  const grid = Array.from({ length: size }, () => Array(size).fill(undefined))
  /** @type {(row: number, column: number, dark: boolean) => void} */
  const set = (row, column, dark) => {
    const line = grid[row]
    if (line !== undefined && column >= 0 && column < size) line[column] = dark
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ]) {
    drawRings(set, row ?? 0, column ?? 0, 4, [2, 4])
  }
  if (align > 0) drawRings(set, align, align, 2, [1])
  for (let at = 8; at < size - 8; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  drawFormat(set, size, mask)
  drawData(grid, codewords, MASKS[mask])
  return grid.map((line) => line.map((dark) => dark === true))
}

/**
 * Squares around a middle, e.g. a finder pattern with its white edge.
 * @param {(row: number, column: number, dark: boolean) => void} set
 * @param {number} row of the middle
 * @param {number} column
 * @param {number} radius
 * @param {number[]} light the rings that are light
 */
function drawRings(set, row, column, radius, light) {
  for (let y = -radius; y <= radius; y++) {
    for (let x = -radius; x <= radius; x++) {
      set(row + y, column + x, !light.includes(Math.max(Math.abs(x), Math.abs(y))))
    }
  }
}

const FORMAT_DIVISOR = 0x537
const FORMAT_MASK = 0x5412

/**
 * Level and mask, twice, with their BCH check bits (7.9); level M is 00.
 * @param {(row: number, column: number, dark: boolean) => void} set
 * @param {number} size
 * @param {number} mask
 */
function drawFormat(set, size, mask) {
  let rest = mask
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * FORMAT_DIVISOR)
  const bits = ((mask << 10) | rest) ^ FORMAT_MASK
  for (let i = 0; i < 15; i++) {
    const dark = ((bits >> i) & 1) === 1
    const [near, far] = formatPlaces(i, size)
    set(...near, dark)
    set(...far, dark)
  }
  set(size - 8, 8, true)
}

/**
 * Row and column of a bit of the format: around the top left corner, where the timing patterns at 6 are stepped over,
 * and once more beside the other two corners.
 * @param {number} i
 * @param {number} size
 * @returns {[[number, number], [number, number]]}
 */
function formatPlaces(i, size) {
  const steps = [0, 1, 2, 3, 4, 5, 7, 8]
  if (i < 8) {
    return [
      [steps[i] ?? 0, 8],
      [8, size - 1 - i],
    ]
  }
  return [
    [8, steps[14 - i] ?? 0],
    [size - 15 + i, 8],
  ]
}

/**
 * @param {(boolean | undefined)[][]} grid what is undefined is free
 * @param {Uint8Array} codewords
 * @param {((row: number, column: number) => boolean) | undefined} mask
 */
function drawData(grid, codewords, mask) {
  let bit = 0
  for (const [row, column] of walk(grid.length)) {
    const line = grid[row]
    if (line === undefined || line[column] !== undefined) continue
    const dark = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
    line[column] = dark !== mask?.(row, column)
    bit++
  }
}

/**
 * Columns of two from the right, upwards and downwards in turn, past the timing pattern (7.7.3).
 * @param {number} size
 * @returns {Generator<[number, number]>}
 */
function* walk(size) {
  const columns = Array.from({ length: (size - 1) / 2 }, (_, i) => size - 1 - 2 * i)
  for (const [i, column] of columns.entries()) {
    const right = column <= 6 ? column - 1 : column
    for (let step = 0; step < size; step++) {
      const row = i % 2 === 0 ? size - 1 - step : step
      yield [row, right]
      yield [row, right - 1]
    }
  }
}

/** Like a finder pattern with its light side: four light, 1011101 (7.8.3.1). */
const LOOKALIKES = ['00001011101', '10111010000']

/**
 * How hard a code is to read (7.8.3): long runs, blocks, lookalikes of finder patterns, too much dark or light.
 * @param {boolean[][]} rows
 */
function countPenalty(rows) {
  const columns = rows.map((_, x) => rows.map((row) => row[x] === true))
  const lines = [...rows, ...columns].map((line) => line.map((dark) => (dark ? '1' : '0')).join(''))
  let penalty = 0
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2
    for (const alike of LOOKALIKES) {
      for (let at = line.indexOf(alike); at >= 0; at = line.indexOf(alike, at + 1)) penalty += 40
    }
  }
  let dark = 0
  rows.forEach((row, y) => {
    row.forEach((here, x) => {
      if (here) dark++
      const around = [rows[y + 1]?.[x], row[x + 1], rows[y + 1]?.[x + 1]]
      if (around.every((there) => there === here)) penalty += 3
    })
  })
  const share = (100 * dark) / (rows.length * rows.length)
  return penalty + 10 * Math.floor(Math.abs(share - 50) / 5)
}
