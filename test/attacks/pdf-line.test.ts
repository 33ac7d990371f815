// PDFs were read one after the other, first come first: 20 requests of 16 KB ended the program in 3 s, and an honest PDF was cut off
// after 120 s behind slow ones, taken all the same, and printed twice when its sender tried again.
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { PDF_BOUNDS, Pdfs } from '../../src/core/drawing/pdf.ts'
import { PdfLine, type PdfLineBounds } from '../../src/core/drawing/pdf-line.ts'
import { Bench, printer } from '../core/bench.ts'
import { PDF_FILES } from '../core/pdf-files.ts'
import { startRig } from '../http/rig.ts'
import { drawText, LABEL, LETTER, makePdf } from '../labels/codecs/pdf/make-pdf.ts'
import { poll } from '../until.ts'

t.setTimeout(600_000)

const MIB = 2 ** 20
const BOUNDS: PdfLineBounds = { ...PDF_BOUNDS, waitMs: 60_000, sliceMs: 50 }

/** Works that end when they are told; each notes when it begins. */
class Desk {
  readonly begun: string[] = []
  readonly stopped: string[] = []
  readonly #line: PdfLine
  readonly #ends = new Map<string, () => void>()
  readonly #isDone = new Set<string>()

  constructor(bounds: Partial<PdfLineBounds> = {}) {
    this.#line = new PdfLine({ ...BOUNDS, ...bounds })
  }

  /** `owner` is the first letter. */
  async do(name: string, more: { bytes?: number; isBounded?: boolean; signal?: AbortSignal } = {}) {
    const { bytes = 1, isBounded = true, signal } = more
    const run = (_lane: number, stop: AbortSignal): Promise<string> => {
      this.begun.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      this.#ends.set(name, () => resolve(name))
      if (this.#isDone.has(name)) resolve(name)
      stop.addEventListener('abort', () => {
        this.stopped.push(name)
        reject(stop.reason)
      })
      return promise
    }
    return await this.#line.do({ owner: name.charAt(0), bytes, isBounded, signal, run })
  }

  /** Also of one that is stopped at this moment, and works again. */
  end(name: string): void {
    this.#isDone.add(name)
    this.#ends.get(name)?.()
  }

  async until(...names: readonly string[]): Promise<void> {
    await poll(`${names} to begin`, () => names.every((name) => this.begun.includes(name)))
  }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: { readonly code?: string }) => error.code,
  )

