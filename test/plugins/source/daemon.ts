import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A broker in a process of its own, which tests start, freeze and kill. */
export abstract class Daemon {
  protected child: ChildProcess | undefined
  #turn: Promise<unknown> = Promise.resolve()

  abstract start(): Promise<void>

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
  }

  freeze(): void {
    this.child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.child?.kill('SIGCONT')
  }

  /** Puts and restarts one after the other: a put that is cut may or may not have come through. */
  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }
}
