import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { giveAway } from '../../../src/core/intake/reprint.ts'
import * as moves from '../../../src/core/moves.ts'
import { Printers } from '../../../src/core/printers/registry.ts'
import type { Spool } from '../../../src/core/spool/spool.ts'
import { Spool as RealSpool } from '../../../src/core/spool/spool.ts'
import {
  type ResultParts,
  type Results,
  startResults,
} from '../../../src/plugins/results/result-url.ts'
import { Journal } from '../../../src/plugins/shipping/journal.ts'
import { createFileDevice } from '../../../src/printers/devices/file.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { newJob } from '../../core/labels.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'
import { findClosedPort } from '../../listen.ts'
import { spoken } from '../../words/spoken.ts'
import { allPlugins } from '../all.ts'
import { type Manner, polite, type Receiver, startReceiver, until } from './receiver.ts'

t.setTimeout(300_000)

/** A second request for want of an answer would be a fault where nobody is hostile. */
const PATIENT = { connectMs: 30_000, answerMs: 30_000, restMs: 30_000 }
const HURRIED = { connectMs: 2000, answerMs: 400, restMs: 100 }

interface Box {
  readonly spool: Spool
  readonly printers: Printers
  readonly results: Results
  readonly log: readonly string[]
  /** Makes so many labels that end; their ids. */
  end(count: number): readonly string[]
}

function open(
  t: Test,
  url: string,
  more: Partial<ResultParts> & { secret?: string; quotaBytes?: number } = {},
): Box {
  const folder = t.testdir()
  const spool = new RealSpool({
    tables: allPlugins.tables(),
    folder,
    minFreeBytes: 0,
    ballastBytes: 0,
    keepsResults: true,
    ...(more.quotaBytes && { quotaBytes: more.quotaBytes }),
  })
  const printers = new Printers({
    printers: [makePrinter('A', { uri: 'file:a' })],
    defaultName: 'A',
    devices: [createFileDevice(folder)],
  })
  const log: string[] = []
  const note = (fields: object, event: string): void => {
    log.push(`${event} ${JSON.stringify(fields)}`)
  }
  const results = startResults({
    spool,
    printers,
    limits: PATIENT,
    address: { url, secret: more.secret ?? '', station: 'bench-pi' },
    log: { info: note, warn: note },
    fault: (error) => note({ error: String(error) }, 'fault'),
    backOff: { firstMs: 20, mostMs: 80 },
    ...more,
  })
  t.teardown(async () => {
    await results.stop()
    spool.close()
  })
  const end = (count: number): readonly string[] => {
    const { jobs } = spool.add(Array.from({ length: count }, (_, n) => newJob(n)))
    for (const { id } of jobs) spool.move(id, (job) => moves.cancel(job, Date.now()))
    return jobs.map(({ id }) => id)
  }
  return { spool, printers, results, log, end }
}

function jobsIn(receiver: Receiver): readonly unknown[] {
  return receiver
    .events()
    .filter(({ event }) => event === 'job')
    .map(({ id }) => id)
}

/** Events without repeats must come in the order of their numbers. */
function isInOrder(receiver: Receiver): boolean {
  const seen = [...new Set(receiver.events().map(({ seq }) => seq))]
  return seen.every((seq, index) => seq === index + 1)
}

t.test('tells how the printers are, each of their changes, and every end of a label', async (t) => {
  const receiver = await startReceiver(t)
  const { printers, end } = open(t, receiver.url)
  const [id] = end(1)
  const status = {
    state: 'stopped',
    reasons: ['media-empty'],
    message: quoteEnglish('Empty.'),
    hint: quoteEnglish('Fill.'),
  } as const
  printers.report('A', status)
  printers.report('A', status)
  await until('three events', () => receiver.events().length >= 3)
  const [first, second, third] = receiver.events()
  t.match(first, { event: 'printer', seq: 1, station: 'bench-pi', printer: 'A', state: 'idle' })
  t.match(spoken(second), {
    event: 'job',
    id,
    source: 'http',
    printer: 'Bench 1',
    state: 'canceled',
    delivery: 'none',
    message: '',
    bytes: 14,
    seq: 2,
  })
  t.match(spoken(third), {
    event: 'printer',
    printer: 'A',
    state: 'stopped',
    state_reasons: ['media-empty'],
    message: 'Empty.',
    hint: 'Fill.',
  })
  t.match(String(second?.event_id), /^[a-z2-9]{4}-e2$/)
  t.match(String(second?.['at']), /^\d{4}-\d\d-\d\dT/)
  t.match(receiver.requests[0]?.headers, {
    'accept-encoding': 'identity',
    'content-type': 'application/json',
  })
  t.equal(receiver.requests[0]?.headers['x-platen-signature'], undefined)
  t.equal(receiver.requests[0]?.path, '/results?token=s3cret')
})

