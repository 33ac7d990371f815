import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeRandom, tries } from '../random.ts'
import '../teardown-first.ts'

const HISTORIES = Number(process.env['HISTORIES'] || tries(40))
const SEED = Number(process.env['SEED'] || 1)
const LANES = 4 // histories wait for the network and for timers most of the time
const FAULTS_MOST = 5
const TOLD_EVERY = 250
const MEMORY = '/dev/shm'

/** A history: what happened, line by line, and what must not have happened. Decision `histories`. */
export interface Story {
  readonly seed: number
  readonly faults: readonly string[]
  readonly lines: readonly string[]
}

/** Plays the history of a seed in a folder of its own below `folder`. */
export type Play = (folder: string, seed: number) => Promise<Story>

/**
 * Plays HISTORIES histories from SEED on, some at a time, as a test; `openLane` gives what those of one lane share.
 * A history with a fault says how to play it again.
 */
export function testHistories(what: string, file: string, openLane: (t: Test) => Promise<Play>) {
  t.setTimeout(0)
  t.test(`${HISTORIES} histories of ${what} from seed ${SEED}`, async (t) => {
    const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'platen-races-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    // In the field the HTTP server keeps the process alive.
    const alive = setInterval(() => undefined, 3_600_000)
    t.teardown(() => clearInterval(alive))
    let seed = SEED
    let broken = 0
    const runLane = async (): Promise<void> => {
      const play = await openLane(t)
      while (seed < SEED + HISTORIES && broken < FAULTS_MOST) {
        const story = await play(folder, seed++)
        if (story.seed % TOLD_EVERY === 0) t.comment(`history ${story.seed}`)
        if (story.faults.length === 0) continue
        broken += 1
        t.fail(`history ${story.seed}: ${story.faults.join('; ')}`)
        t.comment([`SEED=${story.seed} HISTORIES=1 node ${file}`, ...story.lines].join('\n'))
      }
    }
    await Promise.all(Array.from({ length: Math.min(LANES, HISTORIES) }, () => runLane()))
    t.equal(broken, 0)
  })
}

/** The chance of a history: the same for the same seed. */
export class Dice {
  readonly random: () => number

  constructor(seed: number) {
    this.random = makeRandom(seed)
  }

  chance(part: number): boolean {
    return this.random() < part
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)]
  }
}
