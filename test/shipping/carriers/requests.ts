import { type Action, BLANKS } from '../../../src/shipping/answers.ts'
import type { HttpCall } from '../../../src/shipping/carrier.ts'
import {
  CONTRACTS,
  type Contract,
  callsOf,
  OWN_CONTRACTS,
  orderOf,
} from '../../contracts/carriers.ts'

/** What is sent for each action and shipment, as `METHOD path`, headers and the body. */
export type Requests = Readonly<Record<string, readonly (readonly unknown[])[]>>

/** The file of each carrier with all that we send to it. */
export function listRequests(): ReadonlyMap<string, Requests> {
  return new Map(
    [...CONTRACTS, ...OWN_CONTRACTS].map((contract) => [
      `${contract.carrier.name}.json`,
      requestsOf(contract),
    ]),
  )
}

function requestsOf(contract: Contract): Requests {
  const { carrier, account, shipments } = contract
  const actions = Object.keys(BLANKS).filter((one) => one in carrier.actions) as Action[]
  const token = carrier.token?.request(account)
  return {
    ...(token && { token: [show(token)] }),
    ...Object.fromEntries(
      actions.flatMap((action) =>
        shipments.map((params, nr) => [
          `${action} ${nr + 1}`,
          callsOf(contract, action, orderOf(contract, params)).map(show),
        ]),
      ),
    ),
  }
}

function show({ method, path, headers, body, spends }: HttpCall): readonly unknown[] {
  const isJson = headers['Content-Type'] === 'application/json' && body !== undefined
  const shown: unknown = isJson ? JSON.parse(body) : body
  const line = `${method} ${path}${spends === true ? ' spends' : ''}`
  return [line, headers, ...(shown === undefined ? [] : [shown])]
}
