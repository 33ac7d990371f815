import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import * as moves from '../../../src/core/moves.ts'
import { PAGE_BYTES } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../../src/core/spool/types.ts'
import { newJob, zplLabel } from '../labels.ts'

const MB = 2 ** 20

function open(t: Test, folder: string, more: Partial<SpoolSettings> = {}): Spool {
  const spool = new Spool({ minFreeBytes: 0, ballastBytes: 0, ...more, folder })
  t.teardown(() => spool.close())
  return spool
}

function countContents(folder: string): number {
  const db = new DatabaseSync(join(folder, 'spool.db'))
  const row = db.prepare('SELECT count(*) AS rows FROM content').get()
  db.close()
  return Number(row?.['rows'])
}

function textOf(spool: Spool, id: string | undefined): string {
  return Buffer.from(spool.history.label(id ?? '') ?? []).toString()
}

t.test('a hundred copies of a large label write it once', (t) => {
  const folder = t.testdir()
  const spool = open(t, folder)
  const copy = newJob('large', { bytes: 2.5 * MB })
  const { jobs } = spool.add(Array.from({ length: 100 }, () => copy))
  t.equal(jobs.length, 100)
  t.ok(spool.health.usage().bytes < 3 * MB, `${spool.health.usage().bytes} bytes in use`)
  const written =
    statSync(join(folder, 'spool.db')).size + statSync(join(folder, 'spool.db-wal')).size
  t.ok(written < 8 * MB, `${written} bytes written`)
  for (const job of [jobs[0], jobs[99]])
    t.equal(spool.history.label(job?.id ?? '')?.length, 2.5 * MB)
  t.end()
})

/** More than the page that a label may have for itself. */
const LARGE = { bytes: 2 * PAGE_BYTES }

t.test('the same large label that comes again, is printed again or moved, too', (t) => {
  const folder = t.testdir()
  const spool = open(t, folder)
  const add = (printer: string) => spool.add([newJob(1, { ...LARGE, printer })]).jobs[0]?.id
  const ids = ['A', 'B', 'A'].map(add)
  spool.add([newJob(2, LARGE)])
  t.equal(new Set(ids.map((id) => textOf(spool, id))).size, 1)
  spool.close()
  t.equal(countContents(folder), 2)
  t.end()
})

t.test(
  'a label of one page shares its row with copies and with what is printed again only',
  (t) => {
    const folder = t.testdir()
    const spool = open(t, folder)
    const copy = newJob(1)
    const [first] = spool.add([copy, copy, newJob(1)]).jobs
    spool.add([newJob(1)])
    spool.add([{ ...newJob(1, { printer: 'B' }), reprintOf: first?.id ?? '' }])
    spool.add([{ ...newJob(2), reprintOf: first?.id ?? '' }])
    t.equal(spool.history.counts().pending, 6)
    spool.close()
    t.equal(countContents(folder), 4)
    t.end()
  },
)

t.test('it goes with the last job that has it, not before', (t) => {
  const folder = t.testdir()
  let run = 1000
  const clock = { now: () => run, uptimeMs: () => run, bootId: 'b', retentionHours: () => 1 }
  const spool = open(t, folder, clock)
  const copy = newJob(1)
  const [first, second] = spool.add([copy, copy]).jobs.map(({ id }) => id)
  spool.move(first ?? '', (job) => moves.cancel(job, run))
  run += 2 * 3600 * 1000
  spool.housekeep()
  t.notOk(spool.history.label(first ?? ''), 'the label of the first one is no longer kept')
  t.equal(textOf(spool, second), zplLabel(1).toString())
  spool.move(second ?? '', (job) => moves.cancel(job, run))
  run += 2 * 3600 * 1000
  spool.housekeep()
  t.notOk(spool.history.label(second ?? ''))
  spool.close()
  t.equal(countContents(folder), 0)
  t.end()
})

t.test('copies that were saved from a damaged spool still share', (t) => {
  const folder = t.testdir()
  const spool = open(t, folder)
  const copy = newJob('large', { bytes: MB })
  const ids = spool.add(Array.from({ length: 50 }, () => copy)).jobs.map(({ id }) => id)
  spool.close()
  const file = join(folder, 'spool.db')
  const db = new DatabaseSync(file)
  const page = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'preview'").get()
  db.close()
  const at = (Number(page?.['rootpage']) - 1) * PAGE_BYTES
  writeFileSync(file, readFileSync(file).fill(0xa5, at, at + PAGE_BYTES))
  const saved = open(t, folder)
  t.match(saved.notices, [
    /was damaged .* 50 jobs were read from it. All recovered labels are intact/,
  ])
  t.ok(ids.every((id) => saved.history.label(id)?.length === MB))
  saved.close()
  t.equal(countContents(folder), 1)
  t.end()
})
