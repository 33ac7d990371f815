import type { UsbPrinter } from './printer.ts'

/** A pipe of an interface, as the package tells it. */
interface PackageEndpoint {
  readonly endpointNumber: number
  readonly direction: string
  readonly type: string
  readonly packetSize: number
}

/** A setting of an interface, as the package tells it. */
export interface PackageAlternate {
  readonly alternateSetting: number
  readonly interfaceClass: number
  readonly interfaceSubclass: number
  readonly interfaceProtocol: number
  readonly endpoints: readonly PackageEndpoint[]
}

/** The interfaces of a device, as the package tells them. */
export interface PackageConfiguration {
  readonly interfaces: readonly {
    readonly interfaceNumber: number
    readonly alternates: readonly PackageAlternate[]
  }[]
}

interface ControlSetup {
  readonly requestType: 'class'
  readonly recipient: 'interface' | 'other'
  readonly request: number
  readonly value: number
  readonly index: number
}

/**
 * A device of the npm package `usb` 3, as far as we use it. Rules learned by measuring: its "async" methods may throw at
 * once; while a transfer is pending only `nativeControlTransferIn` and `reset` work; a transfer that ends by its time
 * does not tell how many bytes went; claiming twice loses the claim; closing without releasing keeps it.
 */
export interface PackageDevice {
  readonly vendorId: number
  readonly productId: number
  readonly bus: string
  readonly address: number
  readonly ports: readonly number[]
  readonly manufacturerName: string | null
  readonly productName: string | null
  readonly serialNumber: string | null
  /** Opens the device to read texts: slow, and fails without rights. */
  readonly configuration: PackageConfiguration
  open(): Promise<void>
  close(): Promise<void>
  reset(): Promise<void>
  claimInterface(interfaceNumber: number): Promise<void>
  releaseInterface(interfaceNumber: number): Promise<void>
  selectAlternateInterface(interfaceNumber: number, alternateSetting: number): Promise<void>
  clearHalt(direction: 'in' | 'out', endpointNumber: number): Promise<void>
  detachKernelDriver(interfaceNumber: number): Promise<void>
  attachKernelDriver(interfaceNumber: number): Promise<void>
  nativeTransferOut(endpoint: number, timeoutMs: number, data: Uint8Array): Promise<number>
  nativeTransferIn(endpoint: number, timeoutMs: number, length: number): Promise<Uint8Array | null>
  nativeControlTransferIn(
    setup: ControlSetup,
    timeoutMs: number,
    length: number,
  ): Promise<Uint8Array | null>
  nativeControlTransferOut(
    setup: ControlSetup,
    timeoutMs: number,
    data: Uint8Array,
  ): Promise<number>
}

/** The package, as far as we use it. */
export interface UsbPackage {
  readonly usb: { getDevices(): Promise<readonly PackageDevice[]> }
}

/** Loads the package with its native part, 7 MB: only when a USB printer is opened. */
export async function loadUsbPackage(): Promise<UsbPackage> {
  return await import('usb')
}

/** The pipes of a printer's interface. */
export interface Pipes {
  readonly alternate: number
  /** The interface has several settings, so the one wanted must be chosen. */
  readonly isChoice: boolean
  readonly out: number
  /** Undefined: the printer cannot answer. */
  readonly in: number | undefined
  /** Largest packet of the way out and in, bytes. */
  readonly outPacketBytes: number
  readonly inPacketBytes: number
}

const PRINTER = { class: 7, subclass: 1, protocols: [2, 1] } // two-way first (USB printer class 1.1, 4.1)

/** True for a setting of an interface through which labels can go. */
function isPrinter(setting: PackageAlternate): boolean {
  return (
    setting.interfaceClass === PRINTER.class &&
    setting.interfaceSubclass === PRINTER.subclass &&
    PRINTER.protocols.includes(setting.interfaceProtocol) &&
    findPipe(setting, 'out') !== undefined
  )
}

/**
 * The pipes of a printer, by direction and type: their numbers differ from printer to printer. Undefined when the
 * interface is not a printer's.
 */
