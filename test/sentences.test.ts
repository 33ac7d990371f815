import t from 'tap'
import { FAILURES } from '../src/errors.ts'
import { readSentences } from '../src/read-sentences.ts'
import { SENTENCES, say, type Template } from '../src/sentences.ts'

/** A value for each place, with blanks and signs as names have them. */
function valuesOf(text: string): Readonly<Record<string, string | number>> {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, name === 'n' ? 7 : `Bench ${name} 1.5, 2`]))
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))
}

t.test('each sentence is found again with its values', (t) => {
  const table: Readonly<Record<string, Template>> = SENTENCES
  for (const [key, found] of Object.entries(table)) {
    const text = typeof found === 'string' ? found : found.other
    t.match(text, /[.?]$/, `${key} ends`)
    const values = valuesOf(text)
    t.same(readSentences(fill(text, values)), [{ key, values }], key)
  }
  for (const [code, { hint }] of Object.entries(FAILURES)) {
    const [said] = readSentences(hint)
    const again = said && (SENTENCES as Record<string, Template>)[said.key]
    t.equal(again ?? FAILURES[said?.key as keyof typeof FAILURES]?.hint, hint, code)
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
  t.ok(performance.now() - started < 5_000)
  t.end()
})
