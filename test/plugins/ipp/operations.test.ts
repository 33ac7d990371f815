import t from 'tap'
import { OPERATIONS, STATUS } from '../../../src/plugins/ipp/protocol.ts'
import { decodeMessage, encodeMessage } from '../../../src/printers/ipp/codec.ts'
import {
  boolean,
  charset,
  GROUPS,
  type IppMessage,
  type IppValue,
  integer,
  keyword,
  language,
  name,
  readNumber,
  readText,
  readTexts,
  uri,
} from '../../../src/printers/ipp/message.ts'
import { quoteEnglish } from '../../../src/words/say.ts'
import { zplLabel } from '../../core/labels.ts'
import { type Rig, startRig } from '../../http/rig.ts'
import { ask } from './ask.ts'

type Attributes = Readonly<Record<string, readonly IppValue[]>>

const idOf = (answer: IppMessage): number => readNumber(answer.groups.at(-1), 'job-id') ?? 0

/** A job of so many labels, which all wait. */
async function print(rig: Rig, copies = 1, more: Attributes = {}, user = 'anna'): Promise<number> {
  const answer = await ask(rig, {
    operation: OPERATIONS.printJob,
    attributes: { 'requesting-user-name': name(user) },
    template: { copies: integer(copies), ...more },
    document: zplLabel('one'),
  })
  return idOf(answer)
}

const about = (rig: Rig, operation: number, id: number, more: Attributes = {}) =>
  ask(rig, { operation, attributes: { 'job-id': integer(id), ...more } })

const statesOf = (rig: Rig) => rig.jobs().map(({ state }) => state)

t.test(
  'Get-Jobs lists the open ones, or those that have ended with the last one first',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const [first, second, third, fourth] = [
      await print(rig),
      await print(rig, 1, {}, 'bert'),
      await print(rig),
      await print(rig),
    ] as const
    for (const id of [first, second]) await about(rig, OPERATIONS.cancelJob, id)
    const list = async (attributes: Attributes) => {
      const { code, groups } = await ask(rig, { operation: OPERATIONS.getJobs, attributes })
      t.equal(code, STATUS.ok)
      return groups.slice(1).map((group) => readNumber(group, 'job-id'))
    }
    const which = (word: string) => ({ 'which-jobs': keyword(word) })
    const mine = (user: string) => ({
      ...which('all'),
      'my-jobs': boolean(true),
      'requesting-user-name': name(user),
    })
    const cases: readonly (readonly [string, Attributes, readonly number[]])[] = [
      ['said nothing', {}, [third, fourth]],
      ['those open', which('not-completed'), [third, fourth]],
      ['those ended', which('completed'), [second, first]],
      ['all', which('all'), [first, second, third, fourth]],
      ['the first two', { ...which('all'), limit: integer(2) }, [first, second]],
      ['the last that ended', { ...which('completed'), limit: integer(1) }, [second]],
      ['by number', { 'job-ids': integer(fourth, first) }, [first, fourth]],
      ["one person's", mine('bert'), [second]],
      ["another's", mine('anna'), [first, third, fourth]],
      [
        'not only mine',
        { ...mine('bert'), 'my-jobs': boolean(false) },
        [first, second, third, fourth],
      ],
    ]
    for (const [what, attributes, wanted] of cases) t.same(await list(attributes), wanted, what)
    const odd = await ask(rig, { operation: OPERATIONS.getJobs, attributes: which('aborted') })
    t.equal(odd.code, STATUS.attributesNotSupported)
    t.match(readText(odd.groups[0], 'status-message'), /which-jobs aborted; wanted/)
    const long = { operation: OPERATIONS.getJobs, attributes: which('x'.repeat(400)) }
    const words = readText((await ask(rig, long)).groups[0], 'status-message')
    t.equal(words?.length, 255, 'RFC 8011, 4.1.6.2: text(255)')
    const { groups } = await ask(rig, { operation: OPERATIONS.getJobs })
    t.same([...(groups[1]?.attributes.keys() ?? [])], ['job-id', 'job-uri'], 'RFC 8011, 4.2.6.1')
  },
)

