import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { PlatenError } from '../../errors.ts'
import type { Area } from '../../render/pdf/layout.ts'
import type { DrawnPage, Paper, PdfAnswer, PdfLabel, PdfQuestion } from '../../render/pdf/look.ts'
import { say } from '../../sentences.ts'
import { takeTurns, watchTime } from '../../wait.ts'

/** Where the process that reads PDFs lies. */
export interface PdfFiles {
  readonly entry: URL
  /** PDFium as WebAssembly. */
  readonly wasm: URL
}

/** How it is kept in bounds. */
export interface PdfSettings extends PdfFiles {
  /** Processor time for one question, in ms; six times as long by the clock. Default 10 s. */
  readonly timeLimitMs?: number
  /** A child without work is ended after this. Default 5 s. */
  readonly idleMs?: number
}

/** Which label of a PDF. */
export interface PdfPart {
  /** From 1. */
  readonly page: number
  readonly area: Area | undefined
}

/** A PDF and what of it is meant. */
export interface PdfWish {
  readonly pages: string | undefined
  readonly area: Area | undefined
}

const TICKS_PER_SECOND = 100 // USER_HZ of every Linux that Node.js runs on (proc(5), sysconf _SC_CLK_TCK)
const START_MS = 30_000

/**
 * Reads PDFs in a process of its own, which is killed when one takes too long or too much memory: in a thread PDFium
 * would leave 30 MB behind in the server. One question at a time.
 */
export class Pdfs {
  readonly #settings: Required<PdfSettings>
  #child: ChildProcess | undefined
  /** The document that the child holds. */
  #digest = ''
  #idle: NodeJS.Timeout | undefined
  readonly #inTurn = takeTurns()
  #isClosed = false

  constructor(settings: PdfSettings) {
    this.#settings = { timeLimitMs: 10_000, idleMs: 5_000, ...settings }
  }

  /**
   * The labels of a PDF, in the order in which they print. `begin`: called when its turn has come.
   * @throws PlatenError PICTURE_*, FIELD_INVALID for a page that is not there, SERVER_BUSY; the signal's reason
   */
  async list(
    pdf: Uint8Array,
    wish: PdfWish,
    paper: Paper,
    signal?: AbortSignal,
    begin?: () => void,
  ) {
    const answer = await this.#inTurn(() => this.#ask(pdf, paper, { list: wish }, signal, begin))
    return (answer as { readonly labels: readonly PdfLabel[] }).labels
  }

  /**
   * One label of a PDF in gray, at the head's resolution.
   * @throws PlatenError PICTURE_*, SERVER_BUSY; the signal's reason
   */
  async draw(
    pdf: Uint8Array,
    label: PdfPart,
    paper: Paper,
    signal?: AbortSignal,
  ): Promise<DrawnPage> {
    const answer = await this.#inTurn(() => this.#ask(pdf, paper, { draw: label }, signal))
    return (answer as { readonly drawn: DrawnPage }).drawn
  }

  close(): void {
    this.#isClosed = true
    this.#end()
  }

  async #ask(
    pdf: Uint8Array,
    paper: Paper,
    ask: PdfQuestion['ask'],
    signal?: AbortSignal,
    begin?: () => void,
  ): Promise<PdfAnswer> {
    signal?.throwIfAborted()
    begin?.()
    const child = await this.#start()
    if (signal?.aborted) {
      this.#rest()
      throw signal.reason
    }
    const digest = createHash('sha256').update(pdf).digest('base64')
    const isKnown = digest === this.#digest
    this.#digest = digest
    const question: PdfQuestion = { pdf: isKnown ? undefined : pdf, paper, ask }
    try {
      const answer = await this.#await(child, question, signal)
      if (!('error' in answer)) return answer
      const { code, message, hint, detail } = answer.error
      this.#digest = ''
      throw new PlatenError(code, message, { hint, detail })
    } catch (error) {
      // After an answer the child is sound; else it is in the middle of something, or gone.
      if (!(error instanceof PlatenError) || isFatal(error)) this.#end()
      throw error
    } finally {
      this.#rest()
    }
  }

  async #start(): Promise<ChildProcess> {
    clearTimeout(this.#idle)
    if (this.#isClosed) throw new PlatenError('PICTURE_MEMORY', 'The print server is stopping.')
    if (this.#child !== undefined) return this.#child
    const child = fork(this.#settings.entry, [fileURLToPath(this.#settings.wasm)], {
      // The single executable takes no flags of V8 so: the child sets them itself, which saves 8 MB less.
      execArgv: isSea() ? [] : ['--liftoff-only', '--wasm-max-mem-pages=1024'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('error', () => undefined) // seen by its exit
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    this.#digest = ''
    this.#child = child
    const exited = once(child, 'exit')
    const ready = once(child, 'message', { signal: AbortSignal.timeout(START_MS) })
    const [first] = await Promise.race([ready, exited]).catch(() => [undefined])
    if (first === 'ready') return child
    this.#end()
    // Nothing is known of the PDF: the computer is short of memory or processes, or its card is slow.
    throw new PlatenError('SERVER_BUSY', 'The program that reads PDFs could not be started.', {
      hint: say('waitAMoment'),
    })
  }

  async #await(
    child: ChildProcess,
    question: PdfQuestion,
    signal?: AbortSignal,
  ): Promise<PdfAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<PdfAnswer>()
    const stop = (): void => reject(signal?.reason)
    const die = (): void =>
      reject(new PlatenError('PICTURE_MEMORY', 'The PDF needs more memory than a label may take.'))
    const watch = watchTime(
      () => usedMs(child.pid),
      this.#settings.timeLimitMs,
      ({ seconds }) =>
        reject(
          new PlatenError('PICTURE_TIMEOUT', `Drawing the PDF was stopped after ${seconds} s.`, {
            hint: say('reprintPdf'),
          }),
        ),
    )
    child.once('message', resolve)
    child.once('exit', die)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      child.send(question, (error) => {
        if (error !== null) die()
      })
      return await promise
    } finally {
      watch.end()
      child.off('message', resolve)
      child.off('exit', die)
      signal?.removeEventListener('abort', stop)
    }
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#settings.idleMs).unref()
    this.#child?.unref()
    this.#child?.channel?.unref()
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#digest = ''
  }
}

function isFatal({ code, message }: PlatenError): boolean {
  return code === 'PICTURE_TIMEOUT' || code === 'PICTURE_MEMORY' || message === ''
}

/** Processor time of a process, from `utime` and `stime` of proc(5); undefined where the system does not tell it so. */
async function usedMs(pid: number | undefined): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}
