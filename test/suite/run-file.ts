import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Count, countTap } from './count-tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const LIMIT_MS = 900_000
const GRACE_MS = 15_000
const STDERR_KEPT = 20_000 // characters

/** How a test file ended. */
export interface FileRun extends Count {
  readonly file: string
  readonly seconds: number
  /** The end of its standard error. */
  readonly stderr: string
}

/** Settings of a run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly limitMs?: number
  /** Past the limit, for tap to say what it waited for. */
  readonly graceMs?: number
}

const running = new Set<number>()

/** Runs a test file by the Node.js that runs this. Past the limit it is killed with all that it started, which is a failure. */
export async function runFile(
  file: string,
  { env = {}, limitMs = LIMIT_MS, graceMs = GRACE_MS }: RunOptions = {},
): Promise<FileRun> {
  const began = Date.now()
  const { count, parser } = countTap(file)
  const child = spawn(process.execPath, [file], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without it tap ends a file after 30 seconds.
    env: { ...process.env, TAP_TIMEOUT: String(limitMs / 1000), ...env },
    detached: true, // a group of its own can be killed whole
  })
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    killGroup(pid)
  }, limitMs + graceMs)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT)
  })
  const parsed = new Promise((resolve) => parser.once('complete', resolve))
  child.stdout.pipe(parser)
  const ended = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? '' : `ended with ${code ?? signal}`))
  })
  clearTimeout(late)
  killGroup(pid)
  if (pid !== undefined) running.delete(pid)
  if (child.pid !== undefined) await parsed
  const why = isLate ? `killed after ${limitMs / 60_000} minutes: something in it hangs` : ended
  if (why !== '' && count.failed === 0) {
    count.failed += 1
    count.failures.push({ where: file, diag: { why, stderr: stderr.slice(-2000) } })
  }
  return { ...count, file, seconds: (Date.now() - began) / 1000, stderr }
}

/** Ends everything that test files started; for a run that is broken off. */
export function killAll(): void {
  for (const pid of running) killGroup(pid)
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {} // nothing of it is left
}
