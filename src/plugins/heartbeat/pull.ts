import type { Message } from '../../core/intake/requests.ts'
import { exchange } from '../../system/http-client.ts'
import { pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import type { FailureCode } from '../../words/failures.ts'
import { type Sentences, say } from '../../words/say.ts'
import { isMessageFault } from '../source/message.ts'
import type { SourceIntake } from '../source/source.ts'
import {
  explain,
  HeartbeatRefusal,
  hashOf,
  LIST_IDS,
  post,
  type ReplyItem,
  readReply,
} from './exchange.ts'
import type { HeartbeatFacts, HeartbeatLimits, HeartbeatSettings } from './settings.ts'

/** The parts of the heartbeat. */
export interface BeatParts extends HeartbeatLimits {
  readonly facts: () => HeartbeatFacts
}

const FIRST_WITHIN_S = 10 // after a power cut a whole fleet starts at once
const RETRY_MS = 5000

/** Beats until the signal aborts: one request at a time, the interval counted from the end of the last. */
export async function beat(
  settings: HeartbeatSettings,
  parts: BeatParts,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  const { seconds } = settings
  await pause(parts.random() * Math.min(FIRST_WITHIN_S, seconds) * 1000, signal)
  let failures = 0
  // What the receiver made of the last exchange before the start is not known either.
  let isUnsure = true
  while (!signal.aborted) {
    let leastMs = 0
    try {
      checkRoom(parts, intake)
      const body = makeBody(parts.facts(), settings.params)
      const { text, isPage } = await post(settings.url, body, parts, signal)
      intake.report({ kind: 'contact' })
      failures = 0
      // A page may come from somebody in between: what the receiver made of the exchange is not known then.
      if (!isPage) await takeReply(text, isUnsure, intake, signal)
      isUnsure = isPage
    } catch (error) {
      if (signal.aborted) return
      leastMs = reportFailure(error, intake)
      failures += 1
      isUnsure = true
    }
    await pause(Math.max(nextMs(seconds, failures, parts), leastMs), signal)
  }
}

/**
 * Checks that labels of a reply would find room. The receiver does not keep them after a reply, so they are not asked for otherwise.
 * @throws PlatenError SPOOL_FULL
 */
function checkRoom({ replyBytes }: BeatParts, intake: SourceIntake): void {
  if (intake.hasRoom(replyBytes)) return
  throw new PlatenError('SPOOL_FULL', say('noRoom'), { detail: 'No heartbeat is sent until then.' })
}

/** Milliseconds until the next beat: twice as long after each failure, and never exactly the same for two boxes. */
function nextMs(seconds: number, failures: number, parts: BeatParts): number {
  const { mostSeconds, jitter, random } = parts
  const every = Math.min(Math.max(mostSeconds, seconds), seconds * 2 ** Math.min(failures, 16))
  return every * 1000 * (1 - jitter + 2 * jitter * random())
}

/**
 * Reports a failure; returns the milliseconds that the receiver asked us to wait.
 * @throws a fault of ours
 */
function reportFailure(error: unknown, intake: SourceIntake): number {
  if (!(error instanceof PlatenError)) throw error
  intake.report({ kind: 'error', message: error.said, detail: error.detail })
  return error instanceof HeartbeatRefusal ? (error.retryAfterMs ?? 0) : 0
}

/** Takes the entries of a reply, each as a request of its own: a bad one disturbs no other. */
async function takeReply(
  reply: string,
  isUnsure: boolean,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  const items = await readWatched(reply, intake)
  // The receiver has seen the last exchange through, so a list that looks like the last one is a new one.
  if (!isUnsure) intake.forget(LIST_IDS)
  let repeated = 0
  for (const item of items) if (await takeItem(item, intake, signal)) repeated += 1
  if (repeated === 0) return
  const labels = repeated === 1 ? '1 label' : `${repeated} labels`
  const message = `The reply repeated ${labels} that came before; nothing was printed twice.`
  intake.report({ kind: 'warning', message })
}

/** Reads the entries of a reply. One that ended the program has none, and is kept as received. */
async function readWatched(reply: string, intake: SourceIntake): Promise<readonly ReplyItem[]> {
  const id = `reply:${hashOf(reply)}`
  try {
    return await intake.guard(id, () => Promise.resolve(readReply(reply)))
  } catch (error) {
    if (!(error instanceof PlatenError) || error.code !== 'LABEL_CRASHED') throw error
    return [{ error, bytes: Buffer.from(reply), messageId: id }]
  }
}

/** Failures to find a printer, after which the label is parked: the receiver no longer has it. */
const NO_PRINTER: ReadonlySet<FailureCode> = new Set([
  'PRINTER_NONE',
  'PRINTER_AMBIGUOUS',
  'PRINTER_UNKNOWN',
  'PRINTER_LANGUAGE',
])

/** Takes one entry; true when it had been taken before. */
async function takeItem(
  item: ReplyItem,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<boolean> {
  if ('error' in item) {
    await setAside(item, intake)
    return false
  }
  const { message } = item
  try {
    return await takeWhenPossible(message, intake, signal)
  } catch (error) {
    if (!isMessageFault(error, message.options.printer)) throw error
    const bytes = Buffer.concat(message.labels)
    await setAside({ error, bytes, messageId: message.messageId ?? '' }, intake)
    return false
  }
}

/**
 * Takes a message, and retries while the spool is full (others may have filled it since the beat): the receiver will not send the label
 * again, so it is kept in memory, and no beat asks for more.
 */
async function takeWhenPossible(
  message: Message,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      return await intake.guard(message.messageId ?? '', () => takeOrPark(message, intake))
    } catch (error) {
      if (isMessageFault(error, message.options.printer)) throw error
      reportRoom(error, intake, signal)
      await pause(RETRY_MS, signal)
    }
  }
}

