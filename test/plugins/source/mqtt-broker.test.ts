import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import type { MqttSettings } from '../../../src/plugins/mqtt/settings.ts'
import type { SourceIntake } from '../../../src/plugins/source/source.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { quoteEnglish } from '../../../src/words/say.ts'
import { TcpProxy } from '../../devices/tcp-proxy.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { pull, stayStopped } from './intake-bench.ts'
import { MosquittoDaemon, noMosquitto } from './mosquitto-daemon.ts'

t.setTimeout(300_000)

const TOPIC = 'platen/bench/print'
const STATUS = 'platen/bench/status'
const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const needed = { skip: noMosquitto }

/** For brokers that answer, on a machine that may be slow. */
const PATIENT = { connectMs: 60_000, replyMs: 60_000, goodbyeMs: 60_000, statusMs: 20 }
const source = createMqtt({
  ...PATIENT,
  willSeconds: 0,
  settleMs: 100,
  backOff: { firstMs: 20, mostMs: 100 },
})
const signal = (): AbortSignal => AbortSignal.timeout(120_000)
const settingsOf = (url: string, more: Partial<MqttSettings> = {}): MqttSettings => ({
  url,
  topic: TOPIC,
  client_id: 'bench',
  status_topic: STATUS,
  ...more,
})

/** Waits until the source has subscribed. */
async function started(daemon: MosquittoDaemon): Promise<void> {
  await poll('the subscription', () => daemon.log().includes('Sending SUBACK to bench'))
}

/** The broker's own plugin for rights; only with it a subscription is refused (acl_file lets all subscribe). */
function findDynamicSecurity(): string {
  const folders = readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)
  const paths = folders.map((folder) => join(folder, 'mosquitto_dynamic_security.so'))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error('mosquitto without its plugin')
  return found
}

const count = (text: string, piece: string): number => text.split(piece).length - 1

t.test(
  'a retained topic tells whether the box is there, and why it takes nothing',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    const proxy = await TcpProxy.open(() => daemon.port)
    t.teardown(() => proxy.close())
    let blockage = ''
    const settings = settingsOf(`mqtt://127.0.0.1:${proxy.port}`)
    const first = pull(t, source, settings, { blockage: () => quoteEnglish(blockage) })
    const says = (status: object) =>
      poll(
        JSON.stringify(status),
        async () => (await daemon.retained(STATUS)) === JSON.stringify(status),
      )
    await says({ online: true, ready: true, message: '' })
    blockage = 'A is out of labels.'
    await says({ online: true, ready: false, message: blockage })
    proxy.cut()
    await says({ online: false, ready: false, message: 'The print server has gone.' })
    t.match(spoken(await first.ended), { code: 'SOURCE_UNREACHABLE', message: /closed|broke/ })
    const second = pull(t, source, settings)
    await says({ online: true, ready: true, message: '' })
    await second.stop()
    t.match(spoken(JSON.parse(await daemon.retained(STATUS))), {
      online: false,
      message: /was stopped/,
    })
    await poll('the goodbye', () => daemon.log().includes('Received DISCONNECT from bench'))
  },
)

t.test('a name may hold signs that the topic of its status may not', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const more = { client_id: 'Bench #1+', status_topic: undefined }
  const { told } = pull(t, source, settingsOf(daemon.url, more))
  const status = async () => await daemon.retained('platen/Bench -1-/status')
  await poll('the status', async () => (await status()).includes('"online":true'))
  t.strictSame(told('error'), [])
})

t.test(
  'no status is told where none is wanted, and the name is always the same',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    const { client_id, ...settings } = settingsOf(daemon.url, { status_topic: 'none' })
    for (const round of [1, 2]) {
      const { stop, events } = pull(t, source, settings)
      await poll('contact', () => events.length > 0)
      await stop()
      const names = daemon.log().match(/ as platen-\S+/g) ?? []
      t.equal(names.length, round)
      t.equal(new Set(names).size, 1)
    }
    t.notMatch(daemon.log(), 'Received PUBLISH')
  },
)

