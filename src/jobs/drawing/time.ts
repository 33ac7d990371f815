import type { Worker } from 'node:worker_threads'
import type { FormatToRender } from '../../render/answer.ts'
import { findDecoder } from '../../render/decode/index.ts'

// On this project's machine (x86-64) the slowest picture that the gate lets through takes 0.2 s a megapixel; a small
// ARM core is 4 to 12 times slower.
const MS_PER_MEGAPIXEL = 2_000
/** A thread that gets less than this part of a processor is given up all the same: it waits for something. */
const LEAST_SHARE = 1 / 6
/** The processor time is not asked for more often. */
const ASK_MS = 100

/** How long a picture may take, in ms of processor time: `baseMs` and more for each of its pixels. */
export function drawingTime(format: FormatToRender, label: Uint8Array, baseMs: number): number {
  return baseMs + (countPixels(format, label) / 1_000_000) * MS_PER_MEGAPIXEL
}

/** 0 of documents, and of what is not a picture: the thread says so at once. */
function countPixels(format: FormatToRender, label: Uint8Array): number {
  try {
    return findDecoder(format)?.header(label).pixels ?? 0
  } catch {
    return 0
  }
}

/** What the time was when it was up. */
export interface TimeUp {
  readonly seconds: number
  readonly isProcessorTime: boolean
}

/** Runs until it is ended. */
export interface Stopwatch {
  end(): void
}

/**
 * Calls `onUp` once the thread has worked for `limitMs` from now on. Processor time counts, so that no picture is refused
 * because the machine has other work; six times as long by the clock, and it is up too.
 */
export function watchTime(
  worker: Worker,
  limitMs: number,
  onUp: (time: TimeUp) => void,
): Stopwatch {
  const began = usedMs(worker)
  const wallMs = limitMs / LEAST_SHARE
  const check = async (): Promise<void> => {
    const left = limitMs - ((await usedMs(worker)) - (await began))
    if (isEnded) return
    if (left <= 0) onUp({ seconds: limitMs / 1000, isProcessorTime: true })
    else timer = setTimeout(() => void check(), Math.max(ASK_MS, left))
  }
  let isEnded = false
  let timer = setTimeout(() => void check(), limitMs)
  const wall = setTimeout(() => onUp({ seconds: wallMs / 1000, isProcessorTime: false }), wallMs)
  return {
    end() {
      isEnded = true
      clearTimeout(timer)
      clearTimeout(wall)
    },
  }
}

/** Processor time of the thread so far; 0 of one that has not begun or has ended, which shows in other ways. */
async function usedMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
