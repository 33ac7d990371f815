import t, { type Test } from 'tap'
import type { SourceIntake } from '../../../src/plugins/source/source.ts'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { type SqsMessage, SqsQueue } from '../../../src/plugins/sqs/queue.ts'
import { type SqsSettings, type SqsTiming, TIMING } from '../../../src/plugins/sqs/settings.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, say } from '../../../src/words/say.ts'
import { poll } from '../../until.ts'
import { type Pulled, pull, stayStopped } from './intake-bench.ts'
import { type Put, SmallSqs } from './small-sqs.ts'

t.setTimeout(300_000)

const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const BAD = 'no label ~~~'
const QUIET: Partial<SqsTiming> = { connectMs: 60_000, replyMs: 60_000, pollSeconds: 1 }
const FULL = new PlatenError('SPOOL_FULL', 'The spool is full.')
const NEVER = new Promise<void>(() => undefined)

const signal = (): AbortSignal => AbortSignal.timeout(120_000)
const label = (id: string, receives = 1): Put => ({ id, body: ZPL64, receives })
const redrive = (most: unknown): Record<string, string> => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: 'arn:dead', maxReceiveCount: most }),
})
const settingsOf = (queue: SmallSqs, more: Partial<SqsSettings> = {}): SqsSettings => ({
  region: 'eu-central-1',
  url: queue.url,
  access_key_id: 'a',
  secret_access_key: 'b',
  ...more,
})

interface Given {
  readonly attributes?: Readonly<Record<string, string>>
  readonly batch?: readonly Put[]
  readonly verdict?: SmallSqs['verdicts'][number]
  readonly intake?: Partial<SourceIntake>
  readonly timing?: Partial<SqsTiming>
  readonly settings?: Partial<SqsSettings>
}

/** The source at a queue that gives these messages. */
async function run(t: Test, given: Given): Promise<Pulled & { readonly queue: SmallSqs }> {
  const queue = await SmallSqs.start(t)
  Object.assign(queue.attributes, given.attributes)
  if (given.verdict) queue.verdicts.push(given.verdict)
  if (given.batch) queue.give(...given.batch)
  const source = createSqs({ ...QUIET, settleMs: 1, ...given.timing })
  const pulled = pull(t, source, settingsOf(queue, given.settings), given.intake)
  return { ...pulled, queue }
}

/** Resolves when the source waits for messages again after so many batches. */
async function settled(queue: SmallSqs, batches = 1): Promise<void> {
  await poll('the next poll', () => queue.named('ReceiveMessage').length > batches)
}

/** An intake that takes everything, and tells what with. */
function takeAll(ended: Promise<void> = Promise.resolve()) {
  const taken: unknown[] = []
  const accept: SourceIntake['accept'] = ({ mayBeOut, messageId }) => {
    taken.push({ mayBeOut, messageId })
    return Promise.resolve({ jobs: [], repeated: false, ended })
  }
  return { taken, accept }
}

t.test('ten messages at once, for as long as the queue says, and deleted together', async (t) => {
  const { queue, events, bench } = await run(t, {
    attributes: {
      ApproximateNumberOfMessages: '4',
      ApproximateNumberOfMessagesNotVisible: '20',
      ApproximateNumberOfMessagesDelayed: '100',
      VisibilityTimeout: '77',
    },
    batch: [label('a'), label('b')],
  })
  await settled(queue)
  t.strictSame(queue.named('ReceiveMessage')[0], {
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 77,
    WaitTimeSeconds: 1,
    MessageSystemAttributeNames: ['ApproximateReceiveCount'],
  })
  t.strictSame(queue.deleted, [['a', 'b']])
  t.strictSame(queue.hidden, [])
  t.equal(bench.spool.history.list({ limit: 9 }).length, 2)
  t.strictSame(
    events.filter(({ kind }) => kind === 'backlog'),
    [{ kind: 'backlog', waiting: 124 }],
    'looked at once for many turns: every look is paid for',
  )
  t.equal(events.filter(({ kind }) => kind === 'contact').length, 2, 'a look and a batch')
})

