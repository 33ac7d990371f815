import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { SourceIntake } from '../../../src/plugins/source/source.ts'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { makeLabel, marksOf, plain } from '../../conformance/source.ts'
import { poll } from '../../until.ts'
import { FauxqsDaemon } from './fauxqs-daemon.ts'
import { pull } from './intake-bench.ts'

t.setTimeout(300_000)

const HOLD_S = 2
const source = createSqs({ leaseSeconds: HOLD_S, settleMs: 100, pollSeconds: 1 })

/** Labels in a queue that gives a message up after three deliveries. */
async function makeQueue(t: Test, count: number) {
  const daemon = await FauxqsDaemon.start(t)
  const dead = await daemon.create('dead')
  const policy = {
    deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:000000000000:dead',
    maxReceiveCount: 3,
  }
  const RedrivePolicy = JSON.stringify(policy)
  const path = await daemon.create('labels', { RedrivePolicy, VisibilityTimeout: '30' })
  for (const mark of marksOf('R', count)) await daemon.put(path, plain(makeLabel(mark, 900)))
  const url = daemon.urlOf(path)
  const keys = { access_key_id: 'test', secret_access_key: 'test' }
  const waiting = (): Promise<number> => daemon.count(path)
  const given = (): Promise<number> => daemon.count(dead)
  return { settings: { region: 'eu-central-1', url, ...keys }, waiting, given }
}

/** A printer that stops whenever the queue has answered, for so long. */
function makeShy(stopMs: number): Pick<SourceIntake, 'isReady' | 'ready' | 'report'> {
  let isReady = true
  return {
    isReady: () => isReady,
    ready: async (signal) => {
      await sleep(stopMs, undefined, { signal })
      isReady = true
    },
    report: ({ kind }) => {
      if (kind === 'contact') isReady = false
    },
  }
}

for (const [name, count, stopMs] of [
  ['a printer that stops for a moment at every label', 3, 20],
  ['a printer that stops for longer than labels wait in hand', 1, HOLD_S * 1000 + 500],
] as const) {
  for (const ack of ['printed', 'spooled'] as const) {
    t.test(`${name} uses no label up (${ack})`, async (t) => {
      const { settings, waiting, given } = await makeQueue(t, count)
      const { bench } = pull(t, source, settings, { ack, ...makeShy(stopMs) })
      await poll('an empty queue', async () => (await waiting()) === 0)
      t.equal(await given(), 0, 'no dead letter')
      await poll('all labels', () => bench.spool.history.counts().completed === count)
    })
  }
}

t.test('a box that cannot take labels does not use them up', async (t) => {
  const { settings, waiting, given } = await makeQueue(t, 1)
  const full = new PlatenError('SPOOL_FULL', 'The spool is full.')
  let refusals = 0
  const refuse = (): Promise<never> => {
    refusals += 1
    return Promise.reject(full)
  }
  const first = pull(t, source, settings, { accept: refuse })
  t.equal(await first.ended, full)
  t.equal(refusals, 1, 'given back once')
  await t.test('but tries one that is about to be given up until it can', async (t) => {
    const messages = first.bench.intake.forSource('sqs')
    const { told } = pull(t, source, settings, {
      accept: (message) => (refusals < 3 ? refuse() : messages.accept(message)),
    })
    await poll('the label', () => first.bench.spool.history.counts().completed === 1)
    await poll('an empty queue', async () => (await waiting()) === 0)
    t.equal(await given(), 0, 'no dead letter')
    t.same(told('error'), [full.message, full.message])
  })
})
