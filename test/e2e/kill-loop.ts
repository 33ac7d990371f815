import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { checkContract, makeLabel, printerNames, type Request } from './kill-contract.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))
const OUTSTANDING = 6
const ANSWERS_MOST = 8 // that a life waits for, so that a slow machine has a load too
const REQUESTS_A_LIFE = 25 // more would be accepted faster than they print, and fill any spool
const FINISH_MS = 300_000 // for all that is left, on a disk that takes its time
const ANSWER_MS = 60_000

/** A small generator of numbers from 0 to 1 (mulberry32), so that a run can be repeated as far as the clock allows. */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What a kill loop found. */
export interface KillReport {
  readonly kills: number
  readonly acknowledged: number
  readonly labels: number
  /** Empty = every promise was kept. */
  readonly faults: readonly string[]
}

/** The client: keeps a few requests on their way, and sends again what nobody answered. */
class Client {
  readonly sent = new Map<string, Request>()
  readonly acknowledged = new Set<string>()
  labels = 0
  readonly #random: () => number
  readonly #answers = new EventEmitter()
  #child: ChildProcess | undefined
  #budget = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Talks to this server from now on; resolves when it takes requests, or has died before it did. */
  async attach(child: ChildProcess, isLoading: boolean): Promise<void> {
    this.#child = child
    this.#budget = isLoading ? REQUESTS_A_LIFE : 0
    const ready = Promise.withResolvers<void>()
    if (child.stdout === null || child.stdin === null) throw new Error('the child has no pipes')
    child.stdin.on('error', () => undefined) // it was killed while we wrote, which is the point
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') ready.resolve()
      else this.#take(line)
    })
    child.once('exit', () => ready.resolve())
    await ready.promise
    for (const request of this.open()) this.#post(request)
    this.#fill()
  }

  /** Resolves when so many answers more have been read, or the server has died; not for ever. */
  async answered(count: number, child: ChildProcess): Promise<void> {
    const wanted = this.acknowledged.size + count
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(), ANSWER_MS)
    child.once('exit', () => end.abort())
    if (child.exitCode !== null || child.signalCode !== null) end.abort()
    while (this.acknowledged.size < wanted && !end.signal.aborted) {
      await once(this.#answers, 'answer', { signal: end.signal }).catch(() => undefined)
    }
    clearTimeout(timer)
  }

  /** Requests without an answer. */
  open(): readonly Request[] {
    return [...this.sent.values()].filter(({ key }) => !this.acknowledged.has(key))
  }

  #take(key: string): void {
    this.acknowledged.add(key)
    this.#fill()
    this.#answers.emit('answer')
  }

  #fill(): void {
    while (this.#budget > 0 && this.sent.size - this.acknowledged.size < OUTSTANDING) {
      this.#budget -= 1
      const key = `k${this.sent.size}`
      const count = 1 + Math.floor(this.#random() * 3)
      const labels = Array.from({ length: count }, (_, index) =>
        makeLabel(`${key}.${index}`, 100 + Math.floor(this.#random() * 6000)),
      )
      const printer = printerNames[Math.floor(this.#random() * printerNames.length)] ?? 'A'
      const request = { key, printer, labels }
      this.labels += count
      this.sent.set(key, request)
      this.#post(request)
    }
  }

  #post(request: Request): void {
    this.#child?.stdin?.write(`${JSON.stringify(request)}\n`)
  }
}

function start(folder: string, broken: string): ChildProcess {
  return spawn(process.execPath, [CHILD, folder, broken], { stdio: ['pipe', 'pipe', 'inherit'] })
}

/** Waits so long, or until the child has ended by itself. */
async function waitFor(child: ChildProcess, ms: number): Promise<void> {
  const done = Promise.withResolvers<void>()
  const timer = setTimeout(done.resolve, ms)
  child.once('exit', done.resolve)
  await done.promise
  clearTimeout(timer)
}

async function killOnce(
  folder: string,
  broken: string,
  client: Client,
  random: () => number,
): Promise<void> {
  const child = start(folder, broken)
  const exit = once(child, 'exit')
  // One in ten dies while it starts, which is when it clears up after the one before.
  if (random() < 0.1) {
    void client.attach(child, true)
    await waitFor(child, 100 + random() * 400)
  } else {
    await client.attach(child, true)
    // Half of them die while labels come in, the others when some were taken, at any time until the last one is printed.
    const isEarly = random() < 0.5
    if (!isEarly) await client.answered(1 + Math.floor(random() * ANSWERS_MOST), child)
    await waitFor(child, random() * (isEarly ? 20 : 120))
  }
  child.kill('SIGKILL')
  const [code] = await exit
  if (code !== null) throw new Error(`the server ended by itself with exit code ${code}`)
}

/**
 * Kills the server `kills` times at random moments under load, lets it finish, and checks every promise.
 * `broken` breaks the server on purpose: `answer-early` or `print-twice`.
 */
export async function runKillLoop(kills: number, seed: number, broken = ''): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-kill-'))
  const random = makeRandom(seed)
  const client = new Client(random)
  try {
    for (let n = 0; n < kills; n += 1) await killOnce(folder, broken, client, random)
    const last = start(folder, broken)
    const exit = once(last, 'exit')
    await client.attach(last, false)
    last.stdin?.write('finish\n')
    const timer = setTimeout(() => last.kill('SIGKILL'), FINISH_MS)
    const [code, signal] = await exit
    clearTimeout(timer)
    if (code !== 0) throw new Error(`the last server ended with ${code ?? signal}, not finished`)
    const log = { sent: client.sent, acknowledged: client.acknowledged, kills }
    const faults = checkContract(folder, log)
    return { kills, acknowledged: client.acknowledged.size, labels: client.labels, faults }
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
