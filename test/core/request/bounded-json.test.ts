import t from 'tap'
import {
  nameKind,
  parseEntries,
  parseExact,
  parseJson,
} from '../../../src/core/request/bounded-json.ts'

const BOUNDS = { jsonDepth: 4, jsonValues: 10 }
const fill = (count: number, text: string): string => Array(count).fill(text).join(',')

t.test('the bounds of depth, values and texts, each to the last one', (t) => {
  const cases: readonly (readonly [string, string, RegExp | undefined])[] = [
    ['4 deep', '[[[[]]]]', undefined],
    ['5 deep', '[[[[[]]]]]', /nested deeper than 4/],
    ['objects 4 deep', '{"a":{"a":{"a":{}}}}', undefined],
    ['objects 5 deep', '{"a":{"a":{"a":{"a":{}}}}}', /nested deeper than 4/],
    ['deep again and again', '[[[[]]],[[[]]]]', undefined],
    ['10 values', `[${fill(10, '0')}]`, undefined],
    ['11 values', `[${fill(11, '0')}]`, /more than 10 values/],
    ['10 brackets', `[${fill(9, '[]')}]`, undefined],
    ['11 brackets', `[${fill(5, '[{}]')}]`, /more than 10 values/],
    ['10 entries', `{${Array.from({ length: 10 }, (_, n) => `"${n}":"x"`)}}`, undefined],
    ['20 texts and one more', `[${'""'.repeat(21)}]`, /more than 10 values/],
    ['20 texts, which are no JSON', `[${'""'.repeat(20)}]`, /not valid JSON/],
    ['marks inside of texts', `["${'[,{'.repeat(30)}"]`, undefined],
    ['quotes inside of texts', `["${'\\"[,'.repeat(30)}\\\\"]`, undefined],
    ['closed too often', ']'.repeat(30), /not valid JSON/],
    ['closed, then opened', `]${'['.repeat(30)}`, /not valid JSON/],
  ]
  for (const [what, text, message] of cases) {
    if (message === undefined) t.same(parseJson(text, BOUNDS), JSON.parse(text), what)
    else t.throws(() => parseJson(text, BOUNDS), { code: 'BODY_BROKEN', message }, what)
  }
  t.same(parseJson(' \r\n', BOUNDS), {})
  t.throws(() => parseJson('[', BOUNDS, 'The message'), { message: /^The message is not valid/ })
  t.end()
})

t.test('names that stand twice in the outermost object keep all their values', (t) => {
  const cases: readonly (readonly [string, readonly (readonly [string, unknown])[]])[] = [
    ['{}', []],
    ['{"a":1}', [['a', 1]]],
    [
      '{"a":1,"b":{"c":1,"c":2}}',
      [
        ['a', 1],
        ['b', { c: 2 }],
      ],
    ],
    [
      '{"a":1,"a":2}',
      [
        ['a', 1],
        ['a', 2],
      ],
    ],
    [
      '{ "a" : "x" , "b" : ["a","b"] ,\n "a" : {"a":"a"} }\n',
      [
        ['a', 'x'],
        ['b', ['a', 'b']],
        ['a', { a: 'a' }],
      ],
    ],
    [
      '{"a":"},","a":",{\\"","c":[[]]}',
      [
        ['a', '},'],
        ['a', ',{"'],
        ['c', [[]]],
      ],
    ],
  ]
  for (const [text, wanted] of cases) t.same(parseEntries(text, BOUNDS), wanted, text)
  for (const [text, kind] of [
    ['null', 'null'],
    ['[]', 'a list'],
    ['"x"', 'a string'],
    ['1', 'a number'],
    ['true', 'a boolean'],
  ] as const) {
    const message = `The JSON is ${kind}, wanted an object.`
    t.throws(() => parseEntries(text, BOUNDS), { code: 'BODY_BROKEN', message })
  }
  t.equal(nameKind({}), 'an object')
  t.equal(nameKind(new (class Mark {})()), 'a string', 'what stands for a long text')
  t.end()
})

t.test('a number that is an id keeps its digits', (t) => {
  const [one, next] = ['576462345678901234', '576462345678901235']
  t.same(parseExact(`{"a":[${one},-${next}],"b":{"c":${next}}}`, BOUNDS), {
    a: [one, `-${next}`],
    b: { c: next },
  })
  for (const plain of [
    '9007199254740991',
    '-9007199254740991',
    '1e300',
    '0.1234567890123456',
    '"1"',
  ])
    t.equal(parseExact(plain, BOUNDS), JSON.parse(plain), plain)
  t.equal(parseExact('9007199254740993', BOUNDS), '9007199254740993', 'the first that is rounded')
  t.same(parseEntries(`{"a":${one},"a":${next}}`, BOUNDS), [
    ['a', one],
    ['a', next],
  ])
  t.throws(() => parseExact(`{"a":${one}`, BOUNDS), { code: 'BODY_BROKEN' })
  t.end()
})
