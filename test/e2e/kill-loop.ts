import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeRandom } from '../random.ts'
import { KillClients } from './kill-clients.ts'
import { checkContract } from './kill-contract.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))
const ANSWERS_MOST = 32 // that a life waits for, so that a slow machine has a load too
const FINISH_MS = 300_000 // for all that is left, on a disk that takes its time

/** The findings of a kill loop. */
export interface KillReport {
  readonly kills: number
  readonly acknowledged: number
  readonly labels: number
  /** Empty = every promise was kept. */
  readonly faults: readonly string[]
}

/** A server of the loop. */
class Life {
  readonly #child: ChildProcess
  readonly #end = new AbortController()
  readonly #ended: Promise<unknown>
  /** The port that it listens on; undefined when it died before. */
  readonly port: Promise<number | undefined>

  constructor(folder: string, broken: string) {
    const child = spawn(process.execPath, [CHILD, folder, broken], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child = child
    child.stdin.on('error', () => undefined) // its end is told by its exit
    this.#ended = once(child, 'exit').finally(() => this.#end.abort())
    const told = once(createInterface({ input: child.stdout }), 'line', { signal: this.died })
    this.port = told.then(
      ([line]) => Number(line),
      () => undefined,
    )
  }

  get died(): AbortSignal {
    return this.#end.signal
  }

  async kill(): Promise<void> {
    const { exitCode } = this.#child
    if (exitCode !== null) throw new Error(`the server ended by itself with exit code ${exitCode}`)
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** Lets it print all that is left. */
  async finish(): Promise<void> {
    this.#child.stdin?.write('finish\n')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), FINISH_MS)
    await this.#ended
    clearTimeout(timer)
    const { exitCode, signalCode } = this.#child
    if (exitCode !== 0) {
      throw new Error(`the last server ended with ${exitCode ?? signalCode}, not finished`)
    }
  }
}

/** Waits so long, or until the server has ended by itself. */
async function waitFor(life: Life, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: life.died }).catch(() => undefined)
}

async function killOnce(life: Life, clients: KillClients, random: () => number): Promise<void> {
  const flood = life.port.then(async (port) => {
    if (port !== undefined) await clients.talk(port, true)
  })
  // One in ten dies while it starts, which is when it clears up after the one before.
  if (random() < 0.1) {
    await waitFor(life, 100 + random() * 400)
  } else {
    await life.port
    // Half of them die while labels come in, the others when some were taken, at any time until the last one is printed.
    const isEarly = random() < 0.5
    if (!isEarly) await clients.answered(1 + Math.floor(random() * ANSWERS_MOST), life.died)
    await waitFor(life, random() * (isEarly ? 40 : 120))
  }
  await life.kill()
  await flood
}

/**
 * Kills the server `kills` times at random moments under a flood, lets it finish, and checks every promise.
 * `broken` breaks the server on purpose: `answer-early` or `print-twice`.
 */
export async function runKillLoop(kills: number, seed: number, broken = ''): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-kill-'))
  const random = makeRandom(seed)
  const clients = new KillClients(random)
  try {
    for (let n = 0; n < kills; n += 1) await killOnce(new Life(folder, broken), clients, random)
    const last = new Life(folder, broken)
    const port = await last.port
    if (port !== undefined) await clients.talk(port, false)
    await last.finish()
    const { sent, acknowledged, labels } = clients
    const faults = [...clients.faults, ...checkContract(folder, { sent, acknowledged, kills })]
    return { kills, acknowledged: acknowledged.size, labels, faults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [kills = '50', seed = String(Date.now() % 1_000_000), broken = ''] = process.argv.slice(2)
  const report = await runKillLoop(Number(kills), Number(seed), broken)
  const { acknowledged, labels, faults } = report
  console.log(
    `seed ${seed}: ${kills} kills, ${acknowledged} requests acknowledged, ${labels} labels`,
  )
  for (const fault of faults.slice(0, 50)) console.log(fault)
  console.log(faults.length === 0 ? 'every promise was kept' : `${faults.length} promises broken`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
