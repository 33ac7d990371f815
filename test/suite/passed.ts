import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Folder where this machine remembers its runs, outside the project: CI begins with a fresh clone each time. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'platen')
const FILE = 'parts-passed.json'
const KEPT = 20 // states of a part: a change that is taken back costs nothing

interface Passed {
  /** Digests of what passed, newest last. */
  readonly digests: readonly string[]
  /** Time at which the last of them passed. */
  readonly at: number
  readonly minutes: number
}

/** Remembers which states of which parts passed on this machine. */
export class PassedParts {
  readonly #folder: string
  readonly #parts: Record<string, Passed>

  constructor(folder = CACHE) {
    this.#folder = folder
    this.#parts = readPassed(join(folder, FILE))
  }

  has(name: string, digest: string): boolean {
    return this.#parts[name]?.digests.includes(digest) ?? false
  }

  /** Milliseconds of the epoch; 0 = it never passed here. */
  lastAt(name: string): number {
    return this.#parts[name]?.at ?? 0
  }

  /** Minutes that it took here; undefined = unknown. */
  minutesOf(name: string): number | undefined {
    return this.#parts[name]?.minutes
  }

  note(name: string, digest: string, minutes: number): void {
    const others = this.#parts[name]?.digests.filter((one) => one !== digest) ?? []
    const digests = [...others, digest].slice(-KEPT)
    this.#parts[name] = { digests, at: Date.now(), minutes }
    // Whole or not at all.
    mkdirSync(this.#folder, { recursive: true })
    const made = join(this.#folder, `${FILE}.${process.pid}`)
    writeFileSync(made, `${JSON.stringify(this.#parts, null, 1)}\n`)
    renameSync(made, join(this.#folder, FILE))
  }
}

/** A damaged file is named and begins again. */
function readPassed(file: string): Record<string, Passed> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      console.log(`${file} begins again: ${(error as Error).message}`)
    return {}
  }
}
