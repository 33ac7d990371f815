import { BLANKS, CARRIER_CODES, CUSTOMS_PARAMS, PACKAGE_PARAMS, type ParamField } from '#carriers'
import { SCOPES } from '../../http/access/keys.ts'
import type { Call, Calls } from '../../http/call.ts'
import {
  choice,
  done,
  flag,
  json,
  list,
  number,
  object,
  ok,
  orNull,
  record,
  ref,
  type Schema,
  text,
  time,
  whole,
} from '../../http/json-schema.ts'
import type { PluginDescription } from '../plugin.ts'
import { BOUND_ROWS } from './bounds.ts'
import { PAPER_PARAMS, PARAMS, PRINT_PARAMS } from './call-fields.ts'
import { CARRIERS } from './carriers.ts'
import { SHIP_PATHS } from './paths.ts'

const TAG = 'Shipping'
const PAGE = { tag: 'Shipping (page)', security: 'admin' } as const
const API = { tag: TAG, refusal: 'Envelope', security: 'key' } as const

const table = object({ table: text('CSV') })

/** The calls of the shipping API. */
const SHIPPING_CALLS = {
  getShippingHealth: {
    method: 'get',
    path: '/v1/health',
    ...API,
    security: 'none',
    summary: 'Whether the shipping API answers',
    answers: () => ok('It does.', ref('Envelope')),
  },
  listShipments: {
    method: 'get',
    path: '/v1/shipments',
    ...API,
    summary: 'The shipments that this key bought, newest first',
    parameters: () => [
      { name: 'request_id', about: 'the order number', schema: text() },
      { name: 'tracking_number', about: 'of any parcel', schema: text() },
      { name: 'reference', about: 'one of the references of the call', schema: text() },
      { name: 'carrier', about: 'name of a carrier', schema: text() },
      { name: 'state', about: 'only these', schema: choice(['sent', 'unknown', 'done', 'void']) },
      { name: 'since', about: 'a day or a time: bought then or later', schema: text() },
      { name: 'until', about: 'a day or a time: bought before it', schema: text() },
      { name: 'before', about: '`next` of the page before', schema: text() },
      { name: 'limit', about: '1 to 200, default 50', schema: whole() },
    ],
    answers: () => ok('Shipments, without their labels.', ref('Shipments')),
  },
  settleShipment: {
    method: 'post',
    path: '/v1/shipments/settle',
    ...API,
    summary: 'What a person found out of a purchase whose outcome is UNKNOWN',
    content: json({
      type: 'object',
      required: ['request_id'],
      properties: {
        request_id: text(),
        tracking_number: text('it was bought, with this number'),
        shipment_id: text('left out: the number'),
        bought: { const: false, description: 'it was not bought' },
      },
    }),
    answers: () => ok('As it is from now on.', ref('Envelope')),
  },
  getShipment: {
    method: 'get',
    path: '/v1/shipments/:id',
    ...API,
    summary: 'The answer to a purchase again, including labels',
    answers: () => ok('As it was.', ref('Envelope')),
  },
} as const satisfies Calls

