import t, { type Test } from 'tap'
import type { MqttEnd } from '../../../src/plugins/mqtt/connection.ts'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import { Contest } from '../../../src/plugins/mqtt/session.ts'
import type { MqttSettings } from '../../../src/plugins/mqtt/settings.ts'
import {
  explainMqtt,
  explainReason,
  explainTell,
  explainTopic,
  openStream,
} from '../../../src/plugins/mqtt/stream.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import type { SourceIntake } from '../../../src/plugins/source/source.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, quoteEnglish, say } from '../../../src/words/say.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { pull } from './intake-bench.ts'
import { publish } from './mqtt-bytes.ts'
import { type Answer, connack, serveAnswers } from './scripted-broker.ts'

t.setTimeout(300_000)

const TOPIC = 'platen/bench/print'
/** For brokers that answer, on a machine that may be slow. */
const PATIENT = {
  connectMs: 60_000,
  replyMs: 60_000,
  statusMs: 20,
  settleMs: 100,
  backOff: { firstMs: 20, mostMs: 100 },
}
/** Nobody is called undisturbed, or cut off at once, by accident. */
const SURE = { quickMs: 600_000, calmMs: 600_000 }
const source = createMqtt({ ...PATIENT, ...SURE })
const signal = (): AbortSignal => AbortSignal.timeout(120_000)
const settingsOf = (url: string, more: Partial<MqttSettings> = {}): MqttSettings => ({
  url,
  topic: TOPIC,
  client_id: 'bench',
  status_topic: 'none',
  ...more,
})

t.test('a topic that the broker does not take back is tried again, and told of', async (t) => {
  const memory = openMemory()
  memory.remember('mqtt 127.0.0.1/bench', 'old')
  // Two packets may come as one.
  const answer = (data: Buffer): readonly number[] => {
    const next = data.subarray(2 + (data[1] ?? 0))
    const suback = data[0] === 0x82 ? [0x90, 4, data[2] ?? 0, data[3] ?? 0, 0, 1] : []
    const refusal = data[0] === 0xa2 ? [0xb0, 4, data[2] ?? 0, data[3] ?? 0, 0, 135] : []
    return [...suback, ...refusal, ...(next.length > 0 ? answer(next) : [])]
  }
  const url = await serveAnswers(t, connack(0, true), answer, answer)
  const { told } = pull(t, source, settingsOf(url), { memory })
  await poll('the warning', () => told('warning').length === 1)
  t.match(told('warning'), [/goes on sending messages of old, .*\(MQTT reason 135\)\./])
  await poll('the note', () => memory.recall('mqtt 127.0.0.1/bench') === `old\n${TOPIC}`)
})

t.test('a broker that only closes is asked twice before somebody else is suspected', async (t) => {
  const url = await serveAnswers(t, connack(0, true), 'close')
  const { told } = pull(t, source, settingsOf(url))
  await poll('the suspicion', () => told('error').length >= 3)
  t.match(told('error').slice(0, 3), [
    /closed the connection\.$/,
    /closes the connection again and again: perhaps somebody else uses the same client ID\./,
    /perhaps/,
  ])
  const fresh = pull(t, source, settingsOf(await serveAnswers(t, connack(0), 'close')))
  t.match(spoken(await fresh.ended), {
    code: 'SOURCE_UNREACHABLE',
    message: /closed the connection/,
  })
})

t.test('each round of a contest waits longer; a long calm ends it', (t) => {
  const error = new PlatenError('SOURCE_UNREACHABLE', 'broker closed the connection.')
  const long = new Contest('broker', SURE)
  t.equal(long.judge(error), undefined, 'there was no connection')
  const play = (contest: Contest, end: MqttEnd, hasSession?: boolean): string | undefined => {
    contest.begin()
    if (hasSession !== undefined) contest.open(hasSession)
    contest.end(end)
    const said = contest.judge(error)
    return said && inEnglish(said)
  }
  for (const round of [1, 2, 3]) {
    t.equal(long.isCalm(), round === 1)
    t.match(play(long, 'taken over', false), /somebody else/)
    t.equal(long.rounds, round)
  }
  t.match(play(long, 'cut off', false), /somebody else/, 'in the midst of it a cut is one more')
  t.match(play(long, 'cut off'), /somebody else/, 'before the broker has answered, too')
  t.equal(play(long, 'said', true), undefined)
  const short = new Contest('broker', { quickMs: 0, calmMs: 0 })
  for (const _ of [1, 2]) {
    t.match(play(short, 'taken over', true), /somebody else/)
    t.equal(short.rounds, 1)
    t.ok(short.isCalm())
  }
  t.equal(play(short, 'cut off', true), undefined)
  t.equal(short.judge(new Error('a fault')), undefined)
  t.end()
})

