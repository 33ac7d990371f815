import { BLANKS } from '../shipping/answers.ts'
import { CARRIERS } from '../shipping/carriers/index.ts'
import {
  choice,
  flag,
  json,
  list,
  type Operation,
  object,
  ok,
  record,
  ref,
  text,
} from './components.ts'
import { shippingParams } from './fields.ts'

const TAG = 'Shipping'
const admin = { tag: 'Shipping (page)', refusal: 'Refusal', security: 'admin' } as const

/** The shipping API, and what its page asks for. */
export function shipping(paths: readonly string[]): readonly Operation[] {
  return [...calls(paths), ...page(), ...accounts()]
}

function calls(paths: readonly string[]): readonly Operation[] {
  const names = CARRIERS.flatMap(({ name, aliases }) => [name, ...aliases])
  const call = {
    type: 'object',
    required: ['carrier', 'action'],
    properties: {
      carrier: text(`one of ${names.join(', ')}; case does not count`),
      action: text(`one of ${Object.keys(BLANKS).join(', ')}; case does not count`),
      params: shippingParams(),
      request_id: text('the same one again never buys again'),
    },
  }
  const body = json({ oneOf: [call, list(call, 'several calls, answered in their order')] })
  const answer = { oneOf: [ref('Envelope'), list(ref('Envelope'))] }
  return [
    ...paths.map(
      (path): Operation => ({
        ...{ method: 'post', path, tag: TAG, refusal: 'Envelope', security: 'key' },
        summary: 'Rates, labels, tracking, voids, addresses: one call or a list of calls',
        body,
        answers: ok('The carrier was asked, or every call of the list has its answer.', answer),
      }),
    ),
    {
      ...{ method: 'get', path: '/v1/health', tag: TAG, refusal: 'none', security: 'none' },
      summary: 'Whether the shipping API answers',
      answers: ok('It does.', ref('Envelope')),
    },
    {
      ...{
        method: 'get',
        path: '/v1/shipments/{id}',
        tag: TAG,
        refusal: 'Envelope',
        security: 'key',
      },
      summary: 'The answer to a purchase again, including labels',
      answers: ok('As it was.', ref('Envelope')),
    },
  ]
}

function page(): readonly Operation[] {
  const table = object({ table: text('CSV') })
  const done = ok('Done.', ref('Done'))
  return [
    {
      ...{ method: 'get', path: '/shipping/shipments', ...admin },
      summary: 'The last shipments',
      answers: ok('Shipments.', list(ref('Shipment'))),
    },
    {
      ...{ method: 'post', path: '/shipping/calls', ...admin },
      summary: 'A call of the shipping API without a key, for the page',
      body: json({ type: 'object' }),
      answers: ok('The answer.', ref('Envelope')),
    },
    {
      ...{ method: 'get', path: '/shipping/keys', ...admin },
      summary: 'The API keys',
      answers: ok('Keys.', list(ref('ApiKey'))),
    },
    {
      ...{ method: 'post', path: '/shipping/keys', ...admin },
      summary: 'Make an API key; it is shown only once',
      body: json(object({ name: text() })),
      answers: [
        {
          ...{ status: 201, about: 'The key.' },
          schema: object({
            ...{ id: text(), name: text(), scopes: list(text()), created: text() },
            ...{ last_used: text(), key: text('pk_…') },
          }),
        },
      ],
    },
    {
      ...{ method: 'post', path: '/shipping/keys/{name}/revoke', ...admin },
      summary: 'Revoke an API key',
      answers: done,
    },
    {
      ...{ method: 'get', path: '/shipping/local/rates', ...admin },
      summary: 'The prices of the local carrier',
      answers: ok('A table.', table),
    },
    {
      ...{ method: 'put', path: '/shipping/local/rates', ...admin },
      summary: 'Save the prices of the local carrier',
      body: json(table),
      answers: done,
    },
    {
      ...{ method: 'post', path: '/shipping/local/events', ...admin },
      summary: 'Record an event of a parcel of the local carrier',
      body: json({
        type: 'object',
        properties: { number: text(), status: text(), status_code: text(), location: text() },
      }),
      answers: done,
    },
  ]
}

function accounts(): readonly Operation[] {
  const credential = object({ name: text(), title: text(), secret: flag(), required: flag() })
  return [
    {
      ...{ method: 'get', path: '/shipping/accounts', ...admin },
      summary: 'The stored carrier accounts, without their secrets',
      answers: ok('Accounts.', list(ref('Account'))),
    },
    {
      ...{ method: 'put', path: '/shipping/accounts/{name}', ...admin },
      summary: 'Save an account; keys left out keep their values',
      body: json(object({ carrier: text(), credentials: record(text()) })),
      answers: ok('The account.', ref('Account')),
    },
    {
      ...{ method: 'delete', path: '/shipping/accounts/{name}', ...admin },
      summary: 'Remove an account',
      answers: ok('Done.', ref('Done')),
    },
    {
      ...{ method: 'get', path: '/shipping/carriers/{name}', ...admin },
      summary: 'What a carrier supports, and the fields of its account',
      answers: ok(
        'The carrier.',
        object({
          ...{ name: text(), title: text(), tested: text() },
          actions: list(choice(Object.keys(BLANKS))),
          credentials: list(credential),
        }),
      ),
    },
  ]
}
