import { type Action, type Answers, failure, type Remark } from './answers.ts'
import type { HttpCall, LabelUrl, Outcome } from './carrier.ts'
import type { Outbound } from './outbound.ts'
import type { Result } from './performer.ts'

/** What a carrier has done. */
export type Found<A extends Action> = Extract<Outcome<A>, { readonly data: Answers[A] }>

/** Where labels may be fetched from. */
export interface FetchParts {
  readonly outbound: Outbound
  readonly origins: Readonly<Record<string, string>>
  /** A leading dot stands for every name below it. */
  readonly hosts: readonly string[]
  /** By `performance.now()`. */
  readonly endsAt: number
}

const TRIES = 3
/** Also when the time of the call is nearly over: the label is bought. */
const LEAST_MS = 1_000

type Packages = NonNullable<Answers['SubmitShipment']['packages']>

/**
 * Puts labels into an answer that the carrier keeps elsewhere: over https from its own hosts, without credentials, no redirect. One
 * that cannot be had is a warning with its address, as it is bought.
 */
export async function fetchLabels<A extends Action>(
  { data, remarks = [], fetch = [] }: Found<A>,
  parts: FetchParts,
): Promise<Result<A>> {
  if (fetch.length === 0 || !('packages' in data)) return { data, remarks }
  const packages = [...((data.packages ?? []) as Packages)]
  const warnings: Remark[] = []
  for (const one of fetch) {
    const label = await fetchLabel(one, parts)
    const known = packages[one.index]
    if (label === undefined) warnings.push(explain(one))
    else if (known !== undefined) packages[one.index] = { ...known, label }
  }
  return { data: { ...data, packages }, remarks: [...remarks, ...warnings] }
}

/** base64; undefined = it cannot be had. */
async function fetchLabel({ url }: LabelUrl, parts: FetchParts): Promise<string | undefined> {
  const parsed = URL.parse(url)
  if (parsed === null || !isHost(parsed, parts.hosts)) return undefined
  for (let count = 0; count < TRIES; count += 1) {
    const label = await tryFetch(parsed, parts)
    if (label !== undefined) return label
  }
  return undefined
}

async function tryFetch(
  { origin, pathname, search }: URL,
  { outbound, origins, endsAt }: FetchParts,
): Promise<string | undefined> {
  const call: HttpCall = { method: 'GET', path: `${pathname}${search}`, headers: {} }
  const left = Math.max(LEAST_MS, Math.round(endsAt - performance.now()))
  try {
    const { status, bytes } = await outbound.fetch(origins[origin] ?? origin, call, left, NEVER)
    return status === 200 ? bytes.toString('base64') : undefined
  } catch (error) {
    // A fault of the connection has a code; all else is ours.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

const NEVER = new AbortController().signal

function isHost({ protocol, hostname }: URL, hosts: readonly string[]): boolean {
  if (protocol !== 'https:') return false
  return hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host))
}

function explain({ index, url }: LabelUrl): Remark {
  const message = `The label of package ${index + 1} was bought and could not be fetched from ${url}.`
  return { ...failure('CARRIER_FAULT', message), type: 'WARNING' }
}
