import { createServer, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { createCupsDevice } from '../../../../src/printers/devices/cups/index.ts'
import { decodeMessage, encodeMessage } from '../../../../src/printers/ipp/codec.ts'
import {
  boolean,
  enumeration,
  GROUPS,
  type IppGroup,
  type IppValue,
  integer,
  keyword,
  name,
  readFirst,
  readText,
  readTexts,
  uri,
} from '../../../../src/printers/ipp/message.ts'
import { Bench, printer } from '../../../core/bench.ts'
import { listen } from '../../../listen.ts'
import { spoken } from '../../../words/spoken.ts'

/** Names of operations (RFC 8011, 5.4.15; CUPS's own behind 0x4000). */
const OPERATIONS: Readonly<Record<number, string>> = {
  5: 'create',
  6: 'document',
  8: 'cancel',
  9: 'look',
  11: 'queue',
  16386: 'list',
}
const LABEL = Buffer.alloc(150_000, '^XA^FDlabel^FS^XZ')
const ZEBRA = new URL('ipp://localhost/printers/Zebra')
const limit = () => AbortSignal.timeout(60_000)

type Attributes = Readonly<Record<string, readonly IppValue[]>>

/** An answer: an IPP status (0 where none is said) and attributes, or an HTTP status. */
interface Reply {
  readonly status?: number
  readonly attributes?: Attributes
  readonly http?: number
}

interface Question {
  readonly kind: string
  readonly path: string
  readonly group: IppGroup
  readonly document: Buffer
}

const RUNNING: Reply = {
  attributes: {
    'printer-name': name('Zebra'),
    'printer-state': enumeration(3),
    'printer-is-accepting-jobs': boolean(true),
    'printer-state-reasons': keyword('none'),
    'device-uri': uri('usb://Zebra/LP2844?serial=1&interface=2'),
  },
}
const STOPPED = withState(5)

function withState(state: number, ...reasons: readonly string[]): Reply {
  const all = keyword(...(reasons.length === 0 ? ['none'] : reasons))
  const more = { 'printer-state': enumeration(state), 'printer-state-reasons': all }
  return { attributes: { ...RUNNING.attributes, ...more } }
}

/** Makes a job in a state (RFC 8011, 5.3.7), with the second in which CUPS began it. */
function job(state: number, startedAt?: number, uuid = 'urn:uuid:7'): Reply {
  const begun = startedAt === undefined ? {} : { 'time-at-processing': integer(startedAt) }
  return {
    attributes: { 'job-state': enumeration(state), 'job-uuid': uri(uuid), ...begun },
  }
}

const PLAN: Readonly<Record<string, readonly Reply[]>> = {
  queue: [RUNNING],
  create: [{ attributes: { 'job-id': integer(7) } }],
  document: [{}],
  look: [job(4), job(5, 100), job(9, 100)],
  cancel: [{}],
  list: [RUNNING],
}

/** A print spooler on a port, which answers each kind of question by the plan; its last answer goes on. */
async function makeSpooler(t: Test, changes: Readonly<Record<string, readonly Reply[]>> = {}) {
  const asked: Question[] = []
  const plan = new Map(
    Object.entries({ ...PLAN, ...changes }).map(([kind, all]) => [kind, [...all]]),
  )
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', () => undefined)
    request.on('end', () => {
      const bytes = Buffer.concat(parts)
      const { message, end } = decodeMessage(bytes)
      const kind = OPERATIONS[message.code] ?? `operation ${message.code}`
      const [group] = message.groups
      if (group === undefined) throw new Error('a question without attributes')
      asked.push({ kind, path: request.url ?? '', group, document: bytes.subarray(end) })
      const replies = plan.get(kind) ?? []
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? {}
      answer(response, reply, kind, message.requestId)
    })
  })
  const address = { host: '127.0.0.1', port: await listen(t, server) }
  const kinds = () => asked.map(({ kind }) => kind)
  return { address, asked, kinds, plan, device: createCupsDevice([address]) }
}

function answer(response: ServerResponse, reply: Reply, kind: string, requestId: number): void {
  const { status = 0, attributes, http = 200 } = reply
  const isOfQueue = kind === 'queue' || kind === 'list'
  const groups: IppGroup[] = [{ tag: GROUPS.operation, attributes: new Map() }]
  if (attributes !== undefined) {
    const tag = isOfQueue ? GROUPS.printer : GROUPS.job
    groups.push({ tag, attributes: new Map(Object.entries(attributes)) })
  }
  response.writeHead(http)
  response.end(encodeMessage({ version: [2, 0], code: status, requestId, groups }))
}

