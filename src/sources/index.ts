import { createBeanstalkd } from './beanstalkd.ts'
import type { Source } from './source.ts'

/** Every source this version can pull labels from. */
export const sources: readonly Source[] = [createBeanstalkd()]
