import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { ARRIVAL, paceChunks } from '../../core/request/arrival.ts'
import type { BudgetShare } from '../../core/request/body-budget.ts'
import { LabelMemory } from '../../core/request/reader.ts'
import { Connections } from '../../http/guard/connections.ts'
import { PlatenError } from '../../words/errors.ts'
import type { DoorBox, OpenDoor } from '../door/door.ts'
import { listenAtBoth, serveUntil } from '../door/listen.ts'
import { answerCall, type BrowserPrintAnswer, Readings } from './calls.ts'

const TEXT = 'text/plain; charset=utf-8'

/** Bounds of the door; docs/doors.md names them. */
const BROWSER_PRINT_BOUNDS = {
  /** Connections open at once. */
  connections: 128,
  /** Connections open at once from one address. */
  connectionsOfAddress: 32,
  /** Connections of these that are kept for this computer. */
  connectionsKept: 8,
  /** Bytes of answers that the client does not read. */
  unreadBytes: 2 ** 20,
  /** Milliseconds for a whole request. */
  requestMs: 60_000,
} as const

/**
 * Opens the ports: HTTPS too where the box has it.
 * @throws PlatenError PORT_TAKEN
 */
export async function serveBrowserPrint(
  { host, port }: BrowserPrintSettings,
  box: DoorBox,
  signal: AbortSignal,
): Promise<OpenDoor> {
  const desk = new BrowserPrintDesk(box)
  const ports = { host, http: port, https: port + 1 }
  const { servers, isSecure } = await listenAtBoth((server) => desk.serve(server), ports, box)
  const places = [`port ${port} (http)`, ...(isSecure ? [`port ${port + 1} (https)`] : [])]
  return { places, closed: serveUntil(servers, signal, () => close(servers)) }
}

/** Closes the servers; requests in hand are answered first. */
async function close(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise((done) => server.close(done)))
  for (const server of servers) server.closeIdleConnections()
  const timer = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, 2_000)
  await Promise.all(closed)
  clearTimeout(timer)
}

/** Takes requests on all ports, within the bounds. */
class BrowserPrintDesk {
  readonly #box: DoorBox
  readonly #readings = new Readings()
  readonly #connections = new Connections(BROWSER_PRINT_BOUNDS)

  constructor(box: DoorBox) {
    this.#box = box
  }

  serve<S extends Server>(server: S): S {
    server.requestTimeout = BROWSER_PRINT_BOUNDS.requestMs
    const share = this.#connections.watch(server)
    server.on('clientError', (_, socket) => socket.destroy())
    server.on('request', (request, response) => {
      share(request, response)
      // It may be this one that had to give way.
      if (request.socket.destroyed) return
      this.#answer(request, response).catch((error: unknown) => {
        this.#box.fault(error)
        response.destroy()
      })
    })
    return server
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Vary', 'Origin')
    response.setHeader('Cache-Control', 'no-store')
    // Idle connections would take the places of others.
    response.setHeader('Connection', 'close')
    try {
      this.#judge(request, response)
      if (request.method === 'OPTIONS') {
        end(response, 204, '')
        return
      }
      const { text, type = TEXT } = await this.#call(request)
      response.setHeader('Content-Type', type)
      end(response, 200, text)
    } catch (error) {
      if (request.destroyed && !request.complete) return
      if (!(error instanceof PlatenError)) throw error
      // What still comes is thrown away, so that the client can read why.
      request.resume()
      response.setHeader('Content-Type', TEXT)
      end(response, error.status, `${error.message} ${error.hint}\n`)
    }
  }

  /** @throws PlatenError ORIGIN_REFUSED */
  #judge({ headers }: IncomingMessage, response: ServerResponse): void {
    const caller = this.#box.callerOf(headers)
    if (caller === 'foreign') throw foreign(headers.origin)
    if (caller === 'named') allow(response, headers.origin ?? '')
  }

  async #call(request: IncomingMessage): Promise<BrowserPrintAnswer> {
    const { method = 'GET' } = request
    const url = URL.parse(request.url ?? '/', 'http://box')
    const network = this.#box.ownerOf(request.socket.remoteAddress)
    using share = this.#box.hold(network)
    const body = method === 'POST' ? await this.#read(request, share) : new Uint8Array(0)
    const [path, query] = [url?.pathname ?? '', url?.searchParams ?? new URLSearchParams()]
    const type = request.headers['content-type'] ?? ''
    const gone = new AbortController()
    request.socket.once('close', () => gone.abort())
    const client = () => gone.signal
    const call = { method, path, query, type, body, network, share, client }
    return await answerCall(call, this.#box, this.#readings)
  }

  /** @throws PlatenError BODY_TOO_LARGE, SERVER_BUSY; another error when the client went away */
  async #read(request: IncomingMessage, share: BudgetShare): Promise<Uint8Array> {
    const most = this.#box.config().max_body_mb * 2 ** 20
    const memory = new LabelMemory()
    const chunks = {
      [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }),
    }
    for await (const chunk of paceChunks(chunks, ARRIVAL)) {
      if (memory.length + chunk.length > most)
        throw new PlatenError('BODY_TOO_LARGE', 'The request is larger than max_body_mb.')
      await share.take(chunk.length)
      memory.append(chunk)
    }
    return memory.take()
  }
}

/** Lets the page read the answer (Fetch, 3.3). */
function allow(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST')
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type')
  response.setHeader('Access-Control-Max-Age', '600')
}

function foreign(origin: string | undefined): PlatenError {
  const who = origin === undefined ? 'This page' : `The page ${origin.slice(0, 100)}`
  return new PlatenError('ORIGIN_REFUSED', `${who} may not print here.`, {
    hint: 'Add its site to allowed_origins in the settings.',
  })
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status
  response.end(text)
}

/** The settings of the door. */
export interface BrowserPrintSettings {
  readonly host: string
  /** The port for HTTP; HTTPS is on the next one. */
  readonly port: number
}
