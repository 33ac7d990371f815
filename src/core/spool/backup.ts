import * as v from 'valibot'
import { languageNames, pictureFormats } from '#labels'
import type {} from '../../words/say.ts'
import { isUndrawable, type Job, type JobFormat, type PrintOptions } from '../job.ts'
import { type OptionField, optionFields } from '../request/field-values.ts'
import type { Spool } from './spool.ts'
import type { Repeat } from './types.ts'

/** Repeats that are read or written at a time. */
export const PAGE = 200
/** Least space that the row of a job takes on the disk beside its label. */
export const JOB_BYTES = 512
/** Longest names, titles and keys in characters; longer ones are cut when the backup is made. */
const MOST = { name: 300, title: 600, key: 2_000 } as const

const FORMATS: readonly string[] = [
  ...languageNames,
  ...pictureFormats,
  ...(['pdf', 'packlist', 'test', 'unknown'] satisfies JobFormat[]),
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
  /** '' = the label found no printer. */
  printer: text(MOST.name),
  format: v.pipe(
    v.string(),
    v.check((format) => FORMATS.includes(format)),
  ),
  options: v.pipe(
    v.strictObject(Object.fromEntries(optionFields().map(optionEntry))),
    v.transform((options): PrintOptions => options),
  ),
  /** Left out by earlier versions. */
  title: v.optional(text(MOST.title), ''),
  warning: v.pipe(v.array(v.unknown()), v.maxLength(20)),
  hash: text(200),
  repeat: v.nullable(repeat),
  label: v.pipe(v.string(), v.nonEmpty(), v.check(isBase64)),
})

const PIECE = 65_536 // a multiple of four

/** Tells whether a label is base64. It is checked in pieces: one pattern over more than 2 MB overflows its stack. */
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

/** Lists the unprinted jobs one at a time, without start labels, which are about this box alone, then the requests that may come twice. */
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
    for (const one of page) if (one.key.length <= MOST.key) yield { type: 'repeat', ...one }
    page = spool.archive.repeats(page.at(-1)?.key ?? '', PAGE)
  }
}

/** Tells whether the file holds the label already, as the job that it was before it moved, perhaps several times. */
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

/** Makes the line of a job. A message may name any printer, however long; its label must not keep the others out of the backup. */
function writeJob(job: Job, label: Uint8Array, hash: string, repeat: Repeat | undefined): JobLine {
  const { id, source, printer, title, options, warning } = job
  const format = isUndrawable(job) ? 'unknown' : job.format // a person is told of it, and nobody prints it
  return {
    ...({ type: 'job', id, source, format, hash } as const),
    printer: cut(printer, MOST.name),
    options: mapTexts(options, (value) => cut(value, MOST.name)),
    title: cut(title, MOST.title),
    warning: [...warning],
    repeat: repeat === undefined || repeat.key.length > MOST.key ? null : repeat,
    label: Buffer.from(label).toString('base64'),
  }
}

function cut(text: string, most: number): string {
  return text.slice(0, most)
}

/** The options, with `map` applied to every value that is a string. */
export function mapTexts(options: PrintOptions, map: (text: string) => string): PrintOptions {
  const mapped = Object.entries(options).map(([name, value]: [string, string | number]) => [
    name,
    typeof value === 'string' ? map(value) : value,
  ])
  return Object.fromEntries(mapped)
}
