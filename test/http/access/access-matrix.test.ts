import t from 'tap'
import { isLong } from '../../suite/long.ts'
import { codeOf, createRig } from './access-rig.ts'

// Every combination of what a request can show, judged by statements that are simpler than the rules they hold.

const CREDENTIALS = { username: 'admin', password: 'correct horse' }
const HOSTS = ['localhost:8080', '127.0.0.1', 'bench-3:8080', '[FE80::1]', 'evil.example', 'a@b']
const OWN_HOSTS = new Set(HOSTS.slice(0, 4))
const LOCAL_HOSTS = new Set(HOSTS.slice(0, 2))
const FACES = {
  host: HOSTS,
  origin: ['absent', 'same', 'null', 'https://evil.example'],
  site: ['absent', 'none', 'same-origin', 'same-site', 'cross-site'],
  route: [
    'print POST /',
    'print POST /packlist',
    'read GET /info',
    'labels GET /jobs',
    'labels POST /jobs/1/cancel',
    'operate GET /printers/found',
    'operate POST /printers/1/test',
    'admin GET /config',
    'admin PUT /config',
    'shutdown GET /shutdown',
  ],
  login: ['absent', 'right', 'wrong'],
  remote: ['here', 'afar', 'proxied'],
  page: ['none', 'cookie', 'cookie and token'],
} as const

/** The faces of one request. */
type Case = Readonly<Record<keyof typeof FACES, string>>

const CASES: readonly Case[] = Object.entries(FACES).reduce<object[]>(
  (cases, [name, values]) =>
    cases.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
  [{}],
) as Case[]
// This stride shares no factor with the number of any face's values: it meets every three of them together.
const STRIDE = isLong ? 1 : 7
const TRIED = CASES.filter((_, index) => index % STRIDE === 0)

/** A case, its outcome, and what follows from it at once. */
function look(one: Case, code: string, hasCredentials: boolean) {
  const [kind = '', method = ''] = one.route.split(' ')
  const isForeignSite = one.site === 'same-site' || one.site === 'cross-site'
  const isForeignOrigin = one.origin === 'null' || one.origin === 'https://evil.example'
  return {
    kind,
    code,
    hasCredentials,
    passed: code === 'ok',
    isOwnHost: OWN_HOSTS.has(one.host),
    isLocalHost: LOCAL_HOSTS.has(one.host),
    isForeign: isForeignSite || isForeignOrigin,
    isHere: one.remote === 'here',
    isChange: method !== 'GET',
    isRight: hasCredentials && one.login === 'right',
    isWrong: hasCredentials && one.login === 'wrong' && kind !== 'print' && kind !== 'read',
    isBrowser: one.origin === 'same' || one.site === 'same-origin',
    hasPage: one.page !== 'none',
    hasToken: one.page === 'cookie and token',
  }
}

type Look = ReturnType<typeof look>
type Statement = readonly [
  name: string,
  when: (one: Look) => boolean,
  holds: (one: Look) => boolean,
]

const passes = (one: Look) => one.passed
const isRefused = (one: Look) => !one.passed
const isClean = (one: Look) => one.isOwnHost && !one.isForeign && !one.isWrong

const IS_BENCH = new Set(['operate', 'labels'])
const isOpenLabels = (one: Look) => one.kind === 'labels' && !one.hasCredentials

