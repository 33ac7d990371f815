import t from 'tap'
import type { Action } from '../../../src/carriers/answers.ts'
import type { Account, Carrier, CarrierFacts, HttpCall } from '../../../src/carriers/carrier.ts'
import { dhl } from '../../../src/carriers/dhl/index.ts'
import { easypost } from '../../../src/carriers/easypost/index.ts'
import { fedex } from '../../../src/carriers/fedex/index.ts'
import { shipengine, shipstation } from '../../../src/carriers/shipengine/index.ts'
import { shippo } from '../../../src/carriers/shippo/index.ts'
import { ups } from '../../../src/carriers/ups/index.ts'
import { usps } from '../../../src/carriers/usps/index.ts'
import { Parser, saved } from '../../carriers/parser.ts'
import { startCarrier } from '../../carriers/stand-in.ts'
import { ADDRESSES, type codesOf, packagesOf, startShipping } from './http/calls.ts'

const PHONES = { ship_phone: '7755550100', to_phone: '5155550100' }
const SIZES = { weight: 2, length: 9, width: 6, height: 4 }
const BACK = { ...PHONES, ...SIZES, is_return: true }
const LINE = { description: 'Mug', quantity: 1, value: 4, weight: 1, origin_country: 'US' }
const FROM_ABROAD = {
  ...BACK,
  ship_country: 'US',
  to_country: 'CH',
  to_state: '',
  to_code: '8001',
  customs: [LINE],
}

/** A carrier with an account; good replies on the way to the call that buys. */
class Asked {
  readonly #carrier: Carrier
  readonly #parser: Parser

  constructor(carrier: Carrier, params: object, account: Account = ACCOUNT) {
    this.#carrier = carrier
    this.#parser = new Parser(carrier, account, { ...BACK, ...params })
  }

  /** The last call of an action. */
  call(action: Action, params: object = {}, replies: readonly unknown[] = []): HttpCall {
    const order = this.#parser.order({ ...params })
    const plan = this.#carrier.actions[action]
    const next = plan?.request(order)
    if (next === undefined || 'errors' in next) throw new Error(JSON.stringify(next))
    let { call } = next
    let kept: CarrierFacts = next.kept ?? {}
    for (const reply of replies) {
      const text = JSON.stringify(reply)
      const outcome = plan?.parse({ status: 200, headers: {}, text }, order, kept)
      if (outcome === undefined || !('next' in outcome)) throw new Error(JSON.stringify(outcome))
      ;({ next: call, kept } = outcome)
    }
    return call
  }

  body(...asked: Parameters<Asked['call']>) {
    return JSON.parse(this.call(...asked).body ?? '')
  }

  refusal(params: object, action: Action = 'SubmitShipment'): readonly string[] {
    return this.#parser.refusedFields(action, { ...params })
  }
}

const ACCOUNT = {
  client_id: 'i',
  client_secret: 's',
  account_number: 'A1B2C3',
  key: 'TEST_x',
  crid: '1',
  mid: '2',
}

