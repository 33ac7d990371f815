import { decodePart } from '../../device.ts'
import { parseDeviceId } from '../../device-id.ts'

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
  /** Strings of the printer's USB descriptors, trimmed; '' when they do not. */
  readonly manufacturer: string
  readonly product: string
  readonly serial: string
  /** The driver that has the interface: `usblp` (the kernel), `usbfs` (a program), another; '' = none. */
  readonly driver: string
  /** Its node of the kernel's driver, e.g. `lp0` for `/dev/usb/lp0`; only while that driver has it. */
  readonly lp: string | undefined
  /** The IEEE 1284 device id as the kernel's driver read it. */
  readonly deviceId: string | undefined
  /** Another one bears its serial number, perhaps one that is off. */
  readonly sharesSerial?: boolean
}

/** A way to one USB printer that is held open from job to job. One job at a time uses it. */
export interface UsbLine {
  /** Bytes to hand over at a time. */
  readonly chunkBytes: number
  /**
   * Bytes of a job's first part, of which either all are taken or none (one packet), so that a refusal of it leaves the
   * label whole. Undefined: no part is like that.
   */
  readonly firstBytes: number | undefined
  /** Bytes that were counted as taken and may still be on their way. */
  readonly doubtBytes: number
  /** It is ours alone: when the kernel's driver has the printer, it was lost. */
  readonly isClaim: boolean
  /** It must be opened again. */
  readonly isBroken: boolean
  /** Waits as long as the printer takes no data; gives the number taken. Rejects with an error that `readUsbFault` reads. */
  write(bytes: Uint8Array): Promise<number>
  /** Reads what the printer says within `ms`, at most one packet; empty when it says nothing. Rejects like `write`. */
  read(ms: number): Promise<Uint8Array>
  /** The raw answer to GET_DEVICE_ID; undefined when there is none. */
  readDeviceId(): Promise<Uint8Array | undefined>
  /** The port status byte of the USB printer class; works while `write` waits. Undefined when there is none. */
  readPortStatus(): Promise<number | undefined>
  /** Makes a halted printer listen again. */
  clearHalt(): Promise<void>
  /** Marks the end of a job, so that the printer does not wait for the rest of a packet. */
  endJob(): Promise<void>
  /** Tells the printer to drop what it has taken and not printed. */
  dropJob(): Promise<void>
  /** Cuts what is under way, and gives the printer up. Safe at any time, more than once. */
  abandon(): Promise<void>
  /** Gives the printer back for good: the program ends. */
  giveBack(): Promise<void>
}

/** Gives the key of a printer: its port and interface. */
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

/** Printer that a device URI names. */
interface UsbTarget {
  readonly maker: string
  readonly model: string
  readonly serial: string | undefined
  readonly port: string | undefined
  readonly interfaceNumber: number | undefined
}

const PORT = /^[\w-]+(\.\d+)*$/
const WANTED = 'wanted usb://MAKER/MODEL?serial=… or usb://MAKER/MODEL?port=1-1.2'

/** Tells in words why `uri` names no USB printer; undefined when it does. */
export function checkUsbUri(uri: URL): string | undefined {
  const keys = [...uri.searchParams.keys()]
  const odd = keys.find((key) => !['serial', 'port', 'interface'].includes(key))
  if (odd !== undefined) return `${JSON.stringify(odd)} is unknown; ${WANTED}`
  if (uri.username + uri.password + uri.port + uri.hash !== '') return WANTED
  const { serial, port, interfaceNumber } = readUsbUri(uri)
  if ((serial === undefined) === (port === undefined)) {
    return `a serial number or a port says which printer is meant; ${WANTED}`
  }
  if (serial === '') return `the serial number is blank; ${WANTED}`
  if (port !== undefined && !PORT.test(port)) return `the port is not a USB port; ${WANTED}`
  const isNumber = interfaceNumber === undefined || Number.isInteger(interfaceNumber)
  return isNumber ? undefined : 'the interface is a whole number, e.g. &interface=1'
}

/**
 * The device URIs of the printers, in their order. A printer is told by its serial number, which goes with it to another
 * socket; one without, or with one that another printer has too, by the socket it is plugged into.
 */
export function writeUsbUris(printers: readonly UsbPrinter[]): readonly string[] {
  return printers.map((printer) => {
    const { serial, port, interfaceNumber } = printer
    const own = printers.filter((other) => other.port === port)
    const twins = printers.filter((other) => other.port !== port && hasSameSerial(other, printer))
    const isTold = !isWorthless(serial) && twins.length === 0 && printer.sharesSerial !== true
    const which = isTold ? `serial=${encodeURIComponent(serial.toWellFormed())}` : `port=${port}`
    const part = own.length > 1 ? `&interface=${interfaceNumber}` : ''
    const [maker, model] = readNames(printer).map(encodeURIComponent)
    return `usb://${maker}/${model}?${which}${part}`
  })
}

/** A printer that is known here. */
export interface KnownUsb {
  readonly uri: string
  /** It was found; else a person wrote its URI, who may mean whatever is in a port. */
  readonly isFound: boolean
  /** The serial number as it was found: '' = it has none, undefined = not remembered. */
  readonly serial: string | undefined
}

/**
 * Tells whether a printer is known by its port since another one bears its serial number: it stays so while that one is off, and
 * in another port.
 */
