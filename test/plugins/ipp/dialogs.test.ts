import { Buffer } from 'node:buffer'
import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import * as moves from '../../../src/core/moves.ts'
import { encodePng } from '../../../src/labels/target.ts'
import { DialogAddresses } from '../../../src/plugins/ipp/addresses.ts'
import { listShared, type SharedPrinter } from '../../../src/plugins/ipp/printer.ts'
import { describePrinter } from '../../../src/plugins/ipp/printer-attributes.ts'
import { OPERATIONS, STATUS } from '../../../src/plugins/ipp/protocol.ts'
import { isObeyed, listTemplate, optionsOf } from '../../../src/plugins/ipp/template.ts'
import { decodeMessage } from '../../../src/printers/ipp/codec.ts'
import {
  boolean,
  enumeration,
  integer,
  keyword,
  mimeType,
  name,
  range,
  readFirst,
  readNumber,
  readText,
  readTexts,
} from '../../../src/printers/ipp/message.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { zplLabel } from '../../core/labels.ts'
import { startRig } from '../../http/rig.ts'
import { drawText, LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { makePwg } from '../../pictures/make-raster.ts'
import { makeRandom } from '../../random.ts'
import { spoken } from '../../words/spoken.ts'
import { ask, makeRequest } from './ask.ts'

const SHARER = {
  secret: new Uint8Array(32),
  hostName: 'bench-3.local',
  addresses: new DialogAddresses(),
}
const makePng = () => encodePng({ width: 400, height: 200, bits: Buffer.alloc(50 * 200, 0xf0) })
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
  t.same(
    rig.jobs().map(({ user }) => user),
    ['anna', 'anna', 'anna'],
  )
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
        'job-id': id,
        'last-document': boolean(true),
        compression: keyword(compression),
        'document-format': mimeType('image/pwg-raster'),
      },
      document,
    })
  t.equal((await send(gzipSync(PAGES))).code, STATUS.ok)
  t.equal(rig.jobs().length, 6, 'three pages, two copies')
  t.equal((await send(gzipSync(PAGES))).code, STATUS.notPossible, 'never twice')
  const closed = await send(Buffer.alloc(0), 'none')
  t.equal(closed.code, STATUS.ok, 'no other follows')
  t.equal(readNumber(closed.groups.at(-1), 'job-state'), 3)
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
  const evidence = { format: 'unknown', state: 'pending-held', source: 'ipp', user: 'anna' }
  const codes = ['PICTURE_BROKEN', 'LABEL_UNKNOWN', 'LABEL_UNKNOWN', 'LABEL_UNKNOWN']
  t.match(
    rig.jobs().map(({ code, ...job }) => ({ ...job, code })),
    [...codes, 'BODY_TOO_LARGE'].map((code) => ({ ...evidence, code })),
    'what was sent is on the page',
  )
  const { groups } = await ask(rig, { operation: OPERATIONS.getJobs })
  t.equal(groups.length, 1, 'none is left open')
})

t.test('a refused document stays on the page: what, from whom and why', async (t) => {
  const rig = startRig(t, { prints: false })
  const created = await ask(rig, {
    operation: OPERATIONS.createJob,
    attributes: { 'job-name': name('Order 7') },
  })
  const sent = await ask(rig, {
    operation: OPERATIONS.sendDocument,
    attributes: { 'job-id': integer(jobId(created)), 'last-document': boolean(true) },
    document: Buffer.from('Dear customer'),
  })
  t.equal(sent.code, STATUS.documentFormatError)
  t.match(spoken(rig.jobs()), [
    {
      printer: 'Bench 1',
      title: 'Order 7',
      user: 'anna',
      state: 'pending-held',
      message: /^Somebody sent something through a print dialog that is not a label/,
    },
  ])
  t.equal(String(rig.labels()[0]), 'Dear customer')
})

