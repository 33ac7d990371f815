import { endOfLine, isBlank, latin1 } from './bytes.ts'
import { Extent, type RawExtent } from './dots.ts'

const LINES_MOST = 5_000
const LINE_MOST = 120

/** Size that a line of a language gives. */
export interface LineDots {
  /** The stock, or a point that all others are counted from. */
  readonly width?: number
  readonly height?: number
  readonly from?: readonly [number, number]
  /** Extent. */
  readonly to?: readonly [number, number]
}

/** The numbers of a label whose commands are lines. */
export function readLineDots(
  bytes: Uint8Array,
  endOfData: (bytes: Uint8Array, line: number) => number | undefined,
  readLine: (line: string) => LineDots | undefined,
): RawExtent | undefined {
  const extent = new Extent()
  let [width, height]: (number | undefined)[] = []
  let from: readonly [number, number] = [0, 0]
  for (let at = 0, lines = 0; at < bytes.length && lines < LINES_MOST; lines++) {
    while (isBlank(bytes[at])) at += 1
    const end = endOfLine(bytes, at)
    const line = readLine(latin1(bytes, at, Math.min(end - at, LINE_MOST)))
    width = line?.width ?? width
    height = line?.height ?? height
    from = line?.from ?? from
    if (line?.to !== undefined) extent.reach(from[0] + line.to[0], from[1] + line.to[1])
    at = endOfData(bytes, at) ?? end + 1
  }
  const { right, bottom } = extent
  return right === 0 ? undefined : { width, height, right, bottom }
}
