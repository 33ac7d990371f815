import { setTimeout as sleep } from 'node:timers/promises'
import type { Box, Fleet } from './fleet.ts'

/** The disturbances of the fleet. */
export interface Done {
  kills: number
  off: number
  full: number
  queueKills: number
  brokerRestarts: number
}

interface Manner {
  readonly everyMs: number
  readonly random: () => number
  readonly restartQueue: () => Promise<void>
}

/** Longer than a box needs to start, far shorter than the shortest time of a rule. */
const SHORT_MS = [200, 3_000] as const

/**
 * Until the signal aborts: kills boxes and starts them again, switches printers off and on, fills and empties them, kills
 * the queue's server and restarts the broker. Everything is well again when it resolves.
 */
export async function disturb(
  { boxes, paper, mosquitto }: Fleet,
  victims: readonly Box[],
  { everyMs, random, restartQueue }: Manner,
  signal: AbortSignal,
): Promise<Done> {
  const done: Done = { kills: 0, off: 0, full: 0, queueKills: 0, brokerRestarts: 0 }
  const wait = (): Promise<void> => sleep(SHORT_MS[0] + random() * (SHORT_MS[1] - SHORT_MS[0]))
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const busy = new Set<string>()
  const trouble = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (busy.has(name)) return
    busy.add(name)
    await work()
    busy.delete(name)
  }
  const act = (): Promise<void> => {
    const kind = random()
    const box = pick(victims)
    if (kind < 0.6) {
      return trouble(box.name, async () => {
        done.kills += 1
        await box.kill()
        await sleep(random() * 500)
        await box.start()
      })
    }
    if (kind < 0.9) {
      const [bad, good] = random() < 0.5 ? (['off', 'on'] as const) : (['full', 'empty'] as const)
      const place = 2 * boxes.indexOf(box) + Math.floor(random() * 2)
      return trouble(`printer ${place}`, async () => {
        done[bad] += 1
        await paper.ask(`${bad} ${place}`)
        await wait()
        await paper.ask(`${good} ${place}`)
      })
    }
    if (kind < 0.95) {
      return trouble('queue', async () => {
        done.queueKills += 1
        await restartQueue()
      })
    }
    return trouble('broker', async () => {
      done.brokerRestarts += 1
      await mosquitto.restart()
    })
  }
  const acts = new Set<Promise<void>>()
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) break
    const one = act().finally(() => acts.delete(one))
    acts.add(one)
  }
  await Promise.all(acts)
  return done
}
