import t from 'tap'
import type { Core } from '../../src/app/core.ts'
import type { Jobs } from '../../src/app/jobs.ts'
import { buildShipping } from '../../src/app/ways-in.ts'
import { startRig } from '../http/rig.ts'
import { TWO_PARCELS } from '../http/shipping/calls.ts'

t.test('a stop waits until what is just being bought is written down', async (t) => {
  const { bench, folder } = startRig(t, { prints: false })
  const core = {
    ...{ environment: { stateFolder: folder }, store: { current: { job_retention_hours: 24 } } },
    ...{ fault: () => undefined, metrics: { register: () => undefined } },
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
