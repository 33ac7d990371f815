import type { Box, Plane } from '../picture/plane.ts'

/** Dots per inch at which pages are looked at. */
export const LOOK_DPI = 100

const EDGE = 40 // luma between neighbors
const EDGE_LONG = 0.12 * LOOK_DPI
const LIKE_ACROSS = 0.8 * LOOK_DPI
const LIKE_ALONG = 0.15 * LOOK_DPI
const LIKE_LEAST = 13

/** Whether bar codes stand in a part of the page: many straight edges of a kind side by side. Nothing is read. */
export function hasBars(page: Plane, part: Box): boolean {
  return hasEdges(page, part, true) || hasEdges(page, part, false)
}

interface Edge {
  readonly across: number
  readonly middle: number
}

function hasEdges(page: Plane, part: Box, isUpright: boolean): boolean {
  const edges = listEdges(page, part, isUpright)
  // In the order of their places across, so that those that are alike stand together.
  for (let n = 0; n + LIKE_LEAST < edges.length; n++) {
    const edge = edges[n] as Edge
    let like = 0
    for (let m = n + 1; m < edges.length; m++) {
      const other = edges[m] as Edge
      if (other.across - edge.across > LIKE_ACROSS) break
      if (Math.abs(other.middle - edge.middle) <= LIKE_ALONG && ++like >= LIKE_LEAST) return true
    }
  }
  return false
}

/** Straight edges between dark and light, `isUpright`: along columns. */
function listEdges({ width, luma }: Plane, part: Box, isUpright: boolean): readonly Edge[] {
  const [lines, length] = isUpright ? [part.width, part.height] : [part.height, part.width]
  const [across, along] = isUpright ? [1, width] : [width, 1]
  const edges: Edge[] = []
  for (let line = 0; line < lines - 1; line++) {
    const start = part.y * width + part.x + line * across
    const isEdge = (n: number): boolean => {
      const at = start + n * along
      return n < length && Math.abs((luma[at + across] as number) - (luma[at] as number)) > EDGE
    }
    addRuns(edges, line, length, isEdge)
  }
  return edges
}

function addRuns(
  edges: Edge[],
  line: number,
  length: number,
  isEdge: (n: number) => boolean,
): void {
  let run = 0
  for (let n = 0; n <= length; n++) {
    if (isEdge(n)) run++
    else {
      if (run >= EDGE_LONG) edges.push({ across: line, middle: n - run / 2 })
      run = 0
    }
  }
}
