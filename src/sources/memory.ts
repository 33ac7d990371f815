import type { SourceMemory } from './source.ts'

const NOTES_MOST = 200

/** Where notes are kept for the next start. */
export interface NotesFile {
  load(): string | undefined
  /** @throws PlatenError STATE_UNWRITABLE */
  save(text: string): void
}

/** Nothing is kept: for a program without a state folder. */
const NO_FILE: NotesFile = { load: () => undefined, save: () => undefined }

/** The sources' notes in one file, read when the first is asked for; the oldest of too many are dropped. */
export function openMemory(file: NotesFile = NO_FILE): SourceMemory {
  let notes: Map<string, string> | undefined
  const all = (): Map<string, string> => {
    notes ??= new Map(readNotes(file))
    return notes
  }
  return {
    recall: (name) => all().get(name),
    remember(name, text) {
      const kept = [...all()].filter(([each]) => each !== name).slice(1 - NOTES_MOST)
      const next = new Map([...kept, [name, text]])
      file.save(`${JSON.stringify(Object.fromEntries(next), null, 2)}\n`)
      notes = next
    },
  }
}

/** What is damaged, or cannot be read, is forgotten: labels matter more. */
function readNotes(file: NotesFile): readonly (readonly [string, string])[] {
  try {
    return Object.entries(Object(JSON.parse(file.load() ?? '')) as object).filter(
      (note): note is [string, string] => typeof note[1] === 'string',
    )
  } catch {
    return []
  }
}
