import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlatenError } from '../../src/errors.ts'
import { createAccess } from '../../src/http/access.ts'
import { createApp } from '../../src/http/app.ts'
import type { AppParts } from '../../src/http/parts.ts'
import { hasEnded, type Job, type JobState } from '../../src/jobs/job.ts'
import type { KnownPrinter, Printer } from '../../src/printers/printer.ts'
import { Printers } from '../../src/printers/registry.ts'
import type { PlatenEvent } from '../../src/results/events.ts'

/** A job as it is when it has just been accepted. */
export function makeJob(changes: Partial<Job> = {}): Job {
  return {
    id: 'j-1',
    seq: 1,
    source: 'http',
    printer: 'Bench 1',
    format: 'zpl',
    options: {},
    state: 'pending',
    reasons: ['none'],
    delivery: 'none',
    message: '',
    hint: '',
    code: '',
    createdAt: Date.UTC(2026, 10, 21),
    startedAt: 0,
    endedAt: 0,
    expiresAt: 0,
    labelBytes: 3,
    sentBytes: 0,
    attempts: 0,
    reprintOf: '',
    hasLabel: true,
    hasPreview: false,
    ...changes,
  }
}

export function makePrinter(name: string): Printer {
  return {
    name,
    uri: `socket://127.0.0.1/${name}`,
    makeAndModel: '',
    language: 'zpl',
    dpi: 203,
    labelWidth: undefined,
    labelHeight: undefined,
    rotate: 'auto',
    darkness: undefined,
    speed: undefined,
    graphics: 'auto',
  }
}

type Accept = Parameters<AppParts['intake']['accept']>[0]
type AcceptDocument = Parameters<AppParts['intake']['acceptDocument']>[0]

/** Everything behind the HTTP side, in memory: what came in, and jobs that a test moves by hand. */
export class Desk {
  readonly accepted: Accept[] = []
  readonly documents: AcceptDocument[] = []
  readonly jobs = new Map<string, Job>()
  readonly labels = new Map<string, Uint8Array>()
  readonly previews = new Map<string, Uint8Array>()
  readonly printers = new Printers({
    printers: [makePrinter('Bench 1'), makePrinter('Bench 2')],
    defaultName: 'Bench 1',
    devices: [],
  })
  readonly log: { fields: object; event: string }[] = []
  readonly stopping = new AbortController()
  readonly listeners = new Set<(event: PlatenEvent) => void>()
  /** What becomes of a job as soon as it is accepted. */
  fate: Partial<Job> = { state: 'completed', delivery: 'sent', endedAt: Date.UTC(2026, 10, 21) }
  /** Thrown by the next call that takes labels. */
  refusal: Error | undefined
  spoolFault: Error | undefined
  isAlive = true
  shutdowns = 0
  now = 1_000
  #settled: (() => void)[] = []

