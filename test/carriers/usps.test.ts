import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { readShipment } from '../../src/carriers/params.ts'
import { usps } from '../../src/carriers/usps/index.ts'
import { toAddress } from '../../src/carriers/usps/wire.ts'
import { ADDRESSES, codesOf, packagesOf } from '../plugins/shipping/http/calls.ts'
import { allSaved, answer, Parser, saved } from './parser.ts'
import { type Reaction, startCarrier } from './stand-in.ts'

const ACCOUNT = {
  client_id: 'consumer',
  client_secret: 'secret-of-usps',
  account_number: '1234567890',
  crid: '12345678',
  mid: '123456789',
}
const PARCEL = { weight: 2, length: 9, width: 6, height: 4 }
const parser = new Parser(usps, ACCOUNT, { ...PARCEL, service: 'USPS_GROUND_ADVANTAGE' })

const LABEL = {
  labelMetadata: {
    trackingNumber: '9205500000000000000000',
    postage: 8.05,
    zone: '05',
    extraServices: [{ name: 'Adult signature', price: 9.35 }],
    fees: [{ name: 'Nonstandard', price: 4.1 }],
  },
  labelImage: Buffer.from('^XA^FO20,20^FDUSPS^FS^XZ').toString('base64'),
}

t.test('rates of saved answers, with the fee in the price', (t) => {
  t.match(parser.parse('GetAllRates', saved('usps/rate')), {
    data: { rates: [{ service_code: 'USPS_GROUND_ADVANTAGE', rate: 20.35, currency: 'USD' }] },
  })
  t.match(parser.parse('GetAllRates', saved('usps/rate-fee')), {
    data: { rates: [{ rate: 95.5, rate_detail: [{ amount: 77.5 }, { amount: 18 }] }] },
  })
  const box = { mailClass: 'PRIORITY_MAIL', rateIndicator: 'FB', processingCategory: 'MACHINABLE' }
  const options = [
    { totalBasePrice: 19.15, rates: [{ ...box, price: 19.15 }] },
    {
      totalBasePrice: 5,
      rates: [{ ...box, destinationEntryFacilityType: 'DESTINATION_DELIVERY_UNIT' }],
    },
  ]
  const found = parser.parse('GetAllRates', answer({ rateOptions: options }))
  t.match(found, { data: { rates: [{ service_code: 'PRIORITY_MAIL/FB/MACHINABLE' }] } })
  t.equal('data' in found && found.data.rates?.length, 1, 'none that needs a contract')
  t.match(parser.parse('GetAllRates', answer({ rateOptions: [] })), { errors: [{ code: 1104 }] })
  t.end()
})

t.test('the four digits behind a postal code have a field of their own', (t) => {
  const address = (to_code: string) => {
    const read = readShipment({ ...ADDRESSES, to_code })
    if ('errors' in read) throw new Error(read.errors[0]?.description)
    const { ZIPCode, ZIPPlus4 } = toAddress(read.shipment.to) as Readonly<Record<string, string>>
    return [ZIPCode, ZIPPlus4]
  }
  for (const code of ['50010-1234', '500101234']) t.same(address(code), ['50010', '1234'])
  t.same(address('50010'), ['50010', undefined])
  t.end()
})

t.test('a name that is cut within a letter is asked for all the same', (t) => {
  // The second one was cut by the shop.
  for (const to_company of [`${'x'.repeat(49)}𠮷野`, 'xx\ud842']) {
    const next = usps.actions.AddressValidate?.request(parser.order({ to_company }))
    t.match(next, { call: { path: /firm=x+%EF%BF%BD&/ } })
  }
  t.end()
})

t.test('a purchase is asked for while the account is whole; without that nobody can say', (t) => {
  const { SubmitShipment: plan } = usps.actions
  const { mid: _, ...rest } = ACCOUNT
  const damaged = new Parser(usps, rest as typeof ACCOUNT, PARCEL)
  t.equal(plan?.recover?.(parser.order(), {}), 'not done', 'its key was never written down')
  t.match(plan?.recover?.(parser.order(), { key: 'k' }), { path: /payment-authorization$/ })
  t.equal(plan?.recover?.(damaged.order(), {}), 'not done')
  t.equal(plan?.recover?.(damaged.order(), { key: 'k' }), undefined, 'it may be bought')
  t.end()
})

