import t, { type Test } from 'tap'
import { createSqs } from '../../../src/plugins/sqs/index.ts'
import { conforms, type SourceRig } from '../../conformance/source.ts'
import { outlivesFreeze } from '../../conformance/source-freeze.ts'
import { passesHeldLabels } from '../../conformance/source-held.ts'
import { TcpProxy } from '../../devices/tcp-proxy.ts'
import { isLong } from '../../suite/long.ts'
import { CREDENTIALS, FauxqsDaemon } from './fauxqs-daemon.ts'

async function makeRig(
  t: Test,
  { takeBackSeconds = 60 }: { readonly takeBackSeconds?: number },
): Promise<SourceRig> {
  const daemon = await FauxqsDaemon.start(t)
  const proxy = await TcpProxy.open(() => daemon.port)
  t.teardown(() => proxy.close())
  const path = await daemon.create('labels', { VisibilityTimeout: String(takeBackSeconds) })
  const url = `http://127.0.0.1:${proxy.port}${path}`
  return {
    queue: { type: 'sqs', region: 'eu-central-1', url },
    env: CREDENTIALS,
    takeBackSeconds,
    put: (message) => daemon.put(path, message),
    waiting: () => daemon.count(path),
    restart: () => daemon.restart(),
    freeze: () => daemon.freeze(),
    thaw: () => daemon.thaw(),
    slow: () => proxy.pace(500),
    quick: () => proxy.pace(Number.POSITIVE_INFINITY),
  }
}

/** Loses its patience soon. */
const HURRIED = { connectMs: 2_000, replyMs: 1_500, pollSeconds: 1, countMs: 1_000 }
const KEYS = { access_key_id: 'test', secret_access_key: 'test' }

t.setTimeout(1_200_000)

t.test('sqs conforms', (t) => conforms(t, makeRig, { isLong }))

t.test('sqs: a label that waits for a person stops nothing', (t) =>
  passesHeldLabels(t, makeRig, { hasLarge: false }),
)

t.test('sqs: a broker that freezes is told of and waited for', (t) =>
  outlivesFreeze(t, makeRig, createSqs(HURRIED), KEYS),
)
