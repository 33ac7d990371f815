import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'

/** The USB descriptors of an emulated printer. */
export interface GadgetOptions {
  /** Unique among the gadgets. */
  readonly name: string
  /** The port that it is plugged into: dummy_udc.0 to dummy_udc.3, each a bus of its own. */
  readonly port: number
  readonly vendorId: number
  readonly productId: number
  /** '' = it has none. */
  readonly serial: string
  readonly manufacturer: string
  readonly product: string
}

/** A USB device in the kernel's configfs, whose only function lives in user space. */
export class Gadget {
  /** Mount point of FunctionFS: ep0, ep1, ep2. */
  readonly folder: string
  readonly #options: GadgetOptions
  readonly #config: string

  constructor(options: GadgetOptions) {
    this.#options = options
    this.folder = `/run/printer-${options.name}`
    this.#config = `/sys/kernel/config/usb_gadget/${options.name}`
    const { name, vendorId, productId } = options
    mkdirSync(this.#config)
    this.#put('idVendor', String(vendorId))
    this.#put('idProduct', String(productId))
    mkdirSync(`${this.#config}/strings/0x409`)
    for (const key of ['manufacturer', 'product'] as const) {
      this.#put(`strings/0x409/${key}`, options[key])
    }
    if (options.serial !== '') this.#put('strings/0x409/serialnumber', options.serial)
    mkdirSync(`${this.#config}/configs/c.1`)
    mkdirSync(`${this.#config}/functions/ffs.${name}`)
    symlinkSync(`${this.#config}/functions/ffs.${name}`, `${this.#config}/configs/c.1/ffs.${name}`)
    mkdirSync(this.folder, { recursive: true })
    execFileSync('mount', ['-t', 'functionfs', name, this.folder])
  }

  plug(): void {
    this.#put('UDC', `dummy_udc.${this.#options.port}`)
  }

  unplug(): void {
    this.#put('UDC', '\n')
  }

  #put(file: string, value: string): void {
    writeFileSync(`${this.#config}/${file}`, value)
  }
}

/** Takes away what a gadget whose process has ended left behind, so that its port is free. */
export function removeGadget(name: string): void {
  const config = `/sys/kernel/config/usb_gadget/${name}`
  execFileSync('umount', [`/run/printer-${name}`])
  unlinkSync(`${config}/configs/c.1/ffs.${name}`)
  for (const folder of ['configs/c.1', `functions/ffs.${name}`, 'strings/0x409', '']) {
    rmdirSync(`${config}/${folder}`)
  }
}