t.test('tells what became of shipments, in the transactions that make it true', async (t) => {
  const receiver = await startReceiver(t)
  const { spool } = open(t, receiver.url)
  const journal = new Journal(spool.records)
  const entry = { action: 'SubmitShipment', carrier: 'UPS-REST', sender: 'shop' } as const
  const bought = {
    shipmentId: '1Z1',
    number: '1Z1',
    service: '03',
    cents: 1_099,
    currency: 'USD',
    answer: '{}',
    labels: [{ format: 'ZPL', label: Buffer.from('^XA^XZ') }],
  }
  for (const requestId of ['a', 'b']) {
    journal.writeSent({ ...entry, requestId, hash: '', print: '{}', isTest: requestId === 'a' })
  }
  journal.writeDone('a', bought)
  journal.writePrinted('a', '{"job_id":"52nj-7"}')
  journal.writeUnknown('b', '{}')
  const call = { ...entry, action: 'VoidShipment', requestId: 'c' } as const
  journal.writeSent({ ...call, hash: '', print: '', isTest: true })
  journal.writeDone('c', { ...bought, shipmentId: '', number: '', labels: [] }, '1Z1')
  await until('four events', () => receiver.events().length >= 5)
  const told = receiver.events().filter(({ event }) => event === 'shipment')
  const shipment = {
    carrier: 'UPS-REST',
    key: 'shop',
    shipment_id: '1Z1',
    charges: 10.99,
    test: true,
  }
  t.match(told, [
    { ...shipment, request_id: 'a', state: 'done', void: false, jobs: [] },
    { ...shipment, jobs: ['52nj-7'] },
    { request_id: 'b', state: 'unknown', shipment_id: '' },
    { ...shipment, void: true },
  ])
})

t.test('tells of labels that are held, released and moved, each in order', async (t) => {
  const receiver = await startReceiver(t)
  const { spool } = open(t, receiver.url)
  const held = { message: quoteEnglish('Twice.'), hint: NOTHING, code: 'JOB_DUPLICATE' } as const
  const { jobs } = spool.add([newJob(1), newJob(2), { ...newJob(3), held }])
  const [cut = '', waits = '', twin = ''] = jobs.map(({ id }) => id)
  const at = Date.now()
  spool.move(cut, (job) => moves.begin(job, at, NOTHING))
  spool.move(cut, (job) => moves.interrupt(job, 3, 'hold'))
  spool.move(cut, (job) => moves.resolve(job, false, at))
  const [moved] = spool.add([{ ...newJob(2), reprintOf: waits }], undefined, {
    id: waits,
    change: (job) => giveAway(job, 'B', at),
  }).jobs
  spool.move(twin, (job) => moves.release(job))
  spool.move(cut, (job) => moves.begin(job, at, NOTHING))
  spool.move(cut, (job) => moves.complete(job, { at, sentBytes: 9, confirmed: false, notes: [] }))
  const told = () => receiver.events().filter(({ event }) => event === 'job')
  await until('the last', () => told().some(({ state }) => state === 'completed'))
  t.same(
    told().map(({ id, state }) => [id, state]),
    [
      [twin, 'pending-held'],
      [cut, 'pending-held'],
      [cut, 'pending'],
      [waits, 'canceled'],
      [moved?.id, 'pending'],
      [twin, 'pending'],
      [cut, 'completed'],
    ],
  )
  t.match(spoken(told()[0]), { message: 'Twice.', code: 'JOB_DUPLICATE' })
  t.match(told()[1], { delivery: 'unknown', reasons: ['platen-interrupted'] })
  t.match(spoken(told()[3]), { message: 'Moved to B.' })
  t.match(told()[4], { reprint_of: waits })
  t.ok(isInOrder(receiver))
})

