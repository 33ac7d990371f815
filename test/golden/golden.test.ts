import { readFileSync } from 'node:fs'
import t from 'tap'
import { readSymbols } from '../interpreters/symbols.ts'
import { SHELF_SYMBOLS } from '../label-makers/shelf.ts'
import { largeLabels, packLists, smallLabels } from './cases.ts'
import { digest, print } from './paper.ts'

t.setTimeout(300_000)
const folder = new URL('labels/', import.meta.url)

// When a change is meant: `make golden`, then read the difference.

t.test('small labels scan from every side', async (t) => {
  for (const golden of await smallLabels())
    t.same(await readSymbols(print(golden)), SHELF_SYMBOLS, golden.name)
})

t.test('large labels and pack lists have the kept digests, on paper too', async (t) => {
  const kept: unknown = JSON.parse(readFileSync(new URL('digests.json', folder), 'utf8'))
  const made = Object.fromEntries(
    [...(await largeLabels()), ...(await packLists())].map((golden) => [
      golden.name,
      digest(golden),
    ]),
  )
  t.same(made, kept)
})