t.test('errors of saved answers keep the words, and name the field', (t) => {
  t.match(parser.parse('GetAllRates', saved('usps/rate-invalid')), {
    errors: [
      { code: 1101, field: 'destinationZIPCode', description: /does not match any allowed/ },
    ],
  })
  t.match(parser.parse('GetAllRates', saved('usps/rate-token')), {
    errors: [
      { code: 1000, carrier_code: '401', description: 'Missing or malformed access token.' },
      {},
    ],
  })
  t.match(parser.parse('GetAllRates', saved('usps/rate-zip')), { errors: [{ code: 1104 }] })
  t.match(parser.parse('AddressValidate', saved('usps/city-state-zip')), {
    errors: [{ code: 1104, description: 'Invalid Zip Code.' }],
  })
  t.end()
})

t.test('an address, and what is said of it', (t) => {
  const address = { streetAddress: '9 OAK AVE', city: 'ALPHARETTA', state: 'GA', ZIPCode: '30005' }
  const known = { address, additionalInfo: { DPVConfirmation: 'Y', business: 'N' } }
  t.match(parser.parse('AddressValidate', answer(known)), {
    data: { match: true, residential: true, zip_code: '30005' },
  })
  const flat = {
    address,
    additionalInfo: { DPVConfirmation: 'D', business: 'Y' },
    corrections: [{ code: '32', text: 'More information is needed.' }],
  }
  t.match(parser.parse('AddressValidate', answer(flat)), {
    data: { match: null, residential: false },
    remarks: [{ type: 'NOTE', carrier_code: '32' }],
  })
  t.end()
})

t.test('tracking', (t) => {
  const body = {
    trackingNumber: '92',
    status: 'Delivered, Front Desk',
    statusCategory: 'Delivered',
    trackingEvents: [
      {
        eventType: 'DELIVERED',
        eventCode: '01',
        GMTTimestamp: '2026-11-20T14:03:12.041Z',
        eventCity: 'AMES',
      },
      { eventType: 'ARRIVED', eventTimestamp: '2026-11-19T07:03:12', eventState: 'IA' },
    ],
  }
  t.match(parser.parse('Track', answer(body)), {
    data: {
      status_code: 'Delivered',
      delivered_time: '2026-11-20T14:03:12Z',
      packages: [
        {
          activity: [{ location: { description: 'AMES' } }, { time: '2026-11-19T07:03:12-00:00' }],
        },
      ],
    },
  })
  t.end()
})

t.test('what USPS would refuse is refused here, with its field', (t) => {
  const fields = (more: object) =>
    parser.refusedFields('SubmitShipment', more as Record<string, unknown>)
  t.same(fields({}), [])
  t.same(fields({ width: 0, height: '' }), ['width', 'height'])
  t.same(fields({ to_country: 'CA' }), ['to_country'])
  t.same(fields({ packages: [PARCEL, PARCEL] }), ['packages'])
  t.same(fields({ to_city: '' }), ['to_city'])
  t.end()
})

t.test('Puerto Rico is a state, though most shops have it as a country', (t) => {
  const place = { to_country: 'PR', to_city: 'San Juan', to_state: '', to_code: '00901' }
  for (const action of ['GetAllRates', 'SubmitShipment'] as const)
    t.same(parser.refusedFields(action, place), [], action)
  const token = answer({ paymentAuthorizationToken: 'x' })
  const next = parser.parse('SubmitShipment', token, {}, parser.order(place))
  if (!('next' in next)) throw new Error('no label is asked for')
  t.match(JSON.parse(next.next.body ?? ''), { toAddress: { state: 'PR', ZIPCode: '00901' } })
  t.match(usps.actions.AddressValidate?.request(parser.order(place)), {
    call: { path: /&state=PR&/ },
  })
  t.end()
})

t.test('1,000 mutated answers', (t) => {
  parser.mutate(
    t,
    '30e78624e9eb816e',
    [...allSaved('usps'), answer(LABEL)],
    [{}, { key: 'k', number: 'n' }],
  )
  t.end()
})

