import { userInfo } from 'node:os'
import { join } from 'node:path'
import { mayUse, OneJobEach } from '../../device.ts'
import { parseDeviceId } from '../../device-id.ts'
import { PrinterFault } from '../../fault.ts'
import { untilAborted } from '../../wait.ts'
import { readUsbFault, type UsbPackage } from './package.ts'
import { keyOf, sessionOf, titleOf, type UsbLine, type UsbPrinter } from './printer.ts'

/** Dependencies for opening a printer. */
export interface LinesParts {
  readonly dev: string
  readonly load: () => Promise<UsbPackage>
  readonly lpChild: URL | undefined
  /** Drivers and device nodes can be looked at. */
  readonly isLinux: boolean
}

interface LineEntry {
  readonly session: string
  readonly opening: Promise<UsbLine>
  line: UsbLine | undefined
  deviceId: string | undefined
}

/** The printers that this process holds: each opened once, kept from job to job, given back at the end. */
export class UsbLines {
  readonly #parts: LinesParts
  readonly #entries = new Map<string, LineEntry>()
  readonly jobs = new OneJobEach()

  constructor(parts: LinesParts) {
    this.#parts = parts
  }

  /** True when the printer is ours, so that what sysfs says of its driver is our own doing. */
  holds(printer: UsbPrinter): boolean {
    return this.#find(printer) !== undefined
  }

  /** Tells in words why the printer cannot be used at present; undefined when it can. */
  async hinder(printer: UsbPrinter): Promise<string | undefined> {
    const { dev, isLinux } = this.#parts
    if (!isLinux || this.holds(printer)) return undefined
    if (!isFree(printer)) return explainBusy(printer)
    if (await mayOpen(dev, printer)) return undefined
    return (await this.#findLp(printer)) === undefined ? explainRights(printer) : undefined
  }

  /** The device id as the printer itself told it. */
  deviceId(printer: UsbPrinter): string | undefined {
    return this.#find(printer)?.deviceId
  }

  /**
   * The line to a printer that was taken: the one that is held, or a new one.
   * @throws PrinterFault PRINTER_OFFLINE, PRINTER_BUSY
   */
  async open(printer: UsbPrinter, signal: AbortSignal): Promise<UsbLine> {
    await this.#forgetBroken(printer)
    const entry = this.#find(printer) ?? this.#begin(printer)
    if (!(await untilAborted(entry.opening, signal))) {
      const message = `The call to ${titleOf(printer)} was given up.`
      throw new PrinterFault('PRINTER_OFFLINE', message, { cause: signal.reason })
    }
    return await entry.opening.catch((error: unknown) => {
      throw explainClosed(error, printer)
    })
  }

  /** Lets go of what is no longer plugged in, or was plugged in again. */
  drop(printers: readonly UsbPrinter[]): void {
    const present = new Set(printers.map((each) => `${keyOf(each)} ${sessionOf(each)}`))
    for (const [key, { session, line }] of this.#entries) {
      if (line === undefined || present.has(`${key} ${session}`)) continue
      if (this.jobs.has(key)) continue // its job finds out by itself
      this.#entries.delete(key)
      void line.abandon()
    }
  }

  /** Gives every printer back; nothing is opened any more. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(({ line }) => line?.giveBack()))
  }

  #find(printer: UsbPrinter): LineEntry | undefined {
    const entry = this.#entries.get(keyOf(printer))
    return entry?.session === sessionOf(printer) ? entry : undefined
  }

  #begin(printer: UsbPrinter): LineEntry {
    const entry: LineEntry = {
      session: sessionOf(printer),
      opening: this.#dial(printer).then((line) => this.#welcome(line, entry)),
      line: undefined,
      deviceId: undefined,
    }
    this.#entries.set(keyOf(printer), entry)
    entry.opening.catch(() => this.#forget(entry)) // reported to those that wait for it
    return entry
  }

  async #welcome(line: UsbLine, entry: LineEntry): Promise<UsbLine> {
    // It took so long that the printer was plugged in again meanwhile, or that the program ends.
    if (![...this.#entries.values()].includes(entry)) await line.giveBack()
    entry.line = line
    entry.deviceId = await readDeviceId(line)
    return line
  }

  #forget(entry: LineEntry): void {
    for (const [key, each] of this.#entries) if (each === entry) this.#entries.delete(key)
  }

  /** A line that broke, or that the kernel's driver took back, is opened again. */
  async #forgetBroken(printer: UsbPrinter): Promise<void> {
    const entry = this.#entries.get(keyOf(printer))
    const { line } = entry ?? {}
    if (entry === undefined || line === undefined) return
    const wasLost = line.isClaim && isFree(printer) && this.#parts.isLinux
    if (this.#find(printer) === entry && !line.isBroken && !wasLost) return
    this.#entries.delete(keyOf(printer))
    await line.abandon()
  }

  async #dial(printer: UsbPrinter): Promise<UsbLine> {
    if (!isFree(printer)) throw new Error(`the driver ${printer.driver} has it: EBUSY`)
    try {
      const { usb } = await this.#parts.load()
      const devices = await usb.getDevices()
      const device = devices.find(
        ({ bus, address }) => isSameBus(bus, printer.bus) && address === printer.address,
      )
      if (device === undefined) throw new Error('it went away: device not found')
      const { HeldInterface } = await import('./held-interface.ts')
      return await HeldInterface.claim(device, printer)
    } catch (error) {
      const fault = readUsbFault(error)
      const lp = fault === 'denied' || fault === 'unknown' ? await this.#findLp(printer) : undefined
      if (lp === undefined) throw error
      const { LpLine } = await import('./lp-line.ts')
      return await LpLine.open(lp.entry, lp.file)
    }
  }

