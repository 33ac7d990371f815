import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Carrier } from '../../../src/carriers/carrier.ts'
import { dhl } from '../../../src/carriers/dhl/index.ts'
import { fedex } from '../../../src/carriers/fedex/index.ts'
import { ups } from '../../../src/carriers/ups/index.ts'
import { Parser } from '../../carriers/parser.ts'
import { startCarrier } from '../../carriers/stand-in.ts'
import { LETTER, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { type Answer, codesOf } from './http/calls.ts'

const INVOICE = makePdf([{ ...LETTER, content: '' }]).toString('base64')
const ZPL = Buffer.from('^XA^FO9,9^FDx^FS^XZ').toString('base64')
const { params: UNION } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'cases/ups-within-union.json'), 'utf8'),
)
const LINE = {
  description: 'Mug, white',
  quantity: 3,
  value: '4.50',
  weight: 0.5,
  hs_code: '6912.00',
  origin_country: 'PT',
}
const PHONES = { ship_country: 'US', ship_phone: '7755550100', to_phone: '+41445550100' }
const ABROAD = {
  ...PHONES,
  to_name: 'Erika Muster',
  to_addr1: 'Bahnhofstr. 1',
  to_city: 'Zurich',
  to_state: '',
  to_code: '8001',
  to_country: 'CH',
  service: '11',
  weight: 3,
  currency: 'USD',
  customs: [LINE],
}

/** UPS on loopback: what it was asked to ship, and its answer, an invoice where one was asked for. */
async function startUps(t: Test) {
  const shipped: Record<string, unknown>[] = []
  const rig = await startCarrier(t, ups, (_method, url, _request, body) => {
    if (url.endsWith('/token')) return [200, { access_token: 'x', expires_in: '99' }]
    const { Shipment } = JSON.parse(body).ShipmentRequest
    shipped.push(Shipment)
    const isInvoiced = Shipment.ShipmentServiceOptions?.InternationalForms !== undefined
    const Form = { Code: '01', Image: { ImageFormat: { Code: 'PDF' }, GraphicImage: INVOICE } }
    const ShipmentResults = {
      ShipmentCharges: { TotalCharges: { CurrencyCode: 'EUR', MonetaryValue: '9.10' } },
      ShipmentIdentificationNumber: '1Z1',
      PackageResults: [{ TrackingNumber: '1Z1', ShippingLabel: { GraphicImage: ZPL } }],
      ...(isInvoiced && { Form }),
    }
    return [200, { ShipmentResponse: { ShipmentResults } }]
  })
  const buy = async (params: object, id: string): Promise<Answer> =>
    await rig.ask('SubmitShipment', { key: 'TOKEN', account_number: 'A1B2C3', ...params }, id)
  return { ...rig, shipped, buy }
}

t.test('UPS within the European Union: bought, without papers', async (t) => {
  const { shipped, buy } = await startUps(t)
  const answer = await buy(UNION, 'a')
  t.equal(answer.data?.errors, null)
  t.same(answer.data?.['documents'], [])
  t.notOk('ShipmentServiceOptions' in (shipped[0] ?? {}))
  t.notOk('InvoiceLineTotal' in (shipped[0] ?? {}))
})

t.test('UPS to the territories of the United States: bought, without papers', async (t) => {
  const { shipped, buy } = await startUps(t)
  const places = ['PR 00907', 'VI 00802', 'GU 96910', 'AS 96799', 'MP 96950']
  for (const [n, one] of places.entries()) {
    const [state = '', to_code = ''] = one.split(' ')
    const params = { ...PHONES, weight: 1, service: '02', to_code }
    const asCountry = await buy({ ...params, to_country: state, to_state: '' }, `c${n}`)
    const asState = await buy({ ...params, to_country: 'US', to_state: state }, `s${n}`)
    for (const answer of [asCountry, asState]) t.equal(answer.data?.errors, null, state)
    const [first, second] = shipped.slice(-2)
    t.match(first, { ShipTo: { Address: { CountryCode: state } } })
    t.notOk('ShipmentServiceOptions' in (first ?? {}), state)
    t.same(first?.['ShipTo'], second?.['ShipTo'], `${state} as a state and as a country`)
  }
})

t.test('UPS to Puerto Rico and Canada is told what the goods are worth', async (t) => {
  const { shipped, buy } = await startUps(t)
  const params = { ...PHONES, weight: 1, service: '02', customs: [LINE, { ...LINE, quantity: 1 }] }
  await buy({ ...params, to_country: 'PR', to_state: '', to_code: '00907' }, 'a')
  const canada = { to_country: 'CA', to_state: 'BC', to_code: 'V6B 1A1', service: '11' }
  await buy({ ...params, ...canada }, 'b')
  const worth = { InvoiceLineTotal: { CurrencyCode: 'USD', MonetaryValue: '18.00' } }
  t.match(shipped, [worth, worth])
  t.notOk('ShipmentServiceOptions' in (shipped[0] ?? {}))
  t.match(shipped[1], { ShipmentServiceOptions: { InternationalForms: { FormType: ['01'] } } })
})

