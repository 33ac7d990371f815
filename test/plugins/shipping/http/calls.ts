import type { Test } from 'tap'
import { type Rig, type RigSettings, startRig } from '../../../http/rig.ts'

/** An answer of the shipping API, loosely typed: the tests check it. */
export interface Answer {
  readonly meta: {
    readonly code: number
    readonly error_message: string
    readonly debug_information?: unknown
  }
  readonly data: (Record<string, unknown> & { readonly errors: readonly Fault[] | null }) | null
  readonly request_id?: string
}

export interface Fault {
  readonly code: number
  readonly description: string
  readonly type: string
  readonly carrier_code: string
  readonly field: string
}

/** A package of a bought shipment. */
export interface Package {
  readonly tracking_number: string
  readonly label: string
  readonly label_format: string
  readonly print?: { readonly job_id: string; readonly state: string; readonly message: string }
}

/** The addresses of every shipment here. */
export const ADDRESSES = {
  shipper: 'Shop',
  ship_addr1: '1 Dock Rd',
  ship_city: 'Reno',
  ship_state: 'NV',
  ship_code: '89501',
  to_name: 'Ann Buyer',
  to_addr1: '2 Elm St',
  to_city: 'Ames',
  to_state: 'IA',
  to_code: '50010',
  service: 'VAN',
}

export const TWO_PARCELS = { ...ADDRESSES, packages: [{ weight: 3 }, { weight: '2' }] }

/** A server with a key, and how its API is called. */
export function startShipping(t: Test, settings: RigSettings = {}) {
  const rig: Rig = startRig(t, settings)
  const { key } = rig.keys.add('shop', ['rate', 'ship', 'track', 'print', 'debug'])
  const post = async (body: unknown, { path = '/v1', headers = {} } = {}): Promise<Response> =>
    await rig.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const ask = async (action: string, params: object, more: object = {}): Promise<Answer> =>
    (await post({ carrier: 'local', action, params, ...more }).then((res) => res.json())) as Answer
  return { ...rig, key, post, ask }
}

/** The packages of an answer. */
export function packagesOf(answer: Answer): readonly Package[] {
  return (answer.data?.['packages'] ?? []) as readonly Package[]
}

/** The codes of an answer's errors. */
export function codesOf(answer: Answer): readonly number[] {
  return (answer.data?.errors ?? []).map(({ code }) => code)
}
