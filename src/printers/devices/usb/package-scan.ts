import type { PackageDevice, UsbPackage } from './package.ts'
import { isPrinter } from './pipes.ts'
import type { UsbPrinter } from './printer.ts'

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
