import { connect, type Socket } from 'node:net'
import { LabelMemory } from '../../core/request/reader.ts'
import { explainNetwork } from '../../system/http-client.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'

/** Time limits for the server, in milliseconds. Decision `beanstalkd-client-by-hand`. */
export interface ClientTiming {
  readonly connectMs: number
  /** Time from a command to the first byte of its answer; a reserve has its own seconds in addition. */
  readonly replyMs: number
  /** Time without a byte in the middle of an answer. */
  readonly bodyIdleMs: number
}

/** Address and limits of a connection. */
export interface ClientSettings extends ClientTiming {
  /** `host:port`; an IPv6 address in brackets. */
  readonly endpoint: string
  /** Larger bodies are dropped as they arrive. */
  readonly bodyBytes: number
}

const KEEP_ALIVE_MS = 10_000

interface PendingReply {
  readonly ms: number
  readonly resolve: (reply: BeanstalkReply) => void
  readonly reject: (error: unknown) => void
}

// Our own, since with jackd 2.2 and node-beanstalk 1.6 a command is never answered once the server has closed the
// connection or says nothing more, which only a queue that stands still would show; and neither bounds a body or a line.

/** A connection to a beanstalkd server: one command after the other, each with a deadline. Unusable after any error. */
export class BeanstalkdClient {
  readonly #settings: ClientSettings
  readonly #socket: Socket
  readonly #waiting: PendingReply[] = []
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
   * Sends a command line, without its end, and returns the answer. `waitMs` is the time that the server itself may wait.
   * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
   */
  command(line: string, waitMs = 0): Promise<BeanstalkReply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const { promise, resolve, reject } = Promise.withResolvers<BeanstalkReply>()
    const ms = this.#settings.replyMs + waitMs
    this.#waiting.push({ ms, resolve, reject })
    if (this.#waiting.length === 1) this.#arm(ms)
    this.#socket.write(`${line}\r\n`)
    return promise
  }

  /** Ends the connection; the server at once gives jobs that are reserved and not deleted to others. */
  close(): void {
    this.#fail(broken(this.#settings.endpoint))
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #take(reply: BeanstalkReply): void {
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
  return new PlatenError('SOURCE_UNREACHABLE', say('hungUp', { where: endpoint }))
}

function tooSlow(endpoint: string, ms: number): PlatenError {
  const message = say('lateAnswer', { where: endpoint, seconds: Math.ceil(ms / 1000) })
  return new PlatenError('SOURCE_UNREACHABLE', message)
}

/** A reply of the server (beanstalkd, doc/protocol.txt). */
export interface BeanstalkReply {
  /** `RESERVED`, `DELETED`, `NOT_FOUND`, … */
  readonly word: string
  readonly numbers: readonly string[]
  /** The body of RESERVED, FOUND and OK; undefined also when it was larger than the bound and was dropped. */
  readonly body: Uint8Array | undefined
  /** Bytes of the body as announced; 0 = the reply has none. */
  readonly bodyBytes: number
}

const LINE_MOST = 1024 // the longest reply line has a word and two numbers
const STATS_MOST = 65_536 // beanstalkd's own have less than 2,000
const BODY_MOST = 2 ** 30 // beanstalkd(1), -z: larger jobs than we take are dropped as they come, but these are not jobs
const WITH_BODY: ReadonlySet<string> = new Set(['RESERVED', 'FOUND', 'OK'])
const END = 2 // \r\n after a body

/** Splits the server's bytes into replies; bodies are counted, never searched, so they may hold anything. */
export class ReplyReader {
  readonly #bodyMost: number
  readonly #onReply: (reply: BeanstalkReply) => void
  #line = ''
  #head: Pick<BeanstalkReply, 'word' | 'numbers' | 'bodyBytes'> | undefined
  #missing = 0
  #memory = new LabelMemory()

  /** Bodies above `bodyMost` bytes are dropped as they arrive. */
  constructor(bodyMost: number, onReply: (reply: BeanstalkReply) => void) {
    this.#bodyMost = bodyMost
    this.#onReply = onReply
  }

  /** @throws PlatenError SOURCE_REFUSED when the server is not beanstalkd; the connection is unusable then */
  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length) {
      at += this.#head === undefined ? this.#takeLine(chunk, at) : this.#takeBody(chunk, at)
    }
  }

  #takeLine(chunk: Uint8Array, from: number): number {
    const end = chunk.indexOf(0x0a, from)
    const stop = end < 0 ? chunk.length : end + 1
    if (this.#line.length + stop - from > LINE_MOST) throw noServer('a line without an end')
    this.#line += Buffer.from(chunk.subarray(from, stop)).toString('latin1')
    if (end >= 0) this.#endLine()
    return stop - from
  }

  #endLine(): void {
    const line = this.#line
    this.#line = ''
    const [word = '', ...numbers] = line.replace(/\r?\n$/, '').split(' ')
    if (!/^[A-Z_]{2,40}$/.test(word) || !line.endsWith('\r\n')) throw noServer('something else')
    if (!WITH_BODY.has(word)) {
      this.#onReply({ word, numbers, body: undefined, bodyBytes: 0 })
      return
    }
    const size = numbers.at(-1) ?? ''
    if (!/^\d{1,10}$/.test(size)) throw noServer('a body without a size')
    if (Number(size) > (word === 'OK' ? STATS_MOST : BODY_MOST)) throw noServer(`${size} bytes`)
    this.#head = { word, numbers, bodyBytes: Number(size) }
    this.#missing = Number(size) + END
  }

  #takeBody(chunk: Uint8Array, from: number): number {
    const head = this.#head
    if (head === undefined) return 0
    const part = chunk.subarray(from, from + this.#missing)
    this.#missing -= part.length
    const isKept = head.bodyBytes <= this.#bodyMost
    if (isKept) this.#memory.append(part)
    if (this.#missing > 0) return part.length
    const { buffer, byteOffset, byteLength } = this.#memory.take()
    const whole = Buffer.from(buffer, byteOffset, byteLength)
    this.#memory = new LabelMemory()
    this.#head = undefined
    if (isKept && whole.subarray(-END).toString('latin1') !== '\r\n') {
      throw noServer('a body that is longer than it says')
    }
    this.#onReply({ ...head, body: isKept ? whole.subarray(0, -END) : undefined })
    return part.length
  }
}

function noServer(seen: string): PlatenError {
  return new PlatenError(
    'SOURCE_REFUSED',
    `The other side sent ${seen}; wanted the answers of a beanstalkd server.`,
  )
}

/** Reads the values of a statistics body: lines of `name: value` (YAML, as the server writes it). */
export function readStats(body: Uint8Array | undefined): ReadonlyMap<string, string> {
  const lines = Buffer.from(body ?? [])
    .toString('latin1')
    .split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([\w-]+): "?(.*?)"?$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value ?? ''] as const]
    }),
  )
}
