import t from 'tap'
import { loadReader } from '../../barcodes.ts'
import { drawAll } from './draw.ts'
import { countRead, makeSet, SYMBOLS_A_PAGE } from './symbol-set.ts'

/** Least number read of 360; poppler reads 344 at 203 dpi. The rest are modules of 7.5 mil, 1.5 dots. */
const LEAST = { 203: 343, 300: 360 } as const

// On a busy machine.
t.setTimeout(300_000)
t.before(loadReader)

const set = makeSet()

for (const [dpi, least] of Object.entries(LEAST)) {
  t.test(`of 360 codes at least ${least} are read at ${dpi} dpi`, async (t) => {
    let read = 0
    const lost: string[] = []
    for (const { name, pdf } of await set) {
      const [label] = drawAll(pdf, { dpi: Number(dpi), labelWidth: 6, labelHeight: 6 })
      const count = await countRead(label?.preview ?? new Uint8Array())
      read += count
      if (count < SYMBOLS_A_PAGE) lost.push(`${SYMBOLS_A_PAGE - count} of ${name}`)
    }
    t.ok(read >= least, `${read} were read; ${lost.join('; ')}`)
    t.comment(`${read} read; unread: ${lost.join('; ')}`)
  })
}