t.test('at most eight wait, and so many bytes; who has most gives way to others', async (t) => {
  const desk = new Desk()
  const first = desk.do('z1')
  const own = Array.from({ length: 8 }, (_, n) => desk.do(`a${n + 1}`))
  t.equal(await codeOf(desk.do('a9')), 'SERVER_BUSY', 'a ninth of one sender')
  const others: Promise<string>[] = []
  for (const [name, loser] of [
    ['b1', 7],
    ['c1', 6],
    ['d1', 5],
    ['b2', 4],
    ['e1', 3],
    ['f1', 2],
  ] as const) {
    others.push(desk.do(name))
    t.equal(await codeOf(own[loser] ?? first), 'SERVER_BUSY', `a${loser + 1} gives way to ${name}`)
  }
  t.equal(await codeOf(desk.do('a9')), 'SERVER_BUSY', 'and has no more than others')
  const kept = desk.do('y1', { isBounded: false })
  const order = ['z1', 'a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'y1', 'a2', 'b2']
  for (const name of order) {
    await desk.until(name)
    desk.end(name)
  }
  await Promise.all([first, kept, ...own.slice(0, 2), ...others])
  t.same(desk.begun, order, 'in turns')
  const large = new Desk({ bytes: 10 })
  const busy = large.do('z1')
  const waiting = large.do('a1', { bytes: 9 })
  t.equal(await codeOf(large.do('b1', { bytes: 9 })), 'SERVER_BUSY')
  large.end('z1')
  await large.until('a1')
  large.end('a1')
  await Promise.all([busy, waiting])
})

t.test('who waits too long is told, and who has gone is not waited for', async (t) => {
  const desk = new Desk({ waitMs: 100 })
  const slow = desk.do('a1')
  t.equal(await codeOf(desk.do('a2')), 'SERVER_BUSY')
  const gone = new AbortController()
  const leaving = desk.do('a3', { signal: gone.signal })
  gone.abort(new Error('gone'))
  await t.rejects(leaving, { message: 'gone' })
  const running = new AbortController()
  const second = new Desk()
  const left = second.do('a1', { signal: running.signal })
  await second.until('a1')
  running.abort(new Error('left'))
  await t.rejects(left, { message: 'left' })
  t.same(second.stopped, ['a1'], 'the work ends')
  desk.end('a1')
  await slow
})

t.test('a slow one lets others by, a second slow one waits for the first', async (t) => {
  const desk = new Desk()
  const slow = [desk.do('a1'), desk.do('b1')]
  await desk.until('a1', 'b1') // a1 has had its slice
  const honest = desk.do('c1')
  await desk.until('c1') // b1 has had its slice too, and was stopped
  t.same(desk.stopped, ['b1'])
  desk.end('c1')
  await honest
  desk.end('a1')
  await poll('b1 to begin again', () => desk.begun.filter((name) => name === 'b1').length === 2)
  desk.end('b1')
  t.same(await Promise.all(slow), ['a1', 'b1'])
})

t.test('one sender never works in both lanes; labels on disk are not stopped', async (t) => {
  const desk = new Desk()
  const own = [desk.do('a1'), desk.do('a2')]
  await new Promise((resolve) => setTimeout(resolve, 3 * BOUNDS.sliceMs))
  t.same(desk.begun, ['a1'])
  const kept = desk.do('y1', { isBounded: false })
  await desk.until('y1')
  const honest = desk.do('c1')
  await desk.until('c1')
  t.same(desk.stopped, ['a1'], 'the label on disk goes on')
  for (const name of ['c1', 'y1', 'a2', 'a1']) desk.end(name)
  t.same(await Promise.all([honest, kept, ...own]), ['c1', 'y1', 'a1', 'a2'])
  t.equal(desk.begun.filter((name) => name === 'a1').length, 2)
})

t.test('two large ones are not read side by side', async (t) => {
  const desk = new Desk()
  const slow = desk.do('a1', { bytes: 15 * MIB })
  const large = desk.do('b1', { bytes: 15 * MIB })
  await desk.until('b1')
  t.same(desk.stopped, ['a1'], 'the slow one makes way')
  desk.end('b1')
  await large
  await poll('a1 to begin again', () => desk.begun.length === 3)
  desk.end('a1')
  await slow
})

const GOOD = makePdf([{ ...LABEL, content: drawText('good', 40, 200, 40) }])
const ENDLESS = makePdf([{ ...LETTER, content: '[0.00001] 0 d 10 w 0 0 m 100000000 0 l S' }])
const PAPER = { canvas: { width: 812, height: 1218 }, dpi: 203, rotate: 'auto' } as const
const ALL = { pages: undefined, area: undefined }

t.test('an honest PDF is read while one without an end is', async (t) => {
  const pdfs = new Pdfs({ ...PDF_FILES, timeLimitMs: 60_000 }, { sliceMs: 500 })
  t.teardown(() => pdfs.close())
  const gone = new AbortController()
  const packed = { bytes: ENDLESS.length, unpack: () => ENDLESS }
  const hostile = pdfs.look(packed, ALL, PAPER, { owner: 'a', signal: gone.signal })
  const good = { bytes: GOOD.length, unpack: () => GOOD }
  const labels = await pdfs.look(good, ALL, PAPER, { owner: 'b', signal: undefined })
  t.equal(labels.length, 1)
  gone.abort(new Error('gone'))
  await t.rejects(hostile, { message: 'gone' })
})

/** In a small body, a PDF of so many bytes. */
const packedPdf = (bytes: number): Buffer => gzipSync(Buffer.concat([GOOD, Buffer.alloc(bytes)]))

function openBench(t: Test): Bench {
  return new Bench(t, { printers: [printer('A', 'file:a')], defaultName: 'A' })
}

t.test(
  'twenty small bodies that hold 15 MB each: some are told, none waits unpacked',
  async (t) => {
    const { intake, spool } = openBench(t)
    const body = packedPdf(15 * MIB)
    let peak = 0
    const before = process.memoryUsage().rss
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before)
    }, 5)
    const codes = await Promise.all(
      Array.from({ length: 20 }, () =>
        codeOf(intake.takeTogether({ labels: [body], options: {}, source: 'http', network: 'x' })),
      ),
    )
    clearInterval(watch)
    t.ok(codes.filter((code) => code === '').length >= 3, 'those that found a place are taken')
    t.same(
      codes.filter((code) => code !== '' && code !== 'SERVER_BUSY'),
      [],
    )
    t.equal(spool.history.list({ limit: 99 }).length, codes.filter((code) => code === '').length)
    t.ok(peak < 160 * MIB, `${Math.round(peak / MIB)} MB more at the peak, 700 before`)
  },
)

t.test('who has gone while its PDF waited has no label', async (t) => {
  const rig = startRig(t)
  const { intake, spool } = rig.bench
  const gone = new AbortController()
  const sent = (body: Buffer, network: string) => ({
    labels: [body],
    options: {},
    source: 'http',
    network,
  })
  const hostile = codeOf(
    intake.takeTogether({ ...sent(ENDLESS, 'a'), client: () => AbortSignal.timeout(5_000) }),
  )
  const left = intake.takeTogether({ ...sent(GOOD, 'a'), client: () => gone.signal })
  setTimeout(() => gone.abort(), 300)
  await t.rejects(left, { code: 'BODY_BROKEN', message: /went away/ })
  t.equal(await hostile, 'BODY_BROKEN')
  t.same(spool.history.list({ limit: 9 }), [])
})
