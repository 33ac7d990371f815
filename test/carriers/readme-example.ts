import { readFileSync } from 'node:fs'
import { type CarrierOrder, type CarrierSender, findCarrier, readShipment, Tokens } from '#carriers'

const { response } = JSON.parse(readFileSync('test/carriers/answers/easypost/rate.json', 'utf8'))
const bytes = Buffer.from(JSON.stringify(response.body))
const sender: CarrierSender = {
  send(origin, { method, path }) {
    console.log(method, origin + path)
    return Promise.resolve({ status: response.status, headers: {}, bytes })
  },
}
const bounds = { papers: 12, paperBytes: 4_000_000 }
const parts = { sender, bounds, tokens: new Tokens(), origins: {} }
const easypost = await findCarrier('EasyPost')?.open(parts)
const read = readShipment({
  shipper: 'Shop',
  ship_addr1: '1 Main St',
  ship_city: 'Reno',
  ship_state: 'NV',
  ship_code: '89501',
  to_name: 'Ann',
  to_addr1: '2 Oak St',
  to_city: 'Ames',
  to_state: 'IA',
  to_code: '50010',
  weight: 3,
  length: 9,
  width: 6,
  height: 4,
})
if (easypost === undefined || 'errors' in read) throw new Error('wrong params')
const order: CarrierOrder = {
  shipment: read.shipment,
  account: { key: 'EZTK1' },
  isTest: true,
  label: { format: 'PDF', dpi: 203, isPrinted: false },
  requestId: 'order-1',
  now: Date.now(),
}
// A call that buys writes down in `keep` what it is asked by later, should its answer be lost.
const run = { timeoutMs: 10_000, keep: () => {}, buyerOf: () => undefined, trace: undefined }
const result = await easypost.perform('GetAllRates', order, run)
if ('data' in result) for (const one of result.data.rates ?? []) console.log(one.desc, one.rate)
