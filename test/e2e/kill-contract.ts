import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '../../src/core/job.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import { markOf } from '../load/label.ts'

/** Printers under the kill loop. */
export const printerNames = ['A', 'B'] as const

/** A request of a client; the key is the idempotency key. */
export interface Request {
  readonly key: string
  readonly printer: string
  readonly labels: readonly string[]
}

/** The clients' knowledge at the end. */
export interface ClientLog {
  /** Every request ever sent, by key. */
  readonly sent: ReadonlyMap<string, Request>
  /** Keys whose answer was read. */
  readonly acknowledged: ReadonlySet<string>
  readonly kills: number
}

/** A piece that a printer got: whole labels, cut ones and resets, in order. */
interface Piece {
  readonly kind: 'whole' | 'cut' | 'reset'
  readonly mark: string
}

/** Takes the sink's bytes apart. A piece that is not a whole label is a cut one; its mark may be cut off too. */
function readSink(folder: string, printer: string): readonly Piece[] {
  const file = join(folder, `${printer}.sink`)
  const bytes = existsSync(file) ? readFileSync(file, 'latin1') : ''
  return bytes.split(/(?=\^XA)|(?=~JA)/).flatMap((part): Piece[] => {
    if (part === '') return []
    if (part === '~JA') return [{ kind: 'reset', mark: '' }]
    const isWhole = /^\^XA\^FX[^^]*\^FS\.*\^XZ\n$/.test(part)
    return [{ kind: isWhole ? 'whole' : 'cut', mark: markOf(part) }]
  })
}

/** Reads every job that the server knows, with the marks of their labels, in order of acceptance. */
function readJobs(folder: string): readonly { readonly job: Job; readonly mark: string }[] {
  const spool = new Spool({ folder: join(folder, 'state'), quotaBytes: 2 ** 32 })
  const jobs = spool.history.list({ limit: 1_000_000 })
  const marked = jobs.map((job) => ({
    job,
    mark: markOf(Buffer.from(spool.history.label(job.id) ?? []).toString('latin1')),
  }))
  spool.close()
  return marked.reverse()
}

type Marked = ReturnType<typeof readJobs>

function checkLost(jobs: Marked, log: ClientLog): readonly string[] {
  const known = new Map<string, number>()
  for (const { mark } of jobs) known.set(mark, (known.get(mark) ?? 0) + 1)
  const wanted = [...log.acknowledged].flatMap((key) => log.sent.get(key)?.labels.map(markOf) ?? [])
  return [
    ...wanted.filter((mark) => !known.has(mark)).map((mark) => `lost: ${mark} was acknowledged`),
    ...[...known].filter(([, count]) => count > 1).map(([mark]) => `taken twice: ${mark}`),
    ...jobs
      .filter(({ job }) => !['completed', 'pending-held'].includes(job.state))
      .map(({ job, mark }) => `left behind: ${mark} is ${job.state}`),
  ]
}

/** First in, first out, each once; and a reset after every cut label. */
function checkOrder(pieces: readonly Piece[], jobs: Marked): readonly string[] {
  const order = new Map(jobs.map(({ mark }, index) => [mark, index]))
  let last = -1
  return pieces.flatMap(({ kind, mark }, index) => {
    if (kind === 'reset') return []
    const faults: string[] = []
    const at = order.get(mark)
    if (at !== undefined && at <= last) faults.push(`out of order or again: ${mark}`)
    last = at ?? last
    const before = pieces[index - 1]
    if (before?.kind === 'cut') faults.push(`no reset between a cut label and ${mark}`)
    return faults
  })
}

function checkJob({ job, mark }: Marked[number], mine: readonly Piece[]): readonly string[] {
  const times = mine.filter(({ kind }) => kind === 'whole').length
  const isDone = job.state === 'completed'
  const isHeld = job.state === 'pending-held'
  return [
    times > 1 ? `printed ${times} times: ${mark}` : '',
    isDone && times === 0 ? `never printed: ${mark}` : '',
    isDone && times < mine.length ? `cut but completed: ${mark}` : '',
    isHeld && !job.reasons.includes('platen-interrupted') ? `held for nothing: ${mark}` : '',
  ].filter((fault) => fault !== '')
}

function checkPrinter(pieces: readonly Piece[], jobs: Marked): readonly string[] {
  const byMark = Map.groupBy(pieces, ({ mark }) => mark)
  const each = jobs.flatMap((entry) => checkJob(entry, byMark.get(entry.mark) ?? []))
  return [...checkOrder(pieces, jobs), ...each]
}

/**
 * The one checker: the client's log, what the printers got and the job table against the promises. Empty = all kept:
 * nothing acknowledged is lost, nothing is printed twice, order is kept, held is exactly what was interrupted, and a
 * printer is reset before the label after a cut one.
 */
export function checkContract(folder: string, log: ClientLog): readonly string[] {
  const jobs = readJobs(folder)
  const held = jobs.filter(({ job }) => job.state === 'pending-held').length
  const most = log.kills * printerNames.length
  return [
    ...checkLost(jobs, log),
    ...printerNames.flatMap((name) =>
      checkPrinter(
        readSink(folder, name),
        jobs.filter(({ job }) => job.printer === name),
      ),
    ),
    ...(held > most ? [`${held} jobs held after ${log.kills} kills`] : []),
  ]
}
