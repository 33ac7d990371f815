import { findPipes, type PackageDevice, type Pipes, readUsbFault } from './package.ts'
import type { UsbLine, UsbPrinter } from './printer.ts'

const FOREVER_MS = 2_147_483_647 // 24 days: after a time-out it is unknown how much the printer took
const CONTROL_MS = 2_000
const DEVICE_ID_MS = 5_000 // as CUPS waits
const DEVICE_ID_BYTES = 1_026
const END_MS = 2_000 // the empty packet at a job's end; a printer that is full need not take it
const HIGH_SPEED_PACKET = 512
const LARGE_CHUNK = 16_384
const SMALL_CHUNK = 4_096 // a slow printer shows its progress by finished chunks
const DRIVER = 'usblp'
const ZEBRA = 0x0a5f // its printers lose jobs when the kernel's driver comes back (CUPS, org.cups.usb-quirks)
// Class requests (USB printer class 1.1, 4.2).
const GET_DEVICE_ID = 0
const GET_PORT_STATUS = 1
const SOFT_RESET = 2

/**
 * A printer's interface, claimed once and held until it goes away or the program ends: detaching and claiming for each
 * job makes some printers lose labels.
 */
export class HeldInterface implements UsbLine {
  readonly chunkBytes: number
  readonly firstBytes: number
  readonly doubtBytes = 0
  readonly isClaim = true
  readonly #device: PackageDevice
  readonly #printer: UsbPrinter
  readonly #pipes: Pipes
  readonly #hasDetached: boolean
  readonly #pending = new Set<Promise<unknown>>()
  #isWholePacket = false
  #ending: Promise<void> | undefined

  private constructor(
    device: PackageDevice,
    printer: UsbPrinter,
    pipes: Pipes,
    hasDetached: boolean,
  ) {
    this.#device = device
    this.#printer = printer
    this.#pipes = pipes
    this.#hasDetached = hasDetached
    this.firstBytes = pipes.outPacketBytes
    this.chunkBytes = pipes.outPacketBytes < HIGH_SPEED_PACKET ? SMALL_CHUNK : LARGE_CHUNK
  }

  /**
   * Takes the printer from the kernel's driver and claims it. Whoever calls has looked that no other program holds it:
   * detaching would take it from that one. Rejects with an error that `readUsbFault` reads.
   */
  static async claim(device: PackageDevice, printer: UsbPrinter): Promise<HeldInterface> {
    const number = printer.interfaceNumber
    await device.open()
    let hasDetached = false
    try {
      const pipes = findPipes(device.configuration, number)
      if (pipes === undefined) throw new Error(`interface ${number} has no pipe for labels`)
      // The kernel may have released it meanwhile; the claim shows whether the interface is free.
      if (printer.driver === DRIVER) {
        hasDetached = await succeeds(() => device.detachKernelDriver(number))
      }
      await device.claimInterface(number)
      if (pipes.isChoice) await device.selectAlternateInterface(number, pipes.alternate)
      return new HeldInterface(device, printer, pipes, hasDetached)
    } catch (error) {
      if (hasDetached) await ignore(() => device.attachKernelDriver(number))
      await ignore(() => device.close())
      throw error
    }
  }

  get isBroken(): boolean {
    return this.#ending !== undefined
  }

  async write(bytes: Uint8Array): Promise<number> {
    const { out, outPacketBytes } = this.#pipes
    const count = await this.#use(() => this.#device.nativeTransferOut(out, FOREVER_MS, bytes))
    this.#isWholePacket = bytes.length % outPacketBytes === 0
    return count
  }

  async read(ms: number): Promise<Uint8Array> {
    const { in: back, inPacketBytes } = this.#pipes
    if (back === undefined) return new Uint8Array()
    try {
      // One packet at a time: what a longer transfer had got when its time is over would be lost.
      const bytes = await this.#use(() => this.#device.nativeTransferIn(back, ms, inPacketBytes))
      return bytes ?? new Uint8Array()
    } catch (error) {
      if (readUsbFault(error) === 'timeout') return new Uint8Array()
      throw error
    }
  }

