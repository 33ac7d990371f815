import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where this machine remembers its runs, outside of the project: CI begins with a fresh clone each time. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'platen')
const FILE = join(CACHE, 'test-seconds.json')

/** What a file of a folder costs on a machine that has never run it, dearest first; all others are cheap. */
const GUESSES: readonly (readonly [string, number])[] = [
  ['test/vm/', 200],
  ['test/packages/', 60],
  ['test/sources/', 40],
  ['test/web/', 15],
  ['test/e2e/', 15],
  ['test/jobs/', 5],
  ['test/http/', 4],
  ['test/render/', 3],
]

/** The seconds that each file took when it last ran here. */
export function readSeconds(): Map<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>))
  } catch {
    return new Map() // the first run here
  }
}

/** What the file will probably take. */
export function expectSeconds(known: ReadonlyMap<string, number>, file: string): number {
  return known.get(file) ?? GUESSES.find(([folder]) => file.startsWith(folder))?.[1] ?? 1
}

/** Remembers what these took, beside what is known of others. A machine without a home only forgets. */
export function writeSeconds(taken: Iterable<readonly [string, number]>): void {
  const all = Object.fromEntries([...readSeconds(), ...taken])
  try {
    mkdirSync(CACHE, { recursive: true })
    const made = `${FILE}.${process.pid}`
    writeFileSync(made, `${JSON.stringify(all, null, 1)}\n`)
    renameSync(made, FILE)
  } catch {}
}
