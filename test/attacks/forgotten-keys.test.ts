// 50,500 labels with keys from one address made the shop's keys forgotten: what it sent again under `order-1001` printed twice. The
// oldest repeats of those senders who have most are forgotten now, and never that of a label that waits.
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { cancel } from '../../src/core/moves.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { NewJob } from '../../src/core/spool/types.ts'
import { holdsTicket, issueTicket } from '../../src/plugins/peers/tickets.ts'
import { newJob } from '../core/labels.ts'

t.setTimeout(120_000)

const MOST = 100

class Box {
  readonly #folder: string
  #run = 0
  spool: Spool

  constructor(folder: string) {
    this.#folder = folder
    this.spool = this.#open()
  }

  #open(): Spool {
    return new Spool({
      folder: this.#folder,
      minFreeBytes: 0,
      ballastBytes: 0,
      repeatsMost: MOST,
      uptimeMs: () => this.#run,
      bootId: 'boot',
    })
  }

  restart(): void {
    this.spool.close()
    this.spool = this.#open()
  }

  /** A label with a key; `ends`: it is done with at once. */
  send(sender: string, key: string, ends = true, labels = 1): void {
    this.#run += 1000
    const job: NewJob = { ...newJob(), sender }
    const { jobs } = this.spool.add(
      Array.from({ length: labels }, () => job),
      { key, fingerprint: 'f' },
    )
    if (ends) for (const { id } of jobs) this.spool.move(id, (job) => cancel(job, 1))
  }

  knows(key: string): boolean {
    return this.spool.repeats.find({ key, fingerprint: 'f' }) !== undefined
  }

  known(keys: readonly string[]): readonly string[] {
    return keys.filter((key) => this.knows(key))
  }
}

function openBox(t: Test): Box {
  const box = new Box(t.testdir())
  t.teardown(() => box.spool.close())
  return box
}

const keysOf = (sender: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${sender}:${n}`)

t.test('a flood of keys makes those of others not forgotten', (t) => {
  const box = openBox(t)
  const shop = keysOf('shop', 30)
  for (const key of shop) box.send('10.9.0.5', key)
  const flood = keysOf('flood', 3 * MOST)
  for (const [n, key] of flood.entries()) {
    box.send('10.9.0.66', key)
    if (n % 20 === 0) box.spool.housekeep()
    if (n % 70 === 0) box.restart()
  }
  box.spool.housekeep()
  t.same(box.known(shop), shop)
  t.same(box.known(flood), flood.slice(-(MOST - shop.length)), 'the newest of the flood are left')
  t.end()
})

t.test('a label that waits keeps its key, whoever sent it and however many', (t) => {
  const box = openBox(t)
  const shop = keysOf('shop', 30)
  for (const key of shop) box.send('10.9.0.5', key)
  const waiting = keysOf('waiting', 2 * MOST)
  for (const key of waiting) box.send('10.9.0.66', key, false, 2)
  box.spool.housekeep()
  t.same(box.known(waiting), waiting)
  t.same(box.known(shop), shop, 'others do not pay for it')
  for (const job of box.spool.history.list({ limit: 1_000 })) {
    // Of each request the second label waits still.
    if (job.state === 'pending' && job.seq % 2 === 1)
      box.spool.move(job.id, (now) => cancel(now, 1))
  }
  box.spool.housekeep()
  t.same(box.known(waiting), waiting)
  for (const job of box.spool.history.list({ limit: 1_000 })) {
    if (job.state === 'pending') box.spool.move(job.id, (now) => cancel(now, 1))
  }
  box.spool.housekeep()
  t.same(box.known(waiting), waiting.slice(-(MOST - shop.length)), 'forgotten once they have ended')
  t.same(box.known(shop), shop)
  t.end()
})

t.test('a ticket of another box says that a key may be forgotten', (t) => {
  const box = openBox(t)
  box.send('10.9.0.5', 'shop')
  const early = issueTicket(box.spool.repeats)
  for (const key of keysOf('flood', 2 * MOST)) box.send('10.9.0.66', key)
  t.ok(holdsTicket(box.spool.repeats, early))
  box.spool.housekeep()
  t.notOk(holdsTicket(box.spool.repeats, early))
  for (const key of keysOf('later', 10)) box.send('10.9.0.7', key)
  box.spool.housekeep()
  box.restart()
  t.notOk(holdsTicket(box.spool.repeats, early), 'for good')
  t.end()
})

t.test('whoever sends how many: all that fits is known, and of each sender the newest', (t) => {
  const counts = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 7 })
  const folders = t.testdir()
  let n = 0
  fc.assert(
    fc.property(counts, (all) => {
      n += 1
      const box = new Box(join(folders, `${n}`))
      const sent = all.map((count, sender) => keysOf(`${sender}`, count))
      box.spool.together(() => {
        for (const [sender, keys] of sent.entries())
          for (const key of keys) box.send(`${sender}`, key)
      })
      box.spool.housekeep()
      const known = sent.map((keys) => box.known(keys))
      box.spool.close()
      const total = sum(known.map(({ length }) => length))
      const whole = sum(all)
      const most = Math.max(...known.map(({ length }) => length))
      const cut = known.filter(({ length }, place) => length < (all[place] ?? 0))
      t.ok(total <= MOST)
      t.ok(total >= Math.min(whole, MOST - all.length), 'no more are forgotten than have to')
      t.ok(
        cut.every(({ length }) => length === most),
        'only those who have most',
      )
      t.same(
        known,
        sent.map((keys, place) => keys.slice(keys.length - (known[place]?.length ?? 0))),
      )
    }),
    { numRuns: 25 },
  )
  t.end()
})

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}
