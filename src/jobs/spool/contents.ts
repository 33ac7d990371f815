import { hash } from 'node:crypto'
import { numberOf, textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import { JOB_BYTES, PAGE_BYTES, roomOf } from './schema.ts'
import type { Load } from './tally.ts'
import type { NewJob } from './types.ts'

/** Labels as they are stored: equal ones once, whoever sent them. */
const NOTHING = new Uint8Array(0)

/** Whose share of the spool it takes. */
export interface Owner {
  readonly printer: string
  readonly sender: string
}

/** What jobs of one owner add to what waits. */
export interface Cost extends Owner, Load {}

/** A job to be and what its label is known by. */
export interface Packed {
  readonly job: NewJob
  readonly sender: string
  readonly digest: Uint8Array
}

/** Copies are the same object many times: each is looked at once. */
export function pack(jobs: readonly NewJob[]): readonly Packed[] {
  const digests = new Map<Uint8Array, Uint8Array>()
  return jobs.map((job) => {
    const digest = digests.get(job.label) ?? hash('sha256', job.label, 'buffer')
    digests.set(job.label, digest)
    return { job, sender: job.sender ?? job.source, digest }
  })
}

/** Bytes on disk that these jobs need at most. */
export function bytesNeeded(db: SpoolDatabase, jobs: readonly Packed[]): number {
  const seen = new Set<string>()
  let bytes = jobs.length * JOB_BYTES
  for (const { job, digest } of jobs) {
    const key = keyOf(digest)
    if (seen.has(key)) continue
    seen.add(key)
    if (findContent(db, digest) === 0) bytes += job.label.length + PAGE_BYTES
  }
  return bytes
}

/** What the jobs add to the shares of their owners. */
export function costsOf(db: SpoolDatabase, jobs: readonly Packed[]): readonly Cost[] {
  const costs = new Map<string, Cost>()
  const seen = new Set<string>()
  for (const { job, sender, digest } of jobs) {
    const owner = { printer: job.printer, sender }
    const key = JSON.stringify([job.printer, sender])
    const before = costs.get(key) ?? { ...owner, jobs: 0, bytes: 0 }
    const label = `${key}${keyOf(digest)}`
    const isNew = !seen.has(label) && !isWaitedFor(db, findContent(db, digest), owner)
    seen.add(label)
    const bytes = before.bytes + JOB_BYTES + (isNew ? roomOf(job.label.length) : 0)
    costs.set(key, { ...owner, jobs: before.jobs + 1, bytes })
  }
  return [...costs.values()]
}

/** Whose job it is, and the bytes that no longer wait once it has ended. */
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

/** The row of this label, which is added when there is none; inside a transaction. */
export function keepContent(db: SpoolDatabase, label: Uint8Array, digest: Uint8Array): number {
  const known = findContent(db, digest)
  if (known > 0) return known
  const id = Number(db.sql.addContent.run({ keep: 1, label, digest }).lastInsertRowid)
  // The statement holds a copy of what it was last given, which for a photo is megabytes.
  db.sql.addContent.run({ keep: 0, label: NOTHING, digest: NOTHING })
  return id
}

/** True when a job of this owner with this label has not ended. */
export function isWaitedFor(db: SpoolDatabase, content: number, owner: Owner): boolean {
  return content > 0 && countWaiting(db, content, owner) > 0
}

/** 0, 1, or 2 for more than one. */
function countWaiting(db: SpoolDatabase, content: number, { printer, sender }: Owner): number {
  return db.read(() => db.sql.waitingContent.all({ content, printer, sender })).length
}

/** 0 when there is none. */
function findContent(db: SpoolDatabase, digest: Uint8Array): number {
  return numberOf(
    db.read(() => db.sql.findContent.get(digest)),
    'id',
  )
}

function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('base64')
}
