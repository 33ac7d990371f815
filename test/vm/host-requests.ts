import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QemuMonitor } from './qemu-monitor.ts'
import type { Becomes, ZplStandIn } from './zpl-stand-in.ts'

/** Requests that the guest can make to the host that runs it. */
export type HostRequest = AdapterRequest | Becomes

type AdapterRequest = 'plug serial' | 'unplug serial' | 'trace'

/** The parts that the host has for its guest. */
interface HostParts {
  readonly monitor: QemuMonitor
  /** The printer at the other end of the serial adapter. */
  readonly printer: ZplStandIn
  readonly trace: () => string
}

/** Serves the guest's requests: one a line, answered by one line of JSON. */
export function serveRequests(socket: Socket, { monitor, printer, trace }: HostParts): void {
  const answers: Record<AdapterRequest, () => Promise<unknown>> = {
    'plug serial': () => plugSerial(monitor),
    'unplug serial': () => monitor.run('device_del', { id: 'ftdi' }),
    // What the adapter was told: its speed, its flow control, the characters of it.
    trace: () => Promise.resolve(trace()),
  }
  createInterface({ input: socket }).on('line', (line) => {
    const answer = printer.become(line) ? Promise.resolve() : answers[line as AdapterRequest]()
    answer.then(
      (value = '') => socket.write(`${JSON.stringify({ value })}\n`),
      (error: Error) => socket.write(`${JSON.stringify({ error: error.message })}\n`),
    )
  })
}

/** QEMU lets go of the wire some time after it took the adapter away. */
async function plugSerial(monitor: QemuMonitor): Promise<void> {
  const adapter = {
    driver: 'usb-serial',
    id: 'ftdi',
    bus: 'xhci.0',
    chardev: 'adapter',
    serial: 'FTDI0001',
  }
  for (let tries = 100; ; tries--) {
    try {
      return await monitor.run('device_add', adapter)
    } catch (error) {
      if (tries === 0 || !String(error).includes('in use')) throw error
      await sleep(100)
    }
  }
}
