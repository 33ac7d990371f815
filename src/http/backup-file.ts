import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setImmediate as othersTurn } from 'node:timers/promises'
import * as v from 'valibot'
import { parseJson } from '../core/request/bounded-json.ts'
import {
  JOB_BYTES,
  type JobLine,
  jobLine,
  type RepeatLine,
  repeatLine,
} from '../core/spool/backup.ts'
import { SHARES } from '../core/spool/shares.ts'
import { PlatenError } from '../words/errors.ts'
import { say } from '../words/say.ts'

// One JSON object a line: the head, settings, printers, certificates, jobs, requests, and the end, which holds the
// number of lines before it and the SHA-256 of their bytes. A file without its end is damaged.

/** The version of this format; a newer one is refused. */
const FORMAT = 1
/** The fields beside a label. */
const FIELD_BYTES = 2 ** 20
/** The limits of the settings, the line with the most. */
const SHAPE = { jsonDepth: 32, jsonValues: 100_000 } as const
/** Requests that may come again: one each second for 7 days are 604,800. */
const REPEATS_MOST = 1_000_000
const LINES_A_TURN = 64
const TEXT_MOST = 4 * 2 ** 20

const text = v.pipe(v.string(), v.maxLength(TEXT_MOST))

const head = v.object({
  type: v.literal('platen-backup'),
  format: v.number(),
  version: v.pipe(v.string(), v.maxLength(100)),
  made: v.pipe(v.string(), v.maxLength(100)),
})
const config = v.strictObject({
  type: v.literal('config'),
  value: v.record(v.string(), v.unknown()),
})
const printers = v.strictObject({ type: v.literal('printers'), text })
const authority = v.strictObject({ type: v.literal('authority'), text })
const end = v.strictObject({
  type: v.literal('end'),
  lines: v.number(),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
})
const line = v.variant('type', [head, config, printers, authority, jobLine, repeatLine, end])

/** The part of a backup that is not jobs or requests. */
export interface BoxBackup {
  readonly config: Readonly<Record<string, unknown>>
  /** The memory of the printers that were found; '' = none. */
  readonly printers: string
  /** Key and certificate of the authority, PEM; '' = none. */
  readonly authority: string
}

/** The file line by line; `lines` are the jobs and requests. */
export function* writeBackup(
  box: BoxBackup,
  about: { readonly version: string; readonly made: string },
  lines: Iterable<JobLine | RepeatLine>,
): Generator<string> {
  const hash = createHash('sha256')
  let count = 0
  const write = (value: object): string => {
    const written = `${JSON.stringify(value)}\n`
    hash.update(written)
    count += 1
    return written
  }
  yield write({ type: 'platen-backup', format: FORMAT, ...about })
  yield write({ type: 'config', value: box.config })
  if (box.printers !== '') yield write({ type: 'printers', text: box.printers })
  if (box.authority !== '') yield write({ type: 'authority', text: box.authority })
  for (const one of lines) yield write(one)
  yield `${JSON.stringify({ type: 'end', lines: count, sha256: hash.digest('hex') })}\n`
}

/** A checked backup. */
export interface CheckedBackup {
  readonly box: BoxBackup
  /** The bytes that all jobs take on the disk, at least; equal labels once, as the spool keeps them. */
  readonly jobBytes: number
}

/** Bytes of the longest line that is read: the label of a request with the largest body, in base64. */
export function longestLine(bodyBytes: number): number {
  return Math.ceil((bodyBytes * 4) / 3) + FIELD_BYTES
}

/**
 * Reads the whole file and checks every line of it.
 * @throws PlatenError BACKUP_BROKEN
 */
export async function checkBackup(file: string, lineBytes: number): Promise<CheckedBackup> {
  const checker = new Checker()
  for await (const bytes of readLines(file, lineBytes)) checker.take(bytes)
  return checker.end()
}

/** State of the check after each line of a file. */
class Checker {
  readonly #hash = createHash('sha256')
  #count = 0
  #isOver = false
  #jobs = 0
  #jobBytes = 0
  readonly #labels = new Set<string>()
  #repeats = 0
  #box: Partial<BoxBackup> = {}

