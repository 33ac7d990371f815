import { readFileSync } from 'node:fs'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import t from 'tap'
import { loadPdfium, PdfReader } from '../../../../src/labels/codecs/pdf/pdfium.ts'
import type { Plane } from '../../../../src/labels/plane.ts'
import { findPdfium } from '../../../../src/system/process.ts'
import { drawText, INCH, makePdf } from './make-pdf.ts'

const WASM = readFileSync(findPdfium())
const pdfium = await loadPdfium(WASM)
const PAGE = { width: 2 * INCH, height: INCH }
const DPI = 10
const DOT = INCH / DPI

/** Rows of dots: `#` black, `+` gray, `.` white. */
function show({ width, height, luma }: Plane): readonly string[] {
  const words = Array.from(luma, (one) => (one < 40 ? '#' : one > 215 ? '.' : '+')).join('')
  return Array.from({ length: height }, (_, y) => words.slice(y * width, (y + 1) * width))
}

/** A filled box, in dots from the lower left. */
function fill(x: number, y: number, width: number, height: number): string {
  return `${[x, y, width, height].map((dots) => dots * DOT).join(' ')} re f`
}

function form(content: string, resources = ''): string {
  return `<< /Type /XObject /Subtype /Form /BBox [0 0 144 72] /Resources << ${resources} >> /Length ${content.length} >>\nstream\n${content}\nendstream`
}

const use = (name: string, object: number): string =>
  `/Resources << /XObject << /${name} ${object} 0 R >> >>`

t.test('a page is drawn dot for dot, from its top on, all of it or a part', (t) => {
  pdfium.open(makePdf([{ ...PAGE, content: fill(10, 0, 5, 5) }]))
  const [empty, half] = ['.'.repeat(20), `${'.'.repeat(10)}#####.....`]
  const rows = [...Array(5).fill(empty), ...Array(5).fill(half)]
  t.same(show(pdfium.draw(1, DPI)), rows)
  for (const [x, y, width, height] of [
    [8, 4, 5, 3],
    [0, 0, 1, 1],
    [10, 5, 4, 5],
    [13, 4, 7, 6],
  ] as const) {
    const part = rows.slice(y, y + height).map((row) => row.slice(x, x + width))
    const plane = pdfium.draw(1, DPI, { x, y, width, height })
    t.same([plane.width, plane.height], [width, height])
    t.same(show(plane), part, `${width}x${height} at ${x},${y}`)
  }
  t.same(show(pdfium.draw(1, 2 * DPI))[10], rows[5]?.replace(/./g, '$&$&'), 'twice as fine')
  t.end()
})

t.test('a box along the dots is black where it covers them, gray where it covers half', (t) => {
  const name = (content: string) => show(pdfOf(content).draw(1, DPI))[5]
  const pdfOf = (content: string) => {
    pdfium.open(makePdf([{ ...PAGE, content }]))
    return pdfium
  }
  t.equal(name(fill(2, 2, 4, 6)), '..####..............')
  t.equal(name(fill(2.5, 2, 4, 6)), '..+###+.............')
  t.equal(name(fill(2.5, 2, 1.1, 6)), '..++................', 'a little wider than a dot')
  t.equal(name(fill(2.4, 2, 0.1, 6)), '..#.................', 'a hair is a whole dot')
  t.equal(name(fill(2, 4.4, 6, 0.1)), '..######............', 'one that lies too')
  t.match(name(fill(2, 4.5, 6, 1.1)), /^\.\.\+{6}\.+$/, 'half a row')
  t.end()
})

t.test('what is in forms, and in forms of forms, is drawn alike', (t) => {
  const box = fill(2.5, 2, 4, 6)
  const inner = form(box)
  const outer = form('/I Do', `/XObject << /I 6 0 R >>`)
  for (const [what, others] of [
    ['a form', [inner]],
    ['a form in a form', [inner, outer]],
  ] as const) {
    const object = 5 + others.length
    pdfium.open(makePdf([{ ...PAGE, content: '/X Do', more: use('X', object) }], { others }))
    t.equal(show(pdfium.draw(1, DPI))[5], '..+###+.............', what)
  }
  t.end()
})

