import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { inkOf, interpret, isSame } from '../interpreters/paper.ts'
import { readSymbols } from '../interpreters/symbols.ts'
import { renderZpl } from '../interpreters/zpl.ts'
import { fromRaster, type Gray } from '../label-makers/gray.ts'
import { eplLabel, fedexLikeZpl, RAW_SYMBOLS, tsplLabel, upsLikeZpl } from '../label-makers/raw.ts'
import { draw } from './drawing.ts'

t.setTimeout(600_000)

const zpl = (text: string) => draw(Buffer.from(text), 'zpl', { width_in: 2, height_in: 2 })
const languages = ['zpl', 'epl', 'tspl'] as const

t.test('pictures of ours come out dot for dot as the strict interpreters print them', async (t) => {
  const folder = join(import.meta.dirname, '../golden/labels')
  for (const name of readdirSync(folder)) {
    const language = languages.find((one) => name.endsWith(`.${one}`))
    if (language === undefined) continue
    const bytes = readFileSync(join(folder, name))
    const stock = { language, dpi: 203, labelWidth: 4, labelHeight: 6 }
    const [printed] = interpret(bytes, stock)
    const { raster } = await draw(bytes, language, { width_in: 4, height_in: 6 })
    t.ok(printed && isSame(inkOf(printed.raster), inkOf(raster)), name)
  }
})

t.test('labels as carriers write them: every symbol reads, in all three languages', async (t) => {
  const read = async (bytes: Uint8Array, format: string) =>
    await readSymbols((await draw(bytes, format, { width_in: 4, height_in: 6 })).raster)
  t.equal((await read(upsLikeZpl, 'zpl'))['Code128'], RAW_SYMBOLS.ups)
  t.match(await read(fedexLikeZpl, 'zpl'), {
    Code128: RAW_SYMBOLS.fedex,
    PDF417: RAW_SYMBOLS.pdf417,
  })
  t.match(await read(eplLabel, 'epl'), { Code128: RAW_SYMBOLS.ups, PDF417: RAW_SYMBOLS.pdf417 })
  t.equal((await read(tsplLabel, 'tspl'))['Code128'], RAW_SYMBOLS.ups)
})

/** Share of the first picture's black that has none within a millimeter in the second. */
function lost(a: Gray, b: Gray): number {
  const reach = 8
  const isNear = (x: number, y: number) => {
    for (let row = Math.max(0, y - reach); row <= Math.min(b.height - 1, y + reach); row++) {
      const from = row * b.width
      const near = b.luma.subarray(
        from + Math.max(0, x - reach),
        from + Math.min(b.width, x + reach),
      )
      if (near.includes(0)) return true
    }
    return false
  }
  let [ink, missing] = [0, 0]
  for (let y = 0; y < a.height; y += 2) {
    for (let x = 0; x < a.width; x += 2) {
      if (a.luma[y * a.width + x] !== 0) continue
      ink += 1
      if (!isNear(x, y)) missing += 1
    }
  }
  return missing / ink
}

t.test('another renderer draws the same', async (t) => {
  for (const bytes of [upsLikeZpl, fedexLikeZpl]) {
    const theirs = fromRaster(await renderZpl(bytes, { width: 812, height: 1218, dpi: 203 }))
    const { gray } = await draw(bytes, 'zpl', { width_in: 4, height_in: 6 })
    t.ok(lost(theirs, gray) < 0.02, `${lost(theirs, gray)} of its ink is missing`)
    t.ok(lost(gray, theirs) < 0.03, `${lost(gray, theirs)} of ours is not there`)
  }
})

const CODES = [
  ['^BY2^BCN,80,N,N,N^FD>;1234>6AB', 'Code128', '1234AB'],
  ['^BY2^BCN,80,N,N,N,A^FD12345678', 'Code128', '12345678'],
  ['^BY2,3^B3N,N,80,N^FDPLATEN', 'Code39', 'PLATEN'],
  ['^BY2,3^B2N,80,N^FD123456', 'ITF', '123456'],
  ['^BY2^BEN,80,N^FD123456789012', 'EAN13', '1234567890128'],
  ['^BY2^B8N,80,N^FD1234567', 'EAN8', '12345670'],
  ['^BY2^BUN,80,N^FD12345678901', 'UPCA', '0123456789012'],
  ['^BY2,3^BKN,N,80,N,N,A,A^FD12345', 'Codabar', 'A12345A'],
  ['^BQN,2,5^FDQA,HELLO', 'QRCode', 'HELLO'],
  ['^BXN,6,200^FDHELLO', 'DataMatrix', 'HELLO'],
  ['^BY2^B7N,6,2,3^FDHELLO', 'PDF417', 'HELLO'],
  ['^BON,5^FDHELLO', 'Aztec', 'HELLO'],
] as const

t.test('every bar code of ZPL reads, however it is turned', async (t) => {
  for (const [code, format, text] of CODES) {
    for (const turn of ['N', 'R', 'I', 'B']) {
      const turned = code.replace(/(\^B(?:[0-9A-X]))N/, `$1${turn}`)
      const { raster } = await zpl(`^XA^FO60,60${turned}^FS^XZ`)
      const { [format]: seen } = await readSymbols(raster, [format])
      t.equal(seen?.replace(/^\*|\*$/g, ''), text, `${code} ${turn}`)
    }
  }
})

