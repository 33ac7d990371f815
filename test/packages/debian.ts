import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Whoever ends what was opened: a test, or a program of its own. */
export interface Owner {
  teardown(end: () => unknown): unknown
}

/** The end of a command. */
export interface Ended {
  readonly code: number
  /** Standard output and standard error. */
  readonly text: string
}

/** Runs one of the packaging scripts; gives what it prints. */
export async function make(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const file = join(ROOT, 'packaging', script)
  const { stdout } = await run(file, [...args], { cwd: ROOT, env: { ...process.env, ...env } })
  return stdout
}

/**
 * Puts the packages of this tree into the folder; gives their files. Runs of many tests name a folder by PLATEN_TEST_DEBS
 * where the first one leaves them for the others.
 */
export async function makePackages(folder: string, arch: string): Promise<readonly string[]> {
  const shared = process.env['PLATEN_TEST_DEBS']
  if (shared === undefined) await make('deb.sh', [folder, arch])
  else {
    const made = join(shared, arch)
    if (!existsSync(made)) {
      const making = mkdtempSync(`${made}.`)
      await make('deb.sh', [making, arch])
      renameSync(making, made)
    }
    cpSync(made, folder, { recursive: true })
  }
  return readdirSync(folder).map((name) => join(folder, name))
}

/** Options of a test that needs root and these programs: it is skipped, with the reason, where they lack. */
export function needing(files: readonly string[]): { skip: string } | Record<never, never> {
  const lack = process.getuid?.() === 0 ? files.filter((file) => !existsSync(file)) : ['root']
  return lack.length === 0 ? {} : { skip: `this machine lacks ${lack.join(', ')}` }
}

/** A folder that goes at the end, with a plain Debian in its folder `root`. */
export async function unpackDebian(
  owner: Owner,
  arch: string,
  ...kind: readonly string[]
): Promise<{ folder: string; root: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-debian-'))
  owner.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  const tar = (await make('chroot.sh', [arch, ...kind])).trim()
  await run('mkdir', [root])
  await run('tar', ['xf', join(ROOT, tar), '-C', root])
  return { folder, root }
}

/** Runs a command line in the tree; never throws for its exit code. */
export async function inside(root: string, command: string): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  // tap puts these into the environment of every child; the files that they name are not there in the other root.
  const bare = ['env', '-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE', '-u', 'LD_PRELOAD']
  execFile('chroot', [root, ...bare, 'sh', '-c', command], (error, stdout, stderr) => {
    const code = error === null ? 0 : Number(error.code ?? 1)
    resolve({ code, text: stdout + stderr })
  })
  return await promise
}

/** Puts a tree onto a disk and boots it by its own systemd (boot-root.sh says how, and what can be written); what comes back runs a command line there as root and gives what it printed. */
export async function bootDebian(
  owner: Owner,
  folder: string,
  root: string,
): Promise<(command: string) => Promise<string>> {
  const image = join(folder, 'root.img')
  await run('truncate', ['-s', '900M', image])
  await run('mke2fs', ['-q', '-t', 'ext4', '-d', root, image])
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  const script = join(import.meta.dirname, 'boot-root.sh')
  const machine = spawn(
    'unshare',
    [...namespaces, script, image, join(folder, 'mnt'), join(folder, 'data')],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  owner.teardown(async () => {
    const ended = once(machine, 'exit')
    machine.kill('SIGKILL')
    if (machine.exitCode === null && machine.signalCode === null) await ended
  })
  return async (command) => {
    const pid = execFileSync('pgrep', ['-P', String(machine.pid)], { encoding: 'utf8' }).trim()
    // tap puts its hooks into the environment of every child; the files that they name are not there.
    const bare = ['env', '-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE']
    const line = [...bare, 'sh', '-c', `{ ${command}\n} 2>&1 || true`]
    return (await run('nsenter', ['-t', pid, '-m', '-p', '-r', '-w', ...line])).stdout
  }
}
