import { getEventListeners, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { TimeLimit } from '../src/system/wait.ts'

const NEVER_MS = 3_600_000

t.test('ends when its time is over', async (t) => {
  using limit = new TimeLimit(1)
  const alive = setInterval(() => undefined, NEVER_MS) // the limit itself keeps no program alive
  await once(limit.signal, 'abort')
  clearInterval(alive)
  t.ok(limit.isOver)
  t.match(limit.signal.reason, { name: 'TimeoutError' })
})

t.test('ends with another signal, and passes its reason on', (t) => {
  const [first, second] = [new AbortController(), new AbortController()]
  using limit = new TimeLimit(NEVER_MS, first.signal, second.signal)
  second.abort('stopped')
  first.abort('later')
  t.equal(limit.signal.reason, 'stopped')
  t.notOk(limit.isOver)
  t.end()
})

t.test('is over at once where another signal is', (t) => {
  using limit = new TimeLimit(NEVER_MS, new AbortController().signal, AbortSignal.abort('before'))
  t.equal(limit.signal.reason, 'before')
  t.notOk(limit.isOver)
  t.end()
})

t.test('leaves nothing behind', async (t) => {
  const other = new AbortController()
  const limit = new TimeLimit(1, other.signal)
  t.equal(getEventListeners(other.signal, 'abort').length, 1)
  limit[Symbol.dispose]()
  t.equal(getEventListeners(other.signal, 'abort').length, 0)
  other.abort('too late')
  await wait(20)
  t.notOk(limit.signal.aborted)
  t.notOk(limit.isOver)
})
