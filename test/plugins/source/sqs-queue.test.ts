import { createServer, request } from 'node:http'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import t, { type Test } from 'tap'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import type { SqsSettings } from '../../../src/plugins/sqs/settings.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { listen } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { FauxqsDaemon } from './fauxqs-daemon.ts'
import { pull } from './intake-bench.ts'
import { refuseAll } from './small-sqs.ts'

t.setTimeout(300_000)

const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const KEYS = { access_key_id: 'test', secret_access_key: 'test' }
const TIMING = { countMs: 100, badSeconds: 1, leaseSeconds: 2, settleMs: 100, pollSeconds: 1 }
const HOLD_S = 12 // a busy machine must get its word out in a third of it

const source = createSqs(TIMING)
const signal = (): AbortSignal => AbortSignal.timeout(120_000)
const settingsOf = (url: string): SqsSettings => ({ region: 'eu-central-1', url, ...KEYS })

t.test('what cannot be printed ends in the dead letters of the queue', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const dead = await daemon.create('dead')
  const policy = {
    deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:000000000000:dead',
    maxReceiveCount: 2,
  }
  const path = await daemon.create('labels', { RedrivePolicy: JSON.stringify(policy) })
  await daemon.put(path, 'this is not base64 ~~~')
  await daemon.put(path, 'A'.repeat(60_001))
  await daemon.put(path, ZPL64)
  const { bench, told, events } = pull(t, source, settingsOf(daemon.urlOf(path)))
  await poll('the good one', () => bench.spool.history.counts().completed === 1)
  await poll('the dead letters', async () => (await daemon.count(dead)) === 2)
  t.equal(told('refused').length, 2, 'each is told of once')
  t.ok(told('refused').some((why) => /has 60001 bytes; wanted at most 60000/.test(why)))
  t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
  t.ok(events.some((event) => event.kind === 'backlog'))
  t.match(
    spoken(await source.test(settingsOf(daemon.urlOf(path)), signal())),
    /0 messages wait in it\. Its dead-letter/,
  )
  t.match(
    spoken(await source.test(settingsOf(daemon.urlOf(dead)), signal())),
    /; 2 messages wait in it\. It has no dead/,
  )
})

t.test('a FIFO queue prints in its order', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const fifo = { FifoQueue: 'true', ContentBasedDeduplication: 'true' }
  const path = await daemon.create('labels.fifo', fifo)
  const marks = Array.from({ length: 25 }, (_, index) => `label-${index}`)
  for (const mark of marks) {
    await daemon.put(path, Buffer.from(`^XA^FD${mark}^FS^XZ`).toString('base64'), 'bench-1')
  }
  await daemon.put(path, Buffer.from('^XA^FDlabel-24^FS^XZ').toString('base64'), 'bench-1')
  const { bench } = pull(t, source, settingsOf(daemon.urlOf(path)))
  await poll('all labels', () => bench.spool.history.counts().completed === 25)
  await poll('the queue to be empty', async () => (await daemon.count(path)) === 0)
  const jobs = bench.spool.history.list({ limit: 99 }).toReversed()
  const printed = jobs.map(
    ({ id }) => /label-\d+/.exec(Buffer.from(bench.spool.history.label(id) ?? []).toString())?.[0],
  )
  t.same(printed, marks)
})

t.test('a label that finds the printer stopped goes back to the queue', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const path = await daemon.create('labels', { VisibilityTimeout: '600' })
  let isReady = true
  const { bench, events } = pull(t, source, settingsOf(daemon.urlOf(path)), {
    isReady: () => isReady,
    ready: async (stop) => {
      while (!isReady) {
        stop.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  })
  await poll('the long wait for a label', () => events.length > 2)
  isReady = false
  await daemon.put(path, ZPL64)
  const command = new ReceiveMessageCommand({ QueueUrl: daemon.urlOf(path), WaitTimeSeconds: 1 })
  let other = 0
  await poll('somebody else to get it', async () => {
    other = (await daemon.client.send(command)).Messages?.length ?? 0
    return other > 0
  })
  t.equal(bench.spool.history.list({ limit: 9 }).length, 0)
})

t.test('what the box cannot take stays in the queue, and the source says why', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const path = await daemon.create('labels', { VisibilityTimeout: '600' })
  await daemon.put(path, ZPL64)
  const full = new PlatenError('SPOOL_FULL', 'The spool is full.')
  const first = pull(t, source, settingsOf(daemon.urlOf(path)), {
    accept: () => Promise.reject(full),
  })
  t.equal(await first.ended, full)
  await t.test('and prints later', async (t) => {
    const { bench } = pull(t, source, settingsOf(daemon.urlOf(path)))
    await poll('the label', () => bench.spool.history.counts().completed === 1)
  })
})

