import { createServer, type Server, type Socket } from 'node:net'
import t from 'tap'
import { dhl } from '../../src/carriers/dhl/index.ts'
import { listen } from '../listen.ts'
import { ADDRESSES, codesOf, packagesOf, startShipping } from '../plugins/shipping/http/calls.ts'
import { changesOf } from './odd-answers.ts'
import { answer, Parser } from './parser.ts'
import { startCarrier } from './stand-in.ts'

const ACCOUNT = {
  client_id: 'name-of-dhl',
  client_secret: 'secret-of-dhl',
  account_number: '123456789',
}
const SHIRTS = [{ description: 'Shirt', quantity: 1, value: 10, weight: 0.5, origin_country: 'PT' }]
const PHONES = { ship_phone: '7755550100', to_phone: '5155550100' }
const parser = new Parser(dhl, ACCOUNT, { ...PHONES, weight: 2, service: 'P' })

const RATES = {
  products: [
    {
      productName: 'EXPRESS WORLDWIDE',
      productCode: 'P',
      totalPrice: [
        { currencyType: 'PULCL', priceCurrency: 'EUR', price: 150 },
        { currencyType: 'BILLC', priceCurrency: 'GBP', price: 157.95 },
      ],
      deliveryCapabilities: {
        estimatedDeliveryDateAndTime: '2026-11-26T23:59:00',
        totalTransitDays: 3,
      },
    },
    { productName: 'WITHOUT A PRICE', productCode: 'N', totalPrice: [{ price: 0 }] },
  ],
}
const ZPL = Buffer.from('^XA^FO9,9^FDDHL^FS^XZ').toString('base64')
const SHIPPED = {
  shipmentTrackingNumber: '1103733901',
  packages: [{ trackingNumber: 'JD014600004617230770' }],
  documents: [
    { imageFormat: 'ZPL', content: ZPL, typeCode: 'label' },
    { imageFormat: 'PDF', content: 'JVBE', typeCode: 'waybillDoc' },
  ],
}
const TRACKED = {
  shipments: [
    {
      shipmentTrackingNumber: '1234567890',
      totalWeight: 0.99,
      unitOfMeasurements: 'metric',
      events: [
        { date: '2026-11-19', time: '13:56:21', typeCode: 'PU', description: 'Picked up' },
        {
          date: '2026-11-20',
          time: '09:00:00',
          GMTOffset: '+01:00',
          typeCode: 'OK',
          description: 'Delivered',
        },
      ],
    },
  ],
}
const REFUSED = {
  title: 'Bad request',
  status: '400',
  detail: '1001: The requested product(s) not available',
}

t.test('rates in the currency that is billed; no product without a price', (t) => {
  const found = parser.parse('GetAllRates', answer(RATES))
  t.match(found, { data: { rates: [{ rate: 157.95, currency: 'GBP', delivery_days: 3 }] } })
  t.equal('data' in found && found.data.rates?.length, 1)
  t.match(parser.parse('GetAllRates', answer(REFUSED, 400)), {
    errors: [{ code: 1103, carrier_code: '1001' }],
  })
  t.match(parser.parse('GetAllRates', answer({ products: [] })), { errors: [{ code: 1104 }] })
  t.end()
})

t.test('labels and tracking', (t) => {
  t.match(parser.parse('SubmitShipment', answer(SHIPPED, 201)), {
    data: {
      packages: [{ label: ZPL, label_format: 'ZPL', tracking_number: 'JD014600004617230770' }],
      documents: [{ name: 'waybillDoc' }],
    },
  })
  t.match(parser.parse('SubmitShipment', answer({}, 500)), { unknown: [{ code: 1500 }] })
  t.match(parser.parse('SubmitShipment', answer(REFUSED, 401)), { errors: [{ code: 1000 }] })
  t.match(parser.parse('Track', answer(TRACKED)), {
    data: {
      status: 'Delivered',
      delivered_time: '2026-11-20T09:00:00+01:00',
      packages: [{ activity: [{ status_code: 'OK' }, { time: '2026-11-19T13:56:21-00:00' }] }],
    },
  })
  t.end()
})

