import { Worker } from 'node:worker_threads'
import {
  type FormatToRender,
  findDecoder,
  type RenderedLabel,
  type RenderReply,
  type RenderRequest,
} from '#labels'
import { type TimeUp, takeTurns, watchTime } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import type { FailureCode } from '../../words/failures.ts'
import { explainLabelFault } from '../label-faults.ts'
import { moveOutOfHeap } from '../request/reader.ts'
import { type PdfPart, Pdfs } from './pdf.ts'
import type { PdfFiles } from './pdf-process.ts'
import { paperOf } from './target.ts'

/** Bounds of the render thread. Decision `drawing-thread`. */
export interface RendererSettings {
  /** The thread's entry. */
  readonly worker: URL
  readonly pdf: PdfFiles
  /**
   * Processor time for one picture, to which 2 s are added for each million pixels; after it the thread is ended and started again. Default
   * 10 s.
   */
  readonly timeLimitMs?: number
  /** A thread without work is ended after this, so that its memory goes back. Default 30 s. */
  readonly idleMs?: number
  /** Heap of the thread; buffers are bounded by the picture gate. Default 128 MB. */
  readonly heapMb?: number
  /** Called when a thread is started; the function that it returns is called when the thread runs or has failed. */
  readonly onStart?: () => () => void
}

/**
 * Size of a label after which the thread is ended: V8 and malloc would keep 10 MB for the next one, and photos are rare. The next label
 * then waits 30 ms for a new thread.
 */
const RETIRE_BYTES = 2 ** 20

/** Failures after which the thread is gone, or must go. */
const ENDED: readonly FailureCode[] = ['PICTURE_MEMORY', 'PICTURE_TIMEOUT']

/** A picture, a document or a label of a PDF to be drawn. */
export interface PictureRequest extends Omit<RenderRequest, 'id' | 'page'> {
  /** The label of a PDF. */
  readonly part?: PdfPart
}

/** Owns the killable thread that draws: one picture at a time, each with a time limit. */
export class Renderer {
  /** Reads and draws PDFs, in processes of its own. */
  readonly pdfs: Pdfs
  readonly #settings: Required<RendererSettings>
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #inTurn = takeTurns()
  #id = 0
  #isClosed = false
  /** Bytes of the largest label so far. */
  #largest = 0

  constructor(settings: RendererSettings) {
    const onStart = () => () => undefined
    this.#settings = { timeLimitMs: 10_000, idleMs: 30_000, heapMb: 128, onStart, ...settings }
    this.pdfs = new Pdfs({ ...settings.pdf, timeLimitMs: this.#settings.timeLimitMs })
  }

  /**
   * Draws one picture or document, after those asked for before. The label moves to the thread: its memory is gone from here afterwards.
   * `begin`: called when its turn has come.
   * @throws PlatenError PICTURE_*, PRINTER_LANGUAGE as rendering says; PICTURE_TIMEOUT; PICTURE_MEMORY when the thread died; the signal's
   * reason when it aborts
   */
  async render(
    picture: PictureRequest,
    signal: AbortSignal,
    begin: () => void = () => undefined,
  ): Promise<RenderedLabel> {
    return await this.#inTurn(async () => {
      signal.throwIfAborted()
      begin()
      return await this.#draw(await this.#readPage(picture, signal), signal)
    })
  }