const STATEMENTS: readonly Statement[] = [
  ['printing is open', (o) => o.kind === 'print', passes],
  [
    'another name is refused',
    (o) => o.kind !== 'print' && !o.isOwnHost,
    (o) => o.code === 'HOST_REFUSED',
  ],
  [
    'a foreign page only prints',
    (o) => o.kind !== 'print' && o.isForeign && o.isOwnHost,
    (o) => o.code === 'ORIGIN_REFUSED',
  ],
  ['all others read', (o) => o.kind === 'read' && isClean(o), passes],
  ['a wrong password never passes', (o) => o.isWrong, isRefused],
  ['the right one always does', (o) => o.isRight && isClean(o), passes],
  [
    'the settings need it when there is one',
    (o) => o.kind === 'admin' && o.hasCredentials && !o.isRight,
    isRefused,
  ],
  [
    'the settings are for this machine when there is none',
    (o) => o.kind === 'admin' && !o.hasCredentials && !o.isHere,
    isRefused,
  ],
  [
    'shutdown is for this machine or with the password',
    (o) => o.kind === 'shutdown' && !o.isHere && !o.isRight,
    isRefused,
  ],
  [
    'shutdown wants the page, the password or the name localhost',
    (o) => o.kind === 'shutdown' && !o.isRight && !o.hasToken && !o.isLocalHost,
    isRefused,
  ],
  [
    'from afar benches need the page or the password',
    (o) => IS_BENCH.has(o.kind) && !o.isHere && !o.isRight && !o.hasPage && !o.isBrowser,
    isRefused,
  ],
  [
    'a page changes nothing without its token',
    (o) => o.kind !== 'print' && o.isChange && o.isBrowser && !o.isRight && !o.hasToken,
    isRefused,
  ],
  [
    'the page with its token works',
    (o) => (o.kind === 'operate' || isOpenLabels(o)) && o.hasToken && isClean(o),
    passes,
  ],
  [
    'a program of this machine works',
    (o) =>
      o.kind !== 'admin' &&
      o.isHere &&
      o.isLocalHost &&
      !o.isBrowser &&
      isClean(o) &&
      (o.kind !== 'labels' || !o.hasPage || isOpenLabels(o)),
    passes,
  ],
  [
    'labels need the password where there is one, but for programs of this machine',
    (o) =>
      o.kind === 'labels' &&
      o.hasCredentials &&
      !o.isRight &&
      (!o.isHere || o.hasPage || o.isBrowser),
    isRefused,
  ],
  [
    'it configures too while there is no password',
    (o) => !o.hasCredentials && o.isHere && o.isLocalHost && !o.isBrowser && isClean(o),
    passes,
  ],
]

/** The request that shows a case; `own` are the cookie and the token of the box's page. */
function requestOf(one: Case, own: { readonly cookie: string; readonly token: string }) {
  const [, method = '', path = ''] = one.route.split(' ')
  const password = one.login === 'right' ? CREDENTIALS.password : 'x'
  const basic = Buffer.from(`admin:${password}`).toString('base64')
  const shown: Readonly<Record<string, string | false>> = {
    host: one.host,
    origin: one.origin === 'same' ? `http://${one.host}` : one.origin !== 'absent' && one.origin,
    'sec-fetch-site': one.site !== 'absent' && one.site,
    authorization: one.login !== 'absent' && `Basic ${basic}`,
    'x-forwarded-for': one.remote === 'proxied' && '10.0.0.99',
    'x-platen-token': one.page === 'cookie and token' && own.token,
    cookie: one.page !== 'none' && own.cookie,
  }
  const headers = Object.fromEntries(
    Object.entries(shown).filter((entry): entry is [string, string] => entry[1] !== false),
  )
  const host = one.host === 'a@b' ? 'localhost' : one.host
  return { method, path, host, headers, from: one.remote === 'afar' ? '10.0.0.99' : '127.0.0.1' }
}

for (const hasCredentials of [false, true]) {
  t.test(`${TRIED.length} requests, password ${hasCredentials ? 'set' : 'not set'}`, async (t) => {
    let now = 0
    const tick = () => {
      now += 61_000 // so that no wrong password still counts at the next one
      return now
    }
    const { send, openPage } = createRig({
      config: () => (hasCredentials ? CREDENTIALS : {}),
      now: tick,
    })
    const own = await openPage()
    const broken: string[] = []
    for (const one of TRIED) {
      const { text } = await send(requestOf(one, own))
      const seen = look(one, codeOf(text), hasCredentials)
      for (const [name, when, holds] of STATEMENTS) {
        if (when(seen) && !holds(seen)) broken.push(`${name}: ${JSON.stringify(one)} ${seen.code}`)
      }
    }
    t.strictSame(broken.slice(0, 5), [], `${broken.length} broken`)
  })
}
