import { connect, type Socket } from 'node:net'
import { PlatenError } from '../../errors.ts'
import { explainNetwork } from '../network.ts'
import { type Reply, ReplyReader } from './replies.ts'

/** How long the server may take, in milliseconds. */
export interface ClientTiming {
  readonly connectMs: number
  /** From a command to the first byte of its answer; a reserve has its own seconds besides. */
  readonly replyMs: number
  /** Without a byte in the middle of an answer. */
  readonly bodyIdleMs: number
}

/** Where and how to connect. */
export interface ClientSettings extends ClientTiming {
  /** `host:port`; an IPv6 address in brackets. */
  readonly endpoint: string
  /** Larger bodies are dropped as they come. */
  readonly bodyBytes: number
}

const KEEP_ALIVE_MS = 10_000

interface Waiting {
  readonly ms: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** A connection to a beanstalkd server: one command after the other, each with a deadline. Of no use after any error. */
export class BeanstalkdClient {
  readonly #settings: ClientSettings
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #failure: PlatenError | undefined

  private constructor(settings: ClientSettings, socket: Socket) {
    this.#settings = settings
    this.#socket = socket
    const reader = new ReplyReader(settings.bodyBytes, (reply) => this.#take(reply))
    socket.on('data', (chunk) => {
      this.#arm(this.#settings.bodyIdleMs)
      try {
        reader.push(chunk)
      } catch (error) {
        this.#fail(error)
      }
    })
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(broken(settings.endpoint)))
  }

  /** @throws PlatenError SOURCE_UNREACHABLE; the signal's reason */
  static async connect(settings: ClientSettings, signal: AbortSignal): Promise<BeanstalkdClient> {
    signal.throwIfAborted()
    const { endpoint, connectMs } = settings
    const colon = endpoint.lastIndexOf(':')
    const host = endpoint.slice(0, colon).replace(/^\[|\]$/g, '')
    const socket = connect({
      host,
      port: Number(endpoint.slice(colon + 1)),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = (): void => reject(signal.reason)
    const late = (): void => reject(tooSlow(endpoint, connectMs))
    const timer = setTimeout(late, connectMs)
    signal.addEventListener('abort', stop, { once: true })
    socket.once('connect', resolve)
    socket.once('error', (error) => reject(explainNetwork(endpoint, error)))
    try {
      await promise
      return new BeanstalkdClient(settings, socket)
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  /**
   * Sends a command line, without its end, and gives the answer. `waitMs` is what the server itself may wait.
   * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
   */
  command(line: string, waitMs = 0): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const ms = this.#settings.replyMs + waitMs
    this.#waiting.push({ ms, resolve, reject })
    if (this.#waiting.length === 1) this.#arm(ms)
    this.#socket.write(`${line}\r\n`)
    return promise
  }

  /** Ends the connection; the server gives jobs that are reserved and not deleted to others, at once. */
  close(): void {
    this.#fail(broken(this.#settings.endpoint))
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #take(reply: Reply): void {
    const first = this.#waiting.shift()
    if (first === undefined) {
      const message = `${this.#settings.endpoint} answered a question that nobody asked.`
      throw new PlatenError('SOURCE_REFUSED', message)
    }
    const next = this.#waiting[0]
    if (next === undefined) clearTimeout(this.#timer)
    else this.#arm(next.ms)
    first.resolve(reply)
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#waiting.length === 0) return
    this.#timer = setTimeout(() => this.#fail(tooSlow(this.#settings.endpoint, ms)), ms)
  }

  #fail(cause: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = explainNetwork(this.#settings.endpoint, cause)
    clearTimeout(this.#timer)
    this.#socket.destroy()
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }
}

function broken(endpoint: string): PlatenError {
  return new PlatenError('SOURCE_UNREACHABLE', `${endpoint} closed the connection.`)
}

function tooSlow(endpoint: string, ms: number): PlatenError {
  const message = `${endpoint} did not answer within ${Math.ceil(ms / 1000)} seconds.`
  return new PlatenError('SOURCE_UNREACHABLE', message)
}
