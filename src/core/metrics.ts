import type { Metric } from 'prom-client'
import type { Events } from './events.ts'
import {
  type BoxFigures,
  Counts,
  collectBox,
  counter,
  gauge,
  Histogram,
  only,
  type Series,
} from './figures.ts'
import { ENDED, type Job, type JobState } from './job.ts'
import type { KnownPrinter } from './printers/status.ts'

/** The sources of the metrics, read when these are asked for; each part of the program registers its own. */
export interface Figures {
  readonly printers: () => readonly KnownPrinter[]
  /** Jobs by state. */
  readonly counts: () => Readonly<Record<JobState, number>>
  /** Bytes of the spool. */
  readonly usage: () => {
    readonly bytes: number
    readonly quotaBytes: number
    readonly freeBytes: number
  }
  /** Use of their shares of the spool by the whole and by each printer, 0..1. */
  readonly shares: () => readonly {
    readonly of: string
    readonly name: string
    readonly part: number
  }[]
  /** The computer's health, read again for each answer. */
  readonly box: () => BoxFigures
  /** The series of all plugins. */
  readonly plugins: () => readonly Series[]
}

/** The initial settings of the metrics. */
export interface MetricsSettings extends Partial<Figures> {
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

const MOST_NAMES = 500 // printers with a series of their own
const OTHERS = '(others)'
const REMEMBERED = 1_000 // ended jobs by id, so that a later word on one does not count it twice
const JOB_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800]
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/**
 * Figures for Prometheus, counted in plain objects from the events; the library that writes them is loaded by the first `text()`, because
 * it is 2 MB that most boxes never need.
 */
export class Metrics {
  readonly #version: string
  #figures: Partial<Figures>
  readonly #now: () => number
  readonly #startedAt: number
  readonly #ended = new Set<string>()
  readonly #names = new Set<string>()
  readonly #jobs = new Counts()
  readonly #bytes = new Counts()
  readonly #seconds = new Histogram('platen_job_seconds', JOB_SECONDS)
  readonly #commits = new Histogram('platen_spool_commit_seconds', COMMIT_SECONDS)

  constructor({ version, now = Date.now, ...figures }: MetricsSettings) {
    this.#version = version
    this.#figures = figures
    this.#now = now
    this.#startedAt = now()
  }

  /** Adds sources for the next `text()`. */
  register(figures: Partial<Figures>): void {
    this.#figures = { ...this.#figures, ...figures }
  }

  /** Counts from these events; returns a function that unsubscribes. */
  follow(events: Pick<Events, 'subscribe'>): () => void {
    return events.subscribe((event) => {
      if (event.type === 'job') this.#count(event.job)
    })
  }

  /** Counts a flushed commit of the spool and its seconds. */
  observeCommit(seconds: number): void {
    this.#commits.observe({}, seconds)
  }

  /** All series in Prometheus' text format 0.0.4. */
  async text(): Promise<string> {
    const { Registry } = (await import('prom-client')).default
    const registry = new Registry()
    for (const series of this.#collect()) {
      // The registry only asks a metric for this; the library's own classes would count a second time.
      const metric = { ...series, get: () => Promise.resolve(series) }
      registry.registerMetric(metric as unknown as Metric)
    }
    return await registry.metrics()
  }

  #count(job: Job): void {
    if (!ENDED.has(job.state) || this.#isOld(job) || this.#ended.has(job.id)) return
    this.#ended.add(job.id)
    const [oldest] = this.#ended
    if (this.#ended.size > REMEMBERED && oldest !== undefined) this.#ended.delete(oldest)
    const { state } = job
    const printer = this.#nameSeries(job.printer)
    this.#jobs.add({ printer, state })
    this.#bytes.add({ printer }, job.sentBytes)
    if (state === 'completed') {
      this.#seconds.observe({ printer }, Math.max(0, job.endedAt - job.createdAt) / 1_000)
    }
  }

  /** Tells whether a job ended before the start; if the clock was set back since, that cannot be seen. */
  #isOld({ endedAt }: Job): boolean {
    return endedAt < this.#startedAt && this.#startedAt <= this.#now()
  }

  /** Names the series of a printer. A message may name any printer, and every name would be a series for good. */
  #nameSeries(printer: string): string {
    if (this.#names.size < MOST_NAMES) this.#names.add(printer)
    return this.#names.has(printer) ? printer : OTHERS
  }

  #collect(): readonly Series[] {
    const version = this.#version
    const { counts, plugins, box } = this.#figures
    const rss = process.memoryUsage.rss()
    return [
      gauge('platen_info', 'Version of this program.', [{ labels: { version }, value: 1 }]),
      gauge(
        'platen_start_time_seconds',
        'Start, in seconds since the epoch.',
        only(this.#startedAt / 1_000),
      ),
      gauge('platen_resident_memory_bytes', 'Memory of the process.', only(rss)),
      counter(
        'platen_jobs_ended_total',
        'Labels that ended since the start, by printer and end state.',
        this.#jobs.samples(),
      ),
      counter(
        'platen_sent_bytes_total',
        'Bytes handed to printers for ended labels since the start.',
        this.#bytes.samples(),
      ),
      {
        name: 'platen_job_seconds',
        help: 'Seconds from acceptance to the end of completed labels.',
        type: 'histogram',
        values: this.#seconds.samples(),
      },
      gauge(
        'platen_jobs',
        'Labels in the spool now, by state.',
        Object.entries(counts?.() ?? {}).map(([state, value]) => ({ labels: { state }, value })),
      ),
      ...this.#collectPrinters(),
      ...this.#collectSpool(),
      ...(plugins?.() ?? []),
      ...collectBox(box?.()),
    ]
  }

  #collectPrinters(): readonly Series[] {
    const printers = this.#figures.printers?.() ?? []
    return [
      gauge(
        'platen_printer_state',
        'State of each printer now.',
        printers.map(({ name, status }) => ({
          labels: { printer: name, state: status.state },
          value: 1,
        })),
      ),
      gauge(
        'platen_printer_state_reason',
        'Why each printer is as it is now.',
        printers.flatMap(({ name, status }) =>
          status.reasons.map((reason) => ({ labels: { printer: name, reason }, value: 1 })),
        ),
      ),
    ]
  }

  #collectSpool(): readonly Series[] {
    const { usage, printers, shares: listShares } = this.#figures
    const spool = usage?.()
    // Labels may wait for names that no printer has; their senders choose the names.
    const known = new Set(printers?.().map(({ name }) => name))
    const all = listShares?.() ?? []
    const shares = all.filter(({ of, name }) => of === 'all' || known.has(name))
    return [
      gauge('platen_spool_bytes', 'Bytes that the spool uses.', only(spool?.bytes)),
      gauge(
        'platen_spool_share_used',
        'How much of its share of the spool is in use by labels that wait, 0 to 1.',
        shares.map(({ of, name, part }) => ({
          labels: { of, name },
          value: part,
        })),
      ),
      gauge('platen_spool_quota_bytes', 'Bytes that the spool may use.', only(spool?.quotaBytes)),
      gauge(
        'platen_spool_free_bytes',
        'Free bytes on the disk of the spool.',
        only(spool?.freeBytes),
      ),
      {
        name: 'platen_spool_commit_seconds',
        help: 'Seconds that a commit took until it was on disk.',
        type: 'histogram',
        values: this.#commits.samples(),
      },
    ]
  }
}
