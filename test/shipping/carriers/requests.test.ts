import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { listRequests } from './requests.ts'

const folder = new URL('requests/', import.meta.url)

// A request to a carrier is money: a change of one is seen by a person. When it is meant: `make golden`, then read the difference.

t.test('what carriers are sent is what was kept, field for field', (t) => {
  const made = listRequests()
  for (const [name, requests] of made) {
    t.same(requests, JSON.parse(readFileSync(new URL(name, folder), 'utf8')), name)
  }
  t.same(readdirSync(folder).sort(), [...made.keys()].sort(), 'nothing is kept that nobody sends')
  t.end()
})