t.test('Get-Job-Attributes tells all of a job, or what is asked for', async (t) => {
  const rig = startRig(t, { prints: false })
  const id = await print(rig, 3)
  const { code, groups } = await about(rig, OPERATIONS.getJobAttributes, id)
  t.equal(code, STATUS.ok)
  const all = [...(groups[1]?.attributes.keys() ?? [])]
  t.ok(all.length > 10 && all.includes('job-originating-user-name'), `${all}`)
  t.equal(readText(groups[1], 'job-uri'), `ipp://box.local:8080/ipp/print/bench-1/${id}`)
  t.equal(readNumber(groups[1], 'job-impressions-completed'), 0)
  const kib = Math.ceil((3 * zplLabel('one').length) / 1_024)
  t.equal(readNumber(groups[1], 'job-k-octets'), kib)
  const some = await about(rig, OPERATIONS.getJobAttributes, id, {
    'requested-attributes': keyword('job-state', 'job-id'),
  })
  t.same([...(some.groups[1]?.attributes.keys() ?? [])].toSorted(), ['job-id', 'job-state'])
  t.equal(readNumber(some.groups[1], 'job-state'), 3, 'pending')
  const byUri = await ask(rig, {
    operation: OPERATIONS.getJobAttributes,
    attributes: { 'job-uri': uri(`ipp://box.local/ipp/print/bench-1/${id}`) },
  })
  t.equal(readNumber(byUri.groups[1], 'job-id'), id)
})

t.test('a job is named by its number or its URI; one that is not there is refused', async (t) => {
  const rig = startRig(t, { prints: false })
  await print(rig)
  for (const operation of [
    OPERATIONS.cancelJob,
    OPERATIONS.holdJob,
    OPERATIONS.releaseJob,
    OPERATIONS.getJobAttributes,
  ]) {
    const missing = await about(rig, operation, 999_999)
    t.equal(missing.code, STATUS.notFound)
    t.match(readText(missing.groups[0], 'status-message'), /no job 999999/)
    const unnamed = await ask(rig, { operation })
    t.equal(unnamed.code, STATUS.badRequest)
    t.match(readText(unnamed.groups[0], 'status-message'), /wanted job-id or job-uri/)
  }
  t.same(statesOf(rig), ['pending'])
})

t.test(
  'Cancel-Job ends what has not ended, once; Cancel-My-Jobs those of one person',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const [own, other] = [await print(rig, 2), await print(rig, 1, {}, 'bert')]
    const mine = await ask(rig, { operation: OPERATIONS.cancelMyJobs })
    t.equal(mine.code, STATUS.ok)
    t.same(statesOf(rig), ['canceled', 'canceled', 'pending'])
    const late = await about(rig, OPERATIONS.cancelJob, own)
    t.equal(late.code, STATUS.notPossible)
    t.match(readText(late.groups[0], 'status-message'), /has ended or is being printed/)
    t.equal((await about(rig, OPERATIONS.cancelJob, other)).code, STATUS.ok)
    t.same(statesOf(rig), ['canceled', 'canceled', 'canceled'])
    const open = idOf(await ask(rig, { operation: OPERATIONS.createJob }))
    t.equal((await about(rig, OPERATIONS.cancelJob, open)).code, STATUS.ok, 'before its document')
    t.equal((await about(rig, OPERATIONS.cancelJob, open)).code, STATUS.notPossible)
  },
)

t.test('Cancel-My-Jobs ends the jobs that it names and no others, or none', async (t) => {
  const rig = startRig(t, { prints: false })
  const [first, second, other] = [
    await print(rig),
    await print(rig),
    await print(rig, 1, {}, 'bert'),
  ]
  const cancel = async (...ids: readonly number[]) =>
    (
      await ask(rig, {
        operation: OPERATIONS.cancelMyJobs,
        attributes: { 'job-ids': integer(...ids) },
      })
    ).code
  t.equal(await cancel(first, other), STATUS.notFound, "another person's is not there")
  t.same(statesOf(rig), ['pending', 'pending', 'pending'])
  t.equal(await cancel(second), STATUS.ok)
  t.same(statesOf(rig), ['pending', 'canceled', 'pending'])
})

