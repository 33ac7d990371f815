import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ups } from '../../../src/carriers/ups/index.ts'
import { SCOPES } from '../../../src/http/access/keys.ts'
import { openShipping } from '../../../src/plugins/shipping/part.ts'
import { makePrintServer } from '../../core/print-server.ts'
import { createSinkDevice } from '../../devices/sink-device.ts'

// The shipping API on its spool and a printer, under the kill loop: a call a line in, an answer a line out. It prints what is
// owed first, as its index.ts does. The second argument is where UPS is.
const [folder = '', origin = ''] = process.argv.slice(2)
const device = createSinkDevice((name) => {
  const file = openSync(join(folder, `${name}.sink`), 'a')
  return {
    send: (bytes) => {
      writeSync(file, bytes)
      return Promise.resolve()
    },
    close: () => closeSync(file),
  }
})
const { spool, printers, scheduler, intake } = makePrintServer({
  folder,
  device,
  uris: { one: 'sink:one' },
  timing: { retryFirstMs: 5 },
  onInterrupt: () => 'hold',
})
const { desk } = openShipping({
  spool,
  scheduler,
  intake,
  printers,
  stateFolder: join(folder, 'state'),
  origins: Object.fromEntries(Object.values(ups.hosts ?? {}).map((host) => [host, origin])),
  keptMs: () => 3_600_000,
  fault: (error) => console.error(error),
})
scheduler.start()
desk.resume()
const caller = { name: 'kill', scopes: new Set(SCOPES), network: 'kill' }
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const answer = desk.answer(JSON.parse(line), caller)
  void answer.then((one) => process.stdout.write(`${JSON.stringify(one)}\n`))
}