export function findPipes(
  configuration: PackageConfiguration,
  interfaceNumber: number,
): Pipes | undefined {
  const own = configuration.interfaces.find((each) => each.interfaceNumber === interfaceNumber)
  const settings = (own?.alternates ?? []).filter(isPrinter)
  const [best] = settings.sort((a, b) => b.interfaceProtocol - a.interfaceProtocol)
  const out = best && findPipe(best, 'out')
  if (best === undefined || out === undefined) return undefined
  const back = findPipe(best, 'in')
  return {
    alternate: best.alternateSetting,
    isChoice: (own?.alternates.length ?? 0) > 1,
    out: out.endpointNumber,
    in: back?.endpointNumber,
    outPacketBytes: out.packetSize,
    inPacketBytes: back?.packetSize ?? 0,
  }
}

function findPipe(setting: PackageAlternate, direction: 'in' | 'out') {
  return setting.endpoints.find((each) => each.type === 'bulk' && each.direction === direction)
}

/**
 * Gives a function that finds the printers where there is no sysfs (macOS, Windows). Each device is asked once, since that
 * opens it; one that cannot be asked is left out.
 */
export function createPackageScan(
  load: () => Promise<UsbPackage>,
): () => Promise<readonly UsbPrinter[]> {
  const known = new Map<string, readonly UsbPrinter[]>()
  return async () => {
    const { usb } = await load()
    const devices = await usb.getDevices()
    const marks = devices.map(
      (device) => `${device.bus}.${device.address}.${device.vendorId}.${device.productId}`,
    )
    for (const mark of known.keys()) if (!marks.includes(mark)) known.delete(mark)
    return devices.flatMap((device, index) => {
      const mark = marks[index] ?? ''
      const printers = known.get(mark) ?? describe(device)
      known.set(mark, printers)
      return printers
    })
  }
}

function describe(device: PackageDevice): readonly UsbPrinter[] {
  try {
    const own = device.configuration.interfaces.filter((each) => each.alternates.some(isPrinter))
    return own.map(({ interfaceNumber }) => ({
      port: `${device.bus}-${device.ports.join('.')}`,
      interfaceNumber,
      bus: device.bus,
      address: device.address,
      vendorId: device.vendorId,
      productId: device.productId,
      manufacturer: device.manufacturerName?.trim() ?? '',
      product: device.productName?.trim() ?? '',
      serial: device.serialNumber?.trim() ?? '',
      driver: '',
      lp: undefined,
      deviceId: undefined,
    }))
  } catch {
    return [] // the system does not let us look at it: it is not ours to print on
  }
}

/** Meaning of an error of the USB package, or of the kernel's printer driver, means to us. */
type UsbFault =
  /** Its time was over: how many bytes went is unknown. */
  | 'timeout'
  /** Unplugged or switched off, or reset by us. */
  | 'gone'
  /** Something broke on the wire, perhaps because it was unplugged. */
  | 'broken'
  /** The printer refused: the pipe is halted until it is cleared. */
  | 'stall'
  /** A driver or another program has the interface. */
  | 'busy'
  /** No right to open it. */
  | 'denied'
  | 'unknown'

/** Bulk errors bear the Debug names of Rust, control errors sentences; the code is `GenericFailure` for nearly all. */
const TABLE: readonly (readonly [RegExp, UsbFault])[] = [
  [/: Cancelled$/, 'timeout'],
  [/: Stall$|endpoint stalled/, 'stall'],
  [/: Disconnected$|device disconnected|device not found|\berrno 19\b|ENODEV|ENOENT/, 'gone'],
  [/permission denied|\berrno 13\b|EACCES|EPERM/, 'denied'],
  [/: Unknown\(16\)|\berrno 16\b|interface is busy|EBUSY/, 'busy'],
  [/: Fault$|EIO|EPROTO/, 'broken'],
]

/** Reads the text of an error, which is all that the package tells. */
export function readUsbFault(error: unknown): UsbFault {
  const text = error instanceof Error ? error.message : String(error)
  return TABLE.find(([words]) => words.test(text))?.[1] ?? 'unknown'
}
