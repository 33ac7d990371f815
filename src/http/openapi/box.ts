import {
  flag,
  jobCounts,
  json,
  list,
  type Operation,
  object,
  ok,
  orNull,
  ref,
  text,
  time,
  whole,
} from './components.ts'
import { settings, source } from './fields.ts'

const BOX = 'The print server'
const SETTINGS = 'Settings'
const done = ok('Done.', ref('Done'))

/** What the box is, its page, its queues and its settings. */
export function theBox(): readonly Operation[] {
  return [...box(), ...sourcesAndSettings(), ...peers()]
}

function box(): readonly Operation[] {
  const named = object({ name: text(), title: text(), makers: text() })
  const info = object({
    name: text(),
    version: text(),
    host: text(),
    ip: text(),
    names: list(text()),
    port: text(),
    secure_port: text(),
    printer: text('the default printer'),
    available_printers: list(text()),
    languages: list(named),
    formats: {},
    carriers: list(object({ name: text(), title: text(), tested: text() })),
    license: text(),
    uptime: whole('seconds'),
    jobs: jobCounts,
  })
  const health = object(
    { Status: text(), Message: text(), version: text(), warnings: list(text()) },
    ['warnings'],
  )
  const textPage = (path: string, summary: string, type: string): Operation => ({
    method: 'get',
    path,
    tag: BOX,
    refusal: 'Refusal',
    summary,
    answers: [{ status: 200, about: summary, type, schema: text() }],
  })
  return [
    {
      method: 'get',
      path: '/info',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'What this print server is and has',
      answers: ok('Facts.', info),
    },
    {
      method: 'get',
      path: '/healthz',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'Whether labels can be accepted and printed',
      answers: [
        { status: 200, about: 'All is well.', schema: health },
        { status: 503, about: 'Labels cannot be taken.', schema: health },
      ],
    },
    {
      method: 'get',
      path: '/shutdown',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'Stop the print server, or restart it if a service manager does',
      answers: done,
    },
    textPage('/metrics', 'Figures for Prometheus', 'text/plain'),
    textPage(
      '/events',
      'Changes of labels and printers, as Server-Sent Events',
      'text/event-stream',
    ),
    textPage('/', 'The page', 'text/html'),
    textPage('/web/{name}', 'A file of the page', '*/*'),
    textPage('/can-print', 'Whether this browser can print, as a page', 'text/html'),
    textPage('/can-print.js', 'The same as a script for pages of shops', 'text/javascript'),
    mayPrint(),
    {
      method: 'get',
      path: '/openapi.json',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'This description',
      answers: ok('OpenAPI 3.1.', { type: 'object' }),
    },
    {
      method: 'get',
      path: '/session',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'What whoever asks may do',
      answers: ok('The session.', ref('Session')),
    },
    ...(['/login', '/logout'] as const).map(
      (path): Operation => ({
        method: 'post',
        path,
        tag: BOX,
        refusal: 'Refusal',
        summary: path === '/login' ? "Log in from the print server's own page" : 'Log out',
        body: {
          types: {
            'application/x-www-form-urlencoded': {
              type: 'object',
              properties: { username: text(), password: text(), token: text() },
            },
          },
        },
        answers: [
          { status: 200, about: 'The session.', schema: ref('Session') },
          { status: 303, about: 'Back to the page.' },
        ],
      }),
    ),
  ]
}

function mayPrint(): Operation {
  return {
    method: 'post',
    path: '/can-print',
    tag: BOX,
    refusal: 'Refusal',
    security: 'none',
    summary: 'Whether the page that sends this may print; nothing is printed',
    body: { types: { 'application/json': { type: 'object' } }, isOptional: true },
    answers: done,
  }
}

function doors(): Operation {
  const door = object({
    name: text(),
    title: text(),
    key: text('the key of the settings that switches it on'),
    state: text('off, starting, open or failing'),
    places: list(text()),
    message: text(),
    texts: ref('Texts'),
    contact: orNull(text()),
    lines: list(object({ where: text(), line: text(), texts: ref('Texts') })),
  })
  return {
    method: 'get',
    path: '/doors',
    tag: BOX,
    refusal: 'Refusal',
    summary: "The ways in that speak another product's protocol, and how they are",
    answers: ok('Doors, those that are off too.', list(door)),
  }
}

/** Jobs of print dialogs are no labels until their document comes. */
function dialogs(): readonly Operation[] {
  const more = { tag: BOX, refusal: 'Refusal' } as const
  return [
    {
      method: 'get',
      path: '/dialogs',
      ...more,
      summary: 'How many jobs of print dialogs wait for their document',
      answers: ok('Their number.', object({ waiting: whole() })),
    },
    {
      method: 'post',
      path: '/dialogs/cancel',
      ...more,
      summary: 'Cancel the jobs of print dialogs that wait for their document',
      answers: ok(
        'How many were canceled, and how many wait since.',
        object({ Status: text(), canceled: whole(), waiting: whole() }),
      ),
    },
  ]
}

