import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { printNode } from '../../../src/plugins/printnode/index.ts'
import { inEnglish, NOTHING } from '../../../src/words/say.ts'
import { drawText, makePdf, LABEL as PAGE } from '../../labels/codecs/pdf/make-pdf.ts'
import { makeLabel } from '../../load/label.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { type DoorBench, jobs, openDoor } from '../door/door-bench.ts'
import { idOf, PrintNodeClient } from './client.ts'

const LABEL = makeLabel('one', 60)
const CONTENT = Buffer.from(LABEL).toString('base64')

interface Opened {
  readonly bench: DoorBench
  readonly client: PrintNodeClient
  readonly job: {
    readonly printerId: number
    readonly contentType: string
    readonly content: string
  }
}

async function open(t: Test, settings: Parameters<typeof openDoor>[3] = {}): Promise<Opened> {
  const bench = await openDoor(t, printNode, { printnode: true }, settings)
  const client = new PrintNodeClient(bench.address, bench.keys.add('shop').key)
  const printerId = await idOf(client, 'B')
  return { bench, client, job: { printerId, contentType: 'raw_base64', content: CONTENT } }
}

// On a busy machine.
t.setTimeout(240_000)

t.test('without a key nothing is told and nothing prints', async (t) => {
  const { bench, job } = await open(t)
  const said = { code: 'Unauthorized', message: /API key not found/, uid: String }
  for (const key of ['', 'wrong', 'pk_wrong.wrong']) {
    const stranger = new PrintNodeClient(bench.address, key)
    for (const path of ['/whoami', '/printers', '/printjobs', '/nothing'])
      t.match(await stranger.get(path), said)
    const answer = await stranger.post(job)
    t.equal(answer.status, 401)
    t.equal(answer.headers.get('www-authenticate'), null, 'no browser is asked for it')
  }
  const ship = new PrintNodeClient(bench.address, bench.keys.add('rates', ['rate']).key)
  t.equal((await ship.post(job)).status, 403)
  t.equal((await fetch(`${bench.address}/printnode/whoami`)).status, 401)
  t.same(jobs(bench), [])
})

t.test('a foreign page and a foreign name of the box get nothing, with the key too', async (t) => {
  const { bench, client } = await open(t)
  const page = await client.call('/printers', { headers: { Origin: 'https://shop.example' } })
  t.equal(page.status, 403)
  const Authorization = `Basic ${btoa(`${bench.keys.add('rebound').key}:`)}`
  const asked = get(`${bench.address}/printnode/printers`, {
    headers: { Authorization, Host: 'evil.example' },
  })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  t.equal(answer.statusCode, 403)
  answer.resume()
})

t.test('the account, its computer and its printers', async (t) => {
  const { client } = await open(t)
  t.match(await client.get('/whoami'), { id: 1, numComputers: 1, state: 'active' })
  t.match(await client.get('/computers'), [{ id: 1, name: 'bench', state: 'connected' }])
  t.same(await client.get('/computers/2-9'), [])
  const printers = await client.get('/printers')
  t.match(printers, [
    { name: 'A', default: true, state: 'online', computer: { id: 1 } },
    { name: 'B', default: false, capabilities: { papers: { '4x6': [1016, 1524] } } },
  ])
  const [a, b] = printers.map(({ id }) => Number(id)) as [number, number]
  const names = async (path: string) => (await client.get(path)).map(({ name }) => name)
  t.same(await names(`/printers/${b}`), ['B'])
  t.same(await names(`/printers/1,${Math.min(a, b)}-${Math.max(a, b)}`), ['A', 'B'])
  t.same(await names(`/computers/1/printers/${a}`), ['A'])
  t.same(await names('/printers/7'), [])
  t.match(spoken(await client.get('/printers/a-b')), { code: 'BadRequest', message: /wanted ids/ })
})

t.test('ids of printers stay the same on every box and after every update', async (t) => {
  // SHA-256 of A begins 559aead0, of B df7e70e5.
  const { client } = await open(t)
  t.match(await client.get('/printers'), [
    { name: 'A', id: 718_108_008 },
    { name: 'B', id: 1_874_802_802 },
  ])
})

t.test('a label prints, and its job is followed to its end', async (t) => {
  const { bench, client, job } = await open(t)
  const answer = await client.post({ ...job, title: 'Order 7', source: 'Shop 1.0', options: null })
  t.equal(answer.status, 201)
  const id = (await answer.json()) as number
  t.type(id, 'number')
  t.match(jobs(bench), [
    { printer: 'B', format: 'zpl', source: 'printnode', title: 'Order 7', user: 'Shop 1.0' },
  ])
  await poll('it to be printed', () => jobs(bench)[0]?.state === 'completed')
  t.match(await client.get(`/printjobs/${id}`), [
    {
      id,
      title: 'Order 7',
      source: 'Shop 1.0',
      contentType: 'raw_base64',
      state: 'done',
      printer: { id: job.printerId, name: 'B' },
    },
  ])
  for (const path of [`/printjobs/states/${id}`, `/printjobs/${id}/states`, '/printjobs/states']) {
    const [states = []] = await client.get<Record<string, unknown>[][]>(path)
    t.same(
      states.map(({ state }) => state),
      ['new', 'sent_to_client', 'done'],
    )
    t.ok(states.every(({ printJobId }) => printJobId === id))
    t.equal(states[0]?.['age'], 0, 'seconds from the first')
  }
  t.same(bench.bench.faults, [])
})

