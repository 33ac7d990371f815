import t, { type Test } from 'tap'
import { createMqtt } from '../../../src/plugins/mqtt/index.ts'
import { conforms, type SourceRig } from '../../conformance/source.ts'
import { outlivesFreeze } from '../../conformance/source-freeze.ts'
import { passesHeldLabels } from '../../conformance/source-held.ts'
import { TcpProxy } from '../../devices/tcp-proxy.ts'
import { isLong } from '../../suite/long.ts'
import { MosquittoDaemon, noMosquitto } from './mosquitto-daemon.ts'

const TOPIC = 'platen/bench/print'

async function makeRig(t: Test): Promise<SourceRig> {
  const daemon = await MosquittoDaemon.start(t)
  await daemon.reserve('bench', TOPIC)
  const proxy = await TcpProxy.open(() => daemon.port)
  t.teardown(() => proxy.close())
  const url = `mqtt://127.0.0.1:${proxy.port}`
  return {
    queue: { type: 'mqtt', url, topic: TOPIC, client_id: 'bench' },
    takeBackSeconds: 0,
    put: (message) => daemon.put(TOPIC, message),
    waiting: () => Promise.resolve(daemon.waiting('bench')),
    restart: () => daemon.restart(),
    freeze: () => daemon.freeze(),
    thaw: () => daemon.thaw(),
    slow: () => proxy.pace(500),
    quick: () => proxy.pace(Number.POSITIVE_INFINITY),
  }
}

/** Loses its patience soon. */
const HURRIED = { connectMs: 2_000, replyMs: 2_000, keepAliveSeconds: 2, statusMs: 500 }

t.setTimeout(1_200_000)

t.test('mqtt conforms', { skip: noMosquitto }, (t) => conforms(t, makeRig, { isLong }))

t.test('mqtt: a label that waits for a person stops nothing', { skip: noMosquitto }, (t) =>
  passesHeldLabels(t, makeRig),
)

t.test('mqtt: a broker that freezes is told of and waited for', { skip: noMosquitto }, (t) =>
  outlivesFreeze(t, makeRig, createMqtt(HURRIED)),
)
