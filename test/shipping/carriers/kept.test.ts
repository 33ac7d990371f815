import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { listKept } from './kept.ts'

const folder = new URL('kept/', import.meta.url)

// What a carrier is asked costs money: a person sees each change of it. When one is meant: `make golden`, then read the difference.

t.test('what carriers are sent, and what their answers mean, is what was kept', (t) => {
  const made = listKept()
  for (const [name, kept] of made) {
    t.same(kept, JSON.parse(readFileSync(new URL(name, folder), 'utf8')), name)
  }
  t.same(readdirSync(folder).sort(), [...made.keys()].sort(), 'one file for each carrier')
  t.end()
})
