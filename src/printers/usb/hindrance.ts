import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { UsbPrinter } from './usb-printer.ts'

const NODE_DIGITS = 3 // /dev/bus/usb/002/007

/** The sentence for whoever may not open a USB printer: what is missing and how to put it right. */
export function explainRights(uri: string): string {
  return `${uri} is plugged in, but ${nameUser()} has no right to use it: copy udev/70-platen.rules to /etc/udev/rules.d/70-platen.rules, run "sudo udevadm control --reload" and "sudo usermod -aG lp ${nameUser('USER')}", then start platen anew and plug the printer in again.`
}

/** The sentence for a printer that somebody else has. */
export function explainBusy(uri: string, driver: string): string {
  const who =
    driver === 'usbfs'
      ? 'another program of this computer'
      : `the driver ${driver} of this computer`
  return `${uri} is in use by ${who}: close that, or print through it.`
}

/** Drivers that give the printer up when they are asked: the kernel's own, or none. */
export function isFree(printer: UsbPrinter): boolean {
  return printer.driver === '' || printer.driver === 'usblp'
}

/** Whether this process may open the printer itself. */
export async function mayOpen(dev: string, { bus, address }: UsbPrinter): Promise<boolean> {
  const [folder, node] = [bus, String(address)].map((text) => text.padStart(NODE_DIGITS, '0'))
  return await mayUse(join(dev, 'bus/usb', folder ?? '', node ?? ''))
}

/** The printer's file of the kernel's driver, when this process may use it. */
export async function findLpFile(dev: string, printer: UsbPrinter): Promise<string | undefined> {
  if (printer.lp === undefined) return undefined
  const file = join(dev, 'usb', printer.lp)
  return (await mayUse(file)) ? file : undefined
}

async function mayUse(file: string): Promise<boolean> {
  return await access(file, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
}

function nameUser(otherwise = 'this user'): string {
  try {
    return userInfo().username
  } catch {
    return otherwise // a container may run as a number without a name
  }
}
