import { readFileSync } from 'node:fs'
import t from 'tap'
import { digestOddFiles } from './odd-files.ts'

t.setTimeout(300_000)

// What is right the other tests of this folder say; this one, that no change of a decoder goes unseen. When one is meant:
// `make golden`.

t.test('pictures of every kind, and damaged ones, are read as they were', async (t) => {
  const kept: unknown = JSON.parse(readFileSync(new URL('odd-files.json', import.meta.url), 'utf8'))
  t.same(await digestOddFiles(), kept)
})
