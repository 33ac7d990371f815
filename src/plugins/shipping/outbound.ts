import type { IncomingMessage } from 'node:http'
import {
  type Action,
  type Answers,
  failure,
  type Paper,
  type Remark,
} from '../../carriers/answers.ts'
import type { HttpCall, LabelUrl, Outcome, Reply } from '../../carriers/carrier.ts'
import { formatOf } from '../../carriers/papers.ts'
import type { Result } from '../../carriers/performer.ts'
import { codeOf, exchange, isUnsent } from '../../system/http-client.ts'
import { SHIPPING_BOUNDS } from './envelope.ts'
import { Turns } from './turns.ts'

const CONNECT_MS = 10_000

type Sending = readonly [origin: string, call: HttpCall, timeoutMs: number, signal: AbortSignal]

/** A reply whose body may be anything. */
interface RawReply extends Omit<Reply, 'text'> {
  readonly bytes: Buffer
}

/** What an `Outbound` is made with. */
interface OutboundSettings {
  /** Calls under way at once; more wait. */
  readonly atOnce: number
  /** Of one answer. */
  readonly replyBytes: number
  /** The wait for a place counts as the carrier's: nobody waits longer for a rate because others are slow. */
  readonly isTimed: boolean
}

/** Sends calls to carriers: the one way out of the shipping API. */
export class Outbound {
  readonly #settings: OutboundSettings
  readonly #turns: Turns

  constructor({
    atOnce = SHIPPING_BOUNDS.atOnce,
    replyBytes = SHIPPING_BOUNDS.replyBytes,
    isTimed = false,
  }: Partial<OutboundSettings> = {}) {
    this.#settings = { atOnce, replyBytes, isTimed }
    this.#turns = new Turns(atOnce)
  }

  /**
   * The reply, whatever its status. No redirect is followed and nothing is sent twice.
   * @throws an error for `isSent`
   */
  async send(...asked: Sending): Promise<Reply> {
    const { status, headers, bytes } = await this.fetch(...asked)
    return { status, headers, text: bytes.toString('utf8') }
  }

  /** The same for non-text data. */
  async fetch(...[origin, call, timeoutMs, signal]: Sending): Promise<RawReply> {
    const began = performance.now()
    await this.#enter(timeoutMs)
    const waited = this.#settings.isTimed ? Math.round(performance.now() - began) : 0
    const leftMs = Math.max(1, timeoutMs - waited)
    try {
      const { method, path, headers, body } = call
      const outgoing = {
        method,
        headers,
        connectMs: Math.min(CONNECT_MS, leftMs),
        wholeMs: leftMs,
        ...(body === undefined ? {} : { body }),
        read: (response: IncomingMessage) => readReply(response, this.#settings.replyBytes),
      }
      return (await exchange(addressAt(origin, path), outgoing, signal)).content
    } finally {
      this.#turns.leave()
    }
  }

  async #enter(timeoutMs: number): Promise<void> {
    if (await this.#turns.take(this.#settings.isTimed ? timeoutMs : LONGEST_MS)) return
    throw new LateTurn('others took all the time')
  }
}

/** A label that is bought waits as long as it must: what timers can wait. */
const LONGEST_MS = 2 ** 31 - 1

/** Faults of which it is certain that the carrier never got the request: no connection was made, or a key cannot be a header. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_NOT_YET_VALID',
  'ERR_INVALID_CHAR',
  'ERR_LATE_TURN',
])

/** Whether a call that failed may have reached the carrier. */
export function isSent(error: unknown): boolean {
  return !isUnsent(error) && !NEVER_SENT.has(codeOf(error))
}

/** Whether the time was over. */
export function isLate(error: unknown): boolean {
  return ['ERR_LATE_ANSWER', 'ERR_LATE_TURN'].includes(codeOf(error))
}

/** Why a call failed, in words without anything of it. */
export function describeFault(error: unknown): string {
  if (isLate(error)) return 'The carrier did not answer in time.'
  const code = codeOf(error)
  return `The connection to the carrier failed${code === '' ? '' : ` (${code})`}.`
}

/** It never left. */
class LateTurn extends Error {
  readonly code = 'ERR_LATE_TURN'
}

class LongReply extends Error {
  readonly code = 'ERR_LONG_REPLY'
}

/** Never at another host: a path that begins with two slashes would name one where an address is resolved (RFC 3986, 5.2). */
function addressAt(origin: string, path: string): URL {
  const url = new URL(origin)
  const query = path.indexOf('?')
  url.pathname = query < 0 ? path : path.slice(0, query)
  url.search = query < 0 ? '' : path.slice(query)
  return url
}

async function readReply(response: IncomingMessage, most: number): Promise<RawReply> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > most) throw new LongReply('the answer is too long')
    chunks.push(chunk)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
  return { status: response.statusCode ?? 0, headers, bytes: Buffer.concat(chunks) }
}