function sourcesAndSettings(): readonly Operation[] {
  const changed = {
    Status: text(),
    Message: text(),
    restart: list(text()),
    warnings: list(text()),
    notes: list(object({ message: text(), texts: list({}) }), 'the same for people'),
  }
  const counts = { texts: ref('Texts'), labels: whole(), known: whole() }
  const admin = { tag: SETTINGS, refusal: 'Refusal', security: 'admin' } as const
  return [
    {
      method: 'get',
      path: '/sources',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'The queues that labels come from, and their status',
      answers: ok('Sources.', list(source)),
    },
    doors(),
    ...dialogs(),
    {
      method: 'post',
      path: '/sources/test',
      ...admin,
      summary: 'Test a queue or the heartbeat',
      body: json({
        type: 'object',
        properties: { queue: { type: 'object' }, index: whole(), heart_beat_url: text() },
      }),
      answers: done,
    },
    {
      method: 'get',
      path: '/config',
      ...admin,
      summary: 'The settings, with their secrets masked',
      answers: ok('Settings.', settings()),
    },
    {
      method: 'put',
      path: '/config',
      ...admin,
      summary: 'Save the settings',
      body: json(settings()),
      answers: ok('What needs a restart.', object(changed)),
    },
    {
      method: 'get',
      path: '/config/schema',
      ...admin,
      summary: 'The keys of the settings, for a form',
      answers: ok('Fields.', list({ type: 'object' })),
    },
    {
      method: 'get',
      path: '/backup',
      ...admin,
      summary: 'The print server in one file',
      answers: [{ status: 200, about: 'A file.', type: 'application/x-ndjson', schema: text() }],
    },
    {
      method: 'post',
      path: '/backup',
      ...admin,
      summary: 'Restore a backup',
      body: { types: { 'application/x-ndjson': text() } },
      answers: ok('What was restored.', object({ ...changed, ...counts })),
    },
    {
      method: 'get',
      path: '/log',
      ...admin,
      summary: 'The last lines of the log, oldest first',
      answers: ok(
        'At most 300, secrets masked.',
        object({
          lines: list(object({ at: time(), line: text(), texts: ref('Texts') }, ['texts'])),
        }),
      ),
    },
    {
      method: 'get',
      path: '/update',
      ...admin,
      summary: 'Whether the print server can update itself, and the last result',
      answers: ok(
        'Updates.',
        object({
          version: text(),
          possible: flag(),
          why_not: text(),
          texts: ref('Texts'),
          last: {},
        }),
      ),
    },
    {
      method: 'post',
      path: '/update',
      ...admin,
      summary: 'Install a newer version when no label is being printed',
      answers: [{ status: 202, about: 'It looks for one.', schema: ref('Done') }],
    },
    {
      method: 'get',
      path: '/trust',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'How to trust the certificate of the print server',
      answers: [{ status: 200, about: 'A page.', type: 'text/html', schema: text() }],
    },
    {
      method: 'get',
      path: '/ca.crt',
      tag: BOX,
      refusal: 'Refusal',
      summary: "The print server's own authority",
      answers: [
        { status: 200, about: 'A file.', type: 'application/x-x509-ca-cert', schema: text() },
      ],
    },
  ]
}

/** Other print servers, paired with this one. */
function peers(): readonly Operation[] {
  const offered = {
    name: text(),
    language: orNull(text()),
    state: text(),
    message: text(),
    waiting: whole(),
  }
  const printer = object({ ...offered, texts: ref('Texts') })
  const peer = object({
    id: text(),
    name: text(),
    address: text(),
    paired: time(),
    message: text(),
    hint: text(),
    detail: text(),
    texts: ref('Texts'),
    contact: orNull(time()),
    printers: list(printer),
    moving: whole('labels on their way'),
  })
  const place = object({ name: text(), address: text(), paired: flag() })
  const admin = { tag: SETTINGS, refusal: 'Refusal', security: 'admin' } as const
  const between = { tag: BOX, refusal: 'Refusal', security: 'none' } as const
  const key = [
    { name: 'X-Platen-Peer', about: 'identity and key of the pairing', schema: text() },
  ] as const
  return [
    {
      method: 'get',
      path: '/peers',
      tag: BOX,
      refusal: 'Refusal',
      summary: 'The paired print servers and their printers, queried now',
      answers: ok('Print servers.', object({ name: text(), possible: flag(), peers: list(peer) })),
    },
    {
      method: 'post',
      path: '/peers',
      ...admin,
      summary: 'Pair with the print server that shows a code',
      body: json(object({ address: text(), code: text() })),
      answers: [
        {
          status: 201,
          about: 'Paired.',
          schema: object({ Status: text(), Message: text(), peer }),
        },
      ],
    },
    {
      method: 'post',
      path: '/peers/code',
      ...admin,
      summary: 'Show a pairing code to type on the other print server',
      answers: ok('The code.', object({ code: text(), seconds: whole() })),
    },
    {
      method: 'post',
      path: '/peers/find',
      ...admin,
      summary: 'Look for print servers on the network (mDNS)',
      answers: ok('Print servers.', object({ found: list(place) })),
    },
    {
      method: 'post',
      path: '/peers/{id}/remove',
      ...admin,
      summary: 'Forget a paired print server',
      answers: done,
    },
    {
      method: 'get',
      path: '/peers/hello',
      ...between,
      summary: 'Between print servers: who is there',
      answers: ok('Its name.', object({ name: text() })),
    },
    {
      method: 'post',
      path: '/peers/join',
      ...between,
      summary: 'Between print servers: prove the pairing code',
      body: json({ type: 'object' }),
      answers: ok('Proof and key.', { type: 'object' }),
    },
    {
      method: 'get',
      path: '/peers/printers',
      ...between,
      headers: key,
      summary: 'Between print servers: printers, and a ticket for handing over',
      answers: ok(
        'Printers.',
        object({ id: text(), name: text(), ticket: text(), printers: list(object(offered)) }),
      ),
    },
    {
      method: 'post',
      path: '/peers/withdraw',
      ...between,
      headers: key,
      summary: 'Between print servers: refuse a label permanently, unless it was accepted',
      body: json(object({ key: text(), ticket: text() })),
      answers: ok('Whether it was.', object({ taken: flag(), jobs: list({ type: 'object' }) })),
    },
  ]
}
