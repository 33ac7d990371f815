import t from 'tap'
import { codeOf, createRig } from './access-rig.ts'

const LAN = '10.0.0.99'
const HOST = 'bench-3:8080'
const config = { username: 'admin', password: 'pa:ß wort' }
const origin = { origin: `http://${HOST}` }
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

interface LoginTry {
  readonly password?: string
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function rigWithPage(settings: Parameters<typeof createRig>[0] = {}) {
  const rig = createRig({ config: () => config, ...settings })
  const { cookie, token } = await rig.openPage(HOST, LAN)
  const withToken = { ...origin, ...json, 'x-platen-token': token }
  const login = ({ password = config.password, from = LAN, headers = withToken }: LoginTry = {}) =>
    rig.send({
      method: 'POST',
      path: '/login',
      host: HOST,
      from,
      cookie,
      headers,
      body: JSON.stringify({ username: 'admin', password }),
    })
  return { ...rig, cookie, token, withToken, login }
}

/** The cookies of an answer as a browser would send them back. */
function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
}

t.test('a page that logs in may change the settings, until it logs out', async (t) => {
  const { send, login, cookie, withToken } = await rigWithPage()
  const put = { method: 'PUT', path: '/config', host: HOST, from: LAN, headers: withToken }
  t.equal(codeOf((await send({ ...put, cookie })).text), 'LOGIN_NEEDED')
  const { headers, text } = await login()
  t.match(JSON.parse(text), { Status: 'OK', admin: true, loginNeeded: false, version: '1.2.3' })
  const both = `${cookie}; ${cookiesOf(headers)}`
  t.equal((await send({ ...put, cookie: both })).status, 200)
  t.equal((await send({ path: '/config', host: HOST, from: LAN, cookie: both })).status, 200)
  const session = await send({ path: '/session', host: HOST, from: LAN, cookie: both })
  t.match(JSON.parse(session.text), { admin: true, loginNeeded: false })
  const out = await send({ ...put, method: 'POST', path: '/logout', cookie: both, body: '{}' })
  t.match(JSON.parse(out.text), { admin: false, loginNeeded: true })
  t.match(out.headers.getSetCookie().join(), /platen_login=; Max-Age=0/)
  t.equal(codeOf((await send({ ...put, cookie: both })).text), 'LOGIN_NEEDED')
})

t.test('a session changes nothing without the token, and not from a foreign page', async (t) => {
  const { send, login, cookie, withToken } = await rigWithPage()
  const both = `${cookie}; ${cookiesOf((await login()).headers)}`
  for (const [path, method, headers] of [
    ['/config', 'PUT', origin],
    ['/config', 'PUT', { ...origin, 'x-platen-token': 'stale' }],
    ['/config', 'PUT', { ...withToken, origin: 'http://evil.example' }],
    ['/jobs/1/cancel', 'POST', origin],
    ['/shutdown', 'GET', {}],
  ] as const) {
    const { text } = await send({ path, method, host: HOST, from: LAN, headers, cookie: both })
    t.equal(codeOf(text), 'ORIGIN_REFUSED', `${method} ${path}`)
  }
  const alone = cookiesOf((await login()).headers)
  t.equal((await send({ path: '/jobs', host: HOST, from: LAN, cookie: alone })).status, 200)
})

