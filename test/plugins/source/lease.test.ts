import t from 'tap'
import {
  keepLease,
  readyWhileLeased,
  readyWithin,
  settle,
} from '../../../src/plugins/source/source.ts'
import { poll } from '../../until.ts'
import { stayStopped } from './intake-bench.ts'

// A signal that aborts after a while holds up no end of the program.
const alive = setInterval(() => undefined, 1_000)
t.teardown(() => clearInterval(alive))

const LONG_MS = 600_000
const NEVER = new Promise<void>(() => undefined)
const quiet = (): AbortSignal => new AbortController().signal

/** A printer that is not ready until the test says so, or never. */
function makePrinter(isReady = false) {
  const state = { isReady, asked: 0 }
  const opened = Promise.withResolvers<void>()
  return {
    state,
    isReady: () => state.isReady,
    ready: (signal: AbortSignal): Promise<void> => {
      state.asked += 1
      return Promise.race([opened.promise, stayStopped(signal)])
    },
    open: (): void => {
      state.isReady = true
      opened.resolve()
    },
    fail: (error: Error): void => opened.reject(error),
  }
}

t.test('labels are waited for until they are out, or for a while after a stop', async (t) => {
  await settle(Promise.resolve(), LONG_MS, quiet())
  await settle(Promise.resolve(), LONG_MS, AbortSignal.abort())
  await settle(NEVER, 1, AbortSignal.abort())
  const stopping = new AbortController()
  let isOver = false
  const waiting = settle(NEVER, 1, stopping.signal).then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  t.notOk(isOver, 'there was no stop')
  stopping.abort()
  await waiting
  await t.rejects(settle(Promise.reject(new Error('broken')), LONG_MS, quiet()), /broken/)
})

t.test('a message is kept until its labels are out', async (t) => {
  let kept = 0
  const keep = (): Promise<boolean> => {
    kept += 1
    return Promise.resolve(true)
  }
  const lease = { everyMs: 1, settleMs: LONG_MS, keep }
  t.equal(await keepLease(Promise.resolve(), { ...lease, everyMs: LONG_MS }, quiet()), true)
  t.equal(kept, 0, 'what is out need not be kept')
  const out = Promise.withResolvers<void>()
  const held = keepLease(out.promise, lease, quiet())
  await poll('three times', () => kept >= 3)
  out.resolve()
  t.equal(await held, true)
  const before = kept
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
  t.equal(kept, before, 'and no longer')
  let left = 2
  const lose = (): Promise<boolean> => Promise.resolve(--left > 0)
  t.equal(await keepLease(NEVER, { ...lease, keep: lose }, quiet()), false, 'somebody else has it')
  t.equal(left, 0)
  const stopped = keepLease(NEVER, { ...lease, settleMs: 1 }, AbortSignal.abort())
  t.equal(await stopped, true, 'safe in the spool, it prints here after a stop')
})

t.test('the printer is waited for, but the other side is looked at now and then', async (t) => {
  const ready = makePrinter(true)
  t.equal(await readyWithin(ready, LONG_MS, quiet()), true)
  t.equal(ready.state.asked, 0)
  t.equal(await readyWithin(makePrinter(), 1, quiet()), false)
  const later = makePrinter()
  const waiting = readyWithin(later, LONG_MS, quiet())
  later.open()
  t.equal(await waiting, true)
  const stopping = new AbortController()
  const stopped = readyWithin(makePrinter(), LONG_MS, stopping.signal)
  stopping.abort(new Error('stopped'))
  await t.rejects(stopped, /stopped/)
  const broken = makePrinter()
  broken.fail(new Error('broken'))
  await t.rejects(readyWithin(broken, LONG_MS, quiet()), /broken/)
})

t.test('messages in hand wait for a printer that has just stopped', async (t) => {
  let kept = 0
  const keep = (): Promise<boolean> => {
    kept += 1
    return Promise.resolve(true)
  }
  const lease = { everyMs: 1, keep }
  t.equal(await readyWhileLeased(makePrinter(true), LONG_MS, lease, quiet()), true)
  t.equal(kept, 0)
  t.equal(await readyWhileLeased(makePrinter(), 1, lease, quiet()), false, 'the time is over')
  t.ok(kept > 0, 'they were ours from the beginning')
  const later = makePrinter()
  const waiting = readyWhileLeased(later, LONG_MS, lease, quiet())
  later.open()
  t.equal(await waiting, true)
  const lost = { ...lease, keep: () => Promise.resolve(false) }
  t.equal(
    await readyWhileLeased(makePrinter(), LONG_MS, lost, quiet()),
    false,
    'none is ours any more',
  )
  const stopping = new AbortController()
  const stopped = readyWhileLeased(makePrinter(), LONG_MS, lease, stopping.signal)
  stopping.abort()
  t.equal(await stopped, false)
  const broken = makePrinter()
  const failing = readyWhileLeased(broken, LONG_MS, lease, quiet())
  broken.fail(new Error('broken'))
  await t.rejects(failing, /broken/)
})
