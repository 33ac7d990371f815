import { CACHE, readNotes, writeNotes } from './cache.ts'

const FILE = 'parts-passed.json'
const KEPT = 20 // states of a part: a change that is taken back costs nothing

interface Passed {
  /** Digests of what passed, newest last. */
  readonly digests: readonly string[]
  /** When the last of them passed. */
  readonly at: number
  readonly minutes: number
}

/** Which states of which parts passed on this machine. */
export class PassedParts {
  readonly #folder: string
  readonly #parts: Record<string, Passed>

  constructor(folder = CACHE) {
    this.#folder = folder
    this.#parts = (readNotes(FILE, folder) ?? {}) as Record<string, Passed>
  }

  has(name: string, digest: string): boolean {
    return this.#parts[name]?.digests.includes(digest) ?? false
  }

  /** Milliseconds of the epoch; 0 = it never passed here. */
  lastAt(name: string): number {
    return this.#parts[name]?.at ?? 0
  }

  /** What it took here; undefined = not known. */
  minutesOf(name: string): number | undefined {
    return this.#parts[name]?.minutes
  }

  note(name: string, digest: string, minutes: number): void {
    const others = this.#parts[name]?.digests.filter((one) => one !== digest) ?? []
    const digests = [...others, digest].slice(-KEPT)
    this.#parts[name] = { digests, at: Date.now(), minutes }
    writeNotes(FILE, this.#parts, this.#folder)
  }
}
