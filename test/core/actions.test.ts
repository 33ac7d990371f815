import t from 'tap'
import { type Job, jobJson } from '../../src/core/job.ts'
import { join, quoteEnglish, say } from '../../src/words/say.ts'
import { JOB } from './labels.ts'

t.test('a label says what can be done about it', (t) => {
  const cut = ['platen-interrupted'] as const
  const roll = join(quoteEnglish('Too long.'), say('otherRoll'))
  for (const [change, actions] of [
    [{ state: 'pending' }, ['move', 'cancel']],
    [{ state: 'pending', reasons: cut }, ['resolve', 'cancel']],
    [{ state: 'pending-held' }, ['release', 'move', 'cancel']],
    [{ state: 'pending-held', reasons: cut }, ['resolve', 'cancel']],
    [{ state: 'pending-held', reasons: ['platen-moving'] }, ['release', 'cancel']],
    [{ state: 'pending-held', code: 'LABEL_CUT' }, ['cancel']],
    [{ state: 'pending-held', format: 'unknown' }, ['cancel']],
    [
      { state: 'pending-held', hint: say('chooseAndRelease', { printer: 'A' }) },
      ['release', 'move', 'cancel', 'choose-language'],
    ],
    [{ state: 'processing' }, ['cancel']],
    [{ state: 'processing-stopped', hint: say('rightRoll') }, ['cancel', 'calibrate']],
    [{ state: 'completed', message: roll }, ['reprint', 'calibrate']],
    [{ state: 'completed', format: 'start' }, []],
    [{ state: 'aborted' }, ['reprint']],
    [{ state: 'canceled', hasLabel: false }, []],
  ] as const satisfies readonly (readonly [Partial<Job>, readonly string[]])[]) {
    const job: Job = { ...JOB, hasLabel: true, ...change }
    t.strictSame(jobJson(job)['actions'], actions, JSON.stringify(change))
  }
  t.end()
})

t.test('an action is not guessed from words', (t) => {
  const message = quoteEnglish('Press "Calibrate".')
  t.strictSame(jobJson({ ...JOB, state: 'processing', message })['actions'], ['cancel'])
  t.end()
})
