import { at, jsonOf, listOf, textAt } from '#carriers'
import { isObject } from '../../settings/field.ts'
import { quoteShort } from '../../words/errors.ts'
import type { BoughtJobs, PrintNote } from './bought-jobs.ts'
import type { Caller } from './calls.ts'
import { findCarrier } from './carriers.ts'
import { ServiceError } from './envelope.ts'
import type { Journal, ShipmentFilter } from './journal.ts'

/** The queries that restrict the list or continue it. */
const QUERIES = [
  'request_id',
  'tracking_number',
  'reference',
  'carrier',
  'state',
  'since',
  'until',
  'before',
  'limit',
] as const

type Query = (name: (typeof QUERIES)[number]) => string

const STATES = ['sent', 'unknown', 'done', 'void'] as const

const LIMIT = { usual: 50, most: 200 } as const

/** A purchase in the form of `GET /v1/shipments`: everything but labels and papers. */
interface ListedPurchase {
  readonly request_id: string
  readonly state: (typeof STATES)[number]
  readonly carrier: string
  readonly shipment_id: string
  readonly tracking_number: string
  readonly service_code: string
  readonly charges: number
  readonly currency: string
  readonly references: readonly string[]
  readonly test: boolean
  /** RFC 3339. */
  readonly created: string
  readonly packages: readonly { readonly tracking_number: string; readonly print?: PrintNote }[]
}

/** The answer to `GET /v1/shipments`. */
export interface ShipmentsAnswer {
  readonly meta: { readonly code: number; readonly error_message: string }
  readonly data: {
    readonly errors: null
    readonly shipments: readonly ListedPurchase[]
    /** `before` of the next page; blank = this is the last one. */
    readonly next: string
  }
}

/**
 * Lists the shipments that a key bought, newest first, in their present state.
 * @throws ServiceError 400
 */
export function listShipments(
  { journal, jobs }: { readonly journal: Journal; readonly jobs: BoughtJobs },
  { name }: Pick<Caller, 'name'>,
  queries: Readonly<Record<string, readonly string[]>>,
): ShipmentsAnswer {
  refuseUnknown(queries)
  const query: Query = (one) => queries[one]?.[0]?.trim() ?? ''
  const limit = readLimit(query('limit'))
  const before = readPlace(query('before'))
  // One more tells whether there is another page.
  const found = journal.page(name, readFilter(query), { before, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const next = found.length > limit ? String(shown.at(-1)?.seq ?? '') : ''
  const shipments = shown.map((one) => ({
    request_id: one.request_id,
    state: one.void ? ('void' as const) : one.state,
    carrier: one.carrier,
    shipment_id: one.shipment_id,
    tracking_number: one.tracking_number,
    service_code: one.service_code,
    charges: one.charges,
    currency: one.currency,
    references: listOf(one.references).map(String),
    test: one.test,
    created: new Date(one.at).toISOString(),
    packages: packagesOf(one.answer, one.tracking_number).map(({ number, print }) => ({
      tracking_number: number,
      ...(print === undefined ? {} : { print: jobs.noteNow(print) }),
    })),
  }))
  return { meta: { code: 200, error_message: '' }, data: { errors: null, shipments, next } }
}

/** Refuses unknown queries: without the filter the list would have other shipments than requested. */
function refuseUnknown(queries: Readonly<Record<string, readonly string[]>>): void {
  for (const [name, values] of Object.entries(queries)) {
    if (!QUERIES.some((one) => one === name)) {
      const message = `The list of shipments has no query ${quoteShort(name)}, wanted ${QUERIES.join(', ')}.`
      throw new ServiceError(400, message)
    }
    if (values.length > 1) throw new ServiceError(400, `${name} is there twice; wanted one value.`)
  }
}

function readFilter(query: Query): ShipmentFilter {
  const [carrier, state] = [query('carrier'), query('state')]
  const entry = carrier === '' ? undefined : findCarrier(carrier)
  if (carrier !== '' && entry === undefined) throw refuse('carrier', carrier, 'a carrier')
  if (state !== '' && !STATES.some((one) => one === state)) {
    throw refuse('state', state, `one of ${STATES.join(', ')}`)
  }
  const [since, until] = [readTime('since', query('since')), readTime('until', query('until'))]
  return {
    requestId: query('request_id'),
    number: query('tracking_number'),
    reference: query('reference'),
    carrier: entry?.name ?? '',
    state,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i

/** Reads a time; a day begins in the time zone of the box. */
function readTime(name: string, text: string): number | undefined {
  if (text === '') return undefined
  const isDay = DAY.test(text)
  const ms = isDay || TIME.test(text) ? Date.parse(isDay ? `${text}T00:00` : text) : Number.NaN
  if (Number.isNaN(ms)) throw refuse(name, text, '2026-11-28 or 2026-11-28T14:00:00Z')
  return ms
}

function readLimit(text: string): number {
  if (text === '') return LIMIT.usual
  const limit = Number(text)
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= LIMIT.most) return limit
  throw refuse('limit', text, `1 to ${LIMIT.most}`)
}

function readPlace(text: string): number {
  if (text === '') return Number.MAX_SAFE_INTEGER
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw refuse('before', text, 'next of the page before')
}

function refuse(name: string, got: string, wanted: string): ServiceError {
  return new ServiceError(400, `${name}: got ${quoteShort(got)}, wanted ${wanted}.`)
}

/** Lists the parcels of a kept answer; for an old one only their numbers are left. */
function packagesOf(
  answer: string,
  number: string,
): readonly { readonly number: string; readonly print: PrintNote | undefined }[] {
  const kept = jsonOf(answer)
  const packages = Array.isArray(kept) ? kept : listOf(at(kept, 'data', 'packages'))
  if (packages.length === 0) return number === '' ? [] : [{ number, print: undefined }]
  return packages.map((one) => {
    const print = at(one, 'print')
    return {
      number: textAt(one, 'tracking_number'),
      print: isObject(print) ? (print as unknown as PrintNote) : undefined,
    }
  })
}
