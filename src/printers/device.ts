import { access, constants } from 'node:fs/promises'
import { type Advice, PrinterFault } from './fault.ts'

/** A printer that a device can see now. Decision `failed-send`. */
export interface FoundPrinter {
  /** Device URI, ready for `open`. */
  readonly uri: string
  /** The name that the system gave it (a queue's); left out = it is named after its model. */
  readonly name?: string
  /** For people, e.g. `Zebra LP2844`. */
  readonly makeAndModel: string
  /** The printer's IEEE 1284 device id, e.g. `MFG:Zebra ;CMD:None;MDL:LP2844 ;`. */
  readonly deviceId?: string
  /** USB vendor and product id. */
  readonly vendorId?: number
  readonly productId?: number
  readonly serial?: string
  /** Another text after the printer was switched off and on or plugged in again (it enumerated again). */
  readonly session?: string
  /** Device URI of the printer behind a queue of another spooler, so that one printer is not listed twice. */
  readonly behind?: string
  /** A sentence when it is seen but cannot be used as things are, e.g. for want of rights; with what to do. */
  readonly hindrance?: string
}

/** Settings for the status questions to printers behind a device. */
export interface InquirySettings {
  /** Questions in the printer's own language reach it beside its labels, and `receive` brings the answers. */
  readonly isTwoWay: boolean
  /** Seconds between questions to an idle printer: long where a question keeps other computers off the line. */
  readonly idleSeconds: number
  /** The line lives on between two uses and is ours alone: a late answer is read by the next query. */
  readonly keepsLine?: true
}

/** Advice on a paused printer: its name, or a sentence of the device's own. */
export type PausedAdvice = { readonly advice: Advice } | { readonly words: string }

/** A way for bytes to reach a printer. Adding a way = one file with one of these, its test, one line in `./index.ts`. */
export interface Device<S extends string = string> {
  /** The part of a device URI before `:`, e.g. `socket` in `socket://10.0.0.7:9100`. */
  readonly scheme: S
  /** An example URI and a sentence, for the docs and for the message about a bad URI. */
  readonly example: string
  readonly about: string
  /**
   * Tells in words why the URI cannot be used, or undefined when it can. Never touches the device. `text` is the URI as a person wrote it,
   * from which `new URL()` may have removed dots and slashes.
   */
  check(uri: URL, text?: string): string | undefined
  /** Printers that can be seen now. Never throws: what cannot be seen is not listed. */
  list(signal: AbortSignal): Promise<readonly FoundPrinter[]>
  /**
   * Opens, exclusively, for one job; a handle below may live on (USB must keep it).
   * @throws PrinterFault PRINTER_OFFLINE, PRINTER_BUSY: no byte has left. An abort is PRINTER_OFFLINE with the
   *   signal's reason as its cause
   */
  open(uri: URL, signal: AbortSignal): Promise<Connection>
  /** True where `list` may list what is not a printer (a serial adapter): shown, and used only once a person added it. */
  readonly guesses?: true
  /** Its finds are queues, and the printers behind them may be found by another device too. */
  readonly findsQueues?: true
  /** Its printers hang on a cable of this machine. */
  readonly attached?: true
  /** Status questions to printers of this kind; left out = never, for each question would be a job of its own. */
  readonly asking?: InquirySettings
  /** Nothing but a call tells whether a printer is there: until then it is not ready. */
  readonly isRemote?: true
  /** Explains `paused`; left out = the printer has a button for it. */
  explainPaused?(uri: URL): PausedAdvice
  /** Tells of printers that come and go until `signal` aborts. */
  watch?(changed: () => void, signal: AbortSignal): void
  /** Gives back what it holds between jobs: the program ends. Nothing is opened afterwards. */
  close?(): Promise<void>
}

/** An open connection: exclusive, one job long. */
export interface Connection {
  /** The most bytes to hand over at a time, so that a slow line shows progress before it looks stalled. */
  readonly chunkBytes?: number
  /** False while nothing of what `send` has taken can come out, e.g. before a spooler has its end; left out = it may. */
  readonly mayPrint?: boolean
  /**
   * Resolves with every byte accepted, which is not yet a printed label. Waits as long as the printer takes no
   * data: that is not a failure, only `signal` ends it.
   * @throws PrinterFault PRINTER_LOST, whose `accepted` counts the bytes of this call that surely were taken; 0 does not
   *   prove that nothing left. An abort is PRINTER_LOST too, with the signal's reason as its cause
   */
  send(bytes: Uint8Array, signal: AbortSignal): Promise<void>
  /** Bytes the printer sent back within `ms`; empty for one-way printers. */
  receive(ms: number, signal: AbortSignal): Promise<Uint8Array>
  /** Reads the printer's status as IPP `printer-state-reasons`; works while `send` is blocked. */
  status?(signal: AbortSignal): Promise<readonly string[]>
  /**
   * After the last byte and before `confirm`: resolves when the printer has taken what is still on its way, e.g. in the
   * spool of CUPS or in the buffers of the network. May last as long as `send`, and is watched and ended like it.
   * Calls `flowing` again and again while the printer goes on taking bytes. False when nobody can say that it took all.
   * @throws PrinterFault PRINTER_LOST when the label was cut or may have been printed in part
   */
  finish?(flowing: () => void, signal: AbortSignal): Promise<boolean>
  /**
   * After the last byte: true when the printer itself said that the label was printed, false when it cannot say.
   * @throws PrinterFault PRINTER_LOST when the link broke with bytes still on their way
   */
  confirm?(signal: AbortSignal): Promise<boolean>
  /** Tells the printer to drop what it has of this job. */
  cancel?(signal: AbortSignal): Promise<void>
  /** Keeps a PNG of the label beside its bytes; only the virtual printer has this. */
  keepPicture?(png: Uint8Array): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Lets one job at a time to each printer of a device. */
export class OneJobEach {
  readonly #taken = new Set<string>()

  has(key: string): boolean {
    return this.#taken.has(key)
  }

  /**
   * Opens the printer of this key; `release` ends the job, as does a failure to open.
   * @throws PrinterFault PRINTER_BUSY
   */
  async open<T>(
    key: string,
    title: string,
    begin: (release: () => void) => Promise<T>,
  ): Promise<T> {
    if (this.has(key)) {
      throw new PrinterFault('PRINTER_BUSY', `${title} is printing another label.`)
    }
    this.#taken.add(key)
    const release = () => void this.#taken.delete(key)
    try {
      return await begin(release)
    } catch (error) {
      release()
      throw error
    }
  }
}

/** True when this process may read and write the file of a printer. */
export async function mayUse(file: string): Promise<boolean> {
  return await access(file, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** A percent-decoded part of a URI; `otherwise`, or the part unchanged, if a percent sign is invalid. */
export function decodePart(part: string, otherwise = part): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return otherwise
    throw error
  }
}
