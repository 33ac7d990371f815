import { readNotes, writeNotes } from './cache.ts'

const FILE = 'test-seconds.json'

/** What files cost on a machine that has never run them: the first that fits; all others are cheap. */
const GUESSES: readonly (readonly [start: string, seconds: number])[] = [
  ['test/vm/', 200],
  ['test/packages/', 60],
  ['test/plugins/ipp/ipptool', 50],
  ['test/core/queue/status', 40],
  ['test/plugins/door/foreign-pages', 40],
  ['test/plugins/source/', 40],
  ['test/makers/', 30],
  ['test/fleet/', 25],
  ['test/plugins/peers/', 15],
  ['test/web/', 15],
  ['test/e2e/', 15],
  ['test/core/', 5],
  ['test/http/', 4],
  ['test/labels/', 3],
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