t.test(
  'a label is a job without a document, then its bytes; CUPS is asked until it is through',
  async (t) => {
    const { device, asked, kinds } = await makeSpooler(t)
    const flows: number[] = []
    {
      await using connection = await device.open(ZEBRA, limit())
      await connection.send(LABEL.subarray(0, 70_000), limit())
      await connection.send(LABEL.subarray(70_000), limit())
      t.same(kinds(), ['queue', 'queue', 'create', 'look'], 'the document is not whole')
      t.equal(await connection.finish?.(() => flows.push(asked.length), limit()), true)
      t.equal(flows.length, 1, 'flowing is said while it prints and nothing is wrong')
      const count = asked.length
      t.equal(await connection.finish?.(() => undefined, limit()), true)
      t.equal(await connection.confirm?.(limit()), false, 'no printer has spoken')
      await connection.cancel?.(limit())
      t.same(await connection.receive(0, limit()), new Uint8Array())
      t.equal(asked.length, count, 'a job that has ended is not asked after or canceled')
    }
    t.same(kinds().slice(4), ['document', 'look', 'queue', 'look'])
    const [, , create, , document, look] = asked
    t.equal(create?.path, '/printers/Zebra')
    t.equal(readText(create?.group, 'printer-uri'), 'ipp://localhost/printers/Zebra')
    t.equal(readText(create?.group, 'requesting-user-name'), 'platen')
    t.ok(document?.document.equals(LABEL))
    t.equal(readText(document?.group, 'job-uri'), 'ipp://localhost/jobs/7')
    t.equal(readText(document?.group, 'document-format'), 'application/vnd.cups-raw')
    t.equal(readFirst(document?.group, 'last-document'), true)
    t.same(readTexts(look?.group, 'requested-attributes'), [
      'job-state',
      'job-uuid',
      'time-at-processing',
    ])
  },
)

t.test('a queue is held by one connection at a time, however its name is written', async (t) => {
  const { device } = await makeSpooler(t)
  const connection = await device.open(ZEBRA, limit())
  await t.rejects(device.open(new URL('ipp://localhost/printers/ZEBRA'), limit()), {
    code: 'PRINTER_BUSY',
    message: /"ZEBRA" is printing another label/,
  })
  await connection[Symbol.asyncDispose]()
  await connection[Symbol.asyncDispose]()
  await using _again = await device.open(ZEBRA, limit())
})

t.test(
  'a connection that sends nothing makes no job, and has nothing to follow or to cancel',
  async (t) => {
    const { device, kinds } = await makeSpooler(t)
    {
      await using connection = await device.open(ZEBRA, limit())
      await connection.send(new Uint8Array(), limit())
      t.equal(await connection.finish?.(() => undefined, limit()), true)
      await connection.cancel?.(limit())
    }
    t.same(kinds(), ['queue'])
  },
)

t.test(
  'a connection that is left after a label hands it over once, and does not follow it',
  async (t) => {
    const { device, kinds } = await makeSpooler(t)
    {
      await using connection = await device.open(ZEBRA, limit())
      await connection.send(LABEL, limit())
    }
    t.same(kinds(), ['queue', 'queue', 'create', 'look', 'document'])
  },
)

const refusals: readonly (readonly [string, Record<string, readonly Reply[]>, RegExp])[] = [
  [
    'makes no job',
    { create: [{ status: 0x100, ...PLAN['create']?.[0] }] },
    /refused a label .*0x0100/,
  ],
  ['names no job', { create: [{}] }, /refused a label/],
  ['names job 0', { create: [{ attributes: { 'job-id': integer(0) } }] }, /refused a label/],
  ['forgets the job at once', { look: [{ status: 0x406 }] }, /forgot job 7/],
  ['has lost the queue', { queue: [RUNNING, { status: 0x406 }] }, /no queue "Zebra" any more/],
  ['does not tell of the queue', { queue: [RUNNING, { status: 0x100, ...RUNNING }] }, /0x0100/],
  ['tells nothing of the queue', { queue: [RUNNING, {}] }, /refused \/printers\/Zebra/],
]
for (const [what, changes, message] of refusals) {
  t.test(`CUPS that ${what} has printed nothing`, async (t) => {
    const { device, kinds } = await makeSpooler(t, changes)
    await using connection = await device.open(ZEBRA, limit())
    const wanted = { code: 'PRINTER_OFFLINE', message }
    await t.rejects(connection.send(LABEL, limit()), wanted)
    await t.rejects(connection.send(LABEL, limit()), wanted, 'the same again')
    await t.rejects(Promise.resolve(connection.finish?.(() => undefined, limit())), wanted)
    t.notOk(kinds().includes('document'))
  })
}

