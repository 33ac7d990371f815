import t from 'tap'
import { Events, logEvent } from '../../src/core/events.ts'
import { gauge, only } from '../../src/core/figures.ts'
import type { Job, JobState } from '../../src/core/job.ts'
import { Metrics } from '../../src/core/metrics.ts'
import { Printers } from '../../src/core/printers/registry.ts'
import type { KnownPrinter } from '../../src/core/printers/status.ts'
import { createDevices } from '../../src/printers/index.ts'
import { NOTHING, quoteEnglish } from '../../src/words/say.ts'
import { spoken } from '../words/spoken.ts'
import { JOB } from './labels.ts'
import { makePrinter } from './printers/make-printer.ts'

const ZERO: Record<JobState, number> = {
  pending: 0,
  'pending-held': 0,
  processing: 0,
  'processing-stopped': 0,
  canceled: 0,
  aborted: 0,
  completed: 0,
}

function makeJob(id: string, state: JobState, more: Partial<Job> = {}): Job {
  const times = { createdAt: 10_000, startedAt: 10_100, endedAt: 10_400 }
  const sent = { delivery: 'sent', labelBytes: 100, sentBytes: 100, attempts: 1 } as const
  return { ...JOB, id, state, printer: 'Bench "1"', ...times, ...sent, ...more }
}

function makeMetrics(printers: () => readonly KnownPrinter[] = () => []) {
  const events = new Events((error) => {
    throw error
  })
  const metrics = new Metrics({
    version: '1.2.3',
    printers,
    counts: () => ({ ...ZERO, pending: 4 }),
    usage: () => ({ bytes: 1, quotaBytes: 2, freeBytes: 3 }),
    now: () => 9_000,
  })
  const stop = metrics.follow(events)
  return { events, metrics, stop }
}

