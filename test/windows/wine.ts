import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { needing, unpackDebian } from '../packages/debian.ts'

const run = promisify(execFile)

/** The user that Wine runs as. */
const USER = 1000
const HOME = '/home/shop'
const ENV = [
  `HOME=${HOME}`,
  'USER=shop',
  'LANG=C.UTF-8',
  'PATH=/usr/local/bin:/usr/bin:/bin',
  'XDG_RUNTIME_DIR=/tmp',
  'WINEDEBUG=-all',
  'WINEDLLOVERRIDES=mscoree,mshtml=',
]

/** Folder of the executables and setups that are tried: those that are handed out, made by `make setup`. */
const MADE = process.env['PLATEN_WINDOWS'] ?? ''

/** These tests want a network and mounts of their own: `make test-wine` gives them. */
export const WINE = {
  ...needing(['/usr/bin/mmdebstrap', '/usr/bin/unshare']),
  ...(MADE === '' ? { skip: 'make test-wine runs it' } : {}),
}

/** Copies one of them into a folder of Windows. */
export function placeMade(pattern: string, file: string): void {
  const [found = ''] = globSync(pattern, { cwd: MADE })
  copyFileSync(join(MADE, found), file)
  chmodSync(file, 0o755)
}

/** The end of a program of Windows, and its output. */
export interface Ended {
  readonly code: number
  readonly text: string
}

/** Windows as far as Wine is one: its own Debian, a user's drive C:, and whatever a browser was asked to open. */
export class Wine {
  readonly root: string
  /** Drive C: in this system's own files. */
  readonly drive: string
  readonly #programs = new Set<ChildProcess>()
  #count = 0

  private constructor(root: string) {
    this.root = root
    this.drive = join(root, HOME, '.wine/drive_c')
  }

  static async open(t: Test): Promise<Wine> {
    const { root } = await unpackDebian(t, 'amd64', 'wine')
    const wine = new Wine(root)
    await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
    await run('mount', ['--rbind', '/dev', join(root, 'dev')])
    t.teardown(async () => {
      await wine.close()
      for (const name of ['proc', 'dev']) await run('umount', ['-l', join(root, name)])
    })
    await run('chroot', [root, 'useradd', '-m', '-u', String(USER), 'shop'])
    const browser = join(root, 'usr/local/bin/xdg-open') // the first that Wine tries
    writeFileSync(browser, `#!/bin/sh\necho "$1" >>${HOME}/opened\n`, { mode: 0o755 })
    await wine.#enter(['wineboot', '-i'])
    wine.keep()
    return wine
  }

  /** Wine ends its services when no program is left: one waits, as a desktop would. */
  keep(): void {
    this.start(['cmd.exe', '/c', 'ping -n 3000 127.0.0.1'])
  }

  /** Addresses that a browser was asked to open, the newest last. */
  get opened(): readonly string[] {
    const file = join(this.root, HOME, 'opened')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  /** Runs a program to its end, at most two minutes. `cwd` is a folder of drive C:. */
  async run(command: readonly string[], cwd = ''): Promise<Ended> {
    const { child, read } = this.start(command, cwd)
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
    const [code] = await once(child, 'exit')
    clearTimeout(timer)
    this.#programs.delete(child)
    return { code: Number(code ?? 1), text: read() }
  }

  /** Starts a program; what it writes goes into a file, because Node's output on a pipe fails under Wine (EBADF). */
  start(command: readonly string[], cwd = ''): { child: ChildProcess; read: () => string } {
    const file = join(this.root, 'tmp', `out-${this.#count++}`)
    const out = openSync(file, 'w')
    const folder = join(HOME, '.wine/drive_c', cwd)
    const enter = ['sh', '-c', 'cd "$1" && shift && exec wine "$@"', 'sh', folder, ...command]
    const child = spawn('chroot', this.arguments(enter), { stdio: ['ignore', out, out] })
    closeSync(out)
    this.#programs.add(child)
    return { child, read: () => readFileSync(file, 'utf8') }
  }

  /** Returns the arguments of `chroot` to run a command of the other Debian as the user. */
  arguments(command: readonly string[]): readonly string[] {
    return [`--userspec=${USER}:${USER}`, this.root, 'env', '-i', ...ENV, ...command]
  }

  /** Makes a folder of drive C: that belongs to the user. */
  makeFolder(name: string): string {
    const folder = join(this.drive, name)
    mkdirSync(folder, { recursive: true })
    execFileSync('chown', ['-R', `${USER}:${USER}`, join(this.drive, name.split('/')[0] ?? '')])
    return folder
  }

  /** Kills each process whose command line holds the word, as a power cut would. */
  kill(word: string): void {
    const here = [...this.#processes()].filter(({ line }) => line.includes(word))
    for (const { pid } of here) process.kill(pid, 'SIGKILL')
  }

  /** Ends all programs, as logging out does; then logs in again, which runs what starts by itself. */
  async logInAgain(): Promise<void> {
    await this.close()
    this.start(['wineboot.exe'])
    this.keep()
  }

  async close(): Promise<void> {
    await this.#enter(['wineserver', '-k']).catch(() => undefined)
    for (const child of this.#programs) child.kill('SIGKILL')
    this.#programs.clear()
    await this.#enter(['wineserver', '-w'])
  }

  async #enter(command: readonly string[]): Promise<void> {
    await run('chroot', [
      ...this.arguments(['sh', '-c', 'exec "$@" >/dev/null 2>&1', 'sh', ...command]),
    ])
  }

  *#processes(): Generator<{ pid: number; line: string }> {
    const text = execFileSync('ps', ['-u', String(USER), '-o', 'pid=,args='], { encoding: 'utf8' })
    for (const row of text.split('\n')) {
      const [, pid, line = ''] = /^\s*(\d+) (.*)$/.exec(row) ?? []
      if (pid !== undefined) yield { pid: Number(pid), line }
    }
  }
}

const ADDRESS = 'http://127.0.0.1:8080'

/** Waits for the server to answer; the machine may be slow. @throws Error after two minutes */
export async function answers(address = ADDRESS): Promise<void> {
  await until(async () => (await fetch(`${address}/healthz`)).ok, `${address} answers`)
}

/** Sends a label; gives the answer. */
export async function send(label: Uint8Array, printer: string, wait = 30): Promise<JobsAnswer> {
  const response = await fetch(`${ADDRESS}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: `wait=${wait}` },
    body: JSON.stringify({ label: Buffer.from(label).toString('base64'), printer }),
  })
  return (await response.json()) as JobsAnswer
}

/** The answer of `POST /`. */
export interface JobsAnswer {
  readonly Status: string
  readonly Message: string
  readonly jobs: readonly { id: string; state: string; delivery: string; message: string }[]
}

/** Waits until it is so; what throws is not so yet. @throws Error after two minutes */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 120_000
  for (;;) {
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return
    if (performance.now() > end) throw new Error(`not within two minutes: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
