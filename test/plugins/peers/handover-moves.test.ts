import t from 'tap'
import type { Job } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import { depart } from '../../../src/plugins/peers/handover-moves.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { JOB } from '../../core/labels.ts'

t.test('only what waits whole and is nowhere else leaves for another print server', (t) => {
  const held: Job = { ...JOB, state: 'pending-held', reasons: ['job-hold-until-specified'] }
  for (const job of [JOB, held]) {
    t.match(depart(job, 'A on b'), { state: 'pending-held', reasons: ['platen-moving'] })
  }
  const begun: Job = { ...JOB, ...moves.begin(JOB, 2, NOTHING) }
  for (const job of [
    begun,
    { ...JOB, ...depart(JOB, 'A on b') },
    { ...begun, ...moves.interrupt(begun, 5, 'hold') },
    { ...begun, ...moves.interrupt(begun, 5, 'reprint') },
    { ...JOB, ...moves.cancel(JOB, 3) },
  ]) {
    t.throws(() => depart(job, 'A on b'), { code: 'JOB_STATE' }, `${job.state} ${job.reasons}`)
  }
  t.end()
})
