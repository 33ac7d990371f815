import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where this machine remembers its runs, outside of the project: CI begins with a fresh clone each time. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'platen')

/** The JSON of a file in a folder of notes; undefined when there is none. A damaged one is named and begins again. */
export function readNotes(name: string, folder = CACHE): unknown {
  const file = join(folder, name)
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      console.log(`${file} begins again: ${(error as Error).message}`)
    return undefined
  }
}

/** Writes such a file, whole or not at all. @throws what the file system throws */
export function writeNotes(name: string, notes: unknown, folder = CACHE): void {
  mkdirSync(folder, { recursive: true })
  const made = join(folder, `${name}.${process.pid}`)
  writeFileSync(made, `${JSON.stringify(notes, null, 1)}\n`)
  renameSync(made, join(folder, name))
}
