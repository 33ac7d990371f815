import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Test } from 'tap'

// Not 127.0.0.1: a call to a free port of its own address may be given that very port, and then reaches itself.
const HOST = '127.0.0.2'

/** The behavior of a printer towards incoming data. */
export interface PaperManners {
  /** Takes connections, reads nothing. */
  readonly isStalled?: boolean
  /** Reads at most so many bytes in a turn of the loop. */
  readonly bytesPerTurn?: number
  /** Resets every connection once it has read so many more bytes, and is then as it was before. */
  readonly cutAfter?: number
  /** Keeps what it takes until it has labels again. */
  readonly isEmpty?: boolean
  /** Turns of the loop that a label takes to come out, for one that answers. */
  readonly turnsPerLabel?: number
}

/** Patterns of the end of a label, and of a whole one: with its mark, and nothing but ends of lines before it and nothing in it. */
const LANGUAGES = {
  zpl: { end: /\^XZ\n?|~JA/, whole: /^\n*\^XA\^FX([\w-]+)\^FS *\^XZ\n?$/ },
  epl: { end: /\nP1\n/, whole: /^\n*N\n;([\w-]+)(?:\n; *)*\nP1\n$/ },
} as const

const QUESTION = /~HS|~HQES|~HI|! U1 getvar "([^"]*)"\r\n/
/** It travels in one packet: no cable ends in the middle of it. */
const HALF_QUESTION = /(?:~H?[A-Z]*|!(?: (?:U(?:1[^\r]*\r?)?)?)?)$/
const ANSWERED_END = new RegExp(`${LANGUAGES.zpl.end.source}|${QUESTION.source}`)
const frame = (text: string): string => `\u0002${text}\u0003\r\n`

/** The language of a printer of this kind. */
export type PaperLanguage = keyof typeof LANGUAGES

/** Callbacks for the output of a printer. */
export interface PaperListener {
  /** The mark of each label as it comes out. */
  readonly onPaper?: (mark: string) => void
  /** Called with output that is not a label as it was sent. */
  readonly onSpoiled?: (text: string) => void
  /** The mark of each label that it took and will not print: cleared, or its power was cut. */
  readonly onLost?: (mark: string) => void
}

/** The kind of a printer. */
export interface PaperKind {
  readonly language?: PaperLanguage
  /** Prints its labels one after the other, after it has taken them, and answers the questions of ZPL. */
  readonly answers?: boolean
}

/**
 * A network printer that keeps what it got of a label from one connection to the next, as real ones do, and prints
 * labels that bear a mark. One connection is served at a time, the others wait.
 */
export class PaperPrinter {
  readonly port: number
  #listener: PaperListener = {}
  #language: PaperLanguage = 'zpl'
  #answers = false
  readonly #kept: string[] = []
  #count = 1000
  #isPrinting = false
  #server: Server | undefined
  readonly #line: Socket[] = []
  #manners: PaperManners = {}
  #memory = ''

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port
    this.#use(server)
  }

  /** So many, for the histories of one lane. */
  static openAll(t: Test, count: number): Promise<readonly PaperPrinter[]> {
    const opening = Array.from({ length: count }, async () => {
      const printer = await PaperPrinter.open()
      t.teardown(() => printer.off())
      return printer
    })
    return Promise.all(opening)
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

  /** True when everything that it took has come out. */
  get isDone(): boolean {
    return this.#kept.length === 0
  }

  /** For the next history: it behaves well, has nothing of any label, and only this listener hears of it. */
  renew(listener: PaperListener, { language = 'zpl', answers = false }: PaperKind = {}): void {
    this.#language = language
    this.#answers = answers
    this.behave({})
    this.off()
    this.on()
    this.#listener = listener
  }

  /** Nobody hears of it any more. */
  release(): void {
    this.#listener = {}
  }

  behave(manners: PaperManners): void {
    this.#manners = manners
    this.#read()
    void this.#print()
  }

  /** Cuts the power: connections break, new ones are refused, and half a label is forgotten. */
  off(): void {
    this.#server?.close()
    this.#server = undefined
    this.#memory = ''
    this.#clear()
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
    this.#take(bytes.toString('latin1'), socket)
    if (cutAfter !== undefined) this.#countDown(cutAfter - bytes.length)
    setImmediate(() => this.#read()) // once more at the end too: only that tells of it
  }

  #countDown(left: number): void {
    const { cutAfter: _, ...others } = this.#manners
    this.#manners = left > 0 ? { ...others, cutAfter: left } : others
    if (left > 0) return
    this.#memory = this.#memory.replace(HALF_QUESTION, '')
    this.#reset()
  }

  #reset(): void {
    for (const socket of this.#line) {
      // libuv refuses a reset while our side is just being closed, and nothing tells of the end then.
      const isClosing = socket.writableEnded && !socket.writableFinished
      if (isClosing) socket.destroy()
      else socket.resetAndDestroy()
    }
  }

  #take(text: string, socket: Socket): void {
    const { end, whole } = LANGUAGES[this.#language]
    const ends = this.#answers ? ANSWERED_END : end
    this.#memory += text
    for (let found = ends.exec(this.#memory); found; found = ends.exec(this.#memory)) {
      const label = this.#memory.slice(0, found.index + found[0].length)
      this.#memory = this.#memory.slice(label.length)
      if (QUESTION.test(found[0])) {
        // It is answered at once, in the middle of a label too.
        this.#memory = label.slice(0, found.index) + this.#memory
        const answer = this.#answer(found[0], found[1] ?? '')
        if (!socket.destroyed) socket.write(answer, 'latin1')
      } else if (found[0] === '~JA') this.#clear()
      else this.#keep(whole.exec(label)?.[1], label)
    }
  }

  #keep(mark: string | undefined, label: string): void {
    if (mark === undefined) this.#listener.onSpoiled?.(label)
    else if (!this.#answers) this.#listener.onPaper?.(mark)
    else {
      this.#kept.push(mark)
      void this.#print()
    }
  }

  async #print(): Promise<void> {
    if (this.#isPrinting) return
    this.#isPrinting = true
    while (this.#kept.length > 0 && !this.#manners.isEmpty) {
      for (let n = this.#manners.turnsPerLabel ?? 1; n > 0; n -= 1) await turn()
      const mark = this.#manners.isEmpty ? undefined : this.#kept.shift()
      if (mark === undefined) continue
      this.#count += 1
      this.#listener.onPaper?.(mark)
    }
    this.#isPrinting = false
  }

  #clear(): void {
    for (const mark of this.#kept.splice(0)) this.#listener.onLost?.(mark)
  }

  /** Answers as ~HS does (ZPL II Programming Guide): kept labels are counted as formats in its buffer. */
  #answer(question: string, key: string): string {
    const { isEmpty } = this.#manners
    if (question === '~HI') return frame('ZD421-203dpi,V93.21.26Z,8,8176KB,X')
    if (question === '~HQES')
      return frame(
        `\r\n  PRINTER STATUS\r\n   ERRORS:         ${isEmpty ? '1 00000000 00000001' : '0 00000000 00000000'}\r\n   WARNINGS:       0 00000000 00000000\r\n`,
      )
    if (question === '~HS')
      return isEmpty
        ? '' // it is silent then
        : frame(`030,0,0,1225,${String(this.#kept.length).padStart(3, '0')},0,0,0,000,0,0,0`) +
            frame('001,0,0,0,1,2,6,0,00000000,1,000') +
            frame('1234,0')
    if (key === 'odometer.total_label_count') return `"${this.#count}"`
    return key === 'ezpl.print_width' ? '"832"' : '"?"'
  }
}