t.test('a form says the same as JSON', async (t) => {
  const { bench, client, job } = await open(t)
  const form = new URLSearchParams({
    printerId: String(job.printerId),
    contentType: 'raw_base64',
    content: CONTENT,
    title: 'By form',
    qty: '2',
    'options[copies]': '2',
  })
  t.equal((await client.call('/printjobs', { method: 'POST', body: form })).status, 201)
  t.equal(jobs(bench).length, 4)
  // curl -d calls JSON a form.
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  t.equal((await client.post(job, headers)).status, 201)
})

t.test('copies are one job of PrintNode, listed, followed and canceled as one', async (t) => {
  const { bench, client, job } = await open(t)
  bench.bench.scheduler.pause('B')
  const ids: number[] = []
  for (const qty of [3, 1, 2])
    ids.push((await (await client.post({ ...job, qty })).json()) as number)
  t.equal(jobs(bench).length, 6)
  const listed = async (path: string) => (await client.get(path)).map(({ id }) => id)
  t.same(await listed('/printjobs'), ids.toReversed())
  t.same(await listed('/printjobs?dir=asc&limit=2'), ids.slice(0, 2))
  t.same(await listed(`/printjobs?dir=asc&after=${ids[0]}`), ids.slice(1))
  t.same(await listed(`/printjobs?after=${ids[2]}&limit=1`), [ids[1]])
  t.same(await listed(`/printers/${job.printerId}/printjobs`), ids.toReversed())
  t.same(await listed('/printers/1/printjobs'), [])
  t.same(await listed(`/printjobs/${ids[0]},${ids[2]}`), [ids[2], ids[0]])
  const cancel = async (path: string) =>
    await (await client.call(path, { method: 'DELETE' })).json()
  t.same(await cancel('/printers/1/printjobs'), [])
  t.same(await cancel(`/printjobs/${ids[0]}`), [ids[0]])
  t.match(await client.get('/printjobs?dir=asc'), [
    { state: 'deleted' },
    { state: 'new' },
    { state: 'new' },
  ])
  t.same(await cancel('/printjobs'), ids.slice(1))
  t.same(await cancel('/printjobs'), [], 'what has ended is left alone')
  t.ok(jobs(bench).every(({ state }) => state === 'canceled'))
})

t.test(
  'a label that moved to another printer is not deleted, which would have it sent again',
  async (t) => {
    const { bench, client, job } = await open(t)
    bench.bench.scheduler.pause('B')
    const id = await (await client.post(job)).json()
    bench.bench.intake.reprint(jobs(bench)[0]?.id ?? '', 'A', { isMove: true })
    t.match(await client.get(`/printjobs/${id}`), [{ state: 'done' }])
  },
)

t.test('the pages of a PDF are labels of one job', async (t) => {
  const { bench, client, job } = await open(t)
  bench.bench.scheduler.pause('B')
  const pages = ['one', 'two'].map((word) => ({ ...PAGE, content: drawText(word, 40, 200, 40) }))
  const content = makePdf(pages).toString('base64')
  const answer = await client.post({ ...job, contentType: 'pdf_base64', content })
  t.equal(answer.status, 201)
  const id = await answer.json()
  t.match(jobs(bench), [{ options: { pages: '1' } }, { options: { pages: '2' } }])
  t.match(await client.get('/printjobs'), [{ id, contentType: 'pdf_base64', state: 'new' }])
  await bench.bench.scheduler.cancel(jobs(bench)[0]?.id ?? '')
  t.match(await client.get(`/printjobs/${id}`), [{ state: 'new' }], 'the other one still waits')
  await bench.bench.scheduler.cancel(jobs(bench)[1]?.id ?? '')
  t.match(await client.get(`/printjobs/${id}`), [{ state: 'deleted' }])
})

t.test('jobs of other doors are neither shown nor canceled', async (t) => {
  const { bench, client } = await open(t)
  bench.bench.scheduler.pause('A')
  const request = { labels: [Buffer.from(LABEL)], options: { printer: 'A' }, source: 'http' }
  const taken = await bench.bench.intake.takeTogether(request)
  t.same(await client.get('/printjobs'), [])
  t.same(await client.get(`/printjobs/${taken.jobs[0]?.seq}`), [])
  await client.call('/printjobs', { method: 'DELETE' })
  t.equal(jobs(bench)[0]?.state, 'pending')
})

