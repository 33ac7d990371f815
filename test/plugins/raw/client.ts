import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { DoorPlace, Verdict } from '../../conformance/door.ts'

/** Sends these pieces and ends; what came back, and whether the other side ended as it should. */
export async function talk(
  port: number,
  pieces: readonly (Uint8Array | string)[],
  pauseMs = 0,
): Promise<{ readonly text: string; readonly isClosed: boolean }> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = new Promise<boolean>((resolve) => {
    socket.once('end', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
  for (const piece of pieces) {
    if (!socket.writable) break
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), closed])
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  socket.end()
  const isClosed = await closed
  socket.destroy()
  return { text: Buffer.concat(chunks).toString('latin1'), isClosed }
}

/** Labels over one connection, and a question behind them: its answer comes when they are on disk. */
export async function sendRaw(
  { port }: DoorPlace,
  labels: readonly Uint8Array[],
  isSlow = false,
): Promise<Verdict> {
  const all = Buffer.concat(labels)
  const size = isSlow ? Math.ceil(all.length / 20) : Math.max(1, all.length)
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.subarray(at * size, (at + 1) * size),
  )
  const { text } = await talk(port, [...pieces, '~HS'], isSlow ? 10 : 0)
  return text.startsWith('\x02') ? 'taken' : 'unknown'
}

/** An open connection, and all that came back on it. */
export async function open(port: number): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  await once(socket, 'connect')
  return { socket, text: () => text }
}
