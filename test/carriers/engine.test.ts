import tls from 'node:tls'
import t, { type Test } from 'tap'
import { type CarrierRemark, failure } from '../../src/carriers/answers.ts'
import { ups } from '../../src/carriers/ups/index.ts'
import { openShipping } from '../../src/plugins/shipping/part.ts'
import { toEnvelope } from '../../src/plugins/shipping/purchases.ts'
import {
  ADDRESSES,
  type Answer,
  codesOf,
  packagesOf,
  startShipping,
  TWO_PARCELS,
} from '../plugins/shipping/http/calls.ts'
import { type Manner, UpsStandIn } from '../plugins/shipping/ups-stand-in.ts'

const CREDENTIALS = {
  client_id: 'cli-id-1',
  client_secret: 's3cr3t/+&=?',
  account_number: 'A1B2C3',
}
const SHIP = { ...TWO_PARCELS, ...CREDENTIALS, service: '03', test: true }

/** A print server whose UPS is the stand-in. */
async function startUps(t: Test, ...manners: Manner[]) {
  const standIn = await UpsStandIn.open()
  t.teardown(() => standIn.close())
  tls.setDefaultCACertificates([standIn.authority])
  if (manners.length > 0) standIn.manners = manners
  const rig = startShipping(t)
  const { bench, folder } = rig
  const origins = Object.fromEntries(
    Object.values(ups.hosts ?? {}).map((host) => [host, standIn.origin]),
  )
  const { desk, journal } = openShipping({
    spool: bench.spool,
    scheduler: bench.scheduler,
    intake: bench.intake,
    printers: bench.printers,
    stateFolder: folder,
    keptMs: () => 0,
    origins,
    fault: (error) => bench.faults.push(error),
  })
  const caller = {
    name: 'shop',
    network: 'test',
    scopes: new Set(['rate', 'ship', 'track', 'print', 'debug'] as const),
  }
  const ask = async (action: string, params: object, more: object = {}): Promise<Answer> =>
    (await desk.answer({ carrier: 'ups', action, params, ...more }, caller)) as unknown as Answer
  return { ...rig, standIn, ask, desk, caller, journal }
}

/** Answers of a purchase that leave it open whether it was made, with the patience (ms) that a test has for them. */
const LOST: readonly (readonly [Manner, number])[] = [
  ['hang', 1_500] as const,
  ['drip', 1_500] as const,
  // These come at once, however busy the machine is.
  ...(['reset', 'half', 'html', 'gateway'] as const).map((manner) => [manner, 20_000] as const),
]

const typesOf = (answer: Answer) => (answer.data?.errors ?? []).map(({ type }) => type)

t.test('a label is bought and printed, cleaned on its way to the printer alone', async (t) => {
  const { ask, standIn, untilJob, printed } = await startUps(t)
  const answer = await ask('SubmitShipment', { ...SHIP, print: 'Bench 2' })
  t.match(answer.data, { charges: 47.48, currency: 'USD' })
  t.match(
    answer.data?.errors,
    [{ type: 'NOTE', carrier_code: '820' }],
    'G5: a note beside a good answer',
  )
  const packages = packagesOf(answer)
  t.match(Buffer.from(packages[0]?.label ?? '', 'base64').toString(), '^MMT')
  for (const { print } of packages) {
    await untilJob(({ id, state }) => id === print?.job_id && state === 'completed')
  }
  t.same(printed('bench-2').map(String), ['^XA^FO1,1^FDupsfake^FS^XZ', '^XA^FO1,1^FDupsfake^FS^XZ'])
  t.equal(standIn.purchases, 2)
})

t.test('G15: one token for several calls; none is on disk', async (t) => {
  const { ask, standIn } = await startUps(t)
  await Promise.all([
    ask('Track', { ...SHIP, tracking_number: '1Z1' }),
    ask('Track', { ...SHIP, tracking_number: '1Z2' }),
  ])
  await ask('Track', { ...SHIP, tracking_number: '1Z3' })
  t.equal(standIn.count('/oauth/token'), 1)
  t.equal(standIn.count('/track/'), 3)
  await ask('Track', { ...SHIP, client_secret: 'another', tracking_number: '1Z3' })
  t.equal(standIn.count('/oauth/token'), 2, 'another secret, another token')
})

