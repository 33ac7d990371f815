import { createServer } from 'node:net'
import t from 'tap'
import { findClosedPort, listen } from '../listen.ts'
import { startRig } from './rig.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }
}

t.test('a box without sources says so', async (t) => {
  const { call } = startRig(t)
  t.same(await (await call('/sources')).json(), [])
})

t.test('each source tells how it does', async (t) => {
  const { call } = startRig(t)
  const config = (await (await call('/config')).json()) as object
  const endpoint = `127.0.0.1:${await findClosedPort()}`
  const queues = [{ type: 'beanstalkd', endpoint, printer: 'Bench 2', ack: 'printed' }]
  const saved = await call('/config', { ...post({ ...config, queues }), method: 'PUT' })
  t.match(await saved.json(), { Status: 'OK', restart: [] })
  let source: Record<string, unknown> = {}
  do {
    await new Promise((resolve) => setTimeout(resolve, 10))
    source = ((await (await call('/sources')).json()) as Record<string, unknown>[])[0] ?? {}
  } while (source['state'] !== 'failing')
  const message = `${endpoint} refuses connections: nothing listens there.`
  t.match(source, {
    type: 'beanstalkd',
    where: `${endpoint}, tube default`,
    printer: 'Bench 2',
    ack: 'printed',
    message,
    contact: null,
    error: message,
    error_at: /^\d{4}-/,
    refusal: '',
    refusal_at: null,
    warning: '',
    warning_at: null,
    taken: 0,
    refused: 0,
    waiting: null,
    bad: null,
  })
})

t.test('the button takes a saved secret to no other address', async (t) => {
  const { call } = startRig(t)
  const config = (await (await call('/config')).json()) as object
  const nobody = `mqtt://127.0.0.1:${await findClosedPort()}`
  const queue = { type: 'mqtt', url: nobody, topic: 'labels', username: 'box', password: 'secret' }
  await call('/config', { ...post({ ...config, queues: [queue] }), method: 'PUT' })
  const heard: string[] = []
  const server = createServer((socket) => {
    heard.push('a call')
    socket.destroy()
  })
  const port = await listen(t, server)
  const saved = (await (await call('/config')).json()) as { queues: [typeof queue] }
  const [masked] = saved.queues
  const attempt = async (changed: object) =>
    await (await call('/sources/test', post({ index: 0, queue: { ...masked, ...changed } }))).json()
  for (const changed of [
    { url: `mqtt://127.0.0.1:${port}` },
    { url: nobody.replace('mqtt:', 'mqtts:') },
    { url: 'nowhere' },
  ]) {
    t.match(await attempt(changed), {
      code: 'FIELD_INVALID',
      Message: /^A saved secret is used only at the address/,
      detail: 'queues[0].password',
      hint: 'Type the secret again.',
    })
  }
  t.same(heard, [])
  t.match(await attempt({ topic: 'others' }), { code: 'SOURCE_UNREACHABLE' }, 'the same address')
  const again = { url: `mqtt://127.0.0.1:${port}`, password: 'secret' }
  t.match(await attempt(again), { code: 'SOURCE_UNREACHABLE' }, 'the secret was typed again')
  t.same(heard.slice(0, 1), ['a call'])
})

t.test('the button tests the address of the heartbeat', async (t) => {
  const { call } = startRig(t)
  const heart_beat_url = `http://127.0.0.1:${await findClosedPort()}/`
  const answer = await call('/sources/test', post({ heart_beat_url }))
  t.match(await answer.json(), { code: 'SOURCE_UNREACHABLE' })
})

t.test('what cannot be tested is refused with its key', async (t) => {
  const { call } = startRig(t)
  const cases = [
    [{ queue: { type: 'beanstalkd', endpoint: 'x' } }, 'CONFIG_INVALID', /queues\[0\]\.endpoint/],
    [{ queue: { type: 'kafka' } }, 'CONFIG_INVALID', /queues\[0\]\.type/],
    [{ heart_beat_url: 'ftp://x' }, 'CONFIG_INVALID', /heart_beat_url/],
    [{ index: 0 }, 'FIELD_INVALID', /^index: got 0/],
    [{ index: 'first' }, 'FIELD_INVALID', /^index: got first/],
    [{ index: 7, queue: {} }, 'FIELD_INVALID', /^index: got 7/],
    [{}, 'FIELD_INVALID', /or a queue/],
    [[], 'BODY_BROKEN', /must be an object/],
  ] as const
  for (const [body, code, message] of cases) {
    t.match(await (await call('/sources/test', post(body))).json(), { code, Message: message })
  }
})

t.test('a foreign page reads nothing and tests nothing', async (t) => {
  const { call } = startRig(t)
  const headers = { ...JSON_TYPE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await call('/sources', { headers })).status, 403)
  t.equal((await call('/sources/test', { ...post({ index: 0 }), headers })).status, 403)
})
