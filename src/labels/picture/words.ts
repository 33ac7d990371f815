import type { Plane } from '../plane.ts'
import { INK_BELOW, PAPER_FROM } from './cells.ts'
import { BLACK, type Painter, WHITE } from './painter.ts'
import { BOX } from './regions.ts'
import { Runs } from './runs.ts'
import { DARK, FLAT, HIGHEST, KIND, LIGHT, LOWEST, NOT_SEEN, SHARP } from './states.ts'

const MIDDLE = 128
/** Letters that are nearer than this make a word, in inches; bars too. */
const GAP_INCH = 1 / 40

/** Strokes that are looked at together: dark ones of a luma, or light ones. */
interface Strokes {
  readonly isDark: boolean
  readonly from: number
  readonly below: number
}

// Pale strokes by themselves: they may be the background's. A word about as light as the bound is in one of both whole.
const STROKES: readonly Strokes[] = [
  { isDark: true, from: 0, below: PAPER_FROM },
  { isDark: true, from: PAPER_FROM - 10, below: 256 },
  { isDark: false, from: 0, below: 256 },
]

interface Word {
  area: number
  /** Pixels of real ink, of light words paper. */
  pure: number
  /** Pixels in the middle of strokes, and how many of them are of each luma, by four. */
  centers: number
  readonly levels: Uint32Array
  /** Pixels beside a box that is painted. */
  boxed: number
  left: number
  right: number
  top: number
  bottom: number
  isToned: boolean
}

/** State and paint of each pixel of a plane. */
interface PixelStates {
  readonly plane: Plane
  readonly states: Uint8Array
  readonly paints: Uint8Array
  readonly isNoisy: boolean
}

/** Words and bars that are not black on white: all of their strokes are as dark, or light, as each other. */
export function drawWords(known: PixelStates, painter: Painter, dpi: number): void {
  const mask = new Uint8Array(known.states.length)
  for (const strokes of STROKES) {
    mask.fill(0)
    markStrokes(known, strokes, mask)
    const { width } = known.plane
    const runs = new Runs(mask, width, () => true, Math.round(dpi * GAP_INCH))
    const words = measureWords(known, strokes, runs, mask, dpi)
    eachPixel(runs, mask, width, (run, x, y) => {
      if (!(words[run] as Word).isToned) return
      // What is light enough for the threshold stays so.
      if (strokes.isDark) painter.set(x, y, true)
      else if ((known.plane.luma[y * width + x] as number) < MIDDLE) painter.set(x, y, false)
    })
  }
}

function markStrokes(
  { plane, states, paints }: PixelStates,
  { isDark, from, below }: Strokes,
  mask: Uint8Array,
): void {
  const [kind, paint] = isDark ? [DARK, BLACK] : [LIGHT, WHITE]
  for (let at = 0; at < states.length; at++) {
    const state = (states[at] as number) & KIND
    if (state === NOT_SEEN) continue
    const value = plane.luma[at] as number
    if (value < from || value >= below) continue
    const isOne =
      state === kind ||
      (state === FLAT && paints[at] === paint) ||
      (state === SHARP && value < MIDDLE === isDark)
    if (isOne) mask[at] = 1
  }
}

function eachPixel(
  runs: Runs,
  mask: Uint8Array,
  width: number,
  visit: (run: number, x: number, y: number) => void,
): void {
  runs.each((run, y, start, end) => {
    for (let x = start; x < end; x++) if (mask[y * width + x] !== 0) visit(run, x, y)
  })
}

/** The word of each run. */
function measureWords(
  known: PixelStates,
  strokes: Strokes,
  runs: Runs,
  mask: Uint8Array,
  dpi: number,
): readonly Word[] {
  const words = runs.group(makeWord)
  const { width } = known.plane
  eachPixel(runs, mask, width, (run, x, y) => {
    const word = words[run] as Word
    word.left = Math.min(word.left, x)
    word.right = Math.max(word.right, x)
    word.top = Math.min(word.top, y)
    word.bottom = Math.max(word.bottom, y)
    addPixel(word, known, strokes.isDark, y * width + x)
  })
  const all = new Set(words)
  for (const word of all) word.isToned = isToned(word, strokes.isDark, known.isNoisy)
  joinSmall(all, strokes.isDark, known.isNoisy, dpi)
  return words
}

