import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file whole or not at all, also when power fails. Makes its folder. */
export function writeWhole(file: string, text: string, mode: number): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.new`
  writeFileSync(draft, text, { mode, flush: true })
  renameSync(draft, file)
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Writes over a file in its own sectors, blanks over what is left of the old content, and cuts it to the new length then. */
export function overwrite(file: string, bytes: Uint8Array): void {
  const handle = openSync(file, 'r+')
  try {
    const before = fstatSync(handle).size
    writeSync(handle, bytes, 0, bytes.length, 0)
    if (before > bytes.length) {
      writeSync(handle, Buffer.alloc(before - bytes.length, ' '), 0, undefined, bytes.length)
    }
    fsyncSync(handle)
    ftruncateSync(handle, bytes.length)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
