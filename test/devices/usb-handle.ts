import { setImmediate } from 'node:timers/promises'
import type { PackageConfiguration, PackageDevice } from '../../src/printers/devices/usb/package.ts'
import type { UsbStandIn } from './usb-stand-in.ts'

const ENDPOINT_OUT = 2 // the numbers are the printer's own affair
const ENDPOINT_IN = 1
const LOCKED = 'The same native value cannot be borrowed mutably while another borrow is active'

/**
 * A device object of the npm package `usb` 3.1, with the traps that were measured: the count that a time-out loses, methods
 * that throw at once while a transfer is pending, the endpoint that is busy, the claim that a second claim loses, and the
 * claim that a close without a release keeps.
 */
export class UsbHandle implements PackageDevice {
  readonly #printer: UsbStandIn
  readonly #address: number
  #isOpen = false
  #hasClaim = false
  #pending = 0

  constructor(printer: UsbStandIn) {
    this.#printer = printer
    this.#address = printer.address
  }

  get vendorId(): number {
    return this.#alone().traits.vendorId
  }
  get productId(): number {
    return this.#alone().traits.productId
  }
  get bus(): string {
    return String(this.#printer.traits.bus).padStart(3, '0')
  }
  get address(): number {
    return this.#address
  }
  get ports(): readonly number[] {
    return (this.#printer.traits.port.split('-')[1] ?? '').split('.').map(Number)
  }
  get manufacturerName(): string | null {
    return this.#alone().traits.manufacturer || null
  }
  get productName(): string | null {
    return this.#alone().traits.product || null
  }
  get serialNumber(): string | null {
    return this.#alone().traits.serial || null
  }

  get configuration(): PackageConfiguration {
    const { openError, hasNoPipes, traits } = this.#alone()
    if (hasNoPipes) return { interfaces: [] }
    if (openError !== undefined) throw failure(openError)
    const { interfaces, packetBytes, isOneWay } = traits
    const out = {
      endpointNumber: ENDPOINT_OUT,
      direction: 'out',
      type: 'bulk',
      packetSize: packetBytes,
    }
    const back = { ...out, endpointNumber: ENDPOINT_IN, direction: 'in' }
    return {
      interfaces: interfaces.map((each) => ({
        interfaceNumber: each.number,
        alternates: [
          {
            alternateSetting: 0,
            interfaceClass: each.class ?? 7,
            interfaceSubclass: each.subclass ?? 1,
            interfaceProtocol: each.protocol ?? 2,
            endpoints: isOneWay ? [out] : [back, out],
          },
        ],
      })),
    }
  }

  async open(): Promise<void> {
    await this.#reach('open error: device not found (errno 2)')
    if (this.#printer.openError !== undefined) throw failure(this.#printer.openError)
    this.#isOpen = true
  }

  close(): Promise<void> {
    this.#alone()
    this.#isOpen = false // what was claimed stays claimed
    return Promise.resolve()
  }

  async reset(): Promise<void> {
    await this.#reach('reset error: device disconnected (errno 19)')
    this.#printer.busResets += 1
    this.#hasClaim = false
    this.#printer.driver = 'usblp'
    this.#printer.cut(failure('transferOut error: Disconnected'))
  }

  async claimInterface(): Promise<void> {
    if (!this.#isOpen) throw failure('claimInterface error: invalid state')
    this.#alone()
    await this.#reach('claimInterface error: device disconnected (errno 19)')
    if (this.#hasClaim) {
      this.#hasClaim = false // the old handle is dropped, and that releases it
      this.#printer.driver = ''
      return
    }
    if (this.#printer.driver !== '' || this.#printer.isSnatched)
      throw failure('claimInterface error: interface is busy (errno 16)')
    this.#hasClaim = true
    this.#printer.driver = 'usbfs'
  }

  releaseInterface(): Promise<void> {
    this.#alone()
    const isHere = this.#printer.address === this.#address
    if (this.#hasClaim && isHere && this.#printer.driver === 'usbfs') this.#printer.driver = ''
    this.#hasClaim = false
    return Promise.resolve()
  }

  async selectAlternateInterface(): Promise<void> {
    this.#alone()
    await this.#reach('selectAlternateInterface error: device disconnected')
  }

  async clearHalt(): Promise<void> {
    this.#alone()
    await this.#reach('clearHalt error: device disconnected (errno 19)')
    this.#printer.halts = Math.max(0, this.#printer.halts - 1)
  }

  async detachKernelDriver(): Promise<void> {
    this.#alone()
    if (this.#printer.driver === '') {
      throw failure('detachKernelDriver error: no kernel driver attached (errno 61)')
    }
    await this.#reach('detachKernelDriver error: device disconnected (errno 19)')
    this.#printer.driver = '' // from another program too
  }

  async attachKernelDriver(): Promise<void> {
    this.#alone()
    await this.#reach('attachKernelDriver error: device disconnected (errno 19)')
    if (this.#printer.driver !== '') {
      throw failure('attachKernelDriver error: kernel driver already attached (errno 16)')
    }
    this.#printer.driver = 'usblp'
  }

  nativeTransferOut(endpoint: number, timeoutMs: number, data: Uint8Array): Promise<number> {
    return this.#pend(async () => {
      await setImmediate() // a thread of its own does it
      await this.#reach('transferOut error: Disconnected')
      if (endpoint !== ENDPOINT_OUT || this.#printer.isBusy) {
        throw failure('transferOut error: endpoint not found')
      }
      if (this.#printer.driver === 'usblp') throw failure('transferOut error: Unknown(16)')
      if (this.#printer.halts > 0) throw failure('transferOut error: Stall')
      return await this.#transfer(timeoutMs, data)
    })
  }

  nativeTransferIn(endpoint: number, timeoutMs: number): Promise<Uint8Array | null> {
    return this.#pend(async () => {
      await this.#reach('transferIn error: Disconnected')
      if (endpoint !== ENDPOINT_IN) throw failure('transferIn error: endpoint not found')
      const reply = this.#printer.replies.shift()
      if (reply !== undefined) return reply
      await new Promise((resolve) => setTimeout(resolve, timeoutMs))
      throw failure('transferIn error: Cancelled')
    })
  }

  nativeControlTransferIn(setup: { readonly request: number }): Promise<Uint8Array | null> {
    return this.#pend(async () => {
      if (!this.#hasClaim) throw failure('controlTransferIn error: invalid state')
      await this.#reach('controlTransferIn error: device disconnected')
      if (setup.request === 1) return Uint8Array.of(this.#printer.portStatus)
      if (!this.#printer.traits.hasDeviceId)
        throw failure('controlTransferIn error: endpoint stalled')
      const id = Buffer.from(`  ${this.#printer.traits.deviceId}`, 'latin1')
      id.writeUInt16BE(id.length)
      return id
    })
  }

  async nativeControlTransferOut(setup: { readonly recipient: string }): Promise<number> {
    this.#alone()
    await this.#reach('controlTransferOut error: device disconnected')
    if (setup.recipient !== 'interface') throw failure('controlTransferOut error: endpoint stalled')
    this.#printer.softResets += 1
    return 0
  }

  #transfer(timeoutMs: number, data: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = () => this.#printer.cut(failure('transferOut error: Cancelled'))
      const timer = setTimeout(late, timeoutMs)
      this.#printer.begin(data, (error) => {
        clearTimeout(timer)
        if (error === undefined) resolve(data.length)
        else reject(failure(error.message))
      })
    })
  }

  /** Methods that need the object for themselves throw, not reject, while a transfer is pending. */
  #alone(): UsbStandIn {
    if (this.#pending > 0) throw Object.assign(new Error(LOCKED), { code: 'InvalidArg' })
    return this.#printer
  }

  async #pend<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1
    try {
      return await work()
    } finally {
      this.#pending -= 1
    }
  }

  #reach(otherwise: string): Promise<void> {
    const isHere = this.#printer.isPlugged && this.#printer.address === this.#address
    return isHere ? Promise.resolve() : Promise.reject(failure(otherwise))
  }
}

function failure(message: string): Error {
  return Object.assign(new Error(message), { code: 'GenericFailure' })
}
