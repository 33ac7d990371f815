import * as v from 'valibot'
import { PlatenError } from '../errors.ts'
import type { JobFormat, JobReason } from './job.ts'
import { explainNoLabel } from './set-aside.ts'
import type { NewJob, Repeat } from './spool/types.ts'
import type { Spool } from './spool.ts'

/** Repeats that are read or written at once. */
const PAGE = 200
/** Labels of one request that are held in memory together; what is beyond goes by itself. */
const GROUP_BYTES = 32 * 2 ** 20

const FORMATS = [
  ...['zpl', 'epl', 'tspl', 'png', 'jpeg', 'gif', 'packlist', 'test', 'unknown'],
] as const satisfies readonly JobFormat[]

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const number = v.pipe(v.number(), v.finite())

const repeat = v.strictObject({ key: text(2_000), fingerprint: text(200) })

/** A line of a backup that holds a job. */
export const jobLine = v.strictObject({
  type: v.literal('job'),
  id: v.pipe(v.string(), v.regex(/^[a-z0-9]{1,16}-\d{1,15}$/)),
  source: text(40),
  /** '' = it found none. */
  printer: text(300),
  format: v.pipe(
    v.string(),
    v.check((format) => (FORMATS as readonly string[]).includes(format)),
  ),
  options: v.strictObject({
    printer: v.exactOptional(text(300)),
    labelWidth: v.exactOptional(number),
    labelHeight: v.exactOptional(number),
    dpi: v.exactOptional(number),
    startingPointX: v.exactOptional(number),
    startingPointY: v.exactOptional(number),
    expireAfter: v.exactOptional(number),
  }),
  warning: text(2_000),
  hash: text(200),
  repeat: v.nullable(repeat),
  label: v.pipe(v.string(), v.nonEmpty(), v.base64()),
})

/** A line of a backup that holds a request whose labels have all ended. */
export const repeatLine = v.strictObject({ type: v.literal('repeat'), ...repeat.entries })

/** A job as a backup holds it. */
export type JobLine = v.InferOutput<typeof jobLine>
/** A request as a backup holds it. */
export type RepeatLine = v.InferOutput<typeof repeatLine>

/** What a restore did. */
export interface Restored {
  /** Labels that now wait for a person. */
  readonly labels: number
  /** Labels that this spool knew already. */
  readonly known: number
}

type SpoolPart = Pick<Spool, 'archive' | 'add' | 'get' | 'label' | 'findRepeat' | 'rememberRepeats'>

/** The unprinted jobs but for start labels, which are of this box alone, one at a time, then the requests that may come twice. */
export function* exportJobs(spool: Pick<Spool, 'archive'>): Generator<JobLine | RepeatLine> {
  let next = spool.archive.unprinted(0)
  while (next !== undefined) {
    const { job, label, hash, repeat: request } = next
    const { id, source, printer, format, options, warning } = job
    if (format !== 'start') {
      yield {
        ...({ type: 'job', id, source, printer, format, options, warning, hash } as const),
        repeat: request ?? null,
        label: Buffer.from(label).toString('base64'),
      }
    }
    next = spool.archive.unprinted(job.seq)
  }
  let page = spool.archive.repeats('', PAGE)
  while (page.length > 0) {
    for (const one of page) yield { type: 'repeat', ...one }
    page = spool.archive.repeats(page.at(-1)?.key ?? '', PAGE)
  }
}

/**
 * Takes over the jobs of a backup, each held until a person has looked: the old box may have printed it. A job is taken
 * once, however often the backup is restored, and not at all where it came from. Lines come in the order of the file.
 */
export class Restorer {
  readonly #spool: SpoolPart
  #group: JobLine[] = []
  #groupBytes = 0
  #repeats: Repeat[] = []
  #labels = 0
  #known = 0

  constructor(spool: SpoolPart) {
    this.#spool = spool
  }

  /** @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; what was taken stays */
  take(line: JobLine | RepeatLine): void {
    if (line.type === 'repeat') {
      this.#endGroup()
      this.#repeats.push({ key: line.key, fingerprint: line.fingerprint })
      if (this.#repeats.length >= PAGE) this.#endRepeats()
      return
    }
    const [first] = this.#group
    const isSame = first?.repeat != null && first.repeat.key === line.repeat?.key
    if (!isSame || this.#groupBytes + line.label.length > GROUP_BYTES) this.#endGroup()
    this.#group.push(line)
    this.#groupBytes += line.label.length
  }

  /** After the last line. @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  end(): Restored {
    this.#endGroup()
    this.#endRepeats()
    return { labels: this.#labels, known: this.#known }
  }

  #endRepeats(): void {
    if (this.#repeats.length > 0) this.#spool.rememberRepeats(this.#repeats)
    this.#repeats = []
  }

  /** The jobs of one request follow each other, so that its repeat finds them. */
  #endGroup(): void {
    const group = this.#group.filter((line) => !this.#isHere(line))
    this.#known += this.#group.length - group.length
    this.#group = []
    this.#groupBytes = 0
    const [first] = group
    if (first === undefined) return
    const repeat = first.repeat ?? undefined
    if (repeat !== undefined && this.#findRepeat(repeat) === undefined) {
      this.#add(group, repeat)
      return
    }
    // Without a request, or with one that is known here by other labels: each by its old id.
    for (const line of group)
      this.#add([line], { key: `restored:${line.id}`, fingerprint: line.id })
  }

  #add(group: readonly JobLine[], repeat: Repeat): void {
    const { repeated } = this.#spool.add(group.map(newJob), repeat)
    if (repeated) this.#known += group.length
    else this.#labels += group.length
  }

  /** This is the box that made the backup, or it has restored the same before. */
  #isHere(line: JobLine): boolean {
    if (this.#spool.get(line.id) !== undefined) return true
    const request = line.repeat && this.#findRepeat(line.repeat)
    const own = this.#findRepeat({ key: `restored:${line.id}`, fingerprint: line.id })
    return own !== undefined || (request ?? []).some((job) => job.labelBytes === bytesOf(line))
  }

  /** A key that another request has used is none of ours. */
  #findRepeat(repeat: Repeat): ReturnType<Spool['findRepeat']> {
    try {
      return this.#spool.findRepeat(repeat)
    } catch (error) {
      if (error instanceof PlatenError && error.code === 'IDEMPOTENCY_CONFLICT') return []
      throw error
    }
  }
}

function bytesOf({ label }: JobLine): number {
  return Buffer.byteLength(label, 'base64')
}

const REASONS: readonly JobReason[] = ['platen-interrupted', 'platen-restored']

/** Held as a label that was cut off is: only a person knows whether it is on paper. */
function newJob(line: JobLine): NewJob {
  const { source, printer, options, warning, hash } = line
  const sender = '' // what the owner brings back is held to no share
  const { expireAfter, ...lasting } = options // its time was that of the old box
  const label = Buffer.from(line.label, 'base64')
  if (line.format === 'unknown') {
    const reasons = ['document-format-error', 'platen-restored'] as const
    const held = explainNoLabel()
    return { source, sender, printer, options: lasting, label, reasons, format: 'unknown', held }
  }
  return {
    ...{ source, sender, printer, options: lasting, warning, hash, label },
    format: line.format as JobFormat,
    reasons: REASONS,
    held: {
      message:
        'The label was restored from a backup. The print server that made it may have printed it already.',
      hint: 'Look whether the label is there, then press "It came out" or "Print again".',
      code: 'PRINTER_LOST',
    },
  }
}
