import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeName } from '../../src/printers/known/finds.ts'
import type { FieldDescription } from '../../src/settings/describe.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import { quote } from '../../src/words/errors.ts'
import { checkConfig, describeSchema, loadConfig } from './all.ts'

const CONTROLS = ['\r', '\n', '\0', '\t', '\u001b', '\u007f', '\u0085', '\u2028', '\ud800']
const keysOf = (raw: unknown) => (checkConfig(raw).faults ?? []).map(({ key }) => key)

t.test('a host is a name or an address and nothing else', (t) => {
  const good = ['', 'localhost', 'LOCALHOST', 'box', 'box-2.packing_hall.example', 'a'.repeat(63)]
  good.push(
    '10.1.2.3',
    '0.0.0.0',
    '::',
    '::1',
    'fd00::1',
    '::ffff:10.1.2.3',
    'xn--bcher-kva.example',
  )
  t.same(
    good.filter((host) => keysOf({ host }).length > 0),
    [],
  )
  const bad = CONTROLS.flatMap((sign) => [`::${sign}`, `box${sign}x`, `${sign}box`])
  bad.push('::\rExecStartPre=/bin/sh\rStandardInput=file:/etc/platen/config.json\r#')
  bad.push(
    '::\\r#',
    'a\\nb',
    'a b',
    ' ',
    ' box',
    'box ',
    '$(id)',
    '`id`',
    '$HOME',
    '"',
    "'",
    'a"b',
    "a'b",
  )
  bad.push(
    '-n',
    '-box',
    'box-',
    'a..b',
    '.a',
    'a.',
    '%n',
    'a%b',
    'a;b',
    'a|b',
    'a&b',
    'a*',
    '?',
    '[::1]',
    '[',
  )
  bad.push(
    'fe80::1%eth0',
    'box:80',
    'http://box',
    'a/b',
    '../x',
    'a,b',
    'a=b',
    'a#b',
    'a@b',
    'b\u00fccher',
    '1.2.3',
  )
  bad.push('010.0.0.1', '0x7f.1', '256.1.1.1', '1', ':::', 'a'.repeat(64), `${'a.'.repeat(127)}a`)
  t.same(
    bad.filter((host) => keysOf({ host }).length === 0),
    [],
    'all are refused',
  )
  t.end()
})

t.test(
  'no text and no key holds a control character, however deep and whether known or not',
  (t) => {
    for (const sign of CONTROLS) {
      t.same(keysOf({ password: `a${sign}b` }), ['password'])
      t.same(keysOf({ made_up: [{ x: [`a${sign}`] }] }), ['made_up[0].x[0]'])
      t.same(keysOf({ heart_beat_params: { a: { b: sign } } }), ['heart_beat_params.a.b'])
      t.same(keysOf({ printers: [{ name: 'A', uri: `socket://10.0.0.7:9100/${sign}` }] }), [
        'printers[0].uri',
      ])
      const queue = { type: 'sqs', region: `eu${sign}`, url: 'https://sqs.example/1/q' }
      t.same(keysOf({ queues: [queue] }), ['queues[0].region'])
      t.same(keysOf({ queues: [{ ...queue, region: 'eu', of_a_plugin: sign }] }), [
        'queues[0].of_a_plugin',
      ])
      const [fault] = checkConfig({ [`a${sign}b`]: 1 }).faults ?? []
      t.match(fault?.message, /^the key has the control character U\+[0-9A-F]{4}, wanted/)
      t.notMatch(`${fault?.key} ${fault?.message}`, sign, 'the sentence does not repeat it')
    }
    t.end()
  },
)

/** Lists the places of a text of each key. */
function* places(
  fields: readonly FieldDescription[],
  wrap: (inner: object) => object,
): Generator<{ field: FieldDescription; raw: object }> {
  for (const field of fields) {
    if (field.fields !== undefined) {
      const type = (inner: FieldDescription) =>
        inner.only === undefined ? {} : { type: inner.only[0] }
      for (const inner of field.fields) {
        yield* places([inner], (one) => wrap({ [field.key]: [{ ...type(inner), ...one }] }))
      }
    } else if (field.type === 'texts') yield { field, raw: wrap({ [field.key]: ['a\r'] }) }
    else yield { field, raw: wrap({ [field.key]: 'a\r' }) }
  }
}

t.test('every key of the schema refuses a line end', (t) => {
  for (const { field, raw } of places(describeSchema(), (inner) => inner)) {
    t.ok(
      keysOf(raw).some((key) => key.endsWith(field.key) || key.endsWith(`${field.key}[0]`)),
      field.key,
    )
  }
  t.end()
})

t.test('a certificate may be its text', (t) => {
  const pem = '-----BEGIN CERTIFICATE-----\r\nAAAA\n-----END CERTIFICATE-----\n'
  const mqtt = { type: 'mqtt', url: 'mqtts://broker.example', topic: 'labels' }
  t.same(keysOf({ queues: [{ ...mqtt, ca: pem, client_cert: pem, client_key: pem }] }), [])
  t.same(keysOf({ queues: [{ ...mqtt, ca: `${pem}\0` }] }), ['queues[0].ca'])
  t.same(keysOf({ queues: [{ ...mqtt, username: pem }] }), ['queues[0].username'])
  t.end()
})

t.test('a printer has a name that stays as it is in an address', (t) => {
  const uri = 'socket://10.0.0.7:9100'
  for (const name of ['..', '.', '', ' ', '\ud800', '\t', 'x'.repeat(101)]) {
    t.same(keysOf({ printers: [{ name, uri }] }), ['printers[0].name'], JSON.stringify(name))
  }
  for (const name of [
    '...',
    '.x',
    'a/b',
    '%2e%2e',
    'Packtisch \u00fc \ud83d\udce6',
    '?',
    '#',
    '\\',
  ]) {
    t.same(keysOf({ printers: [{ name, uri }] }), [], name)
  }
  t.end()
})

t.test('a found printer gets such a name too, and a message quotes a name on one line', (t) => {
  const name = (wanted: string) => makeName(wanted, () => false)
  t.same(['..', '.\u2028', '\t', ' A\ud800B\r\n'].map(name), [
    'Printer',
    'Printer',
    'Printer',
    'A B',
  ])
  t.equal(quote('a\u007f\u2028\r"'), '"a\\u007f\\u2028\\r\\""')
  t.end()
})

t.test('what is saved can be read at the next start', async (t) => {
  const file = join(t.testdir(), 'config.json')
  writeFileSync(file, '{}', { mode: 0o600 })
  const store = new ConfigStore(file, loadConfig(file))
  const nest = (levels: number): unknown => {
    let value: unknown = 1
    for (let level = 0; level < levels; level++) value = [value]
    return value
  }
  await store.put({ heart_beat_params: nest(99) })
  t.match(loadConfig(file), { warnings: [] })
  for (const levels of [100, 5_000]) {
    await t.rejects(store.put({ heart_beat_params: nest(levels) }), {
      message: /at most 100 lists/,
    })
  }
  await t.rejects(store.put({ heart_beat_params: 'x'.repeat(2 ** 20) }), {
    message: /more than 1048576 bytes/,
  })
  t.match(loadConfig(file), { warnings: [] })
})

t.test('a file without an end is not read to its end', (t) => {
  t.throws(() => loadConfig('/dev/zero'), { message: /zero: got more than 1048576 bytes/ })
  t.end()
})
