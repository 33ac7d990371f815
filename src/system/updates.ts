import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sentences, say } from '../words/say.ts'

/** Result of the last update; `none` when there was none. */
export interface UpdateResult {
  /** `running`, `updated`, `current`, `undone`, `refused`, `stale`, `clock`, `unreachable`, `busy`, `skipped`, `failed`, … */
  readonly result: string
  readonly from: string
  readonly to: string
  /** A sentence for a person; '' = nothing to say. */
  readonly message: string
  readonly hint: string
  /** ISO 8601; '' = never. */
  readonly at: string
}

/** Folders of updates; a test has folders of its own. */
export interface UpdatePlaces {
  /** Holds `update.json`, which the update script writes. */
  readonly stateFolder: string
  /** `$RUNTIME_DIRECTORY` of systemd; undefined = nobody waits for a wish there. */
  readonly runtimeFolder: string | undefined
  /** Default: where apt keeps its sources. */
  readonly sourcesFolder?: string
}

/** The updates of this installation, as far as the server, which may not install anything, has to do with them. */
export interface Updates {
  /** The last result; damage counts as none. */
  last(): UpdateResult
  /** Tells in a sentence why a person cannot ask for an update here; undefined = can. */
  hindrance(): Sentences | undefined
  /** Leaves the wish for platen-update.path. @throws a system error when it cannot be written */
  request(): void
}

const NONE: UpdateResult = { result: 'none', from: '', to: '', message: '', hint: '', at: '' }
const TEXT_MOST = 1_000

/** Reads and writes the two files that the server and packaging/lib/update share. */
export function createUpdates(places: UpdatePlaces): Updates {
  const { stateFolder, runtimeFolder, sourcesFolder = '/etc/apt/sources.list.d' } = places
  return {
    last: () => readResult(join(stateFolder, 'update.json')),
    hindrance() {
      if (runtimeFolder === undefined || !existsSync(runtimeFolder)) {
        return say('notDebian')
      }
      return hasSource(sourcesFolder) ? undefined : say('noUpdateServer')
    },
    request() {
      if (runtimeFolder !== undefined) writeFileSync(join(runtimeFolder, 'update-request'), '')
    },
  }
}

function hasSource(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^platen.*\.sources$/.test(name))
  } catch {
    return false
  }
}

function readResult(file: string): UpdateResult {
  try {
    const seen: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const read = (key: string): string => {
      const value = typeof seen === 'object' && seen !== null ? Reflect.get(seen, key) : undefined
      return typeof value === 'string' ? value.slice(0, TEXT_MOST) : ''
    }
    const [from, to, message, hint, at] = ['from', 'to', 'message', 'hint', 'at'].map(read)
    return {
      ...NONE,
      result: read('result') || 'none',
      from,
      to,
      message,
      hint,
      at,
    } as UpdateResult
  } catch {
    return NONE
  }
}
