import { languages } from '#labels'
import { tidyText } from '#printers'
import { checkReprint } from '../../core/intake/reprint.ts'
import type { Job } from '../../core/job.ts'
import type { Outage } from '../../core/moves.ts'
import { isObject } from '../../settings/field.ts'
import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'
import type { PeerClient } from './client.ts'
import { readSaid } from './said.ts'
import type { Peer } from './store.ts'

/** A printer of a paired print server. */
export interface PeerPrinter {
  readonly name: string
  readonly language: string | null
  readonly state: string
  readonly message: Sentences
  readonly waiting: number
}

/** The last report of a print server, and the reason why it does not answer now. */
export interface PeerReport {
  readonly at: number
  readonly ticket: string
  readonly printers: readonly PeerPrinter[]
  readonly error: PlatenError | undefined
}

/** The printer that a label goes to. */
export interface Goal {
  readonly peer: string
  /** Its name for people. */
  readonly boxName: string
  readonly printer: string
  readonly ticket: string
  /** A rule sends it. */
  readonly because?: Outage | undefined
}

const LOOK_MS = 4_000
/** Most printers of one print server that are sent and accepted. */
export const PRINTERS_MOST = 200

/** Asks a paired print server for its printers; its last report stays when it does not answer. */
export async function look(
  client: Pick<PeerClient, 'call'>,
  peer: Peer,
  before: PeerReport | undefined,
): Promise<PeerReport> {
  const call = { method: 'GET', path: '/peers/printers', wholeMs: LOOK_MS } as const
  const answer = await client.call(peer, call)
  if (answer.kind === 'lost') return silent(before, answer.error)
  const { status, json } = answer
  return readSeen(status, json) ?? silent(before, explainAnswer(peer, status))
}

/** Makes the report of a print server that does not answer now. */
export function silent(before: PeerReport | undefined, error: PlatenError): PeerReport {
  return { at: before?.at ?? 0, ticket: '', printers: before?.printers ?? [], error }
}

function explainAnswer({ name }: Peer, status: number): PlatenError {
  if (status === 403) {
    return new PlatenError('PEER_UNKNOWN', say('noLongerKnows', { name }))
  }
  const detail = `It answered ${status}.`
  return new PlatenError('PEER_UNREACHABLE', say('boxAnswers', { name }), { detail })
}

/** Reads its list of printers, limited and cleaned; undefined if the answer has none. */
function readSeen(status: number, json: Readonly<Record<string, unknown>>): PeerReport | undefined {
  const { ticket, printers } = json
  if (status !== 200 || typeof ticket !== 'string' || !Array.isArray(printers)) return undefined
  const list = printers
    .slice(0, PRINTERS_MOST)
    .filter(isObject)
    .flatMap((one) => {
      const { name, language, state, message, texts, waiting } = one
      if (typeof name !== 'string' || name.length > 127) return []
      return {
        name,
        language: typeof language === 'string' ? tidyText(language, 20) : null,
        state: typeof state === 'string' ? tidyText(state, 20) : '',
        message: readSaid(message, texts, 'message'),
        waiting: Number.isSafeInteger(waiting) ? (waiting as number) : 0,
      }
    })
  return { at: Date.now(), ticket: tidyText(ticket, 40), printers: list, error: undefined }
}

/** @throws PlatenError JOB_STATE when a label does not wait, or is not one that another box can print */
export function checkSendable(job: Job): void {
  // Whatever the printer there is called, it is another one.
  checkReprint(job, `another box, not ${job.printer}`, { isMove: true })
  if (isSendable(job)) return
  throw new PlatenError('JOB_STATE', say('drawnHere'), {
    hint: say('otherPrinterHere'),
  })
}

/** Tells whether another box can print a label: documents of our own are drawn by the box that took them. */
export function isSendable({ format }: Job): boolean {
  return !['packlist', 'test', 'start', 'unknown'].includes(format)
}

/** Refuses to move a label to a printer that does not speak its language. */
export function refuseLanguage({ format }: Job, there: PeerPrinter, { name }: Peer): PlatenError {
  const title = (word: string | null) =>
    languages.find((one) => one.name === word)?.title ?? word ?? ''
  return new PlatenError(
    'PRINTER_LANGUAGE',
    say('languageThere', {
      language: title(format),
      printer: there.name,
      name,
      other: title(there.language),
    }),
    { hint: say('printerOf', { language: title(format) }) },
  )
}
