import { fuzzHeaders } from './fuzz-headers.ts'

// Many changed headers, a third of each format: node test/labels/codecs/fuzz-headers-many.ts [count] [seed]
const FORMATS = ['png', 'jpeg', 'gif'] as const
const count = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
process.stdout.write(`${count} headers, seed ${seed}\n`)
for (const format of FORMATS) {
  const began = performance.now()
  const outcome = fuzzHeaders(format, Math.ceil(count / FORMATS.length), seed)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(`${format}: ${JSON.stringify(outcome)} in ${seconds} s\n`)
}
