import t, { type Test } from 'tap'
import { createAccess } from '../../../src/http/access/access.ts'
import { startRig, ZPL64 } from '../rig.ts'
import { codeOf, OWN_NAMES, sendTo, type Try } from './access-rig.ts'

const LAN = '10.0.0.99'
const HOST = 'bench-3:8080'
const EVIL = { origin: 'https://evil.example' }
const CREDENTIALS = { username: 'admin', password: 'correct horse' }
const basic = `Basic ${Buffer.from('admin:correct horse').toString('base64')}`

interface Config {
  username?: string
  password?: string
  open_bench?: boolean
  allowed_origins?: string[]
}

/** The whole print server with one label that waits, and who asks for it. */
async function start(t: Test, first: Config) {
  let config = first
  const listeners: (() => void)[] = []
  const access = createAccess({
    config: () => config,
    ownNames: () => OWN_NAMES,
    now: () => 0,
    onConfigChange: (listener) => listeners.push(listener),
  })
  const rig = startRig(t, { parts: { access }, prints: false })
  const { app } = rig
  const set = (next: Config): void => {
    config = next
    for (const listener of listeners) listener()
  }
  const json = { 'content-type': 'application/json', prefer: 'wait=0' }
  const body = JSON.stringify({ label: ZPL64 })
  const printed = await sendTo(app, { method: 'POST', path: '/', from: LAN, headers: json, body })
  const [job] = (JSON.parse(printed.text) as { jobs: { id: string; secret: string }[] }).jobs
  const { id = '', secret = '' } = job ?? {}

  const opened = await sendTo(app, { path: '/session', host: HOST, from: LAN })
  const page = opened.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { token } = JSON.parse(opened.text) as { token: string }
  const own = { origin: `http://${HOST}`, 'x-platen-token': token }
  const logIn = async (): Promise<string> => {
    const login = JSON.stringify(CREDENTIALS)
    const headers = { ...own, 'content-type': 'application/json' }
    const post = { method: 'POST', host: HOST, from: LAN, headers, cookie: page, body: login }
    const { headers: answer } = await sendTo(app, { ...post, path: '/login' })
    return [page, ...answer.getSetCookie().map((one) => one.split(';')[0])].join('; ')
  }
  return { ...rig, id, secret, page, own, logIn, set }
}

type Server = Awaited<ReturnType<typeof start>>

/** Each way of asking, by what is added to a request. */
const SENDERS: Readonly<Record<string, (server: Server) => Promise<Partial<Try>> | Partial<Try>>> =
  {
    'the page, not logged in': ({ page, own }) => ({ from: LAN, cookie: page, headers: own }),
    'the page at the machine itself': ({ page, own }) => ({ cookie: page, headers: own }),
    'the page, logged in': async ({ logIn, own }) => ({
      from: LAN,
      cookie: await logIn(),
      headers: own,
    }),
    'a program with the password': () => ({ from: LAN, headers: { authorization: basic } }),
    'a program elsewhere': () => ({ from: LAN }),
    'a program of the machine': () => ({}),
    'a page of another site': ({ page }) => ({ from: LAN, cookie: page, headers: EVIL }),
    'a proxied program': () => ({ headers: { 'x-forwarded-for': LAN } }),
    'the secret of the label': ({ secret }) => ({
      from: LAN,
      headers: { 'x-platen-job-secret': secret },
    }),
    'a page of another site with the secret': ({ secret }) => ({
      from: LAN,
      headers: { ...EVIL, 'x-platen-job-secret': secret },
    }),
  }

/** Callers that reach a kind of route, without a password, with one, and with one and an open bench. */
type Reach = readonly [unset: string, set: string, open: string]
const NOBODY: Reach = ['', '', '']
const EVERY = 'follow labels bench'
const MATRIX: Readonly<Record<string, Reach>> = {
  'the page, not logged in': [EVERY, 'bench', EVERY],
  'the page at the machine itself': [EVERY, 'bench', EVERY],
  'the page, logged in': [EVERY, EVERY, EVERY],
  'a program with the password': ['', EVERY, EVERY],
  'a program elsewhere': NOBODY,
  'a program of the machine': [EVERY, EVERY, EVERY],
  'a page of another site': NOBODY,
  'a proxied program': NOBODY,
  'the secret of the label': ['follow', 'follow', 'follow'],
  'a page of another site with the secret': ['follow', 'follow', 'follow'],
}

const routes = (id: string): readonly (readonly [kind: string, route: string])[] => [
  ['follow', `GET /jobs/${id}`],
  ['follow', `HEAD /jobs/${id}`],
  ['follow', `GET /jobs/${id}/preview.png`],
  ['follow', `GET /jobs/${id}/label.bin`],
  ['labels', 'GET /jobs'],
  ['labels', `GET /jobs/${id}/label`],
  ['labels', 'GET /jobs/none-1'],
  ['labels', 'HEAD /events'],
  ['labels', 'GET /sources'],
  ['labels', 'POST /jobs/none-1/cancel'],
  ['labels', 'POST /jobs/none-1/release'],
  ['labels', 'POST /jobs/none-1/reprint'],
  ['labels', 'POST /jobs/none-1/resolve'],
  ['bench', 'GET /printers/found'],
  ['bench', 'POST /printers/none/test'],
  ['bench', 'POST /printers/none/calibrate'],
]

const SETTINGS: readonly (readonly [name: string, config: Config])[] = [
  ['no password', {}],
  ['a password', CREDENTIALS],
  ['a password and an open bench', { ...CREDENTIALS, open_bench: true }],
]

