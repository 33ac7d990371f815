/** The traits of a stand-in printer. */
export interface UsbTraits {
  readonly bus: number
  readonly port: string
  readonly vendorId: number
  readonly productId: number
  readonly manufacturer: string
  readonly product: string
  readonly serial: string
  readonly deviceId: string
  readonly packetBytes: number
  readonly isOneWay: boolean
  readonly hasDeviceId: boolean
  readonly interfaces: readonly {
    readonly number: number
    readonly class?: number
    readonly subclass?: number
    readonly protocol?: number
  }[]
}

const ZEBRA: UsbTraits = {
  bus: 1,
  port: '1-1.2',
  vendorId: 0x0a5f,
  productId: 0x0081,
  manufacturer: 'Zebra Technologies',
  product: 'ZTC GK420d',
  serial: '28J0821',
  deviceId: 'MFG:Zebra Technologies ;CMD:ZPL;MDL:ZTC GK420d;CLS:PRINTER;',
  packetBytes: 512,
  isOneWay: false,
  hasDeviceId: true,
  interfaces: [{ number: 0 }],
}

interface Transfer {
  readonly bytes: Uint8Array
  taken: number
  readonly end: (error?: Error) => void
}

/** A USB printer as the kernel sees it: what it takes, what it says, and who holds it. */
export class UsbStandIn {
  readonly traits: UsbTraits
  address = 0
  isPlugged = true
  /** Bytes that it still takes. */
  credit = Number.POSITIVE_INFINITY
  /** Sizes of the transfers that were taken whole, empty ones too. */
  readonly sizes: number[] = []
  portStatus = 0x18
  /** Its replies, packet by packet. */
  readonly replies: Uint8Array[] = []
  /** Its way out is halted until somebody clears it; as often as this. */
  halts = 0
  softResets = 0
  /** Opening it fails with this. */
  openError: string | undefined
  /** Its descriptors name no pipe. */
  hasNoPipes = false
  /** Somebody is faster: the claim fails. */
  isSnatched = false
  busResets = 0
  #received: Uint8Array[] = []
  #transfer: Transfer | undefined
  #driver = ''
  readonly #onDriver: (driver: string) => void

  constructor(traits: Partial<UsbTraits>, onDriver: (driver: string) => void) {
    this.traits = { ...ZEBRA, ...traits }
    this.#onDriver = onDriver
  }

  /** The driver that has its interface: `usblp`, `usbfs`, '' = none. */
  get driver(): string {
    return this.#driver
  }

  set driver(driver: string) {
    this.#driver = driver
    if (this.isPlugged) this.#onDriver(driver)
  }

  /** All that it took. */
  get received(): Uint8Array {
    return Buffer.concat(this.#received)
  }

  forget(): void {
    this.#received = []
    this.sizes.length = 0
  }

  /** Takes so many more bytes; without a number all that come. */
  accept(count = Number.POSITIVE_INFINITY): void {
    this.credit = count
    this.#pump()
  }

  get isBusy(): boolean {
    return this.#transfer !== undefined
  }

  /** Begins a transfer; `end` is called once, when it is over. */
  begin(bytes: Uint8Array, end: (error?: Error) => void): void {
    this.#transfer = { bytes, taken: 0, end }
    this.#pump()
  }

  /** Ends the transfer under way with an error; what was taken of it stays taken. */
  cut(error: Error): void {
    const transfer = this.#transfer
    this.#transfer = undefined
    transfer?.end(error)
  }

  vanish(): void {
    this.isPlugged = false
    this.cut(new Error('transferOut error: Fault'))
  }

  #pump(): void {
    const transfer = this.#transfer
    if (transfer === undefined) return
    const part = transfer.bytes.subarray(transfer.taken, transfer.taken + this.credit)
    this.credit -= part.length
    transfer.taken += part.length
    if (part.length > 0) this.#received.push(Buffer.from(part))
    if (transfer.taken < transfer.bytes.length || this.credit < 0) return
    if (transfer.bytes.length === 0 && this.credit === 0) return
    this.#transfer = undefined
    this.sizes.push(transfer.bytes.length)
    transfer.end()
  }
}
