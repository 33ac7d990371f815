import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

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

/** The parts of Prism's own packages that are used here. */
interface Server {
  listen(port: number, host: string): Promise<string>
  close(): Promise<void>
}
type Load = (name: string) => {
  getHttpOperationsFromSpec(file: string): Promise<readonly unknown[]>
  createLogger(name: string, options: object): unknown
  createServer(operations: readonly unknown[], options: object): Server
}

/** Prism serving one specification, in this process: its packages take seconds to load. */
export class Prism {
  readonly origin: string
  readonly #server: Server

  private constructor(origin: string, server: Server) {
    this.origin = origin
    this.#server = server
  }

  static async start(file: string): Promise<Prism> {
    const load = createRequire(CLI) as Load
    const operations = await load('@stoplight/prism-http').getHttpOperationsFromSpec(file)
    if (operations.length === 0) throw new Error(`Prism finds no operation in ${file}`)
    // As `prism mock` has it.
    const config = {
      isProxy: false,
      validateRequest: true,
      validateResponse: true,
      checkSecurity: true,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    }
    const logger = load('@stoplight/prism-core').createLogger('tests', { level: 'silent' })
    const server = load('@stoplight/prism-http-server').createServer(operations, {
      cors: true,
      config,
      components: { logger },
    })
    return new Prism(await server.listen(0, '127.0.0.1'), server)
  }

  /** Judges a request: its violations, and the status of the answer. */
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
    await this.#server.close()
  }
}
