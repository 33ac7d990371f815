import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
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

/** A write since the last flush. */
interface Cached {
  readonly offset: number
  readonly bytes: Buffer
  /** It was answered when it was on the card (FUA), which says nothing of the writes before it. */
  readonly isSafe: boolean
}

/**
 * A disk with a cache, served as a network block device on a Unix socket: what was written and not flushed may be lost
 * when its power is cut, each sector by itself, as on an SD card. Its file holds what a reader sees; after the cut, what
 * the card holds.
 */
export class NbdDisk {
  readonly #file: number
  readonly #bytes: number
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #cache: Cached[] = []
  /** The certain content of the card for the sectors in the cache, by their number. */
  #stable = new Map<number, Buffer>()
  #isCut = false
  #onWrite: (() => void) | undefined
  flushes = 0

  private constructor(file: string) {
    this.#file = openSync(file, 'r+')
    this.#bytes = fstatSync(this.#file).size
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async open(file: string, socket: string): Promise<NbdDisk> {
    const disk = new NbdDisk(file)
    disk.#server.listen(socket)
    await new Promise((resolve) => disk.#server.once('listening', resolve))
    return disk
  }

  /**
   * Cuts the power at once: nobody gets an answer any more. The file holds then all that was flushed, and of each sector
   * in the cache, with the chance `share`, what was written to it. Gives the number of sectors lost.
   */
  cut(random: () => number, share: number): number {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    for (const [sector, bytes] of this.#stable)
      writeSync(this.#file, bytes, 0, null, sector * SECTOR)
    let lost = 0
    for (const { offset, bytes, isSafe } of this.#cache) {
      for (let at = 0; at < bytes.length; at += SECTOR) {
        const length = Math.min(SECTOR, bytes.length - at)
        if (isSafe || random() < share) writeSync(this.#file, bytes, at, length, offset + at)
        else lost += 1
      }
    }
    this.#cache = []
    this.#stable.clear()
    closeSync(this.#file)
    return lost
  }

  /**
   * Cuts the power at the `count`-th write from now, which is in the cache then; when none comes within `patienceMs`, cuts
   * it all the same.
   */
  cutAtWrite(
    random: () => number,
    share: number,
    { count, patienceMs }: { readonly count: number; readonly patienceMs: number },
  ): Promise<number> {
    return new Promise((resolve) => {
      let left = count
      const end = (): void => {
        clearTimeout(late)
        this.#onWrite = undefined
        resolve(this.cut(random, share))
      }
      const late = setTimeout(end, patienceMs)
      this.#onWrite = () => {
        left -= 1
        if (left <= 0) end()
      }
    })
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    const hello = Buffer.alloc(152)
    hello.writeBigUInt64BE(HELLO.passwd, 0)
    hello.writeBigUInt64BE(HELLO.magic, 8)
    hello.writeBigUInt64BE(BigInt(this.#bytes), 16)
    hello.writeUInt32BE(FLAGS, 24)
    socket.write(hello)
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      if (this.#isCut) return
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      while (!this.#isCut) {
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
    else if (type === COMMAND.read) answer(socket, handle, this.#read(offset, length))
    else if (type === COMMAND.write) this.#write(offset, data, (flags & FUA) !== 0)
    else if (type === COMMAND.flush) this.#flush()
    if (type === COMMAND.write || type === COMMAND.flush) answer(socket, handle)
    else if (type > COMMAND.flush) answer(socket, handle, undefined, EINVAL)
    return whole
  }

  #read(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    readSync(this.#file, bytes, 0, length, offset)
    return bytes
  }

  #write(offset: number, data: Buffer, isSafe: boolean): void {
    const first = Math.floor(offset / SECTOR)
    const before = this.#read(
      first * SECTOR,
      Math.ceil((offset + data.length) / SECTOR) * SECTOR - first * SECTOR,
    )
    for (let at = 0; at < before.length; at += SECTOR) {
      const sector = first + at / SECTOR
      if (!this.#stable.has(sector)) this.#stable.set(sector, before.subarray(at, at + SECTOR))
    }
    writeSync(this.#file, data, 0, data.length, offset)
    this.#cache.push({ offset, bytes: Buffer.from(data), isSafe })
    this.#onWrite?.()
  }

  #flush(): void {
    this.#cache = []
    this.#stable.clear()
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
