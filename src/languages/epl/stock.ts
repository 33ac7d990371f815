import { inchesOf, type StockReader } from '../stock.ts'

/** `q`, and `Q` with what follows its length: the gap, `B` and the width of the mark, or 0. */
export const stock: StockReader = {
  dots: /GW\d/,
  readSize: (text, dpi) => ({
    width: inchesOf(/^q(\d+)/m, text, dpi),
    height: inchesOf(/^Q(\d+)/m, text, dpi),
  }),
  readTracking(text) {
    const [, mark, gap] = /^Q\d+,(B?)(\d+)/m.exec(text) ?? []
    if (gap === undefined) return undefined
    if (mark === 'B') return 'mark'
    return Number(gap) === 0 ? 'continuous' : 'gap'
  },
}
