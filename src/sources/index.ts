import { createBeanstalkd } from './beanstalkd.ts'
import { createMqtt } from './mqtt.ts'
import type { Source } from './source.ts'
import { createSqs } from './sqs.ts'

/** Every source this version can pull labels from. */
export const sources: readonly Source[] = [createSqs(), createBeanstalkd(), createMqtt()]
