import { setTimeout as wait } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import t from 'tap'
import { collectGarbage, IdleHeap, liftBounds, settleHeap } from '../../src/system/process.ts'

function make() {
  const seen = { collections: 0, growths: 0 }
  const heap = new IdleHeap({
    collect() {
      seen.collections += 1
    },
    grow() {
      seen.growths += 1
      return seen.growths < 3
    },
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

t.test('more room for new objects in a flood, until there is enough', (t) => {
  const { heap, seen, note } = make()
  for (let look = 0; look < 10; look += 1) {
    note(400)
    heap.look()
  }
  t.equal(seen.growths, 0, 'a busy box is not a flood')
  note(2_000)
  t.equal(seen.growths, 3)
  heap.look()
  note(2_000)
  t.equal(seen.growths, 3, 'it has grown')
  heap.look()
  heap.look()
  t.equal(seen.collections, 1, 'which takes the room back')
  note(2_000)
  t.equal(seen.growths, 4)
  t.end()
})

t.test('more room once more when another part was loaded in the flood', (t) => {
  const { seen, note } = make()
  note(2_000)
  t.equal(seen.growths, 3)
  collectGarbage()
  note(8)
  t.equal(seen.growths, 4)
  t.end()
})

t.test('the young generation grows for a flood, and is small again after it', (t) => {
  const young = (): number =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
  setFlagsFromString('--semi-space-growth-factor=1')
  const heap = new IdleHeap()
  const kept: object[] = []
  for (let step = 0; step < 60_000; step += 1) {
    kept[step % 5_000] = { step, parts: [step, `label ${step}`] }
    heap.note()
  }
  const grown = young()
  t.ok(grown >= 8 * 2 ** 20 && grown <= 16 * 2 ** 20, `${grown} bytes`)
  kept.length = 0
  heap.look()
  heap.look()
  t.ok(young() <= 2 ** 21, `${young()} bytes`)
  t.end()
})

t.test('a thread that starts is not held to the measure, and nothing stays lifted', async (t) => {
  settleHeap()
  await wait(1_100)
  const hold = liftBounds()
  const holdOther = liftBounds()
  const young = grow()
  t.ok(young > 2 ** 21, `${young} bytes`)
  hold()
  holdOther()
  // V8 lets it grow now and then while it marks beside the program, which takes longer on a busy machine.
  const small = Math.min(
    ...Array.from({ length: 5 }, () => {
      collectGarbage()
      return grow()
    }),
  )
  t.ok(small <= 2 ** 21, `${small} bytes`)
  hold()
  t.end()
})

/** Bytes of the young generation after objects that live for a while. */
function grow(): number {
  const kept: object[] = []
  for (let step = 0; step < 200_000; step += 1) kept[step % 20_000] = { step, parts: [step] }
  return (
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
  )
}

t.test('collects what nobody holds', async (t) => {
  const lost = new WeakRef({ bytes: new Uint8Array(1_000) })
  await wait(0) // what was just made lives until the turn is over
  collectGarbage()
  t.equal(lost.deref(), undefined)
  t.equal('gc' in globalThis, false)
})