t.test('what a program that was killed had not told of a held label is told', (t) => {
  const folder = t.testdir()
  const settings = { folder, minFreeBytes: 0, ballastBytes: 0, keepsResults: true }
  const first = new RealSpool(settings)
  const [job] = first.add([newJob(1)]).jobs
  first.move(job?.id ?? '', (now) => moves.begin(now, 1, NOTHING))
  first.close()
  const second = new RealSpool(settings)
  t.teardown(() => second.close())
  second.recover('hold')
  t.match(second.outbox.oldest(9), [{ result: { type: 'job', job: { state: 'pending-held' } } }])
  t.end()
})

t.test('tells that a printer was taken out, and that it is back', async (t) => {
  const receiver = await startReceiver(t)
  const { printers } = open(t, receiver.url)
  printers.configure([makePrinter('A', { uri: 'file:a', dpi: 300 })], 'A') // it is as well as before
  printers.configure([], '')
  printers.configure([makePrinter('A', { uri: 'file:a' })], 'A')
  await until('three events', () => receiver.events().length >= 3)
  t.same(
    receiver.events().map(({ state }) => state),
    ['idle', 'stopped', 'idle'],
  )
})

t.test('signs what it sends, as the docs say it is checked', async (t) => {
  const receiver = await startReceiver(t)
  open(t, receiver.url, { secret: 'k', now: () => 1_700_000_000_999 })
  await until('a request', () => receiver.requests.length > 0)
  const [request] = receiver.requests
  t.equal(request?.headers['x-platen-timestamp'], '1700000000')
  const mac = createHmac('sha256', 'k').update(`1700000000.${request?.body}`).digest('hex')
  t.equal(request?.headers['x-platen-signature'], `sha256=${mac}`)
})

t.test('sends many events in few requests, in order', async (t) => {
  const receiver = await startReceiver(t)
  const { end, results } = open(t, receiver.url)
  const ids = end(450)
  await until('all', () => jobsIn(receiver).length >= 450)
  t.same(jobsIn(receiver), ids)
  t.ok(isInOrder(receiver))
  t.ok(receiver.requests.length <= 8, `${receiver.requests.length} requests`)
  t.ok(receiver.requests.every(({ events }) => events.length <= 100))
  await until('nothing to wait', () => results.figures().waiting === 0)
  t.ok(results.figures().deliveredAt > 0)
})