t.test('G14: Authenticate', async (t) => {
  const { ask } = await startUps(t)
  const { data } = await ask('Authenticate', SHIP)
  t.match(data, { errors: null, access_token: 'token-1', token_type: 'Bearer', expires_in: 14_399 })
  t.equal(Number(data?.['expires_at']) - Number(data?.['issued_at']), 14_399_000)
  t.match(String(data?.['issued_at']), /^\d{13}$/)
})

t.test('a token that is no longer good is got again, once', async (t) => {
  const { ask, standIn } = await startUps(t, 'late-token', 'ok')
  const answer = await ask('SubmitShipment', SHIP)
  t.equal(packagesOf(answer).length, 2)
  t.equal(standIn.count('/oauth/token'), 2)
  t.equal(standIn.purchases, 2)
  standIn.manners = ['late-token']
  t.same(codesOf(await ask('SubmitShipment', SHIP)), [1000])
  t.equal(standIn.purchases, 2)
})

t.test('a token of the client is used as it is', async (t) => {
  const { ask, standIn } = await startUps(t)
  await ask('Track', { key: 'own-token', tracking_number: '1Z1' })
  t.equal(standIn.requests[0]?.authorization, 'Bearer own-token')
})

t.test('a key that cannot be sent buys nothing, and the right one does', async (t) => {
  const { ask, standIn } = await startUps(t)
  const buy = async (key: string): Promise<Answer> =>
    await ask('SubmitShipment', { ...SHIP, key }, { request_id: 'a' })
  // As a file is read, with the end of its line.
  t.same(typesOf(await buy('own-token\n')), ['ERROR'])
  t.equal(packagesOf(await buy('own-token')).length, 2)
  t.equal(standIn.purchases, 2)
})

t.test('what is refused is not bought, and may be asked for again', async (t) => {
  const cases: readonly (readonly [Manner, number])[] = [
    ['refuse', 1101],
    ['busy', 1429],
    ['empty-200', 1500],
  ]
  for (const [manner, code] of cases) {
    const { ask, standIn, journal } = await startUps(t, manner, 'ok')
    const more = { request_id: `r-${manner}` }
    const first = await ask('SubmitShipment', SHIP, more)
    t.same(codesOf(first), [code], manner)
    t.same(typesOf(first), ['ERROR'])
    t.match(first.data, { charges: 0, shipment_id: '', packages: null })
    t.equal(journal.list(9).length, 0)
    t.equal(packagesOf(await ask('SubmitShipment', SHIP, more)).length, 2)
    t.equal(standIn.purchases, 2)
  }
})

t.test('a purchase whose answer is lost is found again', async (t) => {
  for (const [manner, timeout] of LOST) {
    const { ask, standIn } = await startUps(t, manner)
    await ask('Authenticate', SHIP)
    const answer = await ask('SubmitShipment', { ...SHIP, timeout }, { request_id: 'a' })
    t.equal(packagesOf(answer).length, 2, manner)
    t.same(typesOf(answer), ['WARNING'])
    t.equal(answer.data?.['shipment_id'], packagesOf(answer)[0]?.tracking_number)
    t.equal(standIn.purchases, 2)
    t.same(await ask('SubmitShipment', { ...SHIP, timeout }, { request_id: 'a' }), answer)
    t.equal(standIn.count('/ship'), 1, 'asked for once')
  }
})

t.test('what is found again is never the label of a request whose id ends alike', async (t) => {
  const { ask, standIn } = await startUps(t, 'ok', 'reset')
  const buy = async (order: number): Promise<readonly string[]> => {
    const more = { request_id: `order-${order}@checkout.production.shop.example.com` }
    return packagesOf(await ask('SubmitShipment', SHIP, more)).map((one) => one.tracking_number)
  }
  const first = await buy(1_001)
  const second = await buy(1_002)
  t.equal(second.length, 2)
  t.equal(new Set([...first, ...second]).size, 4)
  for (const reference of standIn.bought.keys())
    t.match(reference, /^order-100[12]@checkou-\w{16}$/)
})

