import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The kernel's figures of a process's memory, in MB of 2^20 bytes. */
export interface Memory {
  readonly rssMb: number
  readonly privateDirtyMb: number
}

/** Reads `/proc/PID/smaps_rollup` (Linux). */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kb = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
  return { rssMb: kb('Rss') / 1024, privateDirtyMb: kb('Private_Dirty') / 1024 }
}

/** Memory is read when the start is over: V8 has been held to its measure (`settleHeap`). */
export const SETTLE_MS = 2_000

/** A program that has said that it listens. */
export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** The base address it printed, without a slash at the end. */
  readonly address: string
  /** From spawn to the line that says so. */
  readonly listeningMs: number
  stop(): Promise<void>
}

/** Starts a Node program and waits for the first line on stdout that holds an address. */
export async function start(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...variables },
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /https?:\/\/\S+?(?=\/?(\s|$))/.exec(line)?.[0]
    if (address === undefined) continue
    const listeningMs = performance.now() - began
    return { child, pid: child.pid ?? 0, address, listeningMs, stop: () => stop(child) }
  }
  throw new Error(`${args.join(' ')} ended with ${child.exitCode} and never listened`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** A folder with a configuration of its own, removed by `dispose`. */
export function makeBox(config: object): { readonly args: string[]; dispose(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify({ port: '0', open_browser: false, ...config }))
  process.env['STATE_DIRECTORY'] = join(folder, 'state')
  return { args: ['--config', file], dispose: () => rmSync(folder, { recursive: true }) }
}

const UNIT = new URL('../../systemd/platen.service', import.meta.url)

/** The service's settings for memory, so that a bench starts the program as a box does. */
export function memoryVariables(): Readonly<Record<string, string>> {
  const line = /^Environment=(MALLOC_.*)$/m.exec(readFileSync(UNIT, 'utf8'))?.[1] ?? ''
  return Object.fromEntries(line.split(' ').map((one) => one.split('=')))
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
