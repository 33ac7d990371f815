import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Parser } from 'tap-parser'
import { bundleTap } from './bundle-tap.ts'
import { type Count, countTap, makeCount } from './count-tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const HOOK = join(import.meta.dirname, 'compiled.js')
/** For a file that asks for no more. */
export const LIMIT_MS = 900_000
const GRACE_MS = 15_000
const STDERR_KEPT = 20_000 // characters

/** The result of a test file. */
export interface FileRun extends Count {
  readonly file: string
  readonly seconds: number
  /** The end of its standard error. */
  readonly stderr: string
}

/** Settings of a run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** However long the file itself wants; by default a quarter of an hour, or what the file asks for. */
  readonly limitMs?: number
  /** Past the limit, for tap to say what it waited for. */
  readonly graceMs?: number
}

const running = new Set<number>()

/** Runs a test file by the Node.js that runs this. Past its limit it is killed with all that it started, which is a failure. */
export async function runFile(file: string, options: RunOptions = {}): Promise<FileRun> {
  const began = Date.now()
  const parser = new Parser()
  const count = makeCount()
  countTap(parser, [file], count)
  const child = await startNode(file, options)
  let stderr = ''
  child.stderr?.on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT)
  })
  const parsed = new Promise((resolve) => parser.once('complete', resolve))
  child.stdout?.pipe(parser)
  const why = await untilEnd(child, options)
  if (child.pid !== undefined) await parsed
  // tap tells what failed, and ends with 1.
  const isTold = count.failed > 0 && why === 'ended with 1'
  if (why !== '' && !isTold) noteEnd(count, file, why, stderr)
  return { ...count, file, seconds: (Date.now() - began) / 1000, stderr }
}

/** Starts a test file, or a program that runs some. Its output is text, and it has a channel. */
export async function startNode(
  file: string,
  { env = {}, limitMs = LIMIT_MS }: RunOptions = {},
): Promise<ChildProcess> {
  const tap = await bundleTap()
  const child = spawn(process.execPath, ['--require', HOOK, file], {
    cwd: ROOT,
    // tap tells by the channel how long the file wants.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Without it tap ends a file after 30 seconds.
    env: { ...process.env, TAP_TIMEOUT: String(limitMs / 1000), PLATEN_TAP: tap, ...env },
    detached: true, // a group of its own can be killed whole
  })
  child.stderr?.setEncoding('utf8')
  return child
}

/** Counts a file that ended as it should not have. */
export function noteEnd(count: Count, file: string, why: string, stderr: string): void {
  count.failed += 1
  count.failures.push({ where: file, diag: { why, stderr: stderr.slice(-2000) } })
}

/** Resolves when the child and all that it started have ended: with '' when it went well, else with the reason. */
export async function untilEnd(
  child: ChildProcess,
  { limitMs, graceMs = GRACE_MS }: RunOptions = {},
): Promise<string> {
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  let lateMs = limitMs ?? LIMIT_MS
  let isLate = false
  const setAlarm = () =>
    setTimeout(() => {
      isLate = true
      killGroup(pid)
    }, lateMs + graceMs)
  let alarm = setAlarm()
  child.on('message', (message: { readonly setTimeout?: unknown }) => {
    const wanted = message.setTimeout
    if (limitMs !== undefined || typeof wanted !== 'number') return
    lateMs = Math.max(lateMs, wanted)
    clearTimeout(alarm)
    alarm = setAlarm()
  })
  const ended = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? '' : `ended with ${code ?? signal}`))
  })
  clearTimeout(alarm)
  killGroup(pid)
  if (pid !== undefined) running.delete(pid)
  return isLate ? `killed after ${lateMs / 60_000} minutes: something in it hangs` : ended
}

/** Ends everything that test files started; for a run that is broken off. */
export function killAll(): void {
  for (const pid of running) killGroup(pid)
}

/** Ends a process with all that it started. */
export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All of it has ended; macOS says EPERM of a group of zombies.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
