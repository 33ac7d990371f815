import { createServer, type Server, type Socket } from 'node:net'

// The protocol: github.com/NetworkBlockDevice/nbd, doc/proto.md; the old handshake, which is one message.
const HELLO = { passwd: 0x4e42444d41474943n, magic: 0x00420281861253n }
const FLAGS = 0b0000_1101 // has flags, takes FLUSH, takes FUA
const REQUEST_MAGIC = 0x25609513
const REPLY_MAGIC = 0x67446698
const REQUEST_BYTES = 28
const COMMAND = { read: 0, write: 1, disconnect: 2, flush: 3 } as const
const FUA = 1
const EINVAL = 22
const SECTOR = 512

/** A write that the disk has in its cache only. */
interface Cached {
  readonly offset: number
  readonly bytes: Buffer
}

/**
 * A disk with a cache, served as a network block device on a Unix socket: what was written and not flushed may be lost
 * when its power is cut, each sector by itself, as on an SD card.
 */
export class NbdDisk {
  /** What the card holds for sure. */
  readonly #stable: Buffer
  /** What a reader sees. */
  readonly #seen: Buffer
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #cache: Cached[] = []
  flushes = 0

  private constructor(image: Buffer) {
    this.#stable = Buffer.from(image)
    this.#seen = Buffer.from(image)
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async open(image: Buffer, socket: string): Promise<NbdDisk> {
    const disk = new NbdDisk(image)
    disk.#server.listen(socket)
    await new Promise((resolve) => disk.#server.once('listening', resolve))
    return disk
  }

  /**
   * Cuts the power at once: nobody gets an answer any more. Gives what the card holds then: all that was flushed, and
   * of each sector in the cache, with the chance `share`, what was written to it.
   */
  cut(random: () => number, share: number): { image: Buffer; lost: number } {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    let lost = 0
    for (const { offset, bytes } of this.#cache) {
      for (let at = 0; at < bytes.length; at += SECTOR) {
        if (random() < share) bytes.copy(this.#stable, offset + at, at, at + SECTOR)
        else lost += 1
      }
    }
    this.#cache = []
    return { image: this.#stable, lost }
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    const hello = Buffer.alloc(152)
    hello.writeBigUInt64BE(HELLO.passwd, 0)
    hello.writeBigUInt64BE(HELLO.magic, 8)
    hello.writeBigUInt64BE(BigInt(this.#seen.length), 16)
    hello.writeUInt32BE(FLAGS, 24)
    socket.write(hello)
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      for (;;) {
        const used = this.#take(waiting, socket)
        if (used === 0) return
        waiting = waiting.subarray(used)
      }
    })
  }

  /** Does the first request in these bytes when it is whole; gives its length, 0 = not yet. */
  #take(bytes: Buffer, socket: Socket): number {
    if (bytes.length < REQUEST_BYTES) return 0
    if (bytes.readUInt32BE(0) !== REQUEST_MAGIC) throw new Error('no NBD request')
    const flags = bytes.readUInt16BE(4)
    const type = bytes.readUInt16BE(6)
    const handle = bytes.subarray(8, 16)
    const offset = Number(bytes.readBigUInt64BE(16))
    const length = bytes.readUInt32BE(24)
    const whole = REQUEST_BYTES + (type === COMMAND.write ? length : 0)
    if (bytes.length < whole) return 0
    const data = bytes.subarray(REQUEST_BYTES, whole)
    if (type === COMMAND.disconnect) socket.end()
    else if (type === COMMAND.read)
      answer(socket, handle, this.#seen.subarray(offset, offset + length))
    else if (type === COMMAND.write) this.#write(offset, data, (flags & FUA) !== 0)
    else if (type === COMMAND.flush) this.#flush()
    if (type === COMMAND.write || type === COMMAND.flush) answer(socket, handle)
    else if (type > COMMAND.flush) answer(socket, handle, undefined, EINVAL)
    return whole
  }

  #write(offset: number, data: Buffer, isFlushed: boolean): void {
    data.copy(this.#seen, offset)
    this.#cache.push({ offset, bytes: Buffer.from(data) })
    if (isFlushed) this.#flush()
  }

  #flush(): void {
    for (const { offset, bytes } of this.#cache) bytes.copy(this.#stable, offset)
    this.#cache = []
    this.flushes += 1
  }
}

function answer(socket: Socket, handle: Buffer, data?: Buffer, error = 0): void {
  const reply = Buffer.alloc(16)
  reply.writeUInt32BE(REPLY_MAGIC, 0)
  reply.writeUInt32BE(error, 4)
  handle.copy(reply, 8)
  // A copy: the disk may change before it has left.
  socket.write(data === undefined ? reply : Buffer.concat([reply, data]))
}
