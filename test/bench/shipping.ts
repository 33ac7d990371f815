import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Keys } from '../../src/http/access/keys.ts'
import { atMost } from './once.ts'
import { makeBox, memoryOf, memoryVariables, SETTLE_MS, start } from './process.ts'
import type { Row } from './row.ts'

const AT_ONCE = 4
const ROUNDS = atMost(20)
/** A label as PNG in base64: those of UPS's saved answers have 20 to 40 KB. */
const LABEL = Buffer.alloc(60_000, 'platen').toString('base64')
const CARRIER_MS = 300
const WHOLE_MB = 100
const FIRST_MS = 100

const DRAFT = {
  id: 'shp_1',
  status: 'draft',
  messages: [],
  rates: [
    { id: 'rat_1', carrier_name: 'ups', service: 'ground', total_charge: 9.5, currency: 'USD' },
  ],
}
const BOUGHT = {
  ...DRAFT,
  status: 'created',
  tracking_number: '1Z1',
  label_type: 'PNG',
  shipping_documents: [{ category: 'label', format: 'PNG', base64: LABEL }],
}

/**
 * The shipping API: the first call, which loads it, and memory after calls to a carrier, four at once. The carrier is karrio, whose
 * address is the account's, on loopback.
 */
export async function* benchShipping(): AsyncGenerator<Row> {
  const carrier = createServer((request, response) => {
    request.resume()
    const isBought = request.url?.endsWith('/purchase')
    setTimeout(() => {
      response.writeHead(isBought ? 200 : 201, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isBought ? BOUGHT : DRAFT))
    }, CARRIER_MS)
  }).listen(0, '127.0.0.1')
  await wait(100)
  const box = makeBox({})
  const state = process.env['STATE_DIRECTORY'] ?? ''
  const accounts = join(state, 'shipping', 'accounts')
  mkdirSync(accounts, { recursive: true })
  const url = `http://127.0.0.1:${(carrier.address() as AddressInfo).port}`
  const account = JSON.stringify({ carrier: 'karrio', url, key: 'key' })
  writeFileSync(join(accounts, 'own.json'), account, { mode: 0o600 })
  const { key } = new Keys(state).add('bench')
  const program = await start(['dist/platen.js', ...box.args], {
    PLATEN_ANNOUNCE: '0',
    ...memoryVariables(),
  })
  const call = async (body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await (await fetch(`${program.address}/v1`, sent)).json()
    const { data } = answer as { readonly data: { readonly errors: unknown } | null }
    if (data === null || data.errors !== null) throw new Error(JSON.stringify(answer).slice(0, 300))
  }
  // What a client's first fetch takes is not ours.
  await (await fetch(url)).arrayBuffer()
  await wait(SETTLE_MS)
  const idle = memoryOf(program.pid)
  const began = performance.now()
  const place = { ship_code: '89501', to_code: '50010', weight: 3 }
  await call({ carrier: 'local', action: 'GetAllRates', params: place })
  const firstMs = performance.now() - began
  const row = (what: string, ours: number, peer: number, goal: number): Row => ({
    what,
    ours,
    peer,
    goal,
    peerName: 'ours, idle',
  })
  yield row('shipping: the first call, ms', firstMs, firstMs, FIRST_MS)
  const address = { addr1: '1 Dock Rd', city: 'Reno', state: 'NV', code: '89501', name: 'A' }
  const sides = ['ship', 'to'].flatMap((side) =>
    Object.entries(address).map(([name, value]) => [`${side}_${name}`, value]),
  )
  const params = {
    ...Object.fromEntries(sides),
    account: 'own',
    weight: 2,
    service: 'ground',
  }
  let most = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = Array.from({ length: AT_ONCE }, () =>
      call({
        carrier: 'karrio',
        action: 'SubmitShipment',
        params: { ...params, image_type: 'PNG' },
      }),
    )
    most = Math.max(most, memoryOf(program.pid).rssMb)
    await Promise.all(calls)
    most = Math.max(most, memoryOf(program.pid).rssMb)
  }
  yield row('shipping: 4 purchases at once, resident MB', most, idle.rssMb, WHOLE_MB)
  await program.stop()
  box.dispose()
  carrier.close()
}
