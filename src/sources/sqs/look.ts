import { SqsQueue } from './queue.ts'
import type { SqsSettings, SqsTiming } from './settings.ts'

/** What is at the queue's address, in a sentence; takes no message. @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED */
export async function look(
  settings: SqsSettings,
  timing: SqsTiming,
  signal: AbortSignal,
): Promise<string> {
  using queue = new SqsQueue(settings, timing)
  const { waiting, receivesMost } = await queue.look(signal)
  const bad =
    receivesMost !== undefined
      ? 'its dead-letter queue takes what cannot be printed'
      : 'it has no dead-letter queue, so what cannot be printed is kept here'
  return `Reached the queue ${queue.where}; ${waiting} messages wait in it, and ${bad}.`
}
