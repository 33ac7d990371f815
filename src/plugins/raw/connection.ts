import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { answerQuestion, type PortQuestion } from '#labels'
import { HELD_MOST } from '../../core/intake/parked.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { ArrivalPace } from '../../core/request/arrival.ts'
import { findPageAddress, readEverywhere } from '../../system/address.ts'
import { pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import type { DoorBox } from '../door/door.ts'
import type { RawLimits, RawPort } from './settings.ts'
import { Splitter } from './split.ts'
import type { Piece } from './stream.ts'

/** Pieces handled before other connections have their turn. Decision `raw-end-is-no-answer`. */
const PIECES_A_TURN = 100

interface RawConnectionParts {
  readonly box: DoorBox
  readonly place: RawPort
  readonly owner: string
  readonly limits: RawLimits
  readonly signal: AbortSignal
  /** Tells whether this connection may read on. */
  readonly mayGrow: (connection: RawConnection) => boolean
}

/** Codes of errors after which the label is tried again: nothing of it was taken. */
const LATER: ReadonlySet<string> = new Set(['SPOOL_FULL', 'SPOOL_BROKEN', 'SERVER_BUSY'])
const NO_PRINTER: ReadonlySet<string> = new Set([
  'PRINTER_UNKNOWN',
  'PRINTER_NONE',
  'PRINTER_AMBIGUOUS',
])

/** Thrown when nothing came for too long, when too little came, or when the door closes. */
class Silence extends Error {}

/** Thrown when the other side or the network cut the connection. */
class ConnectionBroken extends Error {}

/**
 * A connection whose labels become jobs one after the other, each before the next is read. While the spool takes nothing, nothing is read,
 * so that the sender waits and our memory does not fill. Once everything was taken the connection ends normally; when something was not, it
 * is reset, which is all that this protocol can say.
 */
export class RawConnection {
  readonly #socket: Socket
  readonly #parts: RawConnectionParts
  readonly #splitter = new Splitter()
  readonly #leaving = new AbortController()
  #begunAt = 0
  /** The pace of the label that is arriving. */
  #pace: ArrivalPace
  #isSlow = false
  #isBusy = false
  /** True when nothing that still comes is a label. */
  #isOver = false
  #isLast = false
  #isAsked = false // to leave behind the label that is on its way
  /** Bytes that were read, less those of a label without its end. */
  #taken = 0

  constructor(socket: Socket, parts: RawConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#pace = this.#newPace()
  }

  /** Bytes held of a label that is arriving. */
  get held(): number {
    return this.#splitter.length
  }

  get isIdle(): boolean {
    return !this.#isBusy && this.held === 0 && !this.#leaving.signal.aborted
  }

  /** Ends the connection: reads only what has already come and the rest of a label that is arriving; whole labels are taken. */
  leave(): void {
    this.#isAsked = true
    if (this.held === 0) this.#leaving.abort()
    else setTimeout(() => this.#leaving.abort(), this.#parts.limits.leaveMs).unref()
  }

  /** Runs until the connection has ended. Rejects only with bugs of ours. */
  async run(): Promise<void> {
    try {
      const isEnded = await this.#readAll()
      this.#splitter.end(isEnded)
      await this.#handleAll()
      // The other side may wait for our end, as the word that all was taken. Its first label may be on its way.
      const isLeft = !isEnded && this.#leaving.signal.aborted
      if (isLeft && this.#taken < Math.max(1, this.#socket.bytesRead)) throw new RawRefusal()
      this.#socket.end()
      // Whoever does not close its side is not waited for.
      setTimeout(() => this.#socket.destroy(), this.#parts.limits.againMs).unref()
    } catch (error) {
      this.#socket.resetAndDestroy()
      if (!(error instanceof RawRefusal)) throw error
    }
  }

  /** Reads everything; true when the other side ended the connection, false when it was cut or silent for too long. */
  async #readAll(): Promise<boolean> {
    const chunks = this.#socket.iterator({ destroyOnReturn: false })
    try {
      while (!this.#isOver) {
        const asked = performance.now()
        const next = await this.#readOne(chunks)
        if (next.done) return true
        const chunk = next.value as Buffer
        this.#time(chunk.length, performance.now() - asked)
        this.#taken += chunk.length
        this.#splitter.push(chunk)
        await this.#handleAll()
        await this.#checkSize()
        if (this.#isAsked && this.held === 0) this.#leaving.abort()
      }
      return true
    } catch (error) {
      // A fault of ours is none of the socket's: nobody may think that all was taken.
      if (!(error instanceof Silence || error instanceof ConnectionBroken)) throw error
      return false // what is not whole is evidence
    }
  }

  /** Notes that `bytes` came after `ms`. A label that these bytes complete was not too slow. */
  #time(bytes: number, ms: number): void {
    if (this.held === 0) {
      this.#begunAt = performance.now()
      this.#pace = this.#newPace()
      this.#isSlow = false
      return
    }
    this.#isSlow = this.#pace.note(bytes, ms) !== undefined
  }

  #newPace(): ArrivalPace {
    const { silentMs: bodyIdleMs, bytesPerSecond: bodyBytesPerSecond } = this.#parts.limits
    return new ArrivalPace({ bodyIdleMs, bodyBytesPerSecond })
  }

  /** Reads the next piece. @throws Silence */
  async #readOne(chunks: NodeJS.AsyncIterator<unknown>): Promise<IteratorResult<unknown>> {
    const hasMore = !this.#isLast && this.#socket.readableLength > 0
    this.#isLast = this.#leaving.signal.aborted
    if (this.#isLast && !hasMore) throw new Silence()
    const step = chunks.next().catch((cause: unknown) => {
      throw new ConnectionBroken('The connection broke.', { cause })
    })
    if (this.#splitter.isUnsure) await this.#settle(step)
    return await this.#within(step, hasMore)
  }

  /** Waits whether anything follows what may be the method of an HTTP request; if nothing does, it is a label. */
  async #settle(step: Promise<unknown>): Promise<void> {
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, this.#leaving.signal])
    const isQuiet = await Promise.race([
      step.then(
        () => false,
        () => false,
      ),
      pause(this.#parts.limits.settleMs, signal).then(() => true),
    ])
    over.abort()
    if (!isQuiet) return
    this.#splitter.settle()
    await this.#handleAll()
  }

  /** Waits for `step` within the time limits; `isThere`: the bytes have already come. @throws Silence */
  async #within<T>(step: Promise<T>, isThere: boolean): Promise<T> {
    const { silentMs, idleMs, labelMs } = this.#parts.limits
    const { promise, reject } = Promise.withResolvers<never>()
    const left = this.#begunAt + labelMs - performance.now()
    // A stream without pauses never triggers the timer, but still needs a limit.
    if (this.held > 0 && left <= 0) throw new Silence()
    const ms = this.held === 0 ? idleMs : Math.min(silentMs, left)
    const stop = (): void => reject(new Silence())
    const timer = setTimeout(stop, ms)
    this.#leaving.signal.addEventListener('abort', stop, { once: true })
    if (this.#leaving.signal.aborted && !isThere) stop()
    step.catch(() => undefined)
    try {
      return await Promise.race([step, promise])
    } finally {
      clearTimeout(timer)
      this.#leaving.signal.removeEventListener('abort', stop)
    }
  }

  /** Checks the size and pace of the label. @throws RawRefusal for a label that is too large, Silence for one that comes drop by drop */
  async #checkSize(): Promise<void> {
    if (this.#isSlow && this.held > 0) throw new Silence()
    const { box, limits, mayGrow } = this.#parts
    const most = box.config().max_body_mb * 2 ** 20
    if (this.held > most) {
      const message = `The label has more than ${most} bytes, wanted at most ${most}.`
      const beginning = this.#splitter.begin(limits.evidenceBytes)
      await this.#setAside(beginning, new PlatenError('BODY_TOO_LARGE', message))
      throw new RawRefusal()
    }
    while (this.held > 0 && !mayGrow(this) && !this.#leaving.signal.aborted) {
      await pause(limits.againMs / 10, this.#leaving.signal)
    }
  }

  async #handleAll(): Promise<void> {
    this.#isBusy = true
    let pieces = 0
    for (let piece = this.#splitter.next(); piece !== undefined; piece = this.#splitter.next()) {
      await this.#handle(piece)
      pieces += 1
      // Thousands of questions may stand in what came at once, and none of them waits for anything.
      if (pieces % PIECES_A_TURN === 0) await turn()
    }
    this.#isBusy = false
  }

  async #handle(piece: Piece): Promise<void> {
    switch (piece.kind) {
      case 'label':
        return await this.#take(piece.bytes)
      case 'broken': {
        this.#taken -= piece.bytes.length
        const message = `The connection ended after ${piece.bytes.length} bytes of a label, before its end.`
        return await this.#setAside(piece.bytes, new PlatenError('LABEL_CUT', message))
      }
      case 'rest':
        return this.#parts.box.log.info(
          this.#name({ bytes: piece.bytes.length }),
          'raw rest left out',
        )
      case 'question':
        return this.#answer(piece.question)
      case 'http':
      case 'foreign':
        if (piece.kind === 'http') this.#socket.write(this.#sayHttp())
        else this.#leaveOut(piece.protocol)
        this.#splitter.clear()
        this.#isOver = true
    }
  }

  /** Tries to take a label until it is on disk or held for a person, or the door closes. @throws RawRefusal */
  async #take(bytes: Uint8Array): Promise<void> {
    const { box, limits, signal } = this.#parts
    for (;;) {
      const fault = await this.#tryTake(bytes)
      if (fault === undefined) return
      if (signal.aborted) throw new RawRefusal()
      box.log.warn(this.#name({ code: fault.code }), 'raw label waits')
      await pause(limits.againMs, signal)
    }
  }

  /** Takes a label; undefined when it is on disk, as a job or held; else the error after which it is tried again. */
  async #tryTake(bytes: Uint8Array): Promise<PlatenError | undefined> {
    const { box, place, owner } = this.#parts
    const options = place.printer === undefined ? {} : { printer: place.printer }
    try {
      await box.intake.take({ labels: [bytes], options, source: 'raw', network: owner })
      return undefined
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      if (LATER.has(error.code)) return error
      return (await this.#keep(bytes, error)) ? undefined : error
    }
  }

  /** Keeps a label that cannot print where a person sees it. False = there is no room now. */
  async #keep(bytes: Uint8Array, error: PlatenError): Promise<boolean> {
    if (!NO_PRINTER.has(error.code)) {
      await this.#setAside(bytes, error)
      return true
    }
    try {
      await this.#door().park({ labels: [bytes], options: {} }, error)
      return true
    } catch (second) {
      if (!(second instanceof PlatenError)) throw second
      if (LATER.has(second.code)) return false
      await this.#setAside(bytes, second)
      return true
    }
  }

  /**
   * Keeps bytes as evidence. When the page already holds enough, they are dropped: a reset would make the sender repeat the labels around
   * them.
   * @throws RawRefusal when the disk has no room
   */
  async #setAside(bytes: Uint8Array, error: PlatenError): Promise<void> {
    const { foreign } = this.#splitter
    if (foreign !== undefined) {
      this.#leaveOut(foreign)
      return
    }
    try {
      await this.#door().setAside({ bytes: Uint8Array.from(bytes), error })
    } catch (second) {
      if (!(second instanceof PlatenError)) throw second
      const more = { code: error.code, message: error.message, lost: second.message }
      this.#parts.box.log.warn(this.#name(more), 'raw junk dropped')
      if (this.#parts.box.spool.history.counts()['pending-held'] < HELD_MOST) throw new RawRefusal()
    }
  }

  /** Drops the bytes with a line in the log: they were not meant as a label, and as evidence they would crowd out real evidence. */
  #leaveOut(protocol: string): void {
    this.#parts.box.log.info(this.#name({ protocol }), 'raw left out')
  }

  #door() {
    return this.#parts.box.intake.forSource('raw', this.#parts.place.printer)
  }

  #answer(question: PortQuestion): void {
    const { box, limits } = this.#parts
    const printer = this.#printer()
    if (printer === undefined) return
    box.scheduler.attend(printer.name)
    const waiting = box.spool.line.waiting().get(printer.name) ?? 0
    const { makeAndModel, dpi, media, status } = printer
    const facts = { makeAndModel, dpi, media, reasons: status.reasons, waiting }
    this.#socket.write(answerQuestion(question, facts), 'latin1')
    if (this.#socket.writableLength > limits.unreadBytes) throw new RawRefusal()
  }

  #printer(): KnownPrinter | undefined {
    try {
      return this.#parts.box.printers.resolve(this.#parts.place.printer)
    } catch (error) {
      if (error instanceof PlatenError) return undefined
      throw error
    }
  }

  #sayHttp(): string {
    const { host, ip, port } = this.#parts.box.info()
    const page = findPageAddress(readEverywhere(host) === undefined ? host : ip, port)
    const text = `This port takes labels as they are. The page of the print server is at ${page}.\n`
    const type = 'Content-Type: text/plain; charset=utf-8'
    return `HTTP/1.1 400 Bad Request\r\n${type}\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  }

  #name(more: object): object {
    const { owner, place } = this.#parts
    return { from: owner, port: place.port, ...more }
  }
}

/** Thrown when something was not taken: the connection is reset. */
class RawRefusal extends Error {}