/** The calls of the page of the shipping API. */
const PAGE_CALLS = {
  listShipmentsForPage: {
    method: 'get',
    path: '/shipping/shipments',
    ...PAGE,
    summary: 'The last shipments',
    answers: () => ok('Shipments.', list(ref('Shipment'))),
  },
  callShippingForPage: {
    method: 'post',
    path: '/shipping/calls',
    ...PAGE,
    refusal: ['Refusal', 'Envelope'],
    summary: 'A call of the shipping API without a key, for the page',
    content: json({ type: 'object' }),
    answers: () => ok('The answer.', ref('Envelope')),
  },
  listKeys: {
    method: 'get',
    path: '/shipping/keys',
    ...PAGE,
    summary: 'The API keys',
    answers: () => ok('Keys.', list(ref('ApiKey'))),
  },
  addKey: {
    method: 'post',
    path: '/shipping/keys',
    ...PAGE,
    summary: 'Make an API key; it is shown only once',
    content: json(object({ name: text() })),
    answers: () => [
      {
        status: 201,
        about: 'The key.',
        schema: object({
          id: text(),
          name: text(),
          scopes: list(text()),
          created: text(),
          last_used: text(),
          key: text('pk_…'),
        }),
      },
    ],
  },
  revokeKey: {
    method: 'post',
    path: '/shipping/keys/:name/revoke',
    ...PAGE,
    summary: 'Revoke an API key',
    answers: done,
  },
  getLocalRates: {
    method: 'get',
    path: '/shipping/local/rates',
    ...PAGE,
    summary: 'The prices of the local carrier',
    answers: () => ok('A table.', table),
  },
  saveLocalRates: {
    method: 'put',
    path: '/shipping/local/rates',
    ...PAGE,
    summary: 'Save the prices of the local carrier',
    content: json(table),
    answers: done,
  },
  recordLocalEvent: {
    method: 'post',
    path: '/shipping/local/events',
    ...PAGE,
    summary: 'Record an event of a parcel of the local carrier',
    content: json({
      type: 'object',
      properties: { number: text(), status: text(), status_code: text(), location: text() },
    }),
    answers: done,
  },
  listAccounts: {
    method: 'get',
    path: '/shipping/accounts',
    ...PAGE,
    summary: 'The stored carrier accounts, without their secrets',
    answers: () => ok('Accounts.', list(ref('Account'))),
  },
  saveAccount: {
    method: 'put',
    path: '/shipping/accounts/:name',
    ...PAGE,
    summary: 'Save an account; keys left out keep their values',
    content: json(object({ carrier: text(), credentials: record(text()) })),
    answers: () => ok('The account.', ref('Account')),
  },
  removeAccount: {
    method: 'delete',
    path: '/shipping/accounts/:name',
    ...PAGE,
    summary: 'Remove an account',
    answers: done,
  },
  describeCarrier: {
    method: 'get',
    path: '/shipping/carriers/:name',
    ...PAGE,
    summary: 'What a carrier supports, and the fields of its account',
    answers: () =>
      ok(
        'The carrier.',
        object({
          name: text(),
          title: text(),
          tested: text(),
          actions: list(choice(Object.keys(BLANKS))),
          credentials: list(
            object({ name: text(), title: text(), secret: flag(), required: flag() }),
          ),
        }),
      ),
  },
} as const satisfies Calls

const SHIP_IDS = ['ship', 'shipWithSlash', 'shipBelowApi', 'shipBelowApiWithSlash'] as const

/** The calls of the shipping API and of its page. */
function shippingCalls(): Calls {
  const posts = SHIP_PATHS.map((path, index) => [SHIP_IDS[index] ?? path, shipCall(path)] as const)
  return { ...Object.fromEntries(posts), ...SHIPPING_CALLS, ...PAGE_CALLS }
}

/** Describes a call at one of its paths: old clients end the path with a slash, or begin it with `/api`. */
function shipCall(path: string): Call {
  return {
    method: 'post',
    path,
    ...API,
    summary: 'Rates, labels, tracking, voids, addresses: one call or a list of calls',
    content: describeCall,
    answers: () =>
      ok('The carrier was asked, or every call of the list has its answer.', {
        oneOf: [ref('Envelope'), list(ref('Envelope'))],
      }),
  }
}

function describeCall(): Readonly<Record<string, Schema>> {
  const names = CARRIERS.flatMap(({ name, aliases }) => [name, ...aliases])
  const call = {
    type: 'object',
    required: ['carrier', 'action'],
    properties: {
      carrier: {
        oneOf: [
          text(
            `one of ${names.join(', ')}; case does not count. * = all accounts, for GetAllRates`,
          ),
          list(
            { oneOf: [text(), { type: 'object' }] },
            'for GetAllRates: names, *, or objects with carrier and account or credentials',
          ),
        ],
      },
      action: text(`one of ${Object.keys(BLANKS).join(', ')}; case does not count`),
      params: shippingParams(),
      request_id: text('the same one again never buys again'),
    },
  }
  return {
    'application/json': { oneOf: [call, list(call, 'several calls, answered in their order')] },
  }
}