/** USPS on loopback. */
function reactTo(
  scope: string,
  losesLabel: boolean,
  keys: string[] = [],
): (method: string, url: string, request: IncomingMessage) => Reaction {
  let bought = ''
  const token = { access_token: 'jwt', expires_in: 28_799, scope, api_products: '[Default]' }
  const fixed: Readonly<Record<string, Reaction>> = {
    '/oauth2/v3/token': [200, token],
    '/payments/v3/payment-authorization': [200, { paymentAuthorizationToken: 'pay-token' }],
  }
  return (method, url, { headers }) => {
    const key = String(headers['x-idempotency-key'])
    if (method === 'DELETE') return [200, { trackingNumber: '92', status: 'CANCELED' }]
    if (url === '/labels/v3/label-reprint') return bought === key ? [200, LABEL] : [404, {}]
    if (url === '/labels/v3/label') {
      bought = key
      keys.push(key)
    }
    return fixed[url] ?? (losesLabel ? 'lost' : [200, LABEL])
  }
}

const CALL = { ...ACCOUNT, ...PARCEL, service: 'USPS_GROUND_ADVANTAGE' }

t.test('a label is paid for, printed, and void; the payment token is on no disk', async (t) => {
  const rig = await startCarrier(t, usps, reactTo('labels payments tracking', false))
  const bought = await rig.ask('SubmitShipment', { ...CALL, print: true, debug: true })
  t.match(bought.data, { errors: null, charges: 21.5, tracking_number: '9205500000000000000000' })
  const [first] = packagesOf(bought)
  await rig.untilJob(({ id, state }) => id === first?.print?.job_id && state === 'completed')
  const row = rig.bench.spool.records.prepare('SELECT * FROM purchase').get()
  t.notMatch(JSON.stringify(row), /pay-token|jwt/)
  t.notMatch(JSON.stringify(bought), /pay-token|jwt|secret-of-usps|1234567890/)
  t.match(rig.seen, [/token$/, /payment-authorization$/, /label$/])
  const gone = await rig.ask('VoidShipment', { ...ACCOUNT, shipment_id: '92' }, 'b')
  t.match(gone.data, { errors: null, status: 'Success', status_code: '1' })
})

t.test('a label whose answer is lost is printed again by its key, and paid for once', async (t) => {
  const rig = await startCarrier(t, usps, reactTo('labels payments', true))
  const bought = await rig.ask('SubmitShipment', CALL)
  t.match(bought.data, { errors: null, tracking_number: '9205500000000000000000' })
  t.equal(rig.seen.filter((one) => one === 'POST /labels/v3/label').length, 1)
  t.same(await rig.ask('SubmitShipment', CALL), bought)
})

t.test('a request_id that is used again after days buys with another key', async (t) => {
  const keys: string[] = []
  const rig = await startCarrier(t, usps, reactTo('labels payments', true, keys))
  for (const day of [1, 2]) {
    const bought = await rig.ask('SubmitShipment', CALL)
    t.match(bought.data, { errors: null, tracking_number: '9205500000000000000000' }, `day ${day}`)
    // As the journal forgets it.
    const { records } = rig.bench.spool
    records.write(() => records.prepare('DELETE FROM purchase').run())
  }
  t.equal(new Set(keys).size, 2)
})

t.test('the same call with a renewed token is the same call', async (t) => {
  const rig = await startCarrier(t, usps, reactTo('labels payments', false))
  const bought = await rig.ask('SubmitShipment', { ...CALL, key: 'jwt of ten' })
  t.match(bought.data, { errors: null, tracking_number: '9205500000000000000000' })
  t.same(await rig.ask('SubmitShipment', { ...CALL, key: 'jwt of noon' }), bought)
  t.equal((await rig.ask('SubmitShipment', { ...CALL, to_name: 'Bob' })).meta.code, 409)
  t.equal(rig.seen.filter((one) => one === 'POST /labels/v3/label').length, 1)
})

t.test('a product that the account lacks is named before anything is sent', async (t) => {
  const rig = await startCarrier(t, usps, reactTo('prices addresses', false))
  const refused = await rig.ask('SubmitShipment', CALL)
  t.same(codesOf(refused), [1000])
  t.match(refused.data?.errors, [
    { description: /may not use labels and payments \(it has \[Default\]\)/ },
  ])
  t.match(await rig.ask('Track', { ...ACCOUNT, tracking_number: '92' }, 'c'), {
    data: { errors: [{ description: /tracking/ }] },
  })
  t.same(rig.seen, ['POST /oauth2/v3/token'])
})