t.test('UPS abroad: the invoice says what was declared, and is in the answer', async (t) => {
  const { shipped, buy } = await startUps(t)
  const lines = [LINE, { ...LINE, description: 'x'.repeat(80), hs_code: '', quantity: 1 }]
  const answer = await buy({ ...ABROAD, customs: lines }, 'order-1')
  t.equal(answer.data?.errors, null)
  t.match(answer.data?.['documents'], [
    { name: 'commercial_invoice', format: 'PDF', content: INVOICE },
  ])
  const [{ Description, ShipmentServiceOptions } = {}] = shipped
  t.equal(Description, `Mug, white, ${'x'.repeat(38)}`)
  const { InvoiceDate, ...form } = Object(ShipmentServiceOptions).InternationalForms
  t.match(InvoiceDate, /^20\d{6}$/)
  const unit = { Code: 'PCS', Description: 'PCS' }
  t.same(form, {
    FormType: ['01'],
    InvoiceNumber: 'order-1',
    TermsOfShipment: 'DAP',
    ReasonForExport: 'SALE',
    CurrencyCode: 'USD',
    OverridePaperlessIndicator: '',
    Contacts: {
      SoldTo: {
        Name: 'Erika Muster',
        AttentionName: 'Erika Muster',
        Phone: { Number: '+41445550100' },
        Address: {
          AddressLine: ['Bahnhofstr. 1'],
          City: 'Zurich',
          PostalCode: '8001',
          CountryCode: 'CH',
        },
      },
    },
    Product: [
      {
        Description: ['Mug, white'],
        Unit: { Number: '3', UnitOfMeasurement: unit, Value: '4.50' },
        CommodityCode: '691200',
        OriginCountryCode: 'PT',
      },
      {
        Description: ['x'.repeat(35), 'x'.repeat(35), 'x'.repeat(10)],
        Unit: { Number: '1', UnitOfMeasurement: unit, Value: '4.50' },
        OriginCountryCode: 'PT',
      },
    ],
  })
})

t.test('UPS abroad without what customs want is refused, and nothing is sent', async (t) => {
  const { seen, buy } = await startUps(t)
  const many = Array.from({ length: 51 }, () => LINE)
  const wrong: readonly (readonly [object, string, number])[] = [
    [{ customs: [] }, 'customs', 1101],
    [{ customs: undefined }, 'customs', 1101],
    [{ customs: many }, 'customs', 1102],
    [{ to_phone: '' }, 'to_phone', 1101],
    [{ ship_phone: '' }, 'ship_phone', 1101],
  ]
  for (const [more, field, code] of wrong) {
    const answer = await buy({ ...ABROAD, ...more }, 'a')
    t.match(answer.data?.errors, [{ code, field }], field)
  }
  t.same(codesOf(await buy({ ...ABROAD, customs: [] }, 'a')), [1101])
  t.same(seen, [])
})

t.test('who signs abroad is asked of the shipment, at home of each parcel', (t) => {
  const parser = new Parser(ups, { account_number: 'A1B2C3' }, { service: '11' })
  const asked = (params: object) => {
    const next = ups.actions.SubmitShipment?.request(parser.order({ ...params }))
    if (next === undefined || 'errors' in next) throw new Error(JSON.stringify(next))
    const { Shipment } = JSON.parse(next.call.body ?? '').ShipmentRequest
    return [
      Shipment.ShipmentServiceOptions?.DeliveryConfirmation,
      Shipment.Package[0].PackageServiceOptions?.DeliveryConfirmation,
    ]
  }
  const signed = (signature_type: string) => ({ packages: [{ weight: 1, signature_type }] })
  t.same(asked(signed('ADULT')), [undefined, { DCISType: '3' }])
  t.same(asked({ ...ABROAD, ...signed('ADULT') }), [{ DCISType: '2' }, undefined])
  t.same(asked({ ...ABROAD, ...signed('DIRECT') }), [{ DCISType: '1' }, undefined])
  t.same(asked({ ...UNION, ...signed('DIRECT') }), [{ DCISType: '1' }, undefined])
  t.same(asked({ ...UNION, ...signed('NO_SIGNATURE_REQUIRED') }), [undefined, undefined])
  t.end()
})

/** Returns the body of a carrier's request with these params. */
function bodyOf(carrier: Carrier, account: object, params: object) {
  const parser = new Parser(carrier, { account_number: '1', ...account }, { weight: 3, ...PHONES })
  const next = carrier.actions.SubmitShipment?.request(parser.order({ ...params }))
  if (next === undefined || 'errors' in next) throw new Error(JSON.stringify(next))
  return JSON.parse(next.call.body ?? '')
}

const EUROPEAN = { ...ABROAD, ship_country: 'DE', ship_code: '10117', to_country: 'FR' }

