import t from 'tap'
import * as v from 'valibot'
import { TIMING as QUEUE } from '../../../src/core/queue/parts.ts'
import { boundsWith } from '../../../src/http/bounds.ts'
import { TIMING as BEANSTALKD } from '../../../src/plugins/beanstalkd/settings.ts'
import {
  clientIdOf,
  keyOf,
  TIMING as MQTT,
  type MqttSettings,
  settings as mqtt,
} from '../../../src/plugins/mqtt/settings.ts'
import { TIMING as SQS } from '../../../src/plugins/sqs/settings.ts'

t.test('nobody is given up at once, and nothing is bounded by nothing', (t) => {
  const { backOff, ...times } = MQTT
  const all = { QUEUE, BEANSTALKD, SQS, MQTT: times, backOff, bounds: boundsWith() }
  for (const [of, values] of Object.entries(all)) {
    for (const [name, value] of Object.entries(values)) t.ok(value > 0, `${of} ${name}`)
  }
  t.end()
})

t.test('patience that depends on that of others', (t) => {
  t.ok(SQS.pollSeconds <= 20, 'Amazon SQS API Reference, ReceiveMessage: WaitTimeSeconds')
  t.ok(MQTT.calmMs > MQTT.backOff.mostMs, 'longer than the pauses of another box')
  t.ok(MQTT.keepAliveSeconds < 65_536, 'two bytes: MQTT 5.0, 3.1.2.10')
  t.ok(MQTT.sessionSeconds >= 3 * 86_400, 'labels of a weekend come on Monday')
  t.ok(QUEUE.retryFirstMs < QUEUE.retryMostMs)
  t.end()
})

t.test('which addresses of a broker can be meant', (t) => {
  const good = (url: string): boolean => v.is(mqtt, { url, topic: 'labels' })
  for (const url of ['mqtt://broker', 'mqtts://broker.example', 'mqtt://192.0.2.1:1884/']) {
    t.ok(good(url), url)
  }
  for (const url of [
    'broker',
    'http://broker',
    'mqtt://',
    'mqttss://broker',
    'mqtt://192.0.2',
    'mqtt://1',
    'mqtt://user@broker',
    'mqtt://user:secret@broker',
    'mqtt://broker/path',
  ]) {
    t.notOk(good(url), url)
  }
  t.end()
})

t.test('a message is known by the id of its sender, or by its number and bytes', (t) => {
  const packet = { cmd: 'publish', topic: 't', messageId: 7, dup: false, retain: false } as const
  const key = (payload: string, id?: string | string[], messageId: number | undefined = 7) => {
    const properties = id === undefined ? {} : { properties: { userProperties: { id } } }
    const number = messageId === undefined ? {} : { messageId }
    return keyOf(
      { ...packet, qos: 1, payload: Buffer.from(payload), ...number, ...properties },
      's',
    )
  }
  t.strictSame(key('a', 'order 7'), { key: 't:order 7', isSenders: true })
  t.strictSame(key('a', ['first', 'second']), { key: 't:first', isSenders: true })
  t.strictSame(key('a', 'x'.repeat(200)), { key: `t:${'x'.repeat(200)}`, isSenders: true })
  for (const id of [undefined, '', 'x'.repeat(201)]) {
    const { key: made, isSenders } = key('a', id)
    t.match(made, /^s\n7:[0-9a-f]{32}$/)
    t.notOk(isSenders)
  }
  t.not(key('a').key, key('b').key)
  t.not(key('a').key, key('a', undefined, 8).key)
  t.end()
})

t.test('our name at a broker is always the same, and another for each topic', (t) => {
  const at = (topic: string, more: Partial<MqttSettings> = {}): string =>
    clientIdOf({ url: 'mqtt://broker', topic, ...more })
  t.match(at('a'), /^platen-[A-Za-z0-9-]{1,40}-[0-9a-f]{8}$/)
  t.equal(at('a'), at('a'))
  t.not(at('a'), at('b'))
  t.not(at('a'), at('a', { url: 'mqtt://other' }))
  t.equal(at('a', { client_id: 'bench' }), 'bench')
  t.end()
})