t.test('Cancel-My-Jobs of a client that names nobody ends the jobs of nobody', async (t) => {
  const rig = startRig(t, { prints: false })
  const nobody = { attributes: { 'requesting-user-name': [] } }
  await print(rig)
  await ask(rig, { operation: OPERATIONS.printJob, document: zplLabel('two'), ...nobody })
  t.equal((await ask(rig, { operation: OPERATIONS.cancelMyJobs, ...nobody })).code, STATUS.ok)
  t.same(statesOf(rig), ['pending', 'canceled'])
})

t.test(
  'Hold-Job holds what waits, Release-Job what its sender held and nothing else',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const id = await print(rig, 2)
    const tell = async (operation: number) => {
      const { code, groups } = await about(rig, operation, id)
      return [code, readText(groups[0], 'status-message')] as const
    }
    t.match(await tell(OPERATIONS.releaseJob), [STATUS.notPossible, /is not held, or not by/])
    t.match(await tell(OPERATIONS.holdJob), [STATUS.ok])
    t.same(statesOf(rig), ['pending-held', 'pending-held'])
    t.match(await tell(OPERATIONS.holdJob), [STATUS.notPossible, /no label that waits/])
    // One of them was cut off at the box meanwhile: a person there decides.
    const [first, second] = rig.jobs()
    const { spool } = rig.bench
    spool.move(first?.id ?? '', () => ({ state: 'pending-held', reasons: ['platen-interrupted'] }))
    t.match(await tell(OPERATIONS.releaseJob), [STATUS.ok])
    t.match(spool.history.get(first?.id ?? ''), { state: 'pending-held' })
    t.match(spool.history.get(second?.id ?? ''), { state: 'pending' })
    const held = await print(rig, 1, { 'job-hold-until': keyword('indefinite') })
    t.match((await about(rig, OPERATIONS.releaseJob, held)).code, STATUS.ok)
  },
)

