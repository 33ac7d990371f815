import { PlatenError } from '../../errors.ts'
import type { SourceIntake } from '../source.ts'
import type { MqttConnection } from './connection.ts'

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
      this.#intake.report({ kind: 'warning', message: error.message })
    }
  }
}
