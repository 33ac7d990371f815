import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { LogFlush } from '../../../src/core/spool/log-flush.ts'
import { Spool } from '../../../src/core/spool/spool.ts'

const CHILD = `${import.meta.dirname}/lost-flush-child.ts`
const isTraced = process.getuid?.() === 0 && spawnSync('strace', ['true']).status === 0

t.test(
  'a flush that fails is told to nobody as a success, and ends all writing',
  { skip: isTraced ? false : 'needs root and strace, which makes the flushes fail' },
  async (t) => {
    const folder = t.testdir()
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, folder])
    t.same(JSON.parse(stdout), {
      first: 'pending', // on disk before the disk failed
      second: 'SPOOL_BROKEN',
      told: 1, // nobody hears of a label that may be lost
      step: 'SPOOL_BROKEN', // so no printer begins
      write: 'SPOOL_BROKEN',
      answers: 'false', // only a new start knows what is there
      again: 'SPOOL_BROKEN', // a flush that succeeds now proves nothing
      known: 'SPOOL_BROKEN', // nor is the lost label the answer to its repeat
      list: 'SPOOL_BROKEN',
      events: 'SPOOL_BROKEN',
      close: 'SPOOL_BROKEN',
      log: true, // nothing of it was moved to the database
    })
    const spool = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
    t.equal(spool.line.unfinished('Bench 1')[0]?.state, 'pending', 'what was told is there')
    spool.close()
  },
)

t.test('a flush that cannot begin fails those that wait for it', async (t) => {
  const log = new LogFlush(`${t.testdir()}/nothing`)
  const { promise, resolve } = Promise.withResolvers<string>()
  log.add({ done: () => resolve('done'), fail: ({ code }) => resolve(code) })
  log.soon()
  t.equal(await promise, 'SPOOL_BROKEN')
  t.ok(log.isBroken)
  t.throws(() => log.check(), { code: 'SPOOL_BROKEN' })
  t.throws(() => log.now(), { code: 'SPOOL_BROKEN' })
  log.close()
})
