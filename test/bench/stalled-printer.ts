import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { atMost } from './once.ts'
import { makeBox, median, start } from './process.ts'
import type { Row } from './row.ts'

const LABELS = atMost(100)
const LABEL = Buffer.from('^XA^FDHello^FS^XZ')

interface Sink {
  readonly server: Server
  readonly port: number
  /** Resolves with the time at which the next label was complete. */
  next(): Promise<number>
}

/**
 * Measures how a printer that takes no data disturbs its neighbor: POST to last byte at the healthy one, beside the same without trouble.
 */
export async function benchStalledPrinter(): Promise<readonly Row[]> {
  const healthy = await measure(false)
  const disturbed = await measure(true)
  return [
    {
      what: 'small label while another printer stalls, ms',
      ours: disturbed,
      peer: healthy,
      peerName: 'ours, no printer stalls',
      goal: Math.max(5, healthy * 1.5),
    },
  ]
}

async function measure(stalls: boolean): Promise<number> {
  const good = await listen(false)
  const bad = await listen(true)
  const box = makeBox({
    printers: [
      { name: 'good', uri: `socket://127.0.0.1:${good.port}`, language: 'zpl' },
      { name: 'bad', uri: `socket://127.0.0.1:${bad.port}`, language: 'zpl' },
    ],
  })
  const program = await start(['dist/platen.js', ...box.args])
  if (stalls)
    await post(program.address, 'bad', Buffer.concat([LABEL, Buffer.alloc(9_000_000, 32)]))
  const times: number[] = []
  for (let count = 0; count < LABELS; count++) {
    const arrived = good.next()
    const begin = performance.now()
    await post(program.address, 'good', LABEL)
    times.push((await arrived) - begin)
  }
  program.child.kill()
  good.server.close()
  bad.server.close()
  box.dispose()
  return median(times)
}

async function post(address: string, printer: string, label: Uint8Array): Promise<void> {
  const body = new URLSearchParams({ printer, label: Buffer.from(label).toString('base64') })
  const response = await fetch(address, { method: 'POST', headers: { prefer: 'wait=0' }, body })
  await response.arrayBuffer()
}

async function listen(stalls: boolean): Promise<Sink> {
  let arrived: (at: number) => void = () => undefined
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: stalls }, (socket) => {
    socket.on('error', () => undefined)
    if (stalls) return
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes === LABEL.length) arrived(performance.now())
    })
    socket.on('end', () => socket.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const next = () => new Promise<number>((resolve) => (arrived = resolve))
  return { server, port: (server.address() as AddressInfo).port, next }
}
