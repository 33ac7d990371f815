import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { blameLabel } from '../../core/reasons/held-label.ts'
import { isAbort, takeTurns } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import type { SourceMemory } from './source.ts'

const NOTES_MOST = 200

/** The file of notes for the next start. Decision `crashing-message`. */
export interface NotesFile {
  load(): string | undefined
  /** @throws PlatenError STATE_UNWRITABLE */
  save(text: string): void
}

/** Keeps no notes, for a program without a state folder. */
const NO_FILE: NotesFile = { load: () => undefined, save: () => undefined }

/** Opens the sources' notes, which are kept in one file and read on first use; the oldest of too many are dropped. */
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

/** Reads the notes; a damaged or unreadable file is ignored: labels matter more. */
function readNotes(file: NotesFile): readonly (readonly [string, string])[] {
  try {
    return Object.entries(Object(JSON.parse(file.load() ?? '')) as object).filter(
      (note): note is [string, string] => typeof note[1] === 'string',
    )
  } catch {
    return []
  }
}

/** Crashes in the same message after which it is set aside, as for a label that is drawn. */
const CRASHES_MOST = 2
/** Most messages that are remembered; the oldest go first. */
const SUSPECTS_MOST = 50
const NOTE = 'in hand'
const SUSPECTS = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ version: v.string(), suspects: v.array(v.tuple([v.string(), v.number()])) }),
)
const HASH = /^[0-9a-f]{64}$/

/** The note about the message in hand, for the next start; '' = none. */
export interface HandNote {
  /** @throws PlatenError STATE_UNWRITABLE */
  read(): string
  /** @throws PlatenError STATE_UNWRITABLE */
  write(text: string): void
}

/** Keeps no note, for a program without a state folder. */
export const NO_HAND: HandNote = { read: () => '', write: () => undefined }

/** The parts of the guard. */
export interface CrashGuardParts {
  readonly hand: HandNote
  readonly memory: SourceMemory
  /** Another version may be able to read a message that ended this one. */
  readonly version: string
  /** Called with our own faults, for the log. */
  readonly fault?: (error: unknown) => void
}

/**
 * Keeps a message that ends the program from ending it at every start: its queue delivers it again each time. Only one message of all
 * sources is read at a time, so the noted one is the one that was in hand.
 */
export class CrashGuard {
  readonly #parts: CrashGuardParts
  /** Crashes by the hashes of the messages; undefined = not read yet. */
  #suspects: ReadonlyMap<string, number> | undefined
  readonly #inTurn = takeTurns()

  constructor(parts: CrashGuardParts) {
    this.#parts = parts
  }

  /**
   * Runs `work`, which reads a message and takes its labels; `key` is the same each time that it comes.
   * @throws PlatenError LABEL_CRASHED, before anything of it is read or for a fault of ours; STATE_UNWRITABLE; what the work throws on
   * purpose
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const hash = createHash('sha256').update(key).digest('hex')
    return this.#inTurn(() => this.#runNoted(hash, work))
  }

  /** Clears the note at an orderly end: the message in hand did no harm, it is only being written down, which takes longer. */
  end(): void {
    if (this.#suspects !== undefined) this.#parts.hand.write('')
  }

  async #runNoted<T>(hash: string, work: () => Promise<T>): Promise<T> {
    this.#suspects ??= this.#learn()
    const crashes = this.#suspects.get(hash) ?? 0
    if (crashes >= CRASHES_MOST) {
      const message = `The print server ended ${crashes} times while it looked at this message.`
      throw new PlatenError('LABEL_CRASHED', message)
    }
    this.#parts.hand.write(hash)
    try {
      return await work()
    } catch (error) {
      if (error instanceof PlatenError || isAbort(error)) throw error
      // Thrown on it would end the source, whose queue gives the same message again for ever.
      this.#parts.fault?.(error)
      throw blameLabel(error)
    } finally {
      this.#parts.hand.write('')
      if (crashes > 0) this.#suspects = this.#keep(without(this.#suspects, hash))
    }
  }

  /** Learns from the note of the last start, which names the message that ended it. */
  #learn(): ReadonlyMap<string, number> {
    const { hand, memory, version } = this.#parts
    const known = readSuspects(memory.recall(NOTE), version)
    const left = hand.read()
    if (!HASH.test(left)) return known
    const crashes = (known.get(left) ?? 0) + 1
    const suspects = this.#keep(new Map([...without(known, left), [left, crashes]]))
    hand.write('')
    return suspects
  }

  #keep(suspects: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const { memory, version } = this.#parts
    const kept = [...suspects].slice(-SUSPECTS_MOST)
    memory.remember(NOTE, JSON.stringify({ version, suspects: kept }))
    return new Map(kept)
  }
}

function without(suspects: ReadonlyMap<string, number>, hash: string): Map<string, number> {
  return new Map([...suspects].filter(([each]) => each !== hash))
}

/** Reads the suspects; a damaged note is ignored, like the notes around it. */
function readSuspects(note = '', version: string): ReadonlyMap<string, number> {
  const found = v.safeParse(SUSPECTS, note)
  return new Map(found.success && found.output.version === version ? found.output.suspects : [])
}
