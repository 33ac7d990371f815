import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  createServer as createWebServer,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { json as readJson, text as readText } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Keys } from '../../src/http/access/keys.ts'
import { ENTRIES, startServer } from '../e2e/server.ts'
import { findClosedPort } from '../listen.ts'
import { openHttps } from '../plugins/shipping/https-stand-in.ts'

const FOLDER = join(import.meta.dirname, '../../clients')
const GOLDEN = readFileSync(join(import.meta.dirname, 'golden.json'), 'utf8')

const CALL = '[{"carrier":"local","action":"Track","params":{"a":1}}]'

/** The programs that run a file of each language. */
const LANGUAGES: Readonly<Record<string, readonly [program: string, ending: string]>> = {
  node: [process.execPath, 'mjs'],
  perl: ['perl', 'pl'],
  php: ['php', 'php'],
  python: ['/usr/bin/python3', 'py'],
  ruby: ['ruby', 'rb'],
}

/** A sentence where the interpreter is missing. */
function missing(program: string): string | false {
  return spawnSync(program, ['--version']).error === undefined
    ? false
    : `${program} is missing: apt-get install it`
}

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(
  [program, ...flags]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Ran> {
  const child = spawn(program, flags, {
    env: {
      PATH: process.env['PATH'] ?? '',
      PYTHONPATH: join(FOLDER, 'python'),
      LANG: 'C.UTF-8',
      ...env,
    },
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const [out, err] = await Promise.all([readText(child.stdout), readText(child.stderr)])
  return { code: await ended, out, err }
}

/** The real server with a virtual printer, and a key of it. */
async function startPrintServer(t: Test) {
  const folder = t.testdir()
  const [entry] = ENTRIES
  const server = await startServer(t, {
    folder,
    config: {},
    flags: ['--demo'],
    ...(entry && { entry }),
  })
  // Where startServer has the program keep its state.
  const { key } = new Keys(join(folder, 'state')).add('shop')
  return { server, key, folder }
}

/** A web server on a free port, whatever it answers. */
async function openPlain(t: Test, host: string, listener: RequestListener) {
  const server = createWebServer(listener)
  server.listen(0, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return server.address() as AddressInfo
}

const hasIPv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
)
const noIPv6 = hasIPv6 ? false : 'this computer has no IPv6'

const DIFFERENT: ReadonlySet<string> = new Set(
  'id job_id secret request_id state delivery state_reasons message hint'.split(' '),
)

/** Finds the failure; what a refund reports on its labels depends on whether they still waited. */
function failureIn(errors: unknown): unknown {
  return Array.isArray(errors) ? errors.find(({ type }) => type === 'ERROR') : undefined
}

const noScript = missing('script')

/** Hands a call on to the print server. */
async function forward(address: string, path: string, key: string, body: string) {
  const res = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body,
  })
  return { status: res.status, text: await res.text() }
}

/** Replaces values that differ from run to run. */
function steady(line: string): unknown {
  return JSON.parse(line, (name, value: unknown) => {
    if (name === 'label') return 'a label'
    if (DIFFERENT.has(name)) return name
    if (name === 'errors') return failureIn(value)
    if (name === 'values' && Array.isArray(value)) return {} // PHP has no empty object
    if (typeof value !== 'string') return value
    return value
      .replace(/PL9\d+/g, 'PL9')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, 'a time')
  })
}

/** Results of the golden calls, in any language. */
const EXPECTED = [
  { meta: { code: 200 }, data: { errors: null, rates: [{ service_code: 'PICKUP', rate: 0 }] } },
  {
    data: {
      charges: 7.21,
      packages: [{ print: { job_id: /./ } }, { label: /^XlhB/, print: { job_id: /./ } }],
    },
  },
  { data: { status: 'Label created', packages: [{ activity: [{ status_code: 'LC' }] }, {}] } },
  { data: { status: 'Success', status_code: '1' } },
  { data: { errors: [{ code: 1409, type: 'ERROR' }], status: '' } },
  { data: { errors: [{ code: 1102, field: 'weight' }], rates: null } },
  { raised: { code: 400, message: /"pigeon"/ } },
  { Status: 'OK', jobs: [{ format: 'zpl' }] },
  { Status: 'Error', code: 'PRINTER_UNKNOWN' },
]