/**
 * Takes a message, or parks it without a printer. True when it had come before.
 * @throws PlatenError
 */
async function takeOrPark(message: Message, intake: SourceIntake): Promise<boolean> {
  try {
    return (await intake.accept(message)).repeated
  } catch (error) {
    if (!(error instanceof PlatenError) || !NO_PRINTER.has(error.code)) throw error
    const { repeated } = await intake.park(message, error)
    const fate = `A label of a reply is held until a person chooses a printer. ${error.whole}`
    if (!repeated) intake.report({ kind: 'refused', message: fate })
    return repeated
  }
}

/** @throws the error when it is a fault of ours, or the last try was made */
function reportRoom(error: unknown, intake: SourceIntake, signal: AbortSignal): void {
  if (!(error instanceof PlatenError)) throw error
  const kept = 'is kept in memory, and no heartbeat is sent'
  const fate = signal.aborted ? 'found no room before the stop and is lost' : kept
  intake.report({ kind: 'error', message: `A label of the last reply ${fate}: ${error.whole}` })
  if (signal.aborted) throw error
}

async function setAside(
  bad: { readonly error: PlatenError; readonly bytes: Uint8Array; readonly messageId: string },
  intake: SourceIntake,
): Promise<void> {
  intake.report({ kind: 'refused', message: `A label of a reply: ${bad.error.whole}` })
  try {
    await intake.setAside(bad)
  } catch (error) {
    // What cannot be kept is at least told, above; a sender of junk must not stop the beats.
    if (!(error instanceof PlatenError)) throw error
    intake.report({ kind: 'warning', message: error.wholeSaid })
  }
}

/** Makes the body of a heartbeat, exactly as the specification has it: every value a text, and the user's own JSON unchanged. */
function makeBody(facts: HeartbeatFacts, params: unknown): string {
  const { printer, availablePrinters, port, isOnline, ip, version } = facts
  return JSON.stringify({
    printer: {
      printer,
      available_printers: availablePrinters,
      port,
      online: isOnline ? '1' : '0',
      ip,
      version,
      params: params ?? null,
    },
  })
}

/**
 * Tests for the page's button whether the address answers. No heartbeat is sent, because its reply may hold labels.
 * @throws PlatenError SOURCE_UNREACHABLE; the signal's reason
 */
export async function knock(
  address: string,
  { connectMs, exchangeMs }: HeartbeatLimits,
  signal: AbortSignal,
): Promise<Sentences> {
  const url = new URL(address)
  const outgoing = { method: 'HEAD', connectMs, wholeMs: exchangeMs } as const
  try {
    const { status } = await exchange(url, { ...outgoing, read: () => Promise.resolve() }, signal)
    return say('reachedHeartbeat', { where: url.host, status })
  } catch (error) {
    throw explain(url.host, error, signal)
  }
}
