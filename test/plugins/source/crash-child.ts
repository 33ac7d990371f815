import type { SourcesConfig } from '../../../src/plugins/source/run.ts'
import { createSinkDevice } from '../../devices/sink-device.ts'
import { POISON } from './crash-contract.ts'
import { startSmallServer, tell } from './small-server.ts'

// A print server that never comes back from the look at one label, and waits to be killed.
const [folder = '', config = '{}'] = process.argv.slice(2)

const sink = createSinkDevice(() => ({ send: () => Promise.resolve(), close: () => undefined }))

function hang(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

startSmallServer({
  folder,
  uri: 'sink:A',
  device: sink,
  config: JSON.parse(config) as SourcesConfig,
  guard: (messages) => ({
    ...messages,
    accept(message) {
      if (message.labels.some((label) => Buffer.from(label).includes(POISON))) {
        tell('looks')
        hang()
      }
      return messages.accept(message)
    },
  }),
})
