import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { OPERATIONS, STATUS } from '../../../src/doors/ipp/protocol.ts'
import { readFirst, readNumber, readText, readTexts } from '../../../src/ipp/message.ts'
import { boolean, integer, keyword, mimeType, range } from '../../../src/ipp/values.ts'
import { startRig } from '../../http/rig.ts'
import { zplLabel } from '../../jobs/labels.ts'
import { makePwg } from '../../pictures/make-raster.ts'
import { makeRandom } from '../../random.ts'
import { drawText, LABEL, makePdf } from '../../render/pdf/make-pdf.ts'
import { ask, makeRequest } from './ask.ts'

const PAGE = { width: 812, height: 1218, dpi: 203, space: 3, bitsPerPixel: 1 }
const page = (value: number) => ({ ...PAGE, samples: Buffer.alloc(102 * 1218, value) })
const PAGES = makePwg(page(0xf0), page(0x0f), page(0xff))
const jobId = (answer: Awaited<ReturnType<typeof ask>>): number =>
  readNumber(answer.groups.at(-1), 'job-id') ?? 0

t.test('a job of three pages is three labels, and one job for its sender', async (t) => {
  const rig = startRig(t)
  const printed = await ask(rig, { operation: OPERATIONS.printJob, document: PAGES })
  t.equal(printed.code, STATUS.ok)
  const id = integer(jobId(printed))
  await Promise.all(rig.jobs().map(({ id }) => rig.bench.until(id, 'completed')))
  const { groups } = await ask(rig, {
    operation: OPERATIONS.getJobAttributes,
    attributes: { 'job-id': id },
  })
  const job = groups[1]
  t.equal(readNumber(job, 'job-state'), 9)
  t.same(readTexts(job, 'job-state-reasons'), ['job-completed-successfully'])
  t.equal(readNumber(job, 'job-impressions-completed'), 3)
  t.equal(readText(job, 'job-originating-user-name'), 'anna')
  t.equal(rig.jobs().length, 3)
})

t.test('Create-Job, then Send-Document, packed, with copies', async (t) => {
  const rig = startRig(t, { prints: false })
  const created = await ask(rig, {
    operation: OPERATIONS.createJob,
    template: { copies: integer(2), 'job-sheets': keyword('standard') },
  })
  t.equal(created.code, STATUS.ignoredAttributes)
  t.ok(created.groups.find(({ tag }) => tag === 5)?.attributes.has('job-sheets'))
  const id = integer(jobId(created))
  t.equal(readNumber(created.groups.at(-1), 'job-state'), 4)
  const send = (document: Uint8Array, compression = 'gzip') =>
    ask(rig, {
      operation: OPERATIONS.sendDocument,
      attributes: {
        ...{ 'job-id': id, 'last-document': boolean(true) },
        ...{ compression: keyword(compression), 'document-format': mimeType('image/pwg-raster') },
      },
      document,
    })
  t.equal((await send(gzipSync(PAGES))).code, STATUS.ok)
  t.equal(rig.jobs().length, 6, 'three pages, two copies')
  t.equal((await send(gzipSync(PAGES))).code, STATUS.notPossible, 'never twice')
  t.equal(rig.jobs().length, 6)
})

t.test('all or none: what is refused prints nothing, and its job ends', async (t) => {
  const rig = startRig(t, { prints: false })
  const cases: readonly (readonly [string, Uint8Array, number, string?])[] = [
    ['image/pwg-raster', PAGES.subarray(0, -1), STATUS.documentFormatError],
    ['image/png', PAGES, STATUS.documentFormatError],
    ['application/octet-stream', Buffer.from('Dear customer'), STATUS.documentFormatError],
    ['application/octet-stream', Buffer.alloc(0), STATUS.ok],
    ['image/webp', PAGES, STATUS.formatNotSupported],
    ['image/pwg-raster', PAGES, STATUS.compressionError, 'gzip'],
    ['image/pwg-raster', PAGES, STATUS.compressionNotSupported, 'zip'],
    ['image/pwg-raster', gzipSync(Buffer.alloc(40 * 2 ** 20)), STATUS.tooLarge, 'gzip'],
  ]
  for (const [format, document, status, compression = 'none'] of cases) {
    const answer = await ask(rig, {
      operation: OPERATIONS.printJob,
      attributes: { 'document-format': mimeType(format), compression: keyword(compression) },
      document,
    })
    t.equal(answer.code, status, `${format} ${compression}`)
    if (status !== STATUS.ok) t.match(readText(answer.groups[0], 'status-message'), /\w/)
  }
  t.equal(rig.jobs().length, 0)
  const { groups } = await ask(rig, { operation: OPERATIONS.getJobs })
  t.equal(groups.length, 1, 'none is left open')
})

t.test('raw labels, and a PDF of which two pages are wanted', async (t) => {
  const rig = startRig(t, { prints: false })
  await ask(rig, { operation: OPERATIONS.printJob, document: zplLabel('one') })
  const pdf = makePdf(
    ['a', 'b', 'c'].map((letter) => ({ ...LABEL, content: drawText(letter, 20, 300, 40) })),
  )
  const answer = await ask(rig, {
    operation: OPERATIONS.printJob,
    attributes: { 'document-format': mimeType('application/pdf') },
    template: { 'page-ranges': range(2, 3) },
    document: pdf,
  })
  t.equal(answer.code, STATUS.ok)
  t.same(
    rig.jobs().map(({ format, options, source }) => [format, options.pages, source]),
    [
      ['zpl', undefined, 'ipp'],
      ['pdf', '2', 'ipp'],
      ['pdf', '3', 'ipp'],
    ],
  )
})

