import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { encodePng } from '../../src/labels/target.ts'
import { answerRequest, type RenderRequest } from '../../src/labels/worker.ts'
import { makeTarget } from './make-target.ts'

const WORKER = new URL('../../src/labels/worker.ts', import.meta.url)
const TARGET = makeTarget()

const LABEL = encodePng({ width: 8, height: 8, bits: new Uint8Array(8).fill(0xf0) })

t.test('the thread answers request after request as the function does', async (t) => {
  const worker = new Worker(WORKER)
  t.teardown(() => worker.terminate())
  const requests: readonly RenderRequest[] = [
    { id: 1, format: 'png', label: LABEL, target: TARGET },
    { id: 2, format: 'png', label: LABEL.subarray(0, 20), target: TARGET },
    { id: 3, format: 'test', label: new TextEncoder().encode('not JSON'), target: TARGET },
    { id: 4, format: 'png', label: LABEL, target: { ...TARGET, rotate: 90 } },
  ]
  for (const request of requests) {
    worker.postMessage(request)
    const [reply] = await once(worker, 'message')
    t.same(reply, await answerRequest(request))
  }
})

t.test('the thread ends at once while it is idle', async (t) => {
  const worker = new Worker(WORKER)
  worker.postMessage({ id: 1, format: 'png', label: LABEL, target: TARGET })
  await once(worker, 'message')
  t.equal(await worker.terminate(), 1)
})

t.test('outside a thread the entry waits for nothing', async (t) => {
  t.ok(await import('../../src/labels/worker.ts'))
})
