import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createCupsDevice } from '../../../../../src/printers/devices/cups/index.ts'
import {
  decodeResponse,
  MOST_BYTES,
  SpoolerLine,
} from '../../../../../src/printers/devices/cups/ipp-client.ts'
import { DocumentUpload } from '../../../../../src/printers/devices/cups/job.ts'
import {
  type CupsQueue,
  explainRejecting,
  presentQueue,
  readQueues,
} from '../../../../../src/printers/devices/cups/queue.ts'
import { readFirst, readText } from '../../../../../src/printers/ipp/message.ts'
import { tidyFinds } from '../../../../../src/printers/known/identity.ts'
import { listen } from '../../../../listen.ts'

const QUESTION = { path: '/', operation: 0x4002, attributes: [] }
const HEAD = Buffer.from([2, 0, 0, 0, 0, 0, 0, 1])
const limit = () => AbortSignal.timeout(60_000)

/** Makes a value of an answer: tag, name, bytes. */
function value(tag: number, name: string, bytes: Buffer | string | number): Buffer {
  const content = typeof bytes === 'number' ? Buffer.alloc(4) : Buffer.from(bytes)
  if (typeof bytes === 'number') content.writeInt32BE(bytes)
  const key = Buffer.from(name)
  const out = Buffer.alloc(5 + key.length + content.length)
  out.writeUInt8(tag)
  out.writeUInt16BE(key.length, 1)
  key.copy(out, 3)
  out.writeUInt16BE(content.length, 3 + key.length)
  content.copy(out, 5 + key.length)
  return out
}

function queue(name: string): Buffer {
  return Buffer.concat([Buffer.of(4), value(0x42, 'printer-name', name)])
}

function answer(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([HEAD, ...parts, Buffer.of(3)])
}

/** Makes a server in CUPS' place that says `speak` to every caller. */
async function makeStranger(t: Test, speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined) // the caller hangs up
    socket.once('data', () => speak(socket))
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { host: '127.0.0.1', port: await listen(t, server) }
}

function says(body: Buffer): (socket: Socket) => void {
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
  }
}

t.test('an answer of nothing but beginnings of groups is refused early', (t) => {
  const bytes = Buffer.concat([HEAD, Buffer.alloc(MOST_BYTES - HEAD.length - 1, 4), Buffer.of(3)])
  t.throws(() => decodeResponse(bytes), { code: 'PRINTER_OFFLINE', message: /2000 groups/ })
  t.end()
})

t.test('an answer is of version 1 or 2, and at most as long as one may be', (t) => {
  const good = answer(queue('Zebra'))
  const of = (version: readonly number[]) => Buffer.from([...version, ...good.subarray(2)])
  for (const version of [
    [1, 0],
    [1, 1],
    [2, 2],
  ]) {
    t.equal(decodeResponse(of(version)).groups.length, 1, version.join('.'))
  }
  for (const version of [
    [0, 1],
    [3, 0],
  ]) {
    const message = new RegExp(`version ${version.join('\\.')}; wanted 1 or 2`)
    t.throws(() => decodeResponse(of(version)), { code: 'PRINTER_OFFLINE', message })
  }
  t.throws(() => decodeResponse(Buffer.alloc(MOST_BYTES + 1, 2)), { message: /at most/ })
  t.end()
})

t.test('1,000 queues are read as before', (t) => {
  const names = Array.from({ length: 1_000 }, (_, index) => `queue-${index}`)
  const { groups } = decodeResponse(answer(...names.map(queue)))
  t.same(
    groups.map((group) => readText(group, 'printer-name')),
    names,
  )
  t.end()
})

t.test('a text is cut at what the standard allows', (t) => {
  const long = 'x'.repeat(65_000)
  const withLanguage = Buffer.concat([
    Buffer.from([0, 2]),
    Buffer.from('en'),
    Buffer.from([0xfd, 0xe8]),
    Buffer.from(long),
  ])
  const [group] = decodeResponse(
    answer(
      Buffer.of(4),
      value(0x42, 'a', long),
      value(0x35, 'b', withLanguage),
      value(0x30, 'c', long),
      value(0x41, 'd', Buffer.alloc(3_000, 0xff)),
    ),
  ).groups
  for (const name of ['a', 'b', 'c', 'd']) {
    const seen = readFirst(group, name)
    const length = typeof seen === 'string' || seen instanceof Uint8Array ? seen.length : 0
    t.equal(length, 1_023, name)
  }
  t.end()
})