t.test('an empty queue of no visibility is looked at now and then', async (t) => {
  const { queue, events } = await run(t, {
    attributes: { VisibilityTimeout: '0' },
    timing: { countMs: 0, leaseSeconds: 9 },
  })
  queue.give()
  queue.give()
  await settled(queue, 2)
  t.equal(queue.named('ReceiveMessage')[0]?.['VisibilityTimeout'], 9, 'ours all the same')
  t.equal(queue.named('GetQueueAttributes').length, 3)
  t.ok(events.every((event) => event.kind !== 'backlog' || event.waiting === 0))
  t.strictSame(queue.deleted, [])
})

for (const [what, receives, attributes, timing, hidden] of [
  ['comes again after a second', 1, {}, {}, 1],
  ['... and after twice as long each time', 3, {}, {}, 4],
  ['... at most after 15 minutes', 11, redrive(1_000), {}, 900],
  ['... or even later deliveries', 60, redrive(1_000), {}, 900],
  ['... after whole seconds', 2, {}, { badSeconds: 1.3 }, 3],
  ['... however often, where the queue has dead letters', 5, redrive(9), {}, 16],
  ['... and four times where it has none', 4, {}, {}, 8],
] as const) {
  t.test(`what is not a label ${what}`, async (t) => {
    const batch = [{ id: 'a', body: BAD, receives }, label('b')]
    const { queue, bench, told } = await run(t, { attributes, batch, timing })
    queue.give({ id: 'a', body: BAD, receives })
    await settled(queue, 2)
    t.strictSame(queue.hidden, [`a ${hidden}`, `a ${hidden}`])
    t.strictSame(queue.deleted, [['b']], 'and what follows it prints')
    t.equal(told('refused').length, 1, 'told of once')
    t.ok(told('refused')[0]?.startsWith(`Message a of ${queue.where} comes again later. `))
    t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
  })
}

t.test('the fifth time it is kept here, where the queue has no dead letters', async (t) => {
  const { queue, bench, told } = await run(t, { batch: [{ id: 'a', body: BAD, receives: 5 }] })
  await settled(queue)
  t.strictSame([queue.deleted, queue.hidden], [[['a']], []])
  t.match(told('refused'), [/^Message a of .* is kept here\. /])
  const [kept] = bench.spool.history.list({ limit: 9 })
  t.equal(Buffer.from(bench.spool.history.label(kept?.id ?? '') ?? []).toString(), BAD)
})

t.test('... unless there is no more room; a broken disk ends the pull', async (t) => {
  const batch = [{ id: 'a', body: BAD, receives: 6 }]
  const full = await run(t, { batch, intake: { setAside: () => Promise.reject(FULL) } })
  await settled(full.queue)
  t.strictSame([full.queue.deleted, full.queue.hidden], [[], ['a 32']])
  const broken = new PlatenError('SPOOL_BROKEN', 'Broken.')
  const ended = await run(t, { batch, intake: { setAside: () => Promise.reject(broken) } })
  t.equal(await ended.ended, broken)
})

t.test('a message of the largest size is read, and one byte more is not', async (t) => {
  const intake = { messageBytes: ZPL64.length }
  const { queue, told } = await run(t, { intake, batch: [label('a')] })
  queue.give({ id: 'b', body: `${ZPL64}\n` })
  await settled(queue, 2)
  t.strictSame([queue.deleted, queue.hidden], [[['a']], ['b 1']])
  const [bytes, most] = [ZPL64.length + 1, ZPL64.length]
  t.match(told('refused'), [
    new RegExp(`The message has ${bytes} bytes; wanted at most ${most} \\(Largest request\\)`),
  ])
})

t.test('what was taken is deleted and the rest given back when the box cannot go on', async (t) => {
  const { accept } = takeAll()
  const refuse: SourceIntake['accept'] = (message) =>
    message.messageId?.endsWith(':b') ? Promise.reject(FULL) : accept(message)
  const { queue, ended } = await run(t, {
    attributes: redrive(9),
    batch: [label('a'), label('b'), label('c')],
    intake: { accept: refuse },
  })
  t.equal(await ended, FULL)
  t.strictSame(queue.deleted, [['a']])
  t.strictSame(queue.hidden, ['b 1', 'c 1'], 'not at once, so that they do not come back to us')
})

