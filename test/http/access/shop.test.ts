import t from 'tap'
import { codeOf, createRig, OWN_NAMES } from './access-rig.ts'

const SHOP = 'https://shop.example'
const named = { config: () => ({ allowed_origins: [SHOP] }) }
const HOST = OWN_NAMES[0] ?? ''

t.test('a site that the settings name reads what is no secret, and nothing else', async (t) => {
  const { send } = createRig(named)
  const read = { host: HOST, headers: { origin: SHOP, 'sec-fetch-site': 'cross-site' } }
  const info = await send({ ...read, path: '/info' })
  t.equal(codeOf(info.text), 'ok')
  t.equal(info.headers.get('access-control-allow-origin'), SHOP)
  t.equal(info.headers.get('vary'), 'Origin')
  t.equal(info.headers.get('access-control-allow-credentials'), null)
  for (const path of ['/', '/session', '/jobs', '/printers/found', '/config', '/shutdown']) {
    const answer = await send({ ...read, path })
    t.equal(codeOf(answer.text), 'ORIGIN_REFUSED', path)
    t.equal(answer.headers.get('access-control-allow-origin'), null, path)
  }
})

t.test('other sites, all sites (*) and other names of the box do not', async (t) => {
  for (const [allowed, origin, host, code] of [
    [[SHOP], 'https://evil.example', HOST, 'ORIGIN_REFUSED'],
    [['*'], SHOP, HOST, 'ORIGIN_REFUSED'],
    [['*', SHOP], SHOP, HOST, 'ok'],
    [[], SHOP, HOST, 'ORIGIN_REFUSED'],
    [[SHOP], SHOP, 'evil.example', 'HOST_REFUSED'],
  ] as const) {
    const { send } = createRig({ config: () => ({ allowed_origins: allowed }) })
    const answer = await send({ path: '/info', host, headers: { origin } })
    t.equal(codeOf(answer.text), code, `${allowed.join()} ${origin} ${host}`)
  }
})

t.test('preflights let X-Requested-With pass, for sites that are named', async (t) => {
  const keyed = [{ use: 'buy', owns: (path: string) => path === '/v1' }]
  const { send } = createRig({ ...named, keyed })
  const ask = (path: string, origin: string) =>
    send({
      method: 'OPTIONS',
      path,
      host: HOST,
      headers: { origin, 'access-control-request-headers': 'x-requested-with' },
    })
  for (const path of ['/info', '/printers', '/', '/packlist', '/v1', '/jobs/abcd-1']) {
    const { status, headers } = await ask(path, SHOP)
    t.equal(status, 204, path)
    t.match(headers.get('access-control-allow-headers'), /X-Requested-With/, path)
    t.equal((await ask(path, 'https://evil.example')).status, 403, path)
  }
  t.ok((await ask('/printers/found', SHOP)).status >= 400)
})