t.test('every status below 0x0100 is a success (RFC 8011, appendix B)', async (t) => {
  const good = { status: 0xff }
  const changes = Object.entries(PLAN).map(
    ([kind, all]) => [kind, all.map((reply) => ({ ...reply, ...good }))] as const,
  )
  const { device, asked } = await makeSpooler(t, Object.fromEntries(changes))
  await using connection = await device.open(ZEBRA, limit())
  await connection.send(LABEL, limit())
  t.equal(await connection.finish?.(() => undefined, limit()), true)
  t.ok(asked.find(({ kind }) => kind === 'document')?.document.equals(LABEL))
  t.equal((await device.list(limit())).length, 1)
})

const MADE = job(4) // the look that tells the job's uuid
const losses: readonly (readonly [string, Record<string, readonly Reply[]>, RegExp])[] = [
  ['is refused when it is whole', { document: [{ status: 0x100 }] }, /refused the label .*0x0100/],
  ['is canceled by somebody', { look: [MADE, job(7)] }, /was canceled in CUPS/],
  ['is aborted', { look: [MADE, job(5, 100), job(8, 100)] }, /gave the label up/],
  ['is forgotten', { look: [MADE, { status: 0x406 }] }, /no longer knows the label/],
  ['is another job', { look: [MADE, job(9, 100, 'urn:uuid:8')] }, /no longer knows the label/],
  ['goes back to waiting', { look: [MADE, job(3, 100)] }, /does not print twice/],
  [
    'is stopped while it prints',
    { look: [MADE, job(5, 100), job(6, 100)] },
    /does not print twice/,
  ],
  ['began twice', { look: [MADE, job(5, 100), job(9, 101)] }, /does not print twice/],
]
for (const [what, changes, message] of losses) {
  t.test(
    `a label that ${what} is in doubt, and is canceled when the connection is left`,
    async (t) => {
      const { device, asked } = await makeSpooler(t, changes)
      {
        await using connection = await device.open(ZEBRA, limit())
        await connection.send(LABEL, limit())
        const wanted = { code: 'PRINTER_LOST', message }
        await t.rejects(Promise.resolve(connection.finish?.(() => undefined, limit())), wanted)
        await t.rejects(Promise.resolve(connection.confirm?.(limit())), wanted, 'the same again')
      }
      const canceled = asked.filter(({ kind }) => kind === 'cancel')
      t.same(
        canceled.map(({ group }) => readText(group, 'job-uri')),
        ['ipp://localhost/jobs/7'],
      )
    },
  )
}

const patience: readonly (readonly [string, readonly Reply[]])[] = [
  ['waits behind others', [MADE, job(3), job(4), job(6), job(9, 100)]],
  ['is in a state that the standard does not know', [MADE, job(42), job(9, 100)]],
  ['cannot be asked after for a while', [MADE, { status: 0x507 }, { http: 503 }, job(9, 100)]],
]
for (const [what, look] of patience) {
  t.test(`a label that ${what} is followed on, and does not flow`, async (t) => {
    const { device, kinds } = await makeSpooler(t, { look })
    await using connection = await device.open(ZEBRA, limit())
    await connection.send(LABEL, limit())
    t.equal(await connection.finish?.(() => t.fail('it flows'), limit()), true)
    t.equal(kinds().filter((kind) => kind === 'look').length, look.length)
  })
}

t.test('a label that prints while something is wrong does not flow', async (t) => {
  const queue = [RUNNING, RUNNING, withState(4, 'media-empty-error')]
  const { device } = await makeSpooler(t, { queue })
  await using connection = await device.open(ZEBRA, limit())
  await connection.send(LABEL, limit())
  await connection.finish?.(() => t.fail('it flows'), limit())
})

t.test('a stopped queue is waited for before a job is made', async (t) => {
  const { device, kinds } = await makeSpooler(t, { queue: [STOPPED, STOPPED, RUNNING] })
  await using connection = await device.open(ZEBRA, limit())
  await connection.send(LABEL, limit())
  t.same(kinds(), ['queue', 'queue', 'queue', 'create', 'look'])
})

