import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'

const FOLDER = import.meta.dirname
/** Beside the other things that tests fetch, out of the reach of our own linter and test runner. */
const INSTALLED = join(FOLDER, '../../.cache/prism')
const INSTALL_MS = 300_000
const CLI = join(INSTALLED, 'node_modules/@stoplight/prism-cli/dist/index.js')

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

/** A part of a specification; what is not there is undefined at every depth. */
interface Spec {
  [name: string]: Spec
}

/**
 * A specification as Prism is given it: every change has its reason beside it.
 * @param name below this folder, without its ending
 */
export function prepare(name: string, folder: string): string {
  const yaml = createRequire(CLI)('js-yaml') as { load(text: string): Spec }
  // Tabs stand in descriptions of UPS's files, which YAML forbids.
  const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8').replaceAll('\t', ' ')
  const spec = yaml.load(text)
  const schemas = spec['components']?.['schemas'] ?? {}
  const paths = spec['paths'] ?? {}
  // UPS lists each path a second time under a name of its own, and Prism would route to that.
  for (const path of Object.keys(paths))
    if (path.includes('{deprecatedVersion}')) delete paths[path]
  mend(name, schemas)
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path ?? {}))) {
    const content = operation?.['requestBody']?.['content']?.['application/json']
    if (content?.['schema']) Object.assign(content, { schema: close(spec, content['schema']) })
  }
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${basename(name)}.json`)
  writeFileSync(file, JSON.stringify(spec))
  return file
}

/** Where UPS's files disagree with themselves or with recorded requests that UPS took. */
function mend(name: string, schemas: Spec): void {
  const property = (schema: string, field: string): object =>
    schemas[schema]?.['properties']?.[field] ?? {}
  if (name === 'ups/Rating') {
    // 3 characters here; its own list of codes, and Shipping of the same commit, have 2.
    Object.assign(property('Shipment_Service', 'Code'), { minLength: 2, maxLength: 2 })
    // At least 8 characters here; the recorded requests say "0", and UPS answered with rates.
    for (const schema of Object.keys(schemas).filter((one) => one.endsWith('_DeclaredValue'))) {
      Object.assign(property(schema, 'MonetaryValue'), { minLength: 1 })
    }
  }
  if (name === 'ups/Shipping') {
    // At least 4 characters, while every code of its own list has 3.
    const format = property('LabelRecovery_LabelSpecification_LabelImageFormat', 'Code')
    Object.assign(format, { minLength: 3 })
    // Required, while its description says that only Roadie shipments have it.
    const recovery = schemas['LabelRecoveryRequest']
    const required = (recovery?.['required'] ?? []) as unknown as readonly string[]
    const left = required.filter((one) => one !== 'TrackingNumbers')
    if (recovery) Object.assign(recovery, { required: left })
  }
}

/** The same schema with every object closed, so that a misspelt name is a violation too. */
function close(spec: Spec, schema: Spec, seen: readonly string[] = []): Spec {
  const ref = schema['$ref'] as unknown as string | undefined
  if (ref !== undefined && seen.includes(ref)) return {}
  const steps = ref === undefined ? [] : ref.split('/').slice(1)
  const found = steps.reduce<Spec | undefined>((at, step) => at?.[step], spec)
  const closed: Spec = { ...(ref === undefined ? schema : found) }
  const next = ref === undefined ? seen : [...seen, ref]
  if (closed['items']) closed['items'] = close(spec, closed['items'], next)
  if (!closed['properties']) return closed
  const entries = Object.entries(closed['properties']).map(([name, one]) => [
    name,
    close(spec, one ?? {}, next),
  ])
  // A name that stands under `required` only (RequestOption) counts as known.
  const required = (closed['required'] ?? []) as unknown as readonly string[]
  const bare = required.filter((name) => !(name in (closed['properties'] ?? {})))
  const properties = Object.fromEntries([...bare.map((name) => [name, {}]), ...entries])
  return { ...closed, properties, additionalProperties: false as unknown as Spec }
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
