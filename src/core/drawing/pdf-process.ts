import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import type { PdfAnswer, PdfQuestion } from '#labels'
import { watchTime } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { explainLabelFault } from '../label-faults.ts'

/** Locations of the program that reads PDFs, and its environment. Decision `pdfium-child`. */
export interface PdfFiles {
  readonly entry: URL
  /** PDFium as WebAssembly. */
  readonly wasm: URL
  /** The whole environment of the process: the variables of `PDF_VARIABLES` that are set. Default: none. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Bounds of the process that reads PDFs. */
export interface PdfSettings extends PdfFiles {
  /** Processor time for one question, in ms; six times as long by the clock. Default 10 s. */
  readonly timeLimitMs?: number
  /** A child without work is ended after this. Default 5 s. */
  readonly idleMs?: number
}

type ProcessSettings = PdfFiles & Required<Omit<PdfSettings, keyof PdfFiles>>

const TICKS_PER_SECOND = 100 // USER_HZ of every Linux that Node.js runs on (proc(5), sysconf _SC_CLK_TCK)
const START_MS = 30_000

/**
 * A process that reads PDFs, one question at a time. It is killed when a question takes too much time or memory: in a thread PDFium would
 * leave 30 MB behind in the server. It reads foreign files, so it may read its own program and nothing else.
 */
export class PdfProcess {
  readonly #settings: ProcessSettings
  #child: ChildProcess | undefined
  /** The document that the child holds. */
  #digest = ''
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(settings: ProcessSettings) {
    this.#settings = settings
  }

  close(): void {
    this.#isClosed = true
    this.end()
  }

  /** Ends the process; its memory goes back at once. */
  end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#digest = ''
  }

  /**
   * Asks the process about a PDF.
   * @throws PlatenError PICTURE_*, FIELD_INVALID, SERVER_BUSY; the signal's reason
   */
  async ask(
    pdf: Uint8Array,
    { paper, ask }: Pick<PdfQuestion, 'paper' | 'ask'>,
    signal: AbortSignal,
  ): Promise<PdfAnswer> {
    const child = await this.#start()
    if (signal.aborted) {
      this.#rest()
      throw signal.reason
    }
    const digest = createHash('sha256').update(pdf).digest('base64')
    const isKnown = digest === this.#digest
    this.#digest = digest
    const question: PdfQuestion = { pdf: isKnown ? undefined : pdf, paper, ask }
    try {
      const answer = await this.#await(child, question, signal)
      if (!('fault' in answer)) return answer
      this.#digest = ''
      throw explainLabelFault(answer.fault)
    } catch (error) {
      // After an answer the child is sound; else it is in the middle of something, or gone.
      if (!(error instanceof PlatenError) || isFatal(error)) this.end()
      throw error
    } finally {
      this.#rest()
    }
  }

  async #start(): Promise<ChildProcess> {
    clearTimeout(this.#idle)
    if (this.#isClosed) throw new PlatenError('PICTURE_MEMORY', 'The print server is stopping.')
    if (this.#child !== undefined) return this.#child
    const { entry, wasm } = this.#settings
    const child = fork(entry, [fileURLToPath(wasm)], {
      // The single executable takes no flags so: the child sets those of V8 itself, which saves 8 MB less.
      execArgv: isSea() ? [] : [...FLAGS, ...limitRights(this.#settings)],
      env: this.#settings.variables ?? {},
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
    this.end()
    // Nothing is known of the PDF: the computer is short of memory or processes, or its card is slow.
    throw new PlatenError('SERVER_BUSY', 'The program that reads PDFs could not be started.', {
      hint: say('waitAMoment'),
    })
  }

  async #await(
    child: ChildProcess,
    question: PdfQuestion,
    signal: AbortSignal,
  ): Promise<PdfAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<PdfAnswer>()
    const stop = (): void => reject(signal.reason)
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
    signal.addEventListener('abort', stop, { once: true })
    try {
      child.send(question, (error) => {
        if (error !== null) die()
      })
      return await promise
    } finally {
      watch.end()
      child.off('message', resolve)
      child.off('exit', die)
      signal.removeEventListener('abort', stop)
    }
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.end(), this.#settings.idleMs).unref()
    this.#child?.unref()
    this.#child?.channel?.unref()
  }
}

/** Flags for less memory: the quick compiler alone halves it, and 64 MB are enough for every real PDF. */
const FLAGS = ['--liftoff-only', '--wasm-max-mem-pages=1024'] as const

/**
 * Flags that limit the rights of the process: it reads its program and PDFium, writes only its `oom_score_adj`, and needs a thread that
 * watches its parent.
 */
function limitRights({ entry, wasm }: PdfFiles): readonly string[] {
  const isSource = entry.pathname.endsWith('.ts')
  // The bundle lies around PDFium; the packages of the source may be a link.
  const around = ['../', '../../node_modules/', '../../package.json']
  const own = isSource ? around.map((path) => new URL(path, entry)) : []
  const roots = [...own, new URL('./', wasm)]
  const folders = roots.flatMap((url) => {
    const folder = fileURLToPath(url)
    return [folder, realpathSync(folder)]
  })
  return [
    '--permission',
    '--allow-worker',
    ...new Set(folders.map((folder) => `--allow-fs-read=${folder}`)),
    ...(process.platform === 'linux' ? ['--allow-fs-write=/proc/self/oom_score_adj'] : []),
  ]
}

/**
 * Variables that the process gets: how glibc keeps memory, what Windows needs to open a socket, and where the single executable has
 * unpacked itself. All others stay away: among them the service manager names its secrets.
 */
export const PDF_VARIABLES: readonly string[] = [
  'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'SystemRoot',
  ...(isSea() ? ['HOME', 'XDG_CACHE_HOME', 'LOCALAPPDATA', 'USERPROFILE'] : []),
]

function isFatal({ code, message }: PlatenError): boolean {
  return code === 'PICTURE_TIMEOUT' || code === 'PICTURE_MEMORY' || message === ''
}

/** Processor time of a process, from `utime` and `stime` of proc(5); undefined on systems without it. */
async function usedMs(pid: number | undefined): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}
