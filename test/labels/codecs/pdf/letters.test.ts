import { Buffer } from 'node:buffer'
import t from 'tap'
import type { Remark } from '#labels'
import { drawAll, pdfium } from './draw.ts'
import { A4, LABEL, makePdf, type Page } from './make-pdf.ts'

const INK = '0 0 144 144 re f'
const HELVETICA = '/Type /Font /Subtype /Type1 /BaseFont /Helvetica'
const EASTERN = `<< ${HELVETICA} /Encoding << /Type /Encoding /Differences [65 /lslash /sacute /Zdotaccent /ccaron /afii10017 /Omega /Euro /adieresis] >> >>`
/** Names of the fonts that Acrobat brings, as Asian carriers' software writes them. */
const ASIAN = (encoding: string, ordering: string): string =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /${encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >> >>] >>`

const show = (string: string, mode = 0): string =>
  `${INK} BT /F1 20 Tf ${mode} Tr 20 300 Td ${string} Tj ET`

function lettersOf(content: string, font?: string): readonly string[] {
  pdfium.open(makePdf([{ ...LABEL, content }], { ...(font !== undefined && { font }) }))
  return pdfium.missingLetters(1)
}

t.test('letters of a PDF without their font', (t) => {
  const chinese = ASIAN('UniGB-UCS2-H', 'GB1')
  t.same(lettersOf(show('(Jane Doe, 1-2 & 3_4.)')), [], 'Western letters are drawn')
  t.same(
    lettersOf(show('(A BCDEFGHGH)'), EASTERN),
    ['ś', 'Ż', 'č', 'А', '\u2126'],
    'each missing one once: ł, € and ä are drawn',
  )
  t.same(lettersOf(`0 1 -1 0 100 100 cm ${show('(A-_|.B)')}`, EASTERN), ['ś'], 'turned, thin ones')
  t.same(lettersOf(show('<4F60597D00410042>'), chinese), ['你', '好'])
  t.same(lettersOf(show('<65E5672C0041>'), ASIAN('UniJIS-UCS2-H', 'Japan1')), ['日', '本'])
  t.same(lettersOf(show('<00240025>'), ASIAN('Identity-H', 'Identity')), [''], 'no meaning told')
  t.same(lettersOf(show('<4F60597D>', 3), chinese), [], 'text under a scan is not meant to be seen')
  const many = Array.from({ length: 40 }, (_, n) => (0x4e00 + n).toString(16)).join('')
  t.equal(lettersOf(show(`<${many}>`), chinese).length, 12, 'not a page of them')
  t.end()
})

/** A page with a field that has this text, and the look that its maker gave it, if any. */
function fieldOf(text: string, look = '', flags = 4): Buffer {
  const value = Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')
  const field = `<< /Type /Annot /Subtype /Widget /FT /Tx /T (to) /V <${value}> /DA (/Helv 20 Tf 0 g) /F ${flags} /Rect [10 10 140 60] ${look} >>`
  const drawn = 'BT /F 20 Tf 5 5 Td (a) Tj ET'
  const glyph = '1000 0 0 0 750 750 d1 0 0 750 750 re f'
  const own = `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a 8 0 R >> /Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [1000] >>`
  const others = [
    field,
    `<< /Type /XObject /Subtype /Form /BBox [0 0 130 50] /Resources << /Font << /F ${own} >> >> /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    `<< /Length ${glyph.length} >>\nstream\n${glyph}\nendstream`,
  ]
  const pdf = makePdf([{ ...LABEL, content: INK, more: '/Annots [6 0 R]' }], { others })
  const fields = `/Type /Catalog /AcroForm << /Fields [6 0 R] /DR << /Font << /Helv 3 0 R >> >> >>`
  return Buffer.from(pdf.toString('latin1').replace('/Type /Catalog', fields), 'latin1')
}

t.test('letters that were filled into a PDF without their font', (t) => {
  const lettersIn = (pdf: Buffer) => {
    pdfium.open(pdf)
    const letters = pdfium.missingLetters(1)
    pdfium.draw(1, 72)
    t.same(pdfium.missingLetters(1), letters, 'once it is drawn, too')
    return letters
  }
  t.same(lettersIn(fieldOf('Müller & Søn, Łódź – 5 €')), ['ź'])
  t.same(lettersIn(fieldOf('Ждан 你好')), ['Ж', 'д', 'а', 'н', '你', '好'])
  t.same(lettersIn(fieldOf('Ждан', '', 0)), [], 'what is not printed')
  t.same(lettersIn(fieldOf('Ждан', '/AP << /N 7 0 R >>')), [], 'what its maker drew')
  t.same(
    drawAll(fieldOf('ź')).flatMap(({ notes }) => notes),
    [
      'Page 1 of the PDF uses letters without bringing their font (ź): they are missing or wrong on the label. Ask for a PDF with its fonts embedded.',
    ],
  )
  t.end()
})

t.test('what a packer reads about them', (t) => {
  const notesOf = (page: Partial<Page>, font: string): readonly Remark[] =>
    drawAll(makePdf([{ ...LABEL, content: show('(BC)'), ...page }], { font })).flatMap(
      ({ notes }) => notes,
    )
  const polish =
    'Page 1 of the PDF uses letters without bringing their font (ś Ż): they are missing or wrong on the label. Ask for a PDF with its fonts embedded.'
  t.same(notesOf({}, EASTERN), [polish])
  t.same(notesOf(A4, EASTERN).slice(-1), [polish], 'of a page that is fitted too')
  t.same(notesOf({ content: show('<00240025>') }, ASIAN('Identity-H', 'Identity')), [
    polish.replace(' (ś Ż)', ''),
  ])
  t.same(notesOf({}, `<< ${HELVETICA} >>`), [])
  t.end()
})

t.test('a damaged font is not in the way of the label', (t) => {
  for (const font of ['<< >>', '[ 3 0 R ]', '<< /Type /Font /Subtype /Type0 >>', 'null']) {
    pdfium.open(Buffer.from(makePdf([{ ...LABEL, content: show('(BC)') }], { font })))
    t.ok(Array.isArray(pdfium.missingLetters(1)), font)
  }
  t.end()
})
