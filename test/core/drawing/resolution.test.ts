import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import type { Printer } from '#printers'
import { warnOfMedia } from '../../../src/core/drawing/target.ts'
import { detectFormat } from '../../../src/labels/detect/detect.ts'
import { inEnglish } from '../../../src/words/say.ts'
import { eplLabel, fedexLikeZpl, tsplLabel, upsLikeZpl } from '../../label-makers/raw.ts'
import { printer } from '../bench.ts'

const STOCKS = [
  [4, 6],
  [4, 8],
  [4, 4],
  [2.25, 1.25],
  [3.94, 5.91],
  [2.2, 3.9],
] as const
const HEADS = [203, 300, 600] as const

function printerOf(dpi: number, [width, height]: readonly [number, number]): Printer {
  return { ...printer('Bench', 'file:a'), dpi, labelWidth: width, labelHeight: height }
}

function warnOf(text: string | Uint8Array, at: Printer): string {
  const label = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  return inEnglish(warnOfMedia({ format: detectFormat(label), options: {} }, label, at))
}

/** Ways in which labels say how large they are, for a head of `dpi`. */
const KINDS: Readonly<Record<string, (w: number, h: number, dpi: number) => string>> = {
  'ZPL with its size': (w, h) =>
    `^XA^PW${w}^LL${h}^FO40,40^A0N,60^FDMADE^FS^FO10,10^GB${w - 22},${h - 28},4^FS^XZ`,
  'ZPL of a driver, whose settings come first': (w, h) =>
    `~SD15^XA^PR4^XZ\n^XA^MMT^PW${w}^LL0${h}^LS0^FT30,60^A0N,30^FDx^FS^PQ1^XZ`,
  'ZPL with its length and a frame': (w, h) => `^XA^LL${h}^FO4,4^GB${w - 8},${h - 8},2^FS^XZ`,
  'ZPL with its width and a frame': (w, h) => `^XA^PW${w}^FO4,4^GB${w - 8},${h - 8},2^FS^XZ`,
  'ZPL with nothing but a frame': (w, h) => `^XA^FO4,4^GB${w - 8},${h - 8},2^FS^FO9,9^FDx^FS^XZ`,
  'ZPL that is a picture': (w, h) =>
    `^XA^FO0,0^GFA,${Math.floor(w / 8) * h},${Math.floor(w / 8) * h},${Math.floor(w / 8)},:Z64:eJw=:0000^FS^XZ`,
  'EPL with its size': (w, h) =>
    `\nN\nq${w}\nQ${h},24\nA30,20,0,4,1,1,N,"x"\nLO5,5,${w - 12},4\nP1\n`,
  'EPL with its lines': (w, h) =>
    `\nN\nLO5,5,${w - 12},4\nLO5,5,4,${h - 12}\nA30,20,0,4,1,1,N,"x"\nP1\n`,
  'TSPL with a frame': (w, h, dpi) =>
    `SIZE ${((w / dpi) * 25.4).toFixed(1)} mm,${((h / dpi) * 25.4).toFixed(1)} mm\r\nCLS\r\nBOX 4,4,${w - 8},${h - 8},3\r\nTEXT 9,9,"3",0,1,1,"x"\r\nPRINT 1\r\n`,
}

const PAIRS = STOCKS.flatMap((stock) =>
  HEADS.flatMap((made) => HEADS.map((has) => ({ stock, made, has }))),
)

for (const [name, make] of Object.entries(KINDS)) {
  t.test(`${name}: a label for another resolution is told as such, in both directions`, (t) => {
    for (const { stock, made, has } of PAIRS) {
      const label = make(Math.round(stock[0] * made), Math.round(stock[1] * made), made)
      const said = warnOf(label, printerOf(has, stock))
      const about = `${made} on ${has}, ${stock.join(' x ')}`
      const wrong =
        made < has ? /: it comes out too small\./ : /too large, and a part of it is missing/
      const wanted = made === has ? /^$/ : wrong
      t.match(said, wanted, about)
      if (made === has) continue
      t.match(said, `made for ${made} dpi, but Bench has ${has} dpi`, about)
      t.match(said, new RegExp(`label for ${has} dpi\\.$`), about)
      t.notMatch(said, /settings|size|Calibrate/, 'no advice that breaks good settings')
    }
    t.end()
  })
}

t.test('200 dpi is 203', (t) => {
  const label = KINDS['ZPL with its size']?.(1200, 1800, 300) ?? ''
  t.match(warnOf(label, printerOf(200, [4, 6])), /made for 300 dpi, but Bench has 203 dpi/)
  t.end()
})

t.test('what may be right is left alone, and another size is told as before', (t) => {
  const here = printerOf(203, [4, 6])
  for (const label of [
    '^XA^FO10,10^FDx^FS^XZ',
    '^XA^FO10,10^GB500,500,4^FS^XZ',
    '^XA^PW812^LL1218^FO10,10^FDx^FS^XZ',
    '^XA^PW400^FO10,10^FDx^FS^XZ',
    '^XA^MUM^PW100^LL150^FO1,1^GB99,148,1^FS^XZ',
    '^XA^MUD,150,300^PW600^LL900^FO1,1^GB590,890,1^FS^XZ',
    upsLikeZpl,
    fedexLikeZpl,
    eplLabel,
    tsplLabel,
    'SIZE 4,6\r\nCLS\r\nTEXT 10,10,"3",0,1,1,"x"\r\nPRINT 1\r\n',
  ])
    t.notMatch(warnOf(label, here), /made for \d+ dpi/, String(label).slice(0, 60))
  t.match(warnOf('^XA^PW812^LL812^FO10,10^FDx^FS^XZ', here), /is 4 in long/)
  t.match(warnOf('^XA^PW1218^LL1218^FO10,10^FDx^FS^XZ', here), /is 6 in wide/)
  const unknown = printer('Bench', 'file:a')
  t.equal(warnOf('^XA^PW1200^LL1800^FO10,10^FDx^FS^XZ', unknown), '', 'nobody knows the stock')
  t.end()
})

t.test('no label that was made for this head is told to be for another one', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STOCKS),
      fc.constantFrom(...HEADS),
      fc.constantFrom(...Object.values(KINDS)),
      fc.double({ min: -0.1, max: 0.06, noNaN: true }),
      fc.double({ min: -0.1, max: 0.06, noNaN: true }),
      (stock, dpi, make, across, down) => {
        const [w, h] = [Math.round((stock[0] + across) * dpi), Math.round((stock[1] + down) * dpi)]
        const said = warnOf(make(w, h, dpi), printerOf(dpi, stock))
        if (/made for/.test(said)) t.fail(`${said} ${stock} ${dpi} ${w} ${h}`)
      },
    ),
    { numRuns: 500 },
  )
  t.end()
})
