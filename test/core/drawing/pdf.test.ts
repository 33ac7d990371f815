import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Pdfs } from '../../../src/core/drawing/pdf.ts'
import { drawText, LABEL, LETTER, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { makeRandom } from '../../random.ts'
import { PDF_FILES } from '../pdf-files.ts'

const PAPER = { canvas: { width: 812, height: 1218 }, dpi: 203, rotate: 'auto' } as const
const ALL = { pages: undefined, area: undefined }
const FIRST = { page: 1, area: undefined }
const GOOD = makePdf([{ ...LABEL, content: drawText('good', 40, 200, 40) }])

function open(t: Test, more: { timeLimitMs?: number } = {}): Pdfs {
  const pdfs = new Pdfs({ ...PDF_FILES, ...more })
  t.teardown(() => pdfs.close())
  return pdfs
}

const page = (content: string, more = ''): Buffer => makePdf([{ ...LABEL, content, more }])

t.test('what is no sound PDF is refused with a sentence, and the next one prints', async (t) => {
  const pdfs = open(t)
  const locked = makePdf([{ ...LABEL, content: '' }], {
    trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >> /ID [<00> <00>]`,
  })
  const faults: readonly (readonly [Buffer, string, RegExp])[] = [
    [Buffer.from('%PDF-1.4 and nothing else'), 'PICTURE_BROKEN', /damaged or cut off/],
    [Buffer.from(`%PDF-1.7\n${'\x93\x00\xff'.repeat(500)}`, 'latin1'), 'PICTURE_BROKEN', /damaged/],
    [locked, 'PICTURE_UNSUPPORTED', /password/],
    [makePdf([]), 'PICTURE_BROKEN', /no pages/],
    [makePdf([{ width: 1e6, height: 1e6, content: '' }]), 'PICTURE_TOO_LARGE', /inches/],
    [
      makePdf(Array.from({ length: 51 }, () => ({ ...LABEL, content: '' }))),
      'PICTURE_TOO_LARGE',
      /51 pages/,
    ],
  ]
  for (const [pdf, code, message] of faults) {
    await t.rejects(pdfs.list(pdf, ALL, PAPER), { code, message })
    t.equal((await pdfs.draw(GOOD, FIRST, PAPER)).plane.width, 812)
  }
})

// Measured to end neither by itself nor within memory (facts of PDFs, hostile files).
const HOSTILE: Readonly<Record<string, Buffer>> = {
  'a dash pattern that never ends': page('[0.00001] 0 d 10 w 0 0 m 100000000 0 l S'),
  'dashes on thick lines': page(`[0.001] 0 d 100 w ${'0 0 m 288 432 l S '.repeat(200)}`),
  'a stroked path of 400,000 points': page(
    `0 0 m ${Array.from({ length: 400_000 }, (_, n) => `${(n * 7) % 288} ${(n * 13) % 432} l`).join(' ')} S`,
  ),
  'two million letters': page(`BT /F1 8 Tf 10 10 Td (${'W'.repeat(2_000_000)}) Tj ET`),
  'a picture of 60,000 by 60,000': page(
    `q 288 0 0 432 0 0 cm BI /W 60000 /H 60000 /BPC 1 /CS /G ID ${'\x55'.repeat(1000)} EI Q`,
  ),
  'states pushed without end': page('q '.repeat(1_000_000)),
}

t.test('a hostile file ends within its time and memory, and the next one prints', async (t) => {
  const pdfs = open(t, { timeLimitMs: 1_500 })
  for (const [name, pdf] of Object.entries(HOSTILE)) {
    try {
      await pdfs.draw(pdf, FIRST, PAPER)
    } catch (error) {
      t.match(error, { code: /^PICTURE_(TIMEOUT|MEMORY|BROKEN)$/ }, name)
    }
    t.equal((await pdfs.draw(GOOD, FIRST, PAPER)).plane.height, 1218, `after ${name}`)
  }
})

t.test('who asked and went away is not waited for', async (t) => {
  const pdfs = open(t)
  const controller = new AbortController()
  const hostile = HOSTILE['a dash pattern that never ends'] ?? Buffer.alloc(0)
  const asked = pdfs.draw(hostile, FIRST, PAPER, controller.signal)
  const reason = new Error('gone')
  setTimeout(() => controller.abort(reason), 300)
  await t.rejects(asked, reason)
  t.equal((await pdfs.draw(GOOD, FIRST, PAPER)).plane.width, 812)
})

t.test('... nor who goes away while the child starts', async (t) => {
  const pdfs = open(t)
  const controller = new AbortController()
  const hostile = HOSTILE['a dash pattern that never ends'] ?? Buffer.alloc(0)
  const asked = pdfs.draw(hostile, FIRST, PAPER, controller.signal)
  const reason = new Error('gone')
  setImmediate(() => controller.abort(reason))
  await t.rejects(asked, reason)
  t.equal((await pdfs.draw(GOOD, FIRST, PAPER)).plane.width, 812)
})

t.test('mutated files never stop it', async (t) => {
  const pdfs = open(t, { timeLimitMs: 3_000 })
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
  t.comment(`SEED=${seed}`)
  const random = makeRandom(seed)
  const stream = deflateSync(Buffer.from(drawText('packed', 40, 200, 40)))
  const seeds = [
    GOOD,
    makePdf([
      { ...LETTER, content: drawText('page', 40, 200, 40) },
      { ...LABEL, content: '0 0 9 9 re f' },
    ]),
    page(`q 100 0 0 100 50 50 cm BI /W 8 /H 8 /BPC 1 /CS /G ID ${stream.toString('latin1')} EI Q`),
  ]
  const rounds = Number(process.env['PDF_MUTANTS'] ?? 400)
  for (let n = 0; n < rounds; n++) {
    const pdf = mutate(seeds[n % seeds.length] as Buffer, random)
    const drawn = pdfs
      .list(pdf, ALL, PAPER)
      .then(async ([label]) => label && pdfs.draw(pdf, label, PAPER))
    await drawn.catch((error) => t.match(error, { code: /^PICTURE_|^LABEL_EMPTY$/ }))
  }
  t.equal((await pdfs.draw(GOOD, FIRST, PAPER)).plane.width, 812)
})

/** Some bytes changed, a part left out or doubled. */
function mutate(pdf: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(pdf)
  const at = (): number => Math.floor(random() * bytes.length)
  for (let n = 0; n < 1 + random() * 8; n++) bytes[at()] = Math.floor(random() * 256)
  const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number]
  const kind = Math.floor(random() * 4)
  if (kind === 0) return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  if (kind === 1) return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
  return bytes
}
