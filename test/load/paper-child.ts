import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ageOf, markOf } from './label.ts'
import type { PaperAnswer, PaperAsk } from './paper.ts'

// Network printers in a process of their own: they take no time from the loop of the server or of whoever measures.

const LABEL_END = '^XZ'
const LAST_READ_MS = 5_000 // on a busy machine; a server that sees the end closes at once

/** A printer that reads all it gets and remembers its labels. */
class NetworkPrinter {
  readonly marks: string[] = []
  readonly times: number[] = []
  readonly ages: number[] = []
  readonly #sockets = new Set<Socket>()
  #isFull = false
  #server: Server | undefined
  port = 0

  async up(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket))
    this.#server = server
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
  }

  /** Switches the printer off. Bytes that its network has acknowledged are in the printer: it still reads those. */
  async down(): Promise<void> {
    await new Promise(setImmediate) // connections that wait to be accepted
    this.#server?.close()
    const open = [...this.#sockets].filter((socket) => !socket.isPaused())
    const ends = open.map((socket) => once(socket.end(), 'close').catch(() => undefined))
    await Promise.race([Promise.all(ends), sleep(LAST_READ_MS)])
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Reads nothing while it is full. */
  fill(isFull: boolean): void {
    this.#isFull = isFull
    for (const socket of this.#sockets) isFull ? socket.pause() : socket.resume()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    if (this.#isFull) queueMicrotask(() => socket.pause())
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined) // the server is killed now and then
    let text = ''
    socket.on('data', (chunk) => {
      const parts = `${text}${chunk.toString('latin1')}`.split(LABEL_END)
      text = parts.pop() ?? ''
      for (const label of parts) this.#take(markOf(label))
    })
  }

  #take(mark: string): void {
    const age = ageOf(mark)
    if (age !== undefined) {
      this.ages.push(age)
      return
    }
    this.marks.push(mark)
    this.times.push(performance.timeOrigin + performance.now())
  }
}

const printers = Array.from({ length: Number(process.argv[2]) }, () => new NetworkPrinter())

async function answer(ask: PaperAsk): Promise<PaperAnswer> {
  if (ask === 'up') await Promise.all(printers.map((printer) => printer.up()))
  if (ask === 'down') await Promise.all(printers.map((printer) => printer.down()))
  const [what, place] = ask.split(' ')
  const one = place === undefined ? undefined : printers[Number(place)]
  if (what === 'off') await one?.down()
  if (what === 'on') await one?.up()
  if (what === 'full' || what === 'empty') one?.fill(what === 'full')
  return {
    ports: printers.map(({ port }) => port),
    counts: printers.map(({ marks }) => marks.length),
    marks: ask === 'marks' ? printers.map(({ marks }) => marks) : [],
    times: ask === 'marks' ? printers.map(({ times }) => times) : [],
    ages: ask === 'ages' ? printers.flatMap(({ ages }) => ages.splice(0)) : [],
  }
}

process.on('message', (ask: PaperAsk) => {
  void answer(ask).then((told) => process.send?.(told))
})
process.on('disconnect', () => process.exit())