t.test('brokers that are away, silent, busy or old are told of in sentences', async (t) => {
  const quick = createMqtt({ ...PATIENT, connectMs: 100 })
  const ask = (url: string, of = source) => of.test(settingsOf(url), signal())
  const closed = `127.0.0.1:${await findClosedPort()}`
  await t.rejects(ask(`mqtt://${closed}`), {
    code: 'SOURCE_UNREACHABLE',
    message: `${closed} refuses connections: nothing listens there.`,
  })
  await t.rejects(ask(await serveAnswers(t), quick), {
    code: 'SOURCE_UNREACHABLE',
    message: /does not answer/,
  })
  const noUser = { ...settingsOf(`mqtt://${closed}`), password: 'x' }
  await t.rejects(quick.test(noUser, signal()), { message: /needs a broker user beside it/ })
  for (const [reason, code, words] of [
    [132, 'SOURCE_REFUSED', /speaks no MQTT 5/],
    [137, 'SOURCE_UNREACHABLE', /cannot serve this print server now/],
    [160, 'SOURCE_REFUSED', /refuses what this print server asks for\.$/],
  ] as const) {
    await t.rejects(ask(await serveAnswers(t, connack(reason))), { code, message: words })
  }
  const aborted = quick.test(settingsOf(await serveAnswers(t)), AbortSignal.abort())
  await t.rejects(aborted, /aborted/)
  t.equal(quick.describe(settingsOf('mqtt://broker:1')), `broker:1, topic ${TOPIC}`)
  const brief = createMqtt({ ...PATIENT, replyMs: 100 })
  const deaf = pull(t, brief, settingsOf(await serveAnswers(t, connack(0))))
  t.match(spoken(await deaf.ended), { code: 'SOURCE_UNREACHABLE', message: /does not answer/ })
  // SUBACK with reason 135 and the number of the SUBSCRIBE
  const refusal = (data: Buffer) => [0x90, 4, data[2] ?? 0, data[3] ?? 0, 0, 135]
  const denied = pull(t, source, settingsOf(await serveAnswers(t, connack(0), refusal)))
  t.match(spoken(await denied.ended), { code: 'SOURCE_REFUSED', message: /read the topic platen/ })
})

/** Returns the first packet of the source; the broker refuses. */
async function firstPacket(t: Test, more: Partial<MqttSettings>, intake: Partial<SourceIntake>) {
  let first: Buffer = Buffer.alloc(0)
  const refuse: Answer = (packet) => {
    first = packet
    return connack(135)
  }
  const timing = { keepAliveSeconds: 258, sessionSeconds: 66_051, willSeconds: 5 }
  const settings = settingsOf(await serveAnswers(t, refuse), more)
  const of = createMqtt({ ...PATIENT, ...SURE, ...timing })
  await pull(t, of, settings, intake).ended
  return first
}

t.test('a session is kept for us, within bounds; a look leaves nothing (3.1)', async (t) => {
  // The properties: session expiry 66,051 s, maximum packet size, receive maximum.
  const [expiry, size] = ['1100010203', '27']
  const asHex = (packet: Buffer): string => packet.toString('hex')
  const head = '00044d51545405' // MQTT 5
  const mib = { messageBytes: 2 ** 20 }
  const first = await firstPacket(t, {}, mib)
  const sizeOf = (bytes: number): string => size + (bytes + 65_536).toString(16).padStart(8, '0')
  t.match(asHex(first).slice(4), new RegExp(`^${head}000102`), 'no clean start, keep alive 258 s')
  t.ok(asHex(first).includes(expiry) && asHex(first).includes(sizeOf(2 ** 20)))
  for (const [ack, messageBytes, receives] of [
    ['spooled', 2 ** 20, '21000a'],
    ['spooled', 2 ** 22, '210008'],
    ['spooled', 2 ** 25, '210002'],
    ['printed', 2 ** 20, '210001'],
  ] as const) {
    const first = await firstPacket(t, {}, { ack, messageBytes })
    const what = `${ack}, ${messageBytes} bytes: ${receives}`
    t.ok(asHex(first).includes(receives + sizeOf(messageBytes)), what)
  }
  const known = await firstPacket(t, { username: 'u', password: 'p' }, mib)
  t.match(asHex(known), new RegExp(`^..(..)+${head}c0`), 'user and password')
  t.ok(asHex(known).endsWith('000175000170'))
  const willing = await firstPacket(t, { status_topic: 's' }, mib)
  t.match(asHex(willing), new RegExp(`${head}2c`), 'a will of QoS 1 that stays')
  t.ok(asHex(willing).includes('1800000005'), 'told 5 s after a break')
  t.ok(willing.includes('{"online":false,"ready":false,"message":"The print server has gone."}'))
  t.match(asHex(await lookPacket(t)), new RegExp(`${head}02`), 'a look is a clean start')
})