/** Answers of a print server that is ended in the middle of its answer, and of a server that is not a web server at all. */
const BROKEN = {
  'no end':
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"meta":',
  'no end of a piece':
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n63\r\n{"meta":',
  'another protocol': 'SSH-2.0-OpenSSH_9.9\r\n',
  nothing: '',
} as const

/** A purchase, as the clients of the tests send it. */
const BUY = JSON.parse(GOLDEN)[1]

/** Fates of a request before the server answers: the client does not hear what was bought. */
const LOSSES: Readonly<Record<string, (answer: ServerResponse) => void>> = {
  'the connection breaks': (answer) => answer.destroy(),
  'half of the answer comes': (answer) => {
    answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
    answer.write('{"meta":{"code":200},', () => answer.destroy())
  },
  'a gateway gives up': (answer) => void answer.writeHead(504).end('<html>Gateway Time-out</html>'),
  'the server is busy': (answer) => {
    const body = { meta: { code: 503, error_message: 'Busy.' }, data: null }
    answer.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  },
}

let reference: readonly unknown[] | undefined

for (const [language, [program, ending]] of Object.entries(LANGUAGES)) {
  const example = join(FOLDER, language, `example.${ending === 'mjs' ? 'js' : ending}`)
  const driver = join(import.meta.dirname, `drive.${ending}`)

  t.test(`the ${language} client`, { skip: missing(program) }, async (t) => {
    const { server, key } = await startPrintServer(t)
    const env = { BASE_URL: `${server.address}//`, API_KEY: key }

    const first = await run([program, example], env)
    t.same(first, { code: 0, out: 'PICKUP\n', err: '' }, 'its example prints the first service')

    const wrong = await run([program, example], { ...env, API_KEY: 'pk_wrong' })
    t.not(wrong.code, 0)
    t.equal(wrong.out, '')
    t.match(wrong.err, 'Invalid API key')

    const off = `http://127.0.0.1:${await findClosedPort()}`
    const nobody = await run([program, driver], { ...env, BASE_URL: off, TRIES: '1' }, GOLDEN)
    const [told = '{}'] = nobody.out.split('\n')
    t.match(JSON.parse(told), { raised: { code: 0, message: /^Unable to reach the shipping API/ } })

    const golden = await run([program, driver], env, GOLDEN)
    t.equal(golden.err, '')
    const lines = golden.out.trimEnd().split('\n')
    t.equal(lines.length, EXPECTED.length)
    for (const [n, wanted] of EXPECTED.entries()) t.match(JSON.parse(lines[n] ?? '{}'), wanted)
    const seen = lines.map(steady)
    reference ??= seen
    t.same(seen, reference, 'the same answers as in every other language')
  })

  t.test(`the ${language} client and broken answers`, { skip: missing(program) }, async (t) => {
    for (const [what, answer] of Object.entries(BROKEN)) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => socket.end(answer))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const env = { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'key', TRIES: '1' }
      const { out, err } = await run([program, driver], env, CALL)
      server.close()
      const raised = { code: 0, message: /^Unable to reach the shipping API/ }
      t.match(JSON.parse(out || '{}'), { raised }, `${what}: ${err}`)
    }
  })

  t.test(`the ${language} client over IPv6`, { skip: missing(program) || noIPv6 }, async (t) => {
    const { port } = await openPlain(t, '::1', (_, answer) => answer.end('{"data":{"is":"here"}}'))
    const env = { BASE_URL: `http://[::1]:${port}`, API_KEY: 'key' }
    const { out, err } = await run([program, driver], env, CALL)
    t.match(JSON.parse(out || '{}'), { data: { is: 'here' } }, err)
  })

  t.test(`the ${language} client asks nobody else`, { skip: missing(program) }, async (t) => {
    const asked: (string | undefined)[] = []
    const other = await openPlain(t, '127.0.0.1', ({ method, url }, answer) => {
      asked.push(`${method} ${url}`)
      answer.end('{"data":{"is":"elsewhere"}}')
    })
    const elsewhere = `http://127.0.0.1:${other.port}`
    const own = await openPlain(t, '127.0.0.1', (_, answer) =>
      answer.writeHead(302, { location: `${elsewhere}/v1` }).end(),
    )
    const env = { BASE_URL: `http://127.0.0.1:${own.port}`, API_KEY: 'key' }
    const raised = { code: 0, message: /^Unable to reach the shipping API/ }
    const sent = await run([program, driver], env, CALL)
    t.match(JSON.parse(sent.out || '{}'), { raised }, 'where it is sent on to')
    const proxies = { http_proxy: elsewhere, all_proxy: elsewhere, ALL_PROXY: elsewhere }
    const behind = await run([program, driver], { ...env, ...proxies }, CALL)
    t.match(JSON.parse(behind.out || '{}'), { raised }, 'the proxy of the web')
    t.same(asked, [])
  })

  t.test(`the ${language} client over https`, { skip: missing(program) }, async (t) => {
    const web = await openHttps((request, answer) => {
      void readJson(request).then((call) =>
        answer.end(JSON.stringify({ meta: {}, data: { call } })),
      )
    })
    t.teardown(() => web.close())
    const file = join(t.testdir(), 'ca.crt')
    writeFileSync(file, web.authority)
    const env = { BASE_URL: web.origin, API_KEY: 'key' }
    const trusted = await run([program, driver], { ...env, CA_FILE: file }, CALL)
    t.match(
      JSON.parse(trusted.out || '{}'),
      { data: { call: { action: 'Track', params: { a: 1 } } } },
      trusted.err,
    )
    const foreign = await run([program, driver], env, CALL)
    t.match(JSON.parse(foreign.out || '{}'), { raised: { code: 0 } }, 'not without the authority')
  })
  t.test(`the ${language} client and lost answers`, { skip: missing(program) }, async (t) => {
    const seen: { readonly action: string; readonly request_id?: string }[] = []
    let lose: ((answer: ServerResponse) => void)[] = []
    const { port } = await openPlain(t, '127.0.0.1', (request, answer) => {
      void readJson(request).then((call) => {
        seen.push(call as (typeof seen)[number])
        const loss = lose.shift()
        if (loss !== undefined) loss(answer)
        else answer.end(JSON.stringify({ meta: { code: 200, error_message: '' }, data: {} }))
      })
    })
    const env = { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'key' }
    const send = async (calls: readonly object[], more = {}) => {
      seen.length = 0
      const { out, err } = await run([program, driver], { ...env, ...more }, JSON.stringify(calls))
      t.equal(err, '', 'nothing is said where no terminal is')
      return out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    }

    lose = Object.values(LOSSES).slice(0, 2)
    t.match(await send([BUY]), [{ meta: { code: 200 } }])
    const [first] = seen
    t.match(first?.request_id, /^[\w-]{16,}$/, 'it makes an id')
    t.same(seen, [first, first, first], 'and the same call with it until an answer comes')

    for (const [what, loss] of Object.entries(LOSSES)) {
      lose = [loss]
      t.match(await send([{ ...BUY, request_id: 'order-7' }]), [{ meta: { code: 200 } }], what)
      t.same(
        seen.map((one) => one.request_id),
        ['order-7', 'order-7'],
        what,
      )
    }

    await send([BUY, BUY, { ...BUY, action: 'VoidShipment' }, { ...BUY, action: 'Track' }])
    t.equal(new Set(seen.map((one) => one.request_id)).size, 4, 'each purchase its own')
    t.equal(seen[3]?.request_id, undefined)

    lose = Array.from({ length: 9 }, () => LOSSES['the connection breaks'] as () => void)
    t.match(await send([BUY], { TRIES: '2' }), [
      { raised: { code: 0, message: /^Unable to reach/ } },
    ])
    t.equal(seen.length, 2, 'not forever')
  })

  t.test(
    `the ${language} client and a server that is started again`,
    { skip: missing(program) },
    async (t) => {
      const { server, key } = await startPrintServer(t)
      const asked: string[] = []
      // In front of it: it dies with the first answer, and is there again a moment later.
      const open = async (port: number) => {
        const front = createWebServer((request, answer) => {
          void readText(request).then(async (body) => {
            asked.push(body)
            const { status, text } = await forward(server.address, request.url ?? '', key, body)
            if (asked.length === 1) {
              front.closeAllConnections()
              front.close(() => setTimeout(() => void open(where), 700))
            } else answer.writeHead(status, { 'content-type': 'application/json' }).end(text)
          })
        })
        front.listen(port, '127.0.0.1')
        await once(front, 'listening')
        t.teardown(() => front.close())
        const where = (front.address() as AddressInfo).port
        return where
      }
      const port = await open(0)
      const env = { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: key }
      const { out } = await run([program, driver], env, JSON.stringify([BUY]))
      t.match(JSON.parse(out), { data: { packages: [{ label: /^XlhB/ }, {}] } })
      t.equal(asked.length, 2)
      const listed = await fetch(`${server.address}/v1/shipments`, {
        headers: { 'x-api-key': key },
      })
      t.match(await listed.json(), { data: { shipments: { length: 1 } } }, 'bought once')
    },
  )

  t.test(
    `the ${language} client on a terminal`,
    { skip: missing(program) || noScript },
    async (t) => {
      let isLost = false
      const { port } = await openPlain(t, '127.0.0.1', (_, answer) => {
        isLost = !isLost
        if (isLost) answer.destroy()
        else setTimeout(() => answer.end('{"meta":{},"data":{}}'), 200)
      })
      const file = join(t.testdir(), 'calls.json')
      writeFileSync(file, JSON.stringify([BUY]))
      const env = { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'key', CALLS: file }
      const command = `"${program}" "${driver}" < "$CALLS" > /dev/null`
      const { out } = await run(['script', '-qec', command, '/dev/null'], env)
      t.match(out, /LOCAL submitshipment: no answer \(.*\); asking again, try 2 of 5/)
      t.ok(out.endsWith('\r\u001b[K'), 'and clears its line at the end')
    },
  )
}
