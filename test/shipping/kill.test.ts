import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { type Answer, packagesOf, TWO_PARCELS } from '../http/shipping/calls.ts'
import { makeRandom } from '../random.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))
const KILLS = Number(process.env['KILLS'] ?? 12)
const CALLS_A_LIFE = 12

/** One server; every line that it answers goes to `take`. */
function startLife(folder: string, take: (answer: Answer) => void) {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => undefined) // its end is told by its exit
  const ready = Promise.withResolvers<void>()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => (line === 'ready' ? ready.resolve() : take(JSON.parse(line))))
  lines.on('close', () => ready.resolve())
  const exit = once(child, 'exit')
  return {
    ready: ready.promise,
    ask: (id: string) => {
      const params = { ...TWO_PARCELS, print: true }
      const call = { carrier: 'local', action: 'SubmitShipment', request_id: id, params }
      child.stdin.write(`${JSON.stringify(call)}\n`)
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** What was answered so far, and which calls still wait. */
class Calls {
  readonly shipments = new Map<string, string>()
  readonly waiting = new Set<string>()
  readonly #t: Test

  constructor(t: Test) {
    this.#t = t
  }

  take(answer: Answer): void {
    const { request_id: id = '', data } = answer
    if (data === null || data.errors !== null) this.#t.fail(`${id}: ${JSON.stringify(answer.meta)}`)
    const shipment = String(data?.['shipment_id'])
    this.#t.equal(this.shipments.get(id) ?? shipment, shipment, 'the same call, the same shipment')
    const isPrinted = packagesOf(answer).every(({ label, print }) => label && print?.job_id)
    this.#t.ok(isPrinted, 'with its labels and their jobs')
    this.shipments.set(id, shipment)
    this.waiting.delete(id)
  }
}

/** Calls until each has its answer, through so many kills. */
async function sendThroughKills(t: Test, folder: string): Promise<Calls> {
  const random = makeRandom(20_261_123)
  const calls = new Calls(t)
  for (let life = 0; life <= KILLS; life += 1) {
    const isLast = life === KILLS
    const server = startLife(folder, (answer) => calls.take(answer))
    await server.ready
    const old = [...calls.shipments.keys()].slice(-1)
    const fresh = Array.from({ length: isLast ? 0 : CALLS_A_LIFE }, (_, n) => `call-${life}-${n}`)
    for (const id of fresh) calls.waiting.add(id)
    for (const id of [...calls.waiting, ...old]) server.ask(id)
    if (!isLast) await sleep(random() * 150)
    while (isLast && calls.waiting.size > 0) await sleep(20)
    await server.kill()
  }
  return calls
}

t.test(`${KILLS} kills: each call is one purchase, and each label one job`, async (t) => {
  const folder = t.testdir()
  const { shipments } = await sendThroughKills(t, folder)
  t.equal(shipments.size, KILLS * CALLS_A_LIFE)
  const db = new DatabaseSync(join(folder, 'state', 'spool.db'))
  const count = (sql: string): unknown => db.prepare(sql).get()?.['n']
  t.equal(count('SELECT count(*) AS n FROM local_shipment'), shipments.size)
  t.equal(
    count("SELECT count(*) AS n FROM purchase WHERE state = 'done' AND owes = 0"),
    shipments.size,
  )
  t.equal(count('SELECT count(*) AS n FROM purchase'), shipments.size)
  t.equal(count('SELECT count(*) AS n FROM job'), 2 * shipments.size)
  db.close()
})
