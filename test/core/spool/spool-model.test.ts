import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Change, JobState } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { tries } from '../../random.ts'
import { newJob } from '../labels.ts'

t.setTimeout(300_000)

/** The expected content of the spool: states by id, in order of acceptance. */
interface Model {
  readonly states: Map<string, JobState>
  readonly keys: Map<number, readonly string[]>
}

interface Real {
  readonly folder: string
  spool: Spool
}

const outcome = { at: 5, sentBytes: 10, confirmed: false, notes: [] }

function open(folder: string): Spool {
  return new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
}

function firstIn(model: Model, state: JobState): string | undefined {
  return [...model.states].find(([, known]) => known === state)?.[0]
}

/** A step on both sides; gives a word on what differs, or ''. */
type Step = (model: Model, real: Real) => string

function addStep(labels: number, key: number): Step {
  return (model, { spool }) => {
    const wanted = model.keys.get(key)
    const jobs = Array.from({ length: labels }, (_, index) => newJob(index))
    // The fingerprint is the key alone here: every request of one key counts as the same.
    const added = spool.add(jobs, { key: `http:${key}`, fingerprint: 'same' })
    const ids = added.jobs.map((job) => job.id)
    if (added.repeated !== (wanted !== undefined)) return 'repeated'
    if (wanted !== undefined) return wanted.join() === ids.join() ? '' : 'another answer'
    model.keys.set(key, ids)
    for (const id of ids) model.states.set(id, 'pending')
    return ids.length === labels ? '' : 'a label is missing'
  }
}

function moveStep(
  from: JobState,
  to: JobState,
  change: (job: Parameters<typeof moves.release>[0]) => Change,
): Step {
  return (model, { spool }) => {
    const id = firstIn(model, from)
    if (id === undefined) return ''
    if (from === 'pending' && spool.line.next('Bench 1')?.job.id !== id) return 'not the oldest'
    model.states.set(id, to)
    return spool.move(id, change).state === to ? '' : `not ${to}`
  }
}

/** Restarts as after kill -9: jobs that had begun are held. */
function restartStep(model: Model, real: Real): string {
  real.spool.close()
  real.spool = open(real.folder)
  const held = real.spool.recover('hold').map((job) => job.id)
  const wanted = [...model.states].filter(([, state]) => state === 'processing').map(([id]) => id)
  for (const id of wanted) model.states.set(id, 'pending-held')
  return held.join() === wanted.join() ? '' : 'held others'
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(9)).map(([labels, key]) => addStep(labels, key)),
  fc.constantFrom<Step>(
    moveStep('pending', 'processing', (job) => moves.begin(job, 1, NOTHING)),
    moveStep('processing', 'completed', (job) => moves.complete(job, outcome)),
    moveStep('processing', 'pending-held', (job) => moves.interrupt(job, 1, 'hold')),
    moveStep('pending-held', 'pending', moves.release),
    moveStep('pending-held', 'completed', (job) => moves.resolve(job, true, 1)),
    moveStep('pending', 'canceled', (job) => moves.cancel(job, 1)),
    (_model, { spool }) => {
      spool.housekeep()
      return ''
    },
    restartStep,
  ),
)

function compare(model: Model, spool: Spool): string {
  const wanted = [...model.states].map(([id, state]) => `${id} ${state}`)
  const found = spool.history.list({ limit: 1000 }).map((job) => `${job.id} ${job.state}`)
  return wanted.join() === found.reverse().join() ? '' : 'other jobs'
}

t.test('the spool holds what a plain map would, whatever happens', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'platen-model-'))
      const real: Real = { folder, spool: open(folder) }
      const model: Model = { states: new Map(), keys: new Map() }
      try {
        const faults = steps.map((each) => each(model, real) || compare(model, real.spool))
        return faults.every((fault) => fault === '')
      } finally {
        real.spool.close()
        rmSync(folder, { recursive: true })
      }
    }),
    // On a disk that takes its time there are fewer runs.
    { numRuns: tries(150), interruptAfterTimeLimit: 120_000 },
  )
  t.end()
})