t.test('a document may be on its way for longer than its job waits for it', async (t) => {
  let later = 0
  const now = performance.now.bind(performance)
  mock.method(performance, 'now', () => now() + later)
  t.teardown(() => mock.restoreAll())
  const rig = startRig(t, { prints: false, bench: { uptimeMs: () => now() + later } })
  const create = async () => jobId(await ask(rig, { operation: OPERATIONS.createJob }))
  const askOf = async (id: number, operation: number) =>
    await ask(rig, { operation, attributes: { 'job-id': integer(id) } })
  const send = async (id: number, waitMs: number, meanwhile?: number) => {
    const attributes = { 'job-id': integer(id), 'last-document': boolean(true) }
    const document = zplLabel('slow', 200_000)
    const request = makeRequest({ operation: OPERATIONS.sendDocument, attributes, document })
    async function* drip() {
      yield request.subarray(0, 150_000)
      later += 61_000
      if (meanwhile !== undefined) said.push(await askOf(id, meanwhile))
      yield request.subarray(150_000)
    }
    later += waitMs
    const init = { method: 'POST', headers: { 'content-type': 'application/ipp' } } as const
    const body = ReadableStream.from(drip())
    const answer = await rig.call('/ipp/print/bench-1', { ...init, body, duplex: 'half' })
    return decodeMessage(new Uint8Array(await answer.arrayBuffer())).message.code
  }
  const said: Awaited<ReturnType<typeof ask>>[] = []
  t.equal(await send(await create(), 0, OPERATIONS.getJobAttributes), STATUS.ok)
  t.equal(readNumber(said[0]?.groups.at(-1), 'job-state'), 4, 'it is not given up')
  t.match(rig.jobs(), [{ format: 'zpl' }])
  t.equal(await send(await create(), 0, OPERATIONS.cancelJob), STATUS.notPossible)
  t.match([said[1]?.code, rig.jobs().length], [STATUS.ok, 1], 'it can be canceled')
  t.equal(await send(await create(), 61_000), STATUS.notPossible, 'one that begins too late')
})

