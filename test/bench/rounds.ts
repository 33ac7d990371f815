/** The contenders, by name; a run that returns false cannot do it, and is left out from then on. */
export type Contenders = ReadonlyMap<string, () => unknown>

/** Bounds of a comparison. */
export interface Bounds {
  /** Each runs at most so often. */
  readonly rounds: number
  /** A contender that has taken so long sits out the rounds that are left. */
  readonly eachMs: number
  /** It runs at least so often, however slow it is. */
  readonly atLeast: number
}

/** The cost of one run. */
export interface Spent {
  readonly ms: number
  /** Time of all processors that this process had, its other threads included; nothing of its children. */
  readonly processorMs: number
}

/** Time below which a contender runs twice in its turn, and the second run counts: the first pays for the garbage of the one before. */
const QUICK_MS = 250

/** Runs all in turn, round after round, so that what else the machine does falls on all alike. */
export async function runInTurn(
  contenders: Contenders,
  { rounds, eachMs, atLeast }: Bounds,
): Promise<ReadonlyMap<string, readonly Spent[]>> {
  const runs = new Map([...contenders.keys()].map((who) => [who, [] as Spent[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [who, list] of runs) {
      const spent = list.reduce((sum, { ms }) => sum + ms, 0)
      if (round >= atLeast && spent > eachMs) continue
      const one = await takeTurn(contenders.get(who))
      if (one === undefined) runs.delete(who)
      else list.push(one)
    }
  }
  return runs
}

async function takeTurn(run: () => unknown = () => false): Promise<Spent | undefined> {
  const first = await measure(run)
  return first !== undefined && first.ms < QUICK_MS ? measure(run) : first
}

async function measure(run: () => unknown): Promise<Spent | undefined> {
  const [processor, began] = [process.cpuUsage(), performance.now()]
  if ((await run()) === false) return undefined
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(processor)
  return { ms, processorMs: (user + system) / 1000 }
}
