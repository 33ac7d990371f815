import { hash } from 'node:crypto'
import type { SQLOutputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { NOTHING, parseSentences, type Sentences } from '../../words/say.ts'
import { type Job, LOST_OPTIONS } from '../job.ts'
import { firstStep, type NewJob } from './types.ts'

/** A row as node:sqlite gives it. */
export type JobRow = Record<string, SQLOutputValue>

type ColumnValue = string | number | null

/** The values of a new row; `now` is wall time, `run` run-time (room.ts). */
export interface NewRowValues {
  readonly seq: number
  readonly id: string
  readonly job: NewJob
  readonly sender: string
  readonly content: number
  readonly now: number
  readonly run: number
}

/** The values of a moved row; `totalBytes` undefined leaves that column unchanged. */
export interface RowMove {
  readonly job: Job
  readonly run: number
  readonly totalBytes: number | undefined
}

/** A column of the table `job`. */
interface TableColumn {
  readonly name: string
  /** The type as in CREATE TABLE. */
  readonly type: string
  /** The value in a new row. */
  readonly added: (added: NewRowValues) => ColumnValue
  /** The value after a move; left out = a move changes nothing. NULL keeps the value. */
  readonly moved?: (moved: RowMove) => ColumnValue
}

/** A column that is a property of `Job`. */
interface PropertyColumn<T> extends TableColumn {
  readonly read: (row: JobRow) => T
}

const TEXT = 'TEXT NOT NULL'
const NUMBER = 'INTEGER NOT NULL'

type Make<V> = (added: NewRowValues) => V

function text<T extends string = string>(
  name: string,
  added: Make<string>,
  moved?: (job: Job) => string,
): PropertyColumn<T> {
  const change = moved === undefined ? {} : { moved: ({ job }: RowMove) => moved(job) }
  return {
    name,
    type: TEXT,
    ...change,
    added: (one) => added(one).toWellFormed(), // as SQLite gives it back
    read: (row) => textOf(row, name) as T,
  }
}

const none = (): number => 0

function number(
  name: string,
  added: Make<number>,
  moved?: (job: Job) => number,
): PropertyColumn<number> {
  const change = moved === undefined ? {} : { moved: ({ job }: RowMove) => moved(job) }
  return { name, type: NUMBER, added, ...change, read: (row) => numberOf(row, name) }
}

function flag(
  name: string,
  added: boolean,
  moved?: (job: Job) => boolean,
): PropertyColumn<boolean> {
  const change = moved === undefined ? {} : { moved: ({ job }: RowMove) => Number(moved(job)) }
  const read = (row: JobRow): boolean => numberOf(row, name) === 1
  return { name, type: NUMBER, added: () => Number(added), ...change, read }
}

/** A column of JSON. `lost` replaces damaged text, which SQLite's check of its pages does not see. */
function json<T>(
  name: string,
  lost: T,
  added: Make<T>,
  moved?: (job: Job) => T,
): PropertyColumn<T> {
  const change =
    moved === undefined ? {} : { moved: ({ job }: RowMove) => JSON.stringify(moved(job)) }
  const read = (row: JobRow): T => {
    try {
      return JSON.parse(textOf(row, name))
    } catch {
      return lost
    }
  }
  return { name, type: TEXT, added: (one) => JSON.stringify(added(one)), ...change, read }
}

/** The JSON of no sentences, the value of most jobs: it is read without a parser, into one shared object. */
const NO_WORDS = JSON.stringify(NOTHING)

function words(
  name: string,
  added: Make<Sentences>,
  moved: (job: Job) => Sentences,
): PropertyColumn<Sentences> {
  return {
    name,
    type: TEXT,
    added: (one) => JSON.stringify(added(one)),
    moved: ({ job }) => JSON.stringify(moved(job)),
    read: (row) => {
      const text = textOf(row, name)
      return text === NO_WORDS ? NOTHING : parseSentences(text)
    },
  }
}

const lifeMs = ({ job }: NewRowValues): number => (job.options.expireAfter ?? 0) * 1000

/**
 * The columns of a job, one for each property of `Job`. Columns named run hold run-time (room.ts), 0 = never; columns named at hold wall
 * time, for display only.
 */
const FIELDS: { readonly [F in keyof Job]: PropertyColumn<Job[F]> } = {
  seq: {
    name: 'seq',
    type: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    added: ({ seq }) => seq,
    read: (row) => numberOf(row, 'seq'),
  },
  id: text('id', ({ id }) => id),
  source: text('source', ({ job }) => job.source),
  printer: text('printer', ({ job }) => job.printer),
  format: text('format', ({ job }) => job.format),
  options: json('options', LOST_OPTIONS, ({ job }) => job.options),
  state: text(
    'state',
    ({ job }) => (job.held === undefined ? 'pending' : 'pending-held'),
    (job) => job.state,
  ),
  reasons: json(
    'reasons',
    ['platen-interrupted'], // a person looks before it is printed once more
    ({ job }) => job.reasons ?? ['none'],
    (job) => job.reasons,
  ),
  delivery: text(
    'delivery',
    () => 'none',
    (job) => job.delivery,
  ),
  message: words(
    'message',
    ({ job }) => job.held?.message ?? job.message ?? NOTHING,
    (job) => job.message,
  ),
  hint: words(
    'hint',
    ({ job }) => job.held?.hint ?? NOTHING,
    (job) => job.hint,
  ),
  code: text(
    'code',
    ({ job }) => job.held?.code ?? '',
    (job) => job.code,
  ),
  createdAt: number('created_at', ({ now }) => now),
  startedAt: number('started_at', none, (job) => job.startedAt),
  endedAt: number('ended_at', none, (job) => job.endedAt),
  expiresAt: number('expires_at', (added) => (lifeMs(added) === 0 ? 0 : added.now + lifeMs(added))),
  labelBytes: number('label_bytes', ({ job }) => job.label.length),
  sentBytes: number('sent_bytes', none, (job) => job.sentBytes),
  attempts: number('attempts', none, (job) => job.attempts),
  reprintOf: text('reprint_of', ({ job }) => job.reprintOf ?? ''),
  hasLabel: flag('has_label', true),
  hasPreview: flag('has_preview', false, (job) => job.hasPreview),
  warning: words(
    'warning',
    ({ job }) => job.warning ?? NOTHING,
    (job) => job.warning,
  ),
  detail: text(
    'detail',
    ({ job }) => job.held?.detail ?? '',
    (job) => job.detail,
  ),
  note: text('note', ({ job }) => job.note ?? ''),
  user: text('user', ({ job }) => job.user ?? ''),
  title: text('title', ({ job }) => job.title ?? ''),
  steps: text(
    'steps',
    ({ job, now }) => firstStep(job, now),
    (job) => job.steps,
  ),
}

/** Columns that only the spool uses; they follow those of `Job` in the table. */
const OWN: readonly TableColumn[] = [
  {
    name: 'total_bytes',
    type: NUMBER,
    added: () => 0,
    moved: ({ totalBytes }) => totalBytes ?? null,
  },
  // A move is a sign of life.
  { name: 'crashes', type: NUMBER, added: () => 0, moved: () => 0 },
  {
    name: 'expires_run',
    type: NUMBER,
    added: (added) => (lifeMs(added) === 0 ? 0 : added.run + lifeMs(added)),
  },
  {
    name: 'ended_run',
    type: NUMBER,
    added: () => 0,
    moved: ({ job, run }) => (job.endedAt === 0 ? 0 : run),
  },
  { name: 'hash', type: TEXT, added: ({ job }) => job.hash ?? '' },
  { name: 'sender', type: TEXT, added: ({ sender }) => sender },
  { name: 'content', type: NUMBER, added: ({ content }) => content },
]

const FIELD_LIST = Object.entries(FIELDS)
const COLUMNS: readonly TableColumn[] = [...Object.values(FIELDS), ...OWN]
const MOVED = COLUMNS.flatMap(({ name, moved }) => (moved === undefined ? [] : { name, moved }))

/** The column definitions inside CREATE TABLE. */
export const COLUMN_DEFINITIONS = COLUMNS.map(({ name, type }) => `${name} ${type}`).join(',\n  ')

/** The columns of `job` that make a `Job`. */
export const JOB_COLUMNS = Object.values(FIELDS)
  .map(({ name }) => name)
  .join(', ')

// Values by their place: SQLite looks for a name each time, through all names.
/** The statement that adds a job; takes the values of `newRow`. */
export const ADD_JOB = `INSERT INTO job(${COLUMNS.map(({ name }) => name).join(', ')})
  VALUES(${COLUMNS.map(() => '?').join(', ')})`

/** The statement that moves a job; takes the values of `movedRow`. */
export const MOVE_JOB = `UPDATE job SET ${MOVED.map(({ name }) => `${name} = coalesce(?, ${name})`).join(', ')}
  WHERE seq = ?`

/**
 * An object that has all its names from the start. If it got them one by one, V8 would make a hash table of it, which is slow to fill, to
 * read and to copy; a copy of a parsed object stays fast.
 */
function blank<V>(names: readonly string[]): Record<string, V | null> {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`)}}`)
}

