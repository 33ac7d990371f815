import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readJobs } from '../../src/http/backup-file.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { type Answer, base64, type Server, startServer, type WireJob } from '../e2e/server.ts'
import { until } from '../until.ts'

t.setTimeout(300_000)

const label = (mark: string): string => `^XA^FD${mark}^FS^XZ`

/** A server whose printer is off, or prints into the sink. */
async function startBox(t: Test, folder: string, uri: string, more: object = {}): Promise<Server> {
  const printers = [{ name: 'Bench', uri, language: 'zpl' }]
  return await startServer(t, { folder, config: { printers, ...more } })
}

async function print(server: Server, mark: string, key?: string): Promise<Answer> {
  const headers = { prefer: 'wait=0', ...(key === undefined ? {} : { 'idempotency-key': key }) }
  const response = await server.post('/', { labels: [base64(label(mark))] }, headers)
  return (await response.json()) as Answer
}

async function download(server: Server): Promise<string> {
  const response = await server.get('/backup')
  t.equal(response.status, 200)
  return await response.text()
}

async function upload(server: Server, file: string | Buffer) {
  const response = await fetch(`${server.address}/backup`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  })
  return { status: response.status, ...((await response.json()) as Record<string, unknown>) }
}

async function jobs(server: Server): Promise<readonly WireJob[]> {
  return (await (await server.get('/jobs')).json()) as readonly WireJob[]
}

/** Lines with an end that fits them, as somebody who knows the format would forge it. */
function seal(lines: readonly string[]): string {
  const body = lines.map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  return `${body}${JSON.stringify({ type: 'end', lines: lines.length, sha256 })}\n`
}

t.test(
  'another box takes over settings, secrets and labels, and prints none by itself',
  async (t) => {
    const folder = t.testdir()
    const off = 'socket://127.0.0.1:9'
    const old = await startBox(t, join(folder, 'old'), off, {
      heart_beat_url: 'http://127.0.0.1:9/',
      job_retention_hours: 7,
    })
    const sent = [
      await print(old, 'one', 'key-1'),
      await print(old, 'two'),
      await print(old, 'three'),
    ]
    await old.post(`/jobs/${sent[2]?.jobs[0]?.id}/cancel`)
    const response = await old.get('/backup')
    t.match(
      response.headers.get('content-disposition'),
      /^attachment; filename="platen-.*\.backup"$/,
    )
    const file = await response.text()
    t.equal((await fetch(`${old.address}/backup`, { method: 'HEAD' })).status, 200)
    t.equal(await old.stop(), 0)

    const sink = await TcpSink.openFor(t)
    const box = await startBox(t, join(folder, 'new'), sink.uri)
    const restored = await upload(box, file)
    t.match(restored, {
      status: 200,
      Status: 'OK',
      labels: 2,
      known: 0,
      Message: /2 labels were restored/,
    })
    const config = JSON.parse(readFileSync(join(folder, 'new', 'config.json'), 'utf8'))
    t.match(config, { job_retention_hours: 7, heart_beat_url: 'http://127.0.0.1:9/' })
    const held = await jobs(box)
    t.equal(held.length, 2)
    for (const job of held) {
      t.match(job, { state: 'pending-held', reasons: ['platen-interrupted', 'platen-restored'] })
      t.match(job.message, /restored from a backup/)
    }
    t.notOk(existsSync(join(folder, 'new', 'state', 'restore.tmp')))

    await t.test('a program that sends its label again gets the restored one', async (t) => {
      const again = await print(box, 'one', 'key-1')
      t.same(
        again.jobs.map(({ state }) => state),
        ['pending-held'],
      )
      t.equal((await jobs(box)).length, 2)
    })

    await t.test('the same backup again brings nothing twice', async (t) => {
      t.match(await upload(box, file), { status: 200, labels: 0, known: 2 })
      t.equal((await jobs(box)).length, 2)
    })

    await t.test('a person says what came out', async (t) => {
      const [two, one] = held.map(({ id }) => id)
      await box.post(`/jobs/${one}/resolve`, { printed: true })
      await box.post(`/jobs/${two}/cancel`)
      t.match(await upload(box, file), { labels: 0, known: 2 }, 'and it stays so')
      t.same(
        (await jobs(box)).map(({ state }) => state),
        ['canceled', 'completed'],
      )
    })
    const got = sink.connections.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))
    t.match(got.join(''), /^(?:~HS)*$/, 'it was asked how it is, and nothing was printed')
  },
)

