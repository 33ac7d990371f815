import { createHash } from 'node:crypto'
import { type Action, BLANKS } from '../../../src/shipping/answers.ts'
import type { Reply } from '../../../src/shipping/carrier.ts'
import { CONTRACTS, type Contract, OWN_CONTRACTS, orderOf } from '../../contracts/carriers.ts'
import { allSaved, answer } from './parser.ts'

const STATUSES = [200, 201, 202, 207, 299, 400, 401, 402, 403, 404, 409, 410, 422, 429, 500, 503]
/** Of one answer; the largest have thousands of values alike. */
const CHANGES_MOST = 40
/** Folders of answers/. */
const SAVED: Readonly<Record<string, string>> = {
  ...{ 'UPS-REST': 'ups', 'USPS-REST': 'usps', EasyPost: 'easypost' },
  ...{ ShipEngine: 'shipengine', Shippo: 'shippo' },
}
const WORDS = [
  ...['', 'address', 'postal code', 'weight', 'service', 'account', 'not found', 'void', 'city'],
  ...['is required', 'invalid', 'token', 'rate', 'insufficient funds', 'duplicate', 'phone'],
  ...['state_error', 'validation', 'authentication', 'not available', 'unauthorized'],
]

/** How carriers write that something is wrong, with these words in each place. */
function refusalsWith(words: string): readonly unknown[] {
  const parts = { code: words, message: words, description: words, detail: words, field: words }
  const entry = { ...parts, error_code: words, error_type: words, source: words, text: words }
  return [
    { detail: words },
    { message: words, title: words, status: 400, additionalDetails: [words] },
    { errors: [entry] },
    { errors: [{ ...entry, parameterList: [{ key: words, value: words }] }] },
    { error: { ...parts, errors: [{ ...parts, source: { parameter: words, example: words } }] } },
    { messages: [{ ...entry, carrier_name: words, details: { words } }] },
    { response: { errors: [entry] } },
    { [words || 'field']: [words] },
  ]
}

/** The same answer with each of its values left out, or another one, in turn. */
function* changesOf(body: unknown): Generator<string> {
  const places: (readonly [parent: Record<string, unknown>, key: string])[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value).slice(0, 40)) {
      // A label is but long.
      const parent = value as Record<string, unknown>
      if (typeof one === 'string' && one.length > 300) parent[key] = one.slice(0, 40)
      places.push([parent, key])
      walk(one)
    }
  }
  walk(body)
  yield JSON.stringify(body)
  const every = Math.ceil(places.length / CHANGES_MOST)
  for (const [parent, key] of places.filter((_, n) => n % every === 0)) {
    const before = parent[key]
    for (const other of [null, 'Odd-1']) {
      parent[key] = other
      yield JSON.stringify(body)
    }
    parent[key] = before
  }
}

/** A digest of what every carrier's answers mean when they are not as they should be, for each action. */
export function digestOddAnswers(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...CONTRACTS, ...OWN_CONTRACTS].flatMap((contract) => {
      const actions = Object.keys(BLANKS).filter((one) => one in contract.carrier.actions)
      const replies = oddRepliesOf(contract)
      return actions.map((action) => [
        `${contract.carrier.name}: ${action}`,
        digest(contract, action as Action, replies),
      ])
    }),
  )
}

function oddRepliesOf({ carrier }: Contract): readonly Reply[] {
  const folder = SAVED[carrier.name]
  const saved = folder === undefined ? [] : allSaved(folder)
  const parsed = saved.flatMap((reply) => {
    try {
      return [{ reply, body: JSON.parse(reply.text) as unknown }]
    } catch {
      return []
    }
  })
  return [
    ...STATUSES.flatMap((status) => [
      ...saved.map((reply) => ({ ...reply, status })),
      ...[{}, [], null, 'no JSON object'].map((body) => answer(body, status)),
      { ...answer({}, status), text: '<html>' },
      ...refusalsWith('odd').map((body) => answer(body, status)),
    ]),
    ...WORDS.flatMap(refusalsWith).flatMap((body) => [answer(body, 400), answer(body)]),
    ...parsed.flatMap(({ reply, body }) =>
      [...changesOf(body)].map((text): Reply => ({ ...reply, text })),
    ),
  ]
}

function digest(contract: Contract, action: Action, replies: readonly Reply[]): string {
  const plan = contract.carrier.actions[action]
  const order = orderOf(contract, contract.shipments.at(action === 'SubmitShipment' ? -1 : 0) ?? {})
  const hash = createHash('sha256')
  for (const reply of replies) {
    hash.update(JSON.stringify(plan?.parse(reply, order, {}) ?? null))
    hash.update(JSON.stringify(plan?.parseRecovery?.(reply, order, {}) ?? null))
  }
  return hash.digest('hex').slice(0, 16)
}