  /** The other way, through the kernel's own driver: no rights are needed but those on its file. */
  async #findLp(printer: UsbPrinter): Promise<{ entry: URL; file: string } | undefined> {
    const { lpChild: entry, dev } = this.#parts
    const file = entry && (await findLpFile(dev, printer))
    return entry && file ? { entry, file } : undefined
  }
}

async function readDeviceId(line: UsbLine): Promise<string | undefined> {
  const answer = await line.readDeviceId()
  return answer && parseDeviceId(answer)?.text
}

/** The package writes `002`, sysfs `2`; elsewhere a bus has a name. */
function isSameBus(one: string, other: string): boolean {
  const plain = (bus: string) => bus.replace(/^0+(?=\d)/, '')
  return plain(one) === plain(other)
}

function explainClosed(error: unknown, printer: UsbPrinter): PrinterFault {
  const fault = readUsbFault(error)
  const more = { cause: error }
  if (fault === 'busy') {
    return new PrinterFault('PRINTER_BUSY', explainBusy(printer), more)
  }
  if (fault === 'denied') {
    return new PrinterFault('PRINTER_OFFLINE', explainRights(printer), {
      ...more,
      advice: 'tellKeeper',
    })
  }
  const said = error instanceof Error ? error.message : String(error)
  return new PrinterFault(
    'PRINTER_OFFLINE',
    `${titleOf(printer)} cannot be opened (${said}).`,
    more,
  )
}

const NODE_DIGITS = 3 // /dev/bus/usb/002/007

/** The message when a USB printer may not be opened: what is missing and how to fix it. */
function explainRights(printer: UsbPrinter): string {
  const user = nameUser()
  return `${titleOf(printer)} is plugged in, but ${user ? `the user ${user}` : 'this user'} has no right to use it: copy udev/70-platen.rules (docs/printers.md has it, too) to /etc/udev/rules.d/70-platen.rules, run "sudo udevadm control --reload" and "sudo usermod -aG lp ${user || 'USER'}", then log in again, start platen and plug the printer in again.`
}

/** For the packer, who cannot put rights right. */
/** The sentence for a printer that somebody else has. */
function explainBusy(printer: UsbPrinter): string {
  const isProgram = isFree(printer) || printer.driver === 'usbfs'
  const who = isProgram ? 'another program' : `the driver ${printer.driver}`
  return `${titleOf(printer)} is in use by ${who} of this computer: close that, or print through it.`
}

/** Drivers that give the printer up when they are asked: the kernel's own, or none. */
function isFree(printer: UsbPrinter): boolean {
  return printer.driver === '' || printer.driver === 'usblp'
}

/** Tells whether this process may open the printer itself. */
async function mayOpen(dev: string, { bus, address }: UsbPrinter): Promise<boolean> {
  const [folder, node] = [bus, String(address)].map((text) => text.padStart(NODE_DIGITS, '0'))
  return await mayUse(join(dev, 'bus/usb', folder ?? '', node ?? ''))
}

/** The printer's file of the kernel's driver, when this process may use it. */
async function findLpFile(dev: string, printer: UsbPrinter): Promise<string | undefined> {
  if (printer.lp === undefined) return undefined
  const file = join(dev, 'usb', printer.lp)
  return (await mayUse(file)) ? file : undefined
}

function nameUser(): string {
  try {
    return userInfo().username
  } catch {
    return '' // a container may run as a number without a name
  }
}
