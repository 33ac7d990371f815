import { open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'

/** The two ends of a TCP connection, as a Node socket names them. Decision `network-progress`. */
export interface TcpEnds {
  readonly localAddress: string
  readonly localPort: number
  readonly remoteAddress: string
  readonly remotePort: number
}

/** State of a TCP connection in Linux; Node has no call for it, and a write that "succeeded" tells nothing of the peer. */
export interface TcpRow {
  /** Bytes that the other end has not acknowledged yet, our end of data counted as one. */
  readonly unacknowledged: number
  /** True while repeated packets or questions to the other end stay without an answer. */
  readonly isUnanswered: boolean
}

/** Folder of Linux's tables of connections. */
export const TCP_TABLES = '/proc/self/net'

/** Returns the ends of a connected socket. */
function endsOf(socket: Socket): TcpEnds | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = socket
  if (localAddress === undefined || localPort === undefined) return undefined
  if (remoteAddress === undefined || remotePort === undefined) return undefined
  return { localAddress, localPort, remoteAddress, remotePort }
}

/** Size up to which a table's buffer is kept between two reads. */
const TABLE_BYTES = 65_536

/**
 * A table of the kernel. One read serves all who asked before it began, and goes into memory that is kept: `readFile` takes
 * 64 KB more for each file whose size it cannot know, and a flood looks a thousand times a second.
 */
class TcpTable {
  readonly #file: string
  #bytes = Buffer.alloc(0)
  #reading: Promise<unknown> = Promise.resolve()
  #asked: {
    readonly ends: TcpEnds
    readonly tell: (row: TcpRow | 'hidden' | undefined) => void
  }[] = []

  constructor(file: string) {
    this.#file = file
  }

  find(ends: TcpEnds): Promise<TcpRow | 'hidden' | undefined> {
    return new Promise((tell) => {
      this.#asked.push({ ends, tell })
      if (this.#asked.length === 1) this.#reading = this.#reading.then(() => this.#answer())
    })
  }

  async #answer(): Promise<void> {
    const asked = this.#asked
    this.#asked = []
    // Without it: another system, or a sandbox without /proc.
    const table = await this.#read().catch(() => undefined)
    for (const { ends, tell } of asked)
      tell(table === undefined ? 'hidden' : findTcpRow(table, ends))
    if (this.#bytes.length > TABLE_BYTES) this.#bytes = Buffer.alloc(0)
  }

  /** Valid until the next read. */
  async #read(): Promise<Buffer> {
    if (this.#bytes.length === 0) this.#bytes = Buffer.allocUnsafeSlow(TABLE_BYTES)
    await using file = await open(this.#file)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(this.#bytes, length, this.#bytes.length - length, null)
      length += bytesRead
      if (bytesRead === 0) return this.#bytes.subarray(0, length)
      if (length === this.#bytes.length)
        this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length)
    }
  }
}

const tcpTables = new Map<string, TcpTable>()

/**
 * Looks the connection up in the kernel's table (proc(5), /proc/net/tcp). Undefined when it has ended, `hidden` on
 * systems without this table. Takes 0.1 ms on a small box and 5 ms on a machine with much memory: not for every write.
 */
export function readTcpRow(
  ends: TcpEnds,
  tables = TCP_TABLES,
): Promise<TcpRow | 'hidden' | undefined> {
  const file = `${tables}/${ends.localAddress.includes(':') ? 'tcp6' : 'tcp'}`
  const table = tcpTables.get(file) ?? new TcpTable(file)
  tcpTables.set(file, table)
  return table.find(ends)
}

/** The connection's row of the table. */
export function findTcpRow(table: Buffer, ends: TcpEnds): TcpRow | undefined {
  const local = `${encodeAddress(ends.localAddress)}:${encodePort(ends.localPort)}`
  const remote = `${encodeAddress(ends.remoteAddress)}:${encodePort(ends.remotePort)}`
  const at = table.indexOf(` ${local} ${remote} `, 'latin1')
  if (at === -1) return undefined
  // local remote state tx:rx timer:when retransmissions uid probes ...
  const [, , , queues = '', , repeats = '', , probes = ''] = table
    .toString('latin1', at + 1, at + 300)
    .split(/\s+/)
  return {
    unacknowledged: Number.parseInt(queues, 16) || 0,
    isUnanswered: Number.parseInt(repeats, 16) > 0 || Number.parseInt(probes, 10) > 0,
  }
}

