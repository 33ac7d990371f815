/** A handle of winspool.drv. */
export type Handle = unknown

/** DOC_INFO_1W: a document for the queue. */
export interface Document {
  readonly pDocName: string
  readonly pOutputFile: null
  readonly pDatatype: 'RAW'
}

/** Where a function of C puts a number or a handle. */
export type Out<T> = [T]

/**
 * The functions of winspool.drv that we use, by their own names and with their own arguments: Microsoft, "Print Spooler API
 * Functions". Each gives 0 when it failed.
 */
export interface SpoolFunctions {
  EnumPrintersW(
    ...list: [flags: number, name: null, level: 2 | 4, ...BufferArguments, count: Out<number>]
  ): number
  OpenPrinterW(name: string, handle: Out<Handle>, defaults: null): number
  ClosePrinter(handle: Handle): number
  /** Gives the job's number. */
  StartDocPrinterW(handle: Handle, level: 1, document: Document): number
  StartPagePrinter(handle: Handle): number
  WritePrinter(handle: Handle, bytes: Uint8Array, length: number, written: Out<number>): number
  EndPagePrinter(handle: Handle): number
  EndDocPrinter(handle: Handle): number
  GetJobW(...job: [handle: Handle, id: number, level: 1, ...BufferArguments]): number
  SetJobW(handle: Handle, id: number, level: 0, job: null, command: number): number
}

type BufferArguments = [buffer: Uint8Array | null, size: number, needed: Out<number>]

/** What a function gave, and the code of GetLastError on its thread. */
export interface Answer {
  readonly value: number
  readonly error: number
}

/** Calls one of them on another thread; resolves when it is done, which a spooler that hangs never is. */
export type CallSpooler = <N extends keyof SpoolFunctions>(
  name: N,
  ...args: Parameters<SpoolFunctions[N]>
) => Promise<Answer>

/** The print system of Windows. */
export interface Spooler {
  readonly call: CallSpooler
  /** Where a buffer lies in memory: the pointers in an answer point into it. */
  addressOf(buffer: Uint8Array): bigint
}

const BUFFER = 'void *buffer, uint32_t size, _Out_ uint32_t *needed'
const JOB = 'void *handle, uint32_t id, uint32_t level'

/** The functions as C declares them; text is UTF-16. 64-bit Windows has one calling convention, so none is named. */
export const SIGNATURES = {
  EnumPrintersW: `int EnumPrintersW(uint32_t flags, str16 name, uint32_t level, ${BUFFER}, _Out_ uint32_t *count)`,
  OpenPrinterW: 'int OpenPrinterW(str16 name, _Out_ void **handle, void *defaults)',
  ClosePrinter: 'int ClosePrinter(void *handle)',
  StartDocPrinterW:
    'uint32_t StartDocPrinterW(void *handle, uint32_t level, DOC_INFO_1W *document)',
  StartPagePrinter: 'int StartPagePrinter(void *handle)',
  WritePrinter:
    'int WritePrinter(void *handle, void *bytes, uint32_t length, _Out_ uint32_t *written)',
  EndPagePrinter: 'int EndPagePrinter(void *handle)',
  EndDocPrinter: 'int EndDocPrinter(void *handle)',
  GetJobW: `int GetJobW(${JOB}, ${BUFFER})`,
  SetJobW: `int SetJobW(${JOB}, void *job, uint32_t command)`,
} as const satisfies Record<keyof SpoolFunctions, string>

/** The structures that the functions name. */
export const STRUCTS = {
  DOC_INFO_1W: { pDocName: 'str16', pOutputFile: 'str16', pDatatype: 'str16' },
} as const

/** Loads winspool.drv. Only on Windows; `make test-wine` runs it. */
export async function loadSpooler(): Promise<Spooler> {
  const { default: koffi } = await import('koffi')
  const library = koffi.load('winspool.drv')
  for (const [name, members] of Object.entries(STRUCTS)) koffi.struct(name, members)
  const functions = Object.fromEntries(
    Object.entries(SIGNATURES).map(([name, signature]) => [name, library.func(signature)]),
  )
  const lastError = koffi.load('kernel32.dll').func('uint32_t GetLastError()')
  const call = (name: string, ...args: readonly unknown[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      // koffi keeps the thread's last error for the time of this callback.
      functions[name]?.async(...args, (fault: Error | null, value: number) => {
        if (fault === null) resolve({ value, error: lastError() })
        else reject(fault)
      })
    })
  return { call: oneAtATime(call), addressOf: (bytes) => koffi.address(bytes) }
}

/** In turn: each call holds one of Node's few threads for files and names, and a spooler that hangs must not take them all. */
export function oneAtATime(call: CallSpooler): CallSpooler {
  let last: Promise<unknown> = Promise.resolve()
  return (name, ...args) => {
    const next = last.then(() => call(name, ...args))
    last = next.catch(() => undefined)
    return next
  }
}
