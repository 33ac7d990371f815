import t from 'tap'
import type { Core } from '../../src/app/core.ts'
import type { Jobs } from '../../src/app/jobs.ts'
import { buildShipping } from '../../src/app/ways-in.ts'
import { startRig } from '../http/rig.ts'
import { TWO_PARCELS } from '../plugins/shipping/http/calls.ts'
import { poll } from '../until.ts'

t.test('a stop waits until what is just being bought is written down', async (t) => {
  const { bench, folder } = startRig(t, { prints: false })
  const core = {
    environment: { stateFolder: folder },
    store: { current: { job_retention_hours: 24 } },
    fault: () => undefined,
    metrics: { register: () => undefined },
  } as unknown as Core
  const { shipping, stop } = buildShipping(core, bench as unknown as Jobs)
  await stop()
  const { desk, journal } = await shipping()
  const caller = { name: 'shop', network: 'test', scopes: new Set(['ship'] as const) }
  const packages = Array.from({ length: 50 }, () => ({ weight: 1 }))
  const params = { ...TWO_PARCELS, packages }
  const call = { carrier: 'local', action: 'SubmitShipment', request_id: 'a', params }
  const answer = desk.answer(call, caller)
  while (journal.find('a') === undefined) await new Promise((resolve) => setImmediate(resolve))
  t.equal(journal.find('a')?.state, 'sent')
  await stop()
  t.equal(journal.find('a')?.state, 'done')
  await answer
})

t.test(
  'what was bought prints once shipping is there, also where it was not at first',
  async (t) => {
    const { bench, folder, jobs } = startRig(t, { prints: false })
    const faults: unknown[] = []
    const core = {
      environment: { stateFolder: folder },
      store: { current: { job_retention_hours: 24 } },
      fault: (error: unknown) => faults.push(error),
      metrics: { register: () => undefined },
    } as unknown as Core
    const build = () => buildShipping(core, bench as unknown as Jobs)
    const { desk } = await build().shipping()
    const caller = { name: 'shop', network: 'test', scopes: new Set(['ship'] as const) }
    const call = {
      carrier: 'local',
      action: 'SubmitShipment',
      request_id: 'a',
      params: TWO_PARCELS,
    }
    await desk.answer(call, caller)
    const { records } = bench.spool
    // As a power cut leaves it between the carrier's answer and the spool.
    const print = JSON.stringify({ printer: 'Bench 2', copies: 1, cleans: true })
    records.prepare('UPDATE purchase SET owes = 1, print = ?').run(print)
    records.prepare('ALTER TABLE local_event RENAME TO away').run()
    const { start, shipping } = build()
    start()
    await poll('the first try', () => faults.length > 0)
    t.same(jobs(), [])
    records.prepare('ALTER TABLE away RENAME TO local_event').run()
    await shipping()
    t.match(jobs(), [{ printer: 'Bench 2' }, { printer: 'Bench 2' }])
  },
)
