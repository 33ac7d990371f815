import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { titleOf, type UsbPrinter } from './printer.ts'

const NODE_DIGITS = 3 // /dev/bus/usb/002/007

/** The sentence for whoever may not open a USB printer: what is missing and how to put it right. */
export function explainRights(printer: UsbPrinter): string {
  const user = nameUser()
  return `${titleOf(printer)} is plugged in, but ${user ? `the user ${user}` : 'this user'} has no right to use it: copy udev/70-platen.rules (docs/printers.md has it, too) to /etc/udev/rules.d/70-platen.rules, run "sudo udevadm control --reload" and "sudo usermod -aG lp ${user || 'USER'}", then log in anew, start platen and plug the printer in again.`
}

/** For the packer, who cannot put rights right. */
export const RIGHTS_HINT =
  'Tell whoever looks after this computer; the label prints by itself afterwards.'

/** The sentence for a printer that somebody else has. */
export function explainBusy(printer: UsbPrinter): string {
  const isProgram = isFree(printer) || printer.driver === 'usbfs'
  const who = isProgram ? 'another program' : `the driver ${printer.driver}`
  return `${titleOf(printer)} is in use by ${who} of this computer: close that, or print through it.`
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

function nameUser(): string {
  try {
    return userInfo().username
  } catch {
    return '' // a container may run as a number without a name
  }
}
