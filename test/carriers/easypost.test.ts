import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Action, BLANKS } from '../../src/carriers/answers.ts'
import type { CarrierOrder, CarrierOutcome, HttpReply } from '../../src/carriers/carrier.ts'
import { easypost } from '../../src/carriers/easypost/index.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { printer } from '../core/bench.ts'
import { ADDRESSES, type Answer, codesOf, packagesOf } from '../plugins/shipping/http/calls.ts'
import { makeRandom } from '../random.ts'
import { Faults, mutate } from './mutate.ts'
import { startCarrier } from './stand-in.ts'

const FOLDER = join(import.meta.dirname, 'answers/easypost')

function bodyOf(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')).response.body
}

/** A recorded answer. */
function replyOf(name: string): HttpReply {
  const { response } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))
  return { status: response.status, headers: {}, text: JSON.stringify(response.body) }
}

function orderOf(more: Readonly<Record<string, unknown>> = {}): CarrierOrder {
  const read = readShipment({ ...ADDRESSES, weight: 2, service: 'USPS/GroundAdvantage', ...more })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return {
    shipment: read.shipment,
    account: { key: 'EZTKx' },
    isTest: true,
    now: 0,
    requestId: 'order-1001',
    label: { format: 'PNG', dpi: 203, isPrinted: false },
  }
}

function parse<A extends Action>(
  action: A,
  name: string,
  kept = {},
  order = orderOf(),
): CarrierOutcome<A> {
  const plan = easypost.actions[action]
  if (plan === undefined) throw new Error(`EasyPost has no ${action}`)
  return plan.parse(replyOf(name), order, kept) as CarrierOutcome<A>
}

const KEPT = { shipment: 'shp_1', rate: 'rate_1' }

t.test('rates of a saved answer, and the one that is bought', (t) => {
  const outcome = parse('GetAllRates', 'rate')
  if (!('data' in outcome)) throw new Error('no data')
  t.match(
    outcome.data.rates,
    [
      {
        service_code: 'USPS/Express',
        rate: 39.1,
        negotiated_rate: 34.15,
        rate_id: /^rate_/,
        test: true,
      },
    ].concat([]),
  )
  t.equal(outcome.data.rates?.length, 3)
  const next = parse('SubmitShipment', 'rate')
  t.match(next, {
    kept: { shipment: /^shp_/, rate: /^rate_/ },
    next: { path: /^\/v2\/shipments\/shp_\w+\/buy$/, spends: true },
  })
  const other = parse('SubmitShipment', 'rate', {}, orderOf({ service: 'USPS/Nothing' }))
  t.match(other, { errors: [{ code: 1103, description: /USPS\/Express/ }] })
  t.end()
})

t.test('a label, a refund, a tracker, addresses and errors of saved answers', (t) => {
  t.match(parse('SubmitShipment', 'buy', KEPT), {
    data: {
      charges: 6.07,
      tracking_number: '9400100208303109505657',
      packages: [{ label_format: 'PNG' }],
    },
    fetch: [{ index: 0, url: /^https:\/\/easypost-files/ }],
  })
  t.match(
    parse('SubmitShipment', 'rate', KEPT),
    { unknown: [{ code: 1500 }] },
    'no label: nobody can tell',
  )
  t.match(parse('SubmitShipment', 'error', KEPT), {
    errors: [{ code: 1101 }, { field: 'shipment' }],
  })
  t.match(parse('VoidShipment', 'refund'), { data: { status: 'Pending', status_code: '0' } })
  t.match(parse('Track', 'track'), {
    data: { status_code: 'pre_transit', packages: [{ tracking_number: 'EZ1000000001' }] },
  })
  t.match(parse('AddressValidate', 'address'), {
    data: { match: true, residential: true, zip_code: '94107', zip_code_addon: '1670' },
  })
  t.match(parse('AddressValidate', 'address-bad'), {
    data: { match: false },
    remarks: [{ type: 'WARNING' }],
  })
  t.match(parse('AddressValidate', 'address-422'), {
    errors: [{ code: 1104 }, {}, { field: 'street1' }],
  })
  t.match(parse('Track', 'error-strings'), {
    errors: [{ code: 1404 }, { description: /^No eligible insurance/ }],
  })
  t.end()
})

t.test('1,000 mutated answers: no throw, and no failure without a reason', (t) => {
  const random = makeRandom(4_711)
  const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''))
  const actions = Object.keys(BLANKS).filter((one) => one in easypost.actions) as Action[]
  const faults = new Faults()
  for (let count = 0; count < 1_000; count += 1) {
    const reply = replyOf(names[count % names.length] ?? '')
    const text = mutate(reply.text, random)
    for (const action of actions) {
      for (const kept of [{}, KEPT]) {
        const plan = easypost.actions[action]
        const outcome = plan?.parse({ ...reply, text }, orderOf(), kept) as CarrierOutcome<Action>
        faults.note(outcome, `${action} ${text}`)
      }
    }
  }
  faults.assertNone(t)
  t.end()
})

