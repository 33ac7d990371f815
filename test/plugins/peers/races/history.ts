import { hasEnded, isMoving } from '../../../../src/core/job.ts'
import { exportJobs, type JobLine, type RepeatLine } from '../../../../src/core/spool/backup.ts'
import { Restorer } from '../../../../src/core/spool/restore.ts'
import { settle } from '../../../simulator/clock.ts'
import type { Story } from '../../../simulator/history.ts'
import { type Chance, weigh } from '../../../simulator/operator.ts'
import type { Entry } from './ledger.ts'
import { Operators } from './operators.ts'
import { PRINTERS, World } from './world.ts'

const ROUNDS = 30 // in good order, after which what is on its way is where only a person can tell

/** Plays one history of two or three boxes out and judges it. */
export async function play(folder: string, seed: number): Promise<Story> {
  const world = new World(folder, seed)
  const { ledger } = world
  const operators = new Operators(world)
  const actions = weigh(listActions(operators, new Disturbances(world)))
  const steps = 8 + world.below(30)
  for (let step = 0; step < steps; step += 1) {
    world.pick(actions)?.()
    const kind = world.below(4)
    if (kind > 0) await world.turns(kind === 3 ? 60 : 3)
  }
  await end(world, operators)
  ledger.judge()
  await world.end()
  return ledger.tell(seed)
}

function listActions(operators: Operators, disturbances: Disturbances): readonly Chance[] {
  return [
    [7, () => operators.print()],
    [2, () => operators.repeat()],
    [2, () => operators.cancel()],
    [6, () => operators.moveAway()],
    [2, () => operators.moveAllAway()],
    [1, () => operators.moveHere()],
    [5, () => operators.decide()],
    [1, () => operators.reprint()],
    [2, () => operators.hold()],
    [5, () => disturbances.switchPrinter()],
    [4, () => disturbances.changeNetwork()],
    [4, () => disturbances.followRules()],
    [1, () => disturbances.passTime()],
    [1, () => disturbances.restart()],
    [3, () => disturbances.kill()],
    [1, () => disturbances.failDisk()],
    [1, () => disturbances.backUp()],
    [1, () => disturbances.restore()],
  ]
}

/** Disturbs boxes in ways other than their operators do. */
class Disturbances {
  readonly #world: World
  #backup:
    | {
        readonly name: string
        readonly at: number
        readonly lines: readonly (JobLine | RepeatLine)[]
      }
    | undefined

  constructor(world: World) {
    this.#world = world
  }

  switchPrinter(): void {
    const { slots, off, ledger } = this.#world
    const place = `${this.#world.pick(slots)?.name}-${this.#world.pick(PRINTERS)}`
    const isOff = this.#world.chance(0.6)
    ledger.say(`${place} is switched ${isOff ? 'off' : 'on'}`)
    if (isOff) off.add(place)
    else off.delete(place)
  }

  changeNetwork(): void {
    this.#world.network.trouble = this.#world.pick([0, 0.2, 0.6, 1]) ?? 0
    this.#world.ledger.say(`the network spoils ${this.#world.network.trouble} of its calls`)
  }

  /** The rules of printers that cannot print move what waits for them. */
  followRules(): void {
    const box = this.#world.anyBox()
    this.#world.clock.seconds += 1
    if (box === undefined) return
    this.#world.act(`the rules of ${box.name} are looked at`, [], box, () => box.backups.look())
  }

  passTime(): void {
    const seconds = this.#world.chance(0.2) ? 8 * 86_400 : 1 + this.#world.below(300)
    this.#world.clock.seconds += seconds
    this.#world.ledger.say(`${seconds} s go by`)
  }

  restart(): void {
    const slot = this.#world.pick(this.#world.slots)
    if (slot === undefined || slot.isDown) return
    const { run } = slot
    this.#world.act(`${slot.name} is restarted`, [], run, () => this.#world.restart(slot))
  }

  kill(): void {
    const slot = this.#world.pick(this.#world.slots)
    if (slot === undefined || slot.isDown) return
    const { run } = slot
    this.#world.act(`${slot.name} is killed`, [], run, () => this.#world.kill(slot))
  }

  /** Some commits of a box fail, until they do not. */
  failDisk(): void {
    const box = this.#world.anyBox()
    if (box === undefined) return
    const { disk, ledger } = this.#world
    if (this.#world.chance(0.3)) {
      ledger.say(`the disk of ${box.name} is well`)
      disk.heal(box.folder)
      return
    }
    const part = this.#world.pick([0.1, 0.5, 1]) ?? 1
    ledger.say(`the disk of ${box.name} refuses ${part} of its commits`)
    disk.fail(box.folder, () => {
      const fails = this.#world.chance(part)
      if (fails) ledger.say(`  the disk of ${box.name} refuses a commit`)
      return fails ? this.#world.below(2) : undefined
    })
  }

  backUp(): void {
    const box = this.#world.anyBox()
    if (box === undefined) return
    this.#world.ledger.say(`a backup of ${box.name} is made`)
    const at = this.#world.clock.seconds
    this.#backup = { name: box.name, at, lines: [...exportJobs(box.spool)] }
  }

  restore(): void {
    const [box, backup] = [this.#world.anyBox(), this.#backup]
    if (box === undefined || backup === undefined) return
    this.#world.act(`the backup of ${backup.name} is restored on ${box.name}`, [], box, () => {
      const restorer = new Restorer(box.spool)
      for (const line of backup.lines) restorer.take(line)
      const { labels } = restorer.end()
      const isKnown = this.#world.clock.seconds - backup.at < 7 * 86_400
      if (labels > 0 && box.name === backup.name && isKnown)
        this.#world.ledger.fault(`${labels} labels of ${box.name} were restored on it`)
    })
  }
}

/** All is put in order, and somebody looks after every label, until all have ended. */
async function end(world: World, operators: Operators): Promise<void> {
  world.network.trouble = 0
  world.off.clear()
  await settle(world.ledger, (round) => lookAround(world, operators, round))
}

/** True when all have ended. */
async function lookAround(world: World, operators: Operators, round: number): Promise<boolean> {
  for (const { run } of world.slots) world.disk.heal(run.folder)
  await world.operator.answered()
  if (world.slots.some(({ isDown }) => isDown)) return false
  const open = world.ledger.entries().filter(({ job }) => !hasEnded(job))
  for (const entry of open) lookAfter(world, operators, entry, round)
  return open.length === 0
}

function lookAfter(world: World, operators: Operators, entry: Entry, round: number): void {
  const { run } = world.slotOf({ name: entry.box })
  const isStuck = entry.job.code === 'PEER_UNSURE' || round > ROUNDS
  if (!isMoving(entry.job)) {
    if (entry.job.state === 'pending-held') operators.decideOn(run, entry, false)
  } else if (isStuck) operators.settle(run, entry)
}
