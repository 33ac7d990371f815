import { createBeanstalkd } from './beanstalkd/index.ts'
import { createMqtt } from './mqtt/index.ts'
import type { Source } from './source/source.ts'
import { createSqs } from './sqs/index.ts'

/** Every source this version can pull labels from, but the heartbeat. */
export const sources: readonly Source[] = [createSqs(), createBeanstalkd(), createMqtt()]
