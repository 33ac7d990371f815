import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { listen } from '../../listen.ts'

/** The receiver's answer to a heartbeat. */
export type Manner = (response: ServerResponse, receiver: Receiver) => void

/** The content of a heartbeat. */
export interface Beat {
  /** Milliseconds of performance.now(). */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The other side of the heartbeat: a real HTTP server that plays one manner after the other, the last one forever. */
export class Receiver {
  readonly beats: Beat[] = []
  readonly #server: Server
  readonly #events = new EventEmitter()
  readonly #manners: Manner[] = []

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  static async open(t: Test, ...manners: readonly Manner[]): Promise<Receiver> {
    const server = createServer()
    await listen(t, server)
    const receiver = new Receiver(server)
    receiver.play(...manners)
    return receiver
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** These come next. */
  play(...manners: readonly Manner[]): void {
    this.#manners.splice(0, this.#manners.length, ...manners)
  }

  /** Resolves when so many requests have come. */
  async until(count: number): Promise<void> {
    while (this.beats.length < count) await once(this.#events, 'beat')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now()
    const chunks: Buffer[] = []
    response.on('error', () => undefined)
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch {
      return
    }
    const { method = '', url: path = '', headers } = request
    this.beats.push({ at, method, path, headers, body: Buffer.concat(chunks).toString() })
    const manner = this.#manners.length > 1 ? this.#manners.shift() : this.#manners[0]
    ;(manner ?? says(204))(response, this)
    this.#events.emit('beat')
  }
}

/** A status, headers and a text. */
export function says(status: number, text = '', headers: Record<string, string> = {}): Manner {
  return (response) => response.writeHead(status, headers).end(text)
}

/** A good reply. */
export function gives(value: unknown): Manner {
  return says(200, JSON.stringify(value), { 'content-type': 'application/json' })
}

/** Never answers. */
export const hangs: Manner = () => undefined

/** Answers one byte every 10 ms, forever. */
export const drips: Manner = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{')
  const timer = setInterval(() => response.write(' '), 10)
  response.on('close', () => clearInterval(timer))
}

/** Breaks the connection in the middle of a good reply. */
export const breaks: Manner = (response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"labels":["QUJD"')
  setTimeout(() => response.destroy(), 10)
}

/** So many bytes that begin as a good reply does, without saying how many. */
export function floods(bytes: number): Manner {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"labels":["')
    const block = Buffer.alloc(65_536, 'A')
    let left = bytes
    const push = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= block.length
        if (!response.write(block)) {
          response.once('drain', push)
          return
        }
      }
      if (!response.destroyed) response.end('"]}')
    }
    push()
  }
}