t.test('words of a status topic that the topic covers are no labels', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  let blockage = ''
  const settings = settingsOf(daemon.url, { topic: 'platen/#' })
  const { bench, told } = pull(t, source, settings, { blockage: () => quoteEnglish(blockage) })
  await poll('the status', async () => (await daemon.retained(STATUS)).includes('"ready":true'))
  blockage = 'A is out of labels.'
  await poll('the change', async () => (await daemon.retained(STATUS)).includes(blockage))
  await daemon.put('platen/any', ZPL64)
  await poll('the label', () => bench.spool.history.counts().completed === 1)
  t.strictSame(told('refused'), [])
  t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
})

t.test('identical labels print each; the same id prints once', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const { bench, told } = pull(t, source, settingsOf(daemon.url))
  await started(daemon)
  const ended = () => bench.spool.history.counts().completed
  for (const _ of [1, 2, 3]) await daemon.put(TOPIC, ZPL64)
  await poll('three labels', () => ended() === 3)
  const properties = { userProperties: { id: 'order-7' } }
  for (const _ of [1, 2]) await daemon.put(TOPIC, ZPL64, { properties })
  const ids = { userProperties: { id: ['order-8', 'order-9'] } }
  await daemon.put(TOPIC, ZPL64, { properties: ids })
  await poll('acknowledgements', () => daemon.waiting('bench') === 0)
  await poll('two more labels', () => ended() === 5)
  await daemon.put(TOPIC, Buffer.from('^XA^FDOther^FS^XZ').toString('base64'), { properties })
  await poll('the other label to be refused', () => told('refused').length === 1)
  t.match(told('refused'), [/^A message of platen\/bench\/print is kept here\. /])
})

t.test('the numbers of packets come round, and equal labels still print', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const { bench } = pull(t, source, settingsOf(daemon.url))
  await started(daemon)
  await daemon.put(TOPIC, ZPL64)
  await poll('the label', () => bench.spool.history.counts().completed === 1)
  // Our session is gone at the broker: it counts from 1 again.
  const thief = await daemon.connect({ clientId: 'bench', clean: true })
  await thief.endAsync()
  const messages = bench.intake.forSource('mqtt')
  const intake = { ...messages, isReady: () => true }
  const again = pull(t, source, settingsOf(daemon.url), intake)
  await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 2)
  await daemon.put(TOPIC, ZPL64)
  await poll('the label again', () => bench.spool.history.counts().completed === 2)
  t.equal(bench.spool.history.list({ limit: 9 }).length, 2)
  await again.stop()
})

t.test('labels that are cut off in mid-delivery come again and print once', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  const proxy = await TcpProxy.open(() => daemon.port)
  t.teardown(() => proxy.close())
  await daemon.reserve('bench', TOPIC)
  const settings = settingsOf(`mqtt://127.0.0.1:${proxy.port}`)
  const { bench, stop } = pull(t, source, settings)
  const messages = bench.intake.forSource('mqtt')
  await stop()
  for (let index = 0; index < 60; index += 1) {
    await daemon.put(TOPIC, Buffer.from(`^XA^FD${index}^FS^XZ`).toString('base64'))
  }
  let rounds = 0
  let cuts = 0
  let labels = 0
  while (daemon.waiting('bench') > 0) {
    // The connection breaks with the label in the spool and its acknowledgement unsent.
    const accept: SourceIntake['accept'] = async (message) => {
      const taken = await messages.accept(message)
      labels += 1
      if (cuts < 8 && labels % 6 === 0) {
        cuts += 1
        proxy.cut()
      }
      return taken
    }
    const round = pull(t, source, settings, { ...messages, accept })
    const isDone = poll('acknowledgements', () => daemon.waiting('bench') === 0)
    await Promise.race([round.ended, isDone])
    isDone.catch(() => undefined)
    await round.stop()
    rounds += 1
  }
  await poll('all labels', () => bench.spool.history.counts().completed === 60)
  t.equal(bench.spool.history.list({ limit: 99 }).length, 60, `in ${rounds} connections`)
  t.match(daemon.log(), /Sending PUBLISH to bench \(d1, q1/, 'some came with the mark of a repeat')
})