t.test('what cannot be sent is refused here', (t) => {
  const errorsOf = (order: CarrierOrder): unknown => easypost.actions.GetAllRates?.request(order)
  t.match(errorsOf(orderOf({ packages: [{ weight: 1 }, { weight: 2 }] })), {
    errors: [{ field: 'packages' }],
  })
  t.match(errorsOf(orderOf({ to_city: '' })), { errors: [{ field: 'to_city' }] })
  t.match(easypost.refuse?.({ ...orderOf(), account: { key: 'EZAKlive' } }), {
    code: 1000,
    field: 'key',
  })
  t.equal(easypost.refuse?.(orderOf()), undefined)
  t.match(easypost.actions.SubmitShipment?.request(orderOf({ to_country: 'CA' })), {
    errors: [{ code: 1101, field: 'customs' }],
  })
  t.end()
})

const PNG = readFileSync(join(import.meta.dirname, '../../docs/label.png'))

/** EasyPost on loopback: a shipment is rated, bought once at most, and shows its label from then on. */
async function startEasyPost(t: Test, losesAnswers: boolean) {
  let isBought = false
  const rig = await startCarrier(t, easypost, (method, url) => {
    if (url.startsWith('/files/')) return [200, PNG]
    if (url === '/v2/shipments') return [201, bodyOf('rate')]
    if (method === 'GET') return [200, bodyOf(isBought ? 'buy' : 'rate')]
    const isLost = losesAnswers && !isBought
    isBought = true
    return isLost ? 'lost' : [200, bodyOf('buy')]
  })
  const params = { weight: 2, key: 'EZTKsecret', service: 'USPS/GroundAdvantage' }
  const ask = async (more: object = {}): Promise<Answer> =>
    await rig.ask('SubmitShipment', { ...params, ...more })
  return { ...rig, ask }
}

t.test('rated, written down, bought, fetched and printed', async (t) => {
  const { ask, seen, bench, untilJob } = await startEasyPost(t, false)
  const answer = await ask({ print: true })
  const [first] = packagesOf(answer)
  t.ok(Buffer.from(first?.label ?? '', 'base64').equals(PNG))
  t.equal(answer.data?.['test'], true)
  await untilJob(({ id, state }) => id === first?.print?.job_id && state === 'completed')
  t.match(seen, [/^POST \/v2\/shipments$/, /\/buy$/, /^GET \/files\//])
  const row = bench.spool.records.prepare('SELECT kept FROM purchase').get()
  t.match(String(row?.['kept']), /"shipment":"shp_/)
})

t.test('a purchase whose answer is lost is asked for by its shipment', async (t) => {
  const { ask, seen } = await startEasyPost(t, true)
  const answer = await ask()
  t.equal(answer.data?.errors, null)
  t.equal(packagesOf(answer).length, 1)
  t.same(await ask(), answer)
  t.equal(seen.filter((one) => one.endsWith('/buy')).length, 1)
})

t.test('a rate is not bought to print whose label was rated for another printer', async (t) => {
  const rated = bodyOf('rate')
  let label_format = 'ZPL'
  const rig = await startCarrier(t, easypost, (method, url) => {
    if (url.startsWith('/files/')) return [200, PNG]
    return [200, method === 'GET' ? { ...rated, options: { label_format } } : bodyOf('buy')]
  })
  rig.bench.printers.configure([printer('Bench 1', 'file:bench-1', 'epl')], 'Bench 1')
  const call = { key: 'EZTKsecret', rate_id: 'rate_1', shipment_id: rated['id'], print: true }
  const refused = await rig.ask('SubmitShipment', call)
  t.match(refused.data?.errors, [
    { code: 1101, field: 'image_type', description: /image_type EPL/ },
  ])
  t.same(rig.seen, [`GET /v2/shipments/${rated['id']}`])
  label_format = 'PNG'
  t.equal(packagesOf(await rig.ask('SubmitShipment', call)).length, 1)
  t.equal(rig.seen.filter((one) => one.endsWith('/buy')).length, 1)
})

t.test('a live key in a test sends nothing', async (t) => {
  const { ask, seen } = await startEasyPost(t, false)
  t.same(codesOf(await ask({ key: 'EZAKlive' })), [1000])
  t.same(seen, [])
})