t.test('a document that is too large is on the page once, however often it comes', async (t) => {
  const rig = startRig(t, { prints: false, bounds: { bodyBytes: 100_000 } })
  const send = (operation: number) => {
    const request = { operation, attributes: { 'job-name': name('Big') } }
    const bytes = makeRequest({ ...request, document: Buffer.alloc(200_000, '!') })
    const body = ReadableStream.from([bytes.subarray(0, 90_000), bytes.subarray(90_000)])
    const init = { method: 'POST', headers: { 'content-type': 'application/ipp' } } as const
    return rig.call('/ipp/print/bench-1', { ...init, body, duplex: 'half' })
  }
  for (const operation of [OPERATIONS.validateJob, OPERATIONS.printJob, OPERATIONS.printJob])
    t.equal((await send(operation)).status, 413)
  t.match(rig.jobs(), [{ title: 'Big', user: 'anna', code: 'BODY_TOO_LARGE' }])
  t.equal(rig.jobs().length, 1)
  t.equal(rig.jobs()[0]?.labelBytes, 64 * 1_024)
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

t.test(
  'pages and orientation are obeyed where the bytes alone say what a document is',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const pdf = makePdf(
      ['a', 'b', 'c'].map((letter) => ({ ...LABEL, content: drawText(letter, 20, 300, 40) })),
    )
    const operation = OPERATIONS.printJob
    const ranges = { 'page-ranges': range(2, 2) }
    t.equal((await ask(rig, { operation, template: ranges, document: pdf })).code, STATUS.ok)
    const turned = { 'orientation-requested': enumeration(4) }
    t.equal((await ask(rig, { operation, template: turned, document: makePng() })).code, STATUS.ok)
    t.match(rig.jobs(), [{ options: { pages: '2' } }, { options: { rotate: '270' } }])
    t.equal(rig.jobs().length, 2)
  },
)

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

t.test('a job is held and released by its sender, and only what the sender held', async (t) => {
  const rig = startRig(t, { prints: false })
  const hold = keyword('indefinite')
  const held = await ask(rig, {
    operation: OPERATIONS.printJob,
    template: { 'job-hold-until': hold },
    document: PAGES,
  })
  const id = integer(jobId(held))
  const tell = (operation: number) => ask(rig, { operation, attributes: { 'job-id': id } })
  t.equal(readNumber(held.groups.at(-1), 'job-state'), 4)
  t.same(readTexts(held.groups.at(-1), 'job-state-reasons'), ['job-hold-until-specified'])
  const states = () => rig.jobs().map(({ state }) => state)
  t.same(states(), ['pending-held', 'pending-held', 'pending-held'])
  t.equal((await tell(OPERATIONS.holdJob)).code, STATUS.notPossible, 'nothing of it waits')
  t.equal((await tell(OPERATIONS.releaseJob)).code, STATUS.ok)
  t.same(states(), ['pending', 'pending', 'pending'])
  t.equal((await tell(OPERATIONS.releaseJob)).code, STATUS.notPossible)
  t.equal((await tell(OPERATIONS.holdJob)).code, STATUS.ok)
  t.same(states(), ['pending-held', 'pending-held', 'pending-held'])
  t.equal((await tell(OPERATIONS.cancelJob)).code, STATUS.ok)
  const late = await ask(rig, {
    operation: OPERATIONS.printJob,
    template: { 'job-hold-until': keyword('night') },
    document: zplLabel('now'),
  })
  t.equal(late.code, STATUS.ignoredAttributes, 'there is no night here')
})

t.test('a label that was printed while its job was released is not released too', async (t) => {
  const rig = startRig(t, { prints: false })
  const template = { 'job-hold-until': keyword('indefinite') }
  const held = await ask(rig, { operation: OPERATIONS.printJob, template, document: PAGES })
  const { spool } = rig.bench
  const ids = spool.line.unfinished('Bench 1').map(({ id }) => id)
  const last = ids.at(-1) ?? ''
  const end = spool.onChange(() => {
    end()
    // Somebody at the box was quicker with it, and its printer was cut off.
    queueMicrotask(() => {
      spool.move(last, moves.release)
      spool.move(last, (job) => moves.begin(job, 1, NOTHING))
      spool.move(last, (job) => moves.interrupt(job, 1, 'hold'))
    })
  })
  const attributes = { 'job-id': integer(jobId(held)) }
  await ask(rig, { operation: OPERATIONS.releaseJob, attributes })
  t.match(spool.history.get(ids[0] ?? ''), { state: 'pending' })
  t.match(spool.history.get(last), { state: 'pending-held', reasons: ['platen-interrupted'] })
})

t.test('a held label does not print, and prints once when it is released', async (t) => {
  const rig = startRig(t)
  const { groups } = await ask(rig, {
    operation: OPERATIONS.printJob,
    template: { 'job-hold-until': keyword('indefinite') },
    document: zplLabel('held'),
  })
  await ask(rig, { operation: OPERATIONS.printJob, document: zplLabel('next') })
  const next = await rig.untilJob(({ state }) => state === 'completed')
  t.equal(rig.printed('bench-1').length, 1)
  t.not(next.id, rig.jobs()[0]?.id, 'the one behind it goes first')
  const id = integer(jobId({ groups } as Awaited<ReturnType<typeof ask>>))
  await ask(rig, { operation: OPERATIONS.releaseJob, attributes: { 'job-id': id } })
  await rig.bench.until(rig.jobs()[0]?.id ?? '', 'completed')
  t.equal(rig.printed('bench-1').length, 2)
})

t.test(
  'how a picture lies and what size it has is obeyed; pages come as they are drawn',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const template = { 'orientation-requested': enumeration(4), 'print-scaling': keyword('none') }
    const print = (format: string, document: Uint8Array) =>
      ask(rig, {
        operation: OPERATIONS.printJob,
        attributes: { 'document-format': mimeType(format) },
        template,
        document,
      })
    t.equal((await print('image/png', makePng())).code, STATUS.ok)
    t.equal((await print('image/pwg-raster', makePwg(page(0xf0)))).code, STATUS.ok)
    t.match(rig.jobs()[0]?.options, { rotate: '270', scaling: 'none' })
    t.notOk(rig.jobs()[1]?.options.rotate)
    const filled = await ask(rig, {
      operation: OPERATIONS.printJob,
      template: { 'print-scaling': keyword('fill') },
      document: makePng(),
    })
    t.equal(filled.code, STATUS.ignoredAttributes, 'fill would cut bars off')
  },
)

t.test('darkness is offered where the settings say how dark', (t) => {
  const rig = startRig(t, { prints: false })
  const [first] = rig.bench.printers.list()
  if (first === undefined) throw new Error('no printer')
  const shared = (darkness: number | undefined) => {
    const [made] = listShared([{ ...first, darkness }], SHARER)
    return made ?? t.fail('not shared')
  }
  const template = new Map([['print-darkness', integer(40)]])
  const [plain, dark] = [shared(undefined), shared(70)] as [SharedPrinter, SharedPrinter]
  t.notOk(listTemplate(plain).includes('print-darkness'))
  t.notOk(isObeyed('print-darkness', integer(40), plain))
  t.ok(listTemplate(dark).includes('print-darkness'))
  t.ok(isObeyed('print-darkness', integer(40), dark))
  t.same(optionsOf(template, 'image/urf', dark), { darkness: 100 })
  t.same(optionsOf(template, 'image/urf', plain), {})
  t.end()
})