t.test(
  'retained labels do not print at every start; what needs no acknowledgement is taken at once',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    await daemon.put(TOPIC, ZPL64, { retain: true })
    const full = new PlatenError('SPOOL_FULL', 'no room')
    const { bench, stop } = pull(t, source, settingsOf(daemon.url), { ready: stayStopped })
    await started(daemon)
    await daemon.put(TOPIC, ZPL64)
    await daemon.put(TOPIC, ZPL64, { qos: 0 })
    await poll('the label of QoS 0', () => bench.spool.history.counts().completed === 1)
    t.equal(bench.spool.history.list({ limit: 9 }).length, 1, 'the other one waits at the broker')
    await stop()
    const lossy = pull(t, source, settingsOf(daemon.url), {
      ready: stayStopped,
      accept: () => Promise.reject(full),
    })
    await poll('the subscription', () => count(daemon.log(), 'Sending SUBACK to bench') === 2)
    await daemon.put(TOPIC, ZPL64, { qos: 0 })
    await poll('the warning', () => lossy.told('warning').length === 1)
    t.match(lossy.told('warning'), [/is lost, as its sender published it with QoS 0/])
  },
)

t.test('pings are answered while labels wait for their printer', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  // The broker bears half of it more; so late may a ping of a busy machine be.
  const patient = createMqtt({ ...PATIENT, keepAliveSeconds: 8, settleMs: 100 })
  let isReady = false
  const ready = async (stop: AbortSignal): Promise<void> => {
    await poll('a ready printer', () => isReady || stop.aborted, 600)
    stop.throwIfAborted()
  }
  const { bench, events } = pull(t, patient, settingsOf(daemon.url), { ready })
  await started(daemon)
  for (let index = 0; index < 30; index += 1) await daemon.put(TOPIC, ZPL64)
  // Without the answer to the first there would be no second.
  await poll('pings', () => count(daemon.log(), 'Sending PINGRESP to bench') >= 2, 120)
  t.equal(daemon.waiting('bench'), 30)
  t.equal(count(daemon.log(), 'Sending PUBLISH to bench'), 10, 'the broker holds the rest back')
  isReady = true
  await poll('all labels', () => bench.spool.history.counts().completed === 30)
  t.equal(count(daemon.log(), ' as bench ('), 1)
  t.ok(events.length > 4)
})

t.test('a stop while labels print acknowledges what is in the spool', needed, async (t) => {
  const daemon = await MosquittoDaemon.start(t)
  let taken = 0
  const accept: SourceIntake['accept'] = () => {
    taken += 1
    return Promise.resolve({ jobs: [], repeated: false, ended: new Promise(() => undefined) })
  }
  const { stop } = pull(t, source, settingsOf(daemon.url), { ack: 'printed', accept })
  await started(daemon)
  for (const _ of [1, 2]) await daemon.put(TOPIC, ZPL64)
  await poll('the label to be ours', () => taken === 1)
  await stop()
  await poll('the acknowledgement', () => daemon.waiting('bench') === 1)
  const lost = pull(t, source, settingsOf(daemon.url), { ack: 'printed', accept })
  await poll('the other label', () => taken === 2)
  await daemon.kill()
  t.match(await lost.ended, { code: 'SOURCE_UNREACHABLE' })
})

t.test(
  'what is too large is kept here; what the box cannot take stays at the broker',
  needed,
  async (t) => {
    const daemon = await MosquittoDaemon.start(t)
    const { bench, told, stop } = pull(t, source, settingsOf(daemon.url))
    await started(daemon)
    await daemon.put(TOPIC, 'A'.repeat(60_001))
    await poll('the refusal', () => told('refused').length === 1)
    t.match(told('refused'), [/has 60001 bytes; wanted at most 60000 \(Largest request\)/])
    t.equal(bench.spool.history.counts()['pending-held'], 1)
    await stop()
    const full = new PlatenError('SPOOL_FULL', 'The spool is full.')
    const next = pull(t, source, settingsOf(daemon.url), { accept: () => Promise.reject(full) })
    await daemon.put(TOPIC, ZPL64)
    await poll('the end', () => count(daemon.log(), 'Received DISCONNECT from bench') === 2)
    t.equal(await next.stop(), full)
    t.equal(daemon.waiting('bench'), 1)
  },
)

