import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A piece of a source that V8 counted, as [first character, behind the last one, times run]. */
export type Piece = readonly [start: number, end: number, count: number]

/** A script in a report of V8 (NODE_V8_COVERAGE). Functions begin with their own piece; the others lie in it. */
interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number
      readonly endOffset: number
      readonly count: number
    }[]
  }[]
}

/** Whether one of these pieces was run at a place: the innermost decides. */
export function hasRun(pieces: readonly Piece[], at: number): boolean {
  let inner: Piece | undefined
  for (const piece of pieces) {
    const [start, end] = piece
    if (start > at || end <= at) continue
    if (inner === undefined || end - start <= inner[1] - inner[0]) inner = piece
  }
  return inner !== undefined && inner[2] > 0
}

/** Which sources a test ran, and where: one entry for each process and thread of it that loaded the source. */
export type Ran = ReadonlyMap<string, readonly (readonly Piece[])[]>

/**
 * Reads the reports that a test left in a folder, and removes them.
 * @param root of the project that ran; the files are named from there
 * @param within only files below this folder, e.g. `src/`
 */
export function readRan(folder: string, root: string, within: string): Ran {
  const base = `${pathToFileURL(root).href}/`
  const ran = new Map<string, (readonly Piece[])[]>()
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: readonly Script[]
    }
    for (const { url, functions } of result) {
      const file = url.startsWith(base) ? posix.normalize(url.slice(base.length)) : ''
      if (!file.startsWith(within)) continue
      const pieces = functions.flatMap(({ ranges }) =>
        ranges.map(({ startOffset, endOffset, count }): Piece => [startOffset, endOffset, count]),
      )
      ran.set(file, [...(ran.get(file) ?? []), pieces])
    }
    rmSync(join(folder, name))
  }
  return ran
}
