import { join } from 'node:path'
import type { Connection, Device, FoundPrinter } from '../../device.ts'
import { nameMakeAndModel, parseDeviceId } from '../../device-id.ts'
import { type Advice, PrinterFault } from '../../fault.ts'
import { untilAborted } from '../../wait.ts'
import { UsbLines } from './lines.ts'
import { createPackageScan, loadUsbPackage, type UsbPackage } from './package.ts'
import {
  checkUsbUri,
  findUsbPrinter,
  type KnownUsb,
  keyOf,
  sessionOf,
  sharesSerial,
  titleOf,
  type UsbPrinter,
  writeUsbUris,
} from './printer.ts'
import { createSysfsScan, inTurn, SYSFS, watchPrinters } from './sysfs.ts'

/** Settings of the USB device; all of it has a default but the child. Decision `usb-names`. */
export interface UsbSettings {
  /** Folder in which Linux shows what is plugged in. */
  readonly sysfs?: string
  /** Folder of the device nodes. */
  readonly dev?: string
  readonly platform?: NodeJS.Platform
  readonly load?: () => Promise<UsbPackage>
  /** The entry of the child that prints through `/dev/usb/lpN`; without it that way is not taken. */
  readonly lpChild?: URL | undefined
  /** Between looks for printers that come and go. */
  readonly pollMs?: number
  readonly known?: (() => readonly KnownUsb[]) | undefined
}

const POLL_MS = 2_000

/**
 * Printers on a USB cable. The npm package and its native part are loaded when the first one is opened; finding them on
 * Linux costs a look at sysfs.
 */
export function createUsbDevice(settings: UsbSettings = {}): Device<'usb'> {
  const { sysfs = SYSFS, dev = '/dev', platform = process.platform, pollMs = POLL_MS } = settings
  const load = settings.load ?? loadUsbPackage
  const isLinux = platform === 'linux'
  const scan = isLinux ? createSysfsScan(sysfs) : createPackageScan(load)
  const lines = new UsbLines({ dev, load, lpChild: settings.lpChild, isLinux })
  const listKnown = () => settings.known?.() ?? []
  const look = inTurn(async () => {
    const printers = await scan()
    lines.drop(printers)
    const known = listKnown()
    return printers.map((each) => ({ ...each, sharesSerial: sharesSerial(each, known) }))
  })
  return {
    scheme: 'usb',
    example: 'usb://Zebra/LP2844?serial=42A0821',
    about:
      'A printer on a USB cable. The page shows the address of each printer that is plugged in. One without a serial number is identified by its USB port, as in usb://Zebra/LP2844?port=1-1.2.',
    check: checkUsbUri,
    attached: true,
    // An idle printer is asked through the handle that is held anyway.
    asking: { isTwoWay: true, idleSeconds: 30, keepsLine: true },
    async list() {
      const printers = await look().catch(() => [])
      const uris = writeUsbUris(printers)
      return await Promise.all(
        printers.map(async (printer, index) => {
          const uri = uris[index] ?? ''
          const hindrance = await lines.hinder(printer)
          return { ...describe(uri, printer, lines), ...(hindrance && { hindrance }) }
        }),
      )
    },
    watch(changed, signal) {
      if (!isLinux) return // each look asks the package; the looks at all devices do
      const parts = {
        nodes: join(dev, 'bus/usb'),
        pollMs,
        look: async () => JSON.stringify(await look()),
      }
      watchPrinters(parts, changed, signal)
    },
    async open(uri, signal): Promise<Connection> {
      const printer = await choose(uri, { look, listKnown }, signal)
      const title = titleOf(printer)
      return await lines.jobs.open(keyOf(printer), title, async (release) => {
        const { UsbConnection } = await import('./connection.ts')
        const line = await lines.open(printer, signal)
        return new UsbConnection(line, title, release)
      })
    },
    close: () => lines.close(),
  }
}

async function choose(
  uri: URL,
  {
    look,
    listKnown,
  }: {
    readonly look: () => Promise<readonly UsbPrinter[]>
    readonly listKnown: () => readonly KnownUsb[]
  },
  signal: AbortSignal,
): Promise<UsbPrinter> {
  const offline = (message: string, cause?: unknown, advice?: Advice) =>
    new PrinterFault('PRINTER_OFFLINE', message, {
      ...(cause === undefined ? {} : { cause }),
      ...(advice === undefined ? {} : { advice }),
    })
  const looking = look().catch((error: unknown) => {
    throw offline(`The USB printers of this computer cannot be listed (${String(error)}).`, error)
  })
  // A look may hang while the kernel resets a device.
  const isDone = await untilAborted(looking, signal)
  if (!isDone) throw offline(`The call to ${uri.href} was given up.`, signal.reason)
  const printers = await looking
  const found = findUsbPrinter(uri, printers, listKnown())
  if (typeof found !== 'string') return found
  // The sentence names where the printer may be: switching it on would help nobody.
  throw offline(found, undefined, found.includes('usb://') ? 'plugBack' : undefined)
}

function describe(uri: string, printer: UsbPrinter, lines: UsbLines): FoundPrinter {
  const { vendorId, productId, serial, manufacturer, product } = printer
  const deviceId = lines.deviceId(printer) ?? printer.deviceId
  const id = parseDeviceId(deviceId ?? '')
  const makeAndModel = id === undefined ? '' : nameMakeAndModel(id)
  return {
    uri,
    makeAndModel: makeAndModel || `${manufacturer} ${product}`.trim() || 'USB printer',
    vendorId,
    productId,
    session: sessionOf(printer),
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(serial === '' ? {} : { serial }),
  }
}
