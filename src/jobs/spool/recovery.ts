import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { PlatenError } from '../../errors.ts'
import type { Ballast } from './room.ts'
import { copyReadable, type Found } from './salvage.ts'
import { isDamage, openDatabase, SQLITE, sqliteCode } from './schema.ts'

/** What a recovery found, for the log and the page. */
interface Recovery extends Found {
  /** Where the damaged database lies now. */
  readonly keptAs: string
}

/** Renames the database and its log; nothing of it is ever deleted. */
function moveAside(folder: string, name: string): string {
  const taken = new Set(readdirSync(folder))
  let n = 1
  while (taken.has(`spool.corrupt-${n}.db`)) n += 1
  const target = join(folder, `spool.corrupt-${n}.db`)
  for (const suffix of ['-wal', '']) {
    const from = join(folder, name) + suffix
    if (existsSync(from)) renameSync(from, target + suffix)
  }
  return target
}

/** One sentence for the log and the page. */
function recoverySentence(recovery: Recovery): string {
  const lost =
    recovery.lostLabels === 0
      ? 'All recovered labels are intact.'
      : `${recovery.lostLabels} waiting labels could not be read and must be sent again.`
  return `The spool was damaged and is kept as ${recovery.keptAs}; ${recovery.jobs} jobs were read from it. ${lost}`
}

/** The database to open: its file, how large it may become, and the space that is kept in hand. */
interface Place {
  readonly file: string
  readonly quotaBytes: number
  readonly ballast: Ballast
}

/** Opens the database; one that is damaged is moved aside, and what can be read of it is copied into a new one. */
export function openOrRecover(
  place: Place,
  now: number,
): { readonly db: DatabaseSync; readonly notices: readonly string[] } {
  const { file, quotaBytes } = place
  try {
    return { db: openWithBallast(place), notices: [] }
  } catch (error) {
    if (!isDamage(error)) throw error
    const keptAs = moveAside(dirname(file), basename(file))
    const db = openDatabase(file, Number.MAX_SAFE_INTEGER)
    const found = copyReadable(keptAs, db, now)
    db.close()
    return {
      db: openDatabase(file, quotaBytes),
      notices: [recoverySentence({ keptAs, ...found })],
    }
  }
}

function openWithBallast({ file, quotaBytes, ballast }: Place): DatabaseSync {
  try {
    return openDatabase(file, quotaBytes)
  } catch (error) {
    if (sqliteCode(error) !== SQLITE.FULL || !ballast.drop()) throw error
    return openDatabase(file, quotaBytes)
  }
}

/** @throws PlatenError STATE_UNWRITABLE */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (cause) {
    throw new PlatenError('STATE_UNWRITABLE', `The folder ${folder} cannot be made or changed.`, {
      cause,
    })
  }
}
