/**
 * How the codewords of a version are divided (ISO/IEC 18004, tables 7 and 9), error correction M.
 * @typedef {object} Block
 * @property {number} version
 * @property {number} blocks
 * @property {number} data codewords of one block
 * @property {number} check codewords of one block
 * @property {number} align middle of the alignment pattern; 0 = none
 */

/** @type {Block[]} */
const BLOCKS = [
  { version: 1, blocks: 1, data: 16, check: 10, align: 0 },
  { version: 2, blocks: 1, data: 28, check: 16, align: 18 },
  { version: 3, blocks: 1, data: 44, check: 26, align: 22 },
  { version: 4, blocks: 2, data: 32, check: 18, align: 26 },
  { version: 5, blocks: 2, data: 43, check: 24, align: 30 },
  { version: 6, blocks: 4, data: 27, check: 16, align: 34 },
]

const HEAD_BYTES = 2 // four bits of mode, eight of length, four at the end

/**
 * The smallest version that holds so many bytes.
 * @param {number} length
 */
export function findBlock(length) {
  return BLOCKS.find(({ blocks, data }) => length + HEAD_BYTES <= blocks * data)
}

/**
 * The codewords of a text in byte mode, with their check codewords, in the order in which they are drawn.
 * @param {Uint8Array} bytes
 * @param {Block} block
 */
export function encodeBytes(bytes, { blocks, data, check }) {
  const filled = fill(bytes, blocks * data)
  const parts = Array.from({ length: blocks }, (_, i) => filled.subarray(i * data, (i + 1) * data))
  const checks = parts.map((part) => makeCheck(part, check))
  return Uint8Array.from([...interleave(parts, data), ...interleave(checks, check)])
}

/**
 * Mode 0100, the length, the bytes, an end of four zero bits, and padding.
 * @param {Uint8Array} bytes
 * @param {number} length
 */
function fill(bytes, length) {
  const nibbles = [4, bytes.length >> 4, bytes.length & 15]
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15)
  nibbles.push(0)
  const filled = new Uint8Array(length)
  for (let i = 0; i < length; i++) {
    const high = nibbles[2 * i]
    const pad = (i - nibbles.length / 2) % 2 === 0 ? 0xec : 0x11
    filled[i] = high === undefined ? pad : (high << 4) | (nibbles[2 * i + 1] ?? 0)
  }
  return filled
}

/**
 * @param {Uint8Array[]} parts
 * @param {number} length
 */
function interleave(parts, length) {
  return Array.from({ length }, (_, i) => parts.map((part) => part[i] ?? 0)).flat()
}

const FIELD = 0x11d // x^8 + x^4 + x^3 + x^2 + 1

/**
 * @param {number} a
 * @param {number} b
 */
function multiply(a, b) {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * FIELD)
    if ((b >> bit) & 1) product ^= a
  }
  return product
}

/**
 * Reed-Solomon: the rest of the division by (x - 1)(x - 2)(x - 4)…
 * @param {Uint8Array} data
 * @param {number} length
 */
function makeCheck(data, length) {
  const divisor = makeDivisor(length)
  const rest = new Uint8Array(length)
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0)
    rest.copyWithin(0, 1)
    rest[length - 1] = 0
    for (let i = 0; i < length; i++) rest[i] = (rest[i] ?? 0) ^ multiply(divisor[i] ?? 0, factor)
  }
  return rest
}

/** @param {number} length */
function makeDivisor(length) {
  const divisor = new Uint8Array(length)
  divisor[length - 1] = 1
  let root = 1
  for (let i = 0; i < length; i++) {
    for (let j = 0; j < length; j++) {
      divisor[j] = multiply(divisor[j] ?? 0, root) ^ (divisor[j + 1] ?? 0)
    }
    root = multiply(root, 2)
  }
  return divisor
}
