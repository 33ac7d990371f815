import {
  type CallSpooler,
  type Document,
  type Out,
  oneAtATime,
  type Spooler,
  type SpoolFunctions,
} from '../../src/printers/devices/winspool/spooler.ts'

const BASE = 0x7ff0_0000_0000n // where buffers seem to lie in memory
const FIXED = 136 // PRINTER_INFO_2W of 64-bit Windows

/** A document in the queue of a stand-in printer. */
export interface SpoolJob {
  readonly document: Document
  bytes: Uint8Array
  status: number
  isEnded: boolean
  isKnown: boolean
}

/** A stand-in for winspool.drv with one printer whose queue sends each document at once. */
export class WindowsSpooler implements SpoolFunctions {
  readonly name: string
  readonly jobs: SpoolJob[] = []
  readonly calls: string[] = []
  /** The error of the next call that starts or writes a document; 0 = none. */
  error = 0
  /** The status bits of jobs; undefined = they are gone from the queue once they ended. */
  status: number | undefined
  /** Sizes of the answer about a job, at each of the next calls; then 120. */
  jobInfoBytes: number[] = []
  /** Nothing is done before this resolves. */
  hang: Promise<void> | undefined
  #lastError = 0

  constructor(name: string) {
    this.name = name
  }

  /** The spooler in the program's form. */
  get spooler(): Spooler {
    const call: CallSpooler = async (name, ...args) => {
      await new Promise(setImmediate)
      await this.hang
      const run = this[name] as (...args: readonly unknown[]) => number
      const value = run.apply(this, args)
      return { value, error: this.#lastError }
    }
    return { call: oneAtATime(call), addressOf: () => BASE }
  }

  EnumPrintersW(...args: Parameters<SpoolFunctions['EnumPrintersW']>): number {
    const [flags, , level, buffer, size, needed, count] = args
    this.calls.push(`list ${flags} at ${level}`)
    if (level === 4) {
      needed[0] = 0 // none is connected
      return 1
    }
    const texts = ['', this.name, 'share', 'USB001', 'ZDesigner ZD420-203dpi ZPL']
    const answer = makeInfo(texts)
    needed[0] = answer.length
    if (buffer === null || size < answer.length) return this.#fail(122)
    buffer.set(answer)
    count[0] = 1
    return 1
  }

  OpenPrinterW(name: string, handle: Out<unknown>): number {
    if (name !== this.name) return this.#fail(1801)
    handle[0] = 'handle'
    return 1
  }

  ClosePrinter(): number {
    this.calls.push('close')
    return 1
  }

  StartDocPrinterW(_handle: unknown, _level: 1, document: Document): number {
    if (this.error !== 0) return this.#fail(this.error)
    const job = { document, bytes: new Uint8Array(), status: 0, isEnded: false, isKnown: true }
    return this.jobs.push(job)
  }

  StartPagePrinter(): number {
    return 1
  }

  WritePrinter(_handle: unknown, bytes: Uint8Array, length: number, written: Out<number>): number {
    if (this.error !== 0) return this.#fail(this.error)
    const job = this.#last()
    job.bytes = Buffer.concat([job.bytes, bytes.subarray(0, length)])
    written[0] = length
    return 1
  }

  EndPagePrinter(): number {
    return 1
  }

  EndDocPrinter(): number {
    this.#last().isEnded = true
    return 1
  }

  GetJobW(...args: Parameters<SpoolFunctions['GetJobW']>): number {
    const [, id, , buffer, size, needed] = args
    const job = this.jobs[id - 1]
    needed[0] = 0
    const isGone = this.status === undefined && job?.isEnded
    if (job === undefined || isGone) return this.#fail(87)
    needed[0] = this.jobInfoBytes.shift() ?? 120
    if (buffer === null || size < needed[0]) return this.#fail(122)
    new DataView(buffer.buffer).setUint32(56, this.status ?? 0, true)
    return 1
  }

  SetJobW(_handle: unknown, id: number, _level: 0, _job: null, command: number): number {
    this.calls.push(`job ${id} command ${command}`)
    return 1
  }

  #last(): SpoolJob {
    const job = this.jobs.at(-1)
    if (job === undefined) throw new Error('no document was started')
    return job
  }

  #fail(code: number): number {
    this.#lastError = code
    return 0
  }
}

/** A PRINTER_INFO_2W whose first pointers point to these texts behind it; no pointer for ''. */
export function makeInfo(texts: readonly string[]): Uint8Array {
  const strings = texts.map((text) => Buffer.from(`${text}\0`, 'utf16le'))
  const bytes = Buffer.concat([Buffer.alloc(FIXED), ...strings])
  let at = FIXED
  for (const [index, text] of texts.entries()) {
    if (text !== '') bytes.writeBigUInt64LE(BASE + BigInt(at), index * 8)
    at += strings[index]?.length ?? 0
  }
  return bytes
}
