import t, { type Test } from 'tap'
import { Events, type PlatenEvent } from '../../src/core/events.ts'
import { findOffUri, formBody, type Rig, type RigSettings, startRig, ZPL64 } from './rig.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Reads a stream until it has given so much text, or has ended. */
async function readUntil(reader: Reader, wanted: RegExp): Promise<string> {
  let text = ''
  while (!wanted.test(text)) {
    const { done, value } = await reader.read()
    if (done) return `${text}(end)`
    text += Buffer.from(value).toString()
  }
  return text
}

const open = (res: Response): Reader => {
  if (res.body === null) throw new Error('no stream')
  return res.body.getReader()
}

const startWith = (t: Test, bounds: NonNullable<RigSettings['bounds']> = {}): Rig =>
  startRig(t, { bounds })

t.test('tells all printers at first, then every change of a job or a printer', async (t) => {
  // However slow the disk, the virtual printer is not said to have stopped.
  const bench = { timing: { stallMs: 60_000 } }
  const { call, events } = startRig(t, { printers: { Off: await findOffUri() }, bench })
  const res = await call('/events')
  t.equal(res.headers.get('content-type'), 'text/event-stream')
  const reader = open(res)
  const first = await readUntil(reader, /"Off".*\n\n/)
  t.match(
    first,
    /^retry: 2000\n\nevent: printer\ndata: \{"name":"Bench 1".*\n\nevent: printer\n.*"Bench 2"/,
  )
  await call('/', formBody(['label', ZPL64]))
  const story = await readUntil(reader, /"state":"completed".*\n\n/)
  const states = [...story.matchAll(/event: job\n.*?"state":"([\w-]+)"/g)].map(([, state]) => state)
  t.same(states, ['pending', 'processing', 'completed'])
  t.match(story, /event: printer\ndata: \{"name":"Bench 1".*"state":"processing"/)
  const fields = formBody(['label', ZPL64], ['printer', 'Off'])
  await call('/', { ...fields, headers: { prefer: 'wait=0' } })
  const off = await readUntil(reader, /event: printer\n.*"Off".*\n\n/)
  t.match(off, /event: printer\n.*"name":"Off".*"state":"stopped","state_reasons":\["offline"\]/)
  await reader.cancel()
  t.equal(events.followers, 0)
})

t.test('a printer that is taken away is told once more, as removed', async (t) => {
  const { call } = startRig(t)
  const reader = open(await call('/events'))
  t.notMatch(await readUntil(reader, /"Bench 2".*\n\n/), 'removed')
  await call('/printers/Bench%202', { method: 'DELETE' })
  t.match(await readUntil(reader, /"removed".*\n\n/), /"name":"Bench 2".*"removed":true\}\n\n/)
  await reader.cancel()
})

t.test('keeps a quiet stream open', async (t) => {
  const { call } = startWith(t, { eventCommentMs: 5 })
  const reader = open(await call('/events'))
  t.match(await readUntil(reader, /: still here\n\n: still here\n\n/), 'still here')
  await reader.cancel()
})

t.test('drops a client that does not read, and the others go on', async (t) => {
  const { call, events } = startWith(t, { eventBytes: 16_384 })
  const slow = open(await call('/events'))
  const quick = open(await call('/events'))
  for (let i = 1; i <= 20; i++) {
    await call('/', formBody(['label', ZPL64]))
    await readUntil(quick, new RegExp(`"id":"\\w+-${i}".*"state":"completed".*\n\n`))
  }
  t.equal(events.followers, 1)
  t.match(await readUntil(slow, /never/), /\(end\)$/)
  await quick.cancel()
})

t.test('a client that is too slow for the printers alone is dropped at once', async (t) => {
  const { call, events } = startWith(t, { eventBytes: 100, eventClients: 1 })
  t.match(await readUntil(open(await call('/events')), /never/), /\(end\)$/)
  t.equal(events.followers, 0)
  t.equal((await call('/events')).status, 200, 'its place is free again')
})

t.test('serves a bounded number of clients, and asking for the head takes no place', async (t) => {
  const { call } = startWith(t, { eventClients: 2 })
  const clients = [open(await call('/events')), open(await call('/events'))]
  for (let i = 0; i < 5; i++) t.equal((await call('/events', { method: 'HEAD' })).status, 200)
  const res = await call('/events')
  t.equal(res.status, 503)
  t.equal(res.headers.get('retry-after'), '10')
  t.match(await res.json(), { code: 'SERVER_BUSY' })
  await clients[0]?.cancel()
  const next = open(await call('/events'))
  await next.cancel()
  await clients[1]?.cancel()
})

t.test('ends all streams when the program ends', async (t) => {
  const { call, events, stopping } = startRig(t)
  const reader = open(await call('/events'))
  t.equal(events.followers, 1)
  stopping.abort()
  t.match(await readUntil(reader, /never/), /\(end\)$/)
  t.match(await readUntil(open(await call('/events')), /never/), /\(end\)$/)
  t.equal(events.followers, 0)
})

t.test('32 streams of one address do not shut out others', async (t) => {
  const { app, events } = startWith(t, { eventClients: 4 })
  const from = (remoteAddress: string, forwarded?: string): Promise<Response> => {
    const headers = {
      'sec-fetch-site': 'same-origin',
      ...(forwarded && { 'x-forwarded-for': forwarded }),
    }
    const env = { incoming: { socket: { remoteAddress } } }
    return Promise.resolve(app.request('/events', { headers }, env))
  }
  const crowd: Reader[] = []
  for (let at = 0; at < 4; at += 1) crowd.push(open(await from('192.0.2.1')))
  t.equal((await from('192.0.2.1')).status, 503, 'nobody has more than it')
  const other = open(await from('192.0.2.2'))
  const [first, second] = crowd
  if (first === undefined || second === undefined) throw new Error('no stream')
  t.match(await readUntil(first, /(?!)/), /\(end\)$/, 'the oldest of the crowd gave way')
  t.equal(events.followers, 4)
  const proxied = open(await from('127.0.0.1', '198.51.100.7'))
  t.match(await readUntil(second, /(?!)/), /\(end\)$/)
  t.equal((await from('192.0.2.1')).status, 503, 'it comes back to no place')
  // Two and one and one: nobody gives way to who has one.
  t.equal((await from('192.0.2.2')).status, 503)
  t.equal((await from('127.0.0.1', '198.51.100.7')).status, 503)
  // ... but who has two to who has none.
  const last = await from('192.0.2.3')
  t.equal(last.status, 200)
  crowd.push(open(last))
  await Promise.all([...crowd, other, proxied].map((reader) => reader.cancel()))
  t.equal(events.followers, 0)
})

t.test('events have ids, and a client that comes back gets what it missed', async (t) => {
  const { call, jobs } = startRig(t)
  const reader = open(await call('/events'))
  const begin = await readUntil(reader, /id: .*\n\n$/)
  await call('/', formBody(['label', ZPL64]))
  const story = begin + (await readUntil(reader, /"state":"completed".*\n\n/))
  const ids = [...story.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id ?? '')
  t.ok(ids.length > 3)
  t.equal(new Set(ids).size, ids.length)
  await reader.cancel()
  const [first = '', last = ''] = [ids[0], ids.at(-1)]
  const again = open(await call('/events', { headers: { 'last-event-id': first } }))
  const missed = await readUntil(again, /\nid: .*\n\n$/)
  t.equal([...missed.matchAll(/^event: job$/gm)].length, 1, 'once, as it is now')
  t.match(missed, new RegExp(`"id":"${jobs()[0]?.id}".*"state":"completed"`))
  await again.cancel()
  const nothing = open(await call(`/events?last_event_id=${last}`))
  t.notMatch(await readUntil(nothing, /\nid: .*\n\n$/), /event: (job|lost)/)
  await nothing.cancel()
  for (const strange of ['aaaa-1', `${first.split('-')[0]}-99999`, 'nonsense', '-']) {
    const other = open(await call('/events', { headers: { 'last-event-id': strange } }))
    t.match(await readUntil(other, /\nid: .*\n\n$/), /event: lost\ndata: \{\}/, strange)
    await other.cancel()
  }
})

t.test('a stream that cannot read what was missed takes no place', async (t) => {
  const { bench, call } = startWith(t, { eventClients: 1 })
  const reader = open(await call('/events'))
  await call('/', formBody(['label', ZPL64]))
  const story = await readUntil(reader, /"state":"completed".*\n\n/)
  const first = /^id: (\S+)$/m.exec(story)?.[1]
  await reader.cancel()
  bench.spool.close()
  const failed = await call(`/events?last_event_id=${first}`)
  t.match(await failed.json(), { code: 'SPOOL_BROKEN' })
  t.equal((await call('/events')).status, 200)
})

t.test('what was missed is kept within bounds', (t) => {
  const events = new Events(() => undefined)
  const job = (id: number) => ({ type: 'job', job: { id: `a-${id}` } }) as unknown as PlatenEvent
  for (let n = 0; n < 20_000; n += 1) events.emit(job(n % 3))
  t.equal(events.count, 20_000)
  t.same(
    events.since(19_990),
    ['job a-0', 'job a-1', 'job a-2'].map((_, n) => `job a-${(19_990 + n) % 3}`),
  )
  t.same(events.since(20_000), [])
  t.equal(events.since(1), undefined)
  t.equal(events.since(20_001), undefined)
  t.end()
})
