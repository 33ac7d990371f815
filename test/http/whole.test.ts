import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { ConfigStore } from '../../src/config/store.ts'
import { createApp } from '../../src/http/app.ts'
import { Intake } from '../../src/jobs/intake.ts'
import { Renderer } from '../../src/jobs/renderer.ts'
import { Scheduler } from '../../src/jobs/scheduler.ts'
import { Spool } from '../../src/jobs/spool.ts'
import { createDevices } from '../../src/printers/index.ts'
import { Printers } from '../../src/printers/registry.ts'
import { Events } from '../../src/results/events.ts'
import { Metrics } from '../../src/results/metrics.ts'
import { type Call, Desk, formBody, jsonBody, makeParts, makePrinter } from './rig.ts'

const ZPL = Buffer.from('^XA^FO30,30^A0N,40^FDHello^FS^XZ')
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='

interface Box {
  readonly call: Call
  readonly folder: string
  /** Files of the virtual printer, oldest first. */
  printed(): readonly Buffer[]
}

/** The real parts behind the HTTP side: spool on disk, scheduler, render thread, a virtual printer and one that is off. */
async function startBox(t: Test): Promise<Box> {
  const folder = t.testdir()
  const off = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => off.once('listening', resolve))
  const address = off.address()
  const port = typeof address === 'object' ? address?.port : 0
  await new Promise((resolve) => off.close(resolve))
  const printers = new Printers({
    printers: [
      { ...makePrinter('Virtual'), uri: 'file:virtual' },
      { ...makePrinter('Off'), uri: `socket://127.0.0.1:${port}` },
    ],
    defaultName: 'Virtual',
    devices: createDevices({ stateFolder: folder }),
  })
  const spool = new Spool({ folder, ballastBytes: 0, minFreeBytes: 0 })
  const renderer = new Renderer({
    worker: new URL('../../src/render/worker.ts', import.meta.url),
  })
  const scheduler = new Scheduler({ spool, printers, renderer })
  const intake = new Intake({ spool, printers, scheduler })
  const events = new Events(() => undefined)
  spool.onChange((job) => events.emit({ type: 'job', job }))
  const counts = () => spool.counts()
  const usage = () => spool.usage()
  const metrics = new Metrics({ version: '0', printers: () => printers.list(), counts, usage })
  const file = join(folder, 'config.json')
  const config = new ConfigStore(file, loadConfig(file))
  const parts = { intake, spool, scheduler, printers, events, metrics, config }
  const app = createApp(makeParts(new Desk(), folder, parts))
  scheduler.start()
  t.teardown(async () => {
    await scheduler.stop(1_000)
    await renderer.close()
    spool.close()
  })
  const env = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
  const virtual = join(folder, 'virtual')
  return {
    folder,
    call: async (path, init) => await app.request(path, init, env),
    printed: () =>
      readdirSync(virtual)
        .filter((name) => name.endsWith('.prn'))
        .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
        .map((name) => readFileSync(join(virtual, name))),
  }
}

const WAIT = { prefer: 'wait=30' }
const base64 = ZPL.toString('base64')

t.test('a posted label comes out of the virtual printer, and its story can be read', async (t) => {
  const { call, printed } = await startBox(t)
  const res = await call('/', { ...formBody(['label', base64], ['copies', '2']), headers: WAIT })
  t.equal(res.status, 200)
  const { jobs } = (await res.json()) as { jobs: { id: string }[] }
  t.match(jobs, [
    { printer: 'Virtual', format: 'zpl', state: 'completed', delivery: 'sent' },
    { state: 'completed' },
  ])
  t.same(printed(), [ZPL, ZPL])
  const [first] = jobs
  const id = first?.id ?? ''
  t.match(await (await call(`/jobs/${id}`)).json(), {
    id,
    bytes: ZPL.length,
    sent_bytes: ZPL.length,
  })
  t.match(await (await call(`/jobs/${id}/label`)).json(), { lines: [ZPL.toString()] })
  t.equal((await call(`/jobs/${id}/preview.png`)).status, 404)
  t.match(await (await call(`/jobs?limit=1&before=${jobs[1]?.id}`)).json(), [{ id }])
  const again = await call(`/jobs/${id}/reprint`, jsonBody({ printer: 'Virtual' }))
  t.match(await again.json(), { Status: 'OK', job: { reprint_of: id } })
  t.match(await (await call('/metrics')).text(), /platen_jobs\{state="completed"\} \d/)
  t.match(await (await call('/healthz')).json(), { Status: 'OK' })
})