t.test('odd bytes are an answer or a refusal, never something else', (t) => {
  const good = answer(queue('Zebra'), value(0x34, 'c', ''), value(0x37, '', ''))
  let seed = 7
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % most
  }
  for (let round = 0; round < 3_000; round += 1) {
    const bytes = Buffer.from(good)
    for (let change = 0; change < 3; change += 1) bytes[random(bytes.length)] = random(256)
    try {
      decodeResponse(bytes.subarray(0, random(bytes.length + 1)))
    } catch (error) {
      if ((error as { code?: string }).code !== 'PRINTER_OFFLINE') throw error
    }
  }
  t.pass('every one')
  t.end()
})

t.test('queues with strange names are not offered, or plainly', async (t) => {
  const strange = ['', '..', 'x'.repeat(60_000), 'a\u0000\u202eb\r\nc', '<img src=x>', 'half\ud83d']
  const numbers = [value(0x23, 'printer-state', -5), value(0x23, 'printer-type', -2)]
  const body = answer(...strange.flatMap((name) => [queue(name), ...numbers]))
  const address = await makeStranger(t, says(body))
  const device = createCupsDevice([address])
  const found = tidyFinds(await device.list(limit()), device)
  for (const { name, uri } of found) {
    t.equal(device.check(new URL(uri)), undefined)
    t.notMatch(name, /[\p{Cc}\p{Cf}]/u)
    t.ok((name ?? '').length <= 90)
  }
  t.equal(found.length, 4)
})

t.test('no more queues are believed than a computer can have', async (t) => {
  const body = answer(...Array.from({ length: 1_999 }, (_, index) => queue(`q${index}`)))
  const address = await makeStranger(t, says(body))
  const line = new SpoolerLine(address)
  t.equal((await readQueues(line, limit())).length, 1_000)
  line.close()
})

t.test('a wanted queue that is not there is told with a few of the names', async (t) => {
  const names = Array.from({ length: 900 }, (_, index) => queue(`q${index}${'x'.repeat(900)}`))
  let calls = 0
  const notFound = Buffer.from(answer())
  notFound.writeUInt16BE(0x0406, 2)
  const address = await makeStranger(t, (socket) => {
    const speak = () => {
      const body = calls++ === 0 ? notFound : answer(...names)
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
      socket.write(body)
    }
    speak()
    socket.on('data', speak)
  })
  const device = createCupsDevice([address])
  const fault = await device
    .open(new URL('ipp://localhost/printers/Zebra'), limit())
    .then(() => new Error('opened'))
    .catch((error: Error) => error)
  t.match(fault.message, /and 890 others/)
  t.ok(fault.message.length < 2_000)
})

t.test('a queue’s name is not a command', (t) => {
  const rejecting: CupsQueue = {
    name: 'x; rm -rf $HOME',
    isClass: false,
    isRunning: true,
    isAccepting: false,
    reasons: [],
    deviceUri: '',
    makeAndModel: '',
  }
  t.notMatch(presentQueue(rejecting).hindrance, /cupsaccept/)
  t.match(explainRejecting('Zebra_GK-1'), /type "cupsaccept Zebra_GK-1", or/)
  const device = createCupsDevice([])
  const hint = device.explainPaused?.(new URL('ipp://localhost/printers/%24(reboot)'))
  t.match(hint, { words: /^Let the queue go on: press/ })
  t.end()
})

for (const [what, ask] of [
  [
    'a question',
    (address: { host: string; port: number }) => new SpoolerLine(address).ask(QUESTION, limit()),
  ],
  [
    'a document',
    async (address: { host: string; port: number }) => {
      const upload = new DocumentUpload(address, QUESTION)
      await upload.write(new Uint8Array(10), limit())
      return await upload.finish(limit())
    },
  ],
] as const) {
  t.test(`${what} is not answered by an endless "100 Continue"`, async (t) => {
    let sent = 0
    const address = await makeStranger(t, (socket) => {
      const flood = () => {
        for (let more = true; more && !socket.destroyed && sent < 5_000_000; sent += 1) {
          more = socket.write('HTTP/1.1 100 Continue\r\n\r\n')
        }
      }
      socket.on('drain', flood)
      flood()
    })
    await t.rejects(ask(address), { code: 'PRINTER_OFFLINE', message: /over and over/ })
    t.ok(sent < 5_000_000, 'the caller hung up')
  })
}