t.test('what the printer itself says stands in its attributes', (t) => {
  const rig = startRig(t, { prints: false })
  const [first] = rig.bench.printers.list()
  if (first === undefined) throw new Error('no printer')
  const words = {
    message: quoteEnglish('Bench 1 is out of labels.'),
    hint: quoteEnglish('Put in a new roll.'),
  }
  const status = { state: 'stopped', reasons: ['media-empty'], ...words } as const
  const [shared] = listShared([{ ...first, media: { tracking: 'gap' }, status }], SHARER)
  if (shared === undefined) throw new Error('not shared')
  const place = { host: 'box', secureHost: undefined, startedAt: 0, changedAt: 5_000, now: 9_000 }
  const said = (queued: number) => ({ tag: 4, attributes: describePrinter(shared, place, queued) })
  const waiting = said(1)
  t.same(readTexts(waiting, 'printer-state-reasons'), ['media-needed', 'media-empty-error'])
  t.match(String(readFirst(waiting, 'printer-alert')), /group=input;code=inputMediaSupplyEmpty/)
  t.match(readText(waiting, 'printer-alert-description'), 'out of labels')
  t.match(String(readFirst(waiting, 'printer-input-tray')), /mediafeed=15240;.*level=0;/)
  t.match(String(readFirst(waiting, 'printer-supply')), /level=0;/)
  t.equal(readNumber(waiting, 'printer-state-change-time'), 6)
  const ready = readFirst(waiting, 'media-col-ready')
  t.same(ready instanceof Map && ready.get('media-tracking')?.[0]?.value, 'gap')
  t.same(
    readTexts(said(0), 'printer-state-reasons'),
    ['none'],
    'phones ask over what nobody waits for',
  )
  t.notOk(said(0).attributes.has('printer-alert'))
  t.end()
})

/** Sends what one client prints, and loses answers. */
function startClient(rig: ReturnType<typeof startRig>, isGone = false) {
  const outgoing = Object.assign(new EventEmitter(), { writableFinished: false, destroyed: isGone })
  return {
    async send(request: Parameters<typeof makeRequest>[0]) {
      const init = { method: 'POST', headers: { 'content-type': 'application/ipp' } }
      const env = { incoming: { socket: { remoteAddress: '192.0.2.9' } }, outgoing }
      const body = Uint8Array.from(makeRequest(request))
      const answer = await rig.app.request('/ipp/print/bench-1', { ...init, body }, env)
      return decodeMessage(new Uint8Array(await answer.arrayBuffer())).message
    },
    /** The connection ends: has the client heard the answer? */
    end(hasHeard: boolean): void {
      outgoing.writableFinished = hasHeard
      outgoing.emit('close')
      outgoing.removeAllListeners()
    },
  }
}

t.test(
  'a Print-Job whose answer was lost is not printed twice; one that was answered is',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const client = startClient(rig)
    const send = async (copies?: number): Promise<number> => {
      const template = copies === undefined ? {} : { template: { copies: integer(copies) } }
      return jobId(
        await client.send({ operation: OPERATIONS.printJob, document: PAGES, ...template }),
      )
    }
    const first = await send()
    client.end(false)
    t.equal(await send(), first, 'the same job')
    t.equal(rig.jobs().length, 3)
    client.end(true)
    t.not(await send(), first, 'a sender that has heard the answer wants it once more')
    t.equal(rig.jobs().length, 6)
    client.end(false)
    await send(2)
    t.equal(rig.jobs().length, 12, 'other copies are another wish')
  },
)

t.test('a step of the clock has nothing printed twice', async (t) => {
  let stepMs = 0
  const { now } = Date
  t.intercept(Date, 'now', { value: () => now() + stepMs })
  const rig = startRig(t, { prints: false })
  const client = startClient(rig)
  const send = () => client.send({ operation: OPERATIONS.printJob, document: PAGES })
  const first = jobId(await send())
  client.end(false)
  await ask(rig, { operation: OPERATIONS.identifyPrinter })
  t.equal(rig.jobs().length, 4)
  stepMs = 3_600_000 // the time server has answered
  t.equal(jobId(await send()), first)
  await ask(rig, { operation: OPERATIONS.identifyPrinter })
  t.equal(rig.jobs().length, 4)
})

