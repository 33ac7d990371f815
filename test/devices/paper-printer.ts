import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

// Not 127.0.0.1: a call to a free port of its own address may be given that very port, and then reaches itself.
const HOST = '127.0.0.2'

/** How a printer takes what comes. */
export interface PaperManners {
  /** Takes connections, reads nothing. */
  readonly isStalled?: boolean
  /** Reads at most so many bytes in a turn of the loop. */
  readonly bytesPerTurn?: number
  /** Resets every connection once it has read so many more bytes, and is then as it was before. */
  readonly cutAfter?: number
}

/** Where a label ends, and what a whole one is: with its mark, and nothing but ends of lines before it and nothing in it. */
const LANGUAGES = {
  zpl: { end: /\^XZ\n?|~JA/, whole: /^\n*\^XA\^FX([\w-]+)\^FS *\^XZ\n?$/ },
  epl: { end: /\nP1\n/, whole: /^\n*N\n;([\w-]+)(?:\n; *)*\nP1\n$/ },
} as const

/** The language of a printer of this kind. */
export type PaperLanguage = keyof typeof LANGUAGES

/**
 * A network printer that keeps what it got of a label from one connection to the next, as real ones do, and prints
 * labels that bear a mark. One connection is served at a time, the others wait.
 */
export class PaperPrinter {
  readonly port: number
  language: PaperLanguage = 'zpl'
  /** Called with the mark of each label as it comes out. */
  onPaper: (mark: string) => void = () => undefined
  /** Called with what came out that is not a label as it was sent. */
  onSpoiled: (text: string) => void = () => undefined
  #server: Server | undefined
  readonly #line: Socket[] = []
  #manners: PaperManners = {}
  #memory = ''

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port
    this.#use(server)
  }

  static async open(): Promise<PaperPrinter> {
    const server = createServer({ allowHalfOpen: true }).listen(0, HOST)
    await once(server, 'listening')
    return new PaperPrinter(server)
  }

  get uri(): string {
    return `socket://${HOST}:${this.port}`
  }

  /** True when nobody is connected. */
  get isAlone(): boolean {
    return this.#line.length === 0
  }

  /** True when it reads what comes. */
  get isReading(): boolean {
    return !this.#manners.isStalled
  }

  behave(manners: PaperManners): void {
    this.#manners = manners
    this.#read()
  }

  /** Cuts the power: connections break, new ones are refused, and half a label is forgotten. */
  off(): void {
    this.#server?.close()
    this.#server = undefined
    this.#memory = ''
    this.#reset()
  }

  /** Takes connections again, on the same port. */
  on(): void {
    if (this.#server !== undefined) return
    this.#use(createServer({ allowHalfOpen: true }).listen(this.port, HOST))
  }

  #use(server: Server): void {
    this.#server = server
    server.on('connection', (socket) => this.#serve(socket))
  }

  #serve(socket: Socket): void {
    this.#line.push(socket)
    socket.on('readable', () => this.#read())
    socket.on('end', () => socket.end())
    socket.on('error', () => undefined) // whoever prints gave up
    socket.on('close', () => {
      this.#line.splice(this.#line.indexOf(socket), 1)
      this.#read()
    })
  }

  #read(): void {
    const [socket] = this.#line
    const { isStalled, bytesPerTurn = Number.POSITIVE_INFINITY, cutAfter } = this.#manners
    if (socket === undefined || isStalled || socket.destroyed) return
    const waiting = socket.readableLength
    const most = Math.min(bytesPerTurn, cutAfter ?? Number.POSITIVE_INFINITY, waiting)
    const bytes: Buffer | null = socket.read(waiting === 0 ? undefined : most)
    if (bytes === null) return
    this.#take(bytes.toString('latin1'))
    if (cutAfter !== undefined) this.#countDown(cutAfter - bytes.length)
    setImmediate(() => this.#read()) // once more at the end too: only that tells of it
  }

  #countDown(left: number): void {
    const { cutAfter: _, ...others } = this.#manners
    this.#manners = left > 0 ? { ...others, cutAfter: left } : others
    if (left <= 0) this.#reset()
  }

  #reset(): void {
    for (const socket of this.#line) socket.resetAndDestroy()
  }

  #take(text: string): void {
    const { end, whole } = LANGUAGES[this.language]
    this.#memory += text
    for (let found = end.exec(this.#memory); found; found = end.exec(this.#memory)) {
      const label = this.#memory.slice(0, found.index + found[0].length)
      this.#memory = this.#memory.slice(label.length)
      if (found[0] === '~JA') continue
      const mark = whole.exec(label)?.[1]
      if (mark === undefined) this.onSpoiled(label)
      else this.onPaper(mark)
    }
  }
}