const states: readonly (readonly [string, Reply, readonly string[]])[] = [
  ['is idle', RUNNING, []],
  ['prints', withState(4), []],
  ['is stopped, whatever its last job met', withState(5, 'media-jam-error'), ['paused']],
  ['has no labels', withState(4, 'media-empty-error', 'media-needed'), ['media-empty']],
  ['names two troubles', withState(3, 'door-open', 'offline-report'), ['cover-open', 'offline']],
  ['is gone', { status: 0x406 }, ['offline']],
  ['is refused', { status: 0x500, ...RUNNING }, ['offline']],
  ['is not told', { http: 500 }, ['offline']],
]
t.test('the state of a queue is told in our words', async (t) => {
  const { device, plan } = await makeSpooler(t)
  await using connection = await device.open(ZEBRA, limit())
  for (const [what, reply, wanted] of states) {
    plan.set('queue', [reply])
    t.same(await connection.status?.(limit()), wanted, what)
  }
  await t.rejects(Promise.resolve(connection.status?.(AbortSignal.abort('enough'))), {
    code: 'PRINTER_OFFLINE',
    cause: 'enough',
  })
})

t.test(
  'a label that is given up before it is whole never gets its end, and its job is canceled',
  async (t) => {
    const { device, kinds } = await makeSpooler(t)
    const wanted = { code: 'PRINTER_LOST', accepted: 0, cause: 'a person said so' }
    {
      await using connection = await device.open(ZEBRA, limit())
      await connection.send(LABEL, limit())
      await t.rejects(connection.send(LABEL, AbortSignal.abort('a person said so')), wanted)
      await t.rejects(connection.send(LABEL, limit()), wanted, 'the same again')
    }
    t.same(kinds(), ['queue', 'queue', 'create', 'look', 'cancel'])
  },
)

t.test('a label that is given up while CUPS prints it is in doubt, and canceled', async (t) => {
  const { device, kinds } = await makeSpooler(t, { look: [MADE, job(5, 100)] })
  const stop = new AbortController()
  {
    await using connection = await device.open(ZEBRA, limit())
    await connection.send(LABEL, limit())
    const flowing = () => stop.abort('a person said so')
    await t.rejects(Promise.resolve(connection.finish?.(flowing, stop.signal)), {
      code: 'PRINTER_LOST',
      cause: 'a person said so',
    })
  }
  t.equal(kinds().at(-1), 'cancel')
})

const cancels: readonly (readonly [string, number, boolean])[] = [
  ['is known', 0, true],
  ['is not known any more', 0x406, true],
  ['has ended', 0x404, true],
  ['belongs to somebody else', 0x403, false],
  ['cannot be canceled now', 0x500, false],
  ['is refused by the smallest failure', 0x100, false],
]
for (const [what, status, isDone] of cancels) {
  t.test(`to cancel a job that ${what} ${isDone ? 'is enough' : 'is refused'}`, async (t) => {
    const { device, kinds } = await makeSpooler(t, { cancel: [{ status }] })
    await using connection = await device.open(ZEBRA, limit())
    await connection.send(LABEL, limit())
    const canceled = Promise.resolve(connection.cancel?.(limit()))
    if (!isDone) {
      await t.rejects(canceled, { message: /refused to cancel a label/ })
      return
    }
    await canceled
    await connection.cancel?.(limit())
    t.equal(kinds().filter((kind) => kind === 'cancel').length, 1, 'once')
  })
}

t.test(
  'a queue that leads back to this print server is not shown, and not printed on',
  async (t) => {
    const { address } = await makeSpooler(t)
    const device = createCupsDevice([address], (behind) => behind.startsWith('usb:'))
    t.same(await device.list(limit()), [])
    for (const round of ['at once', 'and again']) {
      await t.rejects(
        device.open(ZEBRA, limit()),
        { message: /prints on this print server/ },
        round,
      )
    }
  },
)

