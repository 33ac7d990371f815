import type { Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { startServer, type WireJob } from '../e2e/server.ts'
import { poll } from '../until.ts'
import { spoken } from '../words/spoken.ts'
import { makeLabel, plain, type SourceRig, Station } from './source.ts'

const CUT_BYTES = 11_000_000 // more than the network keeps of a label that a printer does not read
const TAKE_BACK_S = 15 // a busy machine must get its word out in a third of it

/**
 * Labels that wait for a person do not stop those behind them, though each is acknowledged only when it is out.
 * `hasLarge`: a message may hold a label that is surely still on its way when the printer is lost.
 */
export async function passesHeldLabels(
  t: Test,
  makeRig: (t: Test, settings: { readonly takeBackSeconds?: number }) => Promise<SourceRig>,
  { hasLarge = true } = {},
): Promise<void> {
  const start = async (t: Test, rig: SourceRig): Promise<Station> => {
    const sink = await TcpSink.openFor(t)
    const config = {
      printers: [{ name: 'A', uri: sink.uri }],
      queues: [{ ...rig.queue, ack: 'printed' }],
      duplicate_guard_minutes: 60,
    }
    const { env = {} } = rig
    return new Station(await startServer(t, { folder: t.testdir(), config, env }), sink)
  }
  const makeTest = async (t: Test) => {
    const rig = await makeRig(t, { takeBackSeconds: TAKE_BACK_S })
    const station = await start(t, rig)
    const put = (mark: string, bytes?: number) => rig.put(plain(makeLabel(mark, bytes)))
    /** The queue is empty and the source is well, with this job held and nothing else. */
    const passed = async (reason: string): Promise<WireJob> => {
      await poll('the queue to be empty', async () => (await rig.waiting()) === 0)
      const held = (await station.jobs()).filter(({ state }) => state === 'pending-held')
      t.match(held, [{ reasons: [reason] }])
      t.equal(held.length, 1)
      t.match(spoken(await station.sourceIn('running')), { message: '' })
      return held[0] as WireJob
    }
    return { station, put, passed }
  }

  await t.test('a label that is held as a duplicate lets the next one through', async (t) => {
    const { station, put, passed } = await makeTest(t)
    await put('D1', 900)
    await poll('the label', () => station.ended >= 1)
    await put('D1', 900)
    await put('D2', 900)
    await poll('the label behind it', () => station.printed().includes('D2'))
    t.same(station.printed(), ['D1', 'D2'])
    const { id } = await passed('platen-duplicate')
    t.equal((await station.server.post(`/jobs/${id}/release`)).status, 200)
    await poll('the held one', () => station.ended >= 3)
    await station.settled()
    t.same(station.printed(), ['D1', 'D2', 'D1'])
  })

  if (!hasLarge) return
  await t.test('a label that was cut off lets the next one through', async (t) => {
    const { station, put, passed } = await makeTest(t)
    const hasJob = async (wanted: string): Promise<boolean> =>
      (await station.jobs()).some(({ state }) => state === wanted)
    station.sink.behave({ stall: true })
    await put('C1', CUT_BYTES)
    await poll('the printer to stall', () => hasJob('processing-stopped'), 120)
    station.sink.reset()
    station.sink.behave({})
    await poll('the label to be held', () => hasJob('pending-held'))
    await put('C2', 900)
    await poll('the label behind it', () => station.printed().includes('C2'))
    t.same(station.printed(), ['C2'])
    await passed('platen-interrupted')
  })
}
