import { constants, openSync, readSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

// The entry of the child that holds one /dev/usb/lpN. It never waits in the kernel, where nothing could end it: the file
// is asked again and again. It is a process of its own so that killing it cuts a transfer, and it keeps the file open from
// job to job: closing drops the block that is on its way.

const WRITE_BYTES = 8_192 // the most that the kernel's driver takes at a time (drivers/usb/class/usblp.c)
const READ_BYTES = 8_192
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 40

let file = -1

process.on('message', (request: LpRequest) => {
  void answer(request).then((reply) => process.send?.(reply))
})
process.once('disconnect', () => process.exit())

async function answer(request: LpRequest): Promise<LpReply> {
  const { id } = request
  try {
    if (request.ask === 'open') file = open(request.file)
    else if (request.ask === 'write') await writeAll(request.bytes)
    else return { id, bytes: await read(request.ms) }
    return { id }
  } catch (error) {
    return { id, error: String(error) }
  }
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  } catch (error) {
    if (!isCode(error, 'EACCES')) throw error
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) // labels go, answers do not come
  }
}

/**
 * A write that succeeded only put a block on its way; the next one succeeds when that block was taken. So the last byte
 * goes alone, and at most this byte is on its way at the end.
 */
async function writeAll(bytes: Uint8Array): Promise<void> {
  await write(bytes.subarray(0, -1))
  await write(bytes.subarray(-1))
}

async function write(bytes: Uint8Array): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  for (let at = 0; at < bytes.length; ) {
    const count = tryWrite(bytes.subarray(at, at + WRITE_BYTES))
    at += count
    pauseMs = count > 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    if (count === 0) await sleep(pauseMs)
  }
}

/** 0: the printer is busy. */
function tryWrite(bytes: Uint8Array): number {
  try {
    return writeSync(file, bytes)
  } catch (error) {
    if (isCode(error, 'EAGAIN')) return 0
    throw error
  }
}

async function read(ms: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(READ_BYTES)
  const end = performance.now() + ms
  for (;;) {
    const count = tryRead(bytes)
    const left = end - performance.now()
    if (count > 0 || left <= 0) return bytes.subarray(0, count)
    await sleep(Math.min(left, FIRST_PAUSE_MS * 2))
  }
}

/** 0: the printer says nothing. */
function tryRead(bytes: Uint8Array): number {
  try {
    return readSync(file, bytes)
  } catch (error) {
    if (isCode(error, 'EAGAIN') || isCode(error, 'EBADF')) return 0 // nothing there, or opened for writing only
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Request to the child that writes to `/dev/usb/lpN`. */
export type LpRequest =
  | { readonly id: number; readonly ask: 'open'; readonly file: string }
  | { readonly id: number; readonly ask: 'write'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly ask: 'read'; readonly ms: number }

/** Its answer: the bytes read, nothing, or what went wrong. */
export type LpReply =
  | { readonly id: number; readonly bytes?: Uint8Array }
  | { readonly id: number; readonly error: string }
