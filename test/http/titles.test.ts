import { join } from 'node:path'
import t from 'tap'
import { logEvent } from '../../src/core/events.ts'
import type { Job } from '../../src/core/job.ts'
import { exportJobs, type JobLine } from '../../src/core/spool/backup.ts'
import { Restorer } from '../../src/core/spool/restore.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import { quoteEnglish } from '../../src/words/say.ts'
import { startRig, ZPL, ZPL64 } from './rig.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const UPS_NUMBER = '1Z999AA10123456784'
const NAMED = Buffer.from(`^XA^FO9,9^BY2^BCN,90^FD${UPS_NUMBER}^FS^XZ`).toString('base64')

function file(name: string, content: Uint8Array = ZPL): FormData {
  const form = new FormData()
  form.append('label', new Blob([content.slice()]), name)
  return form
}

t.test('a label has the name that came with it, in every way in', async (t) => {
  const rig = startRig(t)
  const named = file('ignored.zpl')
  named.append('title', 'Order 4711')
  const cases: readonly (readonly [string, RequestInit, string?])[] = [
    ['Order 4711', { body: new URLSearchParams({ label: ZPL64, title: 'Order 4711' }) }],
    ['Order 4711', { body: named }],
    ['order-4711', { body: file('C:\\labels\\order-4711.zpl') }],
    ['', { body: file('label (2).zpl') }],
    ['', { body: file('3f2504e0-4f89-11d3-9a0c-0305e82c3301.png.zpl') }],
    [
      'Zoë 名前',
      { headers: JSON_TYPE, body: JSON.stringify({ label: ZPL64, title: ' Zoë\n名前 ' }) },
    ],
    [
      'Order 4711',
      { headers: { 'Content-Type': 'application/zpl' }, body: ZPL },
      '/?title=Order+4711',
    ],
    [UPS_NUMBER, { headers: JSON_TYPE, body: JSON.stringify({ label: NAMED }) }],
    ['mine', { headers: JSON_TYPE, body: JSON.stringify({ label: NAMED, title: 'mine' }) }],
    [UPS_NUMBER, { body: file('label.zpl', Buffer.from(NAMED, 'base64')) }],
  ]
  for (const [wanted, init, path = '/'] of cases) {
    const answer = await rig.call(path, { method: 'POST', ...init })
    t.match(await answer.json(), { jobs: [{ title: wanted }] }, wanted)
  }
  const listed = (await (await rig.call('/jobs')).json()) as { title: string }[]
  t.same(
    listed.map(({ title }) => title).toReversed(),
    cases.map(([wanted]) => wanted),
  )
  const order = { order_number: 'A-77', items: [{ sku: 'A-1', desc: 'Mug', price: 12.5, qty: 2 }] }
  await rig.call('/packlist', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(order) })
  t.equal(rig.jobs().at(-1)?.title, 'A-77')
  const body = '{"order_number": 576461413038785752, "items": [{"sku": "A-1", "qty": 2}]}'
  await rig.call('/packlist', { method: 'POST', headers: JSON_TYPE, body })
  t.equal(rig.jobs().at(-1)?.title, '576461413038785752', 'whatever JavaScript makes of it')
})

t.test('a title beyond its bounds is refused, and one is no other request', async (t) => {
  const rig = startRig(t)
  const print = async (more: object) =>
    rig.call('/', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ label: ZPL64, idempotency_key: 'k', ...more }),
    })
  const long = await print({ title: 'x'.repeat(256) })
  t.equal(long.status, 400)
  t.match(await long.json(), {
    code: 'FIELD_INVALID',
    Message: /^title: .* at most 255 characters/,
  })
  t.equal((await print({ title: 'x'.repeat(255) })).status, 200)
  t.equal((await print({ title: 'another' })).status, 200, 'the same label under another name')
  t.equal(rig.jobs().length, 1)
})