  /** Moves a job and tells everybody. */
  move(id: string, changes: Partial<Job>): Job {
    const before = this.jobs.get(id)
    if (before === undefined) throw new PlatenError('JOB_UNKNOWN', `There is no job "${id}".`)
    const job = { ...before, ...changes }
    this.jobs.set(id, job)
    this.emit({ type: 'job', job })
    for (const check of this.#settled) check()
    return job
  }

  emit(event: PlatenEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  add(changes: Partial<Job>): Job {
    if (this.refusal) throw this.refusal
    const seq = this.jobs.size + 1
    const job = makeJob({ id: `j-${seq}`, seq, ...changes })
    this.jobs.set(job.id, job)
    return this.move(job.id, this.fate)
  }

  ended(ids: readonly string[], signal: AbortSignal): Promise<readonly Job[]> {
    const read = (): Job[] => ids.map((id) => this.jobs.get(id)).filter((job) => job !== undefined)
    return new Promise((resolve) => {
      const check = (): void => {
        if (signal.aborted || read().every(hasEnded)) resolve(read())
      }
      this.#settled.push(check)
      signal.addEventListener('abort', check)
      check()
    })
  }

  counts(): Record<JobState, number> {
    const states: JobState[] = [
      'pending',
      'pending-held',
      'processing',
      'processing-stopped',
      'canceled',
      'aborted',
      'completed',
    ]
    const of = (state: JobState): number =>
      [...this.jobs.values()].filter((job) => job.state === state).length
    return Object.fromEntries(states.map((state) => [state, of(state)])) as Record<JobState, number>
  }
}

/** A folder `web/` with what the app needs of it. */
export function makeWebFolder(folder: string): string {
  const web = join(folder, 'web')
  mkdirSync(join(web, 'deeper'), { recursive: true })
  writeFileSync(join(web, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(web, 'main.js'), 'export {}\n')
  writeFileSync(join(web, 'notes.txt'), 'not served')
  writeFileSync(join(folder, 'secret.js'), 'outside')
  return web
}

/** The parts of an app around a desk. */
export function makeParts(desk: Desk, folder: string, changes: Partial<AppParts> = {}): AppParts {
  const job = (request: { source: string; options: { printer?: string } }): Partial<Job> => ({
    source: request.source,
    printer: desk.printers.resolve(request.options.printer).name,
    options: request.options,
  })
  return {
    intake: {
      accept(request) {
        desk.accepted.push(request)
        const count = request.copies ?? 1
        const jobs = request.labels.flatMap((label) =>
          Array.from({ length: count }, () =>
            desk.add({ ...job(request), labelBytes: label.length }),
          ),
        )
        return { jobs, repeated: false, ended: Promise.resolve() }
      },
      acceptDocument(request) {
        desk.documents.push(request)
        const jobs = [desk.add({ ...job(request), format: request.format })]
        return { jobs, repeated: false, ended: Promise.resolve() }
      },
      reprint(id, printer) {
        const old = desk.move(id, {})
        return desk.add({ printer: printer ?? old.printer, reprintOf: id })
      },
      ended: (ids, signal) => desk.ended(ids, signal),
    },
    spool: {
      get: (id) => desk.jobs.get(id),
      list: ({ limit }) => [...desk.jobs.values()].reverse().slice(0, limit),
      label: (id) => desk.labels.get(id),
      preview: (id) => desk.previews.get(id),
      counts: () => desk.counts(),
      check() {
        if (desk.spoolFault) throw desk.spoolFault
      },
    },
    scheduler: {
      isAlive: () => desk.isAlive,
      cancel: async (id) => desk.move(id, { state: 'canceled' }),
      release: async (id) => desk.move(id, { state: 'pending' }),
      resolve: async (id, printed) =>
        desk.move(id, printed ? { state: 'completed', delivery: 'confirmed' } : {}),
    },
    printers: desk.printers,
    events: {
      subscribe(listener) {
        desk.listeners.add(listener)
        return () => desk.listeners.delete(listener)
      },
    },
    metrics: { text: async () => '# HELP platen_jobs_total\n' },
    config: {
      current: { max_body_mb: 16 },
      masked: () => ({ port: '8080', password: '********' }),
      put: async () => ({ restart: ['port'], warnings: [] }),
    },
    access: createAccess({ config: () => ({}), ownNames: () => [], now: () => 0 }),
    log: {
      error: (fields, event) => desk.log.push({ fields, event }),
      warn: (fields, event) => desk.log.push({ fields, event }),
    },
    info: () => ({
      version: '0.1.0',
      host: 'localhost',
      hostName: 'bench-box',
      ip: '127.0.0.1',
      port: '8080',
      securePort: '',
      uptime: 5.7,
    }),
    webFolder: makeWebFolder(folder),
    shutdown: () => {
      desk.shutdowns++
    },
    isAppliance: false,
    stopping: desk.stopping.signal,
    now: () => desk.now,
    ...changes,
  }
}

/** Calls an app as a program on this machine does. */
export type Call = (path: string, init?: RequestInit) => Promise<Response>

/** An app around a desk, called without a network. */
export function makeApp(
  folder: string,
  changes: Partial<AppParts> = {},
): { readonly desk: Desk; readonly call: Call } {
  const desk = new Desk()
  const app = createApp(makeParts(desk, folder, changes))
  const env = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
  return { desk, call: async (path, init) => await app.request(path, init, env) }
}

/** The JSON of an answer, as an object. */
export async function readAnswer(
  res: Response,
): Promise<{ Status: string; Message: string; code: string; hint: string; jobs: unknown[] }> {
  return (await res.json()) as Awaited<ReturnType<typeof readAnswer>>
}

/** A form body with labels and other fields, in order. */
export function formBody(...fields: readonly (readonly [string, string])[]): RequestInit {
  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]))
  return { method: 'POST', body }
}

/** A JSON body. */
export function jsonBody(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  }
}

/** The default printer of the desk in another state. */
export function stopPrinter(desk: Desk, reason: 'media-empty' | 'offline'): KnownPrinter {
  const message =
    reason === 'offline' ? 'Bench 1 does not answer.' : 'Bench 1 has run out of labels.'
  desk.printers.report('Bench 1', {
    state: 'stopped',
    reasons: [reason],
    message,
    hint: 'Put labels in.',
  })
  return desk.printers.resolve('Bench 1')
}
