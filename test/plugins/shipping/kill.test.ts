import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { makeRandom } from '../../random.ts'
import { type Answer, packagesOf, TWO_PARCELS } from './http/calls.ts'
import { UpsStandIn } from './ups-stand-in.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))
const KILLS = Number(process.env['KILLS'] ?? 12)
const CALLS_A_LIFE = 12

/** The request, and the address of UPS. */
interface Shop {
  readonly folder: string
  readonly carrier: string
  readonly params: object
  /** Fields of a call beside them. */
  readonly more?: (id: string) => object
  readonly origin: string
  /** A file with the authority of `origin`. */
  readonly authority: string
}

/** Starts a server; every line that it answers goes to `take`. */
function startLife(
  { folder, carrier, params, more, origin, authority }: Shop,
  take: (answer: Answer) => void,
) {
  const child = spawn(process.execPath, [CHILD, folder, origin], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...(authority === '' ? {} : { NODE_EXTRA_CA_CERTS: authority }) },
  })
  child.stdin.on('error', () => undefined) // its end is told by its exit
  const ready = Promise.withResolvers<void>()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => (line === 'ready' ? ready.resolve() : take(JSON.parse(line))))
  lines.on('close', () => ready.resolve())
  const exit = once(child, 'exit')
  return {
    ready: ready.promise,
    ask: (id: string) => {
      const all = { ...params, ...more?.(id) }
      const call = { carrier, action: 'SubmitShipment', request_id: id, params: all }
      child.stdin.write(`${JSON.stringify(call)}\n`)
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** The answers so far, and the calls that still wait. */
class Calls {
  readonly shipments = new Map<string, string>()
  /** Papers of each, as JSON. */
  readonly papers = new Map<string, string>()
  readonly waiting = new Set<string>()
  readonly unknown = new Set<string>()
  readonly refused = new Set<string>()
  readonly #t: Test

  constructor(t: Test) {
    this.#t = t
  }

  take(answer: Answer): void {
    const { request_id: id = '', data } = answer
    this.waiting.delete(id)
    const errors = data?.errors?.filter(({ type }) => type === 'ERROR' || type === 'UNKNOWN') ?? []
    if (data === null) this.#t.fail(`${id}: ${JSON.stringify(answer.meta)}`)
    else if (errors.length === 0) this.#bought(id, answer)
    else if (errors[0]?.type === 'UNKNOWN') this.unknown.add(id)
    // Surely not bought, on a machine that is too busy for the time-out: asked for again.
    else this.refused.add(id)
  }

  /** Lists the questions to the next server: calls without an answer, new calls, and one that was answered; at the end no new ones. */
  next(life: number, isLast: boolean): readonly string[] {
    const fresh = Array.from({ length: CALLS_A_LIFE }, (_, n) => `call-${life}-${n}`)
    for (const id of isLast ? this.unknown : fresh) this.waiting.add(id)
    this.again()
    return [...this.waiting, ...[...this.shipments.keys()].slice(-1)]
  }

  /** Makes refused calls wait for an answer once more. */
  again(): readonly string[] {
    const ids = [...this.refused]
    this.refused.clear()
    for (const id of ids) this.waiting.add(id)
    return ids
  }

  #bought(id: string, answer: Answer): void {
    const shipment = String(answer.data?.['shipment_id'])
    this.#t.equal(this.shipments.get(id) ?? shipment, shipment, 'the same call, the same shipment')
    const isPrinted = packagesOf(answer).every(({ label, print }) => label && print?.job_id)
    this.#t.ok(isPrinted, 'with its labels and their jobs')
    const papers = JSON.stringify(answer.data?.['documents'])
    this.#t.same(readPapers(this.papers.get(id) ?? papers), readPapers(papers), 'the same papers')
    this.papers.set(id, papers)
    this.shipments.set(id, shipment)
    this.unknown.delete(id)
  }
}

/** Without their jobs, which are as they are now. */
function readPapers(text: string): unknown {
  return JSON.parse(text, (name, value) => (name === 'print' ? undefined : value))
}

/**
 * Waits for all answers. A machine that is busy refuses some calls, and asks too late what became of some purchases: those are
 * asked for again, as a shop would.
 */
async function askUntilAnswered(
  calls: Calls,
  server: Pick<ReturnType<typeof startLife>, 'ask'>,
  isSold: (id: string) => boolean,
): Promise<void> {
  while (calls.waiting.size + calls.refused.size > 0) {
    for (const id of calls.again()) server.ask(id)
    await sleep(20)
  }
  for (let round = 0; round < 30; round += 1) {
    const open = [...calls.unknown].filter(isSold)
    for (const id of open) {
      calls.waiting.add(id)
      server.ask(id)
    }
    if (open.length === 0) return
    while (calls.waiting.size > 0) await sleep(20)
  }
}

/** Calls until each has its answer, through so many kills. */
async function sendThroughKills(
  t: Test,
  shop: Shop,
  isSold = (_id: string): boolean => false,
): Promise<Calls> {
  const random = makeRandom(20_261_123)
  const calls = new Calls(t)
  for (let life = 0; life <= KILLS; life += 1) {
    const isLast = life === KILLS
    const server = startLife(shop, (answer) => calls.take(answer))
    await server.ready
    for (const id of calls.next(life, isLast)) server.ask(id)
    if (isLast) await askUntilAnswered(calls, server, isSold)
    else await sleep(random() * 150)
    await server.kill()
  }
  return calls
}

function countIn(folder: string): (sql: string) => unknown {
  const db = new DatabaseSync(join(folder, 'state', 'spool.db'))
  return (sql) => db.prepare(sql).get()?.['n']
}

t.test(`${KILLS} kills: each call is one purchase, and each label one job`, async (t) => {
  const folder = t.testdir()
  const params = { ...TWO_PARCELS, print: true }
  const shop = { folder, carrier: 'local', params, origin: '', authority: '' }
  const { shipments } = await sendThroughKills(t, shop)
  t.equal(shipments.size, KILLS * CALLS_A_LIFE)
  const count = countIn(folder)
  t.equal(count('SELECT count(*) AS n FROM local_shipment'), shipments.size)
  const done = "SELECT count(*) AS n FROM purchase WHERE state = 'done' AND owes = 0"
  t.equal(count(done), shipments.size)
  t.equal(count('SELECT count(*) AS n FROM purchase'), shipments.size)
  t.equal(count('SELECT count(*) AS n FROM job'), 2 * shipments.size)
})

t.test(`${KILLS} kills while UPS loses answers: nothing is bought twice`, async (t) => {
  const folder = t.testdir()
  const standIn = await UpsStandIn.open()
  t.teardown(() => standIn.close())
  const random = makeRandom(4_711)
  const manners = ['ok', 'ok', 'ok', 'reset', 'half', 'gateway', 'hang'] as const
  const chosen = () => manners[Math.floor(random() * manners.length)] ?? 'ok'
  standIn.manners = Array.from({ length: 40 * KILLS }, chosen)
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, standIn.authority)
  const account = { client_id: 'id', client_secret: 'secret', account_number: 'A1B2C3' }
  const params = {
    ...TWO_PARCELS,
    ...account,
    service: '03',
    test: true,
    print: true,
    timeout: 1_500,
  }
  const shop = { folder, carrier: 'UPS', params, origin: standIn.origin, authority }
  const isSold = (id: string): boolean => standIn.bought.has(id)
  const { shipments, unknown } = await sendThroughKills(t, shop, isSold)
  for (const [id, numbers] of standIn.bought) t.equal(numbers.length, 2, `${id} was bought once`)
  t.equal(shipments.size + unknown.size, KILLS * CALLS_A_LIFE)
  for (const id of unknown) t.notOk(standIn.bought.has(id), `${id} is unknown, and was not bought`)
  for (const id of standIn.bought.keys()) t.ok(shipments.has(id), `${id} was bought and is here`)
  t.equal(countIn(folder)('SELECT count(*) AS n FROM job'), 2 * shipments.size)
})

