import t from 'tap'
import { fedex } from '../../src/carriers/fedex/index.ts'
import { codesOf, packagesOf } from '../plugins/shipping/http/calls.ts'
import { changesOf } from './odd-answers.ts'
import { answer, Parser } from './parser.ts'
import { startCarrier } from './stand-in.ts'

const ACCOUNT = {
  client_id: 'id-of-fedex',
  client_secret: 'secret-of-fedex',
  account_number: '123456789',
}
const PHONES = { ship_phone: '7755550100', to_phone: '5155550100' }
const parser = new Parser(fedex, ACCOUNT, { ...PHONES, weight: 2, service: 'FEDEX_GROUND' })

const RATES = {
  output: {
    rateReplyDetails: [
      {
        serviceType: 'FEDEX_GROUND',
        serviceName: 'FedEx Ground®',
        packagingType: 'YOUR_PACKAGING',
        ratedShipmentDetails: [
          {
            rateType: 'ACCOUNT',
            totalNetCharge: 14.56,
            totalBaseCharge: 12.5,
            currency: 'USD',
            shipmentRateDetail: { surCharges: [{ description: 'Fuel', amount: 2.06 }] },
          },
          { rateType: 'LIST', totalNetCharge: 19.999, currency: 'USD' },
        ],
        operationalDetail: { transitTime: 'THREE_DAYS', deliveryDate: '2026-11-26T20:00:00' },
      },
    ],
    alerts: [{ code: 'X', alertType: 'NOTE', message: 'A note.' }],
  },
}
const ZPL = Buffer.from('^XA^FO9,9^FDFedEx^FS^XZ').toString('base64')
const SHIPPED = {
  output: {
    transactionShipments: [
      {
        masterTrackingNumber: '794953535000',
        pieceResponses: ['794953535000', '794953535011'].map((trackingNumber) => ({
          trackingNumber,
          netChargeAmount: 7.28,
          packageDocuments: [{ contentType: 'LABEL', docType: 'ZPLII', encodedLabel: ZPL }],
        })),
      },
    ],
  },
}
const TRACKED = {
  output: {
    completeTrackResults: [
      {
        trackingNumber: '123456789012',
        trackResults: [
          {
            latestStatusDetail: { code: 'DL', statusByLocale: 'Delivered' },
            scanEvents: [
              {
                date: '2026-11-20T12:01:00-07:00',
                eventType: 'DL',
                eventDescription: 'Delivered',
                scanLocation: { city: 'AMES', stateOrProvinceCode: 'IA', countryCode: 'US' },
              },
            ],
            dateAndTimes: [{ type: 'ACTUAL_DELIVERY', dateTime: '2026-11-20T12:01:00-07:00' }],
          },
        ],
      },
    ],
  },
}
const ADDRESS = {
  output: {
    resolvedAddresses: [
      {
        streetLinesToken: ['9 OAK AVE'],
        city: 'ALPHARETTA',
        stateOrProvinceCode: 'GA',
        countryCode: 'US',
        parsedPostalCode: { base: '30005', addOn: '1234' },
        classification: 'RESIDENTIAL',
        attributes: { POBox: 'false', DPV: 'true', Resolved: 'true' },
      },
    ],
  },
}
const REFUSED = {
  errors: [{ code: 'NOT.AUTHORIZED.ERROR', message: 'The credentials are wrong.' }],
}

t.test('rates: the account price beside the list price', (t) => {
  t.match(parser.parse('GetAllRates', answer(RATES)), {
    data: {
      rates: [
        {
          rate: 20,
          negotiated_rate: 14.56,
          delivery_days: 3,
          service_code: 'FEDEX_GROUND',
          est_delivery_time: '2026-11-26T20:00:00-00:00',
          rate_detail: [{ amount: 12.5 }, { desc: 'Fuel', amount: 2.06 }],
        },
      ],
    },
    remarks: [{ type: 'NOTE' }],
  })
  const none = { output: { rateReplyDetails: [], alerts: [{ code: 'Y', message: 'Not served.' }] } }
  t.match(parser.parse('GetAllRates', answer(none)), { errors: [{ description: 'Not served.' }] })
  t.end()
})