/** What a carrier has done. */
export type Found<A extends Action> = Extract<Outcome<A>, { readonly data: Answers[A] }>

/** Where labels may be fetched from. */
interface FetchParts {
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
 * Puts labels and papers into an answer that the carrier keeps elsewhere: over https from its own hosts, without credentials, no
 * redirect. What cannot be had is a warning with its address, as it is bought; so is a label that is neither there nor elsewhere.
 */
export async function fetchLabels<A extends Action>(
  { data, remarks = [], fetch = [], fetchPapers: toFetch = [] }: Found<A>,
  parts: FetchParts,
): Promise<Result<A>> {
  if (!('charges' in data)) return { data, remarks }
  const labels = await fetchPackages(data.packages ?? [], fetch, parts)
  const papers = await fetchPapers(data.documents ?? [], toFetch, parts)
  return {
    data: { ...data, packages: labels.packages, documents: papers.documents },
    remarks: [...remarks, ...labels.warnings, ...papers.warnings],
  }
}

async function fetchPackages(
  given: Packages,
  toFetch: readonly LabelUrl[],
  parts: FetchParts,
): Promise<{ readonly packages: Packages; readonly warnings: readonly Remark[] }> {
  const packages = [...given]
  const warnings: Remark[] = []
  for (const one of toFetch) {
    const label = await fetchLabel(one, parts)
    const known = packages[one.index]
    if (label === undefined) warnings.push(explain(one))
    else if (known !== undefined) packages[one.index] = { ...known, label }
  }
  for (const [index, { label, tracking_number: number }] of packages.entries()) {
    if (label === '' && !toFetch.some((one) => one.index === index)) {
      warnings.push(warn(`The label of package ${index + 1} (${number}) is not in the answer.`))
    }
  }
  return { packages, warnings }
}

/** The papers with what was fetched of them, within their bounds: what is too much is left at its address. */
async function fetchPapers(
  given: readonly Paper[],
  toFetch: readonly LabelUrl[],
  parts: FetchParts,
): Promise<{ readonly documents: readonly Paper[]; readonly warnings: readonly Remark[] }> {
  const documents: Paper[] = []
  const warnings: Remark[] = []
  let room: number = SHIPPING_BOUNDS.paperBytes
  for (const [index, paper] of given.entries()) {
    const url = toFetch.find((one) => one.index === index)?.url
    const isLeft = index >= SHIPPING_BOUNDS.papers
    const fetched = url === undefined || isLeft ? undefined : await fetchPaper(url, parts)
    const found = fetched === undefined ? paper : { ...paper, ...fetched }
    const bytes = Buffer.byteLength(found.content, 'base64')
    if (bytes > 0 && bytes <= room && !isLeft) {
      documents.push(found)
      room -= bytes
      continue
    }
    documents.push({ ...paper, format: '', content: '', ...(url !== undefined && { url }) })
    warnings.push(explainPaper(paper, url))
  }
  return { documents: documents.slice(0, SHIPPING_BOUNDS.papers), warnings }
}

/** A paper that is one: a page that says why there is none is not. */
async function fetchPaper(
  url: string,
  parts: FetchParts,
): Promise<Pick<Paper, 'format' | 'content'> | undefined> {
  const content = await fetchLabel({ url }, parts, performance.now() < parts.endsAt ? TRIES : 1)
  const format = content === undefined ? '' : formatOf(content)
  return content === undefined || format === '' ? undefined : { format, content }
}

/** base64; undefined = it cannot be had. */
async function fetchLabel(
  { url }: Pick<LabelUrl, 'url'>,
  parts: FetchParts,
  tries = TRIES,
): Promise<string | undefined> {
  const parsed = URL.parse(url)
  if (parsed === null || !isHost(parsed, parts.hosts)) return undefined
  for (let count = 0; count < tries; count += 1) {
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
  return warn(`The label of package ${index + 1} was bought and could not be fetched from ${url}.`)
}

/** The parcel waits at customs without it, and the label is paid. */
function explainPaper({ name }: Paper, url: string | undefined): Remark {
  const where = url === undefined ? "Get it from the carrier's own list" : `Open ${url}`
  return warn(
    `The label was bought, and the paper ${name} is not in the answer. ${where}, and print it before the parcel leaves.`,
  )
}

function warn(message: string): Remark {
  return failure('CARRIER_FAULT', message, { type: 'WARNING' })
}
