import type { Device } from '../../src/printers/device.ts'
import type { SourcesConfig } from '../../src/sources/configured.ts'
import { POISON } from './crash-contract.ts'
import { startSmallServer, tell } from './small-server.ts'

// A print server that never comes back from the look at one label, and waits to be killed.
const [folder = '', config = '{}'] = process.argv.slice(2)

const sink: Device<'sink'> = {
  scheme: 'sink',
  example: 'sink:A',
  about: '',
  check: () => undefined,
  list: () => Promise.resolve([]),
  open: () =>
    Promise.resolve({
      send: () => Promise.resolve(),
      receive: () => Promise.resolve(new Uint8Array()),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
}

function hang(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

startSmallServer({
  folder,
  uri: 'sink:A',
  device: sink,
  config: JSON.parse(config) as SourcesConfig,
  guard: (door) => ({
    ...door,
    accept(message) {
      if (message.labels.some((label) => Buffer.from(label).includes(POISON))) {
        tell('looks')
        hang()
      }
      return door.accept(message)
    },
  }),
})
