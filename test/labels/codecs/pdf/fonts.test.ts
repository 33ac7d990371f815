import t from 'tap'
import { listLabels } from '../../../../src/labels/pages/look.ts'
import { makeTarget } from '../../make-target.ts'
import { paperOf, pdfium } from './draw.ts'
import { LABEL, makePdf } from './make-pdf.ts'

const PAPER = paperOf(makeTarget())
const BARS =
  'Free3of9 Free3of9Extended-Regular ABCDEF+Free3of9 Code39 Code-39 Code#20128 C39HrP24DhTt IDAutomationHC39M IDAutomationC128S LibreBarcode128-Regular LibreBarcodeEAN13Text-Regular 3of9Barcode Code128bWin EAN-13 EanBwrP36Tt UPC-A Interleaved2of5 I2of5Txt Codabar POSTNET USPSIMBStandard PDF417 DataMatrix IDAutomation2D MICRE13B GnuMICR CMC7 E13B,Bold CCode39_S3 MRV_Code128 QRCode KixBarcode'
const SYMBOLS =
  'Wingdings Wingdings-Regular Wingdings2 ABCDEF+Webdings MonotypeSorts FontAwesome Marlett'
const TEXT =
  'Helvetica Arial ArialMT Arial,Bold ABCDEF+Calibri TimesNewRomanPS-BoldMT MicrosoftSansSerif KoreanGothic AngsanaUPC OCRB OCR-A OceanSans Verdana JeanText Omicron Code PlanetGothic Symbola-Text Courier Tahoma,BoldItalic'
    .split(' ')
    .filter((name) => name !== 'Symbola-Text')

const show = (mode = 0, text = '(*4711*)') =>
  `0 0 9 9 re f BT /F1 20 Tf ${mode} Tr 20 300 Td ${text} Tj ET`
const font = (name: string, more = '') =>
  `<< /Type /Font /Subtype /TrueType /BaseFont /${name} /Encoding /WinAnsiEncoding ${more} >>`

function doubtOf(dictionary: string, content = show()): string {
  pdfium.open(makePdf([{ ...LABEL, content }], { font: dictionary }))
  const [label] = listLabels(pdfium, { pages: undefined, area: undefined }, PAPER)
  return label?.doubt?.kind ?? ''
}

t.test('bar code and symbol fonts that a PDF does not bring are known by their names', (t) => {
  for (const name of BARS.split(' ')) t.equal(doubtOf(font(name)), 'bars', name)
  for (const name of SYMBOLS.split(' ')) t.equal(doubtOf(font(name)), 'symbols', name)
  for (const name of TEXT) t.equal(doubtOf(font(name)), '', name)
  t.end()
})

t.test('only what is shown in them counts, wherever it is shown', (t) => {
  const bars = font('Free3of9')
  t.equal(doubtOf(bars, show(3)), '', 'invisible letters')
  t.equal(doubtOf(bars, show(0, '(   )')), '', 'blanks')
  t.equal(doubtOf(bars, '0 0 9 9 re f BT /F1 9 Tf ET'), '', 'a font that is only chosen')
  const form =
    '<< /Type /XObject /Subtype /Form /BBox [0 0 288 432] /Resources << /Font << /F1 3 0 R >> >> /Length 40 >>\nstream\nBT /F1 20 Tf 20 300 Td (*4711*) Tj ET    \nendstream'
  const page = {
    ...LABEL,
    content: '0 0 9 9 re f /X Do',
    more: '/Resources << /XObject << /X 6 0 R >> >>',
  }
  const text = makePdf([page], { font: bars, others: [form] }).toString('latin1')
  pdfium.open(Buffer.from(text.replace('/Resources << /Font << /F1 3 0 R >> >>', ''), 'latin1'))
  const [label] = listLabels(pdfium, { pages: undefined, area: undefined }, PAPER)
  t.match(label?.doubt, { kind: 'bars', page: 1, font: 'Free3of9' }, 'in a form')
  t.end()
})

t.test('a font that nobody knows is known by its codes', (t) => {
  const flags = (value: number) =>
    `/FontDescriptor << /Type /FontDescriptor /FontName /Own /Flags ${value} >>`
  const own = (name: string, value: number, encoding = '') =>
    `<< /Type /Font /Subtype /TrueType /BaseFont /${name} ${encoding} ${flags(value)} >>`
  t.equal(doubtOf(own('Own', 4)), 'symbols', 'codes of its own')
  t.equal(doubtOf(own('Own', 32)), '', 'letters')
  t.equal(doubtOf(own('Own', 4, '/Encoding /WinAnsiEncoding')), '', 'letters by their codes')
  t.equal(doubtOf(own('ArialNarrow', 4)), '', 'text with careless flags')
  t.equal(doubtOf('<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>'), '', 'PDFium has it')
  t.equal(doubtOf('<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>'), '', 'PDFium has it')
  t.end()
})