const LINE = { description: 'Mug', quantity: 1, value: 4, weight: 1, origin_country: 'US' }

/** Every second one abroad, with an invoice; every third one back. */
function moreOf(id: string): object {
  const n = Number(id.split('-').at(-1))
  const abroad = {
    ship_country: 'US',
    to_country: 'CH',
    to_state: '',
    to_code: '8001',
    customs: [LINE],
  }
  return { ...(n % 2 === 0 && abroad), ...(n % 3 === 0 && { is_return: true }) }
}

t.test(`${KILLS} kills with papers and returns: each once, and the same papers`, async (t) => {
  t.setTimeout(Math.max(120, KILLS * 10) * 1_000)
  const folder = t.testdir()
  const standIn = await UpsStandIn.open()
  t.teardown(() => standIn.close())
  const random = makeRandom(815)
  const manners = ['ok', 'ok', 'ok', 'ok', 'reset', 'half', 'gateway'] as const
  const chosen = () => manners[Math.floor(random() * manners.length)] ?? 'ok'
  standIn.manners = Array.from({ length: 40 * KILLS }, chosen)
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, standIn.authority)
  const params = {
    ...TWO_PARCELS,
    client_id: 'id',
    client_secret: 'secret',
    account_number: 'A1B2C3',
    service: '11',
    ship_phone: '7755550100',
    to_phone: '5155550100',
    test: true,
    print: { printer: 'one', documents: 'one' },
    timeout: 1_500,
  }
  const shop = {
    folder,
    carrier: 'UPS',
    params,
    more: moreOf,
    origin: standIn.origin,
    authority,
  }
  const { shipments, unknown, papers } = await sendThroughKills(t, shop)
  for (const [id, numbers] of standIn.bought) {
    t.equal(numbers.length, 2, `${id} was bought once`)
    const isReturn = Number(id.split('-').at(-1)) % 3 === 0
    t.equal(standIn.returned.has(id), isReturn, `${id} goes the right way`)
    t.ok(shipments.has(id), `${id} was bought and is here`)
  }
  for (const id of unknown) t.notOk(standIn.bought.has(id), `${id} is unknown, and was not bought`)
  t.equal(shipments.size + unknown.size, KILLS * CALLS_A_LIFE)
  const invoiced = [...papers].filter(([, text]) => text !== '[]')
  t.ok(invoiced.length > 0, 'some have papers')
  for (const [id, text] of invoiced) {
    const [{ content = '', print = { job_id: '' } } = {}] = JSON.parse(text)
    t.match(Buffer.from(content, 'base64').toString(), `paper of ${id}^`)
    t.ok(print.job_id, `the paper of ${id} is a job`)
  }
  const jobs = countIn(folder)('SELECT count(*) AS n FROM job')
  t.equal(jobs, 2 * shipments.size + invoiced.length, 'each label and each paper is one job')
})