t.test(
  '... nor labels of an earlier request of this id, which the journal has forgotten',
  async (t) => {
    const { ask, standIn, journal, jobs } = await startUps(t, 'ok', 'reset')
    const buy = () => ask('SubmitShipment', { ...SHIP, print: true }, { request_id: 'order-1' })
    t.equal(packagesOf(await buy()).length, 2)
    journal.forget('order-1') // as after some days
    for (let n = 0; n < 2; n += 1) t.same(typesOf(await buy()), ['UNKNOWN'])
    t.equal(standIn.count('/ship'), 2)
    t.equal(jobs().length, 2)
  },
)

t.test('G16: nobody can tell, so it is unknown and never bought again', async (t) => {
  for (const [manner, timeout] of LOST) {
    const { ask, standIn, journal } = await startUps(t, manner)
    standIn.recovers = false
    await ask('Authenticate', SHIP)
    const params = { ...SHIP, timeout, print: true }
    const first = await ask('SubmitShipment', params, { request_id: 'a' })
    t.same(typesOf(first), ['UNKNOWN'], manner)
    t.equal(first.meta.code, 200)
    t.equal(journal.list(9)[0]?.state, 'unknown')
    const again = await ask('SubmitShipment', params, { request_id: 'a' })
    t.same(typesOf(again), ['UNKNOWN'])
    t.equal(standIn.count('/ship'), 1)
    standIn.recovers = true
    const found = await ask('SubmitShipment', params, { request_id: 'a' })
    t.equal(packagesOf(found).length, 2, 'found in the end, and printed')
    t.ok(packagesOf(found)[0]?.print?.job_id)
    t.equal(standIn.count('/ship'), 1)
  }
})

t.test('a carrier that cannot be reached was not asked', async (t) => {
  const { ask, standIn, journal } = await startUps(t)
  await standIn.close()
  const answer = await ask('SubmitShipment', SHIP)
  t.same(codesOf(answer), [1500])
  t.same(typesOf(answer), ['ERROR'])
  t.equal(journal.list(9).length, 0)
})

t.test('a certificate that is not trusted is a fault before anything is sent', async (t) => {
  const { ask, standIn } = await startUps(t)
  tls.setDefaultCACertificates(tls.getCACertificates('bundled'))
  const answer = await ask('SubmitShipment', SHIP)
  t.same(codesOf(answer), [1500])
  t.match(answer.data?.errors?.[0]?.description, /UNABLE_TO_VERIFY|SELF_SIGNED/)
  t.equal(standIn.requests.length, 0)
})

t.test('credentials that are missing are named', async (t) => {
  const { ask } = await startUps(t)
  const answer = await ask('GetAllRates', { ...ADDRESSES, weight: 1 })
  t.same(
    answer.data?.errors?.map(({ code, field }) => `${code} ${field}`),
    ['1000 client_id', '1000 client_secret'],
  )
})

t.test('four calls at once, no more', async (t) => {
  const { ask, standIn } = await startUps(t, 'hang')
  standIn.recovers = false
  const answers = Array.from({ length: 7 }, (_, n) =>
    ask('SubmitShipment', { ...SHIP, timeout: 800 }, { request_id: `n-${n}` }),
  )
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.ok(standIn.count('/ship') <= 4)
  await Promise.all(answers)
})

t.test('an empty list of rates has a reason, and one that the carrier gave stands alone', (t) => {
  const note: CarrierRemark = { ...failure('NOT_SERVED', 'Not on Sundays.'), type: 'NOTE' }
  const errorsOf = (result: Parameters<typeof toEnvelope<'GetAllRates'>>[1]) =>
    (toEnvelope('GetAllRates', result) as Answer).data?.errors?.map(
      ({ description }) => description,
    )
  t.same(errorsOf({ data: { rates: [] } }), ['The carrier offers no rate for this shipment.'])
  t.same(errorsOf({ data: { rates: [] }, remarks: [note] }), ['Not on Sundays.'])
  t.same(errorsOf({ data: { rates: null } }), ['The carrier offers no rate for this shipment.'])
  t.end()
})
