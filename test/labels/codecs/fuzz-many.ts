import { fuzz } from './fuzz.ts'

const PEAK_MB = 140

// Many damaged files of each format: node test/labels/codecs/fuzz-many.ts [count] [seed]
const count = Number(process.argv[2] ?? 100_000)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
process.stdout.write(`${count} files of each format, seed ${seed}\n`)
for (const format of ['png', 'jpeg', 'gif'] as const) {
  const began = performance.now()
  const outcome = await fuzz(format, count, seed)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(`${format}: ${JSON.stringify(outcome)} in ${seconds} s\n`)
  if (outcome.peakMb > PEAK_MB)
    throw new Error(`${format}: ${outcome.peakMb} MB; wanted ${PEAK_MB}`)
}
