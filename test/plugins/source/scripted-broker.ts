import { createServer } from 'node:net'
import type { Test } from 'tap'
import { listen } from '../../listen.ts'

/** The bytes of an answer, what makes them of the packet that came, or the end of the connection. */
export type Answer = readonly number[] | ((packet: Buffer) => readonly number[]) | 'close'

/** A broker that says what a test wants, or nothing: one answer for each packet of a connection. Gives its address. */
export async function serveAnswers(t: Test, ...answers: readonly Answer[]): Promise<string> {
  const server = createServer((socket) => {
    const left = [...answers]
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      const answer = left.shift() ?? []
      if (answer === 'close') socket.end()
      else socket.write(Buffer.from(typeof answer === 'function' ? answer(data) : answer))
    })
    t.teardown(() => socket.destroy())
  })
  return `mqtt://127.0.0.1:${await listen(t, server)}`
}

/** CONNACK of MQTT 5 with this reason, and perhaps with the session of before. */
export function connack(reason: number, hasSession = false): readonly number[] {
  return [0x20, 3, hasSession ? 1 : 0, reason, 0]
}
