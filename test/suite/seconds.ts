import { readNotes, writeNotes } from './cache.ts'

const FILE = 'test-seconds.json'

/** What files cost on a machine that has never run them: the first that fits; all others are cheap. */
const GUESSES: readonly (readonly [start: string, seconds: number])[] = [
  ['test/vm/', 200],
  ['test/packages/', 60],
  ['test/doors/ipp/ipptool', 50],
  ['test/jobs/queue/status', 40],
  ['test/doors/foreign-pages', 40],
  ['test/sources/', 40],
  ['test/makers/', 30],
  ['test/fleet/', 25],
  ['test/peers/', 15],
  ['test/web/', 15],
  ['test/e2e/', 15],
  ['test/jobs/', 5],
  ['test/http/', 4],
  ['test/render/', 3],
]

/** The seconds that each file took when it last ran here. */
export function readSeconds(): Map<string, number> {
  return new Map(Object.entries((readNotes(FILE) ?? {}) as Record<string, number>))
}

/** What the file will probably take. */
export function expectSeconds(known: ReadonlyMap<string, number>, file: string): number {
  return known.get(file) ?? GUESSES.find(([folder]) => file.startsWith(folder))?.[1] ?? 1
}

/** Remembers what these took, beside what is known of others. A machine that cannot write forgets, and says so. */
export function writeSeconds(taken: Iterable<readonly [string, number]>): void {
  const all = Object.fromEntries([...readSeconds(), ...taken])
  try {
    writeNotes(FILE, all)
  } catch (error) {
    console.log(`The seconds of this run are not remembered: ${(error as Error).message}`)
  }
}
