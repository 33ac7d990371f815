import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { closeSync, existsSync, lstatSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Test } from 'tap'
import { EMULATED_MS, until } from '../until.ts'
import type { HostRequest } from './host-requests.ts'
import type { Condition } from './zpl-stand-in.ts'

/** The name that udev gives the adapter. */
export const ADAPTER = '/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_FTDI0001-if00-port0'

/**
 * Resolves when udev has given the adapter its name, or taken it away. The kernel's node goes before the name that points to
 * it; were the adapter plugged in between, udev would take the name away again.
 */
export async function adapterIsThere(wanted: boolean): Promise<void> {
  const isGone = () => lstatSync(ADAPTER, { throwIfNoEntry: false }) === undefined
  const look = () => Promise.resolve((wanted ? existsSync(ADAPTER) : isGone()) || undefined)
  await until(`the adapter to be ${wanted ? 'there' : 'gone'}`, look, EMULATED_MS)
}

/** A printer behind QEMU's FTDI adapter, whose plug is pulled, and whose answers are given, by the host. */
export class SerialPrinter {
  readonly #events = new EventEmitter()
  readonly #wire = openWire('peer')
  readonly #host = openWire('requests')
  #parts: Buffer[] = []
  #taken = 0
  #isPlugged = false
  #asked: Promise<unknown> = Promise.resolve()

  constructor(t: Test) {
    this.#wire.output.on('data', (bytes: Buffer) => {
      this.#parts.push(bytes)
      this.#taken += bytes.length
    })
    createInterface({ input: this.#host.output }).on('line', (line) =>
      this.#events.emit('answer', JSON.parse(line)),
    )
    t.teardown(() => {
      this.#wire.close()
      this.#host.close()
    })
  }

  get isPlugged(): boolean {
    return this.#isPlugged
  }

  /** Resolves when the host has put the adapter in. */
  async plug(): Promise<void> {
    this.#isPlugged = true
    await this.ask('plug serial')
  }

  async unplug(): Promise<void> {
    this.#isPlugged = false
    await this.ask('unplug serial')
  }

  /** Sets the condition that its answers follow from now on; at first it is mute. */
  async become(condition: Condition): Promise<void> {
    await this.ask(`printer ${condition}`)
  }

  /** All bytes since it was made or last forgot. */
  received(): Promise<Buffer> {
    return Promise.resolve(Buffer.concat(this.#parts))
  }

  forget(): Promise<void> {
    this.#parts = []
    this.#taken = 0
    return Promise.resolve()
  }

  /** Resolves when so many bytes have come. */
  async untilTaken(bytes: number): Promise<void> {
    const look = () => Promise.resolve(this.#taken >= bytes || undefined)
    await until(`the serial printer to take ${bytes} bytes`, look, EMULATED_MS).catch(
      (error: Error) => {
        throw new Error(`${error.message}: it took ${this.#taken}`)
      },
    )
  }

  /** Asks the host for something and resolves with its answer; one thing at a time. */
  async ask(request: HostRequest): Promise<string> {
    const answer = this.#asked.then(() => this.#ask(request))
    this.#asked = answer.catch(() => undefined)
    return await answer
  }

  async #ask(request: HostRequest): Promise<string> {
    const answer = once(this.#events, 'answer', { signal: AbortSignal.timeout(EMULATED_MS) })
    writeSync(this.#host.fd, `${request}\n`)
    const [{ value, error }] = (await answer) as [{ value?: string; error?: string }]
    if (error !== undefined) throw new Error(`the host: ${request}: ${error}`)
    return value ?? ''
  }
}

interface Wire {
  readonly fd: number
  readonly output: Readable
  close(): void
}

/** A wire to the host. A read waits in the kernel forever: in a process of its own it can be ended. */
function openWire(name: string): Wire {
  const fd = openSync(`/dev/virtio-ports/${name}`, 'r+')
  const reader = spawn('cat', { stdio: [fd, 'pipe', 'inherit'] })
  const close = () => {
    reader.kill('SIGKILL')
    closeSync(fd)
  }
  return { fd, output: reader.stdout as Readable, close }
}
