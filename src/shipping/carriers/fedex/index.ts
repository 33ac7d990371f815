import type { Account, Carrier, HttpCall, Reply } from '../../carrier.ts'
import { jsonOf, numberAt, textAt } from '../../reading.ts'
import { askAddress, askTrack, readAddress, readTrack } from './after.ts'
import { askRates, readRates } from './rate.ts'
import { readErrors } from './replies.ts'
import { askShipment, askVoid, lookUp, readShipment, readVoid } from './ship.ts'

/** FedEx by its REST interface (developer.fedex.com: Rates, Ship, Track, Address Validation). */
export const fedex: Carrier = {
  name: 'FedEx-REST',
  credentials: [
    { name: 'client_id', title: 'API key', isSecret: true, isRequired: true },
    { name: 'client_secret', title: 'Secret key', isSecret: true, isRequired: true },
    { name: 'account_number', title: 'Account number', isSecret: true, isRequired: false },
  ],
  hosts: { live: 'https://apis.fedex.com', test: 'https://apis-sandbox.fedex.com' },
  token: { request: askToken, parse: readToken },
  isTokenRefused: (reply) => reply.status === 401,
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: { request: askShipment, parse: readShipment, lookUp },
    Track: { request: askTrack, parse: readTrack },
    VoidShipment: { request: askVoid, parse: readVoid },
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

/** With a child key the account is a customer's of an integrator. */
function askToken(account: Account): HttpCall {
  const { client_id: id = '', client_secret: secret = '' } = account
  const { child_key: child, child_secret: childSecret } = account
  const body = new URLSearchParams({
    grant_type: child === undefined ? 'client_credentials' : 'csp_credentials',
    ...{ client_id: id, client_secret: secret },
    ...(child !== undefined && { child_Key: child, child_secret: childSecret ?? '' }),
  })
  return {
    ...{ method: 'POST', path: '/oauth/token' },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  }
}

function readToken(reply: Reply) {
  const body = jsonOf(reply.text)
  const accessToken = textAt(body, 'access_token')
  if (reply.status !== 200 || accessToken === '') return { errors: readErrors(reply) }
  return {
    ...{ accessToken, tokenType: 'Bearer', scope: textAt(body, 'scope') },
    expiresIn: numberAt(body, 'expires_in'),
  }
}
