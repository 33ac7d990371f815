import { pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { inEnglish, join, type Sentences, say } from '../../words/say.ts'
import type { SourceIntake } from '../source/source.ts'
import type { MqttConnection, MqttEnd } from './connection.ts'
import type { MqttTiming } from './settings.ts'

type ContestTiming = Pick<MqttTiming, 'quickMs' | 'calmMs'>

/**
 * A contest with another client that uses our client ID: the broker disconnects one when the other connects, and so forever. Neither the
 * page nor the log should report each round, and no round may look like the end of the trouble. Decision `mqtt-acknowledge`.
 */
export class Contest {
  readonly #where: string
  readonly #timing: ContestTiming
  /** The end of the latest connection; undefined while it lasts. */
  #end: MqttEnd | undefined
  #hasSession = false
  #openedAt = 0
  /** Rounds in a row. */
  #rounds = 0
  #isFound = false
  /** True when the broker itself named the reason. */
  #isSaid = false

  constructor(where: string, timing: ContestTiming) {
    this.#where = where
    this.#timing = timing
  }

  /** The number of rounds lost in a row. */
  get rounds(): number {
    return this.#rounds
  }

  /** True when the connection was cut off without a reason: the guess holds only if the broker is alive. */
  get isGuess(): boolean {
    return this.#end === 'cut off'
  }

  /** Begins the try of a connection. */
  begin(): void {
    this.#end = undefined
    this.#hasSession = false
    this.#openedAt = performance.now()
  }

  /** Notes that the connection was made, perhaps with the session of before. */
  open(hasSession: boolean): void {
    this.#hasSession = hasSession
    this.#openedAt = performance.now()
  }

  /** Notes that the connection was ended by the other side. */
  end(how: MqttEnd): void {
    this.#end = how
  }

  /** True when the connection may be called good: no other client disturbs it, or not any more. */
  isCalm(): boolean {
    return !this.#isFound || this.#age() >= this.#timing.calmMs
  }

  /** Explains an end that another client with our name caused, or perhaps caused; undefined for all others. */
  judge(error: unknown): Sentences | undefined {
    if (!(error instanceof PlatenError)) return undefined
    if (this.#isFound && this.isCalm()) {
      this.#rounds = 0
      this.#isFound = false
      this.#isSaid = false
    }
    const isQuick = this.#age() < this.#timing.quickMs && this.#hasSession
    const isCut = this.#end === 'cut off' && (isQuick || this.#isFound)
    if (this.#end !== 'taken over' && !isCut) return undefined
    this.#rounds += 1
    this.#isSaid ||= this.#end === 'taken over'
    this.#isFound ||= this.#isSaid || this.#rounds > 1 // once may be the network
    return this.#isFound ? this.#explain() : error.wholeSaid
  }

  #age(): number {
    return performance.now() - this.#openedAt
  }

  #explain(): Sentences {
    // mosquitto 2.0.11 says nothing when it throws somebody out (MQTT 5.0, 3.1.4 asks for reason 142).
    const where = this.#where
    const what = this.#isSaid ? say('sameClient', { where }) : say('perhapsSameClient', { where })
    return join(what, say('ownClient'))
  }
}

/** The content of the status topic about this box, as JSON. */
interface Presence {
  readonly online: boolean
  /** True when labels of this topic can print now. */
  readonly ready: boolean
  /** The reason otherwise, in one sentence. */
  readonly message: string
}

const write = (presence: Presence): string => JSON.stringify(presence)

/** The presence of a box whose connection broke. */
export const GONE = write({ online: false, ready: false, message: 'The print server has gone.' })

/** The presence of a box that was stopped. */
export const STOPPED = write({
  online: false,
  ready: false,
  message: 'The print server was stopped.',
})

const PRESENCE = /^\{"online":(?:true|false),"ready":/

/** Tells whether a message is the presence of this box or another: a topic with wildcards may cover it. */
export function isPresence(payload: Uint8Array): boolean {
  return PRESENCE.test(Buffer.from(payload.subarray(0, 40)).toString('latin1'))
}

/** Publishes the presence of this box, at once and whenever it changes, until the signal aborts. */
export async function keepTelling(
  intake: Pick<SourceIntake, 'blockage'>,
  tell: (payload: string) => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    const blockage = intake.blockage()
    const payload = write({
      online: true,
      ready: blockage.length === 0,
      message: inEnglish(blockage),
    })
    if (payload !== last) await tell(payload)
    last = payload
    await pause(everyMs, signal)
  }
}

const TOPICS_MOST = 20

/** Our subscription under one name at one broker. */
export interface Subscription {
  /** From `sessionOf`. */
  readonly session: string
  readonly topic: string
}

/**
 * Subscribes to the topic, and unsubscribes from our earlier topics: the broker keeps subscriptions as long as the session and does not
 * list them, so they are written down here before they are made. Only our own are withdrawn: labels of a subscription that another client
 * made under our name would otherwise reach nobody.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED; the signal's reason
 */
export async function subscribeAnew(
  connection: MqttConnection,
  { session, topic }: Subscription,
  intake: Pick<SourceIntake, 'memory' | 'report'>,
  signal: AbortSignal,
): Promise<void> {
  const note = new SessionNote(session, intake)
  const known = note.read()
  const old = connection.hasSession ? known.filter((each) => each !== topic) : []
  note.write([...old, topic], known)
  // Both are sent at once: in between, labels of topics that overlap would come to nobody, or twice.
  const subscribed = connection.subscribe(topic, signal)
  subscribed.catch(() => undefined)
  const left = await takeBack(connection, old, intake, signal)
  note.write([...left, topic], [...old, topic])
  await subscribed
}

/** Unsubscribes from topics; returns those that the broker keeps sending. */
async function takeBack(
  connection: MqttConnection,
  topics: readonly string[],
  intake: Pick<SourceIntake, 'report'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const refused = await Promise.all(
    topics.map(async (topic) => {
      const refusal = await connection.unsubscribe(topic, signal)
      if (refusal === undefined) return []
      intake.report({ kind: 'warning', message: refusal })
      return [topic]
    }),
  )
  return refused.flat()
}

/** The note of the topics of one session. */
class SessionNote {
  readonly #name: string
  readonly #intake: Pick<SourceIntake, 'memory' | 'report'>

  constructor(session: string, intake: Pick<SourceIntake, 'memory' | 'report'>) {
    this.#name = `mqtt ${session}`
    this.#intake = intake
  }

  read(): readonly string[] {
    return (this.#intake.memory.recall(this.#name) ?? '')
      .split('\n')
      .filter((topic) => topic !== '')
  }

  /** Writes the note. Labels matter more than it: without it, labels of an old topic are held when they come. */
  write(topics: readonly string[], before: readonly string[]): void {
    const text = topics.slice(-TOPICS_MOST).join('\n')
    if (text === before.join('\n')) return
    try {
      this.#intake.memory.remember(this.#name, text)
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      this.#intake.report({ kind: 'warning', message: error.wholeSaid })
    }
  }
}
