import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A port on the loopback where something listens and never takes a connection up. */
export interface DeafPort extends AsyncDisposable {
  readonly port: number
}

/** Listens, says its port, and stops for good: what then comes stays in the kernel's queue. */
const LISTENER = `
const { createServer } = require('node:net')
const { parentPort } = require('node:worker_threads')
const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

/** Linux queues one connection more than the backlog, then leaves each further SYN unanswered. */
const QUEUED = 2

/** A connection to it hangs, as to an address where nobody is; no packet leaves this computer. */
export async function openDeafPort(): Promise<DeafPort> {
  const listener = new Worker(LISTENER, { eval: true })
  const [port] = (await once(listener, 'message')) as [number]
  const queued: Socket[] = []
  while (queued.length < QUEUED) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    queued.push(socket)
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of queued) socket.destroy()
      await listener.terminate()
    },
  }
}
