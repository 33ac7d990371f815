import t from 'tap'
import { shipping } from '../../../src/plugins/shipping/index.ts'
import { type Rig, startRig } from '../../http/rig.ts'
import { poll } from '../../until.ts'
import { makePluginCore } from '../core.ts'
import { TWO_PARCELS } from './http/calls.ts'

const caller = { name: 'shop', network: 'test', scopes: new Set(['ship'] as const) }

/** Starts it on the parts of this rig. */
function start({ bench }: Rig, faults: unknown[] = []) {
  const core = makePluginCore(bench, { fault: (error) => faults.push(error) })
  const running = shipping.start(core, new AbortController().signal)
  running.listening?.()
  return running
}

t.test('a stop waits until what is just being bought is written down', async (t) => {
  const running = start(startRig(t, { prints: false }))
  await running.stop?.()
  const { desk, journal } = await running.open()
  const packages = Array.from({ length: 50 }, () => ({ weight: 1 }))
  const params = { ...TWO_PARCELS, packages }
  const call = { carrier: 'local', action: 'SubmitShipment', request_id: 'a', params }
  const answer = desk.answer(call, caller)
  t.equal(journal.find('a'), undefined, 'its labels are still being drawn')
  await running.stop?.()
  t.equal(journal.find('a')?.state, 'done')
  await answer
})

t.test(
  'what was bought prints once shipping is there, also where it was not at first',
  async (t) => {
    const rig = startRig(t, { prints: false })
    const { records } = rig.bench.spool
    const faults: unknown[] = []
    const { desk } = await start(rig).open()
    const params = TWO_PARCELS
    const call = { carrier: 'local', action: 'SubmitShipment', request_id: 'a', params }
    await desk.answer(call, caller)
    // As a power cut leaves it between the carrier's answer and the spool.
    const print = JSON.stringify({ printer: 'Bench 2', copies: 1, cleans: true })
    records.prepare('UPDATE purchase SET owes = 1, print = ?').run(print)
    records.prepare('ALTER TABLE local_event RENAME TO away').run()
    const running = start(rig, faults)
    await poll('the first try', () => faults.length > 0)
    t.same(rig.jobs(), [])
    records.prepare('ALTER TABLE away RENAME TO local_event').run()
    await running.open()
    t.match(rig.jobs(), [{ printer: 'Bench 2' }, { printer: 'Bench 2' }])
  },
)

t.test('its figures tell what was bought, and what waits for a person', async (t) => {
  const rig = startRig(t, { prints: false })
  const running = start(rig)
  t.same(running.figures?.(), [])
  const { desk } = await running.open()
  const params = TWO_PARCELS
  for (const request_id of ['a', 'b']) {
    await desk.answer({ carrier: 'local', action: 'SubmitShipment', request_id, params }, caller)
  }
  const { records } = rig.bench.spool
  records.prepare("UPDATE purchase SET state = 'unknown', owes = 1 WHERE request_id = 'b'").run()
  t.match(running.figures?.(), [
    {
      name: 'platen_shipments',
      values: [
        { labels: { carrier: 'local', state: 'done' }, value: 1 },
        { labels: { carrier: 'local', state: 'unknown' }, value: 1 },
      ],
    },
    { name: 'platen_shipments_unprinted', values: [{ value: 1 }] },
  ])
})
