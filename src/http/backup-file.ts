import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import * as v from 'valibot'
import { PlatenError } from '../errors.ts'
import { type JobLine, jobLine, type RepeatLine, repeatLine } from '../jobs/backup.ts'

// One JSON object a line: the head, settings, printers, certificates, jobs, requests, and the end, which holds the
// number of lines before it and the SHA-256 of their bytes. A file without its end is damaged.

/** The version of this format; a newer one is refused. */
export const FORMAT = 1
/** A label of the largest request in base64, and the fields beside it. */
const LINE_BYTES_MOST = 140 * 2 ** 20
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

/** What a backup holds beside jobs and requests. */
export interface Box {
  readonly config: Readonly<Record<string, unknown>>
  /** The memory of the printers that were found; '' = none. */
  readonly printers: string
  /** Key and certificate of the authority, PEM; '' = none. */
  readonly authority: string
}

/** The file line by line; `lines` are the jobs and requests. */
export function* writeBackup(
  box: Box,
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
export interface Checked {
  readonly box: Box
  /** Bytes of all labels, equal ones once, as the spool keeps them. */
  readonly labelBytes: number
}

/**
 * Reads the whole file and checks every line of it.
 * @throws PlatenError BACKUP_BROKEN
 */
export async function checkBackup(file: string): Promise<Checked> {
  const checker = new Checker()
  for await (const bytes of readLines(file)) checker.take(bytes)
  return checker.end()
}

/** What is known of a file after so many lines. */
class Checker {
  readonly #hash = createHash('sha256')
  #count = 0
  #isOver = false
  #labelBytes = 0
  readonly #labels = new Set<string>()
  #box: Partial<Box> = {}

  take(bytes: Buffer): void {
    this.#count += 1
    const seen = parseLine(bytes, this.#count)
    if (this.#isOver) throw broken(`line ${this.#count} stands behind the end`)
    if ((this.#count === 1) !== (seen.type === 'platen-backup')) {
      throw broken(`line ${this.#count} is not where it belongs`)
    }
    if (seen.type === 'end') this.#checkEnd(seen)
    else this.#hash.update(bytes).update('\n')
    this.#note(seen)
  }

  end(): Checked {
    if (!this.#isOver) throw broken('its end is missing')
    const { config: settings, printers: found = '', authority: pair = '' } = this.#box
    if (settings === undefined) throw broken('it holds no settings')
    return {
      box: { config: settings, printers: found, authority: pair },
      labelBytes: this.#labelBytes,
    }
  }

  #checkEnd({ lines, sha256 }: v.InferOutput<typeof end>): void {
    this.#isOver = true
    if (lines === this.#count - 1 && sha256 === this.#hash.digest('hex')) return
    throw broken('it was changed or cut')
  }

  #noteLabel(label: string): void {
    const digest = createHash('sha256').update(label).digest('base64')
    if (this.#labels.has(digest)) return
    this.#labels.add(digest)
    this.#labelBytes += Buffer.byteLength(label, 'base64')
  }

  #note(seen: v.InferOutput<typeof line>): void {
    if (seen.type === 'config') this.#box = { ...this.#box, config: seen.value }
    if (seen.type === 'printers') this.#box = { ...this.#box, printers: seen.text }
    if (seen.type === 'authority') this.#box = { ...this.#box, authority: seen.text }
    if (seen.type === 'job') this.#noteLabel(seen.label)
    if (seen.type === 'platen-backup' && seen.format !== FORMAT) {
      throw broken(`it has the format ${seen.format} of version ${seen.version}, wanted ${FORMAT}`)
    }
  }
}

/** Jobs and requests of a file that was checked. */
export async function* readJobs(file: string): AsyncGenerator<JobLine | RepeatLine> {
  let count = 0
  for await (const bytes of readLines(file)) {
    count += 1
    const seen = parseLine(bytes, count)
    if (seen.type === 'job' || seen.type === 'repeat') yield seen
  }
}

function parseLine(bytes: Buffer, count: number): v.InferOutput<typeof line> {
  try {
    const result = v.safeParse(line, JSON.parse(bytes.toString()))
    if (result.success) return result.output
  } catch {
    // Told below; what stands there may be a secret.
  }
  throw broken(`line ${count} is no line of a backup`)
}

function broken(why: string): PlatenError {
  return new PlatenError('BACKUP_BROKEN', `The backup was not restored: ${why}.`)
}

/** Lines without their end; the last one needs none. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  const stream = createReadStream(file, { highWaterMark: 256 * 1024 })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)])
      ;[parts, length, from] = [[], 0, at + 1]
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LINE_BYTES_MOST) throw broken(`a line has more than ${LINE_BYTES_MOST} bytes`)
  }
  if (length > 0) yield Buffer.concat(parts)
}