t.test('UPS: the customer sends, the shop gets it, owns the account and pays', (t) => {
  const asked = new Asked(ups, { service: '03' })
  const { Shipment } = asked.body('SubmitShipment').ShipmentRequest
  t.match(Shipment, {
    Shipper: { Name: 'Shop', ShipperNumber: 'A1B2C3', Address: { City: 'Reno' } },
    ShipFrom: { Name: 'Ann Buyer', Address: { City: 'Ames' } },
    ShipTo: { Name: 'Shop', Address: { City: 'Reno' } },
    ReturnService: { Code: '9' },
    PaymentInformation: { ShipmentCharge: [{ BillShipper: { AccountNumber: 'A1B2C3' } }] },
    Package: [{ Description: /./ }],
  })
  const rated = asked.body('GetAllRates').RateRequest.Shipment
  t.match(rated, {
    Shipper: { Name: 'Shop' },
    ShipFrom: { Address: { City: 'Ames' } },
    ShipTo: { Address: { City: 'Reno' } },
    ShipmentServiceOptions: { ReturnService: { Code: '9' } },
  })
  t.match(asked.body('TimeInTransit'), {
    originPostalCode: '50010',
    destinationPostalCode: '89501',
  })
  for (const signature_type of ['ADULT', 'DIRECT']) {
    const packages = [{ weight: 1, signature_type }]
    t.same(asked.refusal({ packages }), ['signature_type'], 'of forward shipments alone')
  }
  const invoice = asked.body('SubmitShipment', FROM_ABROAD).ShipmentRequest.Shipment
  t.match(invoice.ShipmentServiceOptions.InternationalForms, {
    FormType: ['05'],
    ReasonForExport: 'RETURN',
    Contacts: { SoldTo: { Name: 'Shop' } },
  })
  const plain = asked.body('SubmitShipment', { is_return: false }).ShipmentRequest.Shipment
  t.match(plain, { ShipFrom: { Name: 'Shop' }, ShipTo: { Name: 'Ann Buyer' } })
  t.notOk('ReturnService' in plain)
  const bought = ups.actions.SubmitShipment?.parse(
    saved('ups/ship-return'),
    new Parser(ups, ACCOUNT, BACK).order(),
    {},
  )
  t.match(bought, { data: { packages: [{ label_format: 'GIF' }] } }, 'as UPS answered one')
  t.end()
})

t.test('FedEx: the customer sends, and the account of the shop pays', (t) => {
  const asked = new Asked(fedex, { service: 'FEDEX_GROUND' })
  const back = asked.body('SubmitShipment').requestedShipment
  t.match(back, {
    shipper: { contact: { personName: 'Ann Buyer' }, address: { city: 'Ames' } },
    recipients: [{ contact: { companyName: 'Shop' }, address: { city: 'Reno' } }],
    shipmentSpecialServices: {
      specialServiceTypes: ['RETURN_SHIPMENT'],
      returnShipmentDetail: { returnType: 'PRINT_RETURN_LABEL' },
    },
    shippingChargesPayment: {
      payor: { responsibleParty: { accountNumber: { value: 'A1B2C3' } } },
    },
    pickupType: 'DROPOFF_AT_FEDEX_LOCATION',
  })
  t.match(asked.body('GetAllRates').requestedShipment, {
    shipper: { address: { city: 'Ames' } },
    recipient: { address: { city: 'Reno' } },
  })
  const abroad = asked.body('SubmitShipment', { ...FROM_ABROAD, incoterm: 'DDP' })
  t.match(abroad.requestedShipment.customsClearanceDetail, {
    dutiesPayment: { paymentType: 'RECIPIENT' },
    commercialInvoice: { shipmentPurpose: 'REPAIR_AND_RETURN' },
    customsOption: { type: 'COURTESY_RETURN_LABEL' },
  })
  const plain = asked.body('SubmitShipment', { is_return: false }).requestedShipment
  t.notOk('shipmentSpecialServices' in plain)
  t.same(plain.shippingChargesPayment, { paymentType: 'SENDER' })
  t.same(asked.refusal({ packages: [{ weight: 1, signature_type: 'ADULT' }] }), ['signature_type'])
  t.end()
})

