import t, { type Test } from 'tap'
import { createBeanstalkd } from '../../../src/plugins/beanstalkd/index.ts'
import { conforms, type SourceRig } from '../../conformance/source.ts'
import { outlivesFreeze } from '../../conformance/source-freeze.ts'
import { passesHeldLabels } from '../../conformance/source-held.ts'
import { TcpProxy } from '../../devices/tcp-proxy.ts'
import { isLong } from '../../suite/long.ts'
import { BeanstalkdDaemon, noBeanstalkd } from './beanstalkd-daemon.ts'

async function makeRig(
  t: Test,
  { takeBackSeconds = 60 }: { readonly takeBackSeconds?: number },
): Promise<SourceRig> {
  const daemon = await BeanstalkdDaemon.start(t, '-z', String(20_000_000))
  const proxy = await TcpProxy.open(() => daemon.port)
  t.teardown(() => proxy.close())
  return {
    queue: { type: 'beanstalkd', endpoint: `127.0.0.1:${proxy.port}`, tube: 'labels' },
    takeBackSeconds,
    put: (message) => daemon.put('labels', message, takeBackSeconds),
    waiting: async () => (await daemon.count('labels')).waiting,
    bad: async () => (await daemon.count('labels')).buried,
    restart: () => daemon.restart(),
    freeze: () => daemon.freeze(),
    thaw: () => daemon.thaw(),
    slow: () => proxy.pace(500),
    quick: () => proxy.pace(Number.POSITIVE_INFINITY),
  }
}

/** Loses its patience soon. */
const HURRIED = {
  connectMs: 2_000,
  replyMs: 2_000,
  bodyIdleMs: 2_000,
  reserveSeconds: 1,
  countMs: 500,
}

t.setTimeout(1_200_000)

t.test('beanstalkd conforms', { skip: noBeanstalkd }, (t) => conforms(t, makeRig, { isLong }))

t.test('beanstalkd: a label that waits for a person stops nothing', { skip: noBeanstalkd }, (t) =>
  passesHeldLabels(t, makeRig),
)

t.test('beanstalkd: a broker that freezes is told of and waited for', { skip: noBeanstalkd }, (t) =>
  outlivesFreeze(t, makeRig, createBeanstalkd(HURRIED)),
)
