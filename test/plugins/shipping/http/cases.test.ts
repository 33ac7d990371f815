import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Carrier } from '../../../../src/carriers/carrier.ts'
import { dhl } from '../../../../src/carriers/dhl/index.ts'
import { easypost } from '../../../../src/carriers/easypost/index.ts'
import { fedex } from '../../../../src/carriers/fedex/index.ts'
import { ups } from '../../../../src/carriers/ups/index.ts'
import { usps } from '../../../../src/carriers/usps/index.ts'
import { type Reaction, startCarrier } from '../../../carriers/stand-in.ts'
import { type Answer, codesOf, packagesOf, startShipping, TWO_PARCELS } from './calls.ts'

// Request bodies of public programs for the original API, and of its documentation, with other names and addresses.

t.setTimeout(300_000)

interface Body {
  readonly carrier: string
  readonly action: string
  readonly request_id?: string
  readonly params: Readonly<Record<string, unknown>>
}

function bodyOf(name: string): Body {
  return JSON.parse(readFileSync(new URL(`cases/${name}.json`, import.meta.url), 'utf8')) as Body
}

/** A box whose calls to one carrier are answered with this, and what the carrier was asked. */
async function startSeen(t: Test, carrier: Carrier, answer: Reaction = [400, {}]) {
  const asked: { readonly url: string; readonly body: string }[] = []
  const rig = await startCarrier(t, carrier, (_, url, __, body) => {
    asked.push({ url, body })
    return answer
  })
  const send = async (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    (await (await rig.post(body, { headers })).json()) as Answer
  return { ...rig, asked, send }
}

function fieldsOf({ data }: Answer): readonly string[] {
  return (data?.errors ?? []).map(({ field }) => field)
}

const ZPL = Buffer.from('^XA^FO9,9^FDx^FS^XZ').toString('base64')
const DHL_SHIPPED: Reaction = [
  201,
  {
    shipmentTrackingNumber: '1103733901',
    packages: [{ trackingNumber: 'JD014600004617230770' }],
    documents: [{ imageFormat: 'ZPL', content: ZPL, typeCode: 'label' }],
  },
]

t.test('01: customs by the names of the original are declared as they were said', async (t) => {
  const { send, asked } = await startSeen(t, dhl, DHL_SHIPPED)
  const answer = await send(bodyOf('01-dhl-customs-names-of-the-original'))
  t.equal(answer.data?.errors, null)
  t.equal(asked.length, 1)
  const { content, customerDetails } = JSON.parse(asked[0]?.body ?? '')
  t.match(content, {
    isCustomsDeclarable: true,
    declaredValue: 79.99,
    declaredValueCurrency: 'USD',
    description: 'Acme product 1',
    exportDeclaration: {
      invoice: { number: 'C-8PDMV3' },
      lineItems: [
        {
          number: 1,
          description: 'Acme product 1',
          price: 79.99,
          quantity: { value: 1, unitOfMeasurement: 'PCS' },
          manufacturerCountry: 'US',
          weight: { netValue: 6, grossValue: 6 },
          commodityCodes: [{ typeCode: 'outbound', value: '000000' }],
        },
      ],
    },
  })
  t.same(customerDetails.shipperDetails.registrationNumbers, [
    { typeCode: 'EOR', number: '15724854', issuerCountryCode: 'US' },
  ])
  t.match(JSON.stringify(answer.meta), /commodity_name is not used/)
})

t.test(
  '01: without one of its facts, or with two that differ, no carrier hears of it',
  async (t) => {
    const { send, asked } = await startSeen(t, dhl, DHL_SHIPPED)
    const whole = bodyOf('01-dhl-customs-names-of-the-original')
    const [line] = whole.params['customs'] as readonly object[]
    const withLine = (more: object): Body => ({
      ...whole,
      params: { ...whole.params, customs: [{ ...line, ...more }] },
    })
    for (const [more, field] of [
      [{ customs_description: '' }, 'customs[0].description'],
      [{ customs_description: '123' }, 'customs[0].description'],
      [{ customs_quantity: null }, 'customs[0].quantity'],
      [{ customs_quantity: 1.5 }, 'customs[0].quantity'],
      [{ customs_quantity: 'one' }, 'customs[0].quantity'],
      [{ customs_quantity: 0 }, 'customs[0].quantity'],
      [{ customs_value: 0 }, 'customs[0].value'],
      [{ customs_value: '' }, 'customs[0].value'],
      [{ customs_value: -1 }, 'customs[0].value'],
      [{ customs_value: 79.995 }, 'customs[0].value'],
      [{ customs_value: true }, 'customs[0].value'],
      [{ customs_weight: 0 }, 'customs[0].weight'],
      [{ customs_weight: [] }, 'customs[0].weight'],
      [{ customs_weight: '6,5' }, 'customs[0].weight'],
      [{ customs_origin_country: '', country_of_manufacture: '' }, 'customs[0].origin_country'],
      [{ customs_origin_country: 'CN' }, 'customs[0].origin_country'],
      [{ customs_origin_country: 'UK', country_of_manufacture: null }, 'customs[0].origin_country'],
      [{ customs_origin_country: 'ZZ', country_of_manufacture: null }, 'customs[0].origin_country'],
      [{ commodity_code: '111111' }, 'customs[0].tariff_code'],
      [{ commodity_code: 'abc', customs_hs_tariff: 'abc' }, 'customs[0].tariff_code'],
      [{ customs_line_amount: 80 }, 'customs[0].customs_line_amount'],
      [{ customs_quantity: 2 }, 'customs[0].customs_line_amount'],
      [{ customs_quantity_units: 'KG' }, 'customs[0].quantity_units'],
      [{ invoice_line_description: 'Another thing' }, 'customs[0].invoice_line_description'],
      [{ currency: 'EUR' }, 'customs[0].currency'],
    ] as const) {
      const answer = await send(withLine(more))
      t.same([codesOf(answer), fieldsOf(answer)], [[1101], [field]], JSON.stringify(more))
    }
    for (const [more, field] of [
      [{ customs_value: 80 }, 'customs_value'],
      [{ currency: 'DOLLARS' }, 'currency'],
      [{ to_country: '' }, 'to_country'],
      [{ ship_country: null }, 'ship_country'],
      [{ ship_tax_id_type: '' }, 'ship_tax_id_type'],
      [{ ship_tax_id_type: 'EORI number' }, 'ship_tax_id_type'],
      [{ ship_tax_id: '' }, 'ship_tax_id'],
    ] as const) {
      const answer = await send({ ...whole, params: { ...whole.params, ...more } })
      t.same([codesOf(answer), fieldsOf(answer)], [[1101], [field]], JSON.stringify(more))
    }
    t.same(asked, [])
  },
)

t.test('04, 06: a line without its value, and two pieces and a half', async (t) => {
  const { send, asked } = await startSeen(t, fedex)
  const without = await send(bodyOf('04-fedex-customs-without-value'))
  t.same([codesOf(without), fieldsOf(without)], [[1101], ['customs[0].value']])
  t.equal(without.data?.errors?.[0]?.description, 'customs[0].value is missing.')
  const half = await send(bodyOf('06-customs-quantity-two-and-a-half'))
  t.same([codesOf(half), fieldsOf(half)], [[1101], ['customs[0].quantity']])
  t.match(half.data?.errors?.[0]?.description, /whole number/)
  t.same(asked, [])
})

t.test('09: that it cannot be done comes before what is missing for it', async (t) => {
  const { send, asked } = await startSeen(t, usps)
  for (const action of ['SubmitShipment', 'GetAllRates']) {
    const answer = await send({ ...bodyOf('09-usps-abroad-asks-for-a-state'), action })
    t.same([codesOf(answer), fieldsOf(answer)], [[1104], ['to_country']])
  }
  t.same(asked, [])
})

/** Fields that silasmiller/rocketshipit puts into every call. */
const OF_OLDER_CLIENT = { packages: [], customs: [] }

t.test('10: every action with the empty lists of the older PHP client', async (t) => {
  const { ask, post } = startShipping(t)
  const flat = { ...TWO_PARCELS, ...OF_OLDER_CLIENT, weight: 3 }
  const bought = await ask('SubmitShipment', { ...TWO_PARCELS, customs: [] })
  const number = String(bought.data?.['tracking_number'])
  t.equal(bought.data?.errors, null)
  const rates = await ask('GetAllRates', flat)
  t.equal(rates.data?.errors, null)
  t.ok((await ask('TimeInTransit', flat)).data?.['services'])
  t.equal((await ask('AddressValidate', flat)).data?.errors, null)
  const own = { ...OF_OLDER_CLIENT, tracking_number: number, shipment_id: number }
  t.equal((await ask('Track', own)).data?.['status'], 'Label created')
  t.equal((await ask('VoidShipment', own)).data?.['status'], 'Success')
  const answer = (await (await post(bodyOf('10-empty-lists-of-the-older-client'))).json()) as Answer
  t.same(codesOf(answer), [1404], 'it is looked for')
  t.same(codesOf(await ask('SubmitShipment', { ...TWO_PARCELS, packages: [] })), [1101])
})

t.test('11: rates as a public PHP program asks for them', async (t) => {
  const { send, asked } = await startSeen(t, ups)
  const answer = await send(bodyOf('11-ups-rates-with-customs-empty'))
  t.equal(asked.length, 1)
  t.match(asked[0]?.url, /rating/)
  t.match(JSON.parse(asked[0]?.body ?? ''), {
    RateRequest: {
      PickupType: { Code: '01' },
      Shipment: {
        ShipTo: { Address: { ResidentialAddressIndicator: 'Y' } },
        Package: [
          {
            PackagingType: { Code: '02' },
            PackageServiceOptions: {
              DeclaredValue: { MonetaryValue: '100.00' },
              DeliveryConfirmation: { DCISType: '2' },
            },
          },
        ],
      },
    },
  })
  t.equal((answer.meta as { notes?: unknown }).notes, undefined, 'all of it is used')
})

t.test('12: params as an empty array, which is what PHP makes of none', async (t) => {
  const { post } = startShipping(t)
  const res = await post(bodyOf('12-params-as-php-empty-array'))
  t.equal(res.status, 200)
  t.same(codesOf((await res.json()) as Answer), [1101, 1101])
})

t.test('13: a test in the wrong place buys nothing', async (t) => {
  const { send, asked } = await startSeen(t, ups)
  const { test: _, ...own } = bodyOf('13-test-beside-carrier-buys-live') as Body & { test: boolean }
  const beside = await send({ ...own, test: true })
  t.match(beside.meta, { code: 400, error_message: /"test" .*put it into params/ })
  for (const name of [
    'print',
    'debug',
    'account',
    'timeout',
    'sandbox',
    'test_mode',
    'Test',
    'Params',
    'mode',
    'x',
  ]) {
    const { meta } = await send({ ...own, [name]: name === 'mode' ? 'test' : true })
    t.equal(meta.code, 400, name)
    t.ok(meta.error_message.includes(name), meta.error_message)
  }
  for (const name of [
    'Test',
    'TEST',
    'test_mode',
    'testMode',
    'is_test',
    'sandbox',
    'use_sandbox',
    'dry_run',
    'demo',
  ]) {
    for (const yes of [true, 1, 'true', 'yes']) {
      const { meta } = await send({ ...own, params: { ...own.params, [name]: yes } })
      t.equal(meta.code, 400, name)
      t.match(meta.error_message, /put "test": true into params/)
    }
  }
  const { meta } = await send({
    ...own,
    params: { ...own.params, packages: [{ weight: 3, test: true }] },
  })
  t.equal(meta.code, 400)
  t.same(asked, [], 'nobody was asked')
  const query = await startShipping(t).post(own, { path: '/v1?test=true' })
  t.equal(query.status, 400)
})

t.test('14: the id of a request, wherever a client has a place for it', async (t) => {
  const { post, shipping } = startShipping(t)
  const buy = async (more: object, inner: object = {}, headers = {}): Promise<Answer> => {
    const call = {
      carrier: 'local',
      action: 'SubmitShipment',
      params: { ...TWO_PARCELS, ...inner },
      ...more,
    }
    return (await (await post(call, { headers })).json()) as Answer
  }
  const first = await buy({ request_id: 'order-9' })
  const ways = [
    await buy({}, { request_id: 'order-9' }),
    await buy({}, { requestId: 'order-9' }),
    await buy({ requestId: 'order-9' }),
    await buy({}, {}, { 'idempotency-key': 'order-9' }),
    await buy(
      { request_id: 'order-9' },
      { request_id: 'order-9' },
      { 'idempotency-key': 'order-9' },
    ),
  ]
  for (const answer of ways) t.same(answer, first)
  const { journal } = await shipping()
  t.equal(journal.list(9).length, 1)
  for (const answer of [
    await buy({ request_id: 'a' }, { request_id: 'b' }),
    await buy({ request_id: 'a' }, {}, { 'idempotency-key': 'b' }),
    await buy({}, { request_id: 'a', requestId: 'b' }),
  ]) {
    t.match(answer.meta, { code: 400, error_message: /wanted one of them/ })
  }
  const list = await post([bodyOf('12-params-as-php-empty-array')], {
    headers: { 'idempotency-key': 'x' },
  })
  t.equal(list.status, 400)
  t.equal(journal.list(9).length, 1)
})

t.test('15: an id that is there and blank is refused', async (t) => {
  const { post, shipping } = startShipping(t)
  const call = bodyOf('15-request-id-blank')
  for (const [body, headers] of [
    [call, {}],
    [{ ...call, request_id: '  ' }, {}],
    [{ ...call, request_id: [] }, {}],
    [{ ...call, request_id: undefined, params: { ...call.params, request_id: '' } }, {}],
    [{ ...call, request_id: undefined }, { 'idempotency-key': '' }],
  ] as const) {
    const { meta } = (await (await post(body, { headers })).json()) as Answer
    t.match(meta, { code: 400, error_message: /there and blank/ })
  }
  t.equal((await shipping()).journal.list(9).length, 0)
})

t.test('16: misspelt names are refused, each by name, and nothing is bought', async (t) => {
  const { post, shipping } = startShipping(t)
  const call = bodyOf('16-misspelt-names-are-bought')
  const answer = (await (await post(call)).json()) as Answer
  t.same(fieldsOf(answer), ['to_adr2', 'signature_tpye', 'packages[0].insured_vaule'])
  t.same(codesOf(answer), [1101, 1101, 1101])
  t.match(answer.data?.errors?.[1]?.description, /did you mean signature_type\?/)
  t.equal((await shipping()).journal.list(9).length, 0)
  const { meta, data } = (await (await post({ ...call, action: 'GetAllRates' })).json()) as Answer
  t.equal(data?.errors, null)
  t.match(meta, { notes: [/to_adr2/, /signature_tpye/, /insured_vaule/] })
})

t.test(
  '19: who has to sign stands on the label of the local carrier; insurance it has none',
  async (t) => {
    const { post, ask } = startShipping(t)
    const call = bodyOf('19-signature-on-the-local-carrier')
    const refused = (await (await post(call)).json()) as Answer
    t.same(fieldsOf(refused), ['packages[0].insured_value'])
    const labels = async (more: object): Promise<readonly string[]> =>
      packagesOf(await ask('SubmitShipment', { ...call.params, ...more })).map(({ label }) =>
        Buffer.from(label, 'base64').toString(),
      )
    const [adult = '', none = ''] = await labels({
      packages: [{ weight: 3, signature_type: 'ADULT' }, { weight: 3 }],
    })
    t.match(adult, /ADULT SIGNATURE/)
    t.notMatch(none, /SIGNATURE/)
    const [direct = ''] = await labels({ packages: [{ weight: 3 }], signature_required: true })
    t.match(direct, /SIGNATURE REQUIRED/)
    const [flat = ''] = await labels({ packages: [{ weight: 3 }], signature_type: 'adult' })
    t.match(flat, /ADULT SIGNATURE/, 'beside the list it is meant for all of them')
  },
)

t.test('23: a carrier that cannot be asked: what a person does, and how it ends', async (t) => {
  const answers: Reaction[] = ['lost', [500, {}], 'lost']
  const asked: string[] = []
  const rig = await startCarrier(t, fedex, (_, url) => {
    asked.push(url)
    return answers.shift() ?? [400, {}]
  })
  const call = bodyOf('23-fedex-unknown-goes-round')
  const buy = async (id: string): Promise<Answer> =>
    (await (await rig.post({ ...call, request_id: id })).json()) as Answer
  for (const id of ['fx-1', 'fx-2', 'fx-3']) {
    const { data } = await buy(id)
    const [error] = data?.errors ?? []
    t.equal(error?.type, 'UNKNOWN')
    t.match(error?.description, /Look in FedEx Ship Manager .*fx-/)
    t.match(error?.description, /If it is not there, send it with a new request_id\.$/)
    t.notMatch(error?.description, /Send the same call/)
  }
  t.match((await buy('fx-1')).data?.errors, [{ type: 'UNKNOWN' }])
  t.equal(asked.length, 3, 'and it is not sent again')
  const settle = async (body: object): Promise<Answer> =>
    (await (await rig.post(body, { path: '/v1/shipments/settle' })).json()) as Answer
  for (const [body, code] of [
    [{ request_id: 'fx-1' }, 400],
    [{ request_id: 'fx-1', tracking_number: '79', bought: false }, 400],
    [{ tracking_number: '79' }, 400],
    [{ request_id: 'nobody', bought: false }, 404],
  ] as const) {
    t.equal((await settle(body)).meta.code, code, JSON.stringify(body))
  }
  const found = await settle({ request_id: 'fx-1', tracking_number: '794953535000' })
  t.match(found.data, { tracking_number: '794953535000', errors: [{ type: 'WARNING' }] })
  t.same((await buy('fx-1')).data, found.data, 'from now on that is its answer')
  t.equal((await settle({ request_id: 'fx-1', bought: false })).meta.code, 409)
  t.match((await settle({ request_id: 'fx-2', bought: false })).data, {
    errors: [{ type: 'NOTE' }],
  })
  t.equal(asked.length, 3)
  t.match((await buy('fx-2')).data?.errors, [{ type: 'ERROR' }])
  t.equal(asked.length, 4, 'it may be bought now')
})

t.test('25: Track answers in the shape of the original', async (t) => {
  const { ask, shipping } = startShipping(t)
  const bought = await ask('SubmitShipment', { ...TWO_PARCELS, to_country: 'US' })
  const number = String(bought.data?.['tracking_number'])
  const { local } = await shipping()
  t.equal(
    local.noteEvent({ number, status: 'Delivered', status_code: 'D', location: 'Door 3' }),
    undefined,
  )
  const { data } = await ask('Track', { tracking_number: number })
  t.same(data?.['origin'], {
    description: 'Reno, NV, US',
    city: 'Reno',
    state: 'NV',
    zip_code: '89501',
    country: 'US',
  })
  t.match(data?.['destination'], { description: 'Ames, IA, US', city: 'Ames', country: 'US' })
  const [parcel] = (data?.['packages'] ?? []) as readonly {
    readonly activity: readonly unknown[]
  }[]
  t.match(parcel?.activity, [
    {
      time: /^\d{4}-/,
      status: 'Delivered',
      status_code: 'D',
      status_description: 'Delivered',
      status_type: 'D',
      location: { description: 'Door 3', city: '', state: '', country: '' },
    },
    {
      status_code: 'LC',
      location: { description: 'Reno', city: 'Reno', state: 'NV', country: 'US' },
    },
  ])
})

t.test('26: user name and password of MyDHL API by their own names', async (t) => {
  const { send, asked, seen } = await startSeen(t, dhl, [200, { products: [] }])
  const call = bodyOf('26-dhl-username-and-password')
  const answer = await send(call)
  t.same(codesOf(answer), [1104])
  t.match(seen, ['POST /mydhlapi/rates'])
  const differs = await send({ ...call, params: { ...call.params, client_id: 'OTHER' } })
  t.match(differs.meta, { code: 400, error_message: /client_id and username/ })
  t.notMatch(JSON.stringify(differs), /OTHER|NAME"/)
  t.equal(asked.length, 1)
})

t.test('31: a country by its code, a postal code by its form', async (t) => {
  const { send, asked } = await startSeen(t, fedex)
  const call = bodyOf('31-country-uk-and-short-zip')
  const line = { description: 'Mug', quantity: 1, value: 1, weight: 1, origin_country: 'US' }
  const of = async (more: object) => {
    const { data } = await send({ ...call, params: { ...call.params, customs: [line], ...more } })
    const [error] = data?.errors ?? []
    return error
  }
  t.match(await of({}), {
    code: 1101,
    field: 'to_country',
    description: 'to_country: got "UK", wanted GB.',
  })
  for (const [country, code, isGood] of [
    ['US', 7001, false],
    ['US', '5001', false],
    ['US', '07001', true],
    ['US', '50010-1234', true],
    ['US', '500101234', true],
    ['US', 'SW1A 1AA', false],
    ['GB', 'SW1A 1AA', true],
    ['GB', 'm1 1ae', true],
    ['GB', '12345', false],
    ['DE', 1067, false],
    ['DE', '01067', true],
    ['DE', 'D-10117', true],
    ['FR', 1000, false],
    ['ES', '08001', true],
    ['NO', 150, false],
    ['NO', '0150', true],
    ['AU', '0800', true],
    ['CA', 'V6B 1A1', true],
    ['CA', 'v6b1a1', true],
    ['CA', '12345', false],
    ['NL', '1012 AB', true],
    ['NL', 'AB 1012', false],
    ['PT', '1000-001', true],
    ['AT', 'A-1010', true],
    ['SE', '111 22', true],
    ['PL', '00-950', true],
    ['JP', '100-0001', true],
    ['HK', '', true],
    ['KE', 'anything', true],
  ] as const) {
    const error = await of({ to_country: country, to_code: code })
    t.equal(error?.field === 'to_code', !isGood, `${country} ${code}: ${error?.description}`)
  }
  t.match(await of({ to_country: 'US', to_code: 7001 }), {
    description: /got "7001", wanted 5 digits.*"07001"/,
  })
  for (const [wrong, right] of [
    ['USA', 'US'],
    ['GER', 'DE'],
    ['el', 'GR'],
    ['ZZ', 'two letters'],
    ['EU', 'two letters'],
  ] as const) {
    t.match(await of({ to_country: wrong }), {
      field: 'to_country',
      description: new RegExp(`wanted ${right}`),
    })
  }
  t.ok(asked.length > 0)
})

t.test('33: the first table of prices serves the own country', async (t) => {
  const { post, ask, shipping } = startShipping(t)
  const call = bodyOf('33-own-van-to-berlin')
  const answer = (await (await post(call)).json()) as Answer
  t.same(codesOf(answer), [1104])
  t.match(answer.data?.errors?.[0]?.description, /US 89501 to DE 10117/)
  const { local } = await shipping()
  const head = 'service_code,description,from,to,up_to_lb,price,fuel_percent,days\n'
  const old = local.readRates().replaceAll(',home,', ',*,')
  t.equal(local.writeRates(old), undefined, 'the table of earlier versions, never edited')
  t.same(codesOf((await (await post(call)).json()) as Answer), [1104])
  const own = `${head}VAN,Van,*,home DE:*,20,9,0,1\nFAR,Far,*,*,20,99,0,1\nHERE,Here,*,HOME,20,1,0,1\n`
  t.equal(local.writeRates(own), undefined)
  const offered = async (more: object): Promise<unknown> => {
    const { data } = await ask('GetAllRates', { ...call.params, ...more })
    const rates = (data?.['rates'] ?? []) as readonly { readonly service_code: string }[]
    return rates.map((one) => one.service_code)
  }
  t.same(await offered({}), ['VAN', 'FAR'])
  t.same(await offered({ to_country: 'FR', to_code: '75001' }), ['FAR'])
  t.same(await offered({ to_country: 'US', to_code: '10001' }), ['HERE', 'VAN', 'FAR'])
})

t.test('a third line of the address is sent where there is one, else refused', async (t) => {
  const three = { ...TWO_PARCELS, to_addr3: 'Floor 3', packages: [{ weight: 3 }] }
  const { ask } = startShipping(t)
  const [label] = packagesOf(await ask('SubmitShipment', three))
  t.match(Buffer.from(label?.label ?? '', 'base64').toString(), /Floor 3/)
  const { send, asked } = await startSeen(t, easypost)
  const params = { ...three, key: 'EZTKx', test: true, service: 'USPS/Priority' }
  const answer = await send({ carrier: 'EasyPost', action: 'SubmitShipment', params })
  t.same(fieldsOf(answer), ['to_addr3'])
  t.same(asked, [])
})
