import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createBeanstalkd } from '../../../src/plugins/beanstalkd/index.ts'
import { createHeartbeat } from '../../../src/plugins/heartbeat/index.ts'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { boundInterimAnswers } from '../../../src/system/http-client.ts'
import { post } from '../../../src/system/post.ts'
import { listen } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { pull } from './intake-bench.ts'
import { publish } from './mqtt-bytes.ts'

/** Bytes that an attack sends at most; a source that takes them all has no bound. */
const ALL_BYTES = 192 * 2 ** 20
/** Bytes that the kernel holds of it on both sides of a connection, and then some. */
const HELD_BYTES = 64 * 2 ** 20

t.setTimeout(300_000)

/** The other side of a source: what it was allowed to send. */
interface Attacker {
  readonly port: number
  /** Bytes that left for the source, those that the kernel holds too. */
  sent(): number
}

/** A server that does one thing with each connection. */
async function attack(t: Test, work: (socket: Socket) => void): Promise<Attacker> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    work(socket)
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  const bytes = (socket: Socket): number => socket.bytesWritten - socket.writableLength
  return {
    port: await listen(t, server),
    sent: () => sockets.reduce((sum, socket) => Math.max(sum, bytes(socket)), 0),
  }
}

/** Sends the block again and again, as fast as it is taken, until `ALL_BYTES` are out. */
function flood(socket: Socket, block: Buffer): void {
  let left = ALL_BYTES
  const push = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= block.length
      if (!socket.write(block)) {
        socket.once('drain', push)
        return
      }
    }
  }
  push()
}

const CONNACK = Buffer.of(0x20, 3, 0, 0, 0)
const SUBACK = Buffer.of(0x90, 4, 0, 1, 0, 1)
const PINGRESP = Buffer.of(0xd0, 0)

/** A broker that lets everybody in and does its thing at the subscription. */
async function attackByMqtt(t: Test, work: (socket: Socket) => void): Promise<Attacker> {
  return await attack(t, (socket) => {
    let hasBegun = false
    socket.on('data', (data: Buffer) => {
      if (!hasBegun) socket.write(CONNACK)
      else if (data[0] === 0x82) {
        socket.write(SUBACK)
        work(socket)
      }
      hasBegun = true
    })
  })
}

const BACK_OFF = { firstMs: 60_000, mostMs: 60_000 }
const source = createMqtt({ connectMs: 60_000, replyMs: 60_000, backOff: BACK_OFF })

/** Returns the error with which the source ended, as a sentence. */
async function endOf(ended: Promise<unknown>): Promise<string> {
  const error = await ended
  return error instanceof Error ? error.message : String(error)
}

function settingsOf({ port }: Attacker) {
  return { url: `mqtt://127.0.0.1:${port}`, topic: 't', client_id: 'bench', status_topic: 'none' }
}

const ENDLESS = {
  'a message of 268 MB': {
    head: Buffer.of(0x30, 0xff, 0xff, 0xff, 0x7f),
    said: /sends a message of 268435460 bytes; wanted at most 125536 \(Largest request\)\.$/,
  },
  'an answer of 268 MB': {
    head: Buffer.of(0x90, 0xff, 0xff, 0xff, 0x7f),
    said: /sends an answer of 268435460 bytes; wanted at most 65536\.$/,
  },
} as const

for (const [what, { head, said }] of Object.entries(ENDLESS)) {
  t.test(`MQTT: ${what} is not held`, async (t) => {
    const attacker = await attackByMqtt(t, (socket) => {
      socket.write(head)
      flood(socket, Buffer.alloc(65_536))
    })
    const { ended } = pull(t, source, settingsOf(attacker))
    t.match(await endOf(ended), said)
    t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
  })
}

t.test('MQTT: a message of nothing but properties is not taken apart', async (t) => {
  const attacker = await attackByMqtt(t, (socket) => {
    // Names and values of no letters.
    socket.write(publish('', Buffer.alloc(70_000, Buffer.of(0x26, 0, 0, 0, 0))))
  })
  const { ended } = pull(t, source, settingsOf(attacker))
  t.match(await endOf(ended), /with 70\d\d\d bytes besides its payload; wanted at most 65536\.$/)
})

t.test('MQTT: answers that nobody asked for are counted', async (t) => {
  const attacker = await attackByMqtt(t, (socket) => {
    flood(socket, Buffer.alloc(65_536, PINGRESP))
  })
  const { ended } = pull(t, source, settingsOf(attacker))
  t.match(await endOf(ended), /floods us with answers to questions that nobody asked\.$/)
  t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
})

t.test('MQTT: everybody else has a turn between two messages', async (t) => {
  const MESSAGES = 60
  const attacker = await attackByMqtt(t, (socket) => {
    socket.write(Buffer.concat(Array.from({ length: MESSAGES }, () => publish('XlhBXlha'))))
  })
  let turn = 0
  const count = (): void => {
    turn += 1
    if (turn < 1_000_000) next = setImmediate(count)
  }
  let next = setImmediate(count)
  t.teardown(() => clearImmediate(next))
  const turns = new Map<string, number>()
  const { bench } = pull(t, source, settingsOf(attacker))
  bench.spool.onChange(({ id }) => {
    if (!turns.has(id)) turns.set(id, turn)
  })
  await poll('all messages', () => turns.size >= MESSAGES)
  const taken = [...turns.values()]
  const most = Math.max(...taken.map((one) => taken.filter((other) => other === one).length))
  t.ok(most <= 4, `${most} in one turn of the loop`)
})

