import t from 'tap'
import { refusalJson } from '../../src/http/server-faults.ts'
import { checkConfig } from '../../src/settings/check.ts'
import { FAILURES, type FailureCode, hintOf, PlatenError } from '../../src/words/errors.ts'
import { listForms } from '../../src/words/format.js'
import { readSentences } from '../../src/words/read-sentences.ts'
import { ENGLISH, type SentenceKey, say, sayAll } from '../../src/words/say.ts'

/** The sentences of the server, without the other texts of the file. */
const SENTENCES = Object.entries(ENGLISH).filter(([key]) => !key.includes('.'))

/** A value for each place, with blanks and signs as names have them. */
function valuesOf(text: string): Readonly<Record<string, string | number>> {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, name === 'n' ? 7 : `Bench ${name} 1.5, 2`]))
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))
}

t.test('each sentence is found again with its values', (t) => {
  for (const [key, template] of SENTENCES) {
    const text = listForms(template).get('other') ?? ''
    t.match(text, /[.?:]$/, `${key} ends`)
    const values = valuesOf(text)
    t.same(readSentences(fill(text, values)), [{ key, values }], key)
  }
  for (const code of Object.keys(FAILURES) as FailureCode[]) {
    const hint = hintOf(code)
    const key = readSentences(hint)[0]?.key as SentenceKey | FailureCode
    t.equal(key in FAILURES ? hintOf(key as FailureCode) : say(key as SentenceKey), hint, code)
  }
  t.end()
})

t.test('several in one message', (t) => {
  const printer = 'Bench. 2'
  const message = `${say('cutOff')} ${say('mayBeOut')} ${say('beforeMissing', { n: 1 })}`
  t.same(
    readSentences(message).map(({ key }) => key),
    ['cutOff', 'mayBeOut', 'beforeMissing'],
  )
  t.same(readSentences(`${say('isOpen', { printer })} ${say('keptAfterwards')}`), [
    { key: 'isOpen', values: { printer } },
    { key: 'keptAfterwards', values: {} },
  ])
  t.equal(say('beforeMissing', { n: 1 }), 'The label sent just before it may be missing too.')
  t.equal(say('canceledCount', { n: 2 }), '2 labels are canceled.')
  t.end()
})

t.test('what is not all in the table is left in English, and costs nothing', (t) => {
  t.same(readSentences(''), [])
  t.same(readSentences('The label is kept. Error 0x17.'), [])
  t.same(readSentences('Nobody says this.'), [])
  // Names that are sentences themselves: something is found, or nothing, and soon.
  const printer = `${say('isOpen', { printer: 'X' })} ${say('kept')} `.repeat(12).trim()
  const started = performance.now()
  for (let i = 0; i < 50; i++) readSentences(`${i} ${say('isOpen', { printer })} ${say('kept')}`)
  const short = SENTENCES.flatMap(([, text]) => (text.startsWith('{printer}') ? [text] : []))
    .sort((one, other) => one.length - other.length)
    .slice(0, 12)
  const mixed = (from: number): string =>
    Array.from({ length: 40 }, (_, i) => short[(i * 5 + from) % short.length])
      .join(' ')
      .replaceAll('{printer}', 'a')
  for (let i = 0; i < 60; i++) t.same(readSentences(`${mixed(i).slice(0, 980)} ${i}`), [])
  t.ok(performance.now() - started < 5_000)
  t.end()
})

t.test('every code says something to people, and keeps the words of programmers', (t) => {
  for (const code of Object.keys(FAILURES) as FailureCode[]) {
    const { plain, texts, detail } = refusalJson(new PlatenError(code, 'key: got 0x17.'))
    t.not(plain?.message, undefined, code)
    t.match(texts, { message: [{ key: /\w/ }] }, code)
    t.match(detail, /^key: got 0x17\./, code)
  }
  const said = refusalJson(new PlatenError('LABEL_EMPTY', say('isEmpty'), { detail: '7 bytes.' }))
  t.match(said, { Message: 'The label is empty.', detail: '7 bytes.' })
  t.equal(said.plain, undefined)
  t.end()
})

t.test('faults of settings say what a field wants', (t) => {
  const { faults = [] } = checkConfig({
    port: '99999',
    secure_port: 7.5,
    raw_port: 0,
    max_body_mb: 1_000,
    use_ssl: 'yes',
    on_interrupt: 'wait',
    heart_beat_url: 'ftp://x',
    allowed_origins: ['x'],
    host: 'http://x',
    allowed_hosts: ['http://x'],
    time_zone: 'Mars',
    queues: [{ type: 'beanstalkd' }],
    printers: [
      { name: '..', uri: 'nonsense' },
      { name: 'A', uri: 'socket://10.0.0.7:0' },
    ],
  })
  const said = Object.fromEntries(faults.map(({ key, sentences }) => [key, sayAll(sentences)]))
  t.match(said, {
    port: 'Type a whole number from 0 to 65535.',
    raw_port: 'Type a whole number from 1 to 65535.',
    max_body_mb: 'Type a number from 0.1 to 100.',
    on_interrupt: 'Choose one of these: hold, reprint.',
    heart_beat_url: say('wantWeb'),
    'allowed_origins[0]': say('wantOrigin'),
    'allowed_hosts[0]': say('wantHost'),
    host: say('wantHost'),
    time_zone: say('wantZone'),
    'queues[0].endpoint': say('wantValue'),
    'printers[0].name': say('wantName', { most: '100' }),
    'printers[0].uri': say('noAddress'),
    'printers[1].uri': say('noAddress'),
  })
  t.end()
})
