import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { collectGarbage, IdleHeap } from '../../src/system/idle-heap.ts'

function make() {
  const seen = { collections: 0 }
  const heap = new IdleHeap(() => {
    seen.collections += 1
  })
  const note = (steps: number): void => {
    for (let step = 0; step < steps; step += 1) heap.note()
  }
  return { heap, seen, note }
}

t.test('collects once after many labels, when nothing happens any more', (t) => {
  const { heap, seen, note } = make()
  note(5_000)
  heap.look()
  t.equal(seen.collections, 0, 'the last label may have come just now')
  heap.look()
  t.equal(seen.collections, 1)
  for (let look = 0; look < 10; look += 1) heap.look()
  t.equal(seen.collections, 1)
  t.end()
})

t.test('never while labels are under way', (t) => {
  const { heap, seen, note } = make()
  for (let look = 0; look < 100; look += 1) {
    note(100)
    heap.look()
  }
  t.equal(seen.collections, 0)
  t.end()
})

t.test('a few labels are not worth it', (t) => {
  const { heap, seen, note } = make()
  note(20)
  for (let look = 0; look < 10; look += 1) heap.look()
  t.equal(seen.collections, 0)
  t.end()
})

t.test('collects what nobody holds', async (t) => {
  const lost = new WeakRef({ bytes: new Uint8Array(1_000) })
  await wait(0) // what was just made lives until the turn is over
  collectGarbage()
  t.equal(lost.deref(), undefined)
  t.equal('gc' in globalThis, false)
})