for (const [ack, receives, held] of [
  ['spooled', 1, []],
  ['printed', 1, ['a 60']],
  ['printed', 7, ['a 60']],
  ['printed', 8, []],
] as const) {
  t.test(`ack: ${ack}, delivery ${receives} of 9: held ${held.length} times`, async (t) => {
    const { accept } = takeAll()
    const { queue, told } = await run(t, {
      attributes: redrive(9),
      batch: [label('a', receives)],
      intake: { accept, ack },
    })
    await settled(queue)
    t.equal(queue.named('ReceiveMessage')[0]?.['MaxNumberOfMessages'], ack === 'printed' ? 1 : 10)
    t.strictSame([queue.hidden, queue.deleted], [held, [['a']]])
    t.strictSame(told('warning'), [])
  })
}

t.test('a label in the printer is kept ours at thirds of its time, till it is out', async (t) => {
  const out = Promise.withResolvers<void>()
  const { accept } = takeAll(out.promise)
  const { queue, events } = await run(t, {
    batch: [label('a')],
    intake: { accept, ack: 'printed' },
    timing: { leaseSeconds: 0.03 },
  })
  await poll('three renewals', () => queue.hidden.length > 3)
  t.strictSame(queue.deleted, [])
  t.ok(events.filter(({ kind }) => kind === 'contact').length > 3, 'and the queue is there')
  out.resolve()
  await settled(queue)
  t.strictSame(queue.deleted, [['a']])
})

t.test('... and not more often than that: every call is paid for', async (t) => {
  const out = Promise.withResolvers<void>()
  const { queue } = await run(t, {
    batch: [label('a')],
    intake: { accept: takeAll(out.promise).accept, ack: 'printed' },
  })
  await poll('the first renewal', () => queue.hidden.length > 0)
  using other = new SqsQueue(settingsOf(queue), TIMING)
  for (let look = 0; look < 20; look += 1) await other.readAttributes()
  t.equal(queue.hidden.length, 1)
  out.resolve()
  await settled(queue)
})

for (const type of [
  'MessageNotInflight',
  'ReceiptHandleIsInvalid',
  'InvalidParameterValue',
] as const) {
  t.test(`a label that the queue took back (${type}) is told of and not deleted`, async (t) => {
    const { queue, told, events } = await run(t, {
      batch: [label('a')],
      intake: { accept: takeAll(NEVER).accept, ack: 'printed' },
      verdict: ({ name }) => (name === 'ChangeMessageVisibility' ? [400, type] : undefined),
    })
    await settled(queue)
    t.strictSame(queue.deleted, [])
    t.strictSame(told('warning'), [inEnglish(say('tookBack', { where: queue.where }))])
    t.match(
      events.find(({ kind }) => kind === 'warning'),
      {
        detail: 'Message a: its visibility time-out was over.',
      },
    )
  })
}

t.test('what cannot be deleted is told of; any other answer ends the pull', async (t) => {
  const late = await run(t, {
    batch: [label('a'), label('b'), label('c')],
    verdict: ({ name }) =>
      name === 'DeleteMessageBatch'
        ? { Failed: ['1', '2'].map((Id) => ({ Id, Code: 'x', SenderFault: true })) }
        : undefined,
  })
  await settled(late.queue)
  t.match(
    late.events.find(({ kind }) => kind === 'warning'),
    { detail: /^Message b, c: its vis/ },
  )
  const odd = await run(t, {
    batch: [{ id: 'a', body: BAD }],
    verdict: ({ name }) => (name === 'ChangeMessageVisibility' ? [400, 'Odd'] : undefined),
  })
  t.match(await odd.ended, { code: 'SOURCE_REFUSED', detail: /^Odd: / })
})

t.test('without the right to look, labels come all the same, and it is told of once', async (t) => {
  const denied = ({ name }: { name: string }) =>
    name === 'GetQueueAttributes' ? ([403, 'AccessDenied'] as const) : undefined
  const { accept } = takeAll()
  const { queue, told } = await run(t, {
    // Three deliveries are the fewest that a sensible queue has: the second may be the last but one.
    batch: [label('a', 2)],
    intake: { accept, ack: 'printed' },
    verdict: denied,
    timing: { countMs: 0 },
  })
  queue.give(label('b', 1))
  queue.give()
  await settled(queue, 3)
  t.equal(told('warning').length, 1)
  t.match(told('warning')[0], /does not let this print server in\. AccessDenied: these cred/)
  t.strictSame([queue.deleted, queue.hidden], [[['a'], ['b']], ['b 60']])
})

