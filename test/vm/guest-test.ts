import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Arch } from './guest-machine.ts'
import { prepareProgram } from './guest-program.ts'

/** A guest in which a program writes TAP. */
interface GuestTest {
  readonly arch: Arch
  /** The tree that the guest sees. */
  readonly root: string
  readonly init: 'alone' | 'systemd'
  readonly limitMs: number
  /** A file of this folder. */
  readonly program: string
}

/** Boots the guest and takes its tests for a subtest; resolves with the folder that the guest sees as /run/out. */
export async function testInGuest(t: Test, name: string, guest: GuestTest): Promise<string> {
  const out = t.testdir()
  const flags = [
    '--arch',
    guest.arch,
    '--root',
    guest.root,
    '--out',
    out,
    '--limit',
    String(guest.limitMs / 1000),
    ...(guest.init === 'systemd' ? ['--systemd'] : []),
  ]
  const command = await prepareProgram(guest.program)
  const boot = join(import.meta.dirname, 'boot.ts')
  await t.spawn(process.execPath, [boot, ...flags, command], {
    timeout: guest.limitMs + 30_000,
    cwd: join(import.meta.dirname, '../..'),
    name,
  })
  if (!t.passing()) tellEnds(t, out, ['console.log', 'journal.log'])
  return out
}

function tellEnds(t: Test, folder: string, names: readonly string[]): void {
  for (const name of names) {
    try {
      t.comment(readFileSync(join(folder, name), 'utf8').slice(-4000))
    } catch {} // a guest that never came so far
  }
}
