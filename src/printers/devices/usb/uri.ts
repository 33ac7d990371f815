import { parseDeviceId } from '../../device-id.ts'
import type { UsbPrinter } from './printer.ts'

/** What a device URI says of the printer it means. */
interface UsbTarget {
  readonly maker: string
  readonly model: string
  readonly serial: string | undefined
  readonly port: string | undefined
  readonly interfaceNumber: number | undefined
}

const PORT = /^[\w-]+(\.\d+)*$/
const WANTED = 'wanted usb://MAKER/MODEL?serial=… or usb://MAKER/MODEL?port=1-1.2'

/** Why `uri` names no USB printer, in words; undefined when it does. */
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
    const isTold = !isWorthless(serial) && twins.length === 0
    const which = isTold ? `serial=${encodeURIComponent(serial.toWellFormed())}` : `port=${port}`
    const part = own.length > 1 ? `&interface=${interfaceNumber}` : ''
    const [maker, model] = readNames(printer).map(encodeURIComponent)
    return `usb://${maker}/${model}?${which}${part}`
  })
}

/** The printer that `uri` means, or a sentence that says why there is none. */
export function findUsbPrinter(uri: URL, printers: readonly UsbPrinter[]): UsbPrinter | string {
  const target = readUsbUri(uri)
  const { serial, port, interfaceNumber } = target
  const there = printers.filter((each) =>
    serial === undefined ? each.port === port : each.serial === serial,
  )
  const meant = there.filter((printer) => fits(target, printer))
  const [first] = meant
  if (first !== undefined && meant.every((other) => other.port === first.port)) {
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
 * Whether the printer bears the names of the URI. By port they must be equal: what is plugged in there may be another
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
    maker: decode(uri.hostname),
    model: decode(uri.pathname.replace(/^\//, '')),
    serial: uri.searchParams.get('serial') ?? undefined,
    port: uri.searchParams.get('port') ?? undefined,
    interfaceNumber: part === null ? undefined : /^\d{1,3}$/.test(part) ? Number(part) : Number.NaN,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text // a lone % sign
    throw error
  }
}
