import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import {
  base64,
  ENTRIES,
  type Server,
  type Start,
  startServer,
  type WireJob,
} from '../e2e/server.ts'
import { EMULATED_MS, until } from '../until.ts'

// Under emulation a request costs both sides 20 ms of processor: what takes long is asked for less and less often.
const SOON_MS = 100
const SELDOM_MS = 1_000
const BUNDLE = 'dist/platen.js'

/** Has the program started from the bundle, where it was built: that takes a third of the time. */
export const bundle: Pick<Start, 'entry'> = ENTRIES.includes(BUNDLE) ? { entry: BUNDLE } : {}

/** The program as a client reaches it. */
export type Api = Pick<Server, 'get' | 'post'>

/** A printer as `GET /printers` shows it. */
export interface WirePrinter {
  readonly name: string
  readonly uri: string
  readonly make_and_model: string
  readonly language: string | null
  readonly dpi: number
  readonly state: string
  readonly state_reasons: readonly string[]
  readonly message: string
  readonly hint: string
}

/** The program in the guest, with no printer in its settings but what `config` says. */
export async function startProgram(t: Test, start: Start): Promise<Server> {
  const server = await startServer(t, { config: { printers: [] }, ...start })
  return { ...server, ...reach(server.address) }
}

/**
 * The program at an address. A new connection each time: under emulation a client can be so late that it uses an old
 * one while the program, after five idle seconds, closes it.
 */
export function reach(address: string): Api {
  const ask = (path: string, init: RequestInit, headers: Record<string, string> = {}) =>
    fetch(address + path, { ...init, headers: { connection: 'close', ...headers } })
  return {
    get: (path) => ask(path, {}),
    post: (path, body = {}, headers = {}) =>
      ask(
        path,
        { method: 'POST', body: JSON.stringify(body) },
        { 'content-type': 'application/json', ...headers },
      ),
  }
}

export async function listPrinters(server: Api): Promise<readonly WirePrinter[]> {
  return (await (await server.get('/printers')).json()) as WirePrinter[]
}

/** Resolves with the printer whose URI or name holds `part`, once `wanted` says so of it. */
export function printerThat(
  server: Api,
  part: string,
  wanted: (printer: WirePrinter) => boolean = () => true,
): Promise<WirePrinter> {
  let seen: readonly WirePrinter[] = []
  const look = async (): Promise<WirePrinter | undefined> => {
    seen = await listPrinters(server)
    return seen.find((each) => `${each.uri} ${each.name}`.includes(part) && wanted(each))
  }
  return patiently(`the printer ${part}`, look).catch((error: Error) => {
    throw new Error(`${error.message}; there were ${JSON.stringify(seen)}`)
  })
}

/** Polls until `look` gives something, at first soon, later seldom. */
async function patiently<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let pauseMs = SOON_MS
  const lookOn = async (): Promise<T | undefined> => {
    const value = await look()
    if (value === undefined) await sleep(pauseMs)
    pauseMs = Math.min(2 * pauseMs, SELDOM_MS)
    return value
  }
  return await until(what, lookOn, EMULATED_MS, 0)
}

/** Hands a label over and gives its job's id. */
export async function post(server: Api, printer: string, label: Buffer): Promise<string> {
  const answer = await server.post('/', { printer, label: base64(label) }, { prefer: 'wait=0' })
  const { jobs = [], Message } = (await answer.json()) as { jobs?: WireJob[]; Message: string }
  const [job] = jobs
  if (job === undefined) throw new Error(`${printer}: ${Message}`)
  return job.id
}

/** Resolves with the job once `wanted` says so of it. */
export function jobThat(
  server: Api,
  id: string,
  wanted: (job: WireJob) => boolean,
): Promise<WireJob> {
  let seen: WireJob | undefined
  const look = async (): Promise<WireJob | undefined> => {
    seen = (await (await server.get(`/jobs/${id}`)).json()) as WireJob
    return wanted(seen) ? seen : undefined
  }
  return patiently(`job ${id}`, look).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(seen)}`)
  })
}

/** The states that a job is in until `end` (of performance.now()), each change of it. */
export async function watchJob(server: Api, id: string, end: number): Promise<Set<string>> {
  const { body } = await server.get('/events')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const first = await jobThat(server, id, () => true)
  let isOver = false
  setTimeout(() => {
    isOver = true
    void reader.cancel()
  }, end - performance.now())
  const text = new TextDecoder()
  let events = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    events += text.decode(part.value, { stream: true })
  }
  if (!isOver) throw new Error('the events ended early')
  const jobs = [...events.matchAll(/^event: job\ndata: (.*)$/gm)].map(
    ([, json = '']) => JSON.parse(json) as WireJob,
  )
  const own = jobs.filter((job) => job.id === id)
  const last = await jobThat(server, id, () => true)
  return new Set([first, ...own, last].map(({ state }) => state))
}