t.test('the labels of several parcels come each with its own number', (t) => {
  const packages = [{ weight: 1 }, { weight: 2 }]
  const next = dhl.actions.SubmitShipment?.request(parser.order({ packages }))
  if (next === undefined || !('call' in next)) throw new Error('it is refused')
  t.match(JSON.parse(next.call.body ?? ''), {
    getAdditionalInformation: [{ typeCode: 'linkLabelsByPieces', isRequested: true }],
  })
  // As DHL's own sample, but in another order.
  const label = { imageFormat: 'ZPL', content: ZPL, typeCode: 'label' }
  const body = {
    shipmentTrackingNumber: '5374534616',
    packages: [1, 2].map((referenceNumber) => ({
      referenceNumber,
      trackingNumber: `JD01460000461723071${referenceNumber}`,
    })),
    documents: [
      { ...label, packageReferenceNumber: 2 },
      { ...label, packageReferenceNumber: 1 },
    ],
  }
  t.match(parser.parse('SubmitShipment', answer(body, 201)), {
    data: {
      packages: [
        { tracking_number: 'JD014600004617230712' },
        { tracking_number: 'JD014600004617230711' },
      ],
    },
  })
  t.end()
})

t.test('what DHL would refuse is refused here', (t) => {
  t.same(parser.refusedFields('SubmitShipment', { to_country: 'GB' }), ['customs'])
  t.same(parser.refusedFields('GetAllRates', { to_city: '' }), ['to_city'])
  t.same(parser.refusedFields('GetAllRates', { to_code: '' }), ['to_code'])
  const customs = SHIRTS
  const abroad = { to_country: 'HK', to_city: 'Hong Kong', to_code: '', customs }
  for (const action of ['GetAllRates', 'SubmitShipment'] as const)
    t.same(parser.refusedFields(action, abroad), [], 'no postal codes there')
  t.end()
})

t.test('within the European Union nothing is dutiable, though the shop tells of its goods', (t) => {
  const bodyOf = (action: 'GetAllRates' | 'SubmitShipment', more: object) => {
    const next = dhl.actions[action]?.request(
      parser.order({ ship_country: 'DE', to_country: 'FR', currency: 'EUR', ...more }),
    )
    return next && 'call' in next ? JSON.parse(next.call.body ?? '') : next
  }
  t.match(bodyOf('GetAllRates', {}), { isCustomsDeclarable: false })
  const customs = SHIRTS
  for (const more of [{}, { customs }]) {
    const { content } = bodyOf('SubmitShipment', more)
    t.match(content, { isCustomsDeclarable: false })
    t.notOk(content.exportDeclaration)
  }
  const { content } = bodyOf('SubmitShipment', { to_country: 'CH', customs })
  t.match(content, { isCustomsDeclarable: true, exportDeclaration: { lineItems: [{}] } })
  t.same(parser.refusedFields('SubmitShipment', { to_country: 'FR', ship_country: 'CH' }), [
    'customs',
  ])
  t.end()
})

t.test('answers with each of their values left out or odd', (t) => {
  const surcharges = {
    currencyType: 'BILLC',
    priceCurrency: 'GBP',
    breakdown: [
      { name: 'EXPRESS WORLDWIDE', price: 140 },
      { name: 'FUEL SURCHARGE', serviceCode: 'FF', price: 17.95 },
    ],
  }
  const detailed = { products: [{ ...RATES.products[0], detailedPriceBreakdown: [surcharges] }] }
  const charged = {
    ...SHIPPED,
    shipmentCharges: [{ currencyType: 'BILLC', priceCurrency: 'GBP', price: 157.95 }],
  }
  const bodies = [RATES, detailed, SHIPPED, charged, TRACKED, REFUSED]
  parser.keep(
    t,
    '7ed344d6cf991053',
    bodies.flatMap((body) => [...changesOf(structuredClone(body), 1_000)]),
  )
  t.end()
})

