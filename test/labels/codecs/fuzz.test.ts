import t from 'tap'
import { fuzz } from './fuzz.ts'

// More of them: `node test/labels/codecs/fuzz-many.ts 100000`.
const COUNT = 5000
const PEAK_MB = 140

for (const [seed, format] of (['png', 'jpeg', 'gif'] as const).entries()) {
  t.test(
    `${COUNT} damaged ${format} print or are refused by the table, and none hangs`,
    async (t) => {
      const outcome = await fuzz(format, COUNT, seed + 1)
      t.comment(JSON.stringify(outcome))
      t.ok(outcome.decoded > COUNT / 100, 'some are whole enough to come out')
      t.ok(outcome.refused > COUNT / 100, 'some are refused')
      t.ok(outcome.peakMb < PEAK_MB, `${outcome.peakMb} MB`)
    },
  )
}