export function sharesSerial(printer: UsbPrinter, known: readonly KnownUsb[]): boolean {
  const kin = readKnown(known).filter(({ target }) =>
    fits({ ...target, serial: undefined }, printer),
  )
  const byPort = kin.filter(({ target }) => target.port !== undefined)
  if (byPort.some(({ serial }) => serial !== '' && serial === printer.serial)) return true
  const forgotten = byPort.filter(({ serial }) => serial === undefined)
  const ports = new Set(forgotten.map(({ target }) => target.port))
  const serials = new Set(kin.flatMap(({ target }) => target.serial ?? []))
  const hasOwn = serials.has(printer.serial) && serials.size > 1
  return ports.size > 1 && ports.has(printer.port) && !hasOwn
}

/** Tells whether the printer in the port of one that was found there is that one: another of its model has another number. */
function isStill({ href }: URL, printer: UsbPrinter, known: readonly KnownUsb[]): boolean {
  const was = known.find(({ uri, isFound }) => isFound && uri === href)
  if (was === undefined || printer.sharesSerial === true) return true
  if (was.serial !== undefined) return was.serial === printer.serial
  return !readKnown(known).some(
    ({ target }) => target.serial === printer.serial && fits(target, printer),
  )
}

function readKnown(known: readonly KnownUsb[]) {
  return known
    .filter(({ uri }) => /^usb:/i.test(uri) && URL.canParse(uri))
    .map(({ uri, serial }) => ({ serial, target: readUsbUri(new URL(uri)) }))
}

/** The printer that `uri` means, or a sentence that says why there is none. */
export function findUsbPrinter(
  uri: URL,
  printers: readonly UsbPrinter[],
  known: readonly KnownUsb[] = [],
): UsbPrinter | string {
  const target = readUsbUri(uri)
  const { serial, port, interfaceNumber } = target
  const there = printers.filter((each) =>
    serial === undefined ? each.port === port : each.serial === serial,
  )
  const meant = there.filter(
    (printer) => fits(target, printer) && (port === undefined || isStill(uri, printer, known)),
  )
  const [first] = meant
  const isClear = serial === undefined || first?.sharesSerial !== true
  if (first !== undefined && isClear && meant.every((other) => other.port === first.port)) {
    const part = interfaceNumber ?? first.interfaceNumber
    return (
      meant.find((each) => each.interfaceNumber === part) ?? `${uri.href} has no interface ${part}.`
    )
  }
  const place = serial === undefined ? `at USB port ${port}` : `with serial number ${serial}`
  if (first !== undefined) {
    return `Several USB printers ${place} are plugged in, so it is not clear which one is meant: choose one by its port, ${list(meant, printers)}.`
  }
  if (there.length > 0) return `The USB printer ${place} is now ${list(there, printers)}.`
  const none = `No USB printer ${place} is plugged in or switched on`
  const kin = printers.filter((each) => fits({ ...target, serial: undefined }, each))
  return kin.length === 0 ? `${none}.` : `${none}; one of its kind is now ${list(kin, printers)}.`
}

/** Maker and model for the URI, of the descriptors that are readable at all times, unlike the device id. */
function readNames(printer: UsbPrinter): readonly [string, string] {
  const { manufacturer, product, vendorId, productId } = printer
  // Half a character cannot stand in a URI.
  const [maker, model] = [manufacturer.toWellFormed(), product.toWellFormed()]
  return [maker || hex(vendorId), model || hex(productId)]
}

function hex(id: number): string {
  return id.toString(16).padStart(4, '0')
}

function hasSameSerial(one: UsbPrinter, other: UsbPrinter): boolean {
  return one.serial === other.serial && readNames(one).join() === readNames(other).join()
}

/** Cheap printers all bear the same: blank, one digit over and over, or 12345… */
function isWorthless(serial: string): boolean {
  return /^(.?)\1*$/.test(serial) || '01234567890123456789'.includes(serial)
}

function list(some: readonly UsbPrinter[], all: readonly UsbPrinter[]): string {
  const uris = writeUsbUris(all)
  return some.map((printer) => uris[all.indexOf(printer)]).join(' or ')
}

/**
 * Tells whether the printer bears the names of the URI. By port they must be equal: what is plugged in there may be another
 * printer, and a label must not come out on the wrong bench. With a serial number a person may write them shorter.
 */
function fits({ maker, model, serial }: UsbTarget, printer: UsbPrinter): boolean {
  const id = parseDeviceId(printer.deviceId ?? '')
  const known = [readNames(printer), [id?.manufacturer ?? '', id?.model ?? ''] as const]
  return known.some(([knownMaker, knownModel]) => {
    const isSame = serial === undefined ? isEqual : isPart
    return isSame(maker, knownMaker) && isSame(model, knownModel)
  })
}

function isEqual(name: string, known: string): boolean {
  return name === '' || squash(name) === squash(known)
}

function isPart(name: string, known: string): boolean {
  return squash(known).includes(squash(name))
}

function squash(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function readUsbUri(uri: URL): UsbTarget {
  const part = uri.searchParams.get('interface')
  return {
    maker: decodePart(uri.hostname),
    model: decodePart(uri.pathname.replace(/^\//, '')),
    serial: uri.searchParams.get('serial') ?? undefined,
    port: uri.searchParams.get('port') ?? undefined,
    interfaceNumber: part === null ? undefined : /^\d{1,3}$/.test(part) ? Number(part) : Number.NaN,
  }
}
