import { getHeapStatistics } from 'node:v8'
import { findDecoder, type PictureFormat } from '../../../src/labels/codecs/index.ts'

// What reading a header may take: so much for each byte of the file; in small files the garbage of 4,096 segments (2 MB),
// of the measurement and of the compiler is more.
const MEMORY_PER_BYTE = 4
const MEMORY_LEAST = 8 * 2 ** 20
const MS_PER_MB = 50
const MS_LEAST = 1_000 // coverage counts every turn of a loop: 12 MB then take 0.3 s instead of 0.02

/** The result and cost of reading one header. */
export interface HeaderCost {
  /** The header, or what was thrown. */
  readonly seen: unknown
  /** Bytes of the heap and beside it, garbage that was not collected yet included. */
  readonly bytes: number
  /** Milliseconds of this thread's processor time. */
  readonly ms: number
  /** The reason why that is too much; undefined when it is not. */
  readonly fault: string | undefined
}

/** Reads the header of a file and counts what that took. */
export function readAtCost(format: PictureFormat, file: Uint8Array): HeaderCost {
  const held = heldBytes()
  const before = process.threadCpuUsage()
  const seen = tryHeader(format, file)
  const { user, system } = process.threadCpuUsage(before)
  const bytes = Math.max(0, heldBytes() - held)
  const ms = (user + system) / 1_000
  return { seen, bytes, ms, fault: judge(file.length, bytes, ms) }
}

function tryHeader(format: PictureFormat, file: Uint8Array): unknown {
  try {
    return findDecoder(format).header(file)
  } catch (error) {
    return error
  }
}

function heldBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}

function judge(length: number, bytes: number, ms: number): string | undefined {
  const bytesMax = Math.max(MEMORY_LEAST, length * MEMORY_PER_BYTE)
  const msMax = MS_LEAST + (length / 1e6) * MS_PER_MB
  if (bytes > bytesMax) return `${length} bytes of file took ${bytes} of memory`
  if (ms > msMax) return `${length} bytes of file took ${Math.round(ms)} ms`
  return undefined
}