t.test('what is said about an address is a note', (t) => {
  const customerMessages = [{ code: 'STANDARDIZED.ADDRESS', message: 'Standardized.' }]
  const resolvedAddresses = [{ streetLinesToken: ['2 ELM ST'], city: 'AMES', customerMessages }]
  t.match(parser.parse('AddressValidate', answer({ output: { resolvedAddresses } })), {
    data: { addr1: '2 ELM ST', city: 'AMES' },
    remarks: [{ type: 'NOTE', code: 1500, description: 'Standardized.' }],
  })
  t.end()
})

t.test('labels, and what leaves open whether they were bought', (t) => {
  t.match(parser.parse('SubmitShipment', answer(SHIPPED)), {
    data: {
      charges: 14.56,
      shipment_id: '794953535000',
      packages: [{ label: ZPL, label_format: 'ZPL' }, { tracking_number: '794953535011' }],
    },
  })
  t.match(parser.parse('SubmitShipment', answer(REFUSED, 401)), { errors: [{ code: 1000 }] })
  t.match(parser.parse('SubmitShipment', answer({ output: { jobId: '1' } })), { unknown: [{}] })
  t.match(parser.parse('SubmitShipment', answer('busy', 503)), { unknown: [{ code: 1500 }] })
  t.end()
})

t.test('tracking, void and addresses', (t) => {
  t.match(parser.parse('Track', answer(TRACKED)), {
    data: {
      status: 'Delivered',
      status_code: 'DL',
      delivered_time: '2026-11-20T12:01:00-07:00',
      packages: [
        {
          activity: [
            { location: { description: 'AMES, IA, US', city: 'AMES', state: 'IA', country: 'US' } },
          ],
        },
      ],
    },
  })
  const error = { code: 'TRACKING.TRACKINGNUMBER.NOTFOUND', message: 'Not found.' }
  const unknown = { output: { completeTrackResults: [{ trackResults: [{ error }] }] } }
  t.match(parser.parse('Track', answer(unknown)), { errors: [{ code: 1404 }] })
  t.match(parser.parse('VoidShipment', answer({ output: { cancelledShipment: true } })), {
    data: { status_code: '1' },
  })
  const again = { errors: [{ code: 'SHIPMENT.ALREADY.CANCELLED', message: 'Was canceled.' }] }
  t.match(parser.parse('VoidShipment', answer(again, 400)), { errors: [{ code: 1409 }] })
  t.match(parser.parse('AddressValidate', answer(ADDRESS)), {
    data: { match: true, residential: true, po_box: false, zip_code_addon: '1234' },
  })
  t.end()
})

t.test('what FedEx would refuse is refused here', (t) => {
  t.same(parser.refusedFields('SubmitShipment', { ship_phone: '' }), ['ship_phone'])
  t.same(parser.refusedFields('SubmitShipment', { to_country: 'CA' }), ['customs'])
  const customs = [
    { description: 'Shirt', quantity: 1, value: 10, weight: 0.5, origin_country: 'PT' },
  ]
  const call = fedex.actions.SubmitShipment?.request(
    parser.order({ to_country: 'HK', to_code: '', customs }),
  )
  t.notMatch(JSON.stringify(call), /postalCode\W+""/, 'no postal codes there')
  t.match(call, { call: { spends: true } })
  t.end()
})

t.test('1,000 mutated answers', (t) => {
  const bodies = [RATES, SHIPPED, TRACKED, ADDRESS, { output: { cancelledShipment: true } }]
  parser.mutate(t, '028e44389f60ac3c', [...bodies.map((one) => answer(one)), answer(REFUSED, 401)])
  t.end()
})