for (const [i, [name, config]] of SETTINGS.entries()) {
  t.test(`who reaches labels with ${name}`, async (t) => {
    const server = await start(t, config)
    for (const [sender, wanted] of Object.entries(MATRIX)) {
      const shown = (await SENDERS[sender]?.(server)) ?? {}
      for (const [kind, route] of routes(server.id)) {
        const [method = '', path = ''] = route.split(' ')
        const { status } = await sendTo(server.app, { method, path, host: HOST, ...shown })
        const isReached = status !== 401 && status !== 403
        const isWanted = (wanted[i] ?? '').split(' ').includes(kind)
        t.equal(isReached, isWanted, `${sender}: ${route}: ${status}`)
      }
    }
    t.same(server.bench.faults, [])
  })
}

t.test('the secret of a label opens this one and changes nothing', async (t) => {
  const { app, id, secret } = await start(t, CREDENTIALS)
  const get = (path: string, more: Partial<Try> = {}) =>
    sendTo(app, { path, from: LAN, host: HOST, ...more })
  t.match(secret, /^[\w-]{43}$/)
  t.match(JSON.parse((await get(`/jobs/${id}?secret=${secret}`)).text), { id, state: 'pending' })
  const next = id.replace(/\d+$/, (number) => String(Number(number) + 1))
  for (const path of [
    `/jobs/${next}?secret=${secret}`,
    `/jobs/${id}?secret=`,
    `/jobs/${id}?secret=${secret}x`,
    `/jobs/${id}/label?secret=${secret}`,
    `/jobs?secret=${secret}`,
    `/events?secret=${secret}`,
  ]) {
    t.equal(codeOf((await get(path)).text), 'LOGIN_NEEDED', path)
  }
  const cancel = { method: 'POST', headers: { 'x-platen-job-secret': secret } }
  t.equal(codeOf((await get(`/jobs/${id}/cancel`, cancel)).text), 'LOGIN_NEEDED')
})

t.test('a page that may print may follow its label, and no other', async (t) => {
  const SHOP = 'https://shop.example'
  const config = { ...CREDENTIALS, allowed_origins: [SHOP] }
  const { app, id, secret } = await start(t, config)
  const path = `/jobs/${id}`
  const ask = (origin: string, more: Partial<Try> = {}) =>
    sendTo(app, { path: `${path}?secret=${secret}`, from: LAN, headers: { origin }, ...more })
  const shop = await ask(SHOP, { host: 'printer.shop.example' })
  t.equal(shop.status, 200)
  t.equal(shop.headers.get('access-control-allow-origin'), SHOP)
  t.equal(shop.headers.get('access-control-allow-credentials'), null)
  const evil = await ask('https://evil.example')
  t.equal(codeOf(evil.text), 'ORIGIN_REFUSED')
  t.equal(evil.headers.get('access-control-allow-origin'), null)
  const preflight = await ask(SHOP, { method: 'OPTIONS', path })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-methods'), 'GET')
  t.match(preflight.headers.get('access-control-allow-headers'), /^X-Platen-Job-Secret,/)
  t.equal((await ask('https://evil.example', { method: 'OPTIONS', path })).status, 403)
  const without = await ask(SHOP, { path, host: HOST })
  t.equal(codeOf(without.text), 'ORIGIN_REFUSED')
  t.equal(without.headers.get('access-control-allow-origin'), null)
})

/** Reads a stream to its end. */
async function readToEnd(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += Buffer.from(chunk).toString()
  return text
}

type End = (server: Server, cookie: string) => Promise<unknown> | unknown
const ENDS: Readonly<Record<string, End>> = {
  'a logout': ({ app, own }, cookie) => {
    const headers = { ...own, 'content-type': 'application/json' }
    const post = { method: 'POST', path: '/logout', host: HOST, from: LAN, headers, cookie }
    return sendTo(app, { ...post, body: '{}' })
  },
  'another password': ({ set }) => set({ ...CREDENTIALS, password: 'another' }),
  'a password that was changed and changed back': ({ set }) => {
    set({ ...CREDENTIALS, password: 'another' })
    set(CREDENTIALS)
  },
}

for (const [name, end] of Object.entries(ENDS)) {
  t.test(`${name} ends the streams of its sessions and no other`, async (t) => {
    const server = await start(t, CREDENTIALS)
    const cookie = await server.logIn()
    const open = async (init: RequestInit, from: string): Promise<ReadableStream<Uint8Array>> => {
      const env = { incoming: { socket: { remoteAddress: from } } }
      const res = await server.app.request(`http://${HOST}/events`, init, env)
      t.equal(res.status, 200)
      if (res.body === null) throw new Error('no stream')
      return res.body
    }
    const page = await open({ headers: { host: HOST, cookie } }, LAN)
    const program = await open({ headers: { host: HOST } }, '127.0.0.1')
    t.equal(server.events.followers, 2)
    await end(server, cookie)
    t.match(await readToEnd(page), /^retry: 2000/)
    t.equal(server.events.followers, 1)
    await program.cancel()
  })
}

t.test(
  'a bench that is closed again, or gets a password, ends the streams of its pages',
  async (t) => {
    for (const [before, after] of [
      [{ ...CREDENTIALS, open_bench: true }, CREDENTIALS],
      [{}, CREDENTIALS],
    ] as const) {
      const { app, page, set, events } = await start(t, before)
      const env = { incoming: { socket: { remoteAddress: LAN } } }
      const init = { headers: { host: HOST, cookie: page } }
      const res = await app.request(`http://${HOST}/events`, init, env)
      t.equal(res.status, 200)
      set(after)
      t.equal(events.followers, 0)
      await res.body?.cancel()
    }
  },
)
