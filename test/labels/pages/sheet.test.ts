import bwipJs from 'bwip-js/node'
import fc from 'fast-check'
import sharp from 'sharp'
import t from 'tap'
import { drawLabel, listLabels } from '../../../src/labels/pages/look.ts'
import { renderPage } from '../../../src/labels/render.ts'
import { tries } from '../../random.ts'
import { paperOf, pdfium } from '../codecs/pdf/draw.ts'
import { A4, drawText, INCH, LETTER, makePdf } from '../codecs/pdf/make-pdf.ts'
import { readCodes } from '../codecs/pdf/read-codes.ts'
import { makeTarget } from '../make-target.ts'

t.setTimeout(600_000)

const MM = INCH / 25.4

/** A sheet as it is sold: how many, the size of a label, from one to the next, and the first one's place, in points. */
interface Layout {
  readonly page: { readonly width: number; readonly height: number }
  readonly columns: number
  readonly rows: number
  readonly label: readonly [number, number]
  readonly pitch: readonly [number, number]
  readonly first: readonly [number, number]
}

const layout = (
  page: Layout['page'],
  [columns, rows]: readonly [number, number],
  unit: number,
  [label, pitch, first]: readonly (readonly [number, number])[],
): Layout => {
  const scaled = ([x, y]: readonly [number, number] = [0, 0]) => [x * unit, y * unit] as const
  return { page, columns, rows, label: scaled(label), pitch: scaled(pitch), first: scaled(first) }
}

// Avery and HERMA, from their templates.
const LAYOUTS: Readonly<Record<string, Layout>> = {
  'Avery 5160': layout(LETTER, [3, 10], INCH, [
    [2.625, 1],
    [2.75, 1],
    [0.1875, 0.5],
  ]),
  'Avery 5161': layout(LETTER, [2, 10], INCH, [
    [4, 1],
    [4.1875, 1],
    [0.15625, 0.5],
  ]),
  'Avery 5163': layout(LETTER, [2, 5], INCH, [
    [4, 2],
    [4.1875, 2],
    [0.15625, 0.5],
  ]),
  'Avery 5164': layout(LETTER, [2, 3], INCH, [
    [4, 3.333],
    [4.1875, 3.333],
    [0.15625, 0.5],
  ]),
  'Avery L7160': layout(A4, [3, 7], MM, [
    [63.5, 38.1],
    [66, 38.1],
    [7.25, 15.15],
  ]),
  'Avery L7159': layout(A4, [3, 8], MM, [
    [63.5, 33.9],
    [66, 33.9],
    [7.25, 12.9],
  ]),
  'Avery L7163': layout(A4, [2, 7], MM, [
    [99.1, 38.1],
    [101.6, 38.1],
    [4.65, 15.15],
  ]),
  'Avery L7165': layout(A4, [2, 4], MM, [
    [99.1, 67.7],
    [101.6, 67.7],
    [4.65, 13.1],
  ]),
  'HERMA 4457, no gaps': layout(A4, [3, 10], MM, [
    [70, 29.7],
    [70, 29.7],
    [0, 0],
  ]),
  'HERMA 4470, no gaps': layout(A4, [3, 8], MM, [
    [70, 37],
    [70, 37],
    [0, 0.5],
  ]),
  'HERMA 4606': layout(A4, [4, 10], MM, [
    [48.3, 25.4],
    [50.8, 25.4],
    [4.6, 21.5],
  ]),
}

type Lines = 'none' | 'frames' | 'grid' | 'dashes'

const known = new Map<string, readonly (readonly [number, number])[]>()

/** The bars of a Code 128, in modules: from, to. */
async function barsOf(text: string): Promise<readonly (readonly [number, number])[]> {
  const found = known.get(text)
  if (found !== undefined) return found
  const png = await bwipJs.toBuffer({ bcid: 'code128', text, scale: 1, height: 4 })
  const { data, info } = await sharp(png)
    .flatten({ background: '#fff' })
    .grayscale()
    .raw()
    .toBuffer({
      resolveWithObject: true,
    })
  const dark = Array.from(data.subarray(0, info.width), (luma) => (luma < 128 ? '1' : ' ')).join('')
  const bars = Array.from(
    dark.matchAll(/1+/g),
    ({ 0: run, index }) => [index, index + run.length] as const,
  )
  known.set(text, bars)
  return bars
}