t.test('FedEx is asked for the invoice, and sends it where the account lets it', (t) => {
  const shipment = (account: object, params: object) =>
    bodyOf(fedex, account, params).requestedShipment
  const plain = shipment({}, ABROAD)
  t.match(plain.shippingDocumentSpecification, {
    shippingDocumentTypes: ['COMMERCIAL_INVOICE'],
    commercialInvoiceDetail: { documentFormat: { docType: 'PDF', stockType: 'PAPER_LETTER' } },
  })
  t.notOk(plain.shipmentSpecialServices)
  for (const yes of ['yes', 'true', '1', ' YES ']) {
    t.match(shipment({ paperless: yes }, ABROAD).shipmentSpecialServices, {
      specialServiceTypes: ['ELECTRONIC_TRADE_DOCUMENTS'],
      etdDetail: { requestedDocumentTypes: ['COMMERCIAL_INVOICE'] },
    })
  }
  t.notOk(shipment({ paperless: 'no' }, ABROAD).shipmentSpecialServices)
  for (const home of [
    { service: 'x' },
    { ...EUROPEAN, customs: undefined },
    { ...ABROAD, to_country: 'PR', to_code: '00907' },
  ]) {
    const sent = shipment({ paperless: 'yes' }, home)
    t.notOk(sent.shippingDocumentSpecification)
    t.notOk(sent.shipmentSpecialServices)
  }
  t.match(shipment({}, EUROPEAN).customsClearanceDetail, { commodities: [{ quantity: 3 }] })
  t.equal(shipment({}, { ...EUROPEAN, customs: undefined }).customsClearanceDetail, undefined)
  t.end()
})

t.test('DHL is asked for the invoice, and sends it where the account lets it', (t) => {
  const plain = bodyOf(dhl, {}, ABROAD)
  const invoice = { typeCode: 'invoice', invoiceType: 'commercial', isRequested: true }
  t.match(plain.outputImageProperties, {
    splitInvoiceAndReceipt: true,
    imageOptions: [{ typeCode: 'label' }, invoice],
  })
  t.notOk(plain.valueAddedServices)
  const paperless = bodyOf(dhl, { paperless: 'yes' }, ABROAD)
  t.same(paperless.valueAddedServices, [{ serviceCode: 'WY' }])
  const union = bodyOf(dhl, { paperless: 'yes' }, EUROPEAN)
  t.equal(union.outputImageProperties.imageOptions.length, 1)
  t.notOk(union.valueAddedServices)
  t.end()
})

t.test('what an account says of paperless trade is read from it, and hides nothing', async (t) => {
  const sent: string[] = []
  const rig = await startCarrier(t, dhl, (_method, _url, _request, body) => {
    sent.push(body)
    return [422, { detail: 'yes, it is wrong: no', status: '422' }]
  })
  for (const paperless of [true, 'yes']) {
    const params = { ...ABROAD, client_id: 'i', client_secret: 'secret-of-dhl', paperless }
    const answer = await rig.ask('SubmitShipment', { account_number: '1', ...params }, 'a')
    t.match(sent.pop(), /"serviceCode":"WY"/)
    t.match(answer.data?.errors, [{ description: 'yes, it is wrong: no' }])
  }
})

t.test('who pays duties is as the invoice says, and other rules are on it as given', (t) => {
  const duties = (params: object) => {
    const { PaymentInformation, ShipmentServiceOptions } = bodyOf(
      ups,
      { account_number: 'A1B2C3' },
      {
        ...ABROAD,
        ...params,
      },
    ).ShipmentRequest.Shipment
    const charges = PaymentInformation.ShipmentCharge.map((one: { Type: string }) => one.Type)
    const { customsClearanceDetail } = bodyOf(fedex, {}, { ...ABROAD, ...params }).requestedShipment
    const { accounts, valueAddedServices, content } = bodyOf(dhl, {}, { ...ABROAD, ...params })
    return {
      ups: [ShipmentServiceOptions.InternationalForms.TermsOfShipment, ...charges],
      fedex: [
        customsClearanceDetail.commercialInvoice.termsOfSale,
        customsClearanceDetail.dutiesPayment.paymentType,
      ],
      dhl: [content.incoterm, accounts.length, valueAddedServices?.[0].serviceCode],
    }
  }
  for (const incoterm of ['', 'DAP', 'FCA', 'EXW', 'CIP']) {
    t.same(duties({ incoterm }), {
      ups: [incoterm || 'DAP', '01'],
      fedex: [incoterm || 'DAP', 'RECIPIENT'],
      dhl: [incoterm || 'DAP', 1, undefined],
    })
  }
  t.same(duties({ incoterm: 'DDP' }), {
    ups: ['DDP', '01', '02'],
    fedex: ['DDP', 'SENDER'],
    dhl: ['DDP', 2, 'DD'],
  })
  t.end()
})

t.test('why the goods are sent, and the number of the invoice, are on it', (t) => {
  const more = { ...ABROAD, contents_type: 'GIFT', invoice_number: 'R-77' }
  const { ShipmentServiceOptions } = bodyOf(ups, { account_number: 'A1B2C3' }, more).ShipmentRequest
    .Shipment
  const form = ShipmentServiceOptions.InternationalForms
  t.match(form, { ReasonForExport: 'GIFT', InvoiceNumber: 'R-77' })
  t.end()
})
