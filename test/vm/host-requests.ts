import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { QemuMonitor } from './qemu-monitor.ts'

/** What the guest can ask of the host that runs it. */
export type HostRequest = 'plug serial' | 'unplug serial' | 'trace'

/** Serves the guest's requests: one a line, answered by one line of JSON. */
export function serveRequests(
  socket: Socket,
  { monitor, trace }: { monitor: QemuMonitor; trace: () => string },
): void {
  const doors: Record<HostRequest, () => Promise<unknown>> = {
    'plug serial': () =>
      monitor.run('device_add', {
        ...{ driver: 'usb-serial', id: 'ftdi', bus: 'xhci.0' },
        ...{ chardev: 'adapter', serial: 'FTDI0001' },
      }),
    'unplug serial': () => monitor.run('device_del', { id: 'ftdi' }),
    // What the adapter was told: its speed, its flow control, the characters of it.
    trace: () => Promise.resolve(trace()),
  }
  createInterface({ input: socket }).on('line', (line) => {
    const answer = doors[line as HostRequest]()
    answer.then(
      (value = '') => socket.write(`${JSON.stringify({ value })}\n`),
      (error: Error) => socket.write(`${JSON.stringify({ error: error.message })}\n`),
    )
  })
}