t.test('nor is a document sent again in a new job since its answer was lost', async (t) => {
  const rig = startRig(t, { prints: false })
  const client = startClient(rig)
  const create = async () => jobId(await client.send({ operation: OPERATIONS.createJob }))
  const send = async (id: number): Promise<number> => {
    const attributes = { 'job-id': integer(id), 'last-document': boolean(true) }
    const request = { operation: OPERATIONS.sendDocument, document: PAGES, attributes }
    return jobId(await client.send(request))
  }
  const [first, second, third] = [await create(), await create(), await create()]
  client.end(true)
  await send(first)
  client.end(false)
  t.equal(await send(second), second)
  t.equal(rig.jobs().length, 3)
  client.end(true)
  await client.send({
    operation: OPERATIONS.cancelJob,
    attributes: { 'job-id': integer(second) },
  })
  t.ok(
    rig.jobs().every(({ state }) => state === 'canceled'),
    'the labels are those of the new job, too',
  )
  await send(third)
  t.equal(rig.jobs().length, 6, 'a sender that has heard the answer wants it once more')
})

t.test('nor is one sent again while its first try is being taken', async (t) => {
  const rig = startRig(t, { prints: false })
  const [gone, client] = [startClient(rig, true), startClient(rig)]
  const both = async (one: Parameters<typeof client.send>[0], two = one) =>
    await Promise.all([gone.send(one), client.send(two)])
  const print = { operation: OPERATIONS.printJob, document: PAGES }
  t.equal(new Set((await both(print)).map(jobId)).size, 1)
  t.equal(rig.jobs().length, 3)
  const create = async () => jobId(await client.send({ operation: OPERATIONS.createJob }))
  const send = (id: number) => ({
    operation: OPERATIONS.sendDocument,
    document: makePwg(page(0x33)),
    attributes: { 'job-id': integer(id), 'last-document': boolean(true) },
  })
  const [first, second] = [await create(), await create()]
  const answers = [...(await both(send(first), send(second))), await client.send(send(second))]
  t.same(answers.map(jobId), [first, second, 0], 'what was heard is over')
  t.equal(rig.jobs().length, 4)
  const third = await create()
  await gone.send(send(third))
  t.equal(jobId(await client.send(send(third))), third, 'the same job too')
  t.equal(rig.jobs().length, 5)
})

t.test('Identify-Printer prints one label with its name, not one a second', async (t) => {
  const rig = startRig(t, { prints: false })
  for (let n = 0; n < 5; n++) await ask(rig, { operation: OPERATIONS.identifyPrinter })
  t.match(rig.jobs(), [{ format: 'test', printer: 'Bench 1' }])
  t.equal(rig.jobs().length, 1)
})

t.test('an Identify-Printer that was refused does not count as done', async (t) => {
  const rig = startRig(t, { prints: false, bench: { quotaBytes: 600_000 } })
  const print = async (document: Uint8Array) =>
    (await ask(rig, { operation: OPERATIONS.printJob, document })).code
  const identify = async () => (await ask(rig, { operation: OPERATIONS.identifyPrinter })).code
  for (const bytes of [100_000, 10_000, 1_000, 100]) {
    for (let n = 0; (await print(zplLabel(n, bytes))) === STATUS.ok; ) n += 1
  }
  t.same([await identify(), await identify()], [STATUS.temporaryError, STATUS.temporaryError])
  await rig.call('/jobs/cancel', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ printer: 'Bench 1' }),
  })
  t.equal(await identify(), STATUS.ok)
  t.match(rig.jobs().at(-1), { format: 'test' })
})

t.test('a document for which there is no room now may be sent again to its job', async (t) => {
  const rig = startRig(t, { prints: false, bench: { quotaBytes: 600_000 } })
  const open = async () => jobId(await ask(rig, { operation: OPERATIONS.createJob }))
  const [id, late] = [integer(await open()), integer(await open())]
  const send = async (job = id) => {
    const attributes = { 'job-id': job, 'last-document': boolean(true) }
    const document = zplLabel('last', 100_000)
    return (await ask(rig, { operation: OPERATIONS.sendDocument, attributes, document })).code
  }
  const print = (document: Uint8Array) => ask(rig, { operation: OPERATIONS.printJob, document })
  for (let n = 0; (await print(zplLabel(n, 100_000))).code === STATUS.ok; ) n += 1
  // For a temporary error CUPS takes its job for completed.
  t.same([await send(), await send()], [STATUS.valueTooLong, STATUS.valueTooLong])
  await ask(rig, { operation: OPERATIONS.cancelJob, attributes: { 'job-id': late } })
  t.equal(await send(late), STATUS.notPossible)
  for (const job of rig.jobs()) await rig.bench.scheduler.cancel(job.id)
  t.equal(await send(), STATUS.ok)
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
  const rounds = Number(process.env['IPP_MUTANTS'] ?? 10_000)
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
