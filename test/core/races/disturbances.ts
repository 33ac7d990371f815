import { setImmediate as turn } from 'node:timers/promises'
import { exportJobs, type JobLine, type RepeatLine } from '../../../src/core/spool/backup.ts'
import { Restorer } from '../../../src/core/spool/restore.ts'
import { inEnglish, NOTHING } from '../../../src/words/say.ts'
import type { World } from './world.ts'

/** Disturbs a box in ways other than its operators do: printers, settings, the program's own end, backups. */
export class Disturbances {
  readonly #world: World
  #backup: readonly (JobLine | RepeatLine)[] = []
  #isRestarting = false

  constructor(world: World) {
    this.#world = world
  }

  switchPrinter(): void {
    const bench = this.#world.pick(this.#world.benches)
    if (bench === undefined) return
    const isOff = this.#world.chance(0.5)
    this.#world.ledger.say(`${bench.uri} is switched ${isOff ? 'off' : 'on'}`)
    if (isOff) bench.off()
    else bench.on()
  }

  changeManners(): void {
    const bench = this.#world.pick(this.#world.benches)
    const manners = this.#world.pick([
      {},
      {},
      { isStalled: true },
      { turnsPerLabel: 1 + this.#world.below(40) },
      { isEmpty: true },
      { bytesPerTurn: 1 + this.#world.below(2_000) },
      { cutAfter: 1 + this.#world.below(60) },
      { cutAfter: 1 + this.#world.below(10_000) },
    ])
    if (bench === undefined || manners === undefined) return
    this.#world.ledger.say(`${bench.uri} behaves ${JSON.stringify(manners)}`)
    bench.behave(manners)
  }

  changePolicy(): void {
    this.#world.policy = this.#world.chance(0.3) ? 'reprint' : 'hold'
    if (this.#world.policy === 'reprint') this.#world.ledger.allowReprints()
    this.#world.ledger.say(`on_interrupt is ${this.#world.policy}`)
  }

  passTime(): void {
    const seconds = 1 + this.#world.below(20)
    this.#world.clock.seconds += seconds
    this.#world.ledger.say(`${seconds} s go by`)
  }

  /** The rules of printers that cannot print move what waits for them; no label twice. */
  followRules(): void {
    this.#world.clock.seconds += 1
    this.#world.act('the rules are looked at', [], async () => {
      const { box, ledger } = this.#world
      await box.backups.look()
      for (const { id, reprintOf, message, state } of ledger.jobs.values()) {
        const before = ledger.jobs.get(reprintOf)
        const isTwice = [message, before?.message].every((text) =>
          inEnglish(text ?? NOTHING).includes('could not print for'),
        )
        if (isTwice && state === 'canceled') ledger.fault(`${id} was moved twice by rules`)
      }
    })
  }

  /** The disk is full for some of what is written, or has room again. */
  fillDisk(): void {
    const { ledger } = this.#world
    this.#world.fullness = this.#world.pick([0, 0, 30, 100]) ?? 0
    this.#world.wasFull ||= this.#world.fullness > 0
    ledger.say(`${this.#world.fullness} of 100 writes find no room`)
  }

  /** A printer is taken out of the settings, or comes in again; one that is there gets another name. */
  changeSettings(): void {
    const { settings, ledger } = this.#world
    const name = this.#world.pick(['A', 'B', 'C', 'D']) ?? 'A'
    const index = settings.get(name)
    if (index === undefined) {
      // Two entries may lead to one printer.
      settings.set(name, this.#world.below(this.#world.benches.length))
      ledger.say(`${name} is added, for ${this.#world.benchOf(name)?.uri}`)
    } else {
      settings.delete(name)
      ledger.say(`${name} is removed`)
    }
    this.#world.configure()
  }

  /** The entry leads to another printer from now on. */
  changeAddress(): void {
    const { settings, ledger } = this.#world
    const name = this.#world.pick(this.#world.printers)
    if (name === undefined) return
    settings.set(name, this.#world.below(this.#world.benches.length))
    ledger.say(`${name} leads to ${this.#world.benchOf(name)?.uri} now`)
    this.#world.configure()
  }

  /** Somebody sets the language of an entry, wrongly or not at all: then no command gets its printer out of half a label. */
  changeLanguage(): void {
    const { languages, ledger, mixes } = this.#world
    const name = this.#world.pick(this.#world.printers)
    if (name === undefined || !mixes) return
    const language = this.#world.pick(['zpl', 'epl', undefined])
    languages.set(name, language)
    ledger.say(`the language of ${name} is ${language}`)
    this.#world.configure()
  }

  /** A printer is switched off and on, and says so by enumerating again. */
  plugAnew(): void {
    const name = this.#world.pick(this.#world.printers)
    const bench = name === undefined ? undefined : this.#world.benchOf(name)
    if (name === undefined || bench === undefined) return
    this.#world.ledger.say(`${bench.uri} is plugged in again`)
    bench.off()
    bench.on()
    this.#world.box.scheduler.printerRestarted(name)
  }

  restart(): void {
    this.#end('the program is restarted', () =>
      this.#world.restart(this.#world.chance(0.5) ? 0 : 20),
    )
  }

  crash(): void {
    this.#end('the program is killed', () => this.#world.crash())
  }

  backUp(): void {
    this.#world.act('makes a backup', [], async () => {
      const { box } = this.#world
      const lines: (JobLine | RepeatLine)[] = []
      for (const line of exportJobs(box.spool)) {
        lines.push(line)
        if (this.#world.chance(0.5)) await turn()
        if (this.#world.box !== box) return
      }
      this.#backup = lines
    })
  }

  /** Restores a backup; there is nothing to restore on the box that it came from. */
  restore(): void {
    const lines = this.#backup
    this.#world.act(`restores a backup of ${lines.length} lines`, [], async () => {
      const { box, ledger } = this.#world
      const restorer = new Restorer(box.spool)
      for (const line of lines) {
        restorer.take(line)
        if (this.#world.chance(0.5)) await turn()
        if (this.#world.box !== box) return
      }
      const { labels } = restorer.end()
      if (labels > 0) ledger.fault(`${labels} labels of this box were restored on it`)
    })
  }

  #end(words: string, action: () => Promise<void>): void {
    if (this.#isRestarting) return
    this.#isRestarting = true
    this.#world.act(words, [], async () => {
      try {
        await action()
      } finally {
        this.#isRestarting = false
      }
    })
  }
}
