import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { type Input, makeLargest } from './picture-set.ts'
import { makeBox, start } from './process.ts'
import type { Row } from './row.ts'

const GOAL_MB = 140
/** glibc's memory of another thread is not given back, and a large block that was freed makes it keep the next one. */
const SERVICE = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' } as const

/** The most memory that the real server ever held while it printed the largest pictures of every kind, in MB. */
export async function benchPictureMemory(): Promise<readonly Row[]> {
  const sink = createServer((socket) => socket.resume())
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  const { port } = sink.address() as AddressInfo
  const box = makeBox({
    printers: [{ name: 'sink', uri: `socket://127.0.0.1:${port}`, language: 'zpl' }],
  })
  // As systemd/platen.service starts it.
  Object.assign(process.env, SERVICE)
  const running = await start(['dist/platen.js', ...box.args])
  const idle = peakMb(running.pid)
  const rows: Row[] = []
  for (const input of (await makeLargest()).toSorted((a, b) => a.bytes.length - b.bytes.length)) {
    await print(running.address, input)
    rows.push({
      what: `peak of the server, MB: ${input.name}`,
      ours: peakMb(running.pid),
      peer: idle,
      peerName: 'the same, idle',
      goal: GOAL_MB,
    })
  }
  await running.stop()
  sink.close()
  box.dispose()
  return rows
}

/** The high water mark of the resident set since the start (Linux). */
function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

async function print(address: string, { name, bytes }: Input): Promise<void> {
  const answer = await fetch(`${address}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', prefer: 'wait=60' },
    body: new URLSearchParams({ label: bytes.toString('base64') }),
  })
  const text = await answer.text()
  if (!/"state":"completed"|PICTURE_TOO_LARGE/.test(text))
    throw new Error(`${name}: ${answer.status} ${text}`)
}