/** The first packet of a look. */
async function lookPacket(t: Test): Promise<Buffer> {
  let first: Buffer = Buffer.alloc(0)
  const url = await serveAnswers(t, (packet) => {
    first = packet
    return connack(135)
  })
  await t.rejects(source.test(settingsOf(url), signal()), { code: 'SOURCE_REFUSED' })
  t.match(first.toString('latin1'), /platen-look-[0-9a-f]{8}/, 'under a name of its own')
  t.notOk(first.includes('bench'))
  t.notOk(first.toString('hex').includes('1100010203'))
  return first
}

t.test('a look says what it saw', async (t) => {
  const asked: Buffer[] = []
  const suback: Answer = (packet) => {
    asked.push(packet)
    return [0x90, 4, packet[2] ?? 0, packet[3] ?? 0, 0, 0]
  }
  for (const [topic, group] of [
    [TOPIC, ''],
    [`$share/pack/${TOPIC}`, ` ${inEnglish(say('outsideGroup'))}`],
  ] as const) {
    const url = await serveAnswers(t, connack(0), suback)
    const where = new URL(url).host
    const reached = inEnglish(say('reachedMqtt', { where, topic: TOPIC }))
    t.equal(
      spoken(await source.test(settingsOf(url, { topic }), signal())),
      `${reached} ${inEnglish(say('withoutTls'))}${group} ${inEnglish(say('publishOne'))}`,
    )
    // QoS 0, and nothing that is retained: no label is taken.
    t.equal(asked.at(-1)?.at(-1), 0x20)
  }
})

