// Runs in the guest: all cases in one process, since a process costs seconds under emulation.
// Decision `usb-in-a-guest`.
import t from 'tap'
import { startUdev } from './guest-system.ts'

t.setTimeout(0) // the host ends a guest that takes too long
startUdev()
// Names on the command line choose cases.
const cases = ['usb-contract', 'usb-faults', 'serial', 'program-usb', 'program-rights']
const wanted = process.argv.slice(2)
for (const name of cases) {
  if (wanted.length === 0 || wanted.includes(name)) await import(`./cases/${name}.ts`)
}