t.test('who may not even receive gets one error and no warning', async (t) => {
  const { ended, told } = await run(t, { verdict: () => [403, 'AccessDenied'] })
  t.match(await ended, { code: 'SOURCE_REFUSED' })
  t.strictSame(told('warning'), [])
  const other = await run(t, { verdict: () => [403, 'InvalidClientTokenId'] })
  t.match(await other.ended, { code: 'SOURCE_REFUSED' })
  t.equal(other.queue.named('ReceiveMessage').length, 0)
})

for (const [redelivered, receives, mayBeOut] of [
  ['hold', 1, false],
  ['hold', 2, true],
  ['print', 2, false],
  [undefined, 2, false],
] as const) {
  t.test(`redelivered: ${redelivered}, delivery ${receives}: waits ${mayBeOut}`, async (t) => {
    const { accept, taken } = takeAll()
    const { queue } = await run(t, {
      intake: { accept },
      batch: [label('a', receives)],
      settings: redelivered ? { redelivered } : {},
    })
    await settled(queue)
    t.strictSame(taken, [{ mayBeOut, messageId: `${queue.where}:a` }])
  })
}

/** A printer that is ready until the queue has given something. */
function makeStopped(): Pick<SourceIntake, 'isReady' | 'ready' | 'report'> {
  let isReady = true
  return {
    isReady: () => isReady,
    ready: stayStopped,
    report: ({ kind }) => {
      if (kind === 'backlog') isReady = false
    },
  }
}

t.test('the printer has stopped meanwhile: they wait in hand, then go back', async (t) => {
  const { accept, taken } = takeAll()
  const { queue } = await run(t, {
    attributes: redrive(9),
    intake: { accept, ...makeLate() },
    batch: [label('a', 7), label('b')],
    timing: { leaseSeconds: 0.06 },
  })
  await poll('both to go back', () => queue.hidden.filter((one) => / 1$/.test(one)).length === 2)
  t.strictSame([queue.hidden.slice(-2), taken], [['a 1', 'b 1'], []])
  t.strictSame(queue.hidden.slice(0, 2), ['a 0.06', 'b 0.06'], 'ours as long as they wait')
})

t.test('... and print when it goes on before that', async (t) => {
  const { accept, taken } = takeAll()
  const goesOn = Promise.withResolvers<void>()
  let asked = 0
  const { queue } = await run(t, {
    batch: [label('a')],
    attributes: redrive(9),
    intake: {
      accept,
      ready: () => goesOn.promise,
      isReady: () => {
        asked += 1
        return asked !== 2
      },
    },
  })
  await poll('the first renewal', () => queue.hidden.length > 0)
  t.strictSame([queue.hidden, taken], [['a 60'], []])
  goesOn.resolve()
  await settled(queue)
  t.strictSame(queue.deleted, [['a']])
})

t.test('... but what the queue would give up is taken', async (t) => {
  const { accept, taken } = takeAll()
  const { queue } = await run(t, {
    attributes: redrive(9),
    intake: { accept, ...makeLate() },
    batch: [label('a'), label('b', 8)],
  })
  await poll('the deletion', () => queue.deleted.length > 0)
  t.strictSame([queue.deleted, taken.length], [[['a', 'b']], 2])
})

/** A printer that is ready when messages are asked for, and not when they come. */
function makeLate(): Pick<SourceIntake, 'isReady' | 'ready'> {
  let asked = 0
  const { ready } = makeStopped()
  return {
    ready,
    isReady: () => {
      asked += 1
      return asked === 1
    },
  }
}

t.test('a printer that is not ready asks for no message', async (t) => {
  const { queue, stop } = await run(t, { intake: makeStopped(), timing: { countMs: 5 } })
  await poll('some looks', () => queue.named('GetQueueAttributes').length > 2)
  t.equal(queue.named('ReceiveMessage').length, 0)
  await stop()
})

