import { parentPort } from 'node:worker_threads'
import type { RenderRequest } from '../../src/render/protocol.ts'

// A thread that does what the label says, for the tests of its owner.
parentPort?.on('message', ({ id, label }: RenderRequest) => {
  const order = Buffer.from(label).toString()
  if (order === 'hang') for (;;);
  if (order === 'die') process.exit(3)
  if (order === 'throw') throw new Error('a fault of the thread')
  if (order === 'eat') {
    const eaten: number[][] = []
    for (;;) eaten.push(new Array(100_000).fill(eaten.length))
  }
  const error = { code: 'PICTURE_BROKEN', message: 'It is broken.' } as const
  const rendered = { bytes: Buffer.from(`${order} ${process.pid}`), preview: undefined, notes: [] }
  parentPort?.postMessage(order === 'broken' ? { id, error } : { id, rendered })
})
