import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { ENTRIES } from '../e2e/server.ts'
import { findClosedPort } from '../listen.ts'
import '../teardown-first.ts'

const LIMIT_MS = 120_000 // of a start, on a busy machine

/** The name of a printer that fits on no line of a phone. */
export const LONG_NAME = 'Bench_without_any_blank_'.repeat(4)

/** The real server as a process of its own, and the stand-in printers that its configuration names. */
export interface Rig extends AsyncDisposable {
  readonly url: string
  /** Ends the process and waits for it. */
  stop(): Promise<void>
  /** Starts it again on the same port with the same state. */
  start(): Promise<void>
}

/** The ports in the configuration of the tests. */
interface BenchPorts {
  readonly port: number
  readonly nobody: number
  readonly lossy: number
}

/**
 * Starts the server on a free port, with a virtual printer, one that is off and one that breaks off in mid-label.
 * @param more keys of the configuration besides, or instead
 * @param env more of its environment
 * @param entry the source or the bundle
 */
export async function startRig(
  folder: string,
  more: object = {},
  env: Readonly<Record<string, string>> = {},
  entry = ENTRIES[0] ?? 'packaging/launcher/platen.js',
): Promise<Rig> {
  const lossy = await listen((socket) => socket.once('data', () => socket.resetAndDestroy()))
  const [port, nobody] = [await findClosedPort(), await findClosedPort()]
  const ports = { port, nobody, lossy: portOf(lossy) }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...configOf(ports), ...more }))
  let child: ChildProcess | undefined
  const rig: Rig = {
    url: `http://127.0.0.1:${ports.port}`,
    async start() {
      child = spawnServer(folder, env, entry)
      await untilItAnswers(`${rig.url}/healthz`, child, folder)
    },
    async stop() {
      if (child === undefined || hasEnded(child)) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
    async [Symbol.asyncDispose]() {
      await rig.stop()
      lossy.close()
    },
  }
  await rig.start()
  return rig
}

function configOf({ port, nobody, lossy }: BenchPorts): object {
  const printer = { language: 'zpl', dpi: 203 }
  return {
    host: '127.0.0.1',
    port: String(port),
    open_browser: false,
    printer: 'Bench 1',
    printers: [
      { ...printer, name: 'Bench 1', uri: 'file:bench-1' },
      { ...printer, name: 'Switched off', uri: `socket://127.0.0.1:${nobody}` },
      { ...printer, name: 'Loose cable', uri: `socket://127.0.0.1:${lossy}` },
      { ...printer, name: '<b>Bold & "quoted"</b>', uri: 'file:bold' },
      { ...printer, name: LONG_NAME, uri: 'file:long' },
    ],
  }
}

/** Its log goes to a file, which is read only when it does not start. */
function spawnServer(
  folder: string,
  env: Readonly<Record<string, string>>,
  entry: string,
): ChildProcess {
  const log = openSync(join(folder, 'log'), 'a')
  const args = [entry, '--demo', '--config', join(folder, 'config.json')]
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...env, STATE_DIRECTORY: folder },
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  return child
}

/** Polls until the server answers or has ended. */
async function untilItAnswers(url: string, child: ChildProcess, folder: string): Promise<void> {
  const ends = Date.now() + LIMIT_MS
  while (Date.now() < ends && !hasEnded(child)) {
    const isThere = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`the server does not answer: ${readFileSync(join(folder, 'log'), 'utf8')}`)
}

async function listen(take: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