t.test('bad messages that find no room are left to the queue', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const path = await daemon.create('labels')
  await daemon.put(path, 'no label')
  const full = new PlatenError('SPOOL_FULL', 'No more are kept.')
  let tries = 0
  const setAside = (): Promise<void> => {
    tries += 1
    return Promise.reject(tries === 1 ? full : new PlatenError('SPOOL_BROKEN', 'Broken.'))
  }
  const quick = createSqs({ ...TIMING, badSeconds: 0.001 })
  const { ended, told } = pull(t, quick, settingsOf(daemon.urlOf(path)), { setAside })
  t.match(await ended, { code: 'SPOOL_BROKEN' })
  t.equal(tries, 2)
  t.match(told('refused'), [/comes again later\. /])
  t.equal(await daemon.count(path), 1)
})

t.test(
  'with ack: printed a message is held as long as it takes, and let go at a stop',
  async (t) => {
    const daemon = await FauxqsDaemon.start(t)
    const path = await daemon.create('labels', { VisibilityTimeout: `${HOLD_S}` })
    const out = Promise.withResolvers<void>()
    let taken = 0
    const holding = createSqs({ ...TIMING, leaseSeconds: HOLD_S })
    const { stop, events } = pull(t, holding, settingsOf(daemon.urlOf(path)), {
      ack: 'printed',
      accept: () => {
        taken += 1
        const ended = taken === 1 ? out.promise : new Promise<void>(() => undefined)
        return Promise.resolve({ jobs: [], repeated: false, ended })
      },
    })
    await daemon.put(path, ZPL64)
    await poll('the label to be ours', () => taken === 1)
    const before = events.length
    const QueueUrl = daemon.urlOf(path)
    const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: HOLD_S + 4 })
    t.equal((await daemon.client.send(command)).Messages, undefined, 'nobody else gets it')
    const since = events.slice(before)
    t.ok(
      since.length > 0 && since.every(({ kind }) => kind === 'contact'),
      'and the queue is there',
    )
    out.resolve()
    await poll('the queue to be empty', async () => (await daemon.count(path)) === 0)
    await daemon.put(path, ZPL64)
    await poll('the next one', () => taken === 2)
    await stop()
    t.equal(await daemon.count(path), 0, 'it is safe in our spool')
  },
)

t.test('the places that AWS looks at are looked at, the address of the service too', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  await daemon.create('labels')
  const before = { ...process.env }
  t.teardown(() => {
    process.env = before
  })
  const settings = { region: 'eu-central-1', url: 'https://sqs.invalid/000000000000/labels' }
  process.env['AWS_ENDPOINT_URL_SQS'] = `http://127.0.0.1:${daemon.port}`
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true'
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/nowhere'
  process.env['AWS_CONFIG_FILE'] = '/nowhere'
  await t.rejects(source.test(settings, signal()), {
    message: /^No AWS credentials were found for/,
  })
  process.env['AWS_ACCESS_KEY_ID'] = 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test'
  t.match(
    spoken(await source.test(settings, signal())),
    /^Reached the queue sqs\.invalid\/000000000000\/labels/,
  )
})

/** The real queue behind a policy that forbids one call. */
async function forbid(t: Test, daemon: FauxqsDaemon, call: string): Promise<string> {
  const server = createServer((asked, answer) => {
    if (asked.headers['x-amz-target'] === `AmazonSQS.${call}`) {
      asked.resume()
      answer.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' })
      answer.end(JSON.stringify({ __type: 'com.amazonaws.sqs#AccessDenied', message: 'No.' }))
      return
    }
    const { method, url, headers } = asked
    const onward = request({ port: daemon.port, method, path: url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  return `http://127.0.0.1:${await listen(t, server)}`
}

t.test('a queue may be pulled from without the right to look at it', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const path = await daemon.create('labels')
  const origin = await forbid(t, daemon, 'GetQueueAttributes')
  const { bench, told, events } = pull(t, source, settingsOf(`${origin}${path}`))
  await daemon.put(path, ZPL64)
  await poll('the label', () => bench.spool.history.counts().completed === 1)
  const contacts = (): number => events.filter(({ kind }) => kind === 'contact').length
  const before = contacts()
  await poll('some more polls', () => contacts() > before + 2)
  t.match(told('warning'), [
    /does not let this print server in\. AccessDenied: these credentials need sqs:/,
  ])
  t.equal(told('warning').length, 1, 'told of once')
})

t.test('who is let in nowhere, or finds no queue, gets one error and no warning', async (t) => {
  const daemon = await FauxqsDaemon.start(t)
  const missing = settingsOf(daemon.urlOf('/000000000000/labels'))
  const first = pull(t, source, missing)
  t.match(spoken(await first.ended), { code: 'SOURCE_REFUSED', message: /^There is no queue/ })
  t.same(first.told('warning'), [])
  for (const type of ['AccessDenied', 'InvalidClientTokenId']) {
    const denied = pull(t, source, settingsOf(await refuseAll(t, 403, type)))
    t.match(spoken(await denied.ended), {
      code: 'SOURCE_REFUSED',
      message: /does not let this print/,
    })
    t.same(denied.told('warning'), [], type)
  }
  await t.test('and all is well once there is one', async (t) => {
    const path = await daemon.create('labels')
    await daemon.put(path, ZPL64)
    const { bench, told } = pull(t, source, settingsOf(daemon.urlOf(path)))
    await poll('the label', () => bench.spool.history.counts().completed === 1)
    t.same(told('warning'), [])
  })
})
