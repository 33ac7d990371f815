import { inchesOf, type StockReader, type Tracking } from '../stock.ts'

const TRACKING: Readonly<Record<string, Tracking>> = {
  N: 'continuous',
  Y: 'gap',
  W: 'gap',
  M: 'mark',
}

/** `^PW`, `^LL` and `^MN`. */
export const stock: StockReader = {
  dots: /\^GF|~D[GY]/,
  readSize: (text, dpi) => ({
    width: inchesOf(/\^PW(\d+)/, text, dpi),
    height: inchesOf(/\^LL(\d+)/, text, dpi),
  }),
  readTracking: (text) => TRACKING[/\^MN([A-Z])/i.exec(text)?.[1]?.toUpperCase() ?? ''],
}
