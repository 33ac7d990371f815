import t from 'tap'
import { findClashes } from '../../../src/plugins/source/run.ts'
import { sources } from '../../../src/plugins/sources.ts'
import { formatFault } from '../../../src/settings/faults.ts'
import { findWarnings, readConfig } from '../../settings/all.ts'

const mqtt = (url: string, topic: string, more: object = {}) => ({
  type: 'mqtt',
  url,
  topic,
  ...more,
})
const clashes = (...queues: readonly { readonly type: string }[]): readonly number[] => [
  ...findClashes(queues, sources).keys(),
]

t.test('two queues clash when one broker knows them by one name', (t) => {
  const x = { client_id: 'x' }
  const a = mqtt('mqtt://broker.example', 'a', x)
  t.same(clashes(a, mqtt('mqtt://broker.example', 'b', x)), [1])
  t.same(clashes(a, mqtt('mqtt://broker.example:1883/', 'b', x)), [1])
  t.same(clashes(a, mqtt('mqtts://BROKER.example.', 'b', x)), [1], 'its TLS has the same sessions')
  t.same(clashes(a, mqtt('mqtt://other.example', 'b', x)), [])
  t.same(clashes(a, mqtt('mqtt://broker.example', 'b', { client_id: 'y' })), [])
  t.same(clashes(a, mqtt('mqtt://broker.example', 'a')), [])
  const made = mqtt('mqtt://broker.example', 'a', { printer: 'Bench 1' })
  t.same(clashes(made, mqtt('mqtt://broker.example', 'a', { printer: 'Bench 2' })), [1])
  t.same(clashes(made, mqtt('mqtt://broker.example', 'b', { printer: 'Bench 2' })), [])
  t.same(clashes(a, { type: 'unknown' }, a, a), [2, 3])
  const tube = { type: 'beanstalkd', endpoint: 'queue.example:11300' }
  t.same(clashes(tube, tube), [], 'two may pull from one tube')
  t.end()
})

t.test('whoever saves or checks such settings is told', (t) => {
  const raw = {
    queues: [
      mqtt('mqtt://b', 'one', { client_id: 'x' }),
      mqtt('mqtt://b', 'two', { client_id: 'x' }),
    ],
  }
  t.match(findWarnings(raw, readConfig(raw)).map(formatFault), [
    /^queues\[1\]: Queue 2 \(b, topic two\) does not run: .* queue 1 \(b, topic one\).* client_id of its own\.$/,
  ])
  t.end()
})