const BLANK_JOB = blank<unknown>(Object.keys(FIELDS))
const BLANK_ROW = blank<ColumnValue>(COLUMNS.map(({ name }) => name))

/** Makes a `Job` of a row. */
export function toJob(row: JobRow): Job {
  const job = { ...BLANK_JOB }
  for (const [field, column] of FIELD_LIST) job[field] = column.read(row)
  return job as unknown as Job
}

/** A new row, whose values are those of `ADD_JOB` in their order. */
export function newRow(added: NewRowValues): Record<string, ColumnValue> {
  const row = { ...BLANK_ROW }
  for (const column of COLUMNS) row[column.name] = column.added(added)
  return row
}

/** The values of `MOVE_JOB`. */
export function movedRow(moved: RowMove): readonly ColumnValue[] {
  return [...MOVED.map((column) => column.moved(moved)), moved.job.seq]
}

/** Reads a whole number out of a row; 0 when the column is absent or NULL. */
export function numberOf(row: JobRow | undefined, column: string): number {
  return Number(row?.[column] ?? 0)
}

/** Reads text out of a row; '' when the column is absent or NULL. */
export function textOf(row: JobRow | undefined, column: string): string {
  return String(row?.[column] ?? '')
}

/** Reads bytes out of a row; undefined when there are none. */
export function bytesOf(row: JobRow | undefined, column: string): Uint8Array | undefined {
  const value = row?.[column]
  return value instanceof Uint8Array ? value : undefined
}

/** A checksum for a label without a digest: digests are kept only for labels that are looked up by them. */
export function crcOf(label: Uint8Array, digest: Uint8Array): number | null {
  return digest.length > 0 ? null : crc32(label)
}

/**
 * Tells whether a label is as it was written. SQLite fills the rest of a page that it could read only in part with zeros, which must not
 * reach a printer; no check of pages sees that.
 */
export function isUnchanged(row: JobRow): boolean {
  const [label, digest] = [bytesOf(row, 'label'), bytesOf(row, 'digest')]
  if (label === undefined) return false
  if (digest !== undefined && digest.length > 0) {
    return hash('sha256', label, 'buffer').equals(digest)
  }
  return row['crc'] === crc32(label)
}
