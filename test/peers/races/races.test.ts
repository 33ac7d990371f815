import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { play } from './history.ts'
import '../../teardown-first.ts'

const HISTORIES = Number(process.env['HISTORIES'] || 40)
const SEED = Number(process.env['SEED'] || 1)
const LANES = 4 // histories wait for timers of a few milliseconds
const FAULTS_MOST = 5
const TOLD_EVERY = 250
const MEMORY = '/dev/shm'

t.setTimeout(0)

t.test(`${HISTORIES} histories of boxes that hand labels over, from seed ${SEED}`, async (t) => {
  const root = existsSync(MEMORY) ? MEMORY : tmpdir()
  const folder = mkdtempSync(join(root, 'platen-towns-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  // In the field the HTTP server keeps the process alive.
  const alive = setInterval(() => undefined, 3_600_000)
  t.teardown(() => clearInterval(alive))
  let seed = SEED
  let broken = 0
  const runLane = async (): Promise<void> => {
    while (seed < SEED + HISTORIES && broken < FAULTS_MOST) {
      const story = await play(folder, seed++)
      if (story.seed % TOLD_EVERY === 0) t.comment(`history ${story.seed}`)
      if (story.faults.length === 0) continue
      broken += 1
      const repeat = `SEED=${story.seed} HISTORIES=1 node test/peers/races/races.test.ts`
      t.fail(`history ${story.seed}: ${story.faults.join('; ')}`)
      t.comment([repeat, ...story.lines].join('\n'))
    }
  }
  await Promise.all(Array.from({ length: Math.min(LANES, HISTORIES) }, () => runLane()))
  t.equal(broken, 0)
})
