import type { Carrier } from '../../carrier.ts'
import { refuseLiveKey } from '../aggregator.ts'
import { askAddress, askRefund, askTracker, readAddress, readRefund, readTracker } from './after.ts'
import { askPurchase, askWhetherBought, readPurchase, readWhetherBought } from './buy.ts'
import { askRates, readRates } from './rate.ts'

const HOST = 'https://api.easypost.com'

/**
 * EasyPost, which sells the labels of many carriers. It publishes no description of itself: calls and answers are as in its own client
 * libraries (MIT) and their recorded traffic. A shipment is one parcel here.
 */
export const easypost: Carrier = {
  name: 'EasyPost',
  credentials: [{ name: 'key', title: 'API key', isSecret: true, isRequired: true }],
  // The key tells a test from the real thing.
  hosts: { live: HOST, test: HOST },
  // Both spellings stand in recorded answers.
  labelHosts: [
    'easypost-files.s3.us-west-2.amazonaws.com',
    'easypost-files.s3-us-west-2.amazonaws.com',
  ],
  refuse: (order) => refuseLiveKey(order, 'EZTK'),
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: {
      request: askPurchase,
      parse: readPurchase,
      recover: askWhetherBought,
      parseRecovery: readWhetherBought,
    },
    Track: { request: askTracker, parse: readTracker },
    VoidShipment: { request: askRefund, parse: readRefund },
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}
