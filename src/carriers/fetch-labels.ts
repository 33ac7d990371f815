import {
  type Action,
  type Answers,
  type CarrierRemark,
  failure,
  type ShippingDocument,
} from './answers.ts'
import type { CarrierOutcome, HttpCall, LabelUrl } from './carrier.ts'
import { CarrierFault } from './fault.ts'
import { formatOf } from './papers.ts'
import type { ActionResult } from './performer.ts'
import type { CarrierSender } from './sender.ts'

/** Bounds of the kept papers of a shipment, such as commercial invoices; more stays at its address. */
export interface PaperBounds {
  readonly papers: number
  /** Total of all of them. */
  readonly paperBytes: number
}

/** Outcome of an action that a carrier has done. */
export type CarrierSuccess<A extends Action> = Extract<
  CarrierOutcome<A>,
  { readonly data: Answers[A] }
>

/** Dependencies for fetching labels. */
interface FetchParts {
  readonly sender: CarrierSender
  readonly origins: Readonly<Record<string, string>>
  /** A leading dot stands for every name below it. */
  readonly hosts: readonly string[]
  readonly bounds: PaperBounds
  /** By `performance.now()`. */
  readonly endsAt: number
}

const TRIES = 3
/** Also when the time of the call is nearly over: the label is bought. */
const LEAST_MS = 1_000

type SubmittedPackages = NonNullable<Answers['SubmitShipment']['packages']>

/**
 * Puts labels and papers into an answer that the carrier keeps elsewhere: over https from its own hosts, without credentials, no
 * redirect. What cannot be had is a warning with its address, as it is bought; so is a label that is neither there nor elsewhere.
 */
export async function fetchLabels<A extends Action>(
  { data, remarks = [], fetch = [], fetchPapers: toFetch = [] }: CarrierSuccess<A>,
  parts: FetchParts,
): Promise<ActionResult<A>> {
  if (!('charges' in data)) return { data, remarks }
  const labels = await fetchPackages(data.packages ?? [], fetch, parts)
  const papers = await fetchPapers(data.documents ?? [], toFetch, parts)
  return {
    data: { ...data, packages: labels.packages, documents: papers.documents },
    remarks: [...remarks, ...labels.warnings, ...papers.warnings],
  }
}

async function fetchPackages(
  given: SubmittedPackages,
  toFetch: readonly LabelUrl[],
  parts: FetchParts,
): Promise<{ readonly packages: SubmittedPackages; readonly warnings: readonly CarrierRemark[] }> {
  const packages = [...given]
  const warnings: CarrierRemark[] = []
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
  given: readonly ShippingDocument[],
  toFetch: readonly LabelUrl[],
  parts: FetchParts,
): Promise<{
  readonly documents: readonly ShippingDocument[]
  readonly warnings: readonly CarrierRemark[]
}> {
  const documents: ShippingDocument[] = []
  const warnings: CarrierRemark[] = []
  let room = parts.bounds.paperBytes
  for (const [index, paper] of given.entries()) {
    const url = toFetch.find((one) => one.index === index)?.url
    const isLeft = index >= parts.bounds.papers
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
  return { documents: documents.slice(0, parts.bounds.papers), warnings }
}

/** A paper that is one: a page that says why there is none is not. */
async function fetchPaper(
  url: string,
  parts: FetchParts,
): Promise<Pick<ShippingDocument, 'format' | 'content'> | undefined> {
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
  { sender, origins, endsAt }: FetchParts,
): Promise<string | undefined> {
  const call: HttpCall = { method: 'GET', path: `${pathname}${search}`, headers: {} }
  const left = Math.max(LEAST_MS, Math.round(endsAt - performance.now()))
  try {
    const { status, bytes } = await sender.send(origins[origin] ?? origin, call, left)
    return status === 200 ? bytes.toString('base64') : undefined
  } catch (error) {
    if (error instanceof CarrierFault) return undefined
    throw error
  }
}

function isHost({ protocol, hostname }: URL, hosts: readonly string[]): boolean {
  if (protocol !== 'https:') return false
  return hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host))
}

function explain({ index, url }: LabelUrl): CarrierRemark {
  return warn(`The label of package ${index + 1} was bought and could not be fetched from ${url}.`)
}

/** The parcel waits at customs without it, and the label is paid. */
function explainPaper({ name }: ShippingDocument, url: string | undefined): CarrierRemark {
  const where = url === undefined ? "Get it from the carrier's own list" : `Open ${url}`
  return warn(
    `The label was bought, and the paper ${name} is not in the answer. ${where}, and print it before the parcel leaves.`,
  )
}

function warn(message: string): CarrierRemark {
  return failure('CARRIER_FAULT', message, { type: 'WARNING' })
}
