import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import type { Door } from '../../../src/plugins/door/door.ts'
import { isPublic, type LookUp, lineUp } from '../../../src/plugins/door/fetch-label.ts'
import { printNode } from '../../../src/plugins/printnode/index.ts'
import {
  type PrintNodeMore,
  type PrintNodeSettings,
  servePrintNode,
} from '../../../src/plugins/printnode/serve.ts'
import { listen } from '../../listen.ts'
import { makeLabel } from '../../load/label.ts'
import { idOf, PrintNodeClient } from '../printnode/client.ts'
import { jobs, openDoor } from './door-bench.ts'

const LABEL = makeLabel('one', 60)

/** A local server, and a resolver by which every name leads to it. */
async function open(
  t: Test,
  listener: RequestListener,
  settings: object = {},
  more: PrintNodeMore = {},
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host?.replace(/:.*/, '')}${request.url}`)
    listener(request, response)
  })
  const port = await listen(t, server)
  const looked: string[] = []
  const lookUp: LookUp = (name) => {
    looked.push(name)
    if (name === 'nowhere.example') return Promise.reject(new Error('ENOTFOUND'))
    return Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  }
  const door: Door<PrintNodeSettings> = {
    ...printNode,
    start: async (own, box, signal) => servePrintNode(own, box, signal, { lookUp, ...more }),
  }
  const named = { printnode: true, fetch_hosts: ['labels.example'], ...settings }
  const bench = await openDoor(t, door, named)
  const client = new PrintNodeClient(bench.address, bench.keys.add('shop').key)
  const printerId = await idOf(client, 'A')
  const send = (content: string, more: object = {}, headers: Record<string, string> = {}) =>
    client.post({ printerId, contentType: 'raw_uri', content, ...more }, headers)
  return { asked, looked, bench, port, send }
}

// On a busy machine.
t.setTimeout(240_000)

t.test('a label is fetched from a host that the owner named, looked up once', async (t) => {
  const { asked, looked, bench, port, send } = await open(t, (request, response) => {
    response.end(request.headers.authorization === `Basic ${btoa('me:secret')}` ? LABEL : 'no')
  })
  const authentication = { type: 'BasicAuth', credentials: { user: 'me', pass: 'secret' } }
  const answer = await send(`http://labels.example:${port}/7.zpl`, { authentication })
  t.equal(answer.status, 201)
  t.same(asked, ['labels.example/7.zpl'])
  t.same(looked, ['labels.example'])
  t.match(jobs(bench), [{ format: 'zpl', source: 'printnode' }])
  const digest = await send(`http://labels.example:${port}/`, {
    authentication: { type: 'DigestAuth' },
  })
  t.match(await digest.json(), { message: /BasicAuth/ })
})

t.test('a key that has printed is told so, though its address is good no longer', async (t) => {
  let status = 200
  const { bench, port, send } = await open(t, (_, response) => {
    response.writeHead(status).end(LABEL)
  })
  const at = (key: string) =>
    send(`http://labels.example:${port}/7.zpl`, {}, { 'X-Idempotency-Key': key })
  t.equal((await at('order-7')).status, 201)
  status = 403
  const again = await at('order-7')
  t.equal(again.status, 409, 'a client that hears that nothing was kept sends it again')
  t.match(await again.json(), { code: 'Conflict', message: /has printed before/ })
  t.equal((await at('order-8')).status, 502)
  t.equal(jobs(bench).length, 1)
})

t.test('nothing of the own network is asked, whatever it is called', async (t) => {
  const { asked, bench, port, send } = await open(t, (_, response) => response.end(LABEL))
  for (const place of [
    `http://127.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://localhost:${port}/`,
    `https://router.example:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    `http://labels.example@router.example:${port}/`,
  ]) {
    const answer = await send(place)
    t.equal(answer.status, 400, place)
    t.match(await answer.json(), { message: /not a host of the internet/ })
  }
  for (const place of ['file:///etc/passwd', 'ftp://labels.example/', 'labels.example', 'data:,x'])
    t.match(await (await send(place)).json(), { message: /begins with http/ })
  t.equal((await send('http://nowhere.example/')).status, 503)
  t.same(asked, [])
  t.same(jobs(bench), [])
})

t.test(
  'a redirect is checked as the address was, and the password stays at its host',
  async (t) => {
    const { asked, bench, port, send } = await open(
      t,
      ({ url = '/', headers }, response) => {
        const [, kind, where] = url.split('/')
        if (kind === 'to') {
          response.writeHead(302, { Location: decodeURIComponent(where ?? '') }).end()
          return
        }
        response.end(
          kind === 'loop' ? '' : headers.authorization === undefined ? LABEL : 'password',
        )
      },
      { fetch_hosts: ['labels.example', 'files.example'] },
    )
    const to = (place: string) =>
      send(`http://labels.example:${port}/to/${encodeURIComponent(place)}`, {
        authentication: { type: 'BasicAuth', credentials: { user: 'me', pass: 'secret' } },
      })
    t.equal((await to(`http://files.example:${port}/label`)).status, 201, 'without the password')
    t.equal(jobs(bench).length, 1)
    asked.length = 0
    for (const place of [`http://router.example:${port}/x`, `http://127.0.0.1:${port}/x`])
      t.match(await (await to(place)).json(), { message: /not a host of the internet/ })
    t.match(await (await to('file:///etc/passwd')).json(), { message: /begins with http/ })
    t.ok(asked.every((one) => one.startsWith('labels.example/to/')))
    t.equal(jobs(bench).length, 1)
  },
)