t.test('answers with each of their values left out or odd', (t) => {
  const label = { contentType: 'COMMERCIAL_INVOICE', docType: 'PDF', encodedLabel: ZPL }
  const rating = {
    actualRateType: 'PAYOR_ACCOUNT',
    shipmentRateDetails: [
      { rateType: 'PAYOR_LIST', totalNetCharge: 20, currency: 'USD' },
      { rateType: 'PAYOR_ACCOUNT', totalNetCharge: 15.5, currency: 'CAD' },
    ],
  }
  const [bought] = SHIPPED.output.transactionShipments
  const rated = {
    output: {
      transactionShipments: [
        {
          ...bought,
          completedShipmentDetail: { shipmentRating: rating },
          shipmentDocuments: [label],
        },
      ],
    },
  }
  const [address] = ADDRESS.output.resolvedAddresses
  const kinds = ['BUSINESS', 'MIXED', 'UNKNOWN'].map((classification) => ({
    output: {
      resolvedAddresses: [
        {
          ...address,
          classification,
          attributes: { Resolved: 'false', CityStateValidated: 'true' },
        },
      ],
    },
  }))
  const bodies = [RATES, SHIPPED, rated, TRACKED, ADDRESS, ...kinds, REFUSED]
  parser.keep(
    t,
    '80d14e3aa9fd26eb',
    bodies.flatMap((body) => [...changesOf(structuredClone(body), 1_000)]),
  )
  t.end()
})

t.test('two parcels are bought and printed; a lost answer names where to look', async (t) => {
  let losesAnswers = false
  const rig = await startCarrier(t, fedex, (_method, url) => {
    if (url === '/oauth/token') return [200, { access_token: 'bearer-of-fedex', expires_in: 3_599 }]
    return losesAnswers ? 'lost' : [200, SHIPPED]
  })
  const call = {
    ...ACCOUNT,
    ...PHONES,
    packages: [{ weight: 1 }, { weight: 2 }],
    service: 'FEDEX_GROUND',
  }
  const bought = await rig.ask('SubmitShipment', { ...call, print: true })
  t.match(bought.data, { errors: null, charges: 14.56 })
  t.equal(packagesOf(bought).length, 2)
  losesAnswers = true
  const lost = await rig.ask('SubmitShipment', call, 'second-order')
  t.same(codesOf(lost), [1500])
  t.match(lost.data?.errors, [
    { type: 'UNKNOWN', description: /Ship Manager.*reference second-order/ },
  ])
  await rig.ask('SubmitShipment', call, 'second-order')
  t.equal(rig.seen.filter((one) => one === 'POST /ship/v1/shipments').length, 2)
})

t.test('labels that cannot be written down are answered, and print later', async (t) => {
  const rig = await startCarrier(t, fedex, (_method, url) => {
    if (url === '/oauth/token') return [200, { access_token: 'bearer-of-fedex', expires_in: 3_599 }]
    return [200, SHIPPED]
  })
  const { records } = rig.bench.spool
  // As a disk that became full while FedEx was asked.
  const full = "BEFORE INSERT ON purchase_label BEGIN SELECT RAISE(ABORT, 'full'); END"
  records.prepare(`CREATE TRIGGER full ${full}`).run()
  const packages = [{ weight: 1 }, { weight: 2 }]
  const call = { ...ACCOUNT, ...PHONES, packages, service: 'FEDEX_GROUND', print: true }
  for (const bought of [
    await rig.ask('SubmitShipment', call),
    await rig.ask('SubmitShipment', call),
  ]) {
    t.match(bought, { meta: { code: 200 }, data: { charges: 14.56, tracking_number: /./ } })
    t.match(bought.data?.errors?.at(-1), { type: 'WARNING', description: /^It is done and cannot/ })
    t.ok(packagesOf(bought).every(({ label }) => label !== ''))
  }
  const { desk, journal } = await rig.shipping()
  t.match(journal.list(9), [{ state: 'sent' }])
  records.prepare('DROP TRIGGER full').run()
  desk.resume()
  t.match(journal.list(9), [{ state: 'done', charges: 14.56 }])
  t.equal(rig.jobs().length, 2)
  const again = packagesOf(await rig.ask('SubmitShipment', call))
  t.ok(again.every(({ label, print }) => label !== '' && print?.job_id !== ''))
  t.equal(rig.seen.filter((one) => one === 'POST /ship/v1/shipments').length, 1)
  t.equal(rig.jobs().length, 2)
})