t.test('stamps on a page are part of it, and colors are gray', (t) => {
  const stamp = `/Annots [<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 144 72] /AP << /N 6 0 R >> >>]`
  const others = [form(fill(2, 2, 4, 6))]
  pdfium.open(makePdf([{ ...PAGE, content: '', more: stamp }], { others }))
  t.equal(show(pdfium.draw(1, DPI))[5], '..####..............')
  for (const [color, luma] of [
    ['1 0 0', 76],
    ['0 1 0', 150],
    ['0 0 1', 29],
    ['0.5 0.5 0.5', 127],
  ] as const) {
    pdfium.open(makePdf([{ ...PAGE, content: `${color} rg ${fill(0, 0, 20, 10)}` }]))
    const seen = pdfium.draw(1, DPI).luma[105] ?? 0
    t.ok(Math.abs(seen - luma) <= 3, `${color} is ${seen}; Rec. 601 says ${luma}`)
  }
  t.end()
})

/** A PDF whose one field has a text, with the look that its maker gave it or, without, the one that viewers make. */
function filled(look: string, page = '', flags = 4): Uint8Array {
  const [width, height] = [4 * DOT, 6 * DOT]
  const rect = `/Rect [${2 * DOT} ${2 * DOT} ${2 * DOT + width} ${2 * DOT + height}]`
  const field = `<< /Type /Annot /Subtype /Widget /FT /Tx /T (to) /V (HHHH) /DA (/Helv 40 Tf 0 g) /F ${flags} ${rect} ${look} >>`
  const box = `0 0 ${width} ${height}`
  const drawn = `<< /Type /XObject /Subtype /Form /BBox [${box}] /Length ${box.length + 5} >>\nstream\n${box} re f\nendstream`
  const more = `/Annots [6 0 R] ${page}`
  const pdf = makePdf([{ ...PAGE, content: '', more }], { others: [field, drawn] })
  const needs = look === '' ? '/NeedAppearances true' : ''
  const fields = `/Type /Catalog /AcroForm << /Fields [6 0 R] ${needs} /DR << /Font << /Helv 3 0 R >> >> >>`
  return Buffer.from(pdf.toString('latin1').replace('/Type /Catalog', fields), 'latin1')
}