t.test('what a label says beyond its fields is obeyed', async (t) => {
  const ink = async (text: string) => inkOf((await zpl(text)).raster)
  const box = await ink('^XA^FO10,10^GB40,20,20^FS^XZ')
  t.same([box.width, box.height], [40, 20])
  const same = [
    ['^XA^LH5,5^FO5,5^GB40,20,20^FS^XZ', 'home'],
    ['~CC+~CD;+XA+FO10;10+GB40;20;20+FS+XZ', 'other prefixes'],
    ['^XA^DFR:A.ZPL^FS^FO10,10^GB40,20,20^FS^XZ^XA^XFR:A.ZPL^FS^XZ', 'a stored form'],
    ['~DGR:B.GRF,100,5,FFFFFFFFFF:::::::::::::::::::^XA^FO10,10^XGR:B.GRF,1,1^FS^XZ', 'a graphic'],
    ['^XA^FO0,0^GB80,40,40^FS^FO10,10^GB40,20,20,W^FS^FR^FO0,0^GB80,40,40^FS^XZ', 'reverse'],
  ] as const
  for (const [text, words] of same) t.ok(isSame(await ink(text), box), words)
})

t.test('bytes of a graphic are no commands, those of a PNG or a font neither', async (t) => {
  const bytes = '^XA^FO0,0^GB200,200,200^FS^XZ~DG'
  const hex = Buffer.from(bytes).toString('hex').toUpperCase()
  const label = '^XA^FO10,10^XGR:A.GRF,1,1^FS^XZ'
  const wanted = await zpl(`~DGR:A.GRF,32,4,${hex}${label}`)
  t.same(wanted.warnings, [])
  for (const text of [
    `~DYR:A,B,G,32,4,${bytes}${label}`,
    `~DYR:LOGO,P,P,32,,${bytes}~DGR:A.GRF,32,4,${hex}${label}`,
    `~DYE:FONT,B,T,32,,${bytes}~DGR:A.GRF,32,4,${hex}${label}`,
  ]) {
    const drawn = await zpl(text)
    t.ok(isSame(inkOf(drawn.raster), inkOf(wanted.raster)), text)
    t.same(drawn.warnings, [], text)
  }
})

t.test('letters are those of the code page that a label names', async (t) => {
  const tspl = (page: string, name: string) =>
    `SIZE 2,2\r\nCLS\r\n${page}TEXT 10,10,"3",0,1,1,"M${name}ller"\r\nPRINT 1\r\n`
  const epl = (page: string, name: string) => `\nN\n${page}A10,10,0,3,1,1,N,"M${name}ller"\nP1\n`
  const label = (charset: number, name: string) =>
    `^XA^CI${charset}^FO10,10^A0N,30,30^FDM${name}ller^FS^XZ`
  const [utf8, dos, windows] = ['\xc3\xbc', '\x81', '\xfc']
  for (const [format, wanted, ...same] of [
    [
      'tspl',
      tspl('', utf8),
      tspl('CODEPAGE UTF-8\r\n', utf8),
      tspl('CODEPAGE 1252\r\n', windows),
      tspl('CODEPAGE 850\r\n', dos),
    ],
    ['tspl', tspl('', '\xd0\x96'), tspl('CODEPAGE 1251\r\n', '\xc6')], // a frame: our font has none
    ['epl', epl('', dos), epl('I8,1,001\n', dos), epl('I8,A,001\n', windows)],
    ['epl', epl('I8,A,001\n', '\x8a'), epl('I8,B,001\n', '\x8a')],
    ['zpl', label(28, utf8), label(27, windows), label(0, dos)],
    ['zpl', label(28, '\xc5\x9b'), label(31, '\x9c')],
    ['zpl', label(28, '\xc4\x9f'), label(35, '\xf0')],
    ['zpl', label(28, '\xce\xa9'), label(34, '\xd9')],
  ] as const) {
    const drawOne = (text: string) =>
      draw(Buffer.from(text, 'latin1'), format, { width_in: 2, height_in: 2 })
    const { raster, warnings } = await drawOne(wanted)
    for (const text of same) {
      const drawn = await drawOne(text)
      t.ok(isSame(inkOf(drawn.raster), inkOf(raster)), text)
      t.same(drawn.warnings, warnings, text)
    }
  }
})

t.test('what a person must know is said', async (t) => {
  const warnings = async (text: string) => (await zpl(text)).warnings.join(', ')
  t.equal(await warnings('^XA^FO10,10^A0N,30,30^FDHello^FS^XZ'), '')
  t.match(await warnings('^XA^BY1^FO10,10^BCN,50^FDA1^FS^XZ'), /fineBars/)
  t.match(await warnings('^XA^FO350,10^BCN,50^FD12345^FS^XZ'), /codeCut/)
  t.match(await warnings('^XA^CI28^FO1,1^A0N,30,30^FD中文^FS^XZ'), /lettersMissing/)
  t.match(await warnings('^XA^FO350,10^A0N,90,90^FDHello^FS^XZ'), /beyondPaper/)
  t.match(await warnings('^XA^FO1,1^XGR:LOGO.GRF^FS^XZ'), /onlyPrinterHas/)
  t.match(await warnings('^XA^FO1,1^BRN^FD1^FS^XZ'), /partNotShown \^BR/)
  t.match(await warnings('^XA^FDa^FS^XZ^XA^FDb^FS^XZ'), /firstOf 2/)
})
