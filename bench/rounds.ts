import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Who takes part, by name; a run that gives false cannot do it, and is left out from then on. */
export type Contenders = ReadonlyMap<string, () => unknown>

/** What bounds a comparison. */
export interface Bounds {
  /** Each runs at most so often. */
  readonly rounds: number
  /** A contender that has taken so long sits out the rounds that are left. */
  readonly eachMs: number
  /** It runs at least so often, however slow it is. */
  readonly atLeast: number
}

/** What one run took. */
export interface Spent {
  readonly ms: number
  /** Of all processors that this process had, its other threads included; nothing of its children. */
  readonly processorMs: number
}

/** Runs all in turn, round after round, so that what else the machine does falls on all alike. */
export async function runInTurn(
  contenders: Contenders,
  { rounds, eachMs, atLeast }: Bounds,
): Promise<ReadonlyMap<string, readonly Spent[]>> {
  const collect = findCollector()
  const runs = new Map([...contenders.keys()].map((who) => [who, [] as Spent[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [who, list] of runs) {
      const spent = list.reduce((sum, { ms }) => sum + ms, 0)
      if (round >= atLeast && spent > eachMs) continue
      collect() // nobody pays for the garbage of the one before
      const [processor, began] = [process.cpuUsage(), performance.now()]
      if ((await contenders.get(who)?.()) === false) {
        runs.delete(who)
        continue
      }
      const ms = performance.now() - began
      const { user, system } = process.cpuUsage(processor)
      list.push({ ms, processorMs: (user + system) / 1000 })
    }
  }
  return runs
}

function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
