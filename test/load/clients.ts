import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bareEnvironment } from '../bare-environment.ts'

/** The load from clients. */
export interface Load {
  readonly port: number
  /** Connections that are kept; each sends one label after the other, without a pause. */
  readonly clients: number
  /** Addresses that the clients come from, in turn. */
  readonly from: readonly string[]
  /** The printers that the labels name, in turn. */
  readonly printers: readonly string[]
  readonly labelBytes: number
  /** The labels bear numbers from here on. */
  readonly first: number
  /** So many, then no more; left out = without an end. */
  readonly labels?: number
  /** Each label is one request with a key of its own: what nobody answered is sent again. */
  readonly isKeyed: boolean
}

/** The results of the load. */
export interface Sent {
  readonly accepted: number
  /** 503 and 429: sent again after a while. */
  readonly refused: number
  /** Without an answer, or with one that is none of these. */
  readonly failed: number
  /** The first of these, in words. */
  readonly fault: string
}

/** Clients in another process that send labels. */
export class Clients {
  readonly #child: ChildProcess
  #asked: Promise<unknown> = Promise.resolve()

  constructor(load: Load) {
    this.#child = fork(join(import.meta.dirname, 'clients-child.ts'), [JSON.stringify(load)], {
      env: bareEnvironment(),
      execArgv: [],
    })
  }

  async ask(): Promise<Sent> {
    const asked = this.#asked.then(async () => {
      const told = once(this.#child, 'message') as Promise<[Sent]>
      this.#child.send('sent')
      return (await told)[0]
    })
    this.#asked = asked.catch(() => undefined)
    return await asked
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