t.test('what every request must have (RFC 8011, 4.1)', async (t) => {
  const rig = startRig(t, { prints: false })
  const own: Attributes = {
    'attributes-charset': charset('utf-8'),
    'attributes-natural-language': language('en'),
    'printer-uri': uri('ipp://box.local/ipp/print/bench-1'),
  }
  const group = (tag: number, attributes: Attributes) => ({
    tag,
    attributes: new Map(Object.entries(attributes)),
  })
  const operation = (more: Attributes = {}) => group(GROUPS.operation, { ...own, ...more })
  const { 'attributes-charset': set, 'attributes-natural-language': words, ...rest } = own
  const swapped = { 'attributes-natural-language': words ?? [], 'attributes-charset': set ?? [] }
  const job = group(GROUPS.job, { copies: integer(1) })
  const send = async (message: Partial<IppMessage>) => {
    const bytes = encodeMessage({
      version: [2, 0],
      code: OPERATIONS.validateJob,
      requestId: 7,
      groups: [operation()],
      ...message,
    })
    const response = await rig.call('/ipp/print/bench-1', {
      method: 'POST',
      headers: { 'content-type': 'application/ipp' },
      body: Uint8Array.from(bytes),
    })
    return decodeMessage(new Uint8Array(await response.arrayBuffer())).message
  }
  const cases: readonly (readonly [string, Partial<IppMessage>, number])[] = [
    ['2.0', {}, STATUS.ok],
    ['1.1', { version: [1, 1] }, STATUS.ok],
    ['2.2', { version: [2, 2] }, STATUS.ok],
    ['version 0', { version: [0, 9] }, STATUS.versionNotSupported],
    ['version 3', { version: [3, 0] }, STATUS.versionNotSupported],
    ['request 0', { requestId: 0 }, STATUS.badRequest],
    ['request 1', { requestId: 1 }, STATUS.ok],
    ['another operation', { code: 0x3f }, STATUS.operationNotSupported],
    ['no group', { groups: [] }, STATUS.badRequest],
    ['a job first', { groups: [job] }, STATUS.badRequest],
    ['a job behind', { groups: [operation(), job] }, STATUS.ok],
    ['a job before', { groups: [job, operation()] }, STATUS.badRequest],
    [
      'groups out of order',
      { groups: [operation(), group(GROUPS.unsupported, {}), job] },
      STATUS.badRequest,
    ],
    ['two of a kind', { groups: [operation(), job, job] }, STATUS.ok],
    ['no charset', { groups: [group(1, rest)] }, STATUS.badRequest],
    ['language first', { groups: [group(1, { ...swapped, ...rest })] }, STATUS.badRequest],
    [
      'charset alone first',
      { groups: [group(1, { 'attributes-charset': set ?? [], ...rest })] },
      STATUS.badRequest,
    ],
    ['us-ascii', { groups: [operation({ 'attributes-charset': charset('US-ASCII') })] }, STATUS.ok],
    [
      'latin1',
      { groups: [operation({ 'attributes-charset': charset('iso-8859-1') })] },
      STATUS.charsetNotSupported,
    ],
    [
      'no target',
      { groups: [group(1, { ...swapped, ...own, 'printer-uri': [] })] },
      STATUS.badRequest,
    ],
  ]
  for (const [what, message, status] of cases) {
    const answer = await send(message)
    t.equal(answer.code, status, what)
    t.equal(answer.requestId, message.requestId ?? 7, `${what}: the number of the request`)
    const isKnown = message.version?.[0] !== 0 && message.version?.[0] !== 3
    t.same(answer.version, isKnown ? (message.version ?? [2, 0]) : [2, 0], `${what}: its version`)
    const said = readText(answer.groups[0], 'status-message')
    t.equal(said === undefined, status === STATUS.ok, `${what}: words for a refusal alone`)
    t.same([...(answer.groups[0]?.attributes.keys() ?? [])].slice(0, 2), [
      'attributes-charset',
      'attributes-natural-language',
    ])
  }
  const odd = await rig.call('/ipp/print/bench-1', {
    method: 'POST',
    headers: { 'content-type': 'application/ipp' },
    body: Uint8Array.of(2, 0, 0),
  })
  t.equal(odd.status, 400)
  t.match(await odd.text(), /BODY_BROKEN/)
})

t.test(
  'a printer is reached by its name, by the path of its jobs, and as the default',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const nameAt = async (path: string) => {
      const { groups } = await ask(rig, { operation: OPERATIONS.getPrinterAttributes, path })
      return readText(groups[1], 'printer-name')
    }
    t.equal(await nameAt('/ipp/print/bench-1'), 'Bench 1')
    t.equal(await nameAt('/ipp/print/BENCH-2'), 'Bench 2')
    t.equal(await nameAt('/ipp/print/bench-2/17'), 'Bench 2', 'a job of it')
    t.equal(await nameAt('/ipp/print'), 'Bench 1', 'the default printer')
    await t.rejects(nameAt('/ipp/print/bench-3'), { message: /PRINTER_UNKNOWN/ })
    const some = await ask(rig, {
      operation: OPERATIONS.getPrinterAttributes,
      attributes: { 'requested-attributes': keyword('printer-state', 'queued-job-count') },
    })
    t.same(
      [...(some.groups[1]?.attributes.keys() ?? [])].toSorted(),
      ['printer-state', 'queued-job-count'],
      'what is asked for',
    )
    t.equal(readNumber(some.groups[1], 'queued-job-count'), 0)
    await print(rig, 2)
    const then = await ask(rig, { operation: OPERATIONS.getPrinterAttributes })
    t.equal(readNumber(then.groups[1], 'queued-job-count'), 2)
  },
)

