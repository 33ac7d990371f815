import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { createCupsDevice } from '../../../../../src/printers/devices/cups/index.ts'
import { SpoolerLine } from '../../../../../src/printers/devices/cups/ipp-client.ts'
import { DocumentUpload } from '../../../../../src/printers/devices/cups/job.ts'
import { listen } from '../../../../listen.ts'

const QUESTION = { path: '/', operation: 0x4002, attributes: [] }
const limit = () => AbortSignal.timeout(60_000)

/** Makes a server that answers in CUPS' place. */
async function makeStranger(t: Test, listener: RequestListener) {
  return { host: '127.0.0.1', port: await listen(t, createServer(listener)) }
}

const strangers: readonly (readonly [string, RequestListener, RegExp])[] = [
  [
    'refuses',
    (_, response) => response.writeHead(403).end(),
    /does not let platen in \(HTTP 403\)/,
  ],
  ['is another server', (_, response) => response.writeHead(404).end('no'), /answered HTTP 404/],
  ['speaks HTML', (_, response) => response.end('<html><body>'), /cannot be read: version 60\.104/],
  ['hangs up', (_, response) => response.destroy(), /ECONNRESET/],
  [
    'never ends',
    (_, response) => {
      const flood = () => {
        while (response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', flood)
      flood()
    },
    /wanted 1048576 at most|cannot be read/,
  ],
]

for (const [how, listener, message] of strangers) {
  t.test(`a spooler that ${how} is told in words`, async (t) => {
    const address = await makeStranger(t, listener)
    const line = new SpoolerLine(address)
    await t.rejects(line.ask(QUESTION, limit()), { code: 'PRINTER_OFFLINE', message })
    line.close()
    t.same(await createCupsDevice([address]).list(limit()), [])
  })
}

t.test('a spooler that is not there has to be started, not the printer', async (t) => {
  const line = new SpoolerLine({ socketPath: `${t.testdir()}/cups.sock` })
  const wanted = { code: 'PRINTER_OFFLINE', advice: 'startCups' }
  await t.rejects(line.ask(QUESTION, limit()), wanted)
  line.close()
})

t.test('a question that is given up says so', async (t) => {
  const address = await makeStranger(t, () => undefined)
  const line = new SpoolerLine(address)
  const stop = new AbortController()
  const answer = line.ask(QUESTION, stop.signal)
  stop.abort('enough')
  await t.rejects(answer, { code: 'PRINTER_OFFLINE', cause: 'enough' })
  line.close()
})

t.test('a spooler that refuses a document before it was read is told in words', async (t) => {
  const address = await makeStranger(t, (request, response) => {
    response.writeHead(401).end()
    response.once('finish', () => request.socket.destroy())
  })
  const upload = new DocumentUpload(address, QUESTION)
  const all = async () => {
    await upload.write(new Uint8Array(50_000_000), limit())
    await upload.finish(limit())
  }
  await t.rejects(all(), { code: 'PRINTER_OFFLINE' })
})
