import { PrinterFault } from '../../fault.ts'
import { takeTurns } from '../../wait.ts'

/** A handle of winspool.drv. */
export type Handle = unknown

/** DOC_INFO_1W: a document for the queue. */
export interface Document {
  readonly pDocName: string
  readonly pOutputFile: null
  readonly pDatatype: 'RAW'
}

/** Output parameter of a C function: a number or a handle. */
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

/** Result of a function, and the code of GetLastError on its thread. */
export interface SpoolerResult {
  readonly value: number
  readonly error: number
}

/** Calls one of them on another thread; resolves when it is done, which a spooler that hangs never is. */
export type CallSpooler = <N extends keyof SpoolFunctions>(
  name: N,
  ...args: Parameters<SpoolFunctions[N]>
) => Promise<SpoolerResult>

/** The print system of Windows. */
export interface Spooler {
  readonly call: CallSpooler
  /** Gives the address of a buffer: the pointers in an answer point into it. */
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
  const call = (name: string, ...args: readonly unknown[]): Promise<SpoolerResult> =>
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
  const inTurn = takeTurns()
  return (name, ...args) => inTurn(() => call(name, ...args))
}

/** A printer of the Windows spooler. */
export interface SpoolPrinter {
  readonly name: string
  /** `USB001`, `COM3:`, an address, `FILE:` … */
  readonly port: string
  /** `ZDesigner GK420d` */
  readonly driver: string
}

const POINTER = 8 // bytes; Node 24 runs on 64-bit Windows only
/** PRINTER_INFO_2W, and PRINTER_INFO_4W with its padding; where in them is the text of each field. */
const LAYOUTS = {
  2: { size: 13 * POINTER + 8 * 4, name: 1, port: 3, driver: 4 },
  4: { size: 3 * POINTER, name: 0, port: undefined, driver: undefined },
} as const
const LONGEST = 1_024 // characters of a name

/** Decodes what EnumPrintersW put into `bytes`, which lie at the address `base`. */
export function readPrinters(
  bytes: Uint8Array,
  base: bigint,
  count: number,
  level: 2 | 4 = 2,
): readonly SpoolPrinter[] {
  const { size, ...fields } = LAYOUTS[level]
  const most = Math.min(count, Math.floor(bytes.length / size))
  return Array.from({ length: most }, (_, index) => {
    const read = (field: number | undefined) =>
      field === undefined ? '' : readText(bytes, base, index * size + field * POINTER)
    return { name: read(fields.name), port: read(fields.port), driver: read(fields.driver) }
  })
}

/** The status bits in what GetJobW at level 1 gave: JOB_INFO_1W has a number, six pointers and then these. */
export function readJobStatus(bytes: Uint8Array): number {
  return view(bytes).getUint32(7 * POINTER, true)
}

/** The text that a pointer at `offset` points to; '' for none, or when it points elsewhere. */
function readText(bytes: Uint8Array, base: bigint, offset: number): string {
  const start = Number(view(bytes).getBigUint64(offset, true) - base)
  let text = ''
  for (let at = start; at >= 0 && at + 1 < bytes.length && text.length < LONGEST; at += 2) {
    const unit = view(bytes).getUint16(at, true)
    if (unit === 0) break
    text += String.fromCharCode(unit)
  }
  return text
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// JOB_STATUS_… of winspool.h
const PAUSED = 0x1
const ERROR = 0x2
const DELETING = 0x4
const OFFLINE = 0x20
const PAPEROUT = 0x40
const PRINTED = 0x80
const DELETED = 0x100
const BLOCKED = 0x200
const INTERVENTION = 0x400
const COMPLETE = 0x1000

/** A job's status bits as IPP printer-state-reasons; empty when nothing holds it up. */
export function listReasons(status: number): readonly string[] {
  const pairs = [
    [PAPEROUT, 'media-empty'],
    [OFFLINE, 'offline'],
    [PAUSED, 'paused'],
    [ERROR | BLOCKED | INTERVENTION, 'other'],
  ] as const
  return pairs.filter(([bits]) => (status & bits) !== 0).map(([, reason]) => reason)
}

/** Judges what became of a job: on its way, sent to the printer, or taken out of the queue by somebody. */
export function judgeJob(status: number): 'waiting' | 'sent' | 'deleted' {
  if ((status & (PRINTED | COMPLETE)) !== 0) return 'sent'
  return (status & (DELETING | DELETED)) === 0 ? 'waiting' : 'deleted'
}

/** GetJobW's error for a job that the queue has no more: it was sent, unless the queue keeps printed documents. */
export const JOB_UNKNOWN = 87 // ERROR_INVALID_PARAMETER

// Error codes of winerror.h
const ACCESS_DENIED = 5
const DISK_FULL = 112
const RPC_UNAVAILABLE = 1722
const NAME_UNKNOWN = 1801
const DATATYPE_UNKNOWN = 1804

/** Explains why a printer of Windows cannot be opened. */
export function explainSpooler(code: number, name: string): PrinterFault {
  return new PrinterFault('PRINTER_OFFLINE', explainCode(code, `"${name}"`), {
    advice: 'mendWindows',
  })
}

/** Explains an error code of the spooler to a person. */
export function explainCode(code: number, name: string): string {
  switch (code) {
    case ACCESS_DENIED:
      return `Windows does not let this user print on ${name}: allow it in the printer's properties, Security.`
    case DISK_FULL:
      return 'The disk of this computer is full: Windows cannot take the label.'
    case RPC_UNAVAILABLE:
      return 'The print spooler of Windows does not run: start the service "Print Spooler".'
    case NAME_UNKNOWN:
      return `Windows knows no printer named ${name}: choose one of those that it lists.`
    case DATATYPE_UNKNOWN:
      return `The driver of ${name} takes no raw labels: install the printer maker's own driver, or "Generic / Text Only".`
    default:
      return `Windows does not take the label for ${name} (error ${code}).`
  }
}