t.test('several files have names of their own, and a reprint keeps its name', async (t) => {
  const rig = startRig(t)
  const form = file('one.zpl')
  form.append('label', new Blob([Buffer.from('^XA^FDother^FS^XZ')]), 'two.zpl')
  await rig.call('/', { method: 'POST', body: form })
  t.same(
    rig.jobs().map(({ title }) => title),
    ['one', 'two'],
  )
  await rig.call(`/jobs/${rig.jobs()[0]?.id}/reprint`, { method: 'POST' })
  t.equal(rig.jobs().at(-1)?.title, 'one')
})

t.test('it survives a restart, a backup and a restore, and never stands in the log', (t) => {
  const folder = t.testdir({ old: {}, fresh: {} })
  const settings = { minFreeBytes: 0, ballastBytes: 0 }
  const spool = new Spool({ folder: join(folder, 'old'), ...settings })
  const title = 'Ana Rivera, order 4711'
  const job = {
    source: 'http',
    printer: 'A',
    format: 'zpl',
    options: {},
    label: ZPL,
    title,
  } as const
  spool.add([job])
  spool.close()
  const again = new Spool({ folder: join(folder, 'old'), ...settings })
  const kept = again.history.list({ limit: 1 })[0] as Job
  t.equal(kept.title, title)
  const lines = [...exportJobs(again)]
  again.close()
  const fresh = new Spool({ folder: join(folder, 'fresh'), ...settings })
  const restorer = new Restorer(fresh)
  for (const line of lines) restorer.take(line as JobLine)
  restorer.end()
  t.equal(fresh.history.list({ limit: 1 })[0]?.title, title)
  fresh.close()
  const said: unknown[] = []
  const log = {
    info: (...all: unknown[]) => said.push(all),
    warn: (...all: unknown[]) => said.push(all),
  }
  const held = {
    ...kept,
    state: 'pending-held',
    code: 'JOB_DUPLICATE',
    message: quoteEnglish(`"${title}" was`),
  } as const
  logEvent(log, { type: 'job', job: held })
  logEvent(log, { type: 'job', job: { ...kept, state: 'completed' } })
  t.equal(said.length, 2)
  t.notMatch(JSON.stringify(said), /4711/)
  t.end()
})

t.test('a label without a name is named after the bar codes of its picture', async (t) => {
  const rig = startRig(t)
  const name = async (id: string, codes: unknown) =>
    await rig.call(`/jobs/${id}/codes`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ codes }),
    })
  const body = (title: string) => new URLSearchParams({ label: ZPL64, title, printer: 'Bench 1' })
  await rig.call('/', { method: 'POST', body: body('') })
  await rig.call('/', { method: 'POST', body: body('Order 4711') })
  const [bare, named] = rig.jobs().map(({ id }) => id)
  const told: string[] = []
  rig.bench.spool.onChange(({ title = '' }) => told.push(title))
  const wrong = ['1Z999AA10123456785', '4006381333931', 'ORDER-17', '123456789012']
  t.match(await (await name(bare ?? '', wrong)).json(), { job: { title: '' } }, 'none is sure')
  t.match(await (await name(bare ?? '', [...wrong, UPS_NUMBER])).json(), {
    job: { title: UPS_NUMBER },
  })
  t.same(told, [UPS_NUMBER], 'whoever looks is told')
  await name(bare ?? '', ['9205590153710012345671'])
  await name(named ?? '', [UPS_NUMBER])
  t.same(
    rig.jobs().map(({ title }) => title),
    [UPS_NUMBER, 'Order 4711'],
    'a name stays',
  )
  t.equal(((await (await rig.call('/jobs?title=1z999')).json()) as unknown[]).length, 1, 'found')
  for (const codes of ['x', [1], ['x'.repeat(2_001)], Array.from({ length: 21 }, () => 'x')]) {
    t.equal((await name(bare ?? '', codes)).status, 400)
  }
  t.equal((await name('nobd-1', [UPS_NUMBER])).status, 404)
})
