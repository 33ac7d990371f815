import { PlatenError } from '../../errors.ts'
import { LabelMemory } from '../../request/label-memory.ts'

/** One reply of the server (beanstalkd, doc/protocol.txt). */
export interface Reply {
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
const BODY_MOST = 2 ** 30 // beanstalkd(1), -z: larger jobs than we take are dropped as they come, but these are no jobs
const WITH_BODY: ReadonlySet<string> = new Set(['RESERVED', 'FOUND', 'OK'])
const END = 2 // \r\n after a body

/** Takes the server's bytes apart into replies; bodies are counted, never searched, so they may hold anything. */
export class ReplyReader {
  readonly #bodyMost: number
  readonly #onReply: (reply: Reply) => void
  #line = ''
  #head: Pick<Reply, 'word' | 'numbers' | 'bodyBytes'> | undefined
  #missing = 0
  #memory = new LabelMemory()

  /** Bodies above `bodyMost` bytes are dropped as they come. */
  constructor(bodyMost: number, onReply: (reply: Reply) => void) {
    this.#bodyMost = bodyMost
    this.#onReply = onReply
  }

  /** @throws PlatenError SOURCE_REFUSED when this is no beanstalkd; the connection is of no use then */
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

/** The values of a statistics body: lines of `name: value` (YAML, as the server writes it). */
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