t.test('a printer whose name is a number is not the default printer', async (t) => {
  const rig = startRig(t, { prints: false, printers: { 2: 'file:two', 17: 'file:seventeen' } })
  const named = new Map([2, 17].map((n) => [String(n), { language: 'zpl', dpi: 203 } as const]))
  const { printers } = rig.bench
  printers.configure(
    printers.list().map((one) => ({ ...one, ...named.get(one.name) })),
    'Bench 1',
  )
  for (const path of ['/ipp/print/2', '/ipp/print/17', '/ipp/print']) {
    const { groups } = await ask(rig, {
      operation: OPERATIONS.printJob,
      path,
      document: zplLabel(path),
    })
    const [, job] = groups
    const jobUri = readText(job, 'job-uri') ?? ''
    const told = await ask(rig, {
      operation: OPERATIONS.getJobAttributes,
      path: new URL(jobUri).pathname,
      attributes: { 'job-uri': uri(jobUri) },
    })
    t.equal(readNumber(told.groups[1], 'job-id'), readNumber(job, 'job-id'))
  }
  t.same(
    rig.jobs().map(({ printer }) => printer),
    ['2', '17', 'Bench 1'],
  )
  const left = printers.list().filter(({ name }) => name !== '2')
  printers.configure(left, 'Bench 1')
  const gone = { operation: OPERATIONS.printJob, path: '/ipp/print/2', document: zplLabel('gone') }
  await t.rejects(ask(rig, gone), { message: /PRINTER_UNKNOWN/ })
  t.equal(rig.jobs().length, 3)
})

t.test('a document comes out at the printer of its job, not at the default', async (t) => {
  const rig = startRig(t, { prints: false })
  const send = async (path: string) => {
    const made = await ask(rig, { operation: OPERATIONS.createJob, path: '/ipp/print' })
    t.equal(made.code, STATUS.ok)
    const [, job] = made.groups
    const id = integer(readNumber(job, 'job-id') ?? 0)
    const { printers } = rig.bench
    printers.configure(printers.list(), 'Bench 2')
    const { code } = await ask(rig, {
      operation: OPERATIONS.sendDocument,
      path,
      document: zplLabel(path),
      attributes: { 'job-id': id, 'last-document': boolean(true) },
    })
    t.equal(code, STATUS.ok)
    printers.configure(printers.list(), 'Bench 1')
  }
  for (const path of ['/ipp/print', '/ipp/print/bench-1', '/ipp/print/bench-2']) await send(path)
  t.same(
    rig.jobs().map(({ printer }) => printer),
    ['Bench 1', 'Bench 1', 'Bench 1'],
  )
})

t.test('Identify-Printer prints one label for many questions of a minute', async (t) => {
  const rig = startRig(t, { prints: false })
  for (const path of ['/ipp/print/bench-1', '/ipp/print/bench-1', '/ipp/print/bench-2']) {
    const { code } = await ask(rig, { operation: OPERATIONS.identifyPrinter, path })
    t.equal(code, STATUS.ok)
  }
  t.match(rig.jobs(), [
    { format: 'test', printer: 'Bench 1' },
    { format: 'test', printer: 'Bench 2' },
  ])
})

t.test('a printer that cannot print says so to a dialog whose label waits', async (t) => {
  const rig = startRig(t, { prints: false })
  const stateOf = async () => {
    const { groups } = await ask(rig, { operation: OPERATIONS.getPrinterAttributes })
    return [readTexts(groups[1], 'printer-state-reasons'), readNumber(groups[1], 'printer-state')]
  }
  t.same(await stateOf(), [['none'], 3])
  rig.bench.printers.report('Bench 1', {
    state: 'stopped',
    reasons: ['cover-open'],
    message: quoteEnglish('It is open.'),
    hint: quoteEnglish('Close it.'),
  })
  await print(rig)
  t.match((await stateOf())[1], 5)
})

t.test('attributes beyond all measure are refused, and leave labels their room', async (t) => {
  const rig = startRig(t, { prints: false, bench: { quotaBytes: 4 * 2 ** 20 } })
  const sizes = Array.from({ length: 200 }, (_, n) => `size-${n}`.padEnd(1_000, 'x'))
  const template = { media: keyword(...sizes) }
  const { createJob, printJob, validateJob } = OPERATIONS
  for (const operation of [validateJob, printJob, ...Array.from({ length: 25 }, () => createJob)]) {
    const { code } = await ask(rig, { operation, template, document: zplLabel('one') })
    t.equal(code, STATUS.tooLarge)
  }
  t.ok((await print(rig)) > 0)
  t.same(statesOf(rig), ['pending'])
})