t.test('what was filled in is part of a page', (t) => {
  const look = '/AP << /N 7 0 R >>'
  pdfium.open(filled(look))
  t.match(show(pdfium.draw(1, DPI))[5], /^\.\.####[#.]\.{13}$/)
  t.same(show(pdfium.draw(1, DPI, { x: 1, y: 1, width: 3, height: 2 })), ['...', '.##'])
  pdfium.open(filled(look, '/Rotate 180'))
  t.match(show(pdfium.draw(1, DPI))[4], /^\.{13}[#.]####\.\.$/)
  pdfium.open(filled(look, '', 2))
  t.notOk(show(pdfium.draw(1, DPI)).join('').includes('#'), 'but what is hidden')
  for (const [flags, isDrawn, what] of [
    [0, false, 'nor what is for the screen alone'],
    [4 | 32, true, 'and what is for paper alone'],
    [2 | 4, false, 'hidden from both'],
  ] as const) {
    for (const drawn of [look, '']) {
      pdfium.open(filled(drawn, '', flags))
      t.equal(Math.min(...pdfium.draw(1, INCH).luma) < 40, isDrawn, `${what} ${drawn}`)
    }
  }
  pdfium.open(filled(''))
  const field = { x: 16, y: 16, width: 25, height: 40 }
  const { luma } = pdfium.draw(1, INCH, field)
  t.ok(Math.min(...luma) < 40, 'also where nobody has drawn it yet')
  t.equal(luma[0], 255, 'and nothing is highlighted')
  t.end()
})

t.test('a box that is not ticked has no frame but that of its page', (t) => {
  const boxOf = (look: string) => {
    const box = `<< /Type /Annot /Subtype /Widget /FT /Btn /T (gift) /F 4 /Rect [30 10 100 60] ${look} >>`
    const more = '/Annots [6 0 R]'
    const pdf = makePdf([{ ...PAGE, content: '', more }], { others: [box, form('0 0 70 50 re f')] })
    const fields =
      '/Type /Catalog /AcroForm << /Fields [6 0 R] /DR << /Font << /Helv 3 0 R >> >> >>'
    pdfium.open(Buffer.from(pdf.toString('latin1').replace('/Type /Catalog', fields), 'latin1'))
    return Math.min(...pdfium.draw(1, INCH).luma)
  }
  for (const kind of ['', '/Ff 32768']) {
    t.equal(boxOf(`${kind} /AS /Off /AP << /N << /Yes 7 0 R >> >>`), 255, 'off')
    t.equal(boxOf(`${kind} /AP << /N << /Yes 7 0 R >> >>`), 255, 'never on')
    t.equal(boxOf(`${kind} /V /Yes /AS /Yes /AP << /N << /Yes 7 0 R >> >>`), 0, 'on')
    t.equal(boxOf(`${kind} /AS /Off /AP << /N << /Off 7 0 R >> >>`), 0, 'off, with a look for it')
  }
  t.ok(
    boxOf('/V /Yes /AS /Yes /DA (/ZaDb 0 Tf 0 g) /MK << /CA (4) >>') < 40,
    'on, without any look',
  )
  t.end()
})

t.test('layers are drawn that are to print, whatever is seen on the screen', (t) => {
  const [onScreen, onPaper] = [fill(2, 2, 4, 6), fill(12, 2, 4, 6)]
  const content = `/OC /a BDC ${onScreen} EMC /OC /b BDC ${onPaper} EMC`
  const layer = (view: string, print: string) =>
    `<< /Type /OCG /Name (layer) /Usage << /View << /ViewState /${view} >> /Print << /PrintState /${print} >> >> >>`
  const events = ['View', 'Print'].map(
    (event) => `<< /Event /${event} /OCGs [6 0 R 7 0 R] /Category [/${event}] >>`,
  )
  const layers = `/OCProperties << /OCGs [6 0 R 7 0 R] /D << /AS [${events.join(' ')}] >> >>`
  const pdf = makePdf([{ ...PAGE, content }], {
    others: [layer('ON', 'OFF'), layer('OFF', 'ON')],
  })
  const text = pdf
    .toString('latin1')
    .replace('/Type /Catalog', `/Type /Catalog ${layers}`)
    .replace('/Font <<', '/Properties << /a 6 0 R /b 7 0 R >> /Font <<')
  pdfium.open(Buffer.from(text, 'latin1'))
  t.equal(show(pdfium.draw(1, DPI))[5], '............####....')
  t.end()
})

t.test('pages count from 1, and their size in inches obeys rotation and crop box', (t) => {
  const content = fill(0, 0, 20, 10)
  pdfium.open(
    makePdf([
      { ...PAGE, content: '' },
      { ...PAGE, content, more: '/Rotate 90' },
      { ...PAGE, content, more: '/CropBox [0 0 36 72]' },
    ]),
  )
  t.equal(pdfium.pages, 3)
  t.same(pdfium.size(1), { width: 2, height: 1 })
  t.same(pdfium.size(2), { width: 1, height: 2 })
  t.same(pdfium.size(3), { width: 0.5, height: 1 })
  t.same(pdfium.draw(1, DPI).luma, new Uint8Array(200).fill(255))
  t.same(show(pdfium.draw(2, DPI)), Array(20).fill('##########'))
  t.same(show(pdfium.draw(3, DPI)), Array(10).fill('#####'))
  for (const number of [0, 4]) {
    const reasons = [{ key: 'pdfDamaged', values: { page: number } }]
    t.throws(() => pdfium.size(number), { code: 'PICTURE_BROKEN', reasons })
  }
  t.end()
})

t.test('a file that is locked is told from one that is damaged', (t) => {
  const page = [{ ...PAGE, content: '' }]
  const lock = (filter: string): string =>
    `/Encrypt << /Filter /${filter} /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >> /ID [<00> <00>]`
  for (const [what, bytes, code] of [
    ['a password', makePdf(page, { trailer: lock('Standard') }), 'PICTURE_UNSUPPORTED'],
    ['a lock of its own', makePdf(page, { trailer: lock('Strange') }), 'PICTURE_UNSUPPORTED'],
    ['no PDF', Buffer.from('%PNG'), 'PICTURE_BROKEN'],
    ['nothing', Buffer.of(), 'PICTURE_BROKEN'],
  ] as const) {
    t.throws(() => pdfium.open(bytes), { code }, what)
    t.equal(pdfium.pages, 0)
  }
  pdfium.open(makePdf(page))
  t.equal(pdfium.pages, 1, 'a good one afterwards')
  pdfium.close()
  pdfium.close()
  t.equal(pdfium.pages, 0)
  t.end()
})

t.test('a file that says its length first is not opened without its end', (t) => {
  const others = Array<string>(40).fill(`<< /Note (${'x'.repeat(100)}) >>`)
  const text = makePdf([{ ...PAGE, content: '' }], { others }).toString('latin1')
  const [body = '', end = ''] = text.split('xref\n0 ')
  const first = 'trailer\n<< /Size 9 /Root 1 0 R >>\nstartxref\n0\n%%EOF'
  const linear = (length: number) =>
    body.replace('\n', `\n99 0 obj\n<</Linearized 1/L ${length}/N 1>>\nendobj\n${first}\n`)
  const { length } = `${linear(1_000)}xref\n0 ${end}`
  const whole = Buffer.from(`${linear(length)}xref\n0 ${end}`, 'latin1')
  pdfium.open(whole)
  t.equal(pdfium.pages, 1)
  t.throws(() => pdfium.open(whole.subarray(0, -1_500)), {
    code: 'PICTURE_BROKEN',
    reasons: [{ key: 'pdfBroken' }],
  })
  // One that another program has made shorter may still say so.
  pdfium.open(Buffer.from(`${linear(9_999)}xref\n0 ${end}`, 'latin1'))
  t.equal(pdfium.pages, 1)
  t.end()
})

/** PDFium's own functions, and how many of each kind of thing are held. */
async function makeCounted() {
  const library = await PDFiumLibrary.init({ wasmBinary: new Uint8Array(WASM).buffer })
  const module = (library as unknown as { module: Record<string, unknown> }).module
  const { malloc, free } = module['wasmExports'] as {
    malloc(bytes: number): number
    free(at: number): void
  }
  const held = { memory: 0, document: 0, page: 0, bitmap: 0, text: 0, form: 0 }
  const room = { most: Number.POSITIVE_INFINITY }
  const counted = Object.create(module) as Record<string, unknown>
  counted['wasmExports'] = {
    malloc: (bytes: number) => {
      if (bytes > room.most) return 0
      held.memory += 1
      return malloc(bytes)
    },
    free: (at: number) => {
      held.memory -= 1
      free(at)
    },
  }
  const count = (name: string, kind: keyof typeof held, by: number) => {
    const original = module[name] as (...values: readonly number[]) => number
    counted[name] = (...values: readonly number[]) => {
      const result = original(...values)
      if (by < 0 || result !== 0) held[kind] += by
      return result
    }
  }
  for (const [kind, make, drop] of [
    ['document', '_FPDF_LoadMemDocument', '_FPDF_CloseDocument'],
    ['page', '_FPDF_LoadPage', '_FPDF_ClosePage'],
    ['bitmap', '_FPDFBitmap_CreateEx', '_FPDFBitmap_Destroy'],
    ['text', '_FPDFText_LoadPage', '_FPDFText_ClosePage'],
    ['form', '_FPDFDOC_InitFormFillEnvironment', '_FPDFDOC_ExitFormFillEnvironment'],
  ] as const) {
    count(make, kind, 1)
    count(drop, kind, -1)
  }
  const pdf = new PdfReader(counted as unknown as ConstructorParameters<typeof PdfReader>[0])
  return { pdf, held, room }
}

t.test('nothing is kept in the memory of PDFium but the document that is open', async (t) => {
  const { pdf, held, room } = await makeCounted()
  const one = { memory: 1, document: 1, page: 0, bitmap: 0, text: 0, form: 1 }
  const content = `${fill(2, 2, 4, 6)} ${drawText('Jane Doe', 10, 10)}`
  for (const round of ['first', 'second']) {
    pdf.open(makePdf([{ ...PAGE, content }]))
    pdf.draw(1, DPI)
    pdf.size(1)
    pdf.missingLetters(1)
    t.throws(() => pdf.size(2), { code: 'PICTURE_BROKEN' })
    t.same(held, one, round)
  }
  room.most = 150 // less than the 200 dots of the page
  t.throws(() => pdf.draw(1, DPI), {
    code: 'PICTURE_MEMORY',
    message: 'The PDF needs more memory than a label may take.',
  })
  t.same(held, one, 'no room for the picture')
  t.throws(() => pdf.open(makePdf([{ ...PAGE, content }])), { code: 'PICTURE_MEMORY' })
  room.most = Number.POSITIVE_INFINITY
  t.throws(() => pdf.open(Buffer.from('%PNG')), { code: 'PICTURE_BROKEN' })
  pdf.close()
  t.same(held, { memory: 0, document: 0, page: 0, bitmap: 0, text: 0, form: 0 })
})
