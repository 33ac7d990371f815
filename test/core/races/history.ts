import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { hasEnded, type Job } from '../../../src/core/job.ts'
import { wasCut } from '../../../src/core/moves.ts'
import type { PaperPrinter } from '../../devices/paper-printer.ts'
import type { Story } from '../../histories.ts'
import { People } from './people.ts'
import { Weather } from './weather.ts'
import { World } from './world.ts'

const PATIENCE_MS = 120_000 // without anything that happens, on however busy a machine
const LINES_MOST = 20_000 // of a label that is looked after again and again and never ends

/** Plays one history out and judges it. */
export async function play(
  folder: string,
  benches: readonly PaperPrinter[],
  seed: number,
): Promise<Story> {
  const world = new World(folder, benches, seed)
  const { ledger } = world
  const people = new People(world)
  const weather = new Weather(world)
  const deeds = listDeeds(people, weather, world)
  const steps = 8 + world.below(30)
  for (let step = 0; step < steps; step += 1) {
    world.pick(deeds)?.()
    await passTurns(world)
  }
  await settle(world, people)
  ledger.judge()
  await world.end()
  return { seed, faults: ledger.faults, lines: ledger.lines }
}

/** Each as often as it shall happen. */
function listDeeds(people: People, weather: Weather, { hasRules }: World): readonly (() => void)[] {
  const deeds: readonly (readonly [often: number, deed: () => void])[] = [
    [8, () => people.print()],
    [2, () => people.repeat()],
    [3, () => people.cancel()],
    [1, () => people.cancelAll()],
    [5, () => people.move()],
    [1, () => people.moveAll()],
    [2, () => people.reprint()],
    [2, () => people.release()],
    [2, () => people.releaseLate()],
    [2, () => people.hold()],
    [2, () => people.pause()],
    [1, () => people.calibrate()],
    [5, () => people.decide()],
    [3, () => people.answerLate()],
    [4, () => weather.switchPrinter()],
    [5, () => weather.changeManners()],
    [1, () => weather.changePolicy()],
    [1, () => weather.passTime()],
    [2, () => weather.fillDisk()],
    [2, () => weather.changeSettings()],
    [1, () => weather.changeAddress()],
    [1, () => weather.changeLanguage()],
    [1, () => weather.plugAnew()],
    ...(hasRules ? [[3, () => weather.followRules()] as const] : []),
    [1, () => weather.restart()],
    [2, () => weather.crash()],
    [1, () => weather.backUp()],
    [1, () => weather.restore()],
  ]
  return deeds.flatMap(([often, deed]) => Array.from({ length: often }, () => deed))
}

/** Lets the program come as far as it comes in so many turns; none = the next deed comes at the same moment. */
async function passTurns(world: World): Promise<void> {
  const kind = world.below(4)
  if (kind === 0) return
  if (kind === 1) return await Promise.resolve()
  const turns = kind === 2 ? 1 + world.below(3) : world.below(40)
  for (let n = 0; n < turns; n += 1) await turn()
}

/** Everything is switched on, and somebody looks after every label, until all have ended. */
async function settle(world: World, people: People): Promise<void> {
  world.ledger.say('everything is put in order')
  world.policy = 'hold'
  world.fullness = 0
  let deadline = performance.now() + PATIENCE_MS
  let happened = 0
  restorePrinters(world)
  while (performance.now() < deadline && world.ledger.lines.length < LINES_MOST) {
    await world.answered()
    const open = [...world.ledger.jobs.values()].filter((job) => !hasEnded(job))
    // Some were still on their way when it was put in order.
    if (open.some(({ printer }) => !world.settings.has(printer))) restorePrinters(world)
    if (open.length === 0 && world.benches.every((bench) => bench.isAlone && bench.isDone)) return
    for (const job of open) decide(world, people, job)
    if (world.ledger.lines.length > happened) deadline = performance.now() + PATIENCE_MS
    happened = world.ledger.lines.length
    await sleep(1)
  }
}

function restorePrinters(world: World): void {
  for (const bench of world.benches) {
    bench.behave({})
    bench.on()
  }
  const wanted = [...world.ledger.jobs.values()].map(({ printer }) => printer)
  for (const name of wanted) if (!world.settings.has(name)) world.settings.set(name, 0)
  world.configure()
  for (const name of world.paused) world.pause(name, false)
}

function decide(world: World, people: People, job: Job): void {
  const refuse = (error: unknown): void => world.refuse('looks', ['JOB_STATE'], error)
  if (wasCut(job)) people.look(job).catch(refuse)
  else if (job.state === 'pending-held') {
    world.ledger.wish(job.id, 'again')
    world.act(`releases ${job.id}`, ['JOB_STATE'], () => world.box.scheduler.release(job.id))
  }
}
