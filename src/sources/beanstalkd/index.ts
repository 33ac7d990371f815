import type { Source } from '../source.ts'
import { type BeanstalkdSettings, type BeanstalkdTiming, settings, TIMING } from './settings.ts'

/** Pulls from a tube of a beanstalkd work queue; `timing` is for tests. */
export function createBeanstalkd(timing: Partial<BeanstalkdTiming> = {}) {
  const times = { ...TIMING, ...timing }
  return {
    type: 'beanstalkd',
    settings,
    describe: ({ endpoint, tube }) => `${endpoint}, tube ${tube}`,
    // Loaded only where such a queue is configured.
    async run(settings, intake, signal) {
      const { pull } = await import('./pull.ts')
      await pull(settings, times, intake, signal)
    },
    async test(settings, signal) {
      const { look } = await import('./look.ts')
      return await look(settings, times, signal)
    },
  } as const satisfies Source<BeanstalkdSettings>
}
