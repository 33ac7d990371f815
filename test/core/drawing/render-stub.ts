import { parentPort } from 'node:worker_threads'
import type { RenderRequest } from '../../../src/labels/worker.ts'

// A thread with the faults that the label names, for the tests of its owner. The real one cannot be made to hang, to
// die or to eat its heap from outside: the gate refuses every picture that could, and a time limit so short that a real
// picture exceeds it would hit the innocent picture after it too.
parentPort?.on('message', ({ id, label }: RenderRequest) => {
  const order = Buffer.from(label).toString()
  if (order === 'hang') for (;;);
  if (order === 'sleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (order === 'pause') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)
  if (order === 'die') process.exit(3)
  if (order === 'throw') throw new Error('a fault of the thread')
  if (order === 'eat') {
    const eaten: number[][] = []
    for (;;) eaten.push(new Array(100_000).fill(eaten.length))
  }
  const rendered = { bytes: label, preview: undefined, notes: [] }
  parentPort?.postMessage({ id, rendered })
})