t.test('the status topic says whether labels can print, at each change', async (t) => {
  const said: string[] = []
  let why = ''
  const answer: Answer = (packet) => {
    if (packet[0] === 0x82) return [0x90, 4, packet[2] ?? 0, packet[3] ?? 0, 0, 1]
    if (((packet[0] ?? 0) & 0xf0) !== 0x30) return []
    said.push(packet.toString('latin1').replace(/^.*?\{"/s, '{"'))
    const at = 4 + (packet[3] ?? 0)
    return [0x40, 2, packet[at] ?? 0, packet[at + 1] ?? 0]
  }
  const url = await serveAnswers(t, connack(0), ...Array<Answer>(9).fill(answer))
  const { stop } = pull(t, source, settingsOf(url, { status_topic: 's' }), {
    blockage: () => quoteEnglish(why),
  })
  await poll('the first word', () => said.length === 1)
  why = 'No paper.'
  await poll('the second', () => said.length === 2)
  await stop()
  t.strictSame(
    said.map((text) => JSON.parse(text) as unknown),
    [
      { online: true, ready: true, message: '' },
      { online: true, ready: false, message: 'No paper.' },
      { online: false, ready: false, message: 'The print server was stopped.' },
    ],
  )
})

t.test('what a broker gives as its reason, as one sentence', (t) => {
  const [away, refused] = ['SOURCE_UNREACHABLE', 'SOURCE_REFUSED'] as const
  const place = { where: 'broker' }
  for (const [reason, code, message] of [
    ...[3, 136, 137, 139, 141, 147, 151, 152].map(
      (reason) => [reason, away, inEnglish(say('cannotServe', place))] as const,
    ),
    ...([1, 132] as const).map(
      (reason) => [reason, refused, inEnglish(say('noMqtt5', place))] as const,
    ),
    ...([4, 134] as const).map(
      (reason) => [reason, refused, inEnglish(say('badLogin', place))] as const,
    ),
    ...([5, 135] as const).map(
      (reason) => [reason, refused, inEnglish(say('notLetIn', place))] as const,
    ),
    [142, refused, inEnglish(say('sameClient', place))],
    ...[133, 138, 144, 149, 153, 154, 158, 160].map(
      (reason) => [reason, refused, inEnglish(say('turnsAway', place))] as const,
    ),
  ] as const) {
    const error = explainReason('broker', reason)
    t.match(error, { code, message }, `reason ${reason}`)
    t.match(error.detail, `MQTT reason ${reason}`)
  }
  for (const [reason, words] of [
    [154, /status_topic must be "none"/],
    [158, /no shared subscriptions/],
    [149, /no message of this size/],
    [160, /refuses the connection/],
  ] as const) {
    t.match(explainReason('broker', reason).detail, words)
  }
  t.end()
})

t.test('... and what the client makes of it', (t) => {
  const failed = (more: object, message = 'Why.'): Error => Object.assign(new Error(message), more)
  const place = { where: 'broker', topic: 'a/b' }
  const ours = new PlatenError('SOURCE_REFUSED', 'Ours.')
  t.equal(explainMqtt('broker', ours), ours)
  for (const [error, code, message] of [
    [
      explainMqtt('broker', failed({ code: 135 })),
      'SOURCE_REFUSED',
      inEnglish(say('notLetIn', place)),
    ],
    [
      explainMqtt('broker', failed({}, 'Keepalive timeout')),
      'SOURCE_UNREACHABLE',
      inEnglish(say('silent', { printer: 'broker' })),
    ],
    [
      explainMqtt('broker', failed({ code: 'ECONNREFUSED' })),
      'SOURCE_UNREACHABLE',
      'broker refuses connections: nothing listens there.',
    ],
    [
      explainTopic('broker', 'a/b', failed({ packet: { granted: [135] } })),
      'SOURCE_REFUSED',
      inEnglish(say('noSubscribe', place)),
    ],
    [
      explainTopic('broker', 'a/b', failed({ packet: undefined }, 'timeout')),
      'SOURCE_UNREACHABLE',
      inEnglish(say('silent', { printer: 'broker' })),
    ],
    [
      explainTell('broker', 'a/b', failed({ code: 135 })),
      'SOURCE_REFUSED',
      inEnglish(say('noPublish', place)),
    ],
    [
      explainTell('broker', 'a/b', failed({ code: 134 })),
      'SOURCE_REFUSED',
      inEnglish(say('badLogin', place)),
    ],
  ] as const) {
    t.match(error, { code, message })
  }
  t.end()
})

t.test('a certificate is a text or the path of a file', (t) => {
  const secure = (more: Partial<MqttSettings>): MqttSettings =>
    settingsOf('mqtts://127.0.0.1:9', more)
  for (const name of ['ca', 'client_cert', 'client_key'] as const) {
    t.throws(() => openStream(secure({ [name]: '/nowhere/it.pem' })), {
      code: 'SOURCE_REFUSED',
      message: `${name}: the file cannot be read (ENOENT); wanted the path of a PEM file, or its text.`,
    })
  }
  const text = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
  t.throws(() => openStream(secure({ client_cert: text })), /PEM|ASN|asn1/, 'read by TLS itself')
  t.end()
})

t.test('what was published with QoS 2 under our name is taken at once', async (t) => {
  const label = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
  const suback: Answer = (packet) => [
    0x90,
    4,
    packet[2] ?? 0,
    packet[3] ?? 0,
    0,
    1,
    ...publish(label, undefined, 0x34),
  ]
  // At our PUBREC.
  const pubrel = [0x62, 2, 0, 7]
  const taken: unknown[] = []
  const { told } = pull(
    t,
    source,
    settingsOf(await serveAnswers(t, connack(0), suback, pubrel), { topic: 't' }),
    {
      ready: () => new Promise(() => undefined),
      accept: (message) => {
        taken.push(message)
        return Promise.reject(new PlatenError('SPOOL_FULL', 'The spool is full.'))
      },
    },
  )
  await poll('the loss', () => told('warning').length > 0)
  t.equal(taken.length, 1)
  t.equal(
    told('warning')[0],
    'A message of t is lost, as its sender published it with QoS 2. The spool is full.',
  )
})
