import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { LpReply, LpRequest } from './lp-child.ts'
import type { UsbLine } from './printer.ts'

type LpQuestion<R = LpRequest> = R extends LpRequest ? Omit<R, 'id'> : never
type PendingAnswer = PromiseWithResolvers<Uint8Array>

const CHUNK_BYTES = 4_096

/**
 * A printer through the kernel's own driver, `/dev/usb/lpN`, for a computer where this program may not use the printer
 * itself. It knows no port status and no soft reset, and is a process of its own (see lp-child.ts).
 * Decision `usb-lp-child`.
 */
export class LpLine implements UsbLine {
  readonly chunkBytes = CHUNK_BYTES
  readonly firstBytes = undefined
  readonly doubtBytes = 1
  readonly isClaim = false
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PendingAnswer>()
  #asked = 0
  #ending: Promise<void> | undefined

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', (reply: LpReply) => this.#hear(reply))
    child.on('error', (error) => this.#stop(error))
    child.on('exit', () => this.#stop(new Error('the child that prints has ended: EIO')))
  }

  /**
   * Opens `file` in a child of its own.
   * @param entry `lp-child.ts`, or the file that was built from it. Rejects with an error that `readUsbFault` reads
   */
  static async open(entry: URL, file: string): Promise<LpLine> {
    const child = fork(entry, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const line = new LpLine(child)
    try {
      await line.#ask({ ask: 'open', file })
      child.unref()
      return line
    } catch (error) {
      await line.abandon()
      throw error
    }
  }

  get isBroken(): boolean {
    return this.#ending !== undefined || !this.#child.connected
  }

  async write(bytes: Uint8Array): Promise<number> {
    await this.#ask({ ask: 'write', bytes })
    return bytes.length
  }

  read(ms: number): Promise<Uint8Array> {
    return this.#ask({ ask: 'read', ms })
  }

  /** The kernel shows it in sysfs. */
  readDeviceId(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  readPortStatus(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  clearHalt(): Promise<void> {
    return Promise.resolve() // the kernel's driver does it
  }

  endJob(): Promise<void> {
    return Promise.resolve()
  }

  /** Closing the file drops the block that is on its way; nothing more can be done. */
  dropJob(): Promise<void> {
    return this.abandon()
  }

  abandon(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  giveBack(): Promise<void> {
    return this.abandon()
  }

  async #end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await exited
  }

  #ask(question: LpQuestion): Promise<Uint8Array> {
    if (this.isBroken) return Promise.reject(new Error('the child that prints has ended: ENODEV'))
    const answer = Promise.withResolvers<Uint8Array>()
    this.#asked += 1
    this.#waiting.set(this.#asked, answer)
    this.#child.channel?.ref()
    this.#child.send({ id: this.#asked, ...question }, () => undefined) // a dead child is reported by its exit
    return answer.promise
  }

  #hear(reply: LpReply): void {
    const answer = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) answer?.reject(new Error(reply.error))
    else answer?.resolve(reply.bytes ?? new Uint8Array())
    // A held printer must not keep the process alive.
    if (this.#waiting.size === 0) this.#child.channel?.unref()
  }

  #stop(error: Error): void {
    for (const answer of this.#waiting.values()) answer.reject(error)
    this.#waiting.clear()
  }
}