t.test('a box that restores its own backup has its labels already', async (t) => {
  const server = await startBox(t, t.testdir(), 'socket://127.0.0.1:9')
  await print(server, 'one')
  const file = await download(server)
  t.match(await upload(server, file), {
    status: 200,
    labels: 0,
    known: 1,
    Message: /1 label was here already/,
  })
  t.equal((await jobs(server)).length, 1)
})

t.test('the answer says that the login is another one now', async (t) => {
  const folder = t.testdir()
  const uri = 'socket://127.0.0.1:9'
  const login = { username: 'else', password: 'correct horse battery' }
  const old = await startBox(t, join(folder, 'old'), uri, login)
  const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  const response = await fetch(`${old.address}/backup`, { headers: { authorization } })
  const file = await response.text()
  const box = await startBox(t, join(folder, 'new'), uri)
  t.match(await upload(box, file), { status: 200, Message: /user name and password of the backup/ })
  t.match(await upload(box, file), { status: 401 })
  const same = await startBox(t, join(folder, 'same'), uri)
  const other = await startBox(t, join(folder, 'x'), uri)
  const { Message } = (await upload(same, await download(other))) as { Message?: string }
  t.notMatch(Message ?? '', /password/)
})

t.test('a box of the same name is trusted as the dead one was', async (t) => {
  const folder = t.testdir()
  const authority = (name: string) =>
    readFileSync(join(folder, name, 'state', 'tls', 'authority.pem'), 'utf8')
  const more = { use_ssl: true, secure_port: '0' }
  const old = await startBox(t, join(folder, 'old'), 'socket://127.0.0.1:9', more)
  const file = await download(old)
  const box = await startBox(t, join(folder, 'new'), 'socket://127.0.0.1:9', more)
  t.not(authority('old'), authority('new'))
  t.match(await upload(box, file), {
    restart: ['certificates'],
    Message: /at the next start/,
  })
  t.equal(authority('old'), authority('new'))
  t.match(readdirSync(join(folder, 'new', 'state', 'tls')), /authority\.old\.pem/)
  t.match(await upload(box, file), { restart: [] })
})

t.test(
  'a backup without the authority is told in the log: clients would have to trust another',
  async (t) => {
    const folder = t.testdir()
    const server = await startBox(t, folder, 'socket://127.0.0.1:9')
    const told = 'backup without the certificate authority'
    await download(server)
    t.notMatch(server.log(), told, 'without HTTPS there is none')
    mkdirSync(join(folder, 'state/tls/authority.pem'), { recursive: true }) // as a bad block of the card
    t.notMatch(await download(server), '"type":"authority"')
    t.match(server.log(), told)
  },
)

