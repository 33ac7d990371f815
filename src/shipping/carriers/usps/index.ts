import { type Action, failure, type Remark } from '../../answers.ts'
import type { Account, Carrier, HttpCall, Reply, Token } from '../../carrier.ts'
import { jsonOf, numberAt, textAt } from '../../reading.ts'
import { askAddress, askTrack, readAddress, readTrack } from './after.ts'
import { askRates, readRates } from './rate.ts'
import { readErrors } from './replies.ts'
import {
  askAgain,
  askShipment,
  askVoid,
  lookUp,
  readAgain,
  readShipment,
  readVoid,
} from './ship.ts'

/** USPS by its APIs v3 (developers.usps.com: Domestic Prices, Labels, Tracking, Addresses, Payments). One parcel a call. */
export const usps: Carrier = {
  name: 'USPS-REST',
  credentials: [
    { name: 'client_id', title: 'Consumer key', isSecret: true, isRequired: true },
    { name: 'client_secret', title: 'Consumer secret', isSecret: true, isRequired: true },
    { name: 'account_number', title: 'EPS account number', isSecret: true, isRequired: false },
    { name: 'crid', title: 'Customer registration ID (CRID)', isSecret: true, isRequired: false },
    { name: 'mid', title: 'Mailer ID (MID)', isSecret: true, isRequired: false },
    { name: 'manifest_mid', title: 'Manifest Mailer ID', isSecret: true, isRequired: false },
  ],
  hosts: { live: 'https://apis.usps.com', test: 'https://apis-tem.usps.com' },
  token: { request: askToken, parse: readToken },
  isTokenRefused: (reply) => reply.status === 401,
  refuseToken: findMissingProduct,
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: {
      ...{ request: askShipment, parse: readShipment, lookUp },
      ...{ recover: askAgain, parseRecovery: readAgain },
    },
    Track: { request: askTrack, parse: readTrack },
    VoidShipment: { request: askVoid, parse: readVoid },
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

function askToken({ client_id: id = '', client_secret: secret = '' }: Account): HttpCall {
  return {
    ...{ method: 'POST', path: '/oauth2/v3/token' },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ client_id: id, client_secret: secret, grant_type: 'client_credentials' },
    }),
  }
}

function readToken(reply: Reply) {
  const body = jsonOf(reply.text)
  const accessToken = textAt(body, 'access_token')
  if (reply.status !== 200 || accessToken === '') return { errors: readErrors(reply) }
  return {
    ...{ accessToken, tokenType: textAt(body, 'token_type') || 'Bearer' },
    ...{ expiresIn: numberAt(body, 'expires_in'), scope: textAt(body, 'scope') },
    products: textAt(body, 'api_products'),
  }
}

// Scopes that are not in the product which every account has from the start.
const SCOPES: Partial<Record<Action, readonly string[]>> = {
  SubmitShipment: ['labels', 'payments'],
  VoidShipment: ['labels', 'payments'],
  Track: ['tracking'],
}

/** Said before the call, as USPS's own answer (401) does not say what is missing. */
function findMissingProduct({ scope, products = '' }: Token, action: Action): Remark | undefined {
  const has = new Set(scope.split(/[\s,]+/))
  const missing = (SCOPES[action] ?? []).filter((one) => !has.has(one))
  // A token of the client's own does not tell.
  if (scope === '' || missing.length === 0) return undefined
  const message =
    `This USPS account may not use ${missing.join(' and ')}${products === '' ? '' : ` (it has ${products})`}. ` +
    'Ask USPS for it in the developer portal: My Apps, then Manage.'
  return failure('AUTHENTICATION', message, { carrierCode: missing.join(' ') })
}
