import t from 'tap'
import { formBody, makeApp, stopPrinter } from './rig.ts'

/** Reads a stream until it has given so much text, or has ended. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  wanted: RegExp,
): Promise<string> {
  let text = ''
  while (!wanted.test(text)) {
    const { done, value } = await reader.read()
    if (done) return `${text}(end)`
    text += Buffer.from(value).toString()
  }
  return text
}

const open = (res: Response): ReadableStreamDefaultReader<Uint8Array> => {
  if (res.body === null) throw new Error('no stream')
  return res.body.getReader()
}

t.test('tells all printers at first, then every change of a job or a printer', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const res = await call('/events')
  t.equal(res.headers.get('content-type'), 'text/event-stream')
  const reader = open(res)
  const first = await readUntil(reader, /Bench 2.*\n\n/)
  t.match(first, /^retry: 2000\n\nevent: printer\ndata: \{"name":"Bench 1"/)
  await call('/', formBody(['label', 'QUJD']))
  const job = await readUntil(reader, /completed.*\n\n/)
  t.match(job, /event: job\ndata: \{"id":"j-1".*"state":"completed".*\n\n/)
  desk.emit({ type: 'printer', printer: stopPrinter(desk, 'offline') })
  t.match(await readUntil(reader, /stopped.*\n\n/), /event: printer\n.*"state":"stopped"/)
  await reader.cancel()
  t.equal(desk.listeners.size, 0)
})

t.test('keeps a quiet stream open', async (t) => {
  const { call } = makeApp(t.testdir(), { bounds: { heartbeatMs: 5 } })
  const reader = open(await call('/events'))
  // The beat does not keep the program alive; here nothing else does.
  const alive = setInterval(() => undefined, 1_000)
  t.match(await readUntil(reader, /: still here\n\n: still here\n\n/), 'still here')
  clearInterval(alive)
  await reader.cancel()
})

t.test('drops a client that does not read, and the others go on', async (t) => {
  const { desk, call } = makeApp(t.testdir(), { bounds: { eventBytes: 4_096 } })
  const slow = open(await call('/events'))
  const quick = open(await call('/events'))
  await readUntil(quick, /Bench 2.*\n\n/)
  for (let i = 1; i <= 20; i++) {
    desk.add({})
    await readUntil(quick, new RegExp(`"id":"j-${i}".*\n\n`))
  }
  t.equal(desk.listeners.size, 1)
  t.match(await readUntil(slow, /never/), /\(end\)$/)
  await quick.cancel()
})

t.test('a client that is too slow for the printers alone is dropped at once', async (t) => {
  const { desk, call } = makeApp(t.testdir(), { bounds: { eventBytes: 100, eventClients: 1 } })
  t.match(await readUntil(open(await call('/events')), /never/), /\(end\)$/)
  t.equal(desk.listeners.size, 0)
  t.equal((await call('/events')).status, 200, 'its place is free again')
})

t.test('serves a bounded number of clients, and asking for the head takes no place', async (t) => {
  const { call } = makeApp(t.testdir(), { bounds: { eventClients: 2 } })
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
  const { desk, call } = makeApp(t.testdir())
  const reader = open(await call('/events'))
  desk.stopping.abort()
  t.match(await readUntil(reader, /never/), /\(end\)$/)
  t.match(await readUntil(open(await call('/events')), /never/), /\(end\)$/)
  t.equal(desk.listeners.size, 0)
})