t.test('a damaged or hostile file is refused whole', async (t) => {
  const folder = t.testdir()
  const server = await startBox(t, folder, 'socket://127.0.0.1:9')
  await print(server, 'one', 'key-1')
  const file = await download(server)
  const lines = file.trimEnd().split('\n').slice(0, -1)
  t.equal(seal(lines), file, 'the test seals as the server does')
  const job = JSON.parse(lines.find((line) => line.startsWith('{"type":"job"')) ?? '{}')
  const forge = (change: object) =>
    seal(
      lines.map((line) =>
        line.includes('"type":"job"') ? JSON.stringify({ ...job, id: 'zzzz-9', ...change }) : line,
      ),
    )
  const config = (value: unknown) =>
    seal(
      lines.map((line) =>
        line.includes('"type":"config"') ? JSON.stringify({ type: 'config', value }) : line,
      ),
    )
  const before = readFileSync(join(folder, 'config.json'), 'utf8')
  const files: Readonly<Record<string, string | Buffer>> = {
    empty: '',
    'no backup': 'hello',
    'a picture': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'cut at a line': `${lines.join('\n')}\n`,
    'cut in the end': file.slice(0, -20),
    'a line less': seal(lines).replace(`${lines.at(-1)}\n`, ''),
    'one letter changed': file.replace('"port"', '"pork"'),
    'more behind the end': `${file}${lines[0]}\n`,
    'a newer format': seal(lines.map((line) => line.replace('"format":1', '"format":2'))),
    'no head': seal(lines.slice(1)),
    'no settings': seal(lines.filter((line) => !line.includes('"type":"config"'))),
    'a second head': seal([...lines, lines[0] ?? '']),
    'an unknown line': seal([...lines, '{"type":"shell","run":"true"}']),
    'a label that is not base64': forge({ label: '!!!!' }),
    'a label without bytes': forge({ label: '' }),
    'an unknown language': forge({ format: 'webp' }),
    'an odd id': forge({ id: "1' OR 1" }),
    'a key too much': forge({ state: 'pending' }),
    'options of another kind': forge({ options: { printer: 7 } }),
    'a long name': forge({ printer: 'x'.repeat(400) }),
    'printers of another kind': seal([...lines, '{"type":"printers","text":"[7]"}']),
    'printers that are not JSON': seal([...lines, '{"type":"printers","text":"x"}']),
    'wrong settings': config({ port: 'ninety' }),
    'deep nesting': seal([...lines, '['.repeat(100_000)]),
    'a tree of hundreds of thousands': seal([
      ...lines,
      `{"type":[${'{"a":1},'.repeat(200_000)}1]}`,
    ]),
    'settings twice': seal([...lines, lines.find((line) => line.includes('"config"')) ?? '']),
    'an authority twice': seal([
      ...lines,
      '{"type":"authority","text":"a"}',
      '{"type":"authority","text":"b"}',
    ]),
    'a line without end': Buffer.alloc(30_000_000, 'x'),
  }
  for (const [name, bytes] of Object.entries(files)) {
    const answer = await upload(server, bytes)
    t.match(
      answer,
      { status: 400, Status: 'Error', code: /^(BACKUP_BROKEN|CONFIG_INVALID)$/ },
      name,
    )
    t.notMatch(JSON.stringify(answer), 'FDone', 'nothing of a label is told')
  }
  t.equal((await jobs(server)).length, 1)
  t.equal(readFileSync(join(folder, 'config.json'), 'utf8'), before)
  t.match(
    await upload(server, forge({ repeat: null })),
    { status: 200, labels: 1 },
    'the forged one itself was in order',
  )
  await until('the label', async () => ((await jobs(server)).length === 2 ? true : undefined))
})

t.test('while a file of many lines is read others get their turn', async (t) => {
  const head = { type: 'platen-backup', format: 1, version: '1', made: 'today' }
  const keys = Array.from({ length: 3_200 }, (_, n) => ({
    type: 'repeat',
    key: `k${n}`,
    fingerprint: 'f',
  }))
  const lines = [head, { type: 'config', value: {} }, ...keys].map((line) => JSON.stringify(line))
  const file = join(t.testdir({ file: seal(lines) }), 'file')
  let [sinceTurn, most, all] = [0, 0, 0]
  const turn = () => {
    sinceTurn = 0
    if (all < keys.length) setImmediate(turn)
  }
  setImmediate(turn)
  for await (const line of readJobs(file, 1_000_000)) {
    sinceTurn += line.type === 'repeat' ? 1 : 0
    most = Math.max(most, sinceTurn)
    all += 1
  }
  t.equal(all, keys.length)
  t.ok(most < 500, `${most} lines in one turn`)
})

t.test('a label of the largest request comes back from its own backup', async (t) => {
  const folder = t.testdir()
  const old = await startBox(t, join(folder, 'old'), 'socket://127.0.0.1:9')
  const most = 16 * 2 ** 20 - 1_000 // less what multipart adds
  const whole = Buffer.alloc(most, `^XA^FD one ^FS^XZ^FX${' '.repeat(1_000)}\n`)
  const form = new FormData()
  form.set('label', new Blob([whole]))
  const headers = { prefer: 'wait=0' }
  const sent = await fetch(`${old.address}/`, { method: 'POST', headers, body: form })
  t.equal(sent.status, 202)
  await print(old, 'two')
  const file = await download(old)
  t.match(await upload(old, file), { status: 200, labels: 0, known: 2 })
  const box = await startBox(t, join(folder, 'new'), 'socket://127.0.0.1:9')
  t.match(await upload(box, file), { status: 200, labels: 2 })
  // Not by t.match: a failure would write out 22 MB.
  t.ok((await download(box)).includes(`"label":"${whole.toString('base64')}"`))
})

