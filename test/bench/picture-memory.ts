import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { atMost } from './once.ts'
import { type Input, makeLargest } from './picture-set.ts'
import { makeBox, memoryVariables, start } from './process.ts'
import type { Row } from './row.ts'

const GOAL_MB = 140
/** A second time over, what the first has left behind shows. */
const TIMES = atMost(2)
const STARTS = { 'by hand': {}, 'as the service': memoryVariables() } as const

const BODIES = {
  form: (label: string) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ label }).toString(),
  }),
  JSON: (label: string) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ label }),
  }),
} as const

/** The most memory that the real server ever held while it printed the largest pictures of every kind, in MB. */
export async function* benchPictureMemory(): AsyncGenerator<Row> {
  const pictures = (await makeLargest()).toSorted((a, b) => a.bytes.length - b.bytes.length)
  for (const [way, variables] of Object.entries(STARTS)) {
    for (const [kind, makeBody] of Object.entries(BODIES)) {
      const { idle, peak, at } = await measure(pictures, variables, makeBody)
      yield {
        what: `peak, MB, ${way}, ${kind}: ${at}`,
        ours: peak,
        peer: idle,
        peerName: `idle; ${pictures.length} pictures, ${TIMES} times`,
        goal: GOAL_MB,
      }
    }
  }
}

type MakeBody = (typeof BODIES)[keyof typeof BODIES]

/** Measures one server for all pictures; `at` is the picture with which it last grew. */
async function measure(
  pictures: readonly Input[],
  variables: Readonly<Record<string, string>>,
  makeBody: MakeBody,
): Promise<{ readonly idle: number; readonly peak: number; readonly at: string }> {
  const sink = createServer((socket) => socket.resume())
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  const { port } = sink.address() as AddressInfo
  const box = makeBox({
    printers: [{ name: 'sink', uri: `socket://127.0.0.1:${port}`, language: 'zpl' }],
  })
  const running = await start(['dist/platen.js', ...box.args], variables)
  try {
    const idle = peakMb(running.pid)
    let [peak, at] = [idle, 'none']
    for (let time = 0; time < TIMES; time++) {
      for (const picture of pictures) {
        await print(running.address, picture, makeBody)
        const now = peakMb(running.pid)
        if (now > peak) [peak, at] = [now, picture.name]
      }
    }
    return { idle, peak, at }
  } finally {
    await running.stop()
    sink.close()
    box.dispose()
  }
}

/** The high water mark of the resident set since the start (Linux). */
function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

interface Job {
  readonly id: string
  readonly state: string
  readonly message: string
}

const WAITING = ['pending', 'processing']
const ASK_MS = 500

/** @throws Error of a picture that did not print */
async function print(address: string, { name, bytes }: Input, makeBody: MakeBody): Promise<void> {
  const { headers, body } = makeBody(bytes.toString('base64'))
  const answer = await fetch(`${address}/`, {
    method: 'POST',
    headers: { ...headers, prefer: 'wait=60' },
    body,
  })
  const { jobs, Message } = (await answer.json()) as { jobs?: readonly Job[]; Message?: string }
  let job = jobs?.[0]
  while (job !== undefined && WAITING.includes(job.state)) {
    await setTimeout(ASK_MS)
    job = (await (await fetch(`${address}/jobs/${job.id}`)).json()) as Job
  }
  // A picture that was refused or given up was never drawn, and says nothing about memory.
  if (job?.state !== 'completed') {
    throw new Error(`${name}: ${answer.status} ${job?.state} ${job?.message ?? Message}`)
  }
}
