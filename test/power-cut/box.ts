import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sendLabels } from './load.ts'
import type { Sent } from './promises.ts'

const ROOT = join(import.meta.dirname, '../..')
// A run of hours wants a bundle that nobody builds again meanwhile.
const ENTRY = process.env['PLATEN_ENTRY'] ?? join(ROOT, 'dist/platen.js')
const BOOT_MS = 60_000
const CLIENTS = 4

/** The real program with its spool on the card. */
export interface Box {
  checkHealth(): Promise<readonly string[]>
  /** Posts labels to a printer that prints and to one that is off, for so long; what was accepted is added to `sent`. */
  load(sent: Sent, random: () => number, ms: number): Promise<void>
  kill(): Promise<void>
}

/** Starts it and waits until it listens. @throws when it ends or never does */
export async function startBox(work: string, folder: string, sinkPort: number): Promise<Box> {
  const printers = [
    { name: 'On', uri: `socket://127.0.0.1:${sinkPort}`, language: 'zpl', status: 'off' },
    { name: 'Off', uri: 'socket://127.0.0.1:9', language: 'zpl', status: 'off' },
  ]
  const config = join(work, 'config.json')
  writeFileSync(config, JSON.stringify({ port: '0', open_browser: false, printers }), {
    mode: 0o600,
  })
  const env = { ...process.env, STATE_DIRECTORY: join(folder, 'state') }
  const child = spawn(process.execPath, [ENTRY, '--config', config], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await readAddress(child)
  const stop = new AbortController()
  let count = 0
  const nextMark = () => `${process.pid}.${child.pid}.${count++}`
  return {
    async checkHealth() {
      const response = await fetch(`${address}/healthz`)
      return response.status === 200 ? [] : [`not well: ${await response.text()}`]
    },
    async load(sent, random, ms) {
      // They go on until the box is dead.
      const loaded = { address, onShare: 0.8, random, nextMark }
      for (let n = 0; n < CLIENTS; n += 1) void sendLabels(loaded, sent, stop.signal)
      await new Promise((resolve) => setTimeout(resolve, ms))
    },
    async kill() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      stop.abort()
    },
  }
}

async function readAddress(child: ChildProcess): Promise<string> {
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-2_000)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), BOOT_MS)
  try {
    if (child.stdout === null) throw new Error('no standard output')
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /http:\/\/[^\s/]*?:(\d+)/.exec(line)?.[1]
      if (port !== undefined) return `http://127.0.0.1:${port}`
    }
    throw new Error(`the program ended and never listened: ${log}`)
  } finally {
    clearTimeout(timer)
  }
}