t.test('many labels, and large ones, go through with little memory', async (t) => {
  const folder = t.testdir()
  const old = await startBox(t, join(folder, 'old'), 'socket://127.0.0.1:9')
  const large = base64(`^XA^FX${'.'.repeat(1_500_000)}^FS^XZ`)
  for (let n = 0; n < 8; n += 1)
    await old.post('/', { labels: [large, large] }, { prefer: 'wait=0' })
  await old.post(
    '/',
    { labels: Array.from({ length: 100 }, (_, n) => base64(label(`s${n}`))) },
    { prefer: 'wait=0', 'idempotency-key': 'many' },
  )
  const file = await download(old)
  const box = await startBox(t, join(folder, 'new'), 'socket://127.0.0.1:9')
  t.match(await upload(box, file), { status: 200, labels: 116 })
  const response = await fetch(`${box.address}/backup`, {
    method: 'POST',
    body: 'x',
    headers: { 'content-encoding': 'gzip' },
  })
  t.equal(response.status, 415)
  const again = await old.post(
    '/',
    { labels: [base64(label('s0'))] },
    { 'idempotency-key': 'many' },
  )
  t.equal(again.status, 409)
})

t.test('a host that only the old box had stays as it is on the new one', async (t) => {
  const home = t.testdir({ old: {}, new: {} })
  const old = await startBox(t, join(home, 'old'), 'socket://127.0.0.1:1')
  const lines = (await download(old)).trimEnd().split('\n').slice(0, -1)
  const moved = lines.map((line) => {
    const entry = JSON.parse(line)
    if (entry.type !== 'config') return line
    return JSON.stringify({ ...entry, value: { ...entry.value, host: '192.0.2.1' } })
  })
  const fresh = await startBox(t, join(home, 'new'), 'socket://127.0.0.1:1')
  const answer = await upload(fresh, seal(moved))
  t.match(answer, {
    status: 200,
    warnings: [/^host: got "192\.0\.2\.1", .* It stays "localhost"\.$/],
  })
  t.match(await (await fresh.get('/config')).json(), { host: 'localhost' })
})

t.test('a box that others reach does not become one of its own computer only', async (t) => {
  const home = t.testdir()
  const laptop = await startBox(t, join(home, 'laptop'), 'socket://127.0.0.1:1')
  const file = await download(laptop)
  const config = { host: '', share_printers: false }
  const env = { PLATEN_ANNOUNCE: '0' }
  const box = await startServer(t, { folder: join(home, 'box'), config, env })
  t.match(await upload(box, file), {
    status: 200,
    warnings: [/^host: got "localhost", .* It stays ""\.$/],
  })
  t.match(await (await box.get('/config')).json(), { host: '', printers: [{ name: 'Bench' }] })
})

t.test('a backup that fills the disk while it is sent is no fault of the program', async (t) => {
  const folder = t.testdir()
  const server = await startBox(t, folder, 'socket://127.0.0.1:9')
  const file = await download(server)
  symlinkSync('/dev/full', join(folder, 'state/restore.tmp'))
  t.match(await upload(server, file), {
    status: 507,
    code: 'SPOOL_FULL',
    Message: 'The disk of the print server is full.',
  })
  t.notMatch(server.log(), /request failed/)
  t.match(await upload(server, file), { status: 200 }, 'and it is not in the way of the next')
})

t.test('printers keep the names that they had on the old box', async (t) => {
  const home = t.testdir()
  const start = async (box: string, ...serials: readonly string[]) => {
    const folder = join(home, box)
    mkdirSync(join(folder, 'state'), { recursive: true })
    const printers = serials.map((serial, n) => ({
      name: `Zebra${n}`,
      makeAndModel: 'Zebra LP2844',
      uri: `usb://Zebra/LP2844?serial=${serial}`,
    }))
    const memory = JSON.stringify({ printers, learned: {} })
    writeFileSync(join(folder, 'state/printers.json'), memory)
    return await startServer(t, { folder, config: {} })
  }
  const places = async (server: Server) => {
    const list = await (await server.get('/printers')).json()
    const known = list as readonly { readonly name: string; readonly uri: string }[]
    return known.map(({ name, uri }) => `${name} ${uri.at(-1)}`).sort()
  }
  const file = await download(await start('old', 'A', 'B'))
  const box = await start('new', 'B', 'A')
  const sent = await box.post(
    '/',
    { label: base64(label('x')), printer: 'Zebra0' },
    { prefer: 'wait=0' },
  )
  const [job] = ((await sent.json()) as Answer).jobs
  t.match(await upload(box, file), { status: 409, code: 'PRINTER_IN_USE' })
  t.same(await places(box), ['Zebra0 B', 'Zebra1 A'])
  await box.post(`/jobs/${job?.id}/cancel`)
  t.match(await upload(box, file), { status: 200 })
  t.same(await places(box), ['Zebra0 A', 'Zebra1 B'])
})
