import t from 'tap'
import { listMutants } from './mutants.ts'
import { hasRun, readRan } from './ran.ts'

t.test('conditions and constants are changed one by one, texts and comments never', (t) => {
  const source = [
    '// a < b',
    "if (a === 'x') return 1",
    'if (a <= MOST && isGood) return false',
    'const LIMIT = 10 // at most 10',
    'type Two = 1 | 2',
  ].join('\n')
  t.same(
    listMutants(source).map(({ line, from, to }) => `${line}: ${from} -> ${to}`),
    ['3: <= -> <', '3: && -> ||', '3: false -> true', '4: 10 -> 11'],
  )
  t.equal(source.slice(listMutants(source)[1]?.at).slice(0, 4), ' && ')
  t.match(listMutants(source)[1]?.source, 'if (a <= MOST || isGood) return false')
  t.end()
})

t.test('a place was run when the innermost piece that holds it was', (t) => {
  const url = `file:///p/src/a.ts`
  const range = (startOffset: number, endOffset: number, count: number) => ({
    ...{ startOffset, endOffset, count },
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
