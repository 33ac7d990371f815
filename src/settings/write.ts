import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PlatenError } from '../words/errors.ts'

/**
 * Replaces the file whole or not at all, even on power failure: temporary file in the same folder, fsync, rename, fsync of the folder. Mode
 * 0600, because it holds passwords. A symbolic link remains one. Creates the folder if it is missing.
 * @throws PlatenError STATE_UNWRITABLE
 */
export function writeWhole(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const target = followLink(file)
    const folder = dirname(target)
    const draft = join(folder, `.${basename(target)}.${process.pid}.tmp`)
    try {
      // Do not write through a link with this name that the owner of the folder may have left.
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

/**
 * Reads the text of a file; undefined when there is none.
 * @throws PlatenError STATE_UNWRITABLE
 */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (readCode(cause) === 'ENOENT') return undefined
    const message = `${file} cannot be read (${readCode(cause)}).`
    throw new PlatenError('STATE_UNWRITABLE', message, { cause })
  }
}

/** Opens a small text of the program's own, kept whole in `file`. Both functions throw STATE_UNWRITABLE. */
export function keepFile(file: string): { load(): string | undefined; save(text: string): void } {
  return {
    load: () => readIfThere(file),
    save: (text) => writeWhole(file, text),
  }
}

const TURN_MS = 2_000

/**
 * Runs `work`, which reads and replaces `file`, while no other process does so: the later of two would undo the other. A process killed in
 * the middle, which takes milliseconds, delays the next one by two seconds.
 * @throws PlatenError STATE_UNWRITABLE; what the work throws
 */
export function inTurn<T>(file: string, work: () => T): T {
  const turn = `${file}.turn`
  orUnwritable(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const late = performance.now() + TURN_MS
    while (!make(turn)) {
      if (performance.now() > late) rmSync(turn, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  })
  try {
    return work()
  } finally {
    rmSync(turn, { force: true })
  }
}

/** Creates a file; false when it exists. */
function make(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return true
  } catch (error) {
    if (readCode(error) === 'EEXIST') return false
    throw error
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

const BYTES = 64 // of a SHA-256 as hexadecimal text

/**
 * Opens a note that the next start of the program finds, however this one ends. It is written at every message, so it is not flushed: the
 * kernel's copy outlives the program, and a power cut is not a message's fault.
 */
export function openHandFile(file: string): { read(): string; write(text: string): void } {
  let handle: number | undefined
  const open = (): number => {
    // Not "w", which would empty it, nor "a", which would write at its end.
    handle ??= openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
    return handle
  }
  return {
    read: () =>
      orUnwritable(file, () => {
        const bytes = Buffer.alloc(BYTES)
        readSync(open(), bytes, 0, BYTES, 0)
        return bytes.toString('latin1').replace(/[\0 ]+/g, '')
      }),
    // One write of constant length: it is never half there.
    write: (text) => orUnwritable(file, () => void writeSync(open(), text.padEnd(BYTES), 0)),
  }
}

/** @throws PlatenError STATE_UNWRITABLE */
function orUnwritable<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const message = `${file} cannot be written (${readCode(cause)}).`
    throw new PlatenError('STATE_UNWRITABLE', message, { cause })
  }
}