t.test('TLS, a password, and rights are asked for in sentences', needed, async (t) => {
  const folder = t.testdir({
    acl: `user bench\ntopic readwrite platen/#\n`,
  })
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    'key.pem',
    '-out',
    'cert.pem',
  )
  execFileSync('mosquitto_passwd', ['-b', '-c', join(folder, 'users'), 'bench', 'geheim'])
  const tlsPort = await findClosedPort()
  const daemon = await MosquittoDaemon.start(t, [
    `listener ${tlsPort} 127.0.0.1`,
    `certfile ${folder}/cert.pem`,
    `keyfile ${folder}/key.pem`,
    `password_file ${folder}/users`,
    `acl_file ${folder}/acl`,
  ])
  const url = `mqtts://localhost:${tlsPort}`
  // The bench clears the folder.
  const pem = readFileSync(join(folder, 'cert.pem'), 'latin1')
  const user = { username: 'bench', password: 'geheim' }
  const ca = join(folder, 'cert.pem')
  const good = settingsOf(url, { ...user, ca })
  t.equal(
    spoken(await source.test(good, signal())),
    `Reached an MQTT 5 broker at localhost:${tlsPort}; it accepts a subscription to ${TOPIC}. The connection is encrypted (TLS). Publish one label to see it print: some brokers accept a subscription and then deliver nothing.`,
  )
  const fails = async (more: Partial<MqttSettings>, message: RegExp): Promise<void> => {
    await t.rejects(source.test({ ...good, ...more }, signal()), { message })
  }
  await fails({ password: 'wrong' }, /does not let this print server in/)
  await fails({ ca: join(folder, 'none') }, /^ca: the file cannot be read \(ENOENT\)/)
  await fails({ client_cert: 'no', client_key: 'no' }, /^client_cert: the file/)
  const { ca: _, ...noCa } = good
  await t.rejects(source.test(noCa, signal()), { message: /untrusted certificate/ })
  await fails({ url: `mqtts://127.0.0.1:${tlsPort}` }, /certificate of another name/)
  const { stop, bench } = pull(t, source, { ...good, ca: pem })
  await started(daemon)
  t.equal(bench.spool.history.list({ limit: 9 }).length, 0)
  await stop()
})

t.test(
  'a broker that refuses the status topic is told of, and was not reached',
  needed,
  async (t) => {
    const folder = t.testdir({ acl: 'topic readwrite other/#\n' })
    const strict = await MosquittoDaemon.start(t, [`acl_file ${folder}/acl`])
    const refused = pull(t, source, settingsOf(strict.url))
    t.match(spoken(await refused.ended), {
      code: 'SOURCE_REFUSED',
      message: /does not let this print server write to the topic platen\/bench\/status/,
    })
    t.same(refused.events, [])
  },
)

t.test('a look says what was seen, and takes no label', needed, async (t) => {
  const closed = { defaultACLAccess: { subscribe: false, publishClientReceive: true } }
  const rights = join(t.testdir({ 'rights.json': JSON.stringify(closed) }), 'rights.json')
  const strict = await MosquittoDaemon.start(t, [
    `plugin ${findDynamicSecurity()}`,
    `plugin_opt_config_file ${rights}`,
  ])
  await t.rejects(source.test(settingsOf(strict.url), signal()), {
    code: 'SOURCE_REFUSED',
    message: /does not let this print server read the topic platen\/bench\/print/,
  })
  const refused = pull(t, source, settingsOf(strict.url))
  t.match(spoken(await refused.ended), {
    code: 'SOURCE_REFUSED',
    message: /does not let this print server read/,
  })
  t.same(refused.events, [], 'it was not reached')
  const daemon = await MosquittoDaemon.start(t)
  await daemon.put(TOPIC, ZPL64, { retain: true })
  const topic = `$share/pack/${TOPIC}`
  const told = await source.test(settingsOf(daemon.url, { topic }), signal())
  t.match(
    spoken(told),
    `it accepts a subscription to ${TOPIC}. The connection is not encrypted. This was asked outside of the group, so`,
  )
  t.match(daemon.log(), `${TOPIC} (QoS 0)`)
  t.notMatch(daemon.log(), '$share')
  t.notMatch(daemon.log(), 'Sending PUBLISH', 'what is retained stays there')
})
