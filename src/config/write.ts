import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PlatenError } from '../errors.ts'

/**
 * Replaces the file whole or not at all, also when power fails: temporary file in the same folder, fsync, rename, fsync
 * of the folder. Mode 0600, since passwords stand in it. A symbolic link stays one. Makes the folder when it is missing.
 * @throws PlatenError STATE_UNWRITABLE
 */
export function writeWhole(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const target = followLink(file)
    const folder = dirname(target)
    const draft = join(folder, `.${basename(target)}.${process.pid}.tmp`)
    try {
      // A link of that name, left by whoever owns the folder, is not written through.
      rmSync(draft, { force: true })
      writeFileSync(draft, content, { mode: 0o600, flush: true, flag: 'wx' })
      renameSync(draft, target)
    } finally {
      rmSync(draft, { force: true })
    }
    syncFolder(folder)
  } catch (cause) {
    throw new PlatenError('STATE_UNWRITABLE', `${file} cannot be written (${readCode(cause)}).`, {
      cause,
    })
  }
}

/** A small text of the program's own, kept whole in `file`. */
export function keepFile(file: string): { load(): string | undefined; save(text: string): void } {
  return {
    load() {
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if (readCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
    save: (text) => writeWhole(file, text),
  }
}

/** The code of a system error, for messages. */
export function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

function followLink(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    if (readCode(error) === 'ENOENT') return file // first start
    throw error
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return // a folder cannot be opened there
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
