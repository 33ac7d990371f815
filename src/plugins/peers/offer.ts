import { tidyText } from '#printers'
import type { Explanation, Job, PrintOptions } from '../../core/job.ts'
import type { Outage } from '../../core/moves.ts'
import { FIELD_NAMES, FIELDS, type RequestField } from '../../core/request/fields.ts'
import { PlatenError } from '../../words/errors.ts'
import { join, NOTHING, say } from '../../words/say.ts'
import { BECAUSE_HEADER, type PeerAnswer, type PeerClient, TICKET_HEADER } from './client.ts'
import { readSaid } from './said.ts'
import type { Handover, Peer } from './store.ts'

/**
 * The result of a request to the other side. `taken`: it has the label. `absent`: it does not, and refuses the key forever. `refused`: this
 * request took nothing, and was answered to its end. `barred`: no byte of it left, or it was not let in. `unsure`: the other side cannot
 * tell the fate of the key. `lost`: unknown.
 */
export type OfferOutcome =
  | { readonly kind: 'taken'; readonly jobs: readonly string[] }
  | {
      readonly kind: 'absent' | 'refused' | 'barred' | 'unsure' | 'lost'
      readonly why: Explanation
    }

/** Time for a label of 16 MB on a slow network. */
const LABEL_MS = 60_000

type PeerCaller = Pick<PeerClient, 'call'>

/** Offers a label by the other side's `POST /`: the same request each time, under one idempotency key. */
export async function offer(
  client: PeerCaller,
  peer: Peer,
  handover: Handover,
  { job, label }: { readonly job: Job; readonly label: Uint8Array },
): Promise<OfferOutcome> {
  const answer = await client.call(peer, {
    method: 'POST',
    path: `/?${writeFields(handover, job)}`,
    body: label,
    wholeMs: LABEL_MS,
    headers: {
      'Content-Type': 'application/octet-stream',
      Expect: '100-continue',
      'Idempotency-Key': handover.key,
      Prefer: 'respond-async',
      [TICKET_HEADER]: handover.ticket,
      ...(handover.because && { [BECAUSE_HEADER]: writeOutage(handover.because) }),
    },
  })
  if (answer.kind === 'answer' && answer.status < 300) return taken(answer.json)
  const why = explain(answer, handover.where)
  return { kind: judge(answer, why), why }
}

function writeOutage({ printer, minutes }: Outage): string {
  return `${minutes};${encodeURIComponent(printer)}`
}

/** Reads the outage for which a rule of `box` sends a label, as that one reports it; undefined = a person sends it. */
export function readOutage(header: string | undefined, box: string): Outage | undefined {
  const [, minutes, escaped = ''] = /^(\d{1,6});([\w.!~*'()%-]{1,900})$/.exec(header ?? '') ?? []
  if (minutes === undefined) return undefined
  try {
    const printer = tidyText(decodeURIComponent(escaped), 100)
    return { printer: `${printer} on ${box}`, minutes: Number(minutes) }
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Asks the other side to refuse the key permanently, unless it has accepted the label. */
export async function withdraw(
  client: PeerCaller,
  peer: Peer,
  { key, ticket, where }: Handover,
): Promise<OfferOutcome> {
  const body = JSON.stringify({ key, ticket })
  const answer = await client.call(peer, { method: 'POST', path: '/peers/withdraw', body })
  const why = explain(answer, where)
  if (answer.kind === 'answer' && answer.status === 200) {
    if (answer.json['taken'] === true) return taken(answer.json)
    if (answer.json['taken'] === false) return { kind: 'absent', why: NO_REASON }
  }
  return { kind: why.code === 'PEER_UNSURE' ? 'unsure' : 'lost', why }
}

const NO_REASON: Explanation = { message: NOTHING, hint: NOTHING, code: '' }

function taken({ jobs }: Readonly<Record<string, unknown>>): OfferOutcome {
  const ids = Array.isArray(jobs) ? jobs.map(readId).filter((id) => id !== '') : []
  return { kind: 'taken', jobs: ids.slice(0, 20) }
}

function readId(job: unknown): string {
  const id = typeof job === 'object' && job !== null && 'id' in job ? job.id : ''
  return typeof id === 'string' ? tidyText(id, 40) : ''
}

function judge(
  answer: PeerAnswer,
  { code }: Explanation,
): 'refused' | 'barred' | 'unsure' | 'lost' {
  if (answer.kind === 'lost') return answer.isSent ? 'lost' : 'barred'
  const { status } = answer
  if (code === 'PEER_UNSURE') return 'unsure'
  if (status === 403) return 'barred'
  // 408 and 429 ask for another try; for other faults of a server it is unknown what came before them.
  const isNo = status === 507 || (status >= 400 && status < 500 && status !== 408 && status !== 429)
  return isNo ? 'refused' : 'lost'
}

/** Explains why the other side did not take a label, or cannot be asked. */
function explain(answer: PeerAnswer, where: string): Explanation {
  if (answer.kind === 'lost') {
    const { said, todo: hint, detail: seen } = answer.error
    const lost = answer.isSent ? 'The request was sent, and its answer lost.' : ''
    const detail = [seen, lost].filter(Boolean).join(' ')
    return {
      message: join(say('goesTo', { where }), said),
      hint,
      detail,
      code: 'PEER_UNREACHABLE',
    }
  }
  const { Message: said, hint, code, texts } = answer.json
  return {
    message: join(say('didNotTake', { where }), readSaid(said, texts, 'message')),
    hint: typeof hint === 'string' ? readSaid(hint, texts, 'hint') : say('lookAtBox'),
    detail: `It answered ${answer.status}.`,
    code: code === 'PEER_UNSURE' || code === 'PEER_UNKNOWN' ? code : 'PEER_UNREACHABLE',
  }
}

/** Writes the fields of `POST /`, the same at each try. */
function writeFields({ printer, expireAfter }: Handover, { options, title }: Job): string {
  const query = new URLSearchParams({ printer })
  for (const name of FIELD_NAMES) {
    const { option }: RequestField = FIELDS[name]
    if (option === undefined || option === 'printer' || option === 'expireAfter') continue
    const value = options[option as keyof PrintOptions]
    if (value !== undefined) query.set(name, String(value))
  }
  if (title !== '') query.set('title', title)
  if (expireAfter > 0) query.set('expire_after', String(expireAfter))
  return query.toString()
}

/** The message of a label whose other box is no longer known. */
export const UNPAIRED: Explanation = {
  message: say('noLongerPaired'),
  hint: say('lookThere'),
  code: 'PEER_UNKNOWN',
}

/** Refuses to guess: it is unknown where the label is, and no person has chosen to print it anyway. */
export function refuseUnsure(handover: Handover | undefined): PlatenError {
  const { message, hint } = tellUnsure(handover)
  return new PlatenError('PEER_UNSURE', message, { hint })
}

/** Explains that in the message of the label. */
export function tellUnsure(handover: Handover | undefined): Explanation {
  const where = handover?.where ?? 'another print server'
  return { message: say('whoKnows', { where }), hint: say('twoMayCome'), code: 'PEER_UNSURE' }
}
