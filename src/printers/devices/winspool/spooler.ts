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
 * The functions of winspool.drv (and GetLastError) that we use, by their own names and with their own arguments: Microsoft,
 * "Print Spooler API Functions". Each gives 0 when it failed.
 */
export interface Spooler {
  EnumPrintersW(
    ...list: [flags: number, name: null, level: 2, ...BufferArguments, count: Out<number>]
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
  GetLastError(): number
  /** Where a buffer lies in memory: the pointers in an answer point into it. */
  addressOf(buffer: Uint8Array): bigint
}

type BufferArguments = [buffer: Uint8Array | null, size: number, needed: Out<number>]

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
} as const satisfies Partial<Record<keyof Spooler, string>>

/** The structures that the functions name. */
export const STRUCTS = {
  DOC_INFO_1W: { pDocName: 'str16', pOutputFile: 'str16', pDatatype: 'str16' },
} as const

/** Loads winspool.drv. Only on Windows, and never run by us: there is no Windows in the tests. */
export async function loadSpooler(): Promise<Spooler> {
  const { default: koffi } = await import('koffi')
  const library = koffi.load('winspool.drv')
  for (const [name, members] of Object.entries(STRUCTS)) koffi.struct(name, members)
  const define = (name: keyof typeof SIGNATURES) => library.func(SIGNATURES[name])
  return {
    EnumPrintersW: define('EnumPrintersW'),
    OpenPrinterW: define('OpenPrinterW'),
    ClosePrinter: define('ClosePrinter'),
    StartDocPrinterW: define('StartDocPrinterW'),
    StartPagePrinter: define('StartPagePrinter'),
    WritePrinter: define('WritePrinter'),
    EndPagePrinter: define('EndPagePrinter'),
    EndDocPrinter: define('EndDocPrinter'),
    GetJobW: define('GetJobW'),
    SetJobW: define('SetJobW'),
    GetLastError: koffi.load('kernel32.dll').func('uint32_t GetLastError()'),
    addressOf: (bytes) => koffi.address(bytes),
  }
}
