import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, isMoving } from '../../../../src/core/job.ts'
import { exportJobs, type JobLine, type RepeatLine } from '../../../../src/core/spool/backup.ts'
import { Restorer } from '../../../../src/core/spool/restore.ts'
import type { Story } from '../../../histories.ts'
import type { Entry } from './ledger.ts'
import { People } from './people.ts'
import { PRINTERS, Town } from './town.ts'

const PATIENCE_MS = 60_000 // without anything that happens, on however busy a machine
const LINES_MOST = 20_000 // of a label that is looked after again and again and never ends
const ROUNDS = 30 // in good order, after which what is on its way is where only a person can tell

/** Plays one history of two or three boxes out and judges it. */
export async function play(folder: string, seed: number): Promise<Story> {
  const town = new Town(folder, seed)
  const { ledger } = town
  const people = new People(town)
  const deeds = listDeeds(people, new Weather(town))
  const steps = 8 + town.below(30)
  for (let step = 0; step < steps; step += 1) {
    town.pick(deeds)?.()
    const kind = town.below(4)
    if (kind > 0) await town.turns(kind === 3 ? 60 : 3)
  }
  await settle(town, people)
  ledger.judge()
  await town.end()
  return { seed, faults: ledger.faults, lines: ledger.lines }
}

/** Each as often as it shall happen. */
function listDeeds(people: People, weather: Weather): readonly (() => void)[] {
  const deeds: readonly (readonly [often: number, deed: () => void])[] = [
    [7, () => people.print()],
    [2, () => people.repeat()],
    [2, () => people.cancel()],
    [6, () => people.moveAway()],
    [2, () => people.moveAllAway()],
    [1, () => people.moveHere()],
    [5, () => people.decide()],
    [1, () => people.reprint()],
    [2, () => people.hold()],
    [5, () => weather.switchPrinter()],
    [4, () => weather.changeNetwork()],
    [4, () => weather.followRules()],
    [1, () => weather.passTime()],
    [1, () => weather.restart()],
    [3, () => weather.kill()],
    [1, () => weather.failDisk()],
    [1, () => weather.backUp()],
    [1, () => weather.restore()],
  ]
  return deeds.flatMap(([often, deed]) => Array.from({ length: often }, () => deed))
}

/** What happens to boxes besides their people. */
class Weather {
  readonly #town: Town
  #backup:
    | {
        readonly name: string
        readonly at: number
        readonly lines: readonly (JobLine | RepeatLine)[]
      }
    | undefined

  constructor(town: Town) {
    this.#town = town
  }

  switchPrinter(): void {
    const { slots, off, ledger } = this.#town
    const place = `${this.#town.pick(slots)?.name}-${this.#town.pick(PRINTERS)}`
    const isOff = this.#town.chance(0.6)
    ledger.say(`${place} is switched ${isOff ? 'off' : 'on'}`)
    if (isOff) off.add(place)
    else off.delete(place)
  }

  changeNetwork(): void {
    this.#town.trouble = this.#town.pick([0, 0.2, 0.6, 1]) ?? 0
    this.#town.ledger.say(`the network spoils ${this.#town.trouble} of its calls`)
  }

  /** The rules of printers that cannot print move what waits for them. */
  followRules(): void {
    const box = this.#town.anyBox()
    this.#town.seconds += 1
    if (box === undefined) return
    this.#town.act(`the rules of ${box.name} are looked at`, [], box, () => box.backups.look())
  }

  passTime(): void {
    const seconds = this.#town.chance(0.2) ? 8 * 86_400 : 1 + this.#town.below(300)
    this.#town.seconds += seconds
    this.#town.ledger.say(`${seconds} s go by`)
  }

  restart(): void {
    const slot = this.#town.pick(this.#town.slots)
    if (slot === undefined || slot.isDown) return
    const { run } = slot
    this.#town.act(`${slot.name} is restarted`, [], run, () => this.#town.restart(slot))
  }

  kill(): void {
    const slot = this.#town.pick(this.#town.slots)
    if (slot === undefined || slot.isDown) return
    const { run } = slot
    this.#town.act(`${slot.name} is killed`, [], run, () => this.#town.kill(slot))
  }

  /** Some commits of a box fail, until they do not. */
  failDisk(): void {
    const box = this.#town.anyBox()
    if (box === undefined) return
    const { disk, ledger } = this.#town
    if (this.#town.chance(0.3)) {
      ledger.say(`the disk of ${box.name} is well`)
      disk.heal(box.folder)
      return
    }
    const part = this.#town.pick([0.1, 0.5, 1]) ?? 1
    ledger.say(`the disk of ${box.name} refuses ${part} of its commits`)
    disk.fail(box.folder, () => {
      const fails = this.#town.chance(part)
      if (fails) ledger.say(`  the disk of ${box.name} refuses a commit`)
      return fails ? this.#town.below(2) : undefined
    })
  }

  backUp(): void {
    const box = this.#town.anyBox()
    if (box === undefined) return
    this.#town.ledger.say(`a backup of ${box.name} is made`)
    const at = this.#town.seconds
    this.#backup = { name: box.name, at, lines: [...exportJobs(box.spool)] }
  }

  restore(): void {
    const [box, backup] = [this.#town.anyBox(), this.#backup]
    if (box === undefined || backup === undefined) return
    this.#town.act(`the backup of ${backup.name} is restored on ${box.name}`, [], box, () => {
      const restorer = new Restorer(box.spool)
      for (const line of backup.lines) restorer.take(line)
      const { labels } = restorer.end()
      const isKnown = this.#town.seconds - backup.at < 7 * 86_400
      if (labels > 0 && box.name === backup.name && isKnown)
        this.#town.ledger.fault(`${labels} labels of ${box.name} were restored on it`)
    })
  }
}

/** All is put in order, and somebody looks after every label, until all have ended. */
async function settle(town: Town, people: People): Promise<void> {
  const { ledger } = town
  ledger.say('everything is put in order')
  town.trouble = 0
  town.off.clear()
  let deadline = performance.now() + PATIENCE_MS
  for (let round = 0; performance.now() < deadline; round += 1) {
    const happened = ledger.lines.length
    if (await lookAround(town, people, round)) return
    if (ledger.lines.length > LINES_MOST) return
    if (ledger.lines.length > happened) deadline = performance.now() + PATIENCE_MS
    await sleep(1)
  }
}

/** True when all have ended. */
async function lookAround(town: Town, people: People, round: number): Promise<boolean> {
  for (const { run } of town.slots) town.disk.heal(run.folder)
  await town.answered()
  if (town.slots.some(({ isDown }) => isDown)) return false
  const open = town.ledger.entries().filter(({ job }) => !hasEnded(job))
  for (const entry of open) lookAfter(town, people, entry, round)
  return open.length === 0
}

function lookAfter(town: Town, people: People, entry: Entry, round: number): void {
  const { run } = town.slotOf({ name: entry.box })
  const isStuck = entry.job.code === 'PEER_UNSURE' || round > ROUNDS
  if (!isMoving(entry.job)) {
    if (entry.job.state === 'pending-held') people.decideOn(run, entry, false)
  } else if (isStuck) people.settle(run, entry)
}
