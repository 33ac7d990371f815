import type { Connection, Device } from '../../src/printers/device.ts'

/** A stand-in printer that counts what it gets. */
export interface CountingPrinter {
  untilTaken(bytes: number): Promise<void>
  received(): Promise<Buffer>
  forget(): Promise<void>
}

/**
 * The device, with what the printer got of each job put into `jobs` when its connection is put away: on a USB or serial
 * cable a printer does not see where a job ends.
 */
export function countJobs(device: Device, printer: CountingPrinter, jobs: Uint8Array[]): Device {
  const count = (connection: Connection): Connection => {
    let sent = 0
    return {
      async send(bytes, signal) {
        await connection.send(bytes, signal)
        sent += bytes.length
      },
      receive: (ms, signal) => connection.receive(ms, signal),
      confirm: async (signal) => (await connection.confirm?.(signal)) ?? false,
      async [Symbol.asyncDispose]() {
        await connection[Symbol.asyncDispose]()
        await printer.untilTaken(sent)
        jobs.push(await printer.received())
        await printer.forget()
      },
    }
  }
  return { ...device, open: async (uri, signal) => count(await device.open(uri, signal)) }
}
