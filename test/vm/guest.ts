// Runs in the guest: all cases in one process, since a process costs seconds under emulation.
import t from 'tap'
import { startUdev } from './guest-system.ts'

t.setTimeout(0) // the host ends a guest that takes too long
await startUdev()
await import('./cases/usb-contract.ts')
await import('./cases/usb-faults.ts')
