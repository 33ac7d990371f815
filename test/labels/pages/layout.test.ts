import t from 'tap'
import { listLabels } from '../../../src/labels/pages/look.ts'
import { loadReader } from '../barcodes.ts'
import { drawAll, paperOf, pdfium } from '../codecs/pdf/draw.ts'
import {
  A4,
  drawLabel,
  drawSymbol,
  drawText,
  INCH,
  LABEL,
  LETTER,
  makePdf,
  SYMBOLS,
} from '../codecs/pdf/make-pdf.ts'
import { readCodes } from '../codecs/pdf/read-codes.ts'
import { makeTarget } from '../make-target.ts'

const CODE = SYMBOLS.code128.text
const LYING = { width: 6 * INCH, height: 4 * INCH }
const NOTES = (x: number, top: number): string =>
  Array.from({ length: 18 }, (_, n) =>
    drawText(
      'Fold the page here and put the label into the pouch, thank you for shipping.',
      x,
      top - n * 14,
      11,
    ),
  ).join('\n')

t.before(loadReader)

interface Case {
  readonly page: { readonly width: number; readonly height: number; readonly more?: string }
  readonly content: () => Promise<string>
  readonly labels?: number
  /** Scaled to less than four fifths. */
  readonly isSmall?: boolean
}

const A6 = { width: A4.width / 2, height: A4.height / 2 }
const turned = { width: LETTER.height, height: LETTER.width }
const CASES: Readonly<Record<string, Case>> = {
  'a 4x6 page': { page: LABEL, content: () => drawLabel({ x: 0, y: 0 }) },
  'a 6x4 page': { page: LYING, content: () => drawLabel({ x: 0, y: 0 }, LYING) },
  'a 4x6 page, turned by /Rotate': {
    page: { ...LYING, more: '/Rotate 90' },
    content: () => drawLabel({ x: 0, y: 0 }, LYING),
  },
  'an A6 page': {
    page: { width: 297.64, height: 419.53 },
    content: () => drawLabel({ x: 2, y: 2 }, { width: 290, height: 414 }),
  },
  'a crop box on a letter page': {
    page: { ...LETTER, more: '/CropBox [100 200 388 632]' },
    content: () => drawLabel({ x: 100, y: 200 }),
  },
  'the label at the top left of a letter page': {
    page: LETTER,
    content: () => drawLabel({ x: 0, y: LETTER.height - LABEL.height }),
  },
  'the label in the middle of an A4 page': {
    page: A4,
    content: () => drawLabel({ x: 150, y: 200 }),
  },
  'the label on the top half, instructions below': {
    page: LETTER,
    content: async () => `${await drawLabel({ x: 80, y: 430 }, LYING)}\n${NOTES(60, 340)}`,
  },
  'a dashed line between label and instructions': {
    page: LETTER,
    content: async () =>
      `${await drawLabel({ x: 80, y: 420 }, LYING)}\nq [6 4] 0 d 0 396 m ${LETTER.width} 396 l S Q\n${NOTES(60, 380)}`,
  },
  'the label on the left half of a lying page': {
    page: turned,
    content: async () => `${await drawLabel({ x: 40, y: 100 })}\n${NOTES(430, 500)}`,
  },
  'a label that is longer than the stock': {
    page: A4,
    content: () => drawLabel({ x: 100, y: 200 }, { width: 280, height: 540 }),
    isSmall: false,
  },
  'two labels side by side': {
    page: turned,
    content: async () =>
      `${await drawLabel({ x: 50, y: 90 })}\n${await drawLabel({ x: 450, y: 90 })}`,
    labels: 2,
  },
  'two labels one above the other': {
    page: LETTER,
    content: async () =>
      `${await drawLabel({ x: 80, y: 440 }, LYING)}\n${await drawLabel({ x: 80, y: 60 }, LYING)}`,
    labels: 2,
  },
  'four labels on an A4 page': {
    page: A4,
    content: async () =>
      (
        await Promise.all(
          [0, 1, 2, 3].map((n) =>
            drawLabel({ x: (n % 2) * A6.width, y: (n >> 1) * A6.height }, A6),
          ),
        )
      ).join('\n'),
    labels: 4,
  },
  'two labels in a column of an A4 page': {
    page: A4,
    content: async () =>
      `${await drawLabel({ x: 0, y: A6.height }, A6)}\n${await drawLabel({ x: 0, y: 0 }, A6)}`,
    labels: 2,
  },
  'a label that fills a letter page': {
    page: LETTER,
    content: () => drawLabel({ x: 20, y: 20 }, { width: 572, height: 752 }),
    isSmall: true,
  },
}

for (const [name, { page, content, labels = 1, isSmall = false }] of Object.entries(CASES)) {
  for (const dpi of [203, 300]) {
    t.test(`${name} prints at ${dpi} dpi, and its code is read`, async (t) => {
      const printed = drawAll(makePdf([{ ...page, content: await content() }]), { dpi })
      t.equal(printed.length, labels)
      for (const label of printed) {
        if (!isSmall || dpi === 300) t.same(await readCodes(label), [CODE])
        t.equal(label.notes.length, isSmall ? 1 : 0, label.notes.join())
      }
    })
  }
}

t.test(
  'a letter page of text is a document; so is none that is small or holds a code',
  async (t) => {
    const text = NOTES(60, 700)
    const isDocument = (page: { width: number; height: number }, content: string): boolean => {
      pdfium.open(makePdf([{ ...page, content }]))
      const paper = paperOf(makeTarget())
      return (
        listLabels(pdfium, { pages: undefined, area: undefined }, paper)[0]?.isDocument ?? false
      )
    }
    t.equal(isDocument(LETTER, text), true)
    t.equal(isDocument(LABEL, NOTES(60, 400)), false)
    const bars = await drawSymbol('code128', { x: 60, y: 60, module: 1, style: 'path' })
    t.equal(isDocument(LETTER, `${text}\n${bars}`), false)
  },
)

t.test('a half of a page prints when somebody asks for it, and so does all of it', async (t) => {
  const content = `${drawText('TOP', 100, 700, 40)}\n${await drawLabel({ x: 80, y: 60 }, LYING)}`
  const pdf = makePdf([{ ...LETTER, content }])
  const paper = paperOf(makeTarget())
  pdfium.open(pdf)
  for (const area of ['page', 'top', 'bottom'] as const) {
    t.same(listLabels(pdfium, { pages: '1', area }, paper), [{ page: 1, area, isDocument: false }])
  }
  t.end()
})
