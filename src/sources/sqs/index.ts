import type { Source } from '../source.ts'
import { nameQueue, type SqsSettings, type SqsTiming, settings, TIMING } from './settings.ts'

/** Pulls from a queue of Amazon SQS, standard or FIFO; `timing` is for tests. */
export function createSqs(timing: Partial<SqsTiming> = {}) {
  const times = { ...TIMING, ...timing }
  return {
    type: 'sqs',
    settings,
    describe: nameQueue,
    // Loaded only where such a queue is configured: the SDK costs megabytes.
    async run(settings, intake, signal) {
      const { pull } = await import('./pull.ts')
      await pull(settings, times, intake, signal)
    },
    async test(settings, signal) {
      const { look } = await import('./look.ts')
      return await look(settings, times, signal)
    },
  } as const satisfies Source<SqsSettings>
}
