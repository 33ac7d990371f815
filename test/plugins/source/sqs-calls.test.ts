import { createHash } from 'node:crypto'
import t from 'tap'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { readBody, SqsQueue } from '../../../src/plugins/sqs/queue.ts'
import { TIMING as FIELD, type SqsSettings } from '../../../src/plugins/sqs/settings.ts'
import { findClosedPort } from '../../listen.ts'
import { spoken } from '../../words/spoken.ts'
import { refuseAll, SmallSqs } from './small-sqs.ts'

t.setTimeout(300_000)

const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const KEYS = { access_key_id: 'test', secret_access_key: 'test' }
const TIMING = { countMs: 100, badSeconds: 1, leaseSeconds: 2, settleMs: 100, pollSeconds: 1 }

const source = createSqs(TIMING)
const signal = (): AbortSignal => AbortSignal.timeout(120_000)
const settingsOf = (url: string): SqsSettings => ({ region: 'eu-central-1', url, ...KEYS })

t.test('messages of SNS are taken out of their envelope, and known by its id', (t) => {
  const envelope = { Type: 'Notification', MessageId: 'sns-1', Message: ZPL64, Subject: 'x' }
  const wrapped = readBody(JSON.stringify(envelope), 'q', 'm-1')
  t.equal(wrapped.messageId, 'q:sns:sns-1')
  t.equal(wrapped.labels.length, 1)
  const { MessageId, ...bare } = envelope
  t.equal(readBody(JSON.stringify(bare), 'q', 'm-1').messageId, 'q:sns:m-1')
  const inner = JSON.stringify({ label: ZPL64, copies: 3, idempotency_key: 'k' })
  const fields = readBody(JSON.stringify({ ...envelope, Message: inner }), 'q', 'm-1')
  t.match(fields, { copies: 3, messageId: 'k' })
  t.equal(readBody(ZPL64, 'q', 'm-1').messageId, 'q:m-1')
  t.equal(readBody(inner, 'q', 'm-1').copies, 3)
  for (const body of [
    '{"Type":"Notification"',
    '{"Type":"Notification"}',
    '{"a":"Notification"}',
  ]) {
    t.throws(() => readBody(body, 'q', 'm'), { name: 'PlatenError' }, body)
  }
  t.end()
})

t.test('what AWS and the network say is told in sentences', async (t) => {
  for (const [status, type, code, words] of [
    [403, 'AccessDenied', 'SOURCE_REFUSED', /does not let this print server in/],
    [
      400,
      'QueueDoesNotExist',
      'SOURCE_REFUSED',
      /^There is no queue 127\..*\/1\/labels in the region eu-/,
    ],
    [400, 'InvalidAddress', 'SOURCE_REFUSED', /refuses what this print server asks for\.$/],
    [400, 'ThrottlingException', 'SOURCE_UNREACHABLE', /cannot serve this print server now\.$/],
    [503, 'ServiceUnavailable', 'SOURCE_UNREACHABLE', /cannot serve this print server now/],
  ] as const) {
    const url = await refuseAll(t, status, type)
    await t.rejects(source.test(settingsOf(url), signal()), { code, message: words })
  }
  const closed = `http://127.0.0.1:${await findClosedPort()}/1/labels`
  await t.rejects(source.test(settingsOf(closed), signal()), {
    code: 'SOURCE_UNREACHABLE',
    message: /refuses connections: nothing listens there\.$/,
  })
  const silentTiming = { ...TIMING, connectMs: 60_000, pollSeconds: 0, replyMs: 50 }
  const silent = createSqs(silentTiming)
  await t.rejects(silent.test(settingsOf(await refuseAll(t, 0, '')), signal()), {
    code: 'SOURCE_UNREACHABLE',
    message: /does not answer\.$/,
  })
  // An answer to a deletion is waited for even after a stop, so it has a deadline of its own.
  const hurried = { ...silentTiming, pollSeconds: 60 }
  using queue = new SqsQueue(settingsOf(await refuseAll(t, 0, '')), hurried)
  const message = { id: '1', receipt: 'r', body: '', receives: 1 }
  await t.rejects(queue.delete([message]), { message: /does not answer\.$/ })
  const half = { region: 'eu-central-1', url: closed, access_key_id: 'x' }
  await t.rejects(source.test(half, signal()), { message: /go together; one of them is not set/ })
  t.equal(source.describe(settingsOf('https://sqs.example/1/labels')), 'sqs.example/1/labels')
})

t.test('the address of the service may be another than that of the queue', async (t) => {
  const [special, general] = [await SmallSqs.start(t), await SmallSqs.start(t)]
  const { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL } = process.env
  t.teardown(() => {
    for (const [name, value] of Object.entries({ AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  const test = () => source.test(settingsOf('http://127.0.0.1:9/1/labels'), signal())
  process.env['AWS_ENDPOINT_URL'] = new URL(general.url).origin
  t.match(spoken(await test()), /^Reached the queue 127\.0\.0\.1:9\/1\/labels;/)
  process.env['AWS_ENDPOINT_URL_SQS'] = new URL(special.url).origin
  t.match(spoken(await test()), /^Reached the queue 127\.0\.0\.1:9\/1\/labels;/)
  t.strictSame([general.calls.length, special.calls.length], [1, 1])
})

t.test('half of the credentials is none', async (t) => {
  const url = 'http://127.0.0.1:9/1/labels'
  for (const half of [{ access_key_id: 'a' }, { secret_access_key: 'b' }]) {
    await t.rejects(source.test({ region: 'eu', url, ...half }, signal()), {
      code: 'SOURCE_REFUSED',
      message: 'access_key_id and secret_access_key go together; one of them is not set.',
    })
  }
})

t.test('a message that the queue says little of was delivered once', async (t) => {
  const small = await SmallSqs.start(t)
  using queue = new SqsQueue(settingsOf(small.url), { ...FIELD, pollSeconds: 0 })
  const MD5OfBody = createHash('md5').update('x').digest('hex')
  small.verdicts.push(() => ({
    Messages: [{ MessageId: 'a', ReceiptHandle: 'r', Body: 'x', MD5OfBody }],
  }))
  t.strictSame(await queue.receive(1, 1, signal()), [
    { id: 'a', receipt: 'r', body: 'x', receives: 1 },
  ])
})
