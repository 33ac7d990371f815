import t from 'tap'
import { listMutants } from './mutants.ts'
import { hasRun, readRan } from './ran.ts'

const shown = (source: string): readonly string[] =>
  listMutants(source).map(({ line, from, to }) => `${line}: ${from} -> ${to}`)

t.test('conditions and constants are changed one by one, texts, types and comments never', (t) => {
  const source = [
    '// a < b',
    "if (a === 'x < y') go()",
    'if (a <= MOST && !isGood) go(false) /* true',
    'or 7 */',
    'type Two = 1 | 2',
    'const word: Array<1> = `a === b 12`.replace(/[/"\']1 < 2/g, other)',
  ].join('\n')
  t.same(shown(source), [
    '2: === -> !==',
    '3: <= -> <',
    '3: <= -> >',
    '3: && -> ||',
    '3: false -> true',
    '3: ! -> ',
  ])
  t.equal(source.slice(listMutants(source)[3]?.at).slice(0, 3), '&& ')
  t.match(listMutants(source)[3]?.source, 'if (a <= MOST || !isGood) go(false)')
  t.same(shown('if (isGood) go()\nif (all.has(it)) go()'), ['1: ( -> (!', '2: ( -> (!'])
  t.end()
})

t.test('a number becomes nothing and its double; a chosen patience or bound only nothing', (t) => {
  t.same(shown('const WIDTH = 10 // dots'), ['1: 10 -> 0', '1: 10 -> 20'])
  t.same(shown('const TAG = 0x1b'), ['1: 0x1b -> 0', '1: 0x1b -> 54'])
  t.same(shown('let sum = 0'), ['1: 0 -> 1'])
  t.same(shown('const GRACE_MS = 5_000'), ['1: 5_000 -> 0'])
  t.same(shown('const NAMES_MOST = 64'), ['1: 64 -> 0'])
  t.same(shown('const widths = [\n  [510, 510, 340, 450, 280, 510, 450],\n]'), [
    '2: 510 -> 0',
    '2: 510 -> 1020',
  ])
  t.end()
})

t.test('nothing is changed of what a log is given, or how much a buffer reads ahead', (t) => {
  const source = [
    'core.log.warn(',
    '  { count: (count + 1) },',
    '  isGood ? first : !second,',
    '); go(3)',
    'open(file, { highWaterMark: 65_536 })',
    'Number.parseInt(text, 16)',
  ].join('\n')
  t.same(shown(source), ['4: 3 -> 0', '4: 3 -> 6'])
  t.end()
})

t.test('a place was run when the innermost piece that holds it was', (t) => {
  const url = `file:///p/src/a.ts`
  const range = (startOffset: number, endOffset: number, count: number) => ({
    startOffset,
    endOffset,
    count,
  })
  const functions = [
    { ranges: [range(0, 99, 1)] },
    { ranges: [range(20, 60, 2), range(30, 40, 0)] },
  ]
  const result = [
    { url, functions },
    { url: 'file:///p/node_modules/b.js', functions },
  ]
  const folder = t.testdir({ 'coverage-1.json': JSON.stringify({ result }) })
  const ran = readRan(folder, '/p', 'src/')
  t.same([...ran.keys()], ['src/a.ts'])
  const places = [10, 25, 35, 45, 98, 99]
  const [pieces = []] = ran.get('src/a.ts') ?? []
  t.same(
    places.map((at) => hasRun(pieces, at)),
    [true, true, false, true, true, false],
  )
  t.same(readRan(folder, '/p', 'src/').size, 0, 'a report is read once')
  t.end()
})
