import t from 'tap'
import { BodyBudget, type BudgetShare } from '../../../src/core/request/body-budget.ts'

/** Tells whether a promise has resolved by now. */
async function isDone(step: Promise<void>): Promise<boolean> {
  let done = false
  void step.then(() => {
    done = true
  })
  await new Promise(setImmediate)
  return done
}

t.test(
  'requests share the budget, the largest aside, and one that does not fit waits',
  async (t) => {
    const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 60_000 })
    const [large, one, other, third] = ['a', 'b', 'c', 'd'].map((owner) => budget.open(owner)) as [
      BudgetShare,
      BudgetShare,
      BudgetShare,
      BudgetShare,
    ]
    t.ok(await isDone(large.take(1_000)))
    t.ok(await isDone(one.take(50)))
    t.ok(await isDone(other.take(50)))
    const late = third.take(10)
    t.notOk(await isDone(late))
    one.release()
    t.ok(await isDone(late))
    const later = third.take(41)
    t.notOk(await isDone(later))
    large.release()
    t.ok(await isDone(later), 'now it is the largest')
    other.release()
    third.release()
  },
)

t.test('the largest always fits, so that never all wait for each other', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 60_000 })
  const [one, other, third] = ['a', 'b', 'c'].map((owner) => budget.open(owner)) as [
    BudgetShare,
    BudgetShare,
    BudgetShare,
  ]
  await one.take(50)
  await other.take(50)
  await third.take(50)
  const late = one.take(1)
  t.ok(await isDone(late), 'of equals each may become it')
  const steps = [other.take(51), third.take(51)]
  t.same(await Promise.all(steps.map(isDone)), [false, false])
  t.ok(await isDone(one.take(500)))
  one.release()
  t.same(await Promise.all(steps.map(isDone)), [true, false])
  other.release()
  t.ok(await isDone(steps[1] ?? Promise.reject(new Error())))
  third.release()
  const next = budget.open('d')
  t.ok(await isDone(next.take(100)), 'all was given back')
  next.release()
})

t.test('one client, with as many bodies as it likes, leaves room for others', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 60_000 })
  const crowd = Array.from({ length: 5 }, () => budget.open('crowd'))
  const steps = crowd.map((share) => share.take(40))
  t.same(await Promise.all(steps.map(isDone)), [true, true, false, false, false])
  const bench = budget.open('bench')
  t.ok(await isDone(bench.take(40)))
  bench.release()
  for (const share of crowd) share.release()
  await Promise.all(steps)
})

t.test('an ordinary label waits for nobody', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 30, waitMs: 60_000 })
  const [large, larger, small] = ['a', 'b', 'c'].map((owner) => budget.open(owner)) as [
    BudgetShare,
    BudgetShare,
    BudgetShare,
  ]
  await large.take(130)
  await larger.take(5_000)
  t.ok(await isDone(small.take(20)))
  t.ok(await isDone(small.take(10)))
  const beyond = small.take(1)
  t.notOk(await isDone(beyond))
  large.release()
  t.ok(await isDone(beyond))
  larger.release()
  small.release()
})

t.test('who waits too long is told to come back', async (t) => {
  const budget = new BodyBudget({ limitBytes: 100, freeBytes: 0, waitMs: 10 })
  const [large, one, other] = [budget.open('a'), budget.open('b'), budget.open('c')]
  await large.take(1_000)
  await one.take(50)
  const third = budget.open('d')
  await third.take(50)
  await t.rejects(other.take(1), { code: 'SERVER_BUSY', message: /More than 100 bytes/ })
  one.release()
  await other.take(1)
  other.release()
})
