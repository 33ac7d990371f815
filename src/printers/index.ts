import { createCupsDevice } from './cups.ts'
import type { Device } from './device.ts'
import { createFileDevice } from './file.ts'
import { createSerialDevice } from './serial.ts'
import { createSocketDevice } from './socket.ts'
import { createUsbDevice } from './usb.ts'
import { createWinspoolDevice } from './winspool.ts'

/** What devices need of the program. */
export interface DeviceSettings {
  readonly stateFolder: string
  /** Where a program of its own lies, e.g. `printers/usb/lp-child`. */
  readonly findEntry?: (name: string) => URL
}

/** Every way to reach a printer. */
export function createDevices(settings: DeviceSettings): readonly Device[] {
  return [
    createUsbDevice({ lpChild: settings.findEntry?.('printers/usb/lp-child') }),
    createSocketDevice(),
    createCupsDevice(),
    createSerialDevice(),
    createWinspoolDevice(),
    createFileDevice(settings.stateFolder),
  ]
}
