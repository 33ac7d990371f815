import type { Device } from '../device.ts'
import { createCupsDevice } from './cups/index.ts'
import { createFileDevice } from './file.ts'
import { createSerialDevice } from './serial/index.ts'
import { createSocketDevice } from './socket/index.ts'
import { createUsbDevice } from './usb/index.ts'
import type { KnownUsb } from './usb/printer.ts'
import { createWinspoolDevice } from './winspool/index.ts'

/** Settings that devices need from the program. */
export interface DeviceSettings {
  readonly stateFolder: string
  /** Finds the entry of a program of its own, e.g. `printers/devices/usb/lp-child`. */
  readonly findEntry?: (name: string) => URL
  /** Returns true if a queue of CUPS with this device URI leads back to this print server. */
  readonly leadsBack?: (deviceUri: string) => boolean
  /** Returns true if labels sent to this device URI may loop forever; another printer's raw port is a second name of that printer. */
  readonly mayLoop?: (deviceUri: string) => boolean
  readonly known?: () => readonly KnownUsb[]
}

/** Every way to reach a printer. */
export function createDevices(settings: DeviceSettings): readonly Device[] {
  return [
    createUsbDevice({
      lpChild: settings.findEntry?.('printers/devices/usb/lp-child'),
      known: settings.known,
    }),
    createSocketDevice({}, undefined, settings.mayLoop),
    createCupsDevice(undefined, settings.leadsBack),
    createSerialDevice(),
    createWinspoolDevice(),
    createFileDevice(settings.stateFolder),
  ]
}
