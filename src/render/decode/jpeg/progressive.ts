import type { BitReader } from './bits.ts'
import { type Scan, ZIGZAG } from './markers.ts'
import type { Part } from './sequential.ts'

/** Reads one block of a scan; `plane` is undefined for components that are not kept. */
export interface UnitReader {
  read(part: Part, plane: Int16Array | undefined, at: number): void
  /** After a restart marker. */
  reset(): void
}

/** AC coefficients, first pass (T.81 G.1.2.2): runs of blocks may end at once. */
export function makeAcReader(bits: BitReader, scan: Scan): UnitReader {
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
function readBand(bits: BitReader, part: Part, scan: Scan, plane: Int16Array, at: number): number {
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
export function makeAcRefiner(bits: BitReader, scan: Scan): UnitReader {
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

/** Where a run of ended blocks began and how many they are; undefined when the band was filled. */
function refineBand(
  bits: BitReader,
  part: Part,
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
