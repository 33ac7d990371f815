/** A printer-class interface (7/1/1 or 7/1/2) that this computer sees, and how it stands. */
export interface UsbPrinter {
  /** Bus and sockets, e.g. `1-1.2`: the same as long as the cable stays where it is. */
  readonly port: string
  readonly interfaceNumber: number
  /** Number of the bus and the address on it, which is new after each plugging in. */
  readonly bus: string
  readonly address: number
  readonly vendorId: number
  readonly productId: number
  /** What the printer's USB descriptors say, trimmed; '' when they do not. */
  readonly manufacturer: string
  readonly product: string
  readonly serial: string
  /** The driver that has the interface: `usblp` (the kernel), `usbfs` (a program), another; '' = none. */
  readonly driver: string
  /** Its node of the kernel's driver, e.g. `lp0` for `/dev/usb/lp0`; only while that driver has it. */
  readonly lp: string | undefined
  /** The IEEE 1284 device id as the kernel's driver read it. */
  readonly deviceId: string | undefined
}

/** What is held for a printer belongs to this socket and interface. */
export function keyOf({ port, interfaceNumber }: UsbPrinter): string {
  return `${port}:${interfaceNumber}`
}

/** For messages to people, who may have two of a kind. */
export function titleOf({ manufacturer, product, port }: UsbPrinter): string {
  const name = `${manufacturer} ${product}`.trim() || 'The USB printer'
  return `${name} (USB port ${port})`
}

/** Another text after each plugging in or switching on; a reset by this computer leaves it as it is. */
export function sessionOf({ bus, address }: UsbPrinter): string {
  return `${bus}.${address}`
}
