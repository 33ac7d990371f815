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

const EVERY_MS = 200 // under emulation a request costs both sides 20 ms of processor
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
  return until(`the printer ${part}`, look, EMULATED_MS, EVERY_MS).catch((error: Error) => {
    throw new Error(`${error.message}; there were ${JSON.stringify(seen)}`)
  })
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
  return until(`job ${id}`, look, EMULATED_MS, EVERY_MS).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(seen)}`)
  })
}

/** The states that a job is seen in until `end` (of performance.now()). */
export async function watchJob(server: Api, id: string, end: number): Promise<Set<string>> {
  const states = new Set<string>()
  while (performance.now() < end) {
    states.add((await jobThat(server, id, () => true)).state)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  return states
}