t.test('cancel takes back what has not begun, and only what is one’s own', async (t) => {
  const rig = startRig(t, { prints: false })
  const id = integer(jobId(await ask(rig, { operation: OPERATIONS.printJob, document: PAGES })))
  const cancel = () => ask(rig, { operation: OPERATIONS.cancelJob, attributes: { 'job-id': id } })
  t.equal((await cancel()).code, STATUS.ok)
  t.same(new Set(rig.jobs().map(({ state }) => state)), new Set(['canceled']))
  t.equal((await cancel()).code, STATUS.notPossible, 'it has ended')
  const open = integer(jobId(await ask(rig, { operation: OPERATIONS.createJob })))
  await ask(rig, { operation: OPERATIONS.cancelMyJobs })
  const late = await ask(rig, {
    operation: OPERATIONS.sendDocument,
    attributes: { 'job-id': open, 'last-document': boolean(true) },
    document: PAGES,
  })
  t.equal(late.code, STATUS.notPossible)
  t.equal(rig.jobs().length, 3)
  const foreign = await rig.app.request(
    '/ipp/print/bench-1',
    {
      method: 'POST',
      headers: { 'content-type': 'application/ipp' },
      body: Uint8Array.from(
        makeRequest({ operation: OPERATIONS.getJobAttributes, attributes: { 'job-id': id } }),
      ),
    },
    { incoming: { socket: { remoteAddress: '192.0.2.9' } } },
  )
  const bytes = new Uint8Array(await foreign.arrayBuffer())
  t.equal(bytes[3], STATUS.notFound & 0xff, 'the jobs of another computer are not there')
})

t.test('no web page prints so, our own neither; and nothing but IPP is taken', async (t) => {
  const rig = startRig(t, { prints: false })
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'http://box.local:8080' },
    { 'sec-fetch-site': 'same-origin' },
  ]) {
    const question = { operation: OPERATIONS.printJob, document: PAGES, headers }
    await t.rejects(ask(rig, question), { message: /403 .*ORIGIN_REFUSED/ })
  }
  const evil = {
    operation: OPERATIONS.printJob,
    document: PAGES,
    headers: { host: 'evil.example' },
  }
  t.equal((await ask(rig, evil)).code, STATUS.ok, 'programs use any name')
  const preflight = await rig.call('/ipp/print/bench-1', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  t.equal(preflight.headers.get('access-control-allow-origin'), null)
  const plain = { operation: 2, headers: { 'content-type': 'text/plain' } }
  await t.rejects(ask(rig, plain), { message: /BODY_TYPE/ })
  await t.rejects(ask(rig, { operation: 2, path: '/ipp/print/nobody' }), {
    message: /PRINTER_UNKNOWN/,
  })
  t.equal(rig.jobs().length, 3)
})

t.test('the printer says what it is, under the name that the client used', async (t) => {
  const rig = startRig(t)
  const { groups } = await ask(rig, {
    operation: OPERATIONS.getPrinterAttributes,
    path: '/ipp/print/BENCH-2',
  })
  const printer = groups[1]
  t.equal(readText(printer, 'printer-name'), 'Bench 2')
  t.same(readTexts(printer, 'printer-uri-supported'), ['ipp://box.local:8080/ipp/print/bench-2'])
  t.equal(readText(printer, 'media-ready'), 'na_index-4x6_4x6in')
  t.notOk(printer?.attributes.has('media-col-database'), 'only by its name')
  t.same(readFirst(printer, 'printer-resolution-default'), [203, 203, 3])
  const first = await ask(rig, { operation: OPERATIONS.getPrinterAttributes, path: '/ipp/print' })
  t.equal(readText(first.groups[1], 'printer-name'), 'Bench 1', 'the default printer')
  for (const icon of readTexts(printer, 'printer-icons')) {
    const response = await rig.call(new URL(icon).pathname)
    t.equal(response.headers.get('content-type'), 'image/png')
  }
})

t.test('Identify-Printer prints one label with its name, not one a second', async (t) => {
  const rig = startRig(t, { prints: false })
  for (let n = 0; n < 5; n++) await ask(rig, { operation: OPERATIONS.identifyPrinter })
  t.match(rig.jobs(), [{ format: 'test', printer: 'Bench 1' }])
  t.equal(rig.jobs().length, 1)
})

t.test('odd bytes are answered or refused, and nothing prints from them', async (t) => {
  const rig = startRig(t, { prints: false })
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
  const random = makeRandom(seed)
  t.comment(`SEED=${seed}`)
  const good = [
    makeRequest({ operation: OPERATIONS.getPrinterAttributes }),
    makeRequest({ operation: OPERATIONS.getJobs, attributes: { limit: integer(3) } }),
    makeRequest({
      operation: OPERATIONS.createJob,
      template: { copies: integer(2), 'page-ranges': range(1, 2) },
    }),
    makeRequest({ operation: OPERATIONS.cancelJob, attributes: { 'job-id': integer(1) } }),
  ]
  const rounds = Number(process.env['IPP_MUTANTS'] ?? 1_500)
  const codes = new Set<number>()
  for (let n = 0; n < rounds; n++) {
    const bytes = Buffer.from(good[n % good.length] as Buffer)
    for (let k = 0; k < 1 + random() * 4; k++) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    }
    const cut = random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
    const response = await rig.call('/ipp/print/bench-1', {
      method: 'POST',
      headers: { 'content-type': 'application/ipp' },
      body: Uint8Array.from(cut),
    })
    codes.add(response.status)
    await response.arrayBuffer()
  }
  t.same([...codes].sort(), [200, 400])
  t.equal(rig.jobs().filter(({ format }) => format !== 'test').length, 0)
})