t.test('MQTT: messages that are not waited for are not held', async (t) => {
  const attacker = await attackByMqtt(t, (socket) => {
    flood(socket, publish('x'.repeat(50_000), Buffer.alloc(0), 0x32))
  })
  // No printer can take labels.
  const { ended } = pull(t, source, settingsOf(attacker), {
    ready: () => new Promise(() => undefined),
  })
  t.match(await endOf(ended), /sends more messages than the 10 that we take at once\.$/)
  t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
})

boundInterimAnswers()

/** A web server that does its thing at each request. */
function attackByHttp(t: Test, work: (socket: Socket) => void): Promise<Attacker> {
  return attack(t, (socket) => socket.once('data', () => work(socket)))
}

const goOn = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_600))
const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_600))
const patient = new AbortController().signal
const SQS_TIMES = { connectMs: 60_000, replyMs: 60_000, pollSeconds: 1 }

function sqsOf({ port }: Attacker) {
  const url = `http://127.0.0.1:${port}/1/labels`
  return { region: 'eu-central-1', url, access_key_id: 'a', secret_access_key: 'b' }
}

for (const [what, block] of Object.entries({ '100 Continue': goOn, '103 Early Hints': hints })) {
  t.test(`HTTP: ${what} without an end`, async (t) => {
    const attacker = await attackByHttp(t, (socket) => flood(socket, block))
    const address = `http://127.0.0.1:${attacker.port}/`
    const times = { connectMs: 60_000, exchangeMs: 60_000 }
    const facts = { printer: '', availablePrinters: [], port: '', isOnline: false }
    const heartbeat = createHeartbeat(() => ({ ...facts, ip: '', version: '' }), times)
    await t.rejects(heartbeat.test({ url: address, seconds: 1, params: null }, patient), {
      message: /answers without an end\.$/,
    })
    const limits = { connectMs: 60_000, answerMs: 60_000, restMs: 1_000 }
    t.match(spoken(await post(address, '{}', {}, patient, limits)), {
      isDelivered: false,
      message: /answers without an end\.$/,
    })
    await t.rejects(createSqs(SQS_TIMES).test(sqsOf(attacker), patient), {
      message: /answers without an end\.$/,
    })
    t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
  })
}

const GOOD = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\n\r\n'
const BAD = GOOD.replace('200 OK', '400 Bad')

t.test('SQS: a body without an end is not held', async (t) => {
  const attacker = await attackByHttp(t, (socket) => {
    socket.write(`${GOOD}{"Attributes":{"a":"`)
    flood(socket, Buffer.alloc(65_536, 'a'))
  })
  await t.rejects(createSqs(SQS_TIMES).test(sqsOf(attacker), patient), {
    message: /sent an answer of more than 12582912 bytes\.$/,
  })
  t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
})

t.test('SQS: nor is that of a refusal', async (t) => {
  const attacker = await attackByHttp(t, (socket) => {
    socket.write(`${BAD}{"__type":"`)
    flood(socket, Buffer.alloc(65_536, 'a'))
  })
  await t.rejects(createSqs(SQS_TIMES).test(sqsOf(attacker), patient), { code: 'SOURCE_REFUSED' })
  t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
})

t.test('SQS: an answer of a million values makes no object', async (t) => {
  const attacker = await attackByHttp(t, (socket) => {
    socket.end(`${GOOD}{"Messages":[${'{},'.repeat(1_000_000)}{}]}`)
  })
  await t.rejects(createSqs(SQS_TIMES).test(sqsOf(attacker), patient), {
    message: /something else than the answer of a queue\. The JSON has more than 2000 values\.$/,
  })
})

const WITHOUT_BOUND = {
  'statistics of 10 MB': ['OK 10000000', /sent 10000000 bytes; wanted the answers/],
  'a line without an end': ['', /sent a line without an end; wanted the answers/],
} as const

for (const [what, [line, said]] of Object.entries(WITHOUT_BOUND)) {
  t.test(`beanstalkd: ${what}`, async (t) => {
    const attacker = await attack(t, (socket) => {
      socket.once('data', () => {
        if (line !== '') socket.write(`${line}\r\n`)
        flood(socket, Buffer.alloc(65_536, 'a'))
      })
    })
    const source = createBeanstalkd({ connectMs: 60_000, replyMs: 60_000 })
    const settings = { endpoint: `127.0.0.1:${attacker.port}`, tube: 'labels' }
    await t.rejects(source.test(settings, patient), { message: said })
    t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
  })
}

t.test('beanstalkd: a job of 9 GB', async (t) => {
  const attacker = await attack(t, (socket) => {
    socket.on('data', (data: Buffer) => {
      if (data.includes('stats')) socket.write('NOT_FOUND\r\n')
      else if (!data.includes('reserve')) socket.write('WATCHING 1\r\n'.repeat(lines(data)))
      else {
        socket.write('RESERVED 1 9000000000\r\n')
        flood(socket, Buffer.alloc(65_536, 'a'))
      }
    })
  })
  const source = createBeanstalkd({ connectMs: 60_000, replyMs: 60_000, countMs: 60_000 })
  const settings = { endpoint: `127.0.0.1:${attacker.port}`, tube: 'labels' }
  const { ended } = pull(t, source, settings)
  t.match(await endOf(ended), /sent 9000000000 bytes; wanted the answers/)
  t.ok(attacker.sent() < HELD_BYTES, `${attacker.sent()} bytes left for it`)
})

function lines(data: Buffer): number {
  return data.toString('latin1').split('\r\n').length - 1
}
