import { PlatenError } from '../../errors.ts'
import { pause } from '../back-off.ts'
import type { Facts, HeartbeatLimits, HeartbeatSettings } from '../heartbeat.ts'
import { isMessageFault } from '../message-fault.ts'
import type { Message, SourceIntake } from '../source.ts'
import { makeBody } from './body.ts'
import { post, Refusal } from './post.ts'
import { LIST_IDS, type ReplyItem, readReply } from './reply.ts'

/** What the heartbeat works with. */
export interface BeatParts extends HeartbeatLimits {
  readonly facts: () => Facts
}

const FIRST_WITHIN_S = 10 // after a power cut a whole fleet starts at once
const JITTER = 0.1
const RETRY_MS = 5000

/** Beats until the signal aborts: one request at a time, the next one counted from the end of the last. */
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
      const body = makeBody(parts.facts(), settings.params)
      const reply = await post(settings.url, body, parts, signal)
      intake.report({ kind: 'contact' })
      failures = 0
      await takeReply(reply, isUnsure, intake, signal)
      isUnsure = false
    } catch (error) {
      if (signal.aborted) return
      leastMs = reportFailure(error, intake)
      failures += 1
      isUnsure = true
    }
    await pause(Math.max(nextMs(seconds, failures, parts), leastMs), signal)
  }
}

/** Milliseconds until the next beat: twice as long after each failure, and never quite the same for two boxes. */
function nextMs(seconds: number, failures: number, { mostSeconds, random }: BeatParts): number {
  const every = Math.min(Math.max(mostSeconds, seconds), seconds * 2 ** Math.min(failures, 16))
  return every * 1000 * (1 - JITTER + 2 * JITTER * random())
}

/** Gives the milliseconds that the receiver asked us to wait. @throws a fault of ours */
function reportFailure(error: unknown, intake: SourceIntake): number {
  if (!(error instanceof PlatenError)) throw error
  intake.report({ kind: 'error', message: error.message })
  return error instanceof Refusal ? (error.retryAfterMs ?? 0) : 0
}

/** Every entry is a request of its own: a bad one disturbs no other. */
async function takeReply(
  reply: string,
  isUnsure: boolean,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  const items = readReply(reply)
  // The receiver has seen the last exchange through, so a list that looks like the last one is a new one.
  if (!isUnsure) intake.forget(LIST_IDS)
  let repeated = 0
  for (const item of items) if (await takeItem(item, intake, signal)) repeated += 1
  if (repeated === 0) return
  const labels = repeated === 1 ? '1 label' : `${repeated} labels`
  const message = `The reply repeated ${labels} that came before; nothing was printed twice.`
  intake.report({ kind: 'warning', message })
}

/** True when the entry had been taken before. */
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
 * The receiver gave the label away and will not send it again, so it is kept in memory while the spool is full, and no
 * beat asks for more.
 */
async function takeWhenPossible(
  message: Message,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      return (await intake.accept(message)).repeated
    } catch (error) {
      if (isMessageFault(error, message.options.printer)) throw error
      reportRoom(error, intake, signal)
      await pause(RETRY_MS, signal)
    }
  }
}

/** @throws the error when it is a fault of ours, or the last try was made */
function reportRoom(error: unknown, intake: SourceIntake, signal: AbortSignal): void {
  if (!(error instanceof PlatenError)) throw error
  const kept = 'is kept in memory, and no heartbeat is sent'
  const fate = signal.aborted ? 'found no room before the stop and is lost' : kept
  intake.report({ kind: 'error', message: `A label of the last reply ${fate}: ${error.message}` })
  if (signal.aborted) throw error
}

async function setAside(
  bad: { readonly error: PlatenError; readonly bytes: Uint8Array; readonly messageId: string },
  intake: SourceIntake,
): Promise<void> {
  intake.report({ kind: 'refused', message: `A label of a reply: ${bad.error.message}` })
  try {
    await intake.setAside(bad)
  } catch (error) {
    // What cannot be kept is at least told, above; a sender of junk must not stop the beats.
    if (!(error instanceof PlatenError)) throw error
    intake.report({ kind: 'warning', message: error.message })
  }
}