t.test('names of printers without number do not become series without number', async (t) => {
  const { events, metrics } = makeMetrics()
  for (let n = 0; n < 3_000; n += 1) {
    events.emit({ type: 'job', job: makeJob(`j-${n}`, 'canceled', { printer: `P${n}` }) })
  }
  const lines = (await metrics.text())
    .split('\n')
    .filter((line) => /^platen_jobs_ended_total\{/.test(line))
  t.equal(lines.length, 501)
  t.match(lines.join('\n'), 'printer="(others)",state="canceled"} 2500')
})

t.test('an idle box already has its figures', async (t) => {
  const text = await makeMetrics().metrics.text()
  t.match(text, '# TYPE platen_jobs_ended_total counter\n')
  t.match(text, 'platen_info{version="1.2.3"} 1\n')
  t.match(text, 'platen_jobs{state="pending"} 4\n')
  t.match(text, 'platen_start_time_seconds 9\n')
  t.match(text, 'platen_spool_quota_bytes 2\n')
  t.match(text, /platen_resident_memory_bytes \d{7,}\n/)
  for (const line of text.split('\n')) t.match(line, /^(?:|# .+|platen_\w+(?:\{.*\})? [\d.]+)$/)
})

t.test('the steps of what is measured in seconds', async (t) => {
  const { events, metrics } = makeMetrics()
  events.emit({ type: 'job', job: makeJob('1', 'completed') })
  metrics.observeCommit(1)
  const text = await metrics.text()
  const stepsOf = (name: string) =>
    [...text.matchAll(new RegExp(`^platen_${name}_bucket\\{(?:.*,)?le="([^"]+)"\\}`, 'gm'))]
      .map(([, step]) => step)
      .join(' ')
  t.equal(stepsOf('job_seconds'), '0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 300 1800 +Inf')
  const commits = '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 +Inf'
  t.equal(stepsOf('spool_commit_seconds'), commits)
})

t.test('labels are counted once, when they end', async (t) => {
  const { events, metrics, stop } = makeMetrics()
  for (const state of ['pending', 'processing', 'completed'] as const) {
    events.emit({ type: 'job', job: makeJob('1', state) })
  }
  events.emit({ type: 'job', job: makeJob('1', 'completed', { delivery: 'confirmed' }) })
  events.emit({ type: 'job', job: makeJob('2', 'canceled', { sentBytes: 20 }) })
  events.emit({ type: 'job', job: makeJob('0', 'completed', { endedAt: 8_000 }) })
  const text = await metrics.text()
  t.match(text, 'platen_jobs_ended_total{printer="Bench \\"1\\"",state="completed"} 1\n')
  t.match(text, 'platen_jobs_ended_total{printer="Bench \\"1\\"",state="canceled"} 1\n')
  t.match(text, 'platen_sent_bytes_total{printer="Bench \\"1\\""} 120\n')
  t.match(text, 'platen_job_seconds_bucket{printer="Bench \\"1\\"",le="0.25"} 0\n')
  t.match(text, 'platen_job_seconds_bucket{printer="Bench \\"1\\"",le="0.5"} 1\n')
  t.match(text, 'platen_job_seconds_bucket{printer="Bench \\"1\\"",le="+Inf"} 1\n')
  t.match(text, 'platen_job_seconds_sum{printer="Bench \\"1\\""} 0.4\n')
  stop()
  events.emit({ type: 'job', job: makeJob('3', 'canceled') })
  t.match(await metrics.text(), 'state="canceled"} 1\n')
})

t.test('labels are counted when the clock was set back since the start', async (t) => {
  let now = 9_000
  const metrics = new Metrics({ version: '1.2.3', now: () => now })
  const events = new Events((error) => t.fail(String(error)))
  metrics.follow(events)
  now = 2_000
  events.emit({ type: 'job', job: makeJob('1', 'completed', { endedAt: now }) })
  t.match(await metrics.text(), 'state="completed"} 1\n')
})

t.test('the memory of counted labels is bounded', async (t) => {
  const { events, metrics } = makeMetrics()
  for (let id = 0; id <= 1_000; id++)
    events.emit({ type: 'job', job: makeJob(String(id), 'aborted') })
  events.emit({ type: 'job', job: makeJob('1000', 'aborted') })
  events.emit({ type: 'job', job: makeJob('0', 'aborted') })
  t.match(await metrics.text(), 'state="aborted"} 1002\n', 'the oldest was forgotten, the last not')
})

t.test('printers tell their state and why', async (t) => {
  const printers = new Printers({
    printers: [makePrinter('Desk')],
    defaultName: 'Desk',
    devices: createDevices({ stateFolder: t.testdir() }),
  })
  const { metrics } = makeMetrics(() => printers.list())
  t.match(await metrics.text(), 'platen_printer_state{printer="Desk",state="idle"} 1\n')
  const reasons = ['media-empty', 'paused'] as const
  printers.report('Desk', { state: 'stopped', reasons, message: NOTHING, hint: NOTHING })
  const text = await metrics.text()
  t.match(text, 'platen_printer_state{printer="Desk",state="stopped"} 1\n')
  t.notMatch(text, 'state="idle"')
  t.match(text, 'platen_printer_state_reason{printer="Desk",reason="media-empty"} 1\n')
  t.match(text, 'platen_printer_state_reason{printer="Desk",reason="paused"} 1\n')
})

t.test('commits that take too long for every bound are still counted', async (t) => {
  const { metrics } = makeMetrics()
  metrics.observeCommit(0.002)
  metrics.observeCommit(60)
  const text = await metrics.text()
  t.match(text, 'platen_spool_commit_seconds_bucket{le="2.5"} 1\n')
  t.match(text, 'platen_spool_commit_seconds_bucket{le="+Inf"} 2\n')
  t.match(text, 'platen_spool_commit_seconds_count 2\n')
})

t.test('the computer tells its health, as far as it knows it', async (t) => {
  const settings = {
    version: '1.2.3',
    printers: () => [],
    counts: () => ZERO,
    usage: () => ({ bytes: 1, quotaBytes: 2, freeBytes: 3 }),
  }
  const unknown = {
    temperature: undefined,
    isUndervolted: undefined,
    memoryAvailable: undefined,
    memoryTotal: undefined,
    fileSystemErrors: {},
  }
  const known = {
    ...unknown,
    temperature: 48.3,
    isUndervolted: true,
    fileSystemErrors: { mmcblk0p4: 2 },
  }
  const text = await new Metrics({ ...settings, box: () => known }).text()
  t.match(text, 'platen_box_temperature_celsius 48.3\n')
  t.match(text, 'platen_box_undervoltage 1\n')
  t.match(text, 'platen_box_file_system_errors{device="mmcblk0p4"} 2\n')
  t.notMatch(text, /^platen_box_memory_total_bytes /m)
  const blind = await new Metrics({ ...settings, box: () => unknown }).text()
  t.notMatch(blind, /^platen_box_/m)
})

t.test('a listener that fails stops neither the label nor the others', (t) => {
  const faults: unknown[] = []
  const events = new Events((error) => faults.push(error))
  const heard: string[] = []
  const stop = events.subscribe(() => {
    throw new Error('mine')
  })
  events.subscribe(({ type }) => heard.push(type))
  events.emit({ type: 'job', job: makeJob('1', 'pending') })
  stop()
  events.emit({ type: 'job', job: makeJob('1', 'pending') })
  t.match(faults, [{ message: 'mine' }])
  t.same(heard, ['job', 'job'])
  t.end()
})

t.test('tells the figures of plugins', async (t) => {
  const figure = gauge('platen_scale_grams', 'What lies on the scale.', only(250))
  const text = await new Metrics({ version: '1.2.3', plugins: () => [figure] }).text()
  t.match(text, /^platen_scale_grams 250$/m)
})

t.test('the log has a line for what ended, for what needs a person, and no more', (t) => {
  const lines: (readonly [level: string, event: string, fields: object])[] = []
  const log = {
    info: (fields: object, event: string) => lines.push(['info', event, fields]),
    warn: (fields: object, event: string) => lines.push(['warn', event, fields]),
  }
  const told = (event: Parameters<typeof logEvent>[1]) => {
    lines.length = 0
    logEvent(log, event)
    return lines.map(([level, name]) => `${level} ${name}`).join()
  }
  const job = (state: JobState, more: Partial<Job> = {}) =>
    told({ type: 'job', job: makeJob('1', state, more) })
  t.equal(job('completed'), 'info printed')
  t.match(lines[0]?.[2], { job: '1', bytes: 100, sent: 100, ms: 400 })
  t.same(
    (['aborted', 'canceled', 'pending-held'] as const).map((state) => job(state)),
    ['warn aborted', 'warn canceled', 'warn held'],
  )
  t.same(
    (['pending', 'processing', 'processing-stopped'] as const).map((state) => job(state)),
    ['', '', ''],
  )
  job('pending-held', {
    code: 'JOB_DUPLICATE',
    message: quoteEnglish('order 17 was printed'),
    detail: 'd',
  })
  t.match(spoken(lines[0]?.[2]), { message: '', detail: 'd' }, 'no title of a label in a log')
  job('pending-held', { message: quoteEnglish('Why.') })
  t.match(spoken(lines[0]?.[2]), { message: 'Why.' })
  t.notOk('detail' in (lines[0]?.[2] ?? {}))
  const filling = { of: 'all', name: '', jobs: 9, bytes: 1, message: 'm', hint: 'h' } as const
  const share = (isHigh: boolean) =>
    told({ type: 'spool', isHigh, filling } as unknown as Parameters<typeof logEvent>[1])
  t.same([share(true), share(false)], ['warn spool is filling', 'info spool has room again'])
  t.end()
})