/** Describes `params` of a call of the shipping API, with the credentials of all carriers. */
function shippingParams(): Schema {
  const { properties } = ofParams(PARAMS) as {
    readonly properties: Readonly<Record<string, Schema>>
  }
  const more = {
    packages: list(ofParams(PACKAGE_PARAMS), PARAMS['packages']?.about ?? ''),
    customs: list(ofParams(CUSTOMS_PARAMS), PARAMS['customs']?.about ?? ''),
  }
  return {
    type: 'object',
    properties: { ...properties, ...more },
    description: 'The fields that the action needs, and the credentials of the carrier.',
  }
}

function ofParams(table: Readonly<Record<string, ParamField>>): Schema {
  const entries = Object.entries(table).flatMap(([name, one]) => [
    [name, ofParam(one)] as const,
    ...(one.aliases ?? []).map(
      (alias) => [alias, ofParam({ ...one, about: `another name of \`${name}\`` })] as const,
    ),
  ])
  return { type: 'object', properties: Object.fromEntries(entries) }
}

/** Describes a field: numbers may be texts, as PHP writes them, and a missing value may be an empty list. */
function ofParam({ type, about, choices }: ParamField): Schema {
  const more = { description: about }
  if (type === 'print') {
    return { oneOf: [text(), flag(), ofParams(PRINT_PARAMS)], ...more }
  }
  if (type === 'papers') {
    return { oneOf: [text(), ofParams(PAPER_PARAMS)], ...more }
  }
  if (type === 'flag') return { type: ['boolean', 'integer', 'string'], ...more }
  if (type === 'texts') return { oneOf: [text(), list(text())], ...more }
  if (type === 'number' || type === 'whole' || type === 'amount') {
    return { type: ['number', 'string'], ...more }
  }
  if (type === 'country') return text({ ...more, pattern: '^([A-Za-z]{2})?$' })
  return choices === undefined
    ? { type: ['string', 'number'], ...more }
    : text({ ...more, enum: choices })
}

const remark = object(
  {
    code: choice(Object.values(CARRIER_CODES)),
    description: text("the carrier's own words"),
    type: choice(['ERROR', 'WARNING', 'NOTE', 'UNKNOWN']),
    carrier_code: text("the carrier's own code"),
    field: text('path of the field that it is about'),
    carrier: text('of several carriers: whose it is'),
    account: text('of several carriers: the account that was asked with'),
  },
  ['carrier', 'account'],
)

const measures = object({ length: number(), width: number(), height: number(), unit: text() })
const place = object({
  description: text('all of it, such as `Reno, NV, US`'),
  city: text(),
  state: text(),
  zip_code: text(),
  country: text(),
})
const activity = object({
  time: text(),
  status: text('the same as `status_description`'),
  status_code: text(),
  status_description: text(),
  status_type: text("the carrier's own word for events of this kind"),
  location: place,
})
const printed = object({
  job_id: text(),
  state: text(),
  delivery: text(),
  message: text(),
  hint: text(),
})
const detail = object({ desc: text(), amount: number() })

const rate = object(
  {
    desc: text(),
    rate: number(),
    negotiated_rate: number(),
    currency: text(),
    service_code: text(),
    est_delivery_time: text(),
    delivery_days: whole(),
    package_type: text(),
    rate_detail: list(detail),
    rate_id: text(),
    shipment_id: text(),
    carrier_name: text(),
    carrier_account: text(),
    test: flag(),
    carrier: text('of several carriers: who sells it'),
    account: text('of several carriers: the account that was asked with'),
  },
  ['rate_id', 'shipment_id', 'carrier_name', 'carrier_account', 'test', 'carrier', 'account'],
)

const bought = object(
  {
    tracking_number: text(),
    label: text('base64 of what the carrier sent'),
    label_format: choice(['ZPL', 'EPL', 'PNG', 'GIF', 'PDF', '']),
    print: printed,
  },
  ['print'],
)

const paper = object(
  {
    name: text('what it is, such as commercial_invoice'),
    format: text('what the content is, such as PDF'),
    content: text('base64; blank where it could not be fetched'),
    url: text('where the carrier keeps what could not be fetched'),
    print: printed,
  },
  ['url', 'print'],
)

const address = { addr1: text(), addr2: text(), city: text(), state: text(), zip_code: text() }
const orNone = orNull(flag())

