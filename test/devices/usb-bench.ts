import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UsbPackage } from '../../src/printers/devices/usb/package.ts'
import { UsbHandle } from './usb-handle.ts'
import { UsbStandIn, type UsbTraits } from './usb-stand-in.ts'

/** A computer with USB printers: its sysfs and device nodes as files, and the package that reaches them. */
export class UsbBench {
  readonly sysfs: string
  readonly dev: string
  readonly #plugged = new Map<string, UsbStandIn>()
  #address = 1

  /** In an empty folder. */
  constructor(root: string) {
    for (const folder of ['sys', 'dev/bus/usb', 'dev/usb', 'drivers'])
      mkdirSync(join(root, folder), { recursive: true })
    this.sysfs = join(root, 'sys')
    this.dev = join(root, 'dev')
  }

  /** Stands in for `import('usb')`. */
  readonly load = (): Promise<UsbPackage> =>
    Promise.resolve({
      usb: {
        getDevices: () =>
          Promise.resolve([...this.#plugged.values()].map((each) => new UsbHandle(each))),
      },
    })

  /** Plugs a printer into its port. */
  plug(traits: Partial<UsbTraits> = {}): UsbStandIn {
    const printer = new UsbStandIn(traits, (driver) => this.#showDriver(printer, driver))
    return this.replug(printer)
  }

  /** Plugs a printer in again: it gets another address. */
  replug(printer: UsbStandIn): UsbStandIn {
    this.#address += 1
    printer.address = this.#address
    printer.isPlugged = true
    this.#plugged.set(printer.traits.port, printer)
    this.#showDevice(printer)
    printer.driver = 'usblp'
    return printer
  }

  unplug(printer: UsbStandIn): void {
    const { port, interfaces, bus } = printer.traits
    this.#plugged.delete(port)
    rmSync(join(this.sysfs, port), { recursive: true })
    for (const each of interfaces) {
      rmSync(join(this.sysfs, `${port}:1.${each.number}`), { recursive: true })
    }
    rmSync(join(this.dev, 'bus/usb', `00${bus}`, pad(printer.address)), { force: true })
    printer.vanish()
  }

  /** The node through which programs reach the printer; without it they have no right to. */
  dropNode(printer: UsbStandIn): void {
    rmSync(join(this.dev, 'bus/usb', `00${printer.traits.bus}`, pad(printer.address)))
  }

  #showDevice(printer: UsbStandIn): void {
    const { port, bus, interfaces, ...about } = printer.traits
    const folder = join(this.sysfs, port)
    write(folder, {
      busnum: String(bus),
      devnum: String(printer.address),
      idVendor: hex(about.vendorId, 4),
      idProduct: hex(about.productId, 4),
      manufacturer: about.manufacturer,
      product: about.product,
      serial: about.serial,
    })
    for (const each of interfaces) {
      write(join(this.sysfs, `${port}:1.${each.number}`), {
        bInterfaceNumber: hex(each.number, 2),
        bInterfaceClass: hex(each.class ?? 7, 2),
        bInterfaceSubClass: hex(each.subclass ?? 1, 2),
        bInterfaceProtocol: hex(each.protocol ?? 2, 2),
      })
    }
    write(join(this.dev, 'bus/usb', `00${bus}`), { [pad(printer.address)]: 'node' })
  }

  /** Shows the kernel's files of a driver that takes a printer: the link, and usblp's own files. */
  #showDriver(printer: UsbStandIn, driver: string): void {
    for (const { number } of printer.traits.interfaces) {
      const folder = join(this.sysfs, `${printer.traits.port}:1.${number}`)
      for (const name of ['driver', 'ieee1284_id', 'usbmisc']) {
        rmSync(join(folder, name), { recursive: true, force: true })
      }
      if (driver !== '') symlinkSync(`../../drivers/${driver}`, join(folder, 'driver'))
      if (driver !== 'usblp') continue
      write(folder, { ieee1284_id: printer.traits.deviceId })
      mkdirSync(join(folder, 'usbmisc/lp0'), { recursive: true })
    }
  }
}

function write(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    if (text !== '') writeFileSync(join(folder, name), `${text}\n`)
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function pad(address: number): string {
  return String(address).padStart(3, '0')
}
