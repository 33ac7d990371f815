import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PlatenError } from '../../errors.ts'

/**
 * Writes a secret file whole or not at all, also when the power goes: temp file (0600), fsync, rename, fsync of the
 * folder (0700 when it is made here).
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function replaceFile(file: string, bytes: Uint8Array | string): Promise<void> {
  const folder = dirname(file)
  const temporary = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeThrough(temporary, bytes)
    await rename(temporary, file)
    await syncFolder(folder)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PlatenError('STATE_UNWRITABLE', `Cannot write ${file}: ${reason}.`, { cause })
  }
}

async function writeThrough(file: string, bytes: Uint8Array | string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // a folder cannot be opened there
  await using handle = await open(folder, 'r')
  await handle.sync()
}
