import { loadWhenUsed, type Source } from '../source/source.ts'
import { type BeanstalkdSettings, type BeanstalkdTiming, settings, TIMING } from './settings.ts'

/** Pulls from a tube of a beanstalkd work queue; `timing` is for tests. */
export function createBeanstalkd(timing: Partial<BeanstalkdTiming> = {}) {
  const times = { ...TIMING, ...timing }
  return {
    type: 'beanstalkd',
    settings,
    describe: ({ endpoint, tube }) => `${endpoint}, tube ${tube}`,
    ...loadWhenUsed<BeanstalkdSettings, BeanstalkdTiming>(times, {
      pull: () => import('./pull.ts'),
      test: () => import('./pull.ts'),
    }),
  } as const satisfies Source<BeanstalkdSettings>
}