t.test('the last delivery is tried until the box can take it, or the queue takes it', async (t) => {
  let refusals = 0
  const refuse: SourceIntake['accept'] = () => {
    refusals += 1
    return Promise.reject(FULL)
  }
  const { queue, told, events } = await run(t, {
    attributes: redrive(9),
    batch: [label('a', 8)],
    intake: { accept: refuse },
    timing: { leaseSeconds: 0.03 },
    verdict: ({ name }) =>
      name === 'ChangeMessageVisibility' ? [400, 'MessageNotInflight'] : undefined,
  })
  await settled(queue)
  t.strictSame([refusals, told('error'), queue.deleted], [1, [FULL.message], []])
  t.match(
    events.find(({ kind }) => kind === 'error'),
    { detail: FULL.detail },
  )
  const first = await run(t, {
    attributes: redrive(9),
    batch: [label('a', 7)],
    intake: { accept: refuse },
  })
  t.equal(await first.ended, FULL, 'one that comes again goes back')
})

t.test('messages whose time is half over are kept ours before they are read', async (t) => {
  const { accept, taken } = takeAll()
  const { queue } = await run(t, {
    batch: [label('a'), label('b'), label('c')],
    intake: { accept },
    timing: { leaseSeconds: 0.000_001 },
    verdict: ({ name, asked }) =>
      name === 'ChangeMessageVisibility' && asked['ReceiptHandle'] === 'b'
        ? [400, 'MessageNotInflight']
        : undefined,
  })
  await settled(queue)
  t.match(taken, [{ messageId: /:a$/ }, { messageId: /:c$/ }], 'b is not ours any more')
  t.strictSame(queue.deleted, [['a'], ['c']], 'and what is done is deleted first')
})

t.test('a stop ends the long poll at once', async (t) => {
  const { queue, stop } = await run(t, {})
  await settled(queue, 0)
  t.match(await stop(), { name: 'AbortError' })
})

t.test('the button says how many messages wait, and where bad ones go', async (t) => {
  const queue = await SmallSqs.start(t)
  const source = createSqs(QUIET)
  const test = async (): Promise<string> =>
    inEnglish(await source.test(settingsOf(queue), signal()))
  const reached = inEnglish(say('reachedQueue', { where: queue.where, waiting: 3 }))
  queue.attributes['ApproximateNumberOfMessages'] = '3'
  t.equal(await test(), `${reached} ${inEnglish(say('noDeadLetters'))}`)
  Object.assign(queue.attributes, redrive(3))
  t.equal(await test(), `${reached} ${inEnglish(say('hasDeadLetters'))}`)
  t.equal(queue.named('ReceiveMessage').length, 0, 'and takes none')
})

t.test('the deliveries of a redrive policy, however they are written', async (t) => {
  const queue = await SmallSqs.start(t)
  using sqs = new SqsQueue(settingsOf(queue), TIMING)
  for (const [policy, most] of [
    ['{"maxReceiveCount":5}', 5],
    ['{"maxReceiveCount" : "1000"}', 1000],
    ['{"deadLetterTargetArn":"x","maxReceiveCount":"2"}', 2],
    ['{"deadLetterTargetArn":"x"}', 3],
    ['{"maxReceiveCount":"many"}', 3],
  ] as const) {
    queue.attributes['RedrivePolicy'] = policy
    t.match(await sqs.readAttributes(), { receivesMost: most }, policy)
  }
})

t.test('nothing is asked for longer than SQS gives: twelve hours', async (t) => {
  const queue = await SmallSqs.start(t)
  using sqs = new SqsQueue(settingsOf(queue), { ...TIMING, pollSeconds: 7 })
  const message: SqsMessage = { id: 'a', receipt: 'a', body: '', receives: 1 }
  for (const [asked, sent] of [
    [43_200, 43_200],
    [43_201, 43_200],
    [1, 1],
  ] as const) {
    t.ok(await sqs.hide(message, asked))
    queue.give()
    t.strictSame(await sqs.receive(3, asked, signal()), [])
    t.equal(queue.hidden.at(-1), `a ${sent}`)
    t.match(queue.named('ReceiveMessage').at(-1), { VisibilityTimeout: sent, WaitTimeSeconds: 7 })
  }
  t.strictSame(await sqs.delete([]), [])
  t.equal(queue.named('DeleteMessageBatch').length, 0, 'nothing to delete is not asked')
})
