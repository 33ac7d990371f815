import t from 'tap'
import { BARCODE_CASES, isReadable, loadReader } from './barcodes.ts'

// The whole set of 240 takes a while: it is a row of the benches.
const EVERY = 5
const READABLE_DOTS = 2 // a module that ends wider than this must be read

t.test('smoothed bar codes can be read at every scale that leaves two dots a module', async (t) => {
  await loadReader()
  const cases = BARCODE_CASES.filter(
    ({ module, scale }, n) => n % EVERY === 0 && module * scale >= READABLE_DOTS,
  )
  t.ok(cases.length > 20)
  for (const one of cases) {
    t.ok(await isReadable(one), `${one.kind}, ${one.module} pixels, at ${one.scale}`)
  }
})
