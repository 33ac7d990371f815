import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Test } from 'tap'
import { EMULATED_MS, until } from '../until.ts'
import { type GadgetOptions, removeGadget } from './usb-gadget.ts'

/** An emulated printer, from its descriptors to its manners. */
export interface PrinterOptions extends GadgetOptions {
  /** 1 = it only listens, 2 = it answers. */
  readonly protocol: 1 | 2
  /** IEEE 1284 device id. */
  readonly deviceId: string
  /** The notation of its length: by the standard, low byte first, or without the two bytes of itself. */
  readonly deviceIdLength: 'big' | 'little' | 'short'
  /** Answer to GET_PORT_STATUS; `stall` = it does not know the request. */
  readonly portStatus: number | 'stall'
  /** Bytes that it takes before it stops, a multiple of 512. */
  readonly credit: number
  /** Queries and what it says to them. */
  readonly answers: readonly (readonly [query: string, answer: string])[]
}

/** Orders to the printer's process. */
export type Order =
  | { readonly do: 'plug' | 'unplug' | 'halt' | 'report' | 'forget' }
  | { readonly do: 'accept'; readonly bytes: number | 'all' }
  | { readonly do: 'status'; readonly byte: number | 'stall' }
  | { readonly do: 'answers'; readonly answers: PrinterOptions['answers'] }
  | { readonly do: 'say'; readonly bytes: Uint8Array }

/** Reports of the printer's process. */
export type PrinterEvent =
  | { readonly event: 'report'; readonly bytes: Uint8Array }
  | { readonly event: 'data'; readonly bytes: number }
  | { readonly event: string; readonly order?: string; readonly code?: string }

/** The printer's side, from source or beside the file that this has become part of (guest-program.ts). */
const PRINTER = import.meta.url.endsWith('.ts') ? './ffs-printer.ts' : './ffs-printer.js'

const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** A printer that answers by the standard and has all it needs. */
const DEFAULTS: Omit<PrinterOptions, 'name' | 'port'> = {
  vendorId: 0x0a5f,
  productId: 0x0081,
  serial: '',
  protocol: 2,
  manufacturer: 'Zebra Technologies',
  product: 'ZTC GK420d',
  deviceId: 'MFG:Zebra Technologies;CMD:EPL,ZPL;MDL:ZTC GK420d;CLS:PRINTER;',
  deviceIdLength: 'big',
  portStatus: 0x18,
  credit: NO_LIMIT,
  answers: [],
}

/** An emulated USB printer: the kernel enumerates it as it would a real one. */
export class UsbPrinter {
  readonly name: string
  readonly #port: number
  readonly #child: ChildProcess
  readonly #events = new EventEmitter()
  #taken = 0
  #trouble = ''
  #isPlugged = false

  private constructor(options: PrinterOptions) {
    this.name = options.name
    this.#port = options.port
    this.#events.setMaxListeners(100)
    this.#child = fork(new URL(PRINTER, import.meta.url), [JSON.stringify(options)], {
      serialization: 'advanced',
      env: withoutCoverage(process.env),
    })
    this.#child.on('message', (event: PrinterEvent) => {
      if (event.event === 'data') this.#taken += Number((event as { bytes: number }).bytes)
      if (event.event === 'forgotten') this.#taken = 0
      if ('code' in event) this.#trouble = `, ${event.event} ${event.code}`
      this.#events.emit(event.event, event)
      this.#events.emit('any', event)
    })
  }

  /** Switches it on, its plug still in the air; gone at the end of the test. */
  static async make(
    t: Test,
    options: Partial<PrinterOptions> & Pick<PrinterOptions, 'name' | 'port'>,
  ): Promise<UsbPrinter> {
    const printer = new UsbPrinter({ ...DEFAULTS, ...options })
    t.teardown(() => printer.remove())
    await printer.#next('ready')
    return printer
  }

  get isPlugged(): boolean {
    return this.#isPlugged
  }

  /** Plugs it in, if it is not; resolves when the computer has set it up and a driver has taken it. */
  async plug(): Promise<void> {
    if (this.#isPlugged) return
    const enabled = this.#next('enable')
    await this.#order({ do: 'plug' })
    await enabled
    this.#isPlugged = true
    const bus = this.#port + 1
    const look = () =>
      Promise.resolve(existsSync(`/sys/bus/usb/devices/${bus}-1:1.0/driver`) || undefined)
    await until(`a driver for ${this.name}`, look, EMULATED_MS)
  }

  async unplug(): Promise<void> {
    this.#isPlugged = false
    await this.#order({ do: 'unplug' })
  }

  /** Takes so many bytes more (a multiple of 512), or all. A read that is under way still takes up to 16 KiB. */
  async accept(bytes: number | 'all'): Promise<void> {
    await this.#order({ do: 'accept', bytes })
  }

  /** Sets the state of its port from now on. */
  async setPortStatus(byte: number | 'stall'): Promise<void> {
    await this.#order({ do: 'status', byte })
  }

  /** Sets its answers to queries from now on. */
  async setAnswers(answers: PrinterOptions['answers']): Promise<void> {
    await this.#order({ do: 'answers', answers })
  }

  /** Says something unasked. */
  async say(text: string): Promise<void> {
    await this.#order({ do: 'say', bytes: Buffer.from(text, 'latin1') })
  }

  /** Halts its data pipe, as a printer in trouble does. */
  async halt(): Promise<void> {
    await this.#order({ do: 'halt' })
  }

  /** All bytes that it has taken so far. */
  async received(): Promise<Buffer> {
    const report = this.#next('report')
    await this.#order({ do: 'report' })
    const [{ bytes }] = (await report) as [{ bytes: Uint8Array }]
    return Buffer.from(bytes)
  }

  /** Forgets what it has taken so far. */
  async forget(): Promise<void> {
    await this.#order({ do: 'forget' })
  }

  /** Resolves when it has taken so many bytes since it was made or last forgot. */
  async untilTaken(bytes: number): Promise<void> {
    const look = () => Promise.resolve(this.#taken >= bytes || undefined)
    const what = `${this.name} to take ${bytes} bytes`
    await until(what, look, EMULATED_MS).catch((error: Error) => {
      throw new Error(`${error.message}: it took ${this.#taken}${this.#trouble}`)
    })
  }

  /** Pulls the plug for good, with the power. */
  async remove(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    if (this.#isPlugged) await this.unplug()
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
    removeGadget(this.name)
  }

  async #next(event: string): Promise<unknown[]> {
    try {
      return await once(this.#events, event, { signal: AbortSignal.timeout(EMULATED_MS) })
    } catch (error) {
      throw new Error(`${this.name}: no '${event}' came${this.#trouble}`, { cause: error })
    }
  }

  async #order(order: Order): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const follow = (event: { event: string; order?: string; code?: string }) => {
      if (event.order !== order.do) return
      if (event.event === 'done') resolve()
      else reject(new Error(`${this.name}: ${order.do}: ${event.code}`))
    }
    const late = setTimeout(
      () => reject(new Error(`${this.name}: ${order.do} did not end${this.#trouble}`)),
      EMULATED_MS,
    )
    this.#events.on('any', follow)
    this.#child.send(order)
    await promise.finally(() => {
      clearTimeout(late)
      this.#events.off('any', follow)
    })
  }
}

/** The printers are not part of the program. */
function withoutCoverage({ NODE_V8_COVERAGE, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env
}
