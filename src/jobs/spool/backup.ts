import * as v from 'valibot'
import { PlatenError } from '../../errors.ts'
import { languageNames } from '../../languages/index.ts'
import { pictureFormats } from '../../render/decode/index.ts'
import { detectFormat } from '../../render/detect.ts'
import { checkOptions, type OptionField, optionFields } from '../../request/fields.ts'
import { REQUEST_LIMITS } from '../../request/reader.ts'
import { explainNoLabel } from '../intake/hold-reasons.ts'
import type { Job, JobFormat, JobReason, PrintOptions } from '../job.ts'
import type { Spool } from './spool.ts'
import type { NewJob, Repeat } from './types.ts'

/** Repeats that are read or written at once. */
const PAGE = 200
/** Labels of one request that are held in memory together; what is beyond goes by itself. */
const GROUP_BYTES = 32 * 2 ** 20
/** What the row of a job takes on the disk beside its label, at least. */
export const JOB_BYTES = 512
/** Characters of a text; what is longer is cut when the backup is made. */
const MOST = { name: 300, warning: 2_000, key: 2_000 } as const

const FORMATS: readonly string[] = [
  ...languageNames,
  ...pictureFormats,
  ...(['packlist', 'test', 'unknown'] satisfies JobFormat[]),
]

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const number = v.pipe(v.number(), v.finite())

const optionEntry = ({ option, type }: OptionField) =>
  [option, v.exactOptional(type === 'text' ? text(MOST.name) : number)] as const

const repeat = v.strictObject({ key: text(MOST.key), fingerprint: text(200) })

/** A line of a backup that holds a job. */
export const jobLine = v.strictObject({
  type: v.literal('job'),
  id: v.pipe(v.string(), v.regex(/^[a-z0-9]{1,16}-\d{1,15}$/)),
  source: text(40),
  /** '' = it found none. */
  printer: text(MOST.name),
  format: v.pipe(
    v.string(),
    v.check((format) => FORMATS.includes(format)),
  ),
  options: v.pipe(
    v.strictObject(Object.fromEntries(optionFields().map(optionEntry))),
    v.transform((options): PrintOptions => options),
  ),
  warning: text(MOST.warning),
  hash: text(200),
  repeat: v.nullable(repeat),
  label: v.pipe(v.string(), v.nonEmpty(), v.check(isBase64)),
})

const PIECE = 65_536 // a multiple of four

/** In pieces: one pattern over a label of more than 2 MB runs out of its stack. */
function isBase64(label: string): boolean {
  const end = Math.max(0, label.length - 4)
  for (let at = 0; at < end; at += PIECE) {
    if (!/^[A-Za-z0-9+/]*$/.test(label.slice(at, Math.min(at + PIECE, end)))) return false
  }
  return (
    label.length % 4 === 0 &&
    /^[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/]=|[A-Za-z0-9+/]{2})$/.test(label.slice(end))
  )
}

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

type SpoolPart = Pick<Spool, 'archive' | 'add' | 'history' | 'rememberRepeats'>

/** The unprinted jobs but for start labels, which are of this box alone, one at a time, then the requests that may come twice. */
export function* exportJobs(
  spool: Pick<Spool, 'archive' | 'history'>,
): Generator<JobLine | RepeatLine> {
  // A label that moves to another printer meanwhile is met again as another job.
  const written = new Set<string>()
  let next = spool.archive.unprinted(0)
  while (next !== undefined) {
    const { job, label, hash, repeat: request } = next
    if (job.format !== 'start' && !isWritten(spool, job, written)) {
      yield writeJob(job, label, hash, request)
    }
    written.add(job.id)
    next = spool.archive.unprinted(job.seq)
  }
  let page = spool.archive.repeats('', PAGE)
  while (page.length > 0) {
    for (const one of page) yield { type: 'repeat', ...one }
    page = spool.archive.repeats(page.at(-1)?.key ?? '', PAGE)
  }
}

