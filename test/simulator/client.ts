import { connect } from 'node:net'
import { passTurns } from './clock.ts'
import type { Dice } from './history.ts'

/** A client's result of a try: the answer; status 0 = none came. */
export interface Outcome {
  readonly status: number
  readonly body: Buffer
}

const NONE: Outcome = { status: 0, body: Buffer.alloc(0) }

/** The way a client sends: whole, in pieces, cut within, or gone before its answer. */
export type Manner = 'whole' | 'pieces' | 'cut' | 'deaf' | 'slow'

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly manner: Manner
}

/** Sends one request on a connection of its own. */
export async function send(port: number, sent: Sent, dice: Dice): Promise<Outcome> {
  const { method, path, headers, body, manner } = sent
  const isChunked = body.length > 0 && dice.chance(0.5)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1:631',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
  ].join('\r\n')
  const wire = Buffer.concat([
    Buffer.from(`${head}\r\n\r\n`),
    ...(isChunked ? chunk(body, dice) : [body]),
  ])
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const got: Buffer[] = []
  socket.on('data', (bytes) => got.push(bytes))
  socket.on('error', () => undefined)
  socket.on('close', () => resolve(readAnswer(Buffer.concat(got)) ?? NONE))
  const most = manner === 'cut' ? dice.below(wire.length) : wire.length
  const steps = planSteps(most, manner, dice)
  const isReset = dice.chance(0.5)
  await new Promise((go) => socket.once('connect', go).once('close', go))
  let at = 0
  for (const { end, turns } of steps) {
    socket.write(wire.subarray(at, end))
    at = end
    await passTurns(turns)
  }
  if (manner === 'cut') socket.end(() => socket.destroy())
  if (manner !== 'deaf') return await promise
  socket.removeAllListeners('data')
  got.length = 0
  if (isReset) socket.resetAndDestroy()
  else socket.destroy()
  return await promise
}

/** Up to where it is written at once, and for how many turns nothing follows. */
function planSteps(most: number, manner: Manner, dice: Dice) {
  const pieces = manner === 'whole' || manner === 'deaf' ? 0 : dice.below(4)
  const cuts = Array.from({ length: pieces }, () => dice.below(most + 1)).sort((a, b) => a - b)
  const last = { end: most, turns: manner === 'deaf' ? dice.below(8) : 0 }
  const turns = (): number => dice.below(manner === 'slow' ? 60 : 4)
  return [...cuts.map((end) => ({ end, turns: turns() })), last]
}

function chunk(body: Uint8Array, dice: Dice): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < body.length; ) {
    const size = 1 + dice.below(body.length)
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
    at += size
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}

/** A whole answer, or undefined. */
function readAnswer(bytes: Buffer): Outcome | undefined {
  const text = bytes.toString('latin1')
  const split = text.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
  if (split < 0 || status === 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, split))?.[1] ?? -1)
  const body = bytes.subarray(split + 4)
  return length < 0 || body.length === length ? { status, body } : undefined
}

/** The mark of a label that `zplLabel`, or an EPL label of this kind, was made with; '' = none. */
export function readMark(label: Uint8Array = new Uint8Array()): string {
  return /m\d+/.exec(Buffer.from(label.subarray(0, 40)).toString('latin1'))?.[0] ?? ''
}