t.test('what a label costs is in whole cents, as its price was', (t) => {
  const of = (price: number | string) => {
    const shipmentCharges = [{ currencyType: 'BILLC', priceCurrency: 'EUR', price }]
    return parser.parse('SubmitShipment', answer({ ...SHIPPED, shipmentCharges }, 201))
  }
  t.match(of(30.4175), { data: { charges: 30.42, currency: 'EUR' } })
  t.match(of('157.955'), { data: { charges: 157.96 } })
  t.end()
})

t.test('1,000 mutated answers', (t) => {
  parser.mutate(
    t,
    '918b54aa89d388c0',
    [RATES, SHIPPED, TRACKED, REFUSED].map((one) => answer(one)),
  )
  t.end()
})

t.test('bought and printed; a label cannot be taken back, and the answer says why', async (t) => {
  const rig = await startCarrier(t, dhl, () => [201, SHIPPED])
  const call = { ...ACCOUNT, ...PHONES, weight: 2, service: 'P' }
  const bought = await rig.ask('SubmitShipment', { ...call, print: true })
  t.match(bought.data, { errors: [{ type: 'NOTE' }], shipment_id: '1103733901' })
  t.ok(packagesOf(bought)[0]?.print?.job_id)
  t.match(await rig.ask('VoidShipment', { ...ACCOUNT, shipment_id: '1103733901' }, 'b'), {
    meta: { code: 400, error_message: /DHL has no action VoidShipment here\. .*throw the unused/ },
  })
  t.same(rig.seen, ['POST /mydhlapi/test/shipments'])
})

t.test(
  'a carrier that repeats our credentials in its answer does not get them told on',
  async (t) => {
    const rig = await startCarrier(t, dhl, (_method, _url, { headers }) => {
      const detail = `No account for ${headers.authorization}, ${ACCOUNT.client_secret}.`
      return [401, { detail, status: '401', title: headers.authorization }]
    })
    const call = { ...ACCOUNT, ...PHONES, weight: 2, service: 'P', debug: true }
    const answer = JSON.stringify(await rig.ask('SubmitShipment', call))
    const pair = `${ACCOUNT.client_id}:${ACCOUNT.client_secret}`
    t.match(answer, /No account for/)
    for (const secret of [pair, ACCOUNT.client_secret, Buffer.from(pair).toString('base64')])
      t.notMatch(answer, secret)
  },
)

t.test('a label that was bought and is not in the answer is told of', async (t) => {
  const rig = await startCarrier(t, dhl, () => [201, { ...SHIPPED, documents: [] }])
  const bought = await rig.ask('SubmitShipment', { ...ACCOUNT, ...PHONES, weight: 2, service: 'P' })
  t.match(bought.data, { shipment_id: '1103733901', packages: [{ label: '' }] })
  t.match(bought.data?.errors?.at(-1), {
    type: 'WARNING',
    description: /^The label of package 1 \(\w+\) is not in the answer\.$/,
  })
})

t.test('without a connection nothing is bought, and it may be asked for again', async (t) => {
  const live = dhl.hosts?.live ?? ''
  const serve = (takes: (socket: Socket) => void): Server => createServer(takes)
  for (const [server, code] of [
    // As behind a router that has lost its line, and behind a firewall that lets no such host pass.
    [serve((socket) => t.teardown(() => socket.destroy())), 1504],
    [serve((socket) => socket.once('data', () => socket.resetAndDestroy())), 1500],
  ] as const) {
    const port = await listen(t, server)
    const rig = startShipping(t, { origins: { [live]: `https://127.0.0.1:${port}` } })
    const params = { ...ADDRESSES, ...ACCOUNT, ...PHONES, weight: 2, service: 'P', timeout: 300 }
    const answer = await rig.ask('SubmitShipment', params, { carrier: 'DHL', request_id: 'a' })
    t.same(codesOf(answer), [code])
    t.match(answer.data?.errors, [{ type: 'ERROR' }])
    t.same((await rig.shipping()).journal.list(9), [])
  }
})