t.test('redirects, errors, sizes and lines that break have an end', async (t) => {
  const { asked, bench, port, send } = await open(
    t,
    ({ url }, response) => {
      if (url === '/loop') response.writeHead(307, { Location: '/loop' }).end()
      else if (url === '/gone') response.writeHead(404).end('gone')
      else if (url === '/cut') {
        response.writeHead(200, { 'Content-Length': '500' })
        response.write(LABEL, () => response.destroy())
      } else if (url === '/large') response.end(makeLabel('large', 300_000))
      else response.end('<html>Please log in</html>')
    },
    { max_body_mb: 0.1 },
  )
  const at = async (path: string) => await send(`http://labels.example:${port}${path}`)
  t.match(await (await at('/loop')).json(), { code: 'BadGateway', message: /again and again/ })
  t.equal(asked.length, 6, 'the first and five redirects')
  t.match(await (await at('/gone')).json(), { message: /answered 404/ })
  t.match(await (await at('/cut')).json(), { code: 'ServiceUnavailable' })
  t.equal((await at('/large')).status, 413)
  t.equal((await at('/login')).status, 415)
  t.same(jobs(bench), [])
  t.same(bench.bench.faults, [])
})

t.test('a name that has one address inside and one outside is inside', async (t) => {
  const mixed: LookUp = () =>
    Promise.resolve([
      { address: '93.184.215.14', family: 4 },
      { address: '192.168.1.1', family: 4 },
    ])
  const { asked, bench, port, send } = await open(
    t,
    (_, response) => response.end(LABEL),
    { fetch_hosts: [] },
    { lookUp: mixed },
  )
  const answer = await send(`http://rebound.example:${port}/`)
  t.match(await answer.json(), { message: /not a host of the internet/ })
  t.same(asked, [])
  t.same(jobs(bench), [])
})

t.test('a server that answers a byte now and then is given up after a while', async (t) => {
  const { bench, port, send } = await open(
    t,
    (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    },
    {},
    { fetchMs: 200 },
  )
  t.equal((await send(`http://labels.example:${port}/`)).status, 503)
  t.same(jobs(bench), [])
})

t.test('many labels at once wait for each other', async (t) => {
  let inHand = 0
  let most = 0
  const { bench, port, send } = await open(t, (_, response) => {
    inHand += 1
    most = Math.max(most, inHand)
    setTimeout(() => {
      inHand -= 1
      response.end(LABEL)
    }, 5)
  })
  const sent = Array.from({ length: 12 }, () => send(`http://labels.example:${port}/`))
  for (const answer of await Promise.all(sent)) t.equal(answer.status, 201)
  t.equal(jobs(bench).length, 12)
  t.ok(most <= 2)
})

t.test('a server that says nothing holds up neither others nor the end of the door', async (t) => {
  const { asked, bench, port, send } = await open(t, () => undefined)
  const silent = `http://labels.example:${port}/`
  const waiting = [send(silent), send(silent)]
  while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  waiting.push(send(silent))
  await bench.doors.stop()
  for (const answer of await Promise.all(waiting))
    t.ok(answer.status === 503 || answer.status === 404)
  t.same(jobs(bench), [])
})

t.test('a line has an end, in number and in time', async (t) => {
  // Its own timer keeps no process alive.
  const awake = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(awake))
  const line = lineUp({ atOnce: 1, waiting: 1, waitMs: 20 })
  const first = Promise.withResolvers<string>()
  const never = new AbortController().signal
  const inside = line.enter(() => first.promise, [never])
  const late = line.enter(() => Promise.resolve('late'), [never])
  await t.rejects(
    line.enter(() => Promise.resolve('many'), [never]),
    { code: 'SERVER_BUSY' },
  )
  await t.rejects(late, { code: 'SERVER_BUSY' })
  const next = line.enter(() => Promise.resolve('next'), [never])
  first.resolve('first')
  t.equal(await inside, 'first')
  t.equal(await next, 'next')
  t.equal(await line.enter(() => Promise.resolve('free'), [never]), 'free')
})

t.test('addresses of the internet are told from all others', (t) => {
  const own = {
    eth0: [
      { cidr: '192.168.1.5/24' },
      { cidr: '2a02:1:2:3::5/64' },
      { cidr: '81.2.3.4/29' },
      { cidr: null },
    ],
  } as never
  for (const address of ['8.8.8.8', '81.2.3.9', '2a02:1:2:4::5', '2606:4700::1111'])
    t.ok(isPublic(address, own), address)
  for (const address of [
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.2',
    '169.254.1.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.9.9',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.251',
    '255.255.255.255',
    '81.2.3.5',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    'fe80::1',
    'fc00::1',
    'fd00::1',
    'ff02::fb',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
    '2a02:1:2:3::99',
    'localhost',
    '',
  ])
    t.notOk(isPublic(address, own), address)
  t.end()
})