/** The schema of `data` for every action. */
const DATA: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  Authenticate: {
    access_token: text(),
    token_type: text(),
    expires_in: whole('seconds'),
    scope: text(),
    issued_at: whole('Unix time, ms'),
    expires_at: whole('Unix time, ms'),
  },
  GetAllRates: { rates: orNull(list(rate)) },
  SubmitShipment: {
    charges: number(),
    currency: text(),
    tracking_number: text(),
    shipment_id: text(),
    packages: orNull(list(bought)),
    documents: orNull(list(paper)),
  },
  Track: {
    status: text(),
    status_code: text(),
    shipment_id: text(),
    origin: place,
    destination: place,
    service: object({ code: text(), description: text() }),
    pickup_date: text(),
    estimated_delivery: text(),
    delivered_time: text(),
    weight: object({ amount: number(), unit: text() }),
    dimensions: measures,
    reference_numbers: list(text()),
    alternative_tracking_ids: list(object({ value: text() })),
    packages: orNull(list(object({ tracking_number: text(), activity: list(activity) }))),
  },
  VoidShipment: { status: text(), status_code: text() },
  AddressValidate: {
    name: text(),
    ...address,
    addr3: text(),
    zip_code_addon: text(),
    match: orNone,
    city_state_zip_match: orNone,
    residential: orNone,
    po_box: orNone,
    country: text(),
    suggestions: orNull(list(object({ ...address, country: text() }))),
  },
  TimeInTransit: {
    services: orNull(
      list(
        object({
          service_code: text(),
          desc: text(),
          delivery_days: whole(),
          est_delivery_time: text(),
        }),
      ),
    ),
  },
}

function dataOf([action, fields]: readonly [string, Readonly<Record<string, Schema>>]): Schema {
  const all = { errors: orNull(list(remark)), ...fields, test: flag() }
  return { title: action, ...object(all, ['test']) }
}

/** Describes the shipping API and the calls of its page. */
export function describeShipping(): PluginDescription {
  return { calls: shippingCalls(), schemas: components(), info: INFO, bounds: BOUND_ROWS }
}

const INFO = { carriers: list(object({ name: text(), title: text(), tested: text() })) }

/** The parts of `components` that only answers of the shipping API and its page use. */
function components(): Readonly<Record<string, Schema>> {
  return {
    Envelope: object(
      {
        meta: object(
          {
            code: whole('200 says only that the carrier was asked: look at `data.errors`'),
            error_message: text(),
            notes: list(text(), 'names of `params` that were not used'),
            debug_information: list({ type: 'object' }),
          },
          ['notes', 'debug_information'],
        ),
        data: { oneOf: [{ type: 'null' }, ...Object.entries(DATA).map(dataOf)] },
        request_id: text(),
      },
      ['request_id'],
    ),
    Shipments: object({
      meta: object({ code: whole(), error_message: text() }),
      data: object({
        errors: { type: 'null' },
        shipments: list(
          object({
            request_id: text(),
            state: choice(['sent', 'unknown', 'done', 'void']),
            carrier: text(),
            shipment_id: text(),
            tracking_number: text(),
            service_code: text(),
            charges: number(),
            currency: text(),
            references: list(text()),
            test: flag(),
            created: time(),
            packages: list(object({ tracking_number: text(), print: printed }, ['print'])),
          }),
        ),
        next: text('`before` of the next page; blank = this is the last one'),
      }),
    }),
    Shipment: object({
      request_id: text(),
      state: choice(['sent', 'done', 'unknown']),
      carrier: text(),
      key: text('name of the API key'),
      shipment_id: text(),
      tracking_number: text(),
      service_code: text(),
      charges: number(),
      currency: text(),
      test: flag(),
      void: flag(),
      jobs: list(text()),
      at: whole('Unix time, ms'),
    }),
    ApiKey: object({
      id: text(),
      name: text(),
      scopes: list(choice(SCOPES)),
      created: time(),
      last_used: text('a time, or blank'),
    }),
    Account: object({
      name: text(),
      carrier: text(),
      fields: list(text('names of what is kept')),
      fixed: flag('set by the service manager'),
    }),
  }
}
