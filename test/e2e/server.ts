import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { bareEnvironment } from '../bare-environment.ts'
import { until } from '../until.ts'
import '../teardown-first.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * The program as developers run it and as packages ship it. By hand black-box tests run against both; the runner, which has
 * just built the bundle, names one.
 */
export const ENTRIES = (
  process.env['PLATEN_TEST_ENTRIES'] ?? 'packaging/launcher/platen.js,dist/platen.js'
)
  .split(',')
  .filter((file) => existsSync(join(ROOT, file)))

/** The settings for starting the program. */
export interface Start {
  readonly entry?: string
  /** Folder of configuration and state; kept between two starts of one test. */
  readonly folder: string
  /** Keys beside `port` and `open_browser`; undefined = leave the file as it is. */
  readonly config?: object
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The user that it runs as, where the test runs as root. */
  readonly uid?: number
  readonly gid?: number
  /** A command that runs the program, e.g. on another computer of the test. */
  readonly within?: readonly string[]
}

/** The running program, seen from outside only. */
export interface Server {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly address: string
  readonly child: ChildProcess
  readonly pid: number
  /** Returns what it has written to standard error so far. */
  log(): string
  /** Sends SIGTERM and gives the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>
  get(path: string): Promise<Response>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
}

/** For tests that want a label printed: the server's own 2 s are over soon on a busy machine. */
export const PATIENT = { prefer: 'wait=60' } as const

/** Starts the program and resolves when it says that it listens; killed at the end of the test. */
export async function startServer(t: Test, options: Start): Promise<Server> {
  const { child, log } = launch(options)
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  // With it, what it said last is in the log.
  const closed = once(child, 'close')
  const address = await readAddress(child, log)
  child.stdout?.resume()
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    await closed
    return child.exitCode
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    if (!hasEnded()) await once(child, 'exit')
  }
  const get = (path: string): Promise<Response> => fetch(address + path)
  const post = (path: string, body: unknown = {}, headers = {}): Promise<Response> =>
    fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { address, child, pid: child.pid ?? 0, log, stop, kill, get, post }
}

/** Runs the program to its end: for starts that must fail, and for `--check-config`. */
export async function runToEnd(
  options: Start,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const { child, log } = launch(options)
  let out = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  await once(child, 'close')
  return { code: child.exitCode, out, err: log() }
}

function launch(options: Start): { child: ChildProcess; log: () => string } {
  mkdirSync(options.folder, { recursive: true })
  const file = join(options.folder, 'config.json')
  if (options.config !== undefined) {
    writeFileSync(file, JSON.stringify({ port: '0', open_browser: false, ...options.config }))
  }
  const entry = options.entry ?? ENTRIES[0] ?? 'packaging/launcher/platen.js'
  const [program = '', ...args] = [
    ...(options.within ?? []),
    process.execPath,
    entry,
    '--config',
    file,
    ...(options.flags ?? []),
  ]
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      // Coverage is counted for the sources; the bundle is run as users run it.
      ...(entry.startsWith('dist/') ? bareEnvironment() : process.env),
      STATE_DIRECTORY: join(options.folder, 'state'),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  })
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return { child, log: () => text }
}

async function readAddress(child: ChildProcess, log: () => string): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /http:\/\/[^\s/]*?:(\d+)/.exec(line)?.[1]
    if (port !== undefined) return `http://127.0.0.1:${port}`
  }
  // What it said last comes after its standard output has ended.
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  const end = child.exitCode ?? child.signalCode
  throw new Error(`the program ended with ${end} and never listened:\n${log()}`)
}

/** A job as the wire shows it. */
export interface WireJob {
  readonly id: string
  readonly printer: string
  readonly format: string
  readonly state: string
  readonly reasons: readonly string[]
  readonly delivery: string
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly has_preview: boolean
}

/** The answer of `POST /`. */
export interface Answer {
  readonly Status: string
  readonly Message: string
  readonly code?: string
  readonly hint?: string
  readonly jobs: readonly WireJob[]
}

/** Resolves with the job once its state is one of `states`. */
export function jobIn(server: Server, id: string, states: readonly string[]): Promise<WireJob> {
  return until(`job ${id} to be ${states.join(' or ')}`, async () => {
    const job = (await (await server.get(`/jobs/${id}`)).json()) as WireJob
    return states.includes(job.state) ? job : undefined
  })
}

export const base64 = (label: Uint8Array | string): string => Buffer.from(label).toString('base64')
