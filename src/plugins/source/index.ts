import { createBeanstalkd } from '../beanstalkd/index.ts'
import { createMqtt } from '../mqtt/index.ts'
import { createSqs } from '../sqs/index.ts'
import type { Source } from './source.ts'

/** Every source this version can pull labels from. */
export const sources: readonly Source[] = [createSqs(), createBeanstalkd(), createMqtt()]
