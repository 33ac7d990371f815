import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NbdDisk } from './nbd-disk.ts'

const run = promisify(execFile)
const PATIENCE_MS = 120_000

/** A file system on a disk that forgets, as the box has it under /var/lib/platen. */
export interface Card {
  /** The mount point. */
  readonly folder: string
  readonly disk: NbdDisk
  /**
   * Cuts the power, ends who runs on it and clears the remains away; the image holds what the next boot finds. Gives how
   * many sectors were lost.
   */
  cut(random: () => number, share: number, user?: { kill(): Promise<void> }): Promise<number>
}

/** An empty ext4 file system of so many bytes. */
export async function makeImage(file: string, bytes: number): Promise<void> {
  await run('truncate', ['-s', String(bytes), file])
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', file])
}

/** Puts the card in: NBD server of our own, shown as a file by nbdfuse, as a disk by a loop device, and mounted. */
export async function insertCard(work: string, image: string, turn: number): Promise<Card> {
  const [folder, shown] = [join(work, 'mnt'), join(work, `fuse-${turn}`)]
  const [socket, file] = [join(work, `nbd-${turn}`), join(shown, 'disk')]
  mkdirSync(folder, { recursive: true })
  mkdirSync(shown)
  const disk = await NbdDisk.open(image, socket)
  const fuse = spawn('nbdfuse', [file, '--unix', socket], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await waitFor(() => existsSync(file), 'nbdfuse')
  const loop = (await run('losetup', ['--find', '--show', file])).stdout.trim()
  // As image/ mounts the data partition.
  await run('mount', ['-t', 'ext4', '-o', 'noatime,errors=remount-ro', loop, folder])
  return {
    folder,
    disk,
    async cut(random, share, user) {
      const lost = disk.cut(random, share)
      await end(fuse) // whoever waits for the disk is told now
      await user?.kill()
      // What is still mounted answers every call with an error now, so nothing reaches the image any more.
      await run('umount', ['--lazy', folder])
      await run('losetup', ['--detach', loop])
      await run('umount', ['--lazy', shown]).catch(() => undefined)
      return lost
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function waitFor(isThere: () => boolean, what: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!isThere()) {
    if (Date.now() > end) throw new Error(`${what} is not there after ${PATIENCE_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