/** A label with a Code 128 of its number, a name below it, and an address line of some length. */
async function drawItem(code: string, layout: Layout, cell: number, name: string): Promise<string> {
  const { columns, pitch, first, label, page } = layout
  const left = first[0] + (cell % columns) * pitch[0]
  const top = page.height - first[1] - Math.floor(cell / columns) * pitch[1]
  const bars = await barsOf(code)
  const modules = bars.at(-1)?.[1] ?? 1
  const module = Math.min(1, (label[0] - 22) / modules)
  const [x, y] = [left + 10, top - label[1] * 0.58]
  const high = label[1] * 0.42
  return [
    ...bars.map(([from, to]) => `${x + from * module} ${y} ${(to - from) * module} ${high} re f`),
    drawText(code, x, y - 0.17 * label[1], 0.1 * label[1]),
    drawText(name, x, y - 0.31 * label[1], 0.09 * label[1]),
  ].join('\n')
}

function drawLines({ columns, rows, pitch, first, label, page }: Layout, lines: Lines): string {
  const [left, top] = [first[0], page.height - first[1]]
  if (lines === 'none') return ''
  if (lines === 'frames') {
    return Array.from({ length: columns * rows }, (_, n) => {
      const x = left + (n % columns) * pitch[0]
      const y = top - Math.floor(n / columns) * pitch[1] - label[1]
      return `0.5 w ${x} ${y} ${label[0]} ${label[1]} re S`
    }).join('\n')
  }
  const gap = (pitch[0] - label[0]) / 2
  const [right, bottom] = [left + columns * pitch[0] - gap, top - rows * pitch[1]]
  const strokes = [
    ...Array.from({ length: columns + 1 }, (_, n) => left - gap + n * pitch[0]).map(
      (x) => `${x} ${top} m ${x} ${bottom} l S`,
    ),
    ...Array.from({ length: rows + 1 }, (_, n) => top - n * pitch[1]).map(
      (y) => `${left - gap} ${y} m ${right} ${y} l S`,
    ),
  ]
  return `q 0.5 w ${lines === 'dashes' ? '[4 3] 0 d' : ''}\n${strokes.join('\n')}\nQ`
}

const NAMES = ['Blue mug', 'Blue mug, large, new', 'Tea for two', 'A pot with lid, 1.5 l']

async function makeSheet(
  name: string,
  filled: readonly number[],
  lines: Lines,
): Promise<{ readonly pdf: Buffer; readonly codes: readonly string[]; readonly layout: Layout }> {
  const layout = LAYOUTS[name] as Layout
  const codes = filled.map((cell) => `X${String(cell + 100)}A`)
  const items = await Promise.all(
    filled.map((cell, n) =>
      drawItem(codes[n] ?? '', layout, cell, NAMES[cell % NAMES.length] ?? ''),
    ),
  )
  const content = [drawLines(layout, lines), ...items].join('\n')
  return { pdf: makePdf([{ ...layout.page, content }]), codes, layout }
}

const targetOf = ({ label }: Layout, dpi = 203) =>
  ({ labelWidth: label[0] / INCH, labelHeight: label[1] / INCH, dpi }) as const

t.test('a sheet for single labels of its size becomes that many, in reading order', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(LAYOUTS)),
      fc.constantFrom<Lines>('none', 'frames', 'grid', 'dashes'),
      fc.constantFrom('all', 'first rows', 'some'),
      fc.infiniteStream(fc.boolean()),
      fc.constantFrom(203, 300),
      async (name, lines, fill, dice, dpi) => {
        const { columns, rows } = LAYOUTS[name] as Layout
        const all = Array.from({ length: columns * rows }, (_, n) => n)
        const some = all.filter(() => dice.next().value)
        const filled = { all, 'first rows': all.slice(0, 2 * columns), some }[fill]
        fc.pre(filled.length > Math.max(3, columns))
        const { pdf, codes, layout } = await makeSheet(name, filled, lines)
        const target = makeTarget(targetOf(layout, dpi))
        const paper = paperOf(target)
        pdfium.open(pdf)
        const labels = listLabels(pdfium, { pages: undefined, area: undefined }, paper)
        const what = `${name}, ${lines}, ${fill} (${filled.length}), ${dpi} dpi`
        t.equal(labels.length, codes.length, what)
        const last = codes.length - 1
        for (const n of new Set([0, last >> 1, last])) {
          const label = labels[n] ?? { page: 1, area: undefined }
          const { plane, notes, placed } = drawLabel(pdfium, label, paper)
          const rendered = renderPage({ ...plane, notes, placed }, target)
          t.same(await readCodes(rendered), [codes[n]], `${what}: label ${n + 1}`)
          t.same(notes, [], what)
        }
      },
    ),
    { numRuns: tries(80), seed: 920 },
  )
})

const EVERY = { pages: undefined, area: undefined }

