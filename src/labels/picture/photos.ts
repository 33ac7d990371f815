import type { Plane } from '../plane.ts'
import { CELL, type Cells, cellsAround } from './cells.ts'

// Steps between neighbors: photos are full of small ones, what was drawn has none and edges. Of a photo's cells nearly all have
// four tenths small steps and hardly an edge; words saved as JPEG have as many, but edges too.
const SOFT_FROM = 3
const HARD_FROM = 25
const SOFT_SHARE = 0.4
const EDGE_SHARE = 0.3
const HARD_SHARE = 0.15
/** Share of a photo cell's pixels that lie in the middle third between its darkest and lightest, of words next to none. */
const MIDDLE_SHARE = 0.15
const CELLS_LEAST = 12
const BOX_SHARE = 0.5
/** Cells with photos on so many of their eight sides are taken too. */
const CLOSED_BY = 5
const CLOSING = 3

/** Finds the cells that belong to a photo. */
export function findPhotos(plane: Plane, { across, marks }: Cells): Uint8Array {
  const sure = new Uint8Array(marks.length)
  const likely = new Uint8Array(marks.length)
  for (let cell = 0; cell < marks.length; cell++) {
    if (marks[cell] === 0) continue
    const { soft, hard, middle } = look(plane, across, cell)
    if (soft >= EDGE_SHARE) likely[cell] = 1
    if (soft >= SOFT_SHARE && hard < HARD_SHARE && middle >= MIDDLE_SHARE) sure[cell] = 1
  }
  const photos = new Uint8Array(marks.length)
  for (const group of findGroups(sure, across)) {
    for (const cell of group) photos[cell] = 1
    fillBox(photos, group, across)
  }
  grow(photos, likely, across, 1)
  for (let round = 0; round < CLOSING; round++) grow(photos, marks, across, CLOSED_BY)
  return photos
}

interface PhotoShades {
  readonly soft: number
  readonly hard: number
  readonly middle: number
}

function look({ width, height, luma }: Plane, across: number, cell: number): PhotoShades {
  const left = (cell % across) * CELL
  const top = Math.floor(cell / across) * CELL
  // The last row and column of a picture have no neighbors to the right and below.
  const right = Math.max(left + 1, Math.min(width - 1, left + CELL))
  const bottom = Math.max(top + 1, Math.min(height - 1, top + CELL))
  const counts = new Uint16Array(256)
  let [soft, hard] = [0, 0]
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = y * width + x
      const step = stepAt(luma, at, width)
      if (step >= HARD_FROM) hard++
      else if (step >= SOFT_FROM) soft++
      const value = luma[at] as number
      counts[value] = (counts[value] as number) + 1
    }
  }
  const all = (right - left) * (bottom - top)
  return { soft: soft / all, hard: hard / all, middle: countMiddle(counts) / all }
}

/** The larger of the steps to the right and down. */
function stepAt(luma: Uint8Array, at: number, width: number): number {
  const value = luma[at] as number
  const right = Math.abs(value - (luma[at + 1] ?? value))
  return Math.max(right, Math.abs(value - (luma[at + width] ?? value)))
}

function countMiddle(counts: Uint16Array): number {
  const low = counts.findIndex(Boolean)
  const high = counts.findLastIndex(Boolean)
  const third = (high - low) / 3
  const middle = counts.subarray(Math.ceil(low + third), Math.floor(high - third) + 1)
  return middle.reduce((sum, count) => sum + count, 0)
}

/** Enough marked cells that hang together. */
function findGroups(marks: Uint8Array, across: number): readonly (readonly number[])[] {
  const seen = new Uint8Array(marks.length)
  const groups: (readonly number[])[] = []
  for (let cell = 0; cell < marks.length; cell++) {
    if (marks[cell] === 0 || seen[cell] !== 0) continue
    const group = flood(marks, seen, cell, across)
    if (group.length >= CELLS_LEAST) groups.push(group)
  }
  return groups
}

function flood(
  marks: Uint8Array,
  seen: Uint8Array,
  first: number,
  across: number,
): readonly number[] {
  const group = [first]
  seen[first] = 1
  for (const cell of group) {
    for (const next of cellsAround(cell, across, marks.length)) {
      if (marks[next] === 0 || seen[next] !== 0) continue
      seen[next] = 1
      group.push(next)
    }
  }
  return group
}

/** Photos are rectangles, nearly always. */
function fillBox(photos: Uint8Array, group: readonly number[], across: number): void {
  let [left, right, top, bottom] = [across, 0, photos.length, 0]
  for (const cell of group) {
    const [x, y] = [cell % across, Math.floor(cell / across)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  if (group.length < BOX_SHARE * (right - left + 1) * (bottom - top + 1)) return
  for (let y = top; y <= bottom; y++) photos.fill(1, y * across + left, y * across + right + 1)
}

/** Adds the cells among `others` that have so many photos around them. */
function grow(photos: Uint8Array, others: Uint8Array, across: number, least: number): void {
  const before = photos.slice()
  for (let cell = 0; cell < photos.length; cell++) {
    if (before[cell] !== 0 || others[cell] === 0) continue
    const around = cellsAround(cell, across, photos.length)
    if (around.filter((one) => before[one] !== 0).length >= least) photos[cell] = 1
  }
}