  /** Ends the thread; pending pictures fail with PICTURE_MEMORY. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.pdfs.close()
    await this.#stop()
  }

  /** Reads a label of a PDF as gray dots; all other labels are left as they are. */
  async #readPage(
    picture: PictureRequest,
    signal: AbortSignal,
  ): Promise<Omit<RenderRequest, 'id'>> {
    const { part = { page: 1, area: undefined }, ...request } = picture
    if (request.format !== 'pdf') return request
    const { target } = request
    const drawn = await this.pdfs.draw(request.label, part, paperOf(target), signal)
    const { plane, notes, placed } = drawn
    const { width, height, luma } = plane
    return { ...request, label: luma, page: { width, height, notes, placed } }
  }

  async #draw(picture: Omit<RenderRequest, 'id'>, signal: AbortSignal): Promise<RenderedLabel> {
    const bytes = picture.label.length
    this.#largest = Math.max(this.#largest, bytes)
    const label = bytes > RETIRE_BYTES ? moveOutOfHeap(picture.label, this.#largest) : picture.label
    const worker = this.#start()
    this.#id += 1
    const request: RenderRequest = { ...picture, label, id: this.#id }
    const limit = new AbortController()
    const timeMs = drawingTime(picture.format, label, this.#settings.timeLimitMs)
    const watch = watchTime(
      () => usedMs(worker),
      timeMs,
      (time) => limit.abort(timeout(picture.format, bytes, time)),
    )
    try {
      const reply = await ask(worker, request, AbortSignal.any([signal, limit.signal]))
      if ('rendered' in reply) return reply.rendered
      if ('fault' in reply) throw explainLabelFault(reply.fault)
      throw new PlatenError('INTERNAL', reply.crash)
    } catch (error) {
      // After a reply the thread is sound; anything else leaves it in the middle of something.
      if (error instanceof PlatenError && !ENDED.includes(error.code)) throw error
      await this.#stop()
      throw error
    } finally {
      watch.end()
      if (bytes > RETIRE_BYTES) await this.#stop()
      else this.#rest()
    }
  }

  #start(): Worker {
    clearTimeout(this.#idle)
    if (this.#isClosed) throw new PlatenError('PICTURE_MEMORY', 'The print server is stopping.')
    if (this.#worker === undefined) {
      const worker = new Worker(this.#settings.worker, {
        resourceLimits: { maxOldGenerationSizeMb: this.#settings.heapMb },
      })
      const started = this.#settings.onStart()
      worker.once('online', started).once('exit', started)
      // Without a listener an error of an idle thread would end the program.
      worker.on('error', () => this.#forget(worker))
      worker.once('exit', () => this.#forget(worker))
      this.#worker = worker
    }
    this.#worker.ref()
    return this.#worker
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
  }

  #rest(): void {
    this.#worker?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#stop(), this.#settings.idleMs).unref()
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}

function timeout(format: string, bytes: number, time: TimeUp): PlatenError {
  const what = time.isProcessorTime ? ' of processor time' : ', in which it did not get on'
  return new PlatenError(
    'PICTURE_TIMEOUT',
    `Drawing the ${format} of ${bytes} bytes was stopped after ${Math.round(time.seconds)} s${what}.`,
  )
}

/** Buffers to transfer: a label that is alone in its memory moves with it, any other is copied. */
function moveable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

/** Sends the request and waits for its reply, the thread's death or the signal, whichever comes first. */
async function ask(
  worker: Worker,
  request: RenderRequest,
  signal: AbortSignal,
): Promise<RenderReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RenderReply>()
  const fail = (cause: unknown): void => {
    const why = cause instanceof Error ? cause.message : `exit ${cause}`
    reject(
      new PlatenError(
        'PICTURE_MEMORY',
        `Drawing the ${request.format} ended the render thread: ${why}.`,
        {
          cause,
        },
      ),
    )
  }
  const take = (reply: RenderReply): void => {
    if (reply.id === request.id) resolve(reply)
  }
  const stop = (): void => reject(signal.reason)
  worker.on('message', take)
  worker.once('error', fail)
  worker.once('exit', fail)
  signal.addEventListener('abort', stop, { once: true })
  try {
    worker.postMessage(request, moveable(request.label))
    return await promise
  } finally {
    worker.off('message', take)
    worker.off('error', fail)
    worker.off('exit', fail)
    signal.removeEventListener('abort', stop)
  }
}

// On this project's machine (x86-64) the slowest picture that the gate lets through takes 0.2 s a megapixel; a small
// ARM core is 4 to 12 times slower.
const MS_PER_MEGAPIXEL = 2_000

/** Processor time that a picture may take, in ms: `baseMs` and more for each of its pixels. */
export function drawingTime(format: FormatToRender, label: Uint8Array, baseMs: number): number {
  return baseMs + (countPixels(format, label) / 1_000_000) * MS_PER_MEGAPIXEL
}

/** Counts the pixels of a picture; 0 for documents, and for bytes that are not a picture: the thread reports those at once. */
function countPixels(format: FormatToRender, label: Uint8Array): number {
  try {
    return findDecoder(format)?.header(label).pixels ?? 0
  } catch {
    return 0
  }
}

/** Processor time of the thread so far; 0 if it has not begun or has ended, which shows in other ways. */
async function usedMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
