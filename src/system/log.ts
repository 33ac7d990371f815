import { appendFileSync, fstatSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type DestinationStream,
  destination,
  type Logger,
  type LoggerOptions,
  pino,
  symbols,
} from 'pino'
import { inEnglish, isSentences, NOTHING, type Sentences } from '../words/say.ts'

/** Fields first, then a fixed short word: `log.info({ job, printer, bytes, ms }, 'printed')`. */
export type Log = Logger

/** Settings of a log. */
export interface LogSettings {
  /** `error`, `warn`, `info` or `debug`. */
  readonly level: string
  /** True when the journal reads: each line then begins with its priority, and has no time of its own. */
  readonly toJournal: boolean
  /** Keys whose values must not be written, wherever they stand in the fields. */
  readonly secretKeys?: readonly string[]
  /** Budget of lines of one kind. */
  readonly budget?: LineBudget
  /** Keeps the last lines for the admin. */
  readonly recent?: RecentLines
  /** Sink of lines; standard error when left out. */
  readonly write?: (line: string) => void
}

// sd-daemon(3): the number in <> before a line is its syslog priority. Left: pino's levels.
const PRIORITIES: Readonly<Record<number, number>> = { 10: 7, 20: 7, 30: 6, 40: 4, 50: 3, 60: 2 }

const ALWAYS_SECRET = ['password', 'authorization', 'cookie', 'set-cookie', 'x-api-key', 'token']

/** Log lines are JSON on standard error. Secrets are masked, and bytes (a label may be among them) are only counted. */
export function createLog(settings: LogSettings): Log {
  const secrets = new Set([...ALWAYS_SECRET, ...(settings.secretKeys ?? [])])
  let said = UNSAID // of the line that is being written
  return pino(
    {
      level: settings.level,
      base: null,
      timestamp: settings.toJournal ? false : pino.stdTimeFunctions.isoTime,
      serializers: { err: (cleaned: unknown) => cleaned }, // pino's own would add the stack again
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => {
          said = findSaid(fields as LogFields)
          return cleanFields(fields as LogFields, secrets, 0)
        },
      },
      hooks: { logMethod: within(settings.budget ?? new LineBudget()) },
    },
    createDestination(settings, () => {
      const last = said
      said = UNSAID
      return last
    }),
  )
}

const BUDGETED = 30 // pino's level of info; what is below is switched on by who wants all of it

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

function within(budget: LineBudget): LogMethod {
  return function write(args, method, level) {
    const [fields, event] = args as unknown[]
    const isOurs = typeof fields === 'object' && fields !== null && typeof event === 'string'
    if (level < BUDGETED || !isOurs) {
      method.apply(this, args)
      return
    }
    const leftOut = budget.take(fields as LogFields, event)
    if (leftOut === undefined) return
    if (leftOut === 0) method.apply(this, args)
    else method.call(this, { ...fields, leftOut }, event)
  }
}

/** True when standard error goes to systemd's journal; the variable alone is inherited by terminals too. */
export function isJournal(env: NodeJS.ProcessEnv, descriptor = 2): boolean {
  const stream = env['JOURNAL_STREAM']
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(descriptor)
  return stream === `${dev}:${ino}`
}

const RECENT_MOST = 300
const RECENT_LINE = 1_000 // characters

/** A log line's words for people, for other languages. */
interface LineWords {
  readonly message: Sentences
  readonly hint: Sentences
}

const UNSAID: LineWords = { message: NOTHING, hint: NOTHING }

function findSaid({ message, why, hint }: LogFields): LineWords {
  const of = (value: unknown): Sentences => (isSentences(value) ? value : NOTHING)
  return { message: of(message ?? why), hint: of(hint) }
}

/** A recent line of the log. */
export interface RecentLine extends LineWords {
  readonly at: string
  readonly line: string
}

/** The last lines of the log, as they were written: secrets masked, bytes counted. */
export class RecentLines {
  #lines: RecentLine[] = []

  add(line: string, said = UNSAID): void {
    const at = new Date().toISOString()
    this.#lines.push({ at, line: line.trimEnd().slice(0, RECENT_LINE), ...said })
    if (this.#lines.length >= 2 * RECENT_MOST) this.#lines = this.#lines.slice(-RECENT_MOST)
  }

  /** Oldest first. */
  list(): readonly RecentLine[] {
    return this.#lines.slice(-RECENT_MOST)
  }
}

const WAITING_MOST = 2 ** 20 // characters that are kept until standard error takes them

/** Standard error may be a file on a disk that is full, or a terminal that was closed: lines are lost then, and nothing else. */
function openStandardError(): DestinationStream {
  const stream = destination({ dest: 2, sync: true, maxLength: WAITING_MOST })
  // pino's own listener leaves with the first fault, which would be thrown at whoever logs.
  stream.on('error', () => undefined)
  return stream
}

function createDestination(
  { toJournal, write, recent }: LogSettings,
  takeSaid: () => LineWords,
): DestinationStream {
  const end = write === undefined ? openStandardError() : { write }
  const target = {
    write(line: string): void {
      recent?.add(line.replace(/^<\d>/, ''), takeSaid())
      end.write(line)
    },
  }
  if (!toJournal) return target
  return {
    // pino keeps the level of each line in `lastLevel` of a destination that asks so.
    [symbols.needsMetadataGsym]: true,
    lastLevel: 30,
    write(line: string) {
      target.write(`<${PRIORITIES[this.lastLevel] ?? 6}>${line}`)
    },
  } as DestinationStream & { lastLevel: number }
}

const DEEPEST = 4 // fields inside fields; what lies deeper is left out

type LogFields = Record<string, unknown>

function cleanFields(fields: LogFields, secrets: ReadonlySet<string>, depth: number): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const isSecret = secrets.has(key.toLowerCase()) && value !== undefined
      return [key, isSecret ? '********' : cleanValue(value, secrets, depth)]
    }),
  )
}