/** Reactions of a receiver that does not take the events. */
const HOSTILE: Readonly<Record<string, Manner>> = {
  'never answers': () => undefined,
  'drips its headers': (response) => {
    const timer = setInterval(() => response.socket?.write('H'), 50)
    response.on('close', () => clearInterval(timer))
  },
  'breaks the connection': (response) => response.socket?.destroy(),
  'resets the connection': (response) => response.socket?.resetAndDestroy(),
  'answers 500': (response) => response.writeHead(500).end('<html>oops'),
  'answers 404': (response) => response.writeHead(404).end(),
  'answers junk': (response) => response.socket?.end('junk\r\n\r\n'),
  'redirects to another server': (response) =>
    response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'redirects in a circle': (response, { path }) =>
    response.writeHead(302, { location: path }).end(),
  'redirects nowhere': (response) => response.writeHead(302).end(),
  'sends endless headers': (response) =>
    response.socket?.write(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`),
}

for (const [name, manner] of Object.entries(HOSTILE)) {
  t.test(`a receiver that ${name} loses nothing and disturbs nothing`, async (t) => {
    const receiver = await startReceiver(t, manner)
    const { end, results, log } = open(t, receiver.url, { limits: HURRIED })
    const ids = end(3)
    await until('two failures', () => results.figures().failures >= 2)
    t.ok(results.figures().waiting >= 4)
    receiver.behave(polite)
    await until('all', () => new Set(jobsIn(receiver)).size === 3)
    t.same([...new Set(jobsIn(receiver))], ids)
    t.ok(isInOrder(receiver))
    t.match(log[0], /^results not delivered .*127\.0\.0\.1/)
    t.notMatch(log.join(), 's3cret')
    const repeats = receiver.events().filter(({ seq }) => seq === 1)
    t.equal(new Set(repeats.map(({ event_id }) => event_id)).size, 1, 'a repeat has the same id')
  })
}

t.test(
  'a receiver that answers 200 with 50 MB or drips its body is served all the same',
  async (t) => {
    const receiver = await startReceiver(t, (response) => {
      const chunk = Buffer.alloc(1 << 16)
      let left = 800
      const more = (): void => {
        while (left > 0 && response.write(chunk)) left -= 1
        left -= 1
        if (left > 0) response.once('drain', more)
      }
      more()
    })
    // Whoever gives it up before it has answered sends it again.
    const { end } = open(t, receiver.url, { limits: { ...PATIENT, restMs: 100 } })
    const before = process.memoryUsage.rss()
    const first = end(1)
    await until('the first', () => jobsIn(receiver).length === 1)
    receiver.behave((response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const second = end(1)
    await until('the second', () => jobsIn(receiver).length === 2)
    receiver.behave(polite)
    const third = end(1)
    await until('the third', () => jobsIn(receiver).length === 3)
    t.same(jobsIn(receiver), [...first, ...second, ...third], 'nothing is sent twice')
    const grown = (process.memoryUsage.rss() - before) / 2 ** 20
    t.ok(grown < 25, `memory moved by ${grown.toFixed(1)} MB, both ends together`)
  },
)

t.test('a circle of redirects is given up after three', async (t) => {
  const receiver = await startReceiver(t, (response, { path }) =>
    response.writeHead(302, { location: path }).end(),
  )
  const backOff = { firstMs: 3_600_000, mostMs: 3_600_000 }
  const { results } = open(t, receiver.url, { backOff })
  await until('a failure', () => results.figures().failures === 1)
  t.equal(receiver.requests.length, 4)
})

t.test('follows a redirect within the same server', async (t) => {
  const receiver = await startReceiver(t, (response, { path }) => {
    if (path === '/new') response.end()
    else response.writeHead(308, { location: '/new' }).end()
  })
  const { end, results } = open(t, receiver.url)
  end(1)
  await until('both', () =>
    receiver.requests.some(
      ({ path, events }) => path === '/new' && events.some(({ event }) => event === 'job'),
    ),
  )
  t.equal(results.figures().failures, 0)
})

t.test('comes again when the receiver says', async (t) => {
  const times: number[] = []
  const receiver = await startReceiver(t, (response, _, n) => {
    times.push(performance.now())
    if (n === 1) response.writeHead(429, { 'retry-after': '1' }).end()
    else response.end()
  })
  open(t, receiver.url)
  await until('the second try', () => times.length === 2)
  t.ok((times[1] ?? 0) - (times[0] ?? 0) >= 950)
})

t.test('rests after a refusal, though the receiver says to come again at once', async (t) => {
  const past = new Date(Date.now() - 60_000).toUTCString()
  for (const again of ['0', past]) {
    const receiver = await startReceiver(t, (response) => {
      response.writeHead(503, { 'retry-after': again }).end()
    })
    const backOff = { firstMs: 60_000, mostMs: 60_000 }
    const { results } = open(t, receiver.url, { backOff })
    await until('a refusal', () => results.figures().failures > 0)
    await sleep(300)
    t.equal(receiver.requests.length, 1, again)
  }
})

t.test('sends less at once to a receiver that takes little', async (t) => {
  const receiver = await startReceiver(t, (response, { events }) => {
    response.writeHead(events.length > 10 ? 413 : 200).end()
  })
  const { end } = open(t, receiver.url)
  end(40)
  const taken = (): number =>
    receiver.requests.filter(({ events }) => events.length <= 10).flatMap(({ events }) => events)
      .length
  await until('all', () => taken() >= 41)
  t.ok(isInOrder(receiver))
})

t.test('says when nobody listens, and when it is well again', async (t) => {
  const { log, results, end } = open(t, `http://127.0.0.1:${await findClosedPort()}/`)
  end(1)
  await until('two failures', () => results.figures().failures >= 2)
  t.match(log, [/results not delivered .*refuses connections/])
  t.equal(log.length, 1, 'said once')
})

