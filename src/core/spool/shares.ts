import { hash } from 'node:crypto'
import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'
import { bytesOf, crcOf, type JobRow, numberOf, textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import { JOB_BYTES, PAGE_BYTES, roomOf } from './schema.ts'
import type { Load, SpoolTally } from './tally.ts'
import type { NewJob, ShareLimits } from './types.ts'

/** Limits of shares: a printer that is off, or a sender that never stops, must leave room for the others. */
export const SHARES: ShareLimits = {
  jobs: 100_000,
  printerJobs: 50_000,
  senderJobs: 50_000,
  part: 1 / 2,
}

/** The owner of a share. */
export type Holder =
  | { readonly of: 'all' }
  | { readonly of: 'printer' | 'sender'; readonly name: string }

/** A share, and its use. */
export interface Share {
  readonly holder: Holder
  readonly load: Load
  readonly most: Load
}

/** The shares of one spool. */
export class Shares {
  readonly #tally: SpoolTally
  readonly #limits: ShareLimits
  readonly #bytes: number

  /** `bytes`: limit for the labels that wait in the whole spool. */
  constructor(tally: SpoolTally, bytes: number, limits: Partial<ShareLimits> = {}) {
    this.#tally = tally
    this.#bytes = bytes
    this.#limits = { ...SHARES, ...limits }
  }

  /** Returns the share of one holder as it is now. */
  of(holder: Holder): Share {
    const { jobs, printerJobs, senderJobs, part } = this.#limits
    if (holder.of === 'all') {
      return { holder, load: this.#tally.whole, most: { jobs, bytes: this.#bytes } }
    }
    const isPrinter = holder.of === 'printer'
    const loads = isPrinter ? this.#tally.printers : this.#tally.senders
    return {
      holder,
      load: loads.get(holder.name) ?? { jobs: 0, bytes: 0 },
      most: { jobs: isPrinter ? printerJobs : senderJobs, bytes: this.#bytes * part },
    }
  }

  /**
   * Refuses labels that would take the room of others. The owner of the box (no sender) is held to the whole spool alone. `relief`: load
   * that ends in the same transaction.
   * @throws PlatenError SPOOL_FULL
   */
  check(costs: readonly Cost[], relief?: Cost): void {
    for (const { printer, sender, ...more } of costs) {
      refuseAbove(this.of({ of: 'all' }), more, relief)
      if (sender === '') continue
      const same = (key: 'printer' | 'sender', name: string) =>
        relief?.[key] === name ? relief : undefined
      refuseAbove(this.of({ of: 'printer', name: printer }), more, same('printer', printer))
      refuseAbove(this.of({ of: 'sender', name: sender }), more, same('sender', sender))
    }
  }
}

/**
 * Refuses a load above a share. A holder of nothing may always send one request: the quota of a small disk must not shut out a large label.
 */
function refuseAbove(share: Share, more: Load, relief: Load = { jobs: 0, bytes: 0 }): void {
  const { load, most } = share
  const jobs = load.jobs - relief.jobs + more.jobs
  const bytes = load.bytes - relief.bytes + more.bytes
  const isFirst = load.jobs - relief.jobs === 0 && share.holder.of !== 'all'
  if (jobs <= most.jobs && (bytes <= most.bytes || isFirst || share.holder.of === 'all')) return
  const detail = `${describe(share)}; ${count(more.jobs)} more would be too many.`
  throw new PlatenError('SPOOL_FULL', explainFull(share), { hint: hintOf(share.holder), detail })
}

function explainFull({ holder, load: { jobs: n } }: Share): Sentences {
  if (holder.of === 'all') return say('allFull', { n })
  return say(holder.of === 'printer' ? 'printerFull' : 'senderFull', { n, name: holder.name })
}

/** Describes a share: whose labels wait, how many, and how many may. */
function describe({ holder, load, most }: Share): string {
  const seen = `${count(load.jobs)} (${megabytes(load.bytes)})`
  const wanted = `of at most ${most.jobs} (${megabytes(most.bytes)})`
  if (holder.of === 'all') return `${seen} wait in the print server, ${wanted}`
  const whose = holder.of === 'printer' ? `wait for ${holder.name}` : `from ${holder.name} wait`
  return `${seen} ${whose}, ${wanted}`
}

/** Returns the hint for the holder of a full share. */
function hintOf(holder: Holder): Sentences {
  if (holder.of === 'printer') return say('emptyPrinter')
  return say(holder.of === 'sender' ? 'emptySender' : 'emptyAll')
}

function count(jobs: number): string {
  return jobs === 1 ? '1 label' : `${jobs} labels`
}

/** Formats bytes for people: MB with two digits. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`
}

const NOTHING = new Uint8Array(0)
/**
 * Size up to which a label is not compared with those of other requests: the index of hashes would write one more page for each new label.
 * Copies and reprints still share a row.
 */
const ALONE_BYTES = PAGE_BYTES
/** Bytes of a label that a statement may hold until the next one. */
const HELD_BYTES = 64 * 1024

/** The owners of the shares that a job uses. */
interface ShareOwner {
  readonly printer: string
  readonly sender: string
}

/** Load that jobs of one owner add. */
interface Cost extends ShareOwner, Load {}

/** A new job with its label. */
export interface PackedJob {
  readonly job: NewJob
  readonly sender: string
  /** SHA-256 of the label; empty = it is not compared with those of other requests. */
  readonly digest: Uint8Array
  /** The same for equal labels of the request. */
  readonly key: string
  /** The row of its label before the request; 0 = none. */
  readonly content: number
}

type PackedLabel = Omit<PackedJob, 'job' | 'sender'>

/** Prepares jobs for adding. Copies are the same object many times: each is looked up once. */
export function pack(db: SpoolDatabase, jobs: readonly NewJob[]): readonly PackedJob[] {
  const looks = new Map<Uint8Array, PackedLabel>()
  return jobs.map((job) => {
    const look = looks.get(job.label) ?? lookUp(db, job, looks.size)
    looks.set(job.label, look)
    return { job, sender: job.sender ?? job.source, ...look }
  })
}

function lookUp(db: SpoolDatabase, job: NewJob, place: number): PackedLabel {
  const isAlone = job.label.length <= ALONE_BYTES
  const digest = isAlone ? Buffer.alloc(0) : hash('sha256', job.label, 'buffer')
  const key = isAlone ? `${place}` : digest.toString('base64')
  return { digest, key, content: findContent(db, job, digest) }
}

/** Bytes on disk that these jobs need at most. */
export function bytesNeeded(jobs: readonly PackedJob[]): number {
  const seen = new Set<string>()
  let bytes = jobs.length * JOB_BYTES
  for (const { job, key, content } of jobs) {
    if (seen.has(key)) continue
    seen.add(key)
    if (content === 0) bytes += job.label.length + PAGE_BYTES
  }
  return bytes
}

/** Loads that the jobs add to the shares of their owners. */
export function costsOf(db: SpoolDatabase, jobs: readonly PackedJob[]): readonly Cost[] {
  const costs = new Map<string, Cost>()
  const seen = new Set<string>()
  for (const { job, sender, key, content } of jobs) {
    const owner = { printer: job.printer, sender }
    const name = JSON.stringify([job.printer, sender])
    const before = costs.get(name) ?? { ...owner, jobs: 0, bytes: 0 }
    const label = `${name}${key}`
    const isNew = !seen.has(label) && !isWaitedFor(db, content, owner)
    seen.add(label)
    const bytes = before.bytes + JOB_BYTES + (isNew ? roomOf(job.label.length) : 0)
    costs.set(name, { ...owner, jobs: before.jobs + 1, bytes })
  }
  return [...costs.values()]
}

/** The owner of a job, and the bytes that no longer wait once it has ended. */
export function releaseOf(
  db: SpoolDatabase,
  job: { readonly seq: number; readonly printer: string; readonly labelBytes: number },
): Cost {
  const row = db.read(() => db.sql.contentOf.get(job.seq))
  const owner = { printer: job.printer, sender: textOf(row, 'sender') }
  const content = numberOf(row, 'content')
  const isLast = content > 0 && countWaiting(db, content, owner) === 1
  return { ...owner, jobs: 1, bytes: JOB_BYTES + (isLast ? roomOf(job.labelBytes) : 0) }
}

/** Returns the row of this label, added if there is none; inside a transaction. `kept`: the rows of the request so far, by key. */
export function keepContent(
  db: SpoolDatabase,
  { job, digest, key }: PackedJob,
  kept: Map<string, number>,
): { readonly content: number; readonly wasKept: boolean } {
  const known = kept.get(key) ?? findContent(db, job, digest)
  const content = known > 0 ? known : addContent(db, job.label, digest)
  kept.set(key, content)
  return { content, wasKept: known > 0 }
}

function addContent(db: SpoolDatabase, label: Uint8Array, digest: Uint8Array): number {
  const crc = crcOf(label, digest)
  const content = Number(db.sql.addContent.run({ keep: 1, label, digest, crc }).lastInsertRowid)
  // The statement holds a copy of what it was last given, which for a photo is megabytes.
  if (label.length > HELD_BYTES) db.sql.addContent.run({ keep: 0, label: NOTHING, digest: NOTHING })
  return content
}

/** True when a job of this owner with this label has not ended. */
export function isWaitedFor(db: SpoolDatabase, content: number, owner: ShareOwner): boolean {
  return content > 0 && countWaiting(db, content, owner) > 0
}

/** Counts waiting jobs with a label: 0, 1, or 2 for more than one. */
function countWaiting(db: SpoolDatabase, content: number, { printer, sender }: ShareOwner): number {
  return db.read(() => db.sql.waitingContent.all({ content, printer, sender })).length
}

/** Finds the row of a label; 0 when there is none. */
function findContent(db: SpoolDatabase, { label, reprintOf }: NewJob, digest: Uint8Array): number {
  const find = () => {
    // A row that the disk has changed is lost: the same label may be here because it is sent again.
    const isSame = (row: JobRow) => Buffer.compare(label, bytesOf(row, 'label') ?? NOTHING) === 0
    if (digest.length > 0) return db.sql.findContent.all(digest).find(isSame)
    return reprintOf === undefined ? undefined : db.sql.sameContent.get({ id: reprintOf, label })
  }
  return numberOf(db.read(find), 'id')
}

/** Requests that may wait for a commit. */
interface LineBounds {
  readonly ofOwner: number
  readonly all: number
}

/** Requests that wait for a commit: those of each client in their order, and the clients take turns. */
export class IntakeLine<T> {
  readonly #bounds: LineBounds
  /** Clients in the order of their turns. */
  readonly #owners = new Map<string, T[]>()
  #size = 0

  constructor(bounds: LineBounds) {
    this.#bounds = bounds
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#size
  }

  /** Adds a request; returns the one that has to go for want of room: one of the client that has the most, perhaps the new one. */
  add(owner: string, item: T): T | undefined {
    const own = this.#owners.get(owner)
    if (own !== undefined && own.length >= this.#bounds.ofOwner) return item
    if (own === undefined) this.#owners.set(owner, [item])
    else own.push(item)
    this.#size += 1
    return this.#size > this.#bounds.all ? this.#dropOfLargest() : undefined
  }

  /** Removes the first request of the client whose turn it is. */
  next(): T | undefined {
    const [first] = this.#owners
    if (first === undefined) return undefined
    const [owner, items] = first
    this.#owners.delete(owner)
    const item = items.shift()
    // To the end, behind all other clients.
    if (items.length > 0) this.#owners.set(owner, items)
    this.#size -= 1
    return item
  }

  #dropOfLargest(): T | undefined {
    const [largest] = [...this.#owners].sort(([, a], [, b]) => b.length - a.length)
    if (largest === undefined) return undefined
    const [owner, items] = largest
    this.#size -= 1
    const dropped = items.pop()
    if (items.length === 0) this.#owners.delete(owner)
    return dropped
  }
}