function cleanValue(value: unknown, secrets: ReadonlySet<string>, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isSentences(value)) return inEnglish(value)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (depth === DEEPEST) return '…'
  if (value instanceof Error) return describeError(value, depth)
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, secrets, depth + 1))
  if (value instanceof Date || value instanceof URL) return value
  return cleanFields(value as LogFields, secrets, depth + 1)
}

/** Our own errors say all in their message and hint; of foreign ones the stack is wanted. */
function describeError(error: Error, depth: number): LogFields {
  const { message, cause, stack } = error
  const code = 'code' in error ? { code: error.code } : {}
  const detail = 'detail' in error && error.detail !== '' ? { detail: error.detail } : {}
  const rest = 'hint' in error ? { ...detail, hint: error.hint } : { stack }
  const why = cause instanceof Error && depth < DEEPEST ? describeError(cause, depth + 1) : cause
  const because = typeof why === 'object' || typeof why === 'string' ? { cause: why } : {}
  return { ...code, message, ...rest, ...because }
}

const WINDOW_MS = 60_000
const MOST_LINES = 60 // of one kind in a minute; a person reads fewer
const MOST_KINDS = 500

/** Fields that tell one kind of line from another beside its event. */
const KIND_FIELDS = ['source', 'where', 'printer', 'code'] as const

interface MessageCount {
  lines: number
  leftOut: number
}

/**
 * Budget of lines of one kind in the log: whoever can cause a line by sending something would else fill the journal, and
 * push out what tells of them. Lines of a job are not counted: each is told once.
 */
export class LineBudget {
  readonly #now: () => number
  #begin = Number.NEGATIVE_INFINITY
  #kinds = new Map<string, MessageCount>()
  #before: ReadonlyMap<string, MessageCount> = new Map()

  /** @param now milliseconds, never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts the lines of this kind that were left out since the last that was written; undefined = leave this one out too. */
  take(fields: Readonly<Record<string, unknown>>, event: string): number | undefined {
    if ('job' in fields) return 0
    this.#renew()
    const name = JSON.stringify([event, ...KIND_FIELDS.map((field) => fields[field])])
    const key = this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : ''
    const kind = this.#kinds.get(key) ?? { lines: 0, leftOut: this.#before.get(key)?.leftOut ?? 0 }
    this.#kinds.set(key, kind)
    kind.lines += 1
    if (kind.lines > MOST_LINES) {
      kind.leftOut += 1
      return undefined
    }
    const { leftOut } = kind
    kind.leftOut = 0
    return leftOut
  }

  #renew(): void {
    const now = this.#now()
    if (now - this.#begin < WINDOW_MS) return
    this.#begin = now
    this.#before = this.#kinds
    this.#kinds = new Map()
  }
}

const MOST_BYTES = 5_000_000 // some 25,000 lines
const KEPT = 3 // older files: FILE.1 is the newest of them

/** A log file where no journal keeps the lines: it is renamed when it is full, and the oldest goes. */
export class LogFile {
  readonly file: string
  readonly #mostBytes: number
  #bytes: number

  /** `file` is absolute; its folder is made. */
  constructor(file: string, mostBytes = MOST_BYTES) {
    this.file = file
    this.#mostBytes = mostBytes
    this.#bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Appends a line. A disk that takes none must not end a print server, so the line is lost then. */
  write(line: string): void {
    try {
      if (this.#bytes >= this.#mostBytes) this.#rotate()
      this.#bytes += Buffer.byteLength(line)
      this.#append(line)
    } catch {
      // Nobody could be told: this is where it would be told.
    }
  }

  #append(line: string): void {
    try {
      appendFileSync(this.file, line, { mode: 0o600 })
    } catch {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
      appendFileSync(this.file, line, { mode: 0o600 })
    }
  }

  #rotate(): void {
    for (let age = KEPT; age > 0; age -= 1) {
      const from = age === 1 ? this.file : `${this.file}.${age - 1}`
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${this.file}.${age}`)
    }
    this.#bytes = 0
  }
}
