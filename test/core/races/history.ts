import { hasEnded, type Job, wasCut } from '../../../src/core/job.ts'
import { passTurns, settle } from '../../simulator/clock.ts'
import type { Story } from '../../simulator/history.ts'
import { type Chance, weigh } from '../../simulator/operator.ts'
import type { PaperPrinter } from '../../simulator/printer.ts'
import { Disturbances } from './disturbances.ts'
import { Operators } from './operators.ts'
import { World } from './world.ts'

/** Plays one history out and judges it. */
export async function play(
  folder: string,
  benches: readonly PaperPrinter[],
  seed: number,
): Promise<Story> {
  const world = new World(folder, benches, seed)
  const { ledger } = world
  const operators = new Operators(world)
  const disturbances = new Disturbances(world)
  const actions = weigh(listActions(operators, disturbances, world))
  const steps = 8 + world.below(30)
  for (let step = 0; step < steps; step += 1) {
    world.pick(actions)?.()
    await pass(world)
  }
  await end(world, operators)
  ledger.judge()
  await world.end()
  return ledger.tell(seed)
}

function listActions(
  operators: Operators,
  disturbances: Disturbances,
  { hasRules }: World,
): readonly Chance[] {
  return [
    [8, () => operators.print()],
    [2, () => operators.repeat()],
    [3, () => operators.cancel()],
    [1, () => operators.cancelAll()],
    [5, () => operators.move()],
    [1, () => operators.moveAll()],
    [2, () => operators.reprint()],
    [2, () => operators.release()],
    [2, () => operators.releaseLate()],
    [2, () => operators.hold()],
    [2, () => operators.pause()],
    [1, () => operators.calibrate()],
    [5, () => operators.decide()],
    [3, () => operators.answerLate()],
    [4, () => disturbances.switchPrinter()],
    [5, () => disturbances.changeManners()],
    [1, () => disturbances.changePolicy()],
    [1, () => disturbances.passTime()],
    [2, () => disturbances.fillDisk()],
    [2, () => disturbances.changeSettings()],
    [1, () => disturbances.changeAddress()],
    [1, () => disturbances.changeLanguage()],
    [1, () => disturbances.plugAnew()],
    ...(hasRules ? [[3, () => disturbances.followRules()] as const] : []),
    [1, () => disturbances.restart()],
    [2, () => disturbances.crash()],
    [1, () => disturbances.backUp()],
    [1, () => disturbances.restore()],
  ]
}

/** Lets the program come as far as it comes in some turns; none = the next action comes at the same moment. */
async function pass(world: World): Promise<void> {
  const kind = world.below(4)
  if (kind === 0) return
  if (kind === 1) return await Promise.resolve()
  await passTurns(kind === 2 ? 1 + world.below(3) : world.below(40))
}

/** Everything is switched on, and somebody looks after every label, until all have ended. */
async function end(world: World, operators: Operators): Promise<void> {
  world.policy = 'hold'
  world.fullness = 0
  restorePrinters(world)
  await settle(world.ledger, async () => {
    await world.operator.answered()
    const open = [...world.ledger.jobs.values()].filter((job) => !hasEnded(job))
    // Some were still on their way when it was put in order.
    if (open.some(({ printer }) => !world.settings.has(printer))) restorePrinters(world)
    for (const job of open) decide(world, operators, job)
    return open.length === 0 && world.benches.every((bench) => bench.isAlone && bench.isDone)
  })
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

function decide(world: World, operators: Operators, job: Job): void {
  const refuse = (error: unknown): void => world.operator.refuse('looks', ['JOB_STATE'], error)
  if (wasCut(job)) operators.look(job).catch(refuse)
  else if (job.state === 'pending-held') {
    world.ledger.wish(job.id, 'again')
    world.act(`releases ${job.id}`, ['JOB_STATE'], () => world.box.scheduler.release(job.id))
  }
}
