import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const FOLDER = import.meta.dirname
/** Beside the other things that tests fetch, out of the reach of our own linter and test runner. */
const INSTALLED = join(FOLDER, '../../.cache/prism')
const INSTALL_MS = 300_000
/** Prism's own command, and where its packages are found. */
export const CLI = join(INSTALLED, 'node_modules/@stoplight/prism-cli/dist/index.js')

/**
 * Installs Prism as its lock file says, 90 MB; a sentence when that is not possible here. In a folder of its own first, because two
 * tests may come at once.
 */
export function installPrism(): string | undefined {
  if (existsSync(CLI)) return undefined
  const draft = `${INSTALLED}-${process.pid}`
  try {
    mkdirSync(draft, { recursive: true })
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(FOLDER, 'prism', file), join(draft, file))
    }
    const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', flags, { cwd: draft, stdio: 'pipe', timeout: INSTALL_MS })
    if (!existsSync(CLI)) renameSync(draft, INSTALLED)
    return undefined
  } catch (error) {
    // The other test was faster.
    if (existsSync(CLI)) return undefined
    return `Prism cannot be installed here: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Prism serving one specification. */
export class Prism {
  readonly origin: string
  readonly #child: ChildProcess

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin
    this.#child = child
  }

  static async start(file: string): Promise<Prism> {
    const port = await findPort()
    const child = spawn(
      process.execPath,
      [CLI, 'mock', '-h', '127.0.0.1', '-p', String(port), file],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('is listening')) return new Prism(`http://127.0.0.1:${port}`, child)
    }
    throw new Error(`Prism does not start with ${file}`)
  }

  /** What it finds wrong with a request, and the status of its answer. */
  async judge(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<{ readonly status: number; readonly violations: readonly string[] }> {
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const res = await fetch(this.origin + path, init)
    await res.text()
    // A list of JSON, begun with words and cut off when it is long: read entry by entry.
    const found = (res.headers.get('sl-violations') ?? '').matchAll(
      /\{"location":\["request"[\s\S]*?"message":"((?:[^"\\]|\\.)*)"\}/g,
    )
    return { status: res.status, violations: [...found].map(([, message = '']) => message) }
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
