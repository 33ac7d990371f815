import t from 'tap'
import { format } from '../../src/words/format.js'
import { listFaults, listWrongCalls } from '../words.ts'

const ENGLISH = {
  waits: '{n, plural, one {{n} label waits for {printer}.} other {{n} labels wait for {printer}.}}',
  isOpen: '{printer} is open.',
  'page.help': 'Copy {1}.',
}
const POLISH =
  '{n, plural, one {{n} etykieta: {printer}.} few {{n} etykiety: {printer}.} many {{n} etykiet: {printer}.} other {{n} etykiety: {printer}.}}'

t.test('a text is filled, in the plural of its language', (t) => {
  const say = (n: number) => format(POLISH, { n, printer: '{n} 1' }, 'pl')
  t.equal(say(1), '1 etykieta: {n} 1.')
  t.equal(say(22), '22 etykiety: {n} 1.')
  t.equal(say(5), '5 etykiet: {n} 1.')
  t.equal(format(ENGLISH.waits, { n: 2, printer: 'A' }, 'en'), '2 labels wait for A.')
  t.equal(format(ENGLISH['page.help'], {}, 'en'), 'Copy {1}.', 'no value, no change')
  t.end()
})

t.test(
  'make check finds what a translation has wrong, and nothing where it only lacks a text',
  (t) => {
    const faults = (texts: Record<string, string>) => listFaults('pl', texts, ENGLISH)
    t.same(faults({ waits: POLISH }), [])
    t.match(faults({ closed: 'Zamknięta.' }), [/closed: en.json has no such text/])
    t.match(faults({ isOpen: '{drukarka} jest otwarta.' }), [/places \{drukarka\}/])
    t.match(faults({ isOpen: '{printer jest otwarta.' }), [/places/, /brace/])
    t.match(faults({ waits: ENGLISH.waits }), [/plurals one, other, not few, many, one, other/])
    t.match(faults({ isOpen: "L'{printer}' #." }), [/apostrophe/])
    t.end()
  },
)

t.test('... and calls with other values than the text has places for', (t) => {
  const faults = (code: string, file = 'src/x.ts') => listWrongCalls(file, code, ENGLISH)
  t.same(faults("say('isOpen', { printer })"), [])
  t.same(faults("say(isOne ? 'isOpen' : 'waits', values)"), [], 'what only the run shows')
  t.match(faults("say('isOpen')"), [
    /src\/x.ts:1: say\('isOpen'\) with \{\}, its text has \{printer\}/,
  ])
  t.match(faults("say(isOne ? 'isOpen' : 'waits', { n, printer })"), [/isOpen/])
  t.same(faults("t('help')", 'web/x.js'), [])
  t.match(faults("t('help', { n })", 'web/x.js'), [/help/])
  t.end()
})
