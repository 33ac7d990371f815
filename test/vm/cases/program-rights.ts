import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { reloadUdev } from '../guest-system.ts'
import { zebra } from '../models.ts'
import { bundle, jobThat, post, printerThat, startProgram } from '../program.ts'
import { hasPrinted, makeZpl } from '../stream.ts'
import { UsbPrinter } from '../usb-printer.ts'

const NOBODY = 65_534
const GROUP_LP = 7 // Debian's; base-passwd
const OURS = '/etc/udev/rules.d/70-platen.rules'
const DEBIANS = '/lib/udev/rules.d/50-udev-default.rules'
const DRIVER = '/sys/bus/usb/devices/1-1/1-1:1.0/driver'

await t.test('the program without the rights of root', async (t) => {
  // The checkout may lie in a home folder that is nobody else's business; here it is a copy that is thrown away.
  for (let folder = import.meta.dirname; folder !== '/'; folder = dirname(folder)) {
    chmodSync(folder, statSync(folder).mode | 0o055)
  }
  // Debian gives printers to the group lp; not every distribution does.
  const rules = readFileSync(DEBIANS, 'utf8').split('\n')
  const kept = rules.filter((line) => !/ID_USB_INTERFACES.*0701/.test(line))
  writeFileSync('/etc/udev/rules.d/50-udev-default.rules', kept.join('\n'))
  rmSync(OURS, { force: true })
  reloadUdev()
  const printer = await UsbPrinter.make(t, { ...zebra, name: 'guarded', port: 0 })
  await printer.plug()
  const makeFolder = () => {
    const folder = t.testdir()
    mkdirSync(join(folder, 'state'), { recursive: true })
    for (const each of [folder, join(folder, 'state')]) chownSync(each, NOBODY, NOBODY)
    return folder
  }

  await t.test('says which rule is missing and how to install it', async (t) => {
    const server = await startProgram(t, {
      ...bundle,
      folder: makeFolder(),
      uid: NOBODY,
      gid: NOBODY,
    })
    // Before the program has looked at its rights it says only that the printer cannot print.
    const seen = await printerThat(server, 'GK420d', ({ message }) => /udevadm/.test(message))
    t.match(seen, { state: 'stopped', message: /70-platen\.rules.*\/etc\/udev\/rules\.d.*udevadm/ })
    const id = await post(server, seen.name, makeZpl(500, 1))
    const waits = await jobThat(server, id, ({ message }) => message !== '')
    t.match(waits, { state: 'pending', code: 'PRINTER_OFFLINE' })
    await server.stop()
  })

  await t.test('prints through the driver of the kernel when that is all it may', async (t) => {
    const server = await startProgram(t, {
      ...bundle,
      folder: makeFolder(),
      uid: NOBODY,
      gid: GROUP_LP,
    })
    const { name } = await printerThat(server, 'GK420d', ({ state }) => state === 'idle')
    const label = makeZpl(100_000, 2)
    const id = await post(server, name, label)
    t.match(await jobThat(server, id, ({ state }) => state === 'completed'), { delivery: 'sent' })
    await hasPrinted(t, printer, [label], ['label 0'])
    t.match(readlinkSync(DRIVER), /usblp$/)
    await server.stop()
  })

  await t.test('prints by itself once the rule is there', async (t) => {
    await printer.forget()
    cpSync(join(import.meta.dirname, '../../../udev/70-platen.rules'), OURS)
    reloadUdev()
    await printer.unplug()
    await printer.plug()
    const server = await startProgram(t, {
      ...bundle,
      folder: makeFolder(),
      uid: NOBODY,
      gid: GROUP_LP,
    })
    const { name } = await printerThat(server, 'GK420d', ({ state }) => state === 'idle')
    const label = makeZpl(100_000, 3)
    const id = await post(server, name, label)
    await jobThat(server, id, ({ state }) => state === 'completed')
    await hasPrinted(t, printer, [label], ['label 0'])
    t.match(readlinkSync(DRIVER), /usbfs$/)
    await server.stop()
  })
})
