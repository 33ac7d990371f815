import { loadWhenUsed, type Source } from '../source/source.ts'
import { nameQueue, type SqsSettings, type SqsTiming, settings, TIMING } from './settings.ts'

/** Pulls from a queue of Amazon SQS, standard or FIFO; `timing` is for tests. */
export function createSqs(timing: Partial<SqsTiming> = {}) {
  const times = { ...TIMING, ...timing }
  return {
    type: 'sqs',
    title: 'Amazon SQS',
    settings,
    describe: nameQueue,
    // The SDK costs megabytes.
    ...loadWhenUsed<SqsSettings, SqsTiming>(times, {
      pull: () => import('./pull.ts'),
      test: () => import('./pull.ts'),
    }),
  } as const satisfies Source<SqsSettings>
}
