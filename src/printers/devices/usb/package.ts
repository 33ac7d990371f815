/** A pipe of an interface, as the package tells it. */
interface PackageEndpoint {
  readonly endpointNumber: number
  readonly direction: string
  readonly type: string
  readonly packetSize: number
}

/** One setting of an interface, as the package tells it. */
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
