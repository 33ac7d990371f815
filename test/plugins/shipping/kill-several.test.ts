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
import { type Answer, TWO_PARCELS } from './http/calls.ts'
import { UpsStandIn } from './ups-stand-in.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))
const KILLS = Number(process.env['KILLS'] ?? 8)

const ACCOUNT = { client_id: 'id', client_secret: 'secret', account_number: 'A1B2C3' }
const MANNERS = ['ok', 'ok', 'ok', 'reset', 'half', 'gateway', 'hang'] as const

interface Call {
  readonly request_id: string
  readonly carrier: unknown
  readonly action: string
  readonly params: object
}

type Heard = 'done' | 'refused' | 'unknown' | 'fault'

function readHeard({ data }: Answer): Heard {
  if (data === null) return 'fault'
  const types = data.errors?.map(({ type }) => type) ?? []
  if (types.includes('UNKNOWN')) return 'unknown'
  return types.includes('ERROR') ? 'refused' : 'done'
}

/** A shop that buys from two carriers, gives back what it bought, and asks both for rates, through kills. */
class Shop {
  readonly calls = new Map<string, Call>()
  readonly heard = new Map<string, Heard>()
  readonly shipments = new Map<string, string>()
  readonly #t: Test
  #n = 0

  constructor(t: Test) {
    this.#t = t
  }

  buy(carrier: 'local' | 'UPS'): void {
    const own = carrier === 'UPS' ? { ...ACCOUNT, service: '03', test: true, timeout: 1_500 } : {}
    this.#add(carrier, 'SubmitShipment', { ...TWO_PARCELS, ...own, print: true })
  }

  /** Voids a shipment of the local carrier: the stand-in of the other one takes nothing back. */
  giveBack(): void {
    const [id] =
      [...this.shipments].filter(([id]) => this.calls.get(id)?.carrier === 'local').at(-1) ?? []
    if (id === undefined) return
    this.#add('local', 'VoidShipment', { shipment_id: this.shipments.get(id) })
  }

  rate(): void {
    const carriers = ['local', { carrier: 'UPS', ...ACCOUNT }]
    this.#add(carriers, 'GetAllRates', { ...TWO_PARCELS, test: true, timeout: 800 })
  }

  #add(carrier: unknown, action: string, params: object): void {
    const request_id = `call-${this.#n++}`
    this.calls.set(request_id, { request_id, carrier, action, params })
  }

  take(answer: Answer): void {
    const { request_id: id = '', data } = answer
    const heard = readHeard(answer)
    const before = this.heard.get(id)
    this.heard.set(id, heard)
    if (heard === 'fault') this.#t.fail(`${id}: ${JSON.stringify(answer.meta)}`)
    if (before === 'done' && heard !== 'done') this.#t.fail(`${id} was done, and is ${heard}`)
    if (this.calls.get(id)?.action !== 'SubmitShipment' || heard !== 'done') return
    const shipment = String(data?.['shipment_id'])
    this.#t.equal(this.shipments.get(id) ?? shipment, shipment, `${id} is one shipment`)
    this.shipments.set(id, shipment)
  }

  /** Calls without an answer that settles them. */
  open(): readonly Call[] {
    return [...this.calls.values()].filter(({ request_id: id, action }) => {
      const heard = this.heard.get(id)
      if (action === 'GetAllRates') return heard === undefined
      return heard === undefined || heard === 'unknown' || heard === 'refused'
    })
  }
}

t.test(`${KILLS} kills with purchases, refunds and rates of several carriers`, async (t) => {
  const folder = t.testdir()
  const standIn = await UpsStandIn.open()
  t.teardown(() => standIn.close())
  const random = makeRandom(20_261_129)
  standIn.manners = Array.from(
    { length: 60 * KILLS },
    () => MANNERS[Math.floor(random() * MANNERS.length)] ?? 'ok',
  )
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, standIn.authority)
  const shop = new Shop(t)
  const live = async (work: (ask: (call: Call) => void) => Promise<void>): Promise<void> => {
    const child = spawn(process.execPath, [CHILD, folder, standIn.origin], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
    })
    child.stdin.on('error', () => undefined)
    const ready = Promise.withResolvers<void>()
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => (line === 'ready' ? ready.resolve() : shop.take(JSON.parse(line))))
    lines.on('close', () => ready.resolve())
    const exit = once(child, 'exit')
    await ready.promise
    await work((call) => void child.stdin.write(`${JSON.stringify(call)}\n`))
    child.kill('SIGKILL')
    await exit
  }
  for (let life = 0; life < KILLS; life += 1) {
    await live(async (ask) => {
      for (let n = 0; n < 4; n += 1) shop.buy('local')
      for (let n = 0; n < 3; n += 1) shop.buy('UPS')
      shop.giveBack()
      shop.rate()
      for (const call of shop.open()) ask(call)
      await sleep(random() * 200)
    })
  }
  standIn.manners = ['ok']
  await live(async (ask) => {
    for (let n = 0; n < 200 && shop.open().some(isSettable); n += 1) {
      if (n % 10 === 0) for (const call of shop.open()) ask(call)
      await sleep(100)
    }
    await sleep(300)
  })
  function isSettable({ request_id: id, action }: Call): boolean {
    return action !== 'VoidShipment' || shop.heard.get(id) !== 'refused'
  }

  for (const [id, numbers] of standIn.bought) t.equal(numbers.length, 2, `${id} was bought once`)
  const db = new DatabaseSync(join(folder, 'state', 'spool.db'))
  const count = (sql: string): unknown => db.prepare(sql).get()?.['n']
  const local = [...shop.calls.values()].filter(
    ({ carrier, action }) => carrier === 'local' && action === 'SubmitShipment',
  )
  t.equal(count('SELECT count(*) AS n FROM local_shipment'), local.length, 'each once')
  for (const id of standIn.bought.keys()) t.equal(shop.heard.get(id), 'done', `${id} is known here`)
  const VOID = 'SELECT seq FROM purchase WHERE is_void = 1'
  const waiting = `SELECT count(*) AS n FROM job JOIN bought_job USING(seq)
    WHERE state IN ('pending', 'pending-held') AND purchase IN (${VOID})`
  t.equal(count(waiting), 0, 'no voided label waits')
  const voids = [...shop.calls.values()].filter(
    ({ request_id: id, action }) => action === 'VoidShipment' && shop.heard.get(id) === 'done',
  )
  for (const { params } of voids) {
    const { shipment_id: shipment } = params as { readonly shipment_id: string }
    t.equal(count(`SELECT is_void AS n FROM purchase WHERE shipment_id = '${shipment}'`), 1)
  }
  const lost = `SELECT count(*) AS n FROM purchase WHERE action = 'SubmitShipment' AND state = 'done' AND is_void = 0
    AND (SELECT count(*) FROM bought_job WHERE bought_job.purchase = purchase.seq) <> 2`
  t.equal(count(lost), 0, 'a job a label')
  db.close()
})
