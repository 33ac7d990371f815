import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

interface Answer {
  readonly return?: unknown
  readonly error?: { readonly desc: string }
}

/** QEMU's machine protocol (QMP): one JSON object a line. */
export class QemuMonitor {
  readonly #input: Writable
  readonly #waiting: ((answer: Answer) => void)[] = []

  constructor(input: Writable, output: Readable) {
    this.#input = input
    createInterface({ input: output }).on('line', (line) => {
      const message = JSON.parse(line) as Answer
      if ('return' in message || 'error' in message) this.#waiting.shift()?.(message)
    })
    void this.run('qmp_capabilities')
  }

  /** Runs a command and resolves when QEMU says that it is done. */
  async run(execute: string, args: object = {}): Promise<void> {
    const answer = new Promise<Answer>((resolve) => this.#waiting.push(resolve))
    this.#input.write(`${JSON.stringify({ execute, arguments: args })}\n`)
    const { error } = await answer
    if (error !== undefined) throw new Error(`qemu: ${execute}: ${error.desc}`)
  }
}
