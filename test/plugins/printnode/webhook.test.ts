import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Door } from '../../../src/plugins/door/door.ts'
import { printNode } from '../../../src/plugins/printnode/index.ts'
import type { PrintNodeSettings } from '../../../src/plugins/printnode/serve.ts'
import { servePrintNode } from '../../../src/plugins/printnode/serve.ts'
import { WEBHOOK_BOUNDS } from '../../../src/plugins/printnode/webhook.ts'
import { listen } from '../../listen.ts'
import { makeLabel } from '../../load/label.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { openDoor } from '../door/door-bench.ts'
import { idOf, PrintNodeClient } from './client.ts'

interface Event {
  readonly type: string
  readonly accountId: number
  readonly createdAt: string
  readonly data: {
    readonly uid: string
    readonly state: string
    readonly message: string
    readonly printJobId: number
  }
}

/** A receiver as PrintNode asks for: the secret is compared, and the answer says so in a header. */
async function open(t: Test, answer: (response: ServerResponse, n: number) => void = () => {}) {
  const requests: { readonly secret: unknown; readonly events: readonly Event[] }[] = []
  const server = createServer(async (request, response) => {
    const secret = request.headers['x-printnode-webhook-secret']
    requests.push({ secret, events: JSON.parse(await text(request)) as readonly Event[] })
    answer(response, requests.length)
    if (!response.headersSent)
      response.writeHead(200, { 'X-PrintNode-Webhook-Status': 'OK' }).end('OK')
  })
  const url = `http://127.0.0.1:${await listen(t, server)}/hook`
  const webhookBounds = { ...WEBHOOK_BOUNDS, firstMs: 5, mostMs: 20, tries: 3 }
  const door: Door<PrintNodeSettings> = {
    ...printNode,
    start: async (own, box, signal) => servePrintNode(own, box, signal, { webhookBounds }),
  }
  const bench = await openDoor(t, door, {
    printnode: true,
    printnode_webhook: url,
    printnode_webhook_secret: 's3cret',
  })
  const client = new PrintNodeClient(bench.address, bench.keys.add('shop').key)
  const content = Buffer.from(makeLabel('one', 60)).toString('base64')
  const job = { printerId: await idOf(client, 'B'), contentType: 'raw_base64', content }
  const events = (): readonly Event[] => requests.flatMap((one) => one.events)
  const states = (id: number): readonly string[] =>
    events()
      .filter(({ data }) => data.printJobId === id)
      .map(({ data }) => data.state)
  return { bench, client, job, url, requests, events, states }
}

// On a busy machine.
t.setTimeout(240_000)

t.test('each state of a job is told once, with the secret', async (t) => {
  const { bench, client, job, url, requests, events, states } = await open(t)
  const id = (await (await client.post({ ...job, qty: 2 })).json()) as number
  await poll('its end', () => states(id).includes('done'))
  t.same(states(id), ['new', 'sent_to_client', 'done'])
  t.ok(requests.every(({ secret }) => secret === 's3cret'))
  t.match(spoken(events()[0]), {
    type: 'print job state',
    accountId: 1,
    controllingAccountId: 1,
    createdAt: /^20.*Z$/,
    data: { uid: /^[0-9a-f-]{36}$/, state: 'new', message: /disk/, printJobId: id },
  })
  t.equal(new Set(events().map(({ data }) => data.uid)).size, events().length)
  bench.bench.scheduler.pause('B')
  const second = (await (await client.post(job)).json()) as number
  await client.call(`/printjobs/${second}`, { method: 'DELETE' })
  await poll('its end', () => states(second).includes('deleted'))
  t.same(states(second), ['new', 'deleted'])
  t.match(await client.get('/webhook'), [{ webhookId: 1, url, messages: ['print job state'] }])
  const request = { labels: [Buffer.from(makeLabel('two', 60))], options: {}, source: 'http' }
  const [other] = (await bench.bench.intake.takeTogether(request)).jobs
  t.same(states(other?.seq ?? 0), [], 'jobs of other doors are told to nobody here')
  t.same(bench.bench.faults, [])
})

t.test('hundreds of labels in one job are taken, and canceled, in no time', async (t) => {
  const { bench, states } = await open(t)
  bench.bench.scheduler.pause('B')
  const request = {
    labels: Array.from({ length: 5 }, (_, n) => Buffer.from(makeLabel(`label ${n}`, 60))),
    options: { printer: 'B' },
    copies: 100,
    source: 'printnode',
    idempotencyKey: 'many',
  }
  const before = process.cpuUsage()
  const [first] = (await bench.bench.intake.takeTogether(request)).jobs
  const { user, system } = process.cpuUsage(before)
  // To read all 500 for each of them took 2 s on a PC, ten times that on a small board, whose watchdog waits 20 s.
  t.ok(user + system < 800_000, `${(user + system) / 1_000} ms`)
  await poll('it to be told', () => states(first?.seq ?? 0).length > 0)
  t.same(states(first?.seq ?? 0), ['new'])
  const then = process.cpuUsage()
  await bench.bench.scheduler.cancelWaiting('B')
  const spent = process.cpuUsage(then)
  t.ok(spent.user + spent.system < 800_000, `${(spent.user + spent.system) / 1_000} ms`)
  await poll('its end to be told', () => states(first?.seq ?? 0).length > 1)
  t.same(states(first?.seq ?? 0), ['new', 'deleted'])
})

t.test(
  'what is not taken is tried again, and at last dropped with a line in the log',
  async (t) => {
    const { bench, client, job, requests, states } = await open(t, (response, n) => {
      if (n <= 2) response.writeHead(500).end()
      else if (n > 3 && n <= 6) response.destroy()
    })
    bench.bench.scheduler.pause('B')
    const first = (await (await client.post(job)).json()) as number
    await poll('the third try', () => requests.length === 3)
    t.same(states(first), ['new', 'new', 'new'], 'the same event each time')
    t.equal(new Set(requests.map(({ events: [one] }) => one?.data.uid)).size, 1)
    await client.post(job)
    await poll('it to be dropped', () =>
      bench.log.some(({ event }) => event === 'printnode webhook dropped'),
    )
    const third = (await (await client.post(job)).json()) as number
    await poll('the next one', () => states(third).length > 0)
    t.equal(requests.length, 7)
  },
)

t.test('a host name of its own has the API at its root, and nothing else', async (t) => {
  const bench = await openDoor(t, printNode, { printnode: true, printnode_name: 'Print.Example' })
  const Authorization = `Basic ${btoa(`${bench.keys.add('shop').key}:`)}`
  const ask = async (path: string, Host: string, more: object = {}) => {
    const headers = { Authorization, Host, ...more }
    const [answer] = (await once(get(bench.address + path, { headers }), 'response')) as [
      IncomingMessage,
    ]
    return { status: answer.statusCode, body: await text(answer) }
  }
  t.match(await ask('/printers', 'print.example'), { status: 200, body: /"name":"B"/ })
  t.match(await ask('/whoami', 'print.example:8080'), { status: 200, body: /"state":"active"/ })
  t.match(await ask('/', 'print.example'), { status: 404, body: /"code":"NotFound"/ })
  t.match(await ask('/printnode/whoami', 'print.example'), { status: 404 })
  t.match(await ask('/whoami', 'print.example', { Origin: 'https://shop.example' }), {
    status: 403,
  })
  t.match(await ask('/whoami', '127.0.0.1'), { status: 404 })
  t.match(await ask('/printnode/whoami', '127.0.0.1'), { status: 200 })
  t.match(await ask('/whoami', 'other.example'), { status: 403 })
})
