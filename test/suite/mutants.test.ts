import t from 'tap'
import { listMutants } from './mutants.ts'

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
  t.match(listMutants(source)[1]?.source, 'if (a <= MOST || isGood) return false')
  t.end()
})
