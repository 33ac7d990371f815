import { constants, openSync, readSync, writeSync } from 'node:fs'
import { PlatenError } from '../errors.ts'
import { readCode } from './write.ts'

const BYTES = 64 // of a SHA-256 as hexadecimal text

/**
 * A note that the next start of the program finds, however this one ends. It is written at every message, so it is not
 * flushed: what the kernel has outlives the program, and a power cut is no message's fault.
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
    // One write of one length: there is no moment in which half of it is there.
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