t.test('an idempotency key prints once', async (t) => {
  const { bench, client, job } = await open(t)
  const headers = { 'X-Idempotency-Key': 'order-7' }
  const first = await (await client.post(job, headers)).json()
  t.equal(await (await client.post(job, headers)).json(), first)
  t.equal(jobs(bench).length, 1)
  const other = await client.post({ ...job, qty: 2 }, headers)
  t.equal(other.status, 409)
  t.match(await other.json(), { code: 'Conflict' })
  const neighbor = new PrintNodeClient(bench.address, bench.keys.add('other shop').key)
  t.not(await (await neighbor.post(job, headers)).json(), first, 'a key of another shop is another')
})

t.test('nor does it print elsewhere since its printer was removed', async (t) => {
  const { bench, client, job } = await open(t)
  const headers = { 'X-Idempotency-Key': 'order-7' }
  await client.post(job, headers) // whose answer is lost
  bench.bench.printers.configure([], '')
  t.equal((await client.post(job, headers)).status, 409)
  t.equal((await client.post(job, { 'X-Idempotency-Key': 'order-8' })).status, 404)
})

t.test('what is held is no error: a client that sends again would have it twice', async (t) => {
  const { bench, client, job } = await open(t)
  bench.bench.scheduler.pause('B')
  const id = await (await client.post({ ...job, expireAfter: 3_600 })).json()
  t.match(jobs(bench), [{ options: { expireAfter: 3_600 } }])
  await bench.bench.scheduler.hold(jobs(bench)[0]?.id ?? '')
  t.match(await client.get(`/printjobs/${id}`), [{ state: 'sent_to_client', expireAt: /^20/ }])
})

t.test('a job whose time is over says so, with our sentence', async (t) => {
  const { bench, client, job } = await open(t)
  bench.bench.scheduler.pause('B')
  const id = await (await client.post({ ...job, expireAfter: 1 })).json()
  await poll('it to expire', () => jobs(bench)[0]?.state === 'canceled')
  t.match(await client.get(`/printjobs/${id}`), [{ state: 'expired' }])
  const [states = []] = await client.get<Record<string, unknown>[][]>('/printjobs/states')
  const message = inEnglish(jobs(bench)[0]?.message ?? NOTHING)
  t.match(states.at(-1), { state: 'expired', message })
})

t.test('a job whose printer was taken out of the settings is still shown', async (t) => {
  const { bench, client, job } = await open(t)
  bench.bench.scheduler.pause('B')
  await client.post(job)
  bench.bench.printers.configure([], '')
  t.match(await client.get('/printjobs'), [{ printer: { id: job.printerId, name: 'B' } }])
})

t.test('what it does not have is refused by name, and nothing prints', async (t) => {
  const { bench, client, job } = await open(t)
  for (const [wrong, words] of [
    [{ printerId: 7 }, /No printer has the id 7/],
    [{ printerId: 'B' }, /printerId/],
    [{ contentType: 'html' }, /contentType/],
    [{ content: '' }, /content/],
    [{ content: 'ab*c' }, /not base64/],
    [{ content: btoa('no label at all') }, /./],
    [{ qty: 0 }, /qty/],
    [{ qty: 1_000 }, /copies/],
    [{ expireAfter: 'soon' }, /expireAfter/],
    [{ options: { bin: 'Tray 2' } }, /options\.bin/],
    [{ options: { duplex: 'long-edge' } }, /options\.duplex/],
    [{ options: { color: true } }, /options\.color/],
    [{ options: { shiny: 1 } }, /options\.shiny/],
    [{ options: { rotate: 45 } }, /rotate/],
    [{ options: { paper: 'huge' } }, /options\.paper/],
    [{ options: { dpi: '203x300' } }, /options\.dpi/],
  ] as const) {
    const answer = await client.post({ ...job, ...wrong })
    t.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(wrong))
    t.match(await answer.json(), { code: String, message: words, uid: String })
  }
  for (const path of ['/computer/1/scales', '/account', '/download/clients', '/printjobs/1/2'])
    t.match(spoken(await client.get(path)), { code: 'NotFound', message: /does not do/ })
  t.equal((await client.call('/computers', { method: 'DELETE' })).status, 405)
  for (const method of ['POST', 'PATCH', 'DELETE'])
    t.match(await (await client.call('/webhook', { method })).json(), {
      code: 'MethodNotAllowed',
      message: /printnode_webhook in the settings/,
    })
  t.match(await (await client.call('/printjobs', { method: 'POST', body: '{' })).json(), {
    code: 'BadRequest',
  })
  t.same(jobs(bench), [])
  t.same(bench.bench.faults, [])
})

t.test('options that a label printer has are taken', async (t) => {
  const { bench, client, job } = await open(t)
  const options = {
    bin: '',
    color: false,
    duplex: 'one-sided',
    nup: 1,
    collate: true,
    media: null,
    dpi: '203x203',
    fit_to_page: false,
    pages: '1',
    paper: '100x150mm',
    rotate: 90,
  }
  t.equal((await client.post({ ...job, options })).status, 201)
  t.match(jobs(bench), [
    { options: { dpi: 203, scaling: 'none', pages: '1', rotate: '90', labelWidth: 3.937 } },
  ])
})
