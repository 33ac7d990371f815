import t from 'tap'
import type { Core } from '../../src/app/core.ts'
import type { Jobs } from '../../src/app/jobs.ts'
import { buildPeers } from '../../src/app/ways-in.ts'
import { startRig } from '../http/rig.ts'

t.test('paired boxes are there again once what was in the way is gone', async (t) => {
  const { bench, folder, stopping } = startRig(t, { prints: false })
  const core = {
    ...{ environment: { stateFolder: folder, announces: false }, stopping },
    ...{ station: { info: () => ({ hostName: 'box', securePort: '' }) }, fault: () => undefined },
  } as unknown as Core
  const { peers } = buildPeers(core, bench as unknown as Jobs)
  const { records } = bench.spool
  records.prepare("INSERT INTO meta(key, value) VALUES('move:x', '{')").run()
  await t.rejects(peers())
  await t.rejects(peers())
  records.prepare("DELETE FROM meta WHERE key = 'move:x'").run()
  const [one, another] = await Promise.all([peers(), peers()])
  t.same(await one.list(), [])
  t.equal(another, one)
})