function encodePort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

/** Words of 32 bits in the machine's own byte order. */
function encodeAddress(address: string): string {
  const bytes = parseAddress(address)
  const words = Array.from({ length: bytes.length / 4 }, (_, word) =>
    bytes.slice(word * 4, word * 4 + 4),
  )
  const ordered = words.flatMap((word) => (endianness() === 'LE' ? word.reverse() : word))
  return Buffer.from(ordered).toString('hex').toUpperCase()
}

function parseAddress(address: string): readonly number[] {
  const [plain = ''] = address.split('%')
  if (!plain.includes(':')) return plain.split('.').map(Number)
  const [head = '', tail] = plain.split('::')
  const before = parseGroups(head)
  const after = parseGroups(tail ?? '')
  const zeros = new Array<number>(Math.max(0, 16 - before.length - after.length)).fill(0)
  return [...before, ...zeros, ...after]
}

function parseGroups(text: string): readonly number[] {
  const groups = text === '' ? [] : text.split(':')
  return groups.flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/** Monitor of a TCP connection through the system's table: how far the printer is, and whether anything at its end still answers. */
export class TcpMonitor {
  readonly #socket: Socket
  readonly #tables: string
  readonly #vanishMs: number
  readonly #vanished: (silentMs: number) => void
  #hasRow = false
  #silentSince: number | undefined

  /** `vanished` is called when nothing at the other end answered for `vanishMs`, not even its network chip. */
  constructor(
    socket: Socket,
    tables: string,
    vanishMs: number,
    vanished: (silentMs: number) => void,
  ) {
    this.#socket = socket
    this.#tables = tables
    this.#vanishMs = vanishMs
    this.#vanished = vanished
  }

  /** The system has shown this connection at least once. */
  get hasRow(): boolean {
    return this.#hasRow
  }

  /** Undefined where the system shows nothing, or when the connection has ended. */
  async read(): Promise<TcpRow | undefined> {
    const ends = endsOf(this.#socket)
    const found = ends && (await readTcpRow(ends, this.#tables))
    const row = found === 'hidden' ? undefined : found
    this.#hasRow ||= row !== undefined
    const now = performance.now()
    this.#silentSince = row?.isUnanswered ? (this.#silentSince ?? now) : undefined
    const silentMs = this.#silentSince === undefined ? 0 : now - this.#silentSince
    if (silentMs >= this.#vanishMs) this.#vanished(silentMs)
    return row
  }
}

/** Reply of a printer to the end of our side of a connection. */
type CloseReply = 'close' | 'reset' | 'open'

/** Way in which a printer ends its connections, as far as it was seen since the start. */
export class CloseBehavior {
  #ending: CloseReply | undefined

  /** Some print servers answer the end of data with a reset, with the whole label in hand. */
  get mayReset(): boolean {
    return this.#ending === undefined || this.#ending === 'reset'
  }

  get closes(): boolean {
    return this.#ending === 'close'
  }

  learn(ending: CloseReply): void {
    this.#ending = ending
  }

  /** It did otherwise: another printer may stand at its address. */
  forget(): void {
    this.#ending = undefined
  }
}

const INBOX_BYTES = 65_536 // what a printer may say before anybody asks; the rest is dropped
const FLOOD_BYTES = 1_048_576 // what is read and dropped until somebody asks again

/**
 * Input from a printer. It is always read: closing a socket with unread bytes resets it, and a reset may drop the label's
 * end.
 */
export class SocketInbox {
  readonly #socket: Socket
  #parts: Uint8Array[] = []
  #dropped = 0

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes: Uint8Array) => this.#keep(bytes))
  }

  /** All that came since the last call. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#dropped = 0
    this.#socket.resume()
    return bytes
  }

  #keep(bytes: Uint8Array): void {
    const held = this.#parts.reduce((sum, part) => sum + part.length, 0)
    if (held < INBOX_BYTES) this.#parts.push(bytes.subarray(0, INBOX_BYTES - held))
    else this.#dropped += bytes.length
    if (this.#dropped > FLOOD_BYTES) this.#socket.pause() // it would send forever
  }
}
