import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bareEnvironment } from '../bare-environment.ts'

/**
 * Questions and orders to the printers: `marks` and `ages` are answered only when they are asked for. An order for one alone, by its place
 * in the list: off and on again; full, which takes no byte more, and empty again.
 */
export type PaperAsk =
  | 'up'
  | 'down'
  | 'counts'
  | 'marks'
  | 'ages'
  | `${'off' | 'on' | 'full' | 'empty'} ${number}`

/** Answers, printer by printer. */
export interface PaperAnswer {
  readonly ports: readonly number[]
  readonly counts: readonly number[]
  /** Marks of all whole labels so far, in the order they came. */
  readonly marks: readonly (readonly string[])[]
  /** Times at which each of these was whole on paper, in Unix milliseconds. */
  readonly times: readonly (readonly number[])[]
  /** Milliseconds that labels with a time for a mark took, since they were asked for last. */
  readonly ages: readonly number[]
}

/** Network printers in another process. */
export class Paper {
  readonly names: readonly string[]
  readonly #child: ChildProcess
  #ports: readonly number[] = []
  #asked: Promise<unknown> = Promise.resolve()

  private constructor(count: number) {
    this.names = Array.from({ length: count }, (_, index) => `Printer ${index + 1}`)
    this.#child = fork(join(import.meta.dirname, 'paper-child.ts'), [String(count)], {
      env: bareEnvironment(),
      execArgv: [],
    })
  }

  /** Printers that are switched on. */
  static async open(count: number): Promise<Paper> {
    const paper = new Paper(count)
    const { ports } = await paper.ask('up')
    paper.#ports = ports
    return paper
  }

  /** The entries for the settings. */
  get entries(): readonly object[] {
    return this.names.map((name, index) => ({
      name,
      language: 'zpl',
      uri: `socket://127.0.0.1:${this.#ports[index]}`,
    }))
  }

  /** Asks one question after the other. */
  async ask(what: PaperAsk): Promise<PaperAnswer> {
    const asked = this.#asked.then(async () => {
      const told = once(this.#child, 'message') as Promise<[PaperAnswer]>
      this.#child.send(what)
      return (await told)[0]
    })
    this.#asked = asked.catch(() => undefined)
    return await asked
  }

  /** Labels on paper so far, of all printers. */
  async total(): Promise<number> {
    const { counts } = await this.ask('counts')
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }
}
