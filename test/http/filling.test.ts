import t, { type Test } from 'tap'
import { Spool } from '../../src/core/spool/spool.ts'
import { findOffUri, jsonBody, type Rig, startRig, ZPL64 } from './rig.ts'

const QUICK = { prefer: 'wait=0' }
const COPIES = { label: ZPL64, printer: 'Off', copies: 9 }

/** A server with a printer that is off and takes ten labels at most. */
async function openRig(t: Test): Promise<Rig> {
  return startRig(t, {
    printers: { Off: await findOffUri() },
    bench: { openSpool: (given) => new Spool({ ...given, shares: { printerJobs: 10 } }) },
  })
}

t.test('a printer whose share is nearly full is told of everywhere', async (t) => {
  const { call } = await openRig(t)
  t.notOk('warnings' in ((await (await call('/healthz')).json()) as object))
  await call('/', jsonBody(COPIES, QUICK))
  const health = await call('/healthz')
  t.equal(health.status, 200)
  t.match(await health.json(), {
    Status: 'OK',
    warnings: [/^9 labels wait for Off: its share .* is 90 % full\. .* "Cancel all"/],
  })
  const reader = (await call('/events')).body?.getReader()
  let text = ''
  while (!text.includes('event: spool')) {
    text += Buffer.from((await reader?.read())?.value ?? []).toString()
  }
  await reader?.cancel()
  t.match(text, /event: spool\ndata: {"warnings":\[{"of":"printer","name":"Off","jobs":9,/)
  const metrics = await (await call('/metrics')).text()
  t.match(metrics, 'platen_spool_share_used{of="printer",name="Off"} 0.9')
})

t.test('what is too much says whose labels wait and what to do', async (t) => {
  const { call } = await openRig(t)
  await call('/', jsonBody(COPIES, QUICK))
  const refused = await call('/', jsonBody({ ...COPIES, title: 'more' }, QUICK))
  t.equal(refused.status, 507)
  t.match(await refused.json(), {
    code: 'SPOOL_FULL',
    Message: '9 labels wait for Off, and no more fit in its share of the print server.',
    detail: /^9 labels \(.*\) wait for Off, of at most 10 .*; 9 labels more would be too many/,
    hint: /"Cancel all"/,
  })
  await call('/jobs/cancel', jsonBody({ printer: 'Off' }))
  t.notOk('warnings' in ((await (await call('/healthz')).json()) as object))
  t.equal((await call('/', jsonBody(COPIES, QUICK))).status, 202)
})
