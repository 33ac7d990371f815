import t from 'tap'
import { BodyBudget } from '../../../src/http/body/body-budget.ts'

/** Whether a promise has resolved by now. */
async function isDone(step: Promise<void>): Promise<boolean> {
  let done = false
  void step.then(() => {
    done = true
  })
  await new Promise(setImmediate)
  return done
}

t.test('requests share the budget, and one that does not fit waits for the others', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 60_000 })
  const [one, other, third] = [budget.open(), budget.open(), budget.open()]
  t.ok(await isDone(one.take(60)))
  t.ok(await isDone(other.take(40)))
  const late = other.take(10)
  const later = third.take(80)
  t.notOk(await isDone(late))
  one.release()
  t.ok(await isDone(late))
  t.notOk(await isDone(later))
  other.release()
  t.ok(await isDone(later))
  third.release()
})

t.test('the largest always fits, so that never all wait for each other', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 60_000 })
  const [drips, one, other] = [budget.open(), budget.open(), budget.open()]
  await drips.take(1)
  await one.take(49)
  await other.take(50)
  const late = one.take(50)
  t.notOk(await isDone(late))
  t.ok(await isDone(other.take(50)))
  other.release()
  t.ok(await isDone(late), 'now it is the largest')
  t.ok(await isDone(one.take(500)))
  one.release()
  drips.release()
  const next = budget.open()
  t.ok(await isDone(next.take(100)), 'all was given back')
  next.release()
})

t.test('an ordinary label waits for nobody', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 30, waitMs: 60_000 })
  const [large, small] = [budget.open(), budget.open()]
  await large.take(5_000)
  t.ok(await isDone(small.take(20)))
  t.ok(await isDone(small.take(10)))
  const beyond = small.take(1)
  t.notOk(await isDone(beyond))
  large.release()
  t.ok(await isDone(beyond))
  small.release()
})

t.test('who waits too long is told to come back', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 10 })
  const [one, other] = [budget.open(), budget.open()]
  await one.take(100)
  await t.rejects(other.take(1), { code: 'SERVER_BUSY', message: /More than 100 bytes/ })
  one.release()
  await other.take(1)
  other.release()
})