t.test('USPS: a label of its returns, which has an address and an answer of its own', (t) => {
  const asked = new Asked(usps, { service: 'USPS_GROUND_ADVANTAGE' })
  const authorized = [{ paymentAuthorizationToken: 'x' }]
  const call = asked.call('SubmitShipment', {}, authorized)
  t.equal(call.path, '/labels/v3/return-label')
  t.equal(call.spends, true)
  const back = JSON.parse(call.body ?? '')
  t.match(back, {
    fromAddress: { city: 'Ames' },
    toAddress: { city: 'Reno' },
    packageDescription: { mailClass: 'USPS_GROUND_ADVANTAGE_RETURN_SERVICE' },
  })
  t.notOk('mailingDate' in back.packageDescription)
  const named = asked.body(
    'SubmitShipment',
    { service: 'PRIORITY_MAIL_RETURN_SERVICE/FB/MACHINABLE' },
    authorized,
  )
  t.match(named.packageDescription, {
    mailClass: 'PRIORITY_MAIL_RETURN_SERVICE',
    rateIndicator: 'FB',
  })
  t.same(asked.refusal({ service: 'MEDIA_MAIL' }), ['service'])
  t.same(asked.refusal({ service: 'MEDIA_MAIL' }, 'GetAllRates'), ['service'])
  const parser = new Parser(usps, ACCOUNT, { ...BACK, service: 'PRIORITY_MAIL' })
  const label = Buffer.from('^XA^XZ').toString('base64')
  const sold = {
    trackingNumber: '94',
    postage: 8.75,
    fees: [{ price: 1 }],
    returnLabelImage: label,
  }
  const { returnLabelImage, ...returnLabelMetadata } = sold
  const again = { returnLabelMetadata, returnLabelImage }
  for (const body of [sold, again]) {
    const reply = { status: 200, headers: {}, text: JSON.stringify(body) }
    t.match(parser.parse('SubmitShipment', reply, { key: 'k' }), {
      data: { tracking_number: '94', charges: 9.75, packages: [{ label }] },
    })
  }
  const recover = usps.actions.SubmitShipment
  const found = recover?.parseRecovery?.(
    { status: 200, headers: {}, text: JSON.stringify(again) },
    parser.order(),
    { key: 'k' },
  )
  t.match(found, { data: { tracking_number: '94' } }, 'after a lost answer')
  t.end()
})

t.test('USPS has the prices of returns one class a call', async (t) => {
  const asked: Record<string, unknown>[] = []
  const rig = await startCarrier(t, usps, (_method, url, _request, body) => {
    if (url.endsWith('/token')) return [200, { access_token: 'x', expires_in: 99 }]
    const query = JSON.parse(body)
    asked.push({ url, ...query })
    if (query.mailClass === 'PRIORITY_MAIL_RETURN_SERVICE') return [404, { error: {} }]
    const rates = [{ mailClass: query.mailClass, price: 5.5 }]
    return [200, { totalBasePrice: 5.5, rates }]
  })
  const call = { ...ACCOUNT, key: 'token', ...BACK, service: '' }
  const { data } = await rig.ask('GetAllRates', call)
  const codes = ((data?.['rates'] ?? []) as { service_code: string }[]).map(
    (one) => one.service_code,
  )
  t.same(codes, ['USPS_GROUND_ADVANTAGE_RETURN_SERVICE', 'PRIORITY_MAIL_EXPRESS_RETURN_SERVICE'])
  t.equal(asked.length, 3)
  t.match(asked, [{ url: '/prices/v3/base-rates/search', originZIPCode: '50010' }])
  await rig.ask('GetAllRates', { ...call, service: 'PRIORITY_MAIL_EXPRESS' })
  t.match(asked.slice(3), [{ mailClass: 'PRIORITY_MAIL_EXPRESS_RETURN_SERVICE' }])
  t.equal(asked.length, 4)
})

t.test('DHL: the customer sends, the shop pays, and the label is good for months', (t) => {
  const asked = new Asked(dhl, { service: 'N' })
  const back = asked.body('SubmitShipment')
  t.match(back, {
    customerDetails: {
      shipperDetails: { contactInformation: { fullName: 'Ann Buyer' } },
      receiverDetails: { contactInformation: { companyName: 'Shop' } },
    },
    accounts: [{ typeCode: 'shipper' }, { typeCode: 'payer', number: 'A1B2C3' }],
    valueAddedServices: [{ serviceCode: 'PT' }],
  })
  t.match(asked.body('GetAllRates').customerDetails, {
    shipperDetails: { cityName: 'Ames' },
    receiverDetails: { cityName: 'Reno' },
  })
  const abroad = asked.body('SubmitShipment', FROM_ABROAD)
  t.match(abroad.outputImageProperties.imageOptions[1], {
    typeCode: 'invoice',
    invoiceType: 'returns',
    templateName: 'RET_COM_INVOICE_A4_01',
  })
  t.match(abroad.content.exportDeclaration, { exportReasonType: 'return' })
  t.equal(asked.body('SubmitShipment', { is_return: false }).accounts.length, 1)
  t.end()
})