t.test('queues are shown with what is behind them, less what names no printer', async (t) => {
  const raw = { 'printer-make-and-model': name('Local Raw Printer') }
  const cases: readonly (readonly [Attributes, object])[] = [
    [{}, { uri: `${ZEBRA}`, makeAndModel: '', behind: 'usb://Zebra/LP2844?serial=1' }],
    [{ 'printer-type': integer(1) }, { uri: 'ipp://localhost/classes/Zebra' }],
    [{ 'printer-type': integer(2) }, { uri: 'ipp://localhost/printers/Zebra' }],
    [raw, { makeAndModel: '' }],
    [{ 'printer-make-and-model': name('Zebra ZPL') }, { makeAndModel: 'Zebra ZPL' }],
    [
      { 'device-uri': uri('socket://10.0.0.7:9100/?waiteof=false&contimeout=30') },
      { behind: 'socket://10.0.0.7:9100/' },
    ],
    [{ 'device-uri': uri('nothing') }, { behind: undefined }],
    [{ 'printer-is-accepting-jobs': boolean(false) }, { hindrance: /takes no jobs/ }],
  ]
  const { device, plan } = await makeSpooler(t)
  for (const [attributes, wanted] of cases) {
    plan.set('list', [{ attributes: { ...RUNNING.attributes, ...attributes } }])
    const found = await device.list(limit())
    t.match(found, [wanted], JSON.stringify(wanted))
  }
  for (const none of [{ status: 0x406 }, { status: 0x100, ...RUNNING }]) {
    plan.set('list', [none])
    t.same(await device.list(limit()), [])
  }
  plan.set('list', [{ attributes: { 'printer-name': name('') } }])
  t.same(await device.list(limit()), [], 'a queue without a name cannot be printed on')
})

t.test('a queue that is not there is named with the others, ten of them at most', async (t) => {
  const { device } = await makeSpooler(t, { queue: [{ status: 0x406 }] })
  await t.rejects(device.open(new URL('ipp://localhost/printers/Zebro'), limit()), {
    message: 'CUPS has no queue "Zebro"; it has "Zebra". Did you mean "Zebra"?',
  })
  t.match(device.explainPaused?.(ZEBRA), {
    words: /type "cupsenable Zebra", or press "Resume"/,
  })
  t.match(device.explainPaused?.(new URL('ipp://localhost/printers/a%20b')), {
    words: /go on: press "Resume"/,
  })
})

t.test(
  'ten asides before an answer are waited through, eleven are not (CUPS sends one at most)',
  async (t) => {
    for (const asides of [10, 11]) {
      const server = createServer((request, response) => {
        request.resume()
        request.on('end', () => {
          for (let n = 0; n < asides; n += 1) response.writeProcessing()
          // What comes in one packet is read in one go.
          if (asides === 10) answer(response, RUNNING, 'list', 1)
        })
      })
      const port = await listen(t, server)
      const opened = createCupsDevice([{ host: '127.0.0.1', port }]).open(ZEBRA, limit())
      if (asides === 10) await (await opened)[Symbol.asyncDispose]()
      else await t.rejects(opened, { message: /about to answer, and does not/ })
    }
  },
)

const EPL = Buffer.from('N\nP1\n')
const PRINTERS = [printer('A', ZEBRA.href, 'epl')]

for (const [what, reply] of [
  ['', { status: 0x500 }],
  [' as too large', { http: 413 }],
] as const) {
  t.test(`a label that CUPS refuses${what} once it is whole waits`, async (t) => {
    const look = [MADE, MADE, job(9, 100)]
    const { device } = await makeSpooler(t, { document: [reply, {}], look })
    const bench = new Bench(t, { printers: PRINTERS, devices: [device] })
    bench.scheduler.start()
    const id = bench.accept(EPL)
    t.match(await bench.untilJob(id, ({ state }) => /pending-held|completed/.test(state)), {
      state: 'completed',
      delivery: 'sent',
      attempts: 2,
    })
    t.same(bench.spool.halfLabels.list(), [], 'nobody is asked')
  })
}

t.test('a label that waits for a stopped queue has not left this computer', async (t) => {
  const { device, plan } = await makeSpooler(t, { queue: [STOPPED] })
  const bench = new Bench(t, { printers: PRINTERS, devices: [device] })
  bench.scheduler.start()
  const [first = '', second = ''] = [bench.accept(EPL), bench.accept(EPL)]
  await bench.until(first, 'processing-stopped')
  t.match(spoken(await bench.scheduler.cancel(first)), {
    state: 'canceled',
    delivery: 'none',
    message: '',
  })
  await bench.until(second, 'processing-stopped')
  await bench.close()
  plan.set('queue', [RUNNING])
  const later = new Bench(t, { printers: PRINTERS, devices: [device], folder: bench.folder })
  t.match(later.job(second), { state: 'pending', delivery: 'none' })
  later.scheduler.start()
  await later.until(second, 'completed')
})
