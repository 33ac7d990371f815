import type { Account, Carrier, HttpCall, Reply } from '../../carrier.ts'
import { jsonOf, numberAt, textAt } from '../../reading.ts'
import { askAddress, readAddress } from './address.ts'
import { askRates, readRates } from './rate.ts'
import { readErrors } from './replies.ts'
import { askRecovery, askShipment, askVoid, readRecovery, readShipment, readVoid } from './ship.ts'
import { askTrack, readTrack } from './track.ts'
import { askTransit, readTransit } from './transit.ts'

// UPS-API/api-documentation at e6f36df (MIT): Rating, Shipping, Tracking, AddressValidation, OAuthClientCredentials.

/** UPS by its REST interface. Contract-tested against UPS's own description; nobody with an account has run it. */
export const ups: Carrier = {
  name: 'UPS-REST',
  credentials: [
    { name: 'client_id', title: 'Client ID', isSecret: true, isRequired: true },
    { name: 'client_secret', title: 'Client secret', isSecret: true, isRequired: true },
    { name: 'account_number', title: 'Account number', isSecret: true, isRequired: false },
  ],
  hosts: { live: 'https://onlinetools.ups.com', test: 'https://wwwcie.ups.com' },
  token: { request: askToken, parse: readToken },
  isTokenRefused: (reply) => reply.status === 401,
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: {
      request: askShipment,
      parse: readShipment,
      recover: askRecovery,
      parseRecovery: readRecovery,
    },
    Track: { request: askTrack, parse: readTrack },
    VoidShipment: { request: askVoid, parse: readVoid },
    AddressValidate: { request: askAddress, parse: readAddress },
    TimeInTransit: { request: askTransit, parse: readTransit },
  },
}

function askToken({ client_id: id = '', client_secret: secret = '' }: Account): HttpCall {
  return {
    method: 'POST',
    path: '/security/v1/oauth/token',
    headers: {
      Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  }
}

function readToken(reply: Reply) {
  const body = jsonOf(reply.text)
  const accessToken = textAt(body, 'access_token')
  if (reply.status !== 200 || accessToken === '') return { errors: readErrors(reply) }
  return {
    ...{ accessToken, tokenType: textAt(body, 'token_type') || 'Bearer' },
    // A text in UPS's own description.
    ...{ expiresIn: numberAt(body, 'expires_in'), scope: textAt(body, 'scope') },
  }
}
