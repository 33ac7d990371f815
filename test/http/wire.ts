import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { HttpBounds } from '../../src/http/bounds.ts'
import { type Listener, serve } from '../../src/http/server.ts'
import { type Rig, type RigSettings, startRig } from './rig.ts'

/** An app that really listens. */
export interface Wire {
  readonly rig: Rig
  readonly listener: Listener
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** A raw connection that collects what comes back. */
  open(): Promise<RawClient>
}

/** A client that says whatever it likes. */
export interface RawClient {
  readonly socket: Socket
  /** Resolves with all that has come once it matches, or once the server has closed. */
  until(wanted: RegExp): Promise<string>
  /** Resolves with all that came when the connection is over. */
  end(): Promise<string>
}

/** Starts an app on a free port of 127.0.0.1; closed at the end of the test. */
export async function listenWith(
  t: Test,
  bounds: Partial<HttpBounds> = {},
  settings: RigSettings = {},
): Promise<Wire> {
  const rig = startRig(t, { ...settings, bounds })
  const listener = await serve(rig.app, { host: '127.0.0.1', port: 0, bounds })
  t.teardown(async () => {
    rig.stopping.abort()
    await listener.close(0)
  })
  const { port } = listener.address
  return {
    rig,
    listener,
    url: `http://127.0.0.1:${port}`,
    async open() {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return wrap(socket)
    },
  }
}

function wrap(socket: Socket): RawClient {
  let text = ''
  let isOver = false
  let check = (): void => undefined
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    check()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOver = true
    check()
  })
  const until = (wanted: RegExp): Promise<string> =>
    new Promise((resolve) => {
      check = () => {
        if (isOver || wanted.test(text)) resolve(text)
      }
      check()
    })
  return { socket, until, end: () => until(/(?!)/) }
}

/** The head of a print request. */
export function printHead(more: string): string {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n${more}\r\n\r\n`
}
