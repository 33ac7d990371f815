import t from 'tap'
import { fuzzHeaders } from './fuzz-headers.ts'

// More of them: `make fuzz FILES=0 HEADERS=1000000`.
const COUNT = 3000

for (const [seed, format] of (['png', 'jpeg', 'gif'] as const).entries()) {
  t.test(`${COUNT} changed headers of ${format} are read or refused within their cost`, (t) => {
    const outcome = fuzzHeaders(format, COUNT, seed + 1)
    t.comment(JSON.stringify(outcome))
    t.ok(outcome.read > COUNT / 100, 'some are whole enough')
    t.ok(outcome.refused > COUNT / 100, 'some are refused')
    t.end()
  })
}
