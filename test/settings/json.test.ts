import fc from 'fast-check'
import t from 'tap'
import { inspectJson } from '../../src/settings/json.ts'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

t.test('a fault is named with its line and column, what was seen and what was wanted', (t) => {
  const cases: readonly (readonly [string, number, number, string, RegExp])[] = [
    ['', 1, 1, 'the end of the file', /a value/],
    ['{', 1, 2, 'the end of the file', /a key .* or }/],
    ['{\n  port: 1\n}', 2, 3, '"p"', /key in double quotes, or }/],
    ['{"a": 1,}', 1, 9, '"}"', /^a key in double quotes$/],
    ['{"a": 1\n "b": 2}', 2, 2, '"\\""', /, or } after the value/],
    ['{"a" 1}', 1, 6, '"1"', /: after the key/],
    ['{"a": [1 2]}', 1, 10, '"2"', /, or ] after the value/],
    ['{"a": [1,]}', 1, 10, '"]"', /a value/],
    ["{'a': 1}", 1, 2, 'a single quote', /double quotes/],
    ['{“a”: 1}', 1, 2, 'a typographic quote “', /double quotes/],
    ['{"a": tru}', 1, 7, '"t"', /a value: .*true, false, null/],
    ['{"a": True}', 1, 7, '"T"', /a value/],
    ['{"a": 01}', 1, 7, '"0"', /a value/],
    ['{"a": .5}', 1, 7, '"."', /a value/],
    ['{"a": NaN}', 1, 7, '"N"', /a value/],
    ['{"a": "x\n"}', 1, 9, 'the end of the line', /" at the end/],
    ['{"a": "x\t"}', 1, 9, 'a tabulator', /" at the end/],
    ['{"a": "C:\\temp\\x"}', 1, 15, '"\\\\"', /escape/],
    ['{"a": 1}}', 1, 9, '"}"', /the end of the file/],
    ['{"a": 1} // note', 1, 10, '"/"', /the end of the file/],
    ['{\r\n"a": 1,\r\n}', 3, 1, '"}"', /key/],
    ['['.repeat(500), 1, 102, '"["', /at most 100 lists/],
  ]
  for (const [text, line, column, seen, wanted] of cases) {
    t.match(
      inspectJson(text).fault,
      { line, column, seen, wanted },
      JSON.stringify(text.slice(0, 40)),
    )
  }
  t.end()
})

t.test('keys that stand twice are found', (t) => {
  const { fault, repeated } = inspectJson('{"a":1,"a":[{"b":1,"\\u0062":2}],"c":{"a":1}}')
  t.equal(fault, undefined)
  t.same(repeated, ['a', 'a[0].b'])
  t.end()
})

t.test('accepts exactly what JSON.parse accepts', (t) => {
  const edit = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom(...'{}[]",:\\0-.eE1ta\n\t\u0001\u007fé'),
  )
  const spoilt = fc.tuple(fc.json({ maxDepth: 4 }), fc.array(edit, { maxLength: 3 }))
  fc.assert(
    fc.property(spoilt, ([json, edits]) => {
      let text = json
      for (const [at, dropped, sign] of edits) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + sign + text.slice(place + dropped)
      }
      return (inspectJson(text).fault === undefined) === parses(text)
    }),
    { numRuns: 2_000 },
  )
  t.pass()
  t.end()
})
