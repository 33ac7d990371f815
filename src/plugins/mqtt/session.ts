import { pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { inEnglish, join, type Sentences, say } from '../../words/say.ts'
import type { SourceIntake } from '../source/source.ts'
import type { MqttConnection, MqttEnd } from './connection.ts'
import type { MqttTiming } from './settings.ts'

type ContestTiming = Pick<MqttTiming, 'quickMs' | 'calmMs'>

/**
 * Somebody else who uses our client ID: the broker throws out the one when the other comes, and both forever. Neither
 * the page nor the log should tell of each round, and no round may look like the end of the trouble.
 * Decision `mqtt-acknowledge`.
 */
export class Contest {
  readonly #where: string
  readonly #timing: ContestTiming
  /** Of the connection in hand; undefined while it lasts. */
  #end: MqttEnd | undefined
  #hasSession = false
  #openedAt = 0
  /** In a row. */
  #rounds = 0
  #isFound = false
  /** The broker itself said so. */
  #isSaid = false

  constructor(where: string, timing: ContestTiming) {
    this.#where = where
    this.#timing = timing
  }

  /** How often we were thrown out in a row. */
  get rounds(): number {
    return this.#rounds
  }

  /** The connection was cut off: only a broker that lives can have thrown us out. */
  get isGuess(): boolean {
    return this.#end === 'cut off'
  }

  /** A connection is tried. */
  begin(): void {
    this.#end = undefined
    this.#hasSession = false
    this.#openedAt = performance.now()
  }

  /** It was made, perhaps with the session of before. */
  open(hasSession: boolean): void {
    this.#hasSession = hasSession
    this.#openedAt = performance.now()
  }

  /** It has ended without us. */
  end(how: MqttEnd): void {
    this.#end = how
  }

  /** True when the connection may be called good: nobody disturbs it, or not any more. */
  isCalm(): boolean {
    return !this.#isFound || this.#age() >= this.#timing.calmMs
  }

  /** What to tell when the connection ended because somebody else has our name, or perhaps; else undefined. */
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

/** What the status topic says of this box, as JSON. */
interface Presence {
  readonly online: boolean
  /** Labels of this topic can print now. */
  readonly ready: boolean
  /** Why not, one sentence. */
  readonly message: string
}

const write = (presence: Presence): string => JSON.stringify(presence)

/** What is said of a box that broke off. */
export const GONE = write({ online: false, ready: false, message: 'The print server has gone.' })

/** What is said of a box that was stopped. */
export const STOPPED = write({
  online: false,
  ready: false,
  message: 'The print server was stopped.',
})

const PRESENCE = /^\{"online":(?:true|false),"ready":/

/** Tells whether a message is what a box tells of itself, this one or another: a topic with wildcards may cover it. */
export function isPresence(payload: Uint8Array): boolean {
  return PRESENCE.test(Buffer.from(payload.subarray(0, 40)).toString('latin1'))
}

/** Tells of this box, at once and whenever it changes, until the signal aborts. */
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

/** What we have subscribed to under one name at one broker. */
export interface Subscribing {
  /** As `sessionOf` has it. */
  readonly session: string
  readonly topic: string
}

/**
 * Subscribes to the topic, and takes back what we subscribed to before it was changed: the broker keeps subscriptions as
 * long as the session and does not list them, so they are written down here before they are made. Only our own are taken
 * back: one that somebody else made under our name has labels that nobody would get then.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED; the signal's reason
 */
export async function subscribeAnew(
  connection: MqttConnection,
  { session, topic }: Subscribing,
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

/** Gives the topics that the broker keeps on sending. */
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

/** The topics of one session, as they are written down. */
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

  /** Labels matter more than this note: without it, labels of an old topic are held when they come. */
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