t.test('EasyPost and Shippo turn the addresses round themselves', (t) => {
  const easy = new Asked(easypost, { service: 'USPS/GroundAdvantage' })
  t.match(easy.body('SubmitShipment').shipment, {
    is_return: true,
    from_address: { city: 'Reno' },
    to_address: { city: 'Ames' },
  })
  t.notOk('is_return' in easy.body('SubmitShipment', { is_return: false }).shipment)
  const ship = new Asked(shippo, { service: 'usps_priority' })
  t.match(ship.body('SubmitShipment'), {
    extra: { is_return: true },
    address_from: { city: 'Reno' },
    address_to: { city: 'Ames' },
  })
  t.notOk('extra' in ship.body('SubmitShipment', { is_return: false }))
  for (const service of ['ups_ground', 'fedex_ground', 'USPS_priority'])
    t.same(ship.refusal({ service }), [])
  t.same(ship.refusal({ service: 'dhl_express' }), ['is_return'])
  t.match(ship.body('GetAllRates'), { extra: { is_return: true } })
  t.end()
})

t.test('a rate that was given before is bought the way that it was rated', (t) => {
  const ids = { rate_id: 'rate_1', shipment_id: 'shp_1' }
  const easy = new Parser(easypost, ACCOUNT, { ...SIZES, ...ids })
  const ship = new Parser(shippo, ACCOUNT, {
    ...SIZES,
    rate_id: 'ec9f0d3adc9441449c85d315f0997fd5',
  })
  const reply = (body: object) => ({ status: 200, headers: {}, text: JSON.stringify(body) })
  const parcels = [{}]
  for (const [asked, rated] of [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ] as const) {
    const wanted =
      asked === rated
        ? { next: { spends: true } }
        : { errors: [{ code: 1101, field: 'is_return' }] }
    const order = easy.order({ is_return: asked }, { isPrinted: true })
    const shipment = { id: 'shp_1', is_return: rated }
    t.match(easy.parse('SubmitShipment', reply(shipment), {}, order), wanted)
    const priced = { priced: 'ec9f0d3adc9441449c85d315f0997fd5' }
    const extra = { is_return: rated }
    const of = ship.order({ is_return: asked })
    t.match(ship.parse('SubmitShipment', reply({ parcels, extra }), priced, of), wanted)
  }
  const first = easypost.actions.SubmitShipment?.request(easy.order({ is_return: true }))
  t.match(first, { call: { method: 'GET', path: '/v2/shipments/shp_1' } })
  t.end()
})

t.test('ShipEngine and ShipStation: addresses as the parcel travels', (t) => {
  const replies = [
    { carriers: [{ carrier_id: 'se-1', carrier_code: 'ups' }] },
    {
      rate_response: {
        rates: [{ rate_id: 'se-2', service_code: 'ups_ground', carrier_id: 'se-1' }],
      },
    },
  ]
  for (const carrier of [shipengine, shipstation]) {
    const asked = new Asked(carrier, { service: 'ups_ground' })
    const back = asked.body('SubmitShipment', {}, replies)
    t.match(back, {
      is_return_label: true,
      charge_event: 'carrier_default',
      shipment: {
        is_return: true,
        ship_from: { city_locality: 'Ames' },
        ship_to: { city_locality: 'Reno' },
      },
    })
    const rated = asked.body('GetAllRates', {}, replies.slice(0, 1))
    t.match(rated.shipment, { is_return: true, ship_from: { city_locality: 'Ames' } })
    const plain = asked.body('SubmitShipment', { is_return: false }, replies)
    t.notOk('is_return_label' in plain)
    t.same(asked.refusal(FROM_ABROAD), ['is_return'])
    t.same(asked.refusal({ rate_id: 'se-2' }), ['rate_id'])
  }
  t.end()
})