  take(bytes: Buffer): void {
    this.#count += 1
    const seen = parseLine(bytes, this.#count)
    if (this.#isOver) throw broken(`line ${this.#count} comes after the end`)
    if ((this.#count === 1) !== (seen.type === 'platen-backup')) {
      throw broken(`line ${this.#count} is not where it belongs`)
    }
    if (seen.type === 'end') this.#checkEnd(seen)
    else this.#hash.update(bytes).update('\n')
    this.#note(seen)
  }

  end(): CheckedBackup {
    if (!this.#isOver) throw broken('its end is missing')
    const { config: settings, printers: found = '', authority: pair = '' } = this.#box
    if (settings === undefined) throw broken('it holds no settings')
    return {
      box: { config: settings, printers: found, authority: pair },
      jobBytes: this.#jobBytes,
    }
  }

  #checkEnd({ lines, sha256 }: v.InferOutput<typeof end>): void {
    this.#isOver = true
    if (lines === this.#count - 1 && sha256 === this.#hash.digest('hex')) return
    throw broken('it was changed or cut')
  }

  #noteJob({ label }: JobLine): void {
    this.#jobs += 1
    if (this.#jobs > SHARES.jobs) throw broken(`it has more than ${SHARES.jobs} labels`)
    this.#jobBytes += JOB_BYTES
    const digest = createHash('sha256').update(label).digest('base64')
    if (this.#labels.has(digest)) return
    this.#labels.add(digest)
    this.#jobBytes += Buffer.byteLength(label, 'base64')
  }

  #noteBox<K extends keyof BoxBackup>(key: K, value: BoxBackup[K]): void {
    if (this.#box[key] !== undefined) throw broken(`it holds the ${key} twice`)
    this.#box = { ...this.#box, [key]: value }
  }

  #note(seen: v.InferOutput<typeof line>): void {
    if (seen.type === 'config') this.#noteBox('config', seen.value)
    if (seen.type === 'printers') this.#noteBox('printers', seen.text)
    if (seen.type === 'authority') this.#noteBox('authority', seen.text)
    if (seen.type === 'job') this.#noteJob(seen)
    if (seen.type === 'repeat') this.#repeats += 1
    if (this.#repeats > REPEATS_MOST) throw broken(`it has more than ${REPEATS_MOST} requests`)
    if (seen.type === 'platen-backup' && seen.format !== FORMAT) {
      throw broken(`it has the format ${seen.format} of version ${seen.version}, wanted ${FORMAT}`)
    }
  }
}

/** Jobs and requests of a file that was checked. */
export async function* readJobs(
  file: string,
  lineBytes: number,
): AsyncGenerator<JobLine | RepeatLine> {
  let count = 0
  for await (const bytes of readLines(file, lineBytes)) {
    count += 1
    const seen = parseLine(bytes, count)
    if (seen.type === 'job' || seen.type === 'repeat') yield seen
  }
}

function parseLine(bytes: Buffer, count: number): v.InferOutput<typeof line> {
  try {
    const result = v.safeParse(line, parseJson(bytes.toString(), SHAPE))
    if (result.success) return result.output
  } catch {
    // Reported below without its content, which may be a secret.
  }
  throw broken(`line ${count} is not a line of a backup`)
}

function broken(why: string): PlatenError {
  return new PlatenError('BACKUP_BROKEN', say('notRestored'), { detail: sentence(why) })
}

function sentence(why: string): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`
}

/** Lines without their end; the last one needs none. */
async function* readLines(file: string, lineBytes: number): AsyncGenerator<Buffer> {
  let count = 0
  let parts: Buffer[] = []
  let length = 0
  const stream = createReadStream(file, { highWaterMark: 256 * 1024 })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)])
      ;[parts, length, from] = [[], 0, at + 1]
      count += 1
      if (count % LINES_A_TURN === 0) await othersTurn() // a piece of the file may hold thousands
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > lineBytes) {
      throw broken(`a line has more than ${lineBytes} bytes, which the setting max_body_mb allows`)
    }
  }
  if (length > 0) yield Buffer.concat(parts)
}
