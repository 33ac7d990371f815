import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import * as moves from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { newJob } from '../labels.ts'
import { damagePage } from './damage.ts'

const MB = 2 ** 20

/** Mounts a file system of 6 MB; false where this user may not. */
function mount(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false // no root, or no mount in this container: the test is skipped
  }
}

/** Outside tap's own folders, which it removes before a test's teardown. */
function makeMountPoint(): string {
  return mkdtempSync(join(tmpdir(), 'platen-disk-'))
}

function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
}

const probe = makeMountPoint()
const canMount = process.platform === 'linux' && mount(probe)
if (canMount) unmount(probe)
rmdirSync(probe)
const skip = canMount ? false : 'needs root to mount a small file system'

function open(
  t: Test,
  settings: { minFreeBytes: number; ballastBytes: number },
): {
  spool: Spool
  folder: string
} {
  const folder = makeMountPoint()
  mount(folder)
  const spool = new Spool({ folder, quotaBytes: 256 * MB, ...settings })
  t.teardown(() => {
    spool.close()
    unmount(folder)
    rmdirSync(folder)
  })
  return { spool, folder }
}

/** Takes labels until the spool refuses one; gives the ids taken. */
function fill(t: Test, spool: Spool, bytes = 20_000): readonly string[] {
  const ids: string[] = []
  const addAll = (): void => {
    for (;;) ids.push(...spool.add([newJob(ids.length, { bytes })]).jobs.map((job) => job.id))
  }
  t.throws(addAll, { code: 'SPOOL_FULL' })
  return ids
}

function print(spool: Spool, id: string): void {
  const outcome = { at: 5, sentBytes: 10, confirmed: false, notes: [] }
  spool.move(id, (job) => moves.begin(job, 4, NOTHING), { totalBytes: 10 })
  spool.move(id, (job) => moves.complete(job, outcome))
}

t.test('a full file system: the ballast goes, and what waits still prints', { skip }, (t) => {
  const { spool, folder } = open(t, { minFreeBytes: 0, ballastBytes: MB })
  spool.housekeep()
  t.ok(existsSync(join(folder, '.ballast')))
  const ids = fill(t, spool)
  t.ok(ids.length > 50, `${ids.length} labels of 20 KB in 6 MB`)
  for (const id of ids) print(spool, id)
  t.match(spool.history.counts(), { completed: ids.length, pending: 0 })
  t.end()
})

t.test(
  'somebody else fills the file system: jobs end, labels wait outside, then all goes on',
  { skip },
  (t) => {
    const { spool, folder } = open(t, { minFreeBytes: MB / 2, ballastBytes: MB })
    spool.housekeep()
    const ids = ['a', 'b', 'c'].flatMap((mark) =>
      spool.add([newJob(mark, { bytes: 20_000 })]).jobs.map((job) => job.id),
    )
    const hog = join(folder, 'hog')
    t.throws(() => writeFileSync(hog, new Uint8Array(8 * MB)), { code: 'ENOSPC' })
    t.throws(() => spool.add([newJob('d')]), { code: 'SPOOL_FULL' })
    for (const id of ids) print(spool, id)
    t.match(spool.history.counts(), { completed: 3, pending: 0 })
    rmSync(hog)
    t.equal(spool.add([newJob('d')]).jobs.length, 1, 'without a restart')
    spool.housekeep()
    t.ok(existsSync(join(folder, '.ballast')), 'and the ballast is back')
    spool.health.check()
    t.end()
  },
)

t.test('without ballast a full file system is told as such, and heals', { skip }, (t) => {
  const { spool, folder } = open(t, { minFreeBytes: 0, ballastBytes: 0 })
  const [id] = spool.add([newJob('a', { bytes: 20_000 })]).jobs.map((job) => job.id)
  const hog = join(folder, 'hog')
  t.throws(() => writeFileSync(hog, new Uint8Array(8 * MB)), { code: 'ENOSPC' })
  const jam = (): void => {
    for (;;) {
      spool.health.check()
      spool.move(
        id ?? '',
        moves.postpone({ message: quoteEnglish('x'.repeat(9000)), hint: NOTHING, code: '' }),
      )
    }
  }
  t.throws(jam, { code: /^SPOOL_/ })
  t.equal(spool.history.get(id ?? '')?.state, 'pending')
  rmSync(hog)
  print(spool, id ?? '')
  t.equal(spool.history.get(id ?? '')?.state, 'completed')
  t.end()
})

t.test('opens on a full file system by giving up the ballast', { skip }, (t) => {
  const { spool, folder } = open(t, { minFreeBytes: 0, ballastBytes: MB })
  spool.add([newJob('a')])
  spool.housekeep()
  spool.close()
  t.throws(() => writeFileSync(join(folder, 'hog'), new Uint8Array(8 * MB)), { code: 'ENOSPC' })
  const again = new Spool({ folder, minFreeBytes: 0, ballastBytes: MB })
  t.equal(again.history.list({ limit: 9 }).length, 1)
  again.close()
  t.end()
})

t.test(
  'a damaged spool on a full file system stays as it is until there is room',
  { skip },
  (t) => {
    const { spool, folder } = open(t, { minFreeBytes: 0, ballastBytes: 0 })
    for (let n = 0; n < 60; n += 1) spool.add([newJob(n, { bytes: 20_000 })])
    spool.close()
    damagePage(join(folder, 'spool.db'), 'job', -1)
    const hog = join(folder, 'hog')
    t.throws(() => writeFileSync(hog, new Uint8Array(8 * MB)), { code: 'ENOSPC' })
    t.throws(() => new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 }), { code: 'SPOOL_FULL' })
    rmSync(hog)
    const again = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
    t.match(again.notices, [/was damaged/])
    const jobs = again.history.list({ limit: 99 })
    t.ok(jobs.length > 30, `${jobs.length} of 60`)
    t.ok(jobs.every(({ id }) => again.history.label(id) !== undefined))
    again.close()
    t.end()
  },
)

t.test('a first start on a full disk is no damage at the next one', { skip }, (t) => {
  const folder = makeMountPoint()
  mount(folder)
  t.teardown(() => {
    unmount(folder)
    rmdirSync(folder)
  })
  const settings = { folder, quotaBytes: 256 * MB, minFreeBytes: 0, ballastBytes: 0 }
  const rest = join(folder, 'rest')
  t.throws(() => writeFileSync(rest, Buffer.alloc(8 * MB)), { code: 'ENOSPC' })
  t.throws(() => new Spool(settings), { code: 'SPOOL_FULL' })
  rmSync(rest)
  const spool = new Spool(settings)
  t.same(spool.notices, [])
  spool.close()
  t.end()
})