function makeWord(): Word {
  const edges = { left: Number.MAX_SAFE_INTEGER, right: 0, top: Number.MAX_SAFE_INTEGER, bottom: 0 }
  const levels = new Uint32Array(64)
  return { ...edges, area: 0, pure: 0, centers: 0, levels, boxed: 0, isToned: false }
}

/** Limit of a box's distance behind a stroke's edge. */
const BESIDE = 3

function addPixel(
  word: Word,
  { plane, states, paints }: PixelStates,
  isDark: boolean,
  at: number,
): void {
  const value = plane.luma[at] as number
  word.area++
  if (isDark ? value < INK_BELOW : value >= PAPER_FROM) word.pure++
  const down = BESIDE * plane.width
  const isBox = (one: number): boolean => (paints[one] ?? 0) >= BOX
  if (isBox(at - BESIDE) || isBox(at + BESIDE) || isBox(at - down) || isBox(at + down)) word.boxed++
  if (((states[at] as number) & (isDark ? LOWEST : HIGHEST)) === 0) return
  word.centers++
  word.levels[value >> 2] = (word.levels[value >> 2] as number) + 1
}

// Of what stands on a box a third and more lies beside it, of what stands near it next to nothing.
const BOXED_SHARE = 0.15
/** Fewer pixels are the dot of an i, or noise. */
const AREA_LEAST = 48
const CENTERS_LEAST = 4
const PURE_SHARE = 0.02
/** So much of the middle of gray strokes is as dark as can be; of thin black ones each has another gray. */
const PEAK_SHARE = 0.4
/** Range of the darkest pixels: within 16, with the noise of JPEG 32, by four. */
const PEAK = 4
const NOISY_PEAK = 8
/** With JPEG's noise nothing as light as this is a word. */
const NOISY_PALEST = 224

/** Tells whether the threshold is wrong for a word. */
function isToned(word: Word, isDark: boolean, isNoisy: boolean): boolean {
  if (word.boxed >= word.area * BOXED_SHARE) return true
  return (
    word.area >= AREA_LEAST && word.centers >= CENTERS_LEAST && isOfOneTone(word, isDark, isNoisy)
  )
}

function isOfOneTone(word: Word, isDark: boolean, isNoisy: boolean): boolean {
  const { area, pure, centers, levels } = word
  if (centers === 0 || pure > area * PURE_SHARE) return false
  const first = firstOf(word, isDark)
  if (isRule(word, isDark && first * 4 >= PAPER_FROM)) return false
  if (isDark && isNoisy && first * 4 >= NOISY_PALEST) return false
  const peak = isNoisy ? NOISY_PEAK : PEAK
  const nearest = isDark
    ? levels.subarray(first, first + peak)
    : levels.subarray(Math.max(0, first - peak + 1), first + 1)
  return nearest.reduce((sum, count) => sum + count, 0) >= PEAK_SHARE * centers
}

/** The darkest level of a dark word, the lightest of a light one. */
function firstOf({ levels }: Word, isDark: boolean): number {
  return isDark ? levels.findIndex(Boolean) : levels.findLastIndex(Boolean)
}

const REACH_INCH = 1 / 16

/** Dots of letters, and points: what is too small to be judged is as the words beside it that are about as dark. */
function joinSmall(words: Set<Word>, isDark: boolean, isNoisy: boolean, dpi: number): void {
  const reach = dpi * REACH_INCH
  const toned = [...words].filter((word) => word.isToned && word.area >= AREA_LEAST)
  if (toned.length === 0) return
  for (const word of words) {
    if (word.isToned || word.area >= AREA_LEAST || !isOfOneTone(word, isDark, isNoisy)) continue
    const first = firstOf(word, isDark)
    word.isToned = toned.some(
      (one) =>
        word.left <= one.right + reach &&
        word.right >= one.left - reach &&
        word.top <= one.bottom + reach &&
        word.bottom >= one.top - reach &&
        Math.abs(firstOf(one, isDark) - first) <= PEAK,
    )
  }
}

const RULE_LEAST = 40
const RULE_THICK = 2

/** The blurred edge of a rule that is black, and of pale strokes rules and the waves of a background. */
function isRule({ left, right, top, bottom, area }: Word, isPale: boolean): boolean {
  if (left === right || top === bottom) return true
  const longer = Math.max(right - left, bottom - top) + 1
  return isPale && longer > RULE_LEAST && area <= RULE_THICK * longer
}
