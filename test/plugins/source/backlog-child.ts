import type { SourcesConfig } from '../../../src/plugins/source/run.ts'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { createSocketDevice } from '../../../src/printers/devices/socket/index.ts'
import { HOLD_S } from './backlog-contract.ts'
import { startSmallServer } from './small-server.ts'

// A print server that takes labels of SQS, in less time than it has in the field.
const [folder = '', uri = '', config = '{}'] = process.argv.slice(2)

startSmallServer({
  folder,
  uri,
  device: createSocketDevice(),
  config: JSON.parse(config) as SourcesConfig,
  timing: { retryFirstMs: 20, retryMostMs: 100 },
  list: [createSqs({ leaseSeconds: HOLD_S, pollSeconds: 1 })],
})