t.test('warns when too many wait, and goes on when the spool cannot be written', async (t) => {
  const receiver = await startReceiver(t, (response) => response.writeHead(500).end())
  const { spool, log, results, printers } = open(t, receiver.url, { quotaBytes: 100 * 16 * 1024 })
  const many = 150
  const status = (n: number) =>
    ({
      state: 'stopped',
      reasons: ['other'],
      message: quoteEnglish(`${n}`),
      hint: NOTHING,
    }) as const
  for (let n = 0; n < many; n += 1) printers.report('A', status(n))
  await until('a try after it', () => log.some((line) => line.startsWith('too many results wait')))
  t.same(results.figures().waiting, 100)
  t.ok(results.figures().dropped > 0)
  spool.close()
  printers.report('A', status(-1))
  t.match(log.at(-1), /^fault .*spool/i)
})

t.test('says what is wrong with the address, never its secret', async (t) => {
  const receiver = await startReceiver(t)
  const wrong = [
    [
      `https://127.0.0.1:${receiver.port}/?key=s3cret`,
      /^results not delivered .*does not answer as it should/,
    ],
    [
      'http://user:s3cret@no-such-host.invalid/',
      /no-such-host.invalid (is not a name|cannot be looked up|does not answer|cannot be reached)/,
    ],
  ] as const
  for (const [url, words] of wrong) {
    const { log, results } = open(t, url)
    await until('a failure', () => results.figures().failures > 0)
    t.match(log[0], words)
    t.notMatch(log.join(), 's3cret')
    await results.stop()
  }
})

t.test('a disk that fails in the middle is a failure like any other', async (t) => {
  const receiver = await startReceiver(t)
  const { spool, printers, log } = open(t, receiver.url)
  await until('the first event', () => spool.outbox.waiting() === 0)
  receiver.behave((response) => {
    spool.close()
    response.end()
  })
  printers.report('A', { state: 'stopped', reasons: ['other'], message: NOTHING, hint: NOTHING })
  await until('a word in the log', () => log.length > 0)
  t.match(log, [/^results not delivered .*spool/i])
})

t.test('tells when a share of the spool is nearly full, and when it is no longer', async (t) => {
  const receiver = await startReceiver(t)
  const { spool } = open(t, receiver.url, { quotaBytes: 8 * 2 ** 20 })
  const [job] = spool.add([newJob(1, { printer: 'A', sender: '', bytes: 3 * 2 ** 20 })]).jobs
  spool.move(job?.id ?? '', (now) => moves.cancel(now, Date.now()))
  const told = () => receiver.events().filter(({ event }) => event === 'spool')
  await until('both events', () => told().length >= 2)
  t.match(spoken(told()), [
    {
      printer: 'A',
      state: 'filling',
      state_reasons: ['spool-area-full'],
      message: /^1 label waits for A: its share .* full\./,
      hint: /"Cancel all"/,
    },
    { printer: 'A', state: 'well', state_reasons: ['none'], hint: '' },
  ])
})

t.test('tells how a printer is once the disk has room for it again', async (t) => {
  const receiver = await startReceiver(t)
  const { spool, printers } = open(t, receiver.url)
  await until('the first word', () => receiver.events().length === 1)
  const { outbox } = spool
  const tell = outbox.tell.bind(outbox)
  // A disk that is full for a while.
  outbox.tell = () => {
    throw new PlatenError('SPOOL_FULL', 'The disk is full.')
  }
  printers.report('A', {
    state: 'stopped',
    reasons: ['media-empty'],
    message: NOTHING,
    hint: NOTHING,
  })
  outbox.tell = tell
  await until('the state', () => receiver.events().some(({ state }) => state === 'stopped'))
})