/** The label stands in the file as the job that it was before it moved, perhaps several times. */
function isWritten(
  spool: Pick<Spool, 'history'>,
  { reprintOf }: Job,
  written: ReadonlySet<string>,
): boolean {
  let id = reprintOf
  while (id !== '' && !written.has(id)) {
    const before = spool.history.get(id)
    id = before?.state === 'canceled' ? before.reprintOf : ''
  }
  return id !== ''
}

/** A message may have named its printer as it liked; its label must not keep the others out of the backup. */
function writeJob(
  { id, source, printer, format, options, warning }: Job,
  label: Uint8Array,
  hash: string,
  repeat: Repeat | undefined,
): JobLine {
  return {
    ...({ type: 'job', id, source, format, hash } as const),
    printer: cut(printer, MOST.name),
    options: mapTexts(options, (value) => cut(value, MOST.name)),
    warning: cut(warning, MOST.warning),
    repeat: repeat === undefined || repeat.key.length > MOST.key ? null : repeat,
    label: Buffer.from(label).toString('base64'),
  }
}

function cut(text: string, most: number): string {
  return text.slice(0, most)
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
  /** Key of the request whose labels are being taken: the rest of them is not here because the first are. */
  #key: string | undefined
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
    const isFull =
      this.#group.length === REQUEST_LIMITS.jobs ||
      this.#groupBytes + line.label.length > GROUP_BYTES
    if (!isSame || isFull) this.#endGroup()
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
      this.#key = repeat.key
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
    if (this.#spool.history.get(line.id) !== undefined) return true
    const isBegun = line.repeat?.key === this.#key
    const request = line.repeat && !isBegun ? this.#findRepeat(line.repeat) : undefined
    const own = this.#findRepeat({ key: `restored:${line.id}`, fingerprint: line.id })
    return own !== undefined || (request ?? []).some((job) => job.labelBytes === bytesOf(line))
  }

  /** A key that another request has used is none of ours. */
  #findRepeat(repeat: Repeat): ReturnType<Spool['history']['findRepeat']> {
    try {
      return this.#spool.history.findRepeat(repeat)
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
  const { hash } = line
  const sender = '' // what the owner brings back is held to no share
  const [source, printer, warning] = [plain(line.source), plain(line.printer), plain(line.warning)]
  const { expireAfter, ...lasting } = keepGood(line.options) // its time was that of the old box
  const label = Buffer.from(line.label, 'base64')
  const format = checkFormat(line.format as JobFormat, label)
  if (format === 'unknown') {
    const reasons = ['document-format-error', 'platen-restored'] as const
    const held = explainNoLabel()
    return { source, sender, printer, options: lasting, label, reasons, format: 'unknown', held }
  }
  return {
    ...{ source, sender, printer, options: lasting, warning, hash, label },
    format,
    reasons: REASONS,
    held: {
      message:
        'The label was restored from a backup. The print server that made it may have printed it already.',
      hint: 'Look whether the label is there, then press "It came out" or "Print again".',
      code: 'PRINTER_LOST',
    },
  }
}

/** What is called a picture must be one, and a ZPL label no picture: the bytes would go to the printer as they are. */
function checkFormat(format: JobFormat, label: Uint8Array): JobFormat {
  if (format === 'packlist' || format === 'test' || format === 'unknown') return format
  try {
    return detectFormat(label) === format ? format : 'unknown'
  } catch (error) {
    if (error instanceof PlatenError) return 'unknown'
    throw error
  }
}

/** Without the options that no request may have. */
function keepGood(options: PrintOptions): PrintOptions {
  const good = Object.entries(options).filter(([name, value]) => isGood({ [name]: value }))
  return mapTexts(Object.fromEntries(good), plain)
}

/** The options with what becomes of those that are texts. */
function mapTexts(options: PrintOptions, map: (text: string) => string): PrintOptions {
  const mapped = Object.entries(options).map(([name, value]: [string, string | number]) => [
    name,
    typeof value === 'string' ? map(value) : value,
  ])
  return Object.fromEntries(mapped)
}

function isGood(options: PrintOptions): boolean {
  try {
    checkOptions(options)
    return true
  } catch (error) {
    if (error instanceof PlatenError) return false
    throw error
  }
}

/** Without control characters, which no name and no sentence of ours has. */
function plain(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, ' ')
}