t.test(
  'a return of the local carrier: rated, marked, tracked and voided the way back',
  async (t) => {
    const { ask, shipping } = startShipping(t)
    const { local } = await shipping()
    local.writeRates(`service_code,description,from,to,up_to_lb,price,fuel_percent,days
VAN,There,895,500,20,9.00,0,1
VAN,Back,500,895,20,5.00,0,2`)
    const back = { ...ADDRESSES, weight: 2, is_return: true }
    const rates = await ask('GetAllRates', back)
    t.match(rates.data?.['rates'], [{ desc: 'Back', rate: 5 }])
    t.match((await ask('TimeInTransit', back)).data?.['services'], [{ delivery_days: 2 }])
    const bought = await ask('SubmitShipment', back, { request_id: 'r' })
    t.equal(bought.data?.['charges'], 5)
    const label = Buffer.from(packagesOf(bought)[0]?.label ?? '', 'base64').toString()
    t.match(label, /\^FDRETURN\^FS/)
    t.match(label, /\^FDRETURN TO\^FS/)
    t.ok(label.indexOf('Ann Buyer') < label.indexOf('^FDShop'), 'the shop is the addressee')
    const shipment_id = bought.data?.['shipment_id']
    const track = JSON.stringify((await ask('Track', { shipment_id })).data)
    t.match(track, /"origin":.*Ames.*"destination":.*Reno/)
    t.same(await ask('SubmitShipment', back, { request_id: 'r' }), bought)
    t.match(await ask('VoidShipment', { shipment_id }), { data: { status: 'Success' } })
    const there = await ask('SubmitShipment', { ...back, is_return: 'no' })
    t.notMatch(Buffer.from(packagesOf(there)[0]?.label ?? '', 'base64').toString(), /RETURN/)
    const png = await ask('SubmitShipment', { ...back, image_type: 'PNG' })
    t.equal(packagesOf(png)[0]?.label_format, 'PNG')
  },
)

t.test('a carrier without returns is refused by name, and nothing is sent', async (t) => {
  const { post } = startShipping(t)
  const params = { ...ADDRESSES, ...BACK, key: 'x' }
  for (const is_return of [true, 'yes', 1]) {
    const call = { carrier: 'karrio', action: 'SubmitShipment', params: { ...params, is_return } }
    const answer = (await (await post(call)).json()) as Parameters<typeof codesOf>[0]
    t.match(answer.data?.errors, [{ code: 1101, field: 'is_return', description: /karrio/ }])
  }
})

t.test('the label of a return is given back like any other', async (t) => {
  const rig = await startCarrier(t, ups, (method, url) => {
    if (url.endsWith('/token')) return [200, { access_token: 'x', expires_in: '99' }]
    if (method === 'DELETE') {
      const Status = { Code: '1', Description: 'Voided' }
      return [200, { VoidShipmentResponse: { SummaryResult: { Status } } }]
    }
    return [200, JSON.parse(saved('ups/ship-return').text)]
  })
  const { key: _, ...account } = ACCOUNT
  const bought = await rig.ask('SubmitShipment', { ...account, ...BACK, service: '03' })
  const shipment_id = bought.data?.['shipment_id']
  t.ok(shipment_id)
  t.match(await rig.ask('VoidShipment', { ...account, shipment_id }, 'b'), {
    data: { status: 'Voided', status_code: '1' },
  })
  const again = await rig.ask('SubmitShipment', { ...account, ...BACK, service: '03' })
  t.match(again.data?.errors, [{ description: /given back/ }])
})