function list(pdf: Uint8Array, more: Parameters<typeof makeTarget>[0] = {}) {
  pdfium.open(pdf)
  return listLabels(pdfium, EVERY, paperOf(makeTarget(more)))
}

t.test(
  'on labels of another size it prints one each where that fills them, else it is held',
  async (t) => {
    for (const [name, count] of [
      ['Avery 5163', 10],
      ['Avery L7163', 14],
      ['Avery L7165', 8],
      ['Avery 5164', 6],
    ] as const) {
      const all = Array.from({ length: count }, (_, n) => n)
      const { pdf } = await makeSheet(name, all, 'none')
      const labels = list(pdf)
      t.equal(labels.length, count, name)
      t.notOk(
        labels.some(({ misfit }) => misfit),
        name,
      )
    }
    const { pdf } = await makeSheet(
      'Avery 5160',
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
      'none',
    )
    t.match(list(pdf, { labelWidth: 2, labelHeight: 1.25 }), { length: 14 }, 'a little smaller')
    const all = Array.from({ length: 30 }, (_, n) => n)
    const full = await makeSheet('Avery 5160', all, 'frames')
    const stock = { labelWidth: 4, labelHeight: 6 }
    t.match(list(full.pdf, stock), [
      { page: 1, area: 'page', misfit: { kind: 'sheet', count: 30, stock: '4x6' } },
    ])
    t.equal(list(full.pdf, stock).length, 1)
    const tiny = list(full.pdf, { labelWidth: 1, labelHeight: 0.5 })
    t.match(
      tiny,
      [{ misfit: { kind: 'sheet', count: 30, stock: '1x0.5' } }],
      'larger than the stock',
    )
  },
)

t.test('a sheet of addresses without bar codes prints on labels of its size alone', (t) => {
  const { columns, rows, pitch, first, page } = LAYOUTS['Avery 5160'] as Layout
  const content = Array.from({ length: columns * rows }, (_, n) => {
    const x = first[0] + (n % columns) * pitch[0] + 12
    const y = page.height - first[1] - Math.floor(n / columns) * pitch[1]
    const lines = [NAMES[n % 4] ?? '', `${n} Main Street`, 'Springfield, IL 62701']
    return lines.map((line, row) => drawText(line, x, y - 24 - 14 * row, 10)).join('\n')
  }).join('\n')
  const pdf = makePdf([{ ...page, content }])
  t.match(list(pdf, { labelWidth: 2.625, labelHeight: 1 }), { length: 30 })
  t.match(list(pdf), [{ area: undefined, isDocument: true }], 'on others it waits for a person')
  t.end()
})

t.test('pages that are no sheets come out as they did', async (t) => {
  const bars = async (code: string, x: number, y: number, high: number): Promise<string> =>
    (await barsOf(code))
      .map(([from, to]) => `${x + from} ${y} ${to - from} ${high} re f`)
      .join('\n')
  const rows = Array.from({ length: 12 }, (_, n) => 720 - 55 * n)
  const picks = await Promise.all(
    rows.map(async (y, n) =>
      [
        await bars(`P${1000 + n}`, 40, y, 24),
        drawText(`${NAMES[n % 4]} and some more words about it`, 200, y + 8, 11),
        drawText(`${n + 1} pieces, shelf ${n}`, 440, y + 8, 11),
      ].join('\n'),
    ),
  )
  const pickList = makePdf([{ ...LETTER, content: picks.join('\n') }])
  for (const stock of [
    { labelWidth: 4, labelHeight: 6 },
    { labelWidth: 2.625, labelHeight: 1 },
    { labelWidth: 4, labelHeight: 2 },
  ]) {
    t.notMatch(list(pickList, stock)[0]?.area ?? '', /x/, `a pick list on ${stock.labelHeight}`)
  }
  const invoice = rows.map((y, n) => drawText(`${n + 1}  ${NAMES[n % 4]}    9.99    19.98`, 60, y))
  for (const page of [A4, LETTER]) {
    const pdf = makePdf([{ ...page, content: invoice.join('\n') }])
    t.same(list(pdf), [{ page: 1, area: undefined, isDocument: true }], 'an invoice')
    t.match(list(pdf, { labelWidth: 2.625, labelHeight: 1 }), [{ isDocument: true }])
  }
  const note = await Promise.all([bars('1Z9', 60, 700, 40), bars('X77', 60, 120, 40)])
  const letter = makePdf([{ ...LETTER, content: [...invoice, ...note].join('\n') }])
  t.match(list(letter, { labelWidth: 1, labelHeight: 0.5 }), [{ misfit: { kind: 'small' } }])
})