  async readDeviceId(): Promise<Uint8Array | undefined> {
    const index = this.#printer.interfaceNumber * 256 + this.#pipes.alternate
    try {
      return (await this.#ask(GET_DEVICE_ID, index, DEVICE_ID_BYTES, DEVICE_ID_MS)) ?? undefined
    } catch {
      // Some printers do not know the request and are confused by it until a further one (CUPS issue 1606).
      await ignore(() => this.clearHalt())
      return undefined
    }
  }

  async readPortStatus(): Promise<number | undefined> {
    if (this.isBroken) return undefined
    const answer = await this.#ask(GET_PORT_STATUS, this.#printer.interfaceNumber, 1, CONTROL_MS)
    return answer?.[0]
  }

  async clearHalt(): Promise<void> {
    await this.#use(() => this.#device.clearHalt('out', this.#pipes.out))
    const { in: back } = this.#pipes
    if (back !== undefined) await this.#use(() => this.#device.clearHalt('in', back))
  }

  async endJob(): Promise<void> {
    if (!this.#isWholePacket || this.isBroken) return
    this.#isWholePacket = false
    const { out } = this.#pipes
    // Some printers wait for a packet that is not full.
    await ignore(() =>
      this.#use(() => this.#device.nativeTransferOut(out, END_MS, new Uint8Array())),
    )
  }

  async dropJob(): Promise<void> {
    if (this.isBroken) return
    // Version 1.1 of the class says "interface", 1.0 said "other"; printers of both kinds exist.
    const asked = await succeeds(() => this.#tell(SOFT_RESET, 'interface'))
    if (!asked) await ignore(() => this.#tell(SOFT_RESET, 'other'))
    await ignore(() => this.clearHalt())
    this.#isWholePacket = false
  }

  abandon(): Promise<void> {
    this.#ending ??= this.#end(false)
    return this.#ending
  }

  giveBack(): Promise<void> {
    this.#ending ??= this.#end(this.#hasDetached && this.#printer.vendorId !== ZEBRA)
    return this.#ending
  }

  /** Everything must have settled before the interface can be released, and it must be released before it is closed. */
  async #end(reattach: boolean): Promise<void> {
    const number = this.#printer.interfaceNumber
    if (this.#pending.size > 0) await ignore(() => this.#device.reset())
    await Promise.allSettled(this.#pending)
    await ignore(() => this.#device.releaseInterface(number))
    if (reattach) await ignore(() => this.#device.attachKernelDriver(number))
    await ignore(() => this.#device.close())
  }

  #ask(request: number, index: number, length: number, ms: number): Promise<Uint8Array | null> {
    return this.#use(() =>
      this.#device.nativeControlTransferIn(
        { requestType: 'class', recipient: 'interface', request, value: 0, index },
        ms,
        length,
      ),
    )
  }

  #tell(request: number, recipient: 'interface' | 'other'): Promise<number> {
    const index = this.#printer.interfaceNumber
    return this.#use(() =>
      this.#device.nativeControlTransferOut(
        { requestType: 'class', recipient, request, value: 0, index },
        CONTROL_MS,
        new Uint8Array(),
      ),
    )
  }

  /** Remembers what is under way; what the package throws at once becomes a rejection. */
  async #use<T>(call: () => Promise<T>): Promise<T> {
    if (this.isBroken) throw new Error('the printer was given up: device disconnected')
    const running = call()
    this.#pending.add(running)
    try {
      return await running
    } finally {
      this.#pending.delete(running)
    }
  }
}

/** For steps whose failure changes nothing: the printer may have gone meanwhile. */
async function ignore(step: () => Promise<unknown>): Promise<void> {
  await succeeds(step)
}

async function succeeds(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step()
    return true
  } catch {
    return false
  }
}