t.test('a picture is drawn, and shown as it was printed', async (t) => {
  const { call, printed } = await startBox(t)
  const res = await call('/', jsonBody({ label: `data:image/png;base64,${PIXEL}` }, WAIT))
  const { jobs } = (await res.json()) as { jobs: { id: string; format: string; state: string }[] }
  t.match(jobs, [{ format: 'png', state: 'completed' }])
  t.match(printed()[0]?.toString('latin1'), /\^XA/)
  const picture = await call(`/jobs/${jobs[0]?.id}/preview.png`)
  t.equal(picture.status, 200)
  t.match(Buffer.from(await picture.arrayBuffer()).toString('latin1'), 'PNG')
})

t.test('all labels of a request are taken or none is', async (t) => {
  const { call } = await startBox(t)
  const bad = [
    [formBody(['label', base64], ['label', 'JVBERi0xLjQK']), 415, /^label 2 of 2: .*PDF/],
    [formBody(['label', base64], ['label', '']), 400, /^label 2 of 2/],
    [formBody(['label', base64], ['label', '!']), 400, /^label 2 of 2: "!" at offset 0/],
    [formBody(['label', base64], ['printer', 'virtual']), 404, /"Virtual"/],
  ] as const
  for (const [init, status, message] of bad) {
    const res = await call('/', init)
    t.equal(res.status, status)
    t.match(((await res.json()) as { Message: string }).Message, message)
  }
  t.same(await (await call('/jobs')).json(), [])
})

t.test('the same key with the same label prints once', async (t) => {
  const { call, printed } = await startBox(t)
  const init = { ...formBody(['label', base64]), headers: { ...WAIT, 'idempotency-key': 'k1' } }
  const first = (await (await call('/', init)).json()) as { jobs: { id: string }[] }
  const second = (await (await call('/', init)).json()) as { jobs: { id: string }[] }
  t.equal(first.jobs[0]?.id, second.jobs[0]?.id)
  t.equal(printed().length, 1)
  const other = formBody(['label', Buffer.from('^XA^XZ').toString('base64')])
  const res = await call('/', { ...other, headers: init.headers })
  t.equal(res.status, 409)
  t.match(await res.json(), { code: 'IDEMPOTENCY_CONFLICT' })
})

t.test(
  'a printer that is off makes an Error that names it, and the label can be cancelled',
  async (t) => {
    const { call } = await startBox(t)
    const events = (await call('/events')).body?.getReader()
    const res = await call('/', jsonBody({ label: base64, printer: 'Off' }, { prefer: 'wait=0' }))
    t.equal(res.status, 202)
    const { jobs } = (await res.json()) as { jobs: { id: string }[] }
    let seen = ''
    while (!/PRINTER_OFFLINE/.test(seen)) {
      const { value } = (await events?.read()) ?? {}
      seen += Buffer.from(value ?? []).toString()
    }
    await events?.cancel()
    const key = { prefer: 'wait=0', 'idempotency-key': 'x' }
    const later = await call('/', jsonBody({ label: base64, printer: 'Off' }, key))
    t.match(await later.json(), { Status: 'Error', Message: /\w/, code: 'PRINTER_OFFLINE' })
    const canceled = await call(`/jobs/${jobs[0]?.id}/cancel`, jsonBody({}))
    t.match(await canceled.json(), { job: { state: 'canceled', delivery: 'none' } })
    t.match(await (await call(`/jobs/${jobs[0]?.id}/cancel`, jsonBody({}))).json(), {
      code: 'JOB_STATE',
    })
  },
)

t.test('pack list and test label are printed', async (t) => {
  const { call, printed } = await startBox(t)
  const list = await call('/packlist', jsonBody({ items: [{ sku: 'A', qty: 1 }] }, WAIT))
  t.same(await list.json(), { Status: 'OK', Message: '' })
  const label = await call('/printers/Virtual/test', jsonBody({}, WAIT))
  t.match(await label.json(), { Status: 'OK', jobs: [{ format: 'test', state: 'completed' }] })
  t.equal(printed().length, 2)
})

t.test('settings that are wrong are refused with all faults at once, by key', async (t) => {
  const { call } = await startBox(t)
  const put = (value: unknown): Promise<Response> =>
    call('/config', { ...jsonBody(value), method: 'PUT' })
  const res = await put({ port: '99999', max_body_mb: 'many' })
  t.equal(res.status, 400)
  t.match(await res.json(), {
    code: 'CONFIG_INVALID',
    faults: [{ key: /port|max_body_mb/ }, { key: /port|max_body_mb/ }],
  })
  t.match(await (await put({ max_body_mb: 1 })).json(), { Status: 'OK' })
  const large = await call('/', formBody(['label', 'A'.repeat(1_100_000)]))
  t.equal(large.status, 413, 'the new bound holds at once')
})