t.test('the cookies are for this host only, not for scripts, and Secure over https', async (t) => {
  const { send, login } = await rigWithPage()
  const [cookie = ''] = (await login()).headers.getSetCookie()
  t.match(cookie, /^platen_login=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
  const secure = await send({ path: '/session', host: HOST, scheme: 'https' })
  t.match(secure.headers.getSetCookie(), [
    /^__Host-platen_page=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  ])
})

t.test('no refusal asks a browser for a password', async (t) => {
  const { send, login } = await rigWithPage()
  const wrong = await login({ password: 'x' })
  t.equal(codeOf(wrong.text), 'LOGIN_WRONG')
  const refused = await send({ path: '/config', host: HOST, from: LAN })
  t.equal(refused.status, 401)
  for (const { headers } of [wrong, refused]) t.equal(headers.get('www-authenticate'), null)
})

t.test('five wrong passwords make a network wait a minute, and nobody else', async (t) => {
  let now = 0
  const { login, send } = await rigWithPage({ now: () => now })
  for (let i = 0; i < 5; i++)
    t.equal(codeOf((await login({ password: `${i}` })).text), 'LOGIN_WRONG')
  t.equal(codeOf((await login()).text), 'LOGIN_LIMIT', 'the right one too')
  const authorization = `Basic ${Buffer.from(`admin:${config.password}`).toString('base64')}`
  const basic = { path: '/config', host: HOST, headers: { authorization } }
  t.equal(codeOf((await send({ ...basic, from: LAN })).text), 'LOGIN_LIMIT', 'Basic too')
  t.equal((await send({ ...basic, from: '10.0.0.98' })).status, 200, 'another machine may')
  now = 60_000
  t.equal((await login()).status, 200)
})

const basicOf = (password: string) => ({
  authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
})

t.test('guessers with many addresses wait together, and lock nobody out', async (t) => {
  const { send, login, cookie } = await rigWithPage({ now: () => 0 })
  const both = `${cookie}; ${cookiesOf((await login({ from: '10.0.0.50' })).headers)}`
  const ask = (from: string, password: string) =>
    send({ path: '/config', host: HOST, from, headers: basicOf(password) })
  for (let i = 0; i < 30; i++) {
    t.equal(codeOf((await ask(`2001:db8:0:${i}::1`, `${i}`)).text), 'LOGIN_WRONG')
  }
  for (let i = 30; i < 40; i++) {
    t.equal(codeOf((await ask(`2001:db8:0:${i}::1`, config.password)).text), 'LOGIN_LIMIT')
  }
  const newcomer = await login()
  t.equal(codeOf(newcomer.text), 'LOGIN_LIMIT')
  t.match(newcomer.text, 'come from several addresses')
  t.equal((await login({ from: '10.0.0.50' })).status, 200, 'where somebody logged in before')
  const session = { path: '/config', host: HOST, from: LAN, cookie: both }
  t.equal((await send(session)).status, 200, 'a session')
  t.equal((await ask('127.0.0.1', config.password)).status, 200, 'the machine itself')
})

t.test('wrong passwords are told to the log and to who logs in, not to others', async (t) => {
  const lines: unknown[] = []
  const log = { warn: (fields: object, event: string) => lines.push([fields, event]) }
  const { send, login, cookie } = await rigWithPage({ now: () => 0, log })
  for (let i = 0; i < 4; i++) await login({ password: 'x', from: '10.0.0.66' })
  await send({ path: '/config', host: HOST, from: '10.0.0.67', headers: basicOf('x') })
  t.match(lines, [
    [{ address: '10.0.0.66' }, 'wrong password'],
    [{ address: '10.0.0.67' }, 'wrong password'],
  ])
  t.equal(lines.length, 2)
  const { headers, text } = await login()
  const wanted = [
    { address: '10.0.0.67', count: 1 },
    { address: '10.0.0.66', count: 4 },
  ]
  t.match(JSON.parse(text).guesses.toSorted(byCount), wanted)
  const both = `${cookie}; ${cookiesOf(headers)}`
  const session = await send({ path: '/session', host: HOST, from: LAN, cookie: both })
  t.match(JSON.parse(session.text).guesses.toSorted(byCount), wanted)
  const anonymous = await send({ path: '/session', host: HOST, from: LAN, cookie })
  t.strictSame(JSON.parse(anonymous.text).guesses, [])
})

const byCount = (one: { count: number }, other: { count: number }) => one.count - other.count

t.test('a changed password ends sessions at once, and the old one revives none', async (t) => {
  let password = config.password
  const listeners: (() => void)[] = []
  const set = (next: string) => {
    password = next
    for (const listener of listeners) listener()
  }
  const { send, login, cookie } = await rigWithPage({
    config: () => ({ username: 'admin', password }),
    onConfigChange: (listener) => listeners.push(listener),
  })
  const both = `${cookie}; ${cookiesOf((await login()).headers)}`
  const read = () => send({ path: '/config', host: HOST, from: LAN, cookie: both })
  set(config.password)
  t.equal((await read()).status, 200, 'the same password saved again')
  set('another')
  set(config.password) // nobody asked for anything in between
  t.equal(codeOf((await read()).text), 'LOGIN_NEEDED')
})

t.test('a login needs the page: its token, its host, its origin', async (t) => {
  const { login, withToken } = await rigWithPage()
  const { 'x-platen-token': _, ...without } = withToken
  t.equal(codeOf((await login({ headers: without })).text), 'ORIGIN_REFUSED')
  const foreign = { ...withToken, origin: 'https://evil.example' }
  t.equal(codeOf((await login({ headers: foreign })).text), 'ORIGIN_REFUSED')
  t.equal(codeOf((await login({ headers: { ...withToken, host: 'evil' } })).text), 'HOST_REFUSED')
})

t.test('a plain form logs in with the token as a field, and is led back to the page', async (t) => {
  const { send, cookie, token } = await rigWithPage()
  const body = new URLSearchParams({ ...config, token }).toString()
  const headers = { ...origin, ...form, accept: 'text/html,*/*' }
  const post = { method: 'POST', path: '/login', host: HOST, from: LAN, cookie, headers, body }
  const { status, headers: answer } = await send(post)
  t.equal(status, 303)
  t.equal(answer.get('location'), '/')
})

t.test('a form on a page carries the token as a field, and its body stays whole', async (t) => {
  const { send, cookie, token } = await rigWithPage()
  const post = { method: 'POST', path: '/printers/1/test', host: HOST, from: LAN, cookie }
  const send1 = (body: string, more: Record<string, string> = {}) =>
    send({
      ...post,
      body,
      headers: { ...origin, ...form, 'content-length': `${body.length}`, ...more },
    })
  const body = `a=1&token=${token}`
  t.equal((await send1(body)).text, body)
  t.equal(codeOf((await send1('a=1')).text), 'ORIGIN_REFUSED')
  t.equal(codeOf((await send1(body, { 'content-length': '9999' })).text), 'ORIGIN_REFUSED')
  t.equal(codeOf((await send1(body, json)).text), 'ORIGIN_REFUSED')
})

t.test('a body that is not a login is refused by name', async (t) => {
  const { send, cookie, withToken } = await rigWithPage()
  for (const [code, body, type] of [
    ['BODY_TYPE', 'x', 'text/plain'],
    ['BODY_TYPE', 'x', ''],
    ['BODY_BROKEN', '{', 'application/json'],
    ['BODY_BROKEN', '7', 'application/json'],
    ['BODY_TOO_LARGE', 'x'.repeat(9_000), 'application/x-www-form-urlencoded'],
    ['LOGIN_WRONG', '{"username":7}', 'application/json'],
  ] as const) {
    const headers = { ...withToken, 'content-type': type }
    const post = { method: 'POST', path: '/login', host: HOST, from: LAN, cookie, headers, body }
    t.equal(codeOf((await send(post)).text), code)
  }
})

t.test(
  'without credentials nobody can log in, and the page of this machine is the admin',
  async (t) => {
    const { send, login } = await rigWithPage({ config: () => ({}) })
    t.equal(codeOf((await login()).text), 'LOCAL_ONLY')
    const session = async (from: string) =>
      JSON.parse((await send({ path: '/session', from })).text) as object
    t.match(await session('127.0.0.1'), { admin: true, loginNeeded: false })
    t.match(await session(LAN), { admin: false, loginNeeded: false })
  },
)

t.test('the own page works over plain http from another machine', async (t) => {
  const { send } = createRig()
  const page = { host: HOST, from: LAN }
  const { headers } = await send({ ...page, path: '/', headers: { accept: 'text/html' } })
  const cookie = cookiesOf(headers)
  t.match(cookie, /^platen_page=/)
  t.equal((await send({ ...page, path: '/jobs', cookie })).status, 200)
  t.equal(codeOf((await send({ ...page, path: '/jobs' })).text), 'LOCAL_ONLY')
  const session = await send({ ...page, path: '/session', cookie })
  t.strictSame(session.headers.getSetCookie(), [], 'the cookie stays')
  const { token } = JSON.parse(session.text) as { token: string }
  const cancel = { ...page, method: 'POST', path: '/jobs/1/cancel', cookie }
  t.equal((await send({ ...cancel, headers: { ...origin, 'x-platen-token': token } })).status, 200)
  t.equal(codeOf((await send({ ...cancel, headers: origin })).text), 'ORIGIN_REFUSED')
  t.equal(codeOf((await send(cancel)).text), 'ORIGIN_REFUSED')
})

t.test('the page of this machine saves under another own name, with its token', async (t) => {
  const { send, openPage } = createRig()
  const { cookie, token } = await openPage('printserver.local:8080')
  const page = { host: 'printserver.local:8080', cookie, headers: { 'x-platen-token': token } }
  t.equal((await send({ ...page, method: 'PUT', path: '/config' })).status, 200)
  t.equal((await send({ ...page, path: '/shutdown' })).status, 200)
  t.equal(codeOf((await send({ ...page, headers: {}, path: '/shutdown' })).text), 'LOCAL_ONLY')
})

t.test('a name of the settings is an own name', async (t) => {
  const { send } = createRig({
    config: () => ({ host: '10.9.9.9', allowed_hosts: ['Print.Example:443', 'no name'] }),
  })
  for (const host of ['10.9.9.9:8080', 'print.example', 'printserver.local']) {
    t.equal((await send({ path: '/info', host })).status, 200, host)
  }
  t.equal((await send({ path: '/info', host: 'other.example' })).status, 403)
})
