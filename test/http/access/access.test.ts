import t from 'tap'
import { createAccess } from '../../../src/http/access/access.ts'
import { startRig } from '../rig.ts'
import { codeOf, OWN_NAMES, sendTo, type Try } from './access-rig.ts'

const LAN = '10.0.0.99'
const EVIL = { origin: 'https://evil.example' }
const FOREIGN_GET = { 'sec-fetch-site': 'cross-site' }
const CREDENTIALS = { username: 'admin', password: 'correct horse' }
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const RIGHT = basic('admin', 'correct horse')
const WRONG = basic('admin', 'wrong')

type Row = readonly [title: string, wanted: string, request: Try]

/** Rows that hold with and without credentials. */
const ALWAYS: readonly Row[] = [
  ['a program prints', 'ok', { method: 'POST', path: '/', from: LAN, host: '10.0.0.7:8080' }],
  ['a page of any site prints', 'ok', { method: 'POST', path: '/', from: LAN, headers: EVIL }],
  ['a sandboxed page prints', 'ok', { method: 'POST', path: '/', headers: { origin: 'null' } }],
  ['any Host prints', 'ok', { method: 'POST', path: '/', host: 'evil.example', headers: EVIL }],
  ['any Host prints a pack list', 'ok', { method: 'POST', path: '/packlist', host: 'x.example' }],
  ['a program reads', 'ok', { path: '/info', from: LAN, host: '10.0.0.7:8080' }],
  ['reading needs an own name', 'HOST_REFUSED', { path: '/info', host: 'evil.example' }],
  ['the page needs an own name', 'HOST_REFUSED', { path: '/', from: LAN, host: 'evil.example' }],
  ['an unknown path needs an own name', 'HOST_REFUSED', { path: '/x', host: 'evil.example' }],
  [
    'a proxy target needs an own name',
    'HOST_REFUSED',
    {
      path: '/info',
      host: 'evil.example',
      headers: { host: 'localhost' },
    },
  ],
  [
    'a Host that is not a host is refused',
    'HOST_REFUSED',
    {
      path: '/info',
      headers: { host: 'me@localhost' },
    },
  ],
  ['a foreign page does not read', 'ORIGIN_REFUSED', { path: '/info', headers: EVIL }],
  ['a foreign script does not read', 'ORIGIN_REFUSED', { path: '/info', headers: FOREIGN_GET }],
  [
    'a sibling port does not read',
    'ORIGIN_REFUSED',
    {
      path: '/info',
      headers: { 'sec-fetch-site': 'same-site' },
    },
  ],
  [
    'a link to the page is followed',
    'ok',
    {
      path: '/',
      headers: { ...FOREIGN_GET, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    },
  ],
  [
    'a link over plain http is followed',
    'ok',
    {
      path: '/',
      from: LAN,
      host: 'bench-3:8080',
      headers: { referer: 'http://intranet.example/' },
    },
  ],
  [
    'a frame of a foreign page is refused',
    'ORIGIN_REFUSED',
    {
      path: '/',
      headers: { ...FOREIGN_GET, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    },
  ],
  ['a program of this machine sees jobs', 'ok', { path: '/jobs' }],
  ['a program of this machine cancels', 'ok', { method: 'POST', path: '/jobs/1/cancel' }],
  ['it may use an own name', 'ok', { method: 'POST', path: '/jobs/1/cancel', host: 'bench-3' }],
  ['a typed address shows jobs', 'ok', { path: '/jobs', headers: { 'sec-fetch-site': 'none' } }],
  ['IPv6 loopback counts', 'ok', { path: '/jobs', from: '::1', host: '[::1]:8080' }],
  ['IPv4 in IPv6 counts', 'ok', { path: '/jobs', from: '::ffff:127.0.0.1' }],
  ['a rebound name does not see jobs', 'HOST_REFUSED', { path: '/jobs', host: 'evil.example' }],
  ['a foreign page does not see jobs', 'ORIGIN_REFUSED', { path: '/jobs', headers: FOREIGN_GET }],
  [
    'a foreign picture is refused by its Referer',
    'ORIGIN_REFUSED',
    {
      path: '/jobs',
      headers: { referer: 'https://evil.example/' },
    },
  ],
  [
    'a foreign form does not cancel',
    'ORIGIN_REFUSED',
    {
      method: 'POST',
      path: '/jobs/1/cancel',
      headers: EVIL,
    },
  ],
  [
    'a foreign page with the right password is refused',
    'ORIGIN_REFUSED',
    {
      method: 'PUT',
      path: '/config',
      headers: { ...EVIL, ...RIGHT },
    },
  ],
  [
    'an own page without token does not cancel',
    'ORIGIN_REFUSED',
    {
      method: 'POST',
      path: '/jobs/1/cancel',
      headers: { origin: 'http://localhost:8080' },
    },
  ],
  [
    'a foreign picture does not shut down',
    'ORIGIN_REFUSED',
    {
      path: '/shutdown',
      headers: FOREIGN_GET,
    },
  ],
  [
    'nor does a foreign link',
    'ORIGIN_REFUSED',
    {
      path: '/shutdown',
      headers: { ...FOREIGN_GET, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    },
  ],
  [
    'a rebound name does not shut down',
    'HOST_REFUSED',
    { path: '/shutdown', host: 'evil.example' },
  ],
  ['a program of this machine shuts down', 'ok', { path: '/shutdown' }],
  [
    'the own page shuts down',
    'ok',
    {
      path: '/shutdown',
      headers: { 'sec-fetch-site': 'same-origin' },
    },
  ],
]

const WITHOUT_CREDENTIALS: readonly Row[] = [
  ['jobs are not for other machines', 'LOCAL_ONLY', { path: '/jobs', from: LAN, host: 'bench-3' }],
  [
    'nor behind a proxy of this machine',
    'LOCAL_ONLY',
    {
      path: '/jobs',
      headers: { 'x-forwarded-for': LAN },
    },
  ],
  ['a program of this machine configures', 'ok', { method: 'PUT', path: '/config' }],
  ['a password that is not set is not asked', 'ok', { path: '/config', headers: WRONG }],
  [
    'another machine does not configure',
    'LOCAL_ONLY',
    {
      method: 'PUT',
      path: '/config',
      from: LAN,
      host: 'bench-3',
    },
  ],
  ['nor does a proxied one', 'LOCAL_ONLY', { path: '/config', headers: { via: '1.1 proxy' } }],
  ['nor one without an address', 'LOCAL_ONLY', { path: '/config', from: '' }],
  ['the settings want the name localhost', 'LOCAL_ONLY', { path: '/config', host: 'bench-3' }],
  [
    'the own page shows the settings',
    'ok',
    {
      path: '/config',
      host: 'bench-3',
      headers: { 'sec-fetch-site': 'same-origin' },
    },
  ],
  [
    'the own page without token does not save',
    'ORIGIN_REFUSED',
    {
      method: 'PUT',
      path: '/config',
      headers: { origin: 'http://localhost:8080' },
    },
  ],
  [
    'the hosts file is no way to shut down',
    'LOCAL_ONLY',
    {
      path: '/shutdown',
      host: 'printserver.local:8080',
    },
  ],
  [
    'another machine does not shut down',
    'LOCAL_ONLY',
    {
      path: '/shutdown',
      from: LAN,
      host: 'bench-3',
    },
  ],
]

const WITH_CREDENTIALS: readonly Row[] = [
  [
    'another machine sees jobs with them',
    'ok',
    {
      path: '/jobs',
      from: LAN,
      host: 'bench-3',
      headers: RIGHT,
    },
  ],
  ['and not without', 'LOGIN_NEEDED', { path: '/jobs', from: LAN, host: 'bench-3' }],
  ['a wrong password is refused here too', 'LOGIN_WRONG', { path: '/jobs', headers: WRONG }],
  [
    'a wrong user is refused',
    'LOGIN_WRONG',
    {
      path: '/jobs',
      headers: basic('root', 'correct horse'),
    },
  ],
  ['this machine needs them to configure', 'LOGIN_NEEDED', { path: '/config' }],
  [
    'a program configures with them',
    'ok',
    {
      method: 'PUT',
      path: '/config',
      from: LAN,
      host: 'bench-3',
      headers: RIGHT,
    },
  ],
  [
    'a rebound name cannot try passwords',
    'HOST_REFUSED',
    {
      path: '/config',
      host: 'evil.example',
      headers: WRONG,
    },
  ],
  [
    'another machine shuts down with them',
    'ok',
    {
      path: '/shutdown',
      from: LAN,
      host: 'bench-3',
      headers: RIGHT,
    },
  ],
  ['and not without', 'LOGIN_NEEDED', { path: '/shutdown', from: LAN, host: 'bench-3' }],
  [
    'the hosts file is no way to shut down',
    'LOGIN_NEEDED',
    {
      path: '/shutdown',
      host: 'printserver.local:8080',
    },
  ],
  [
    'a proxy of this machine is not this machine',
    'LOGIN_NEEDED',
    {
      path: '/shutdown',
      headers: { forwarded: 'for=10.0.0.99' },
    },
  ],
]

for (const [name, config, rows] of [
  ['without credentials', {}, [...ALWAYS, ...WITHOUT_CREDENTIALS]],
  ['with credentials', CREDENTIALS, [...ALWAYS, ...WITH_CREDENTIALS]],
  [
    'with a user name alone, as without',
    { username: 'admin' },
    [...ALWAYS, ...WITHOUT_CREDENTIALS],
  ],
] as const) {
  t.test(name, async (t) => {
    let now = 0
    // So that no wrong password still counts at the next one.
    const tick = (): number => {
      now += 61_000
      return now
    }
    const access = createAccess({ config: () => config, ownNames: () => OWN_NAMES, now: tick })
    const { app, bench } = startRig(t, { parts: { access } })
    for (const [title, wanted, request] of rows) {
      const { status, text } = await sendTo(app, request)
      const isRefused = status === 401 || status === 403
      t.equal(isRefused ? codeOf(text) : 'ok', wanted, `${title}: ${status} ${text.slice(0, 200)}`)
      t.ok(status < 500 && (isRefused || codeOf(text) !== 'ROUTE_UNKNOWN'), `${title}: ${status}`)
    }
    t.same(bench.faults, [])
  })
}
