import { parentPort } from 'node:worker_threads'
import { freeMemory } from '../system/memory.ts'
import { answerRequest, type RenderRequest } from './answer.ts'

// The thread's entry. One request at a time is the caller's rule; the answer bears the request's number.
parentPort?.on('message', (request: RenderRequest) => {
  void answerRequest(request).then((reply) => {
    freeMemory(request.label)
    parentPort?.postMessage(reply)
  })
})
