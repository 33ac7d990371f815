import t from 'tap'
import { refusalJson } from '../../src/http/server-faults.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { FAILURES, type FailureCode } from '../../src/words/failures.ts'
import { readForeign } from '../../src/words/foreign.ts'
import {
  ENGLISH,
  hintOf,
  inEnglish,
  isSame,
  join,
  NOTHING,
  parseSentences,
  quoteEnglish,
  saidJson,
  say,
} from '../../src/words/say.ts'
import { checkConfig } from '../settings/all.ts'

t.test('a message is data, and English only where it leaves', (t) => {
  const message = join(say('cutOff'), NOTHING, say('beforeMissing', { n: 1 }))
  t.same(message, [
    { key: 'cutOff', values: {} },
    { key: 'beforeMissing', values: { n: 1 } },
  ])
  t.equal(
    inEnglish(message),
    'The label was cut off while it printed. The label sent just before it may be missing too.',
  )
  t.equal(inEnglish(say('canceledCount', { n: 2 })), '2 labels are canceled.')
  t.equal(join(NOTHING, NOTHING), NOTHING)
  t.equal(inEnglish(NOTHING), '')
  t.ok(isSame(message, parseSentences(JSON.stringify(message))))
  t.end()
})

t.test('every failure says what to do about it, by its code', (t) => {
  for (const code of Object.keys(FAILURES) as FailureCode[]) {
    t.same(hintOf(code), [{ key: code, values: {} }])
    t.equal(inEnglish(hintOf(code)), ENGLISH[`${code}.hint`])
  }
  t.end()
})

t.test('what is in English only has no key for others', (t) => {
  const mixed = join(say('kept'), quoteEnglish('Error 0x17.'))
  t.equal(inEnglish(mixed), 'The label is kept. Error 0x17.')
  t.same(saidJson(mixed, say('kept')), {
    texts: { message: [], hint: [{ key: 'kept', values: {} }] },
  })
  t.end()
})

t.test('what cannot be read is nothing', (t) => {
  for (const text of ['', 'The label is kept.', '{}', '[1]', '[{"key":1}]', '[{"key":"kept"}]']) {
    t.equal(parseSentences(text), NOTHING, text)
  }
  const unknown = parseSentences('[{"key":"ofTomorrow","values":{}}]')
  t.equal(inEnglish(unknown), '', 'of a newer version')
  t.equal(readForeign(unknown), undefined)
  t.equal(readForeign(Array.from({ length: 21 }, () => say('kept')[0])), undefined)
  const long = 'x'.repeat(2_000)
  t.same(readForeign(say('isOpen', { printer: `A\n${long}` })), [
    { key: 'isOpen', values: { printer: `A ${long}`.slice(0, 1_000) } },
  ])
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
  const said = Object.fromEntries(faults.map(({ key, sentences }) => [key, inEnglish(sentences)]))
  t.match(said, {
    port: 'Type a whole number from 0 to 65535.',
    raw_port: 'Type a whole number from 1 to 65535.',
    max_body_mb: 'Type a number from 0.1 to 100.',
    on_interrupt: 'Choose one of these: hold, reprint.',
    heart_beat_url: inEnglish(say('wantWeb')),
    'allowed_origins[0]': inEnglish(say('wantOrigin')),
    'allowed_hosts[0]': inEnglish(say('wantHost')),
    host: inEnglish(say('wantHost')),
    time_zone: inEnglish(say('wantZone')),
    'queues[0].endpoint': inEnglish(say('wantValue')),
    'printers[0].name': inEnglish(say('wantName', { most: '100' })),
    'printers[0].uri': inEnglish(say('noAddress')),
    'printers[1].uri': inEnglish(say('noAddress')),
  })
  t.end()
})
