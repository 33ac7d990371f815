import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { qz } from '../../../src/plugins/qz/index.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { printer } from '../../core/bench.ts'
import { findClosedPort, listen } from '../../listen.ts'
import { makeLabel, markOf } from '../../load/label.ts'
import { makeRandom, tries } from '../../random.ts'
import { poll } from '../../until.ts'
import { type DoorBench, jobs, openDoor } from '../door/door-bench.ts'
import { addressOf, connectQz, loadQz } from './client.ts'

// On a busy machine.
t.setTimeout(240_000)

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
const SHOP = 'https://shop.example'

async function open(
  t: Test,
  settings = {},
  parts = {},
): Promise<{ bench: DoorBench; port: number }> {
  const port = await findClosedPort()
  const bench = await openDoor(t, qz, { qz_tray: true, qz_port: port - 1, ...settings }, parts)
  return { bench, port }
}

function bytesOf({ bench }: DoorBench, id: string): string {
  return Buffer.from(bench.spool.history.label(id) ?? []).toString('latin1')
}

t.test('qz-tray.js finds printers and prints', async (t) => {
  const { bench, port } = await open(t)
  const client = await connectQz(t, port)
  t.equal(await client.api.getVersion(), '2.2.6')
  t.same(await client.printers.find(), ['A', 'B'])
  t.equal(await client.printers.find('b'), 'B')
  await t.rejects(client.printers.find('nobody'), /Specified printer could not be found/)
  t.equal(await client.printers.getDefault(), 'A')
  t.same(
    (await client.printers.details()).map((one) => [one.name, one.default]),
    [
      ['A', true],
      ['B', false],
    ],
  )
  const config = client.configs.create('B', { jobName: 'Order 7' })
  await client.print(config, ['^XA\n', '^FXplain^FS\n', '^XZ\n'])
  const raw = { type: 'raw', format: 'command' }
  const text = makeLabel('other', 60)
  await client.print(config, [
    { ...raw, flavor: 'base64', data: Buffer.from(text).toString('base64') },
  ])
  await client.print(config, [{ ...raw, flavor: 'hex', data: Buffer.from(text).toString('hex') }])
  await client.print(client.configs.create('A', { size: { width: 4, height: 2 } }), [
    { type: 'pixel', format: 'image', flavor: 'base64', data: PNG },
  ])
  const all = jobs(bench)
  t.same(
    all.map(({ printer, format, source }) => `${printer} ${format} ${source}`),
    ['B zpl qz', 'B zpl qz', 'B zpl qz', 'A png qz'],
  )
  t.equal(all[0]?.title, 'Order 7')
  t.equal(bytesOf(bench, all[0]?.id ?? ''), '^XA\n^FXplain^FS\n^XZ\n')
  for (const job of all.slice(1, 3)) t.equal(bytesOf(bench, job.id), text)
  t.same(all[3]?.options, { printer: 'A', labelWidth: 4, labelHeight: 2 })
  t.same(bench.bench.faults, [])
})

t.test('a message of millions of values is none', async (t) => {
  const { bench, port } = await open(t)
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(socket, 'open')
  const ask = async (text: string): Promise<string> => {
    socket.send(text)
    const [answer] = (await once(socket, 'message')) as [Buffer]
    return answer.toString()
  }
  const call = '{"call":"getVersion","uid":"1","more":'
  for (const more of [
    `${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}`,
    `[${'{},'.repeat(2_000_000)}{}]`,
  ])
    t.match(await ask(`${call}${more}}`), /Not a message/)
  for (const none of ['', ' ', '{', '[]']) t.match(await ask(none), /Not a message/)
  t.match(await ask(`${call}[]}`), /2\.2\.6/)
  socket.terminate()
  t.same(bench.bench.faults, [])
})

t.test('what it cannot do is refused by name, and nothing prints', async (t) => {
  const { bench, port } = await open(t)
  const client = await connectQz(t, port)
  await t.rejects(client.serial.findPorts(), /does not do "serial.findPorts"/)
  await t.rejects(client.networking.hostname(), /does not do "networking/)
  const print = (printer: unknown, data: readonly unknown[]) =>
    client.print(client.configs.create(printer), data)
  await t.rejects(print({ host: '10.0.0.9', port: '9100' }, ['^XA^XZ']), /got "a host"/)
  await t.rejects(print({ file: '/etc/passwd' }, ['^XA^XZ']), /got "a file"/)
  await t.rejects(print('Nobody', ['^XA^FXa^FS^XZ']), /Nobody/)
  await t.rejects(
    print('A', [{ type: 'pixel', format: 'html', flavor: 'plain', data: '<p>' }]),
    /PIXEL HTML/,
  )
  await t.rejects(
    print('A', [{ type: 'raw', format: 'command', flavor: 'file', data: 'http://10.0.0.1/a' }]),
    /wanted an address/,
  )
  t.same(jobs(bench), [])
})

t.test('files are fetched from the internet, and from hosts that the owner named', async (t) => {
  const text = makeLabel('fetched', 60)
  const asked: string[] = []
  let underWay = 0
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    underWay += 1
    response.on('close', () => {
      underWay -= 1
    })
    if (request.url === '/never') return
    response.end(request.url === '/label.zpl' ? text : Buffer.from(PNG, 'base64'))
  })
  const at = `http://127.0.0.1:${await listen(t, server)}`
  const { bench, port } = await open(t, { fetch_hosts: ['127.0.0.1'] })
  // By hand: without a page the client takes every address for a path of its own computer.
  const print = async (item: object): Promise<string> => {
    const params = { printer: { name: 'A' }, data: [item] }
    return (await ask(port, { call: 'print', uid: 'u', params }, {})).error ?? ''
  }
  const raw = { type: 'raw', format: 'command', flavor: 'file' }
  t.equal(await print({ ...raw, data: `${at}/label.zpl` }), '')
  // The flavor of pictures that say none.
  t.equal(await print({ type: 'pixel', format: 'image', data: `${at}/label.png` }), '')
  t.same(
    jobs(bench).map(({ format }) => format),
    ['zpl', 'png'],
  )
  t.equal(bytesOf(bench, jobs(bench)[0]?.id ?? ''), text)
  for (const data of ['http://localhost/label.zpl', 'http://10.0.0.1/label.zpl'])
    t.match(await print({ ...raw, data }), /not a host of the internet/)
  for (const data of ['file:///etc/passwd', '/etc/passwd'])
    t.match(await print({ ...raw, data }), /wanted an address/)
  // Whoever goes away meanwhile has printed nothing.
  const lost = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(lost, 'open')
  const params = { printer: { name: 'A' }, data: [{ ...raw, data: `${at}/never` }] }
  lost.send(JSON.stringify({ call: 'print', uid: 'u', params }))
  await poll('it to be asked for', () => asked.includes('/never'))
  lost.terminate()
  await poll('the fetch to end', () => underWay === 0)
  t.equal(jobs(bench).length, 2)
  t.same(bench.bench.faults, [])
})

t.test('printers and jobs are told to who listens', async (t) => {
  const { bench, port } = await open(t)
  const client = await connectQz(t, port)
  const seen: string[] = []
  client.printers.setPrinterCallbacks(({ printerName, eventType, statusText }) => {
    seen.push(`${printerName} ${eventType} ${statusText}`)
  })
  await client.printers.startListening('A')
  await client.printers.getStatus()
  await poll('the state', () => seen.includes('A PRINTER OK'))
  await client.print(client.configs.create('A'), [makeLabel('one', 60)])
  await poll('the end', () => seen.includes('A JOB COMPLETE'))
  bench.bench.printers.report('A', {
    state: 'stopped',
    reasons: ['media-empty'],
    message: quoteEnglish('A is out of labels.'),
    hint: NOTHING,
  })
  await poll('the trouble', () => seen.includes('A PRINTER PAPER_OUT'))
  await client.printers.stopListening()
  const before = seen.length
  bench.bench.printers.report('A', {
    state: 'idle',
    reasons: ['none'],
    message: NOTHING,
    hint: NOTHING,
  })
  await client.printers.getDefault()
  t.equal(seen.length, before)
})

t.test('a page prints only where the settings name its site', async (t) => {
  const { bench, port } = await open(t)
  await t.rejects(connectQz(t, port, SHOP), /Unable to establish/)
  await bench.configure({ qz_tray: true, qz_port: port - 1, allowed_origins: [SHOP] })
  const client = await connectQz(t, port, SHOP)
  await client.print(client.configs.create('A'), [makeLabel('one', 60)])
  await t.rejects(connectQz(t, port, 'https://evil.example'), /Unable to establish/)
  await t.rejects(connectQz(t, port, 'null'), /Unable to establish/)
  // A page under a name that points at the box sends the origin of that name.
  const rebound = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { Host: 'evil.example' } })
  await t.rejects(new Promise((_, reject) => rebound.on('error', reject)), /403/)
  await bench.configure({ qz_tray: true, qz_port: port - 1 })
  await t.rejects(client.print(client.configs.create('A'), [makeLabel('two', 60)]), /may not print/)
  t.same(
    jobs(bench).map(({ id }) => markOf(bytesOf(bench, id))),
    ['one'],
  )
})

t.test('what the site signed prints from any page, once', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const { bench, port } = await open(t, { qz_certificate: pem })
  const sign = (algorithm: string) => (text: string) => (resolve: (signature: string) => void) =>
    resolve(createSign(algorithm).update(text).sign(privateKey, 'base64'))
  for (const algorithm of ['SHA1', 'SHA256', 'SHA512']) {
    const client = loadQz('https://evil.example')
    client.security.setSignatureAlgorithm(algorithm)
    client.security.setSignaturePromise(sign(algorithm))
    await client.websocket.connect(addressOf(port))
    t.same(await client.printers.find(), ['A', 'B'])
    await client.print(client.configs.create('A'), [makeLabel(algorithm, 60)])
    await client.websocket.disconnect()
  }
  t.equal(jobs(bench).length, 3)
  const client = loadQz('https://evil.example')
  await client.websocket.connect(addressOf(port))
  await t.rejects(client.printers.find(), /may not print/)
  await t.rejects(client.print(client.configs.create('A'), [makeLabel('x', 60)]), /may not print/)
  client.security.setSignaturePromise(
    () => (resolve) => resolve(randomBytes(256).toString('base64')),
  )
  await t.rejects(client.print(client.configs.create('A'), [makeLabel('x', 60)]), /may not print/)
  await client.websocket.disconnect()

  const signed = makeSigned(sign('SHA256'), makeLabel('again', 60))
  t.equal((await ask(port, signed)).error, undefined)
  t.match((await ask(port, signed)).error, /has printed before/)
  t.match(
    (await ask(port, makeSigned(sign('SHA256'), 'x', Date.now() - 16 * 60_000))).error,
    /may not/,
  )
  t.equal(jobs(bench).length, 4)

  const settings = { qz_tray: true, qz_port: port - 1, qz_certificate: pem }
  await bench.configure({ ...settings, fetch_hosts: ['shop.example'] })
  t.match(
    (await ask(port, signed)).error,
    /has printed before/,
    'nor once the door was opened again',
  )
  t.equal(jobs(bench).length, 4)
  await bench.configure({ ...settings, allowed_origins: [SHOP] })
  const trusted = await connectQz(t, port, SHOP)
  for (const mark of ['once', 'twice']) {
    await trusted.print(trusted.configs.create('A'), [makeLabel(mark, 60)])
  }
  t.equal(jobs(bench).length, 6, 'a page of a site that is named signs nothing')
})

t.test('a signed print that was refused may be sent again', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const printers = [printer('A', 'socket://127.0.0.1:1')]
  const { bench, port } = await open(
    t,
    { qz_certificate: pem },
    { printers, quotaBytes: 1_000_000 },
  )
  const sign = (text: string) => (resolve: (signature: string) => void) =>
    resolve(createSign('SHA256').update(text).sign(privateKey, 'base64'))
  const [first, second] = ['one', 'two'].map((mark) => makeSigned(sign, makeLabel(mark, 600_000)))
  t.equal((await ask(port, first ?? {})).error, undefined)
  t.match((await ask(port, second ?? {})).error, /no more fit/)
  await bench.bench.scheduler.cancelWaiting('A')
  t.equal((await ask(port, second ?? {})).error, undefined)
  t.match((await ask(port, second ?? {})).error, /has printed before/)
  t.equal(jobs(bench).length, 2)
})

function makeSigned(
  sign: (text: string) => (resolve: (signature: string) => void) => void,
  data: string,
  timestamp = Date.now(),
): object {
  const signed = { call: 'print', params: { printer: { name: 'A' }, data: [data] }, timestamp }
  const { createHash } = process.getBuiltinModule('node:crypto')
  const hash = createHash('sha256').update(JSON.stringify(signed)).digest('hex')
  let signature = ''
  sign(hash)((made) => {
    signature = made
  })
  return { ...signed, uid: 'u', signature, signAlgorithm: 'SHA256' }
}

function rawSocket(socket: WebSocket): { write(bytes: Buffer): void } {
  return (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
}

async function ask(
  port: number,
  message: object,
  from: object = { origin: 'https://evil.example' },
): Promise<{ error?: string }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, from)
  await new Promise((resolve) => socket.once('open', resolve))
  const answer = new Promise((resolve) => socket.once('message', resolve))
  socket.send(JSON.stringify(message))
  const text = String(await answer)
  socket.terminate()
  return JSON.parse(text) as { error?: string }
}

t.test('messages of any kind break nothing, and memory stays', async (t) => {
  const { bench, port } = await open(t)
  const random = makeRandom(8181)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const whole = JSON.stringify({ call: 'print', uid: 'a', params: { printer: 'A', data: ['^XA'] } })
  const makeFrame = (): string | Buffer => {
    const kind = Math.floor(random() * 4)
    if (kind === 0) return Buffer.from(Array.from({ length: random() * 200 }, () => random() * 256))
    if (kind === 1) return whole.slice(0, random() * whole.length)
    const junk = (): unknown =>
      pick([null, 1, 'x', [], {}, [[]], { name: 1 }, 'print', -1e9, true, { a: { b: {} } }])
    const call = pick([
      'print',
      'printers.find',
      'getVersion',
      'printers.startListening',
      '__proto__',
      junk(),
    ])
    const params = pick([
      junk(),
      { data: [junk()], printer: junk(), options: { size: junk(), encoding: junk() } },
    ])
    return JSON.stringify({ call, uid: junk(), params, timestamp: junk(), signature: junk() })
  }
  let socket: WebSocket | undefined
  const before = process.memoryUsage().rss
  for (let index = 0; index < tries(10_000); index++) {
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) {
      socket = new WebSocket(`ws://127.0.0.1:${port}`)
      socket.on('error', () => undefined)
      const opened = socket
      await new Promise((resolve) => opened.once('open', resolve).once('close', resolve))
    }
    const now = socket
    const frame = makeFrame()
    const isRaw = random() < 0.02
    // Bytes beneath the frames, too.
    if (isRaw) rawSocket(now).write(randomBytes(40))
    else now.send(frame, () => undefined)
    if (isRaw || typeof frame !== 'string' || index % 50 === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      now.terminate()
      socket = undefined
    }
  }
  socket?.terminate()
  t.ok(process.memoryUsage().rss - before < 150 * 2 ** 20)
  const client = await connectQz(t, port)
  await client.print(client.configs.create('A'), [makeLabel('good', 60)])
  const found = jobs(bench).filter(({ id }) => markOf(bytesOf(bench, id)) === 'good')
  t.equal(found.length, 1)
  t.same(bench.bench.faults, [])
})

t.test(
  'where all places are taken, the connection that has been idle longest gives way',
  async (t) => {
    const { port } = await open(t)
    const sockets: WebSocket[] = []
    for (let n = 0; n < 70; n += 1) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`)
      sockets.push(socket)
      await once(socket, 'open')
      // The first one asks again and again, as an open page does.
      sockets[0]?.send('ping')
      sockets[0]?.send(JSON.stringify({ call: 'getVersion', uid: 'a', timestamp: Date.now() }))
      await once(sockets[0] as WebSocket, 'message')
    }
    const states = () => sockets.map(({ readyState }) => readyState === WebSocket.OPEN)
    await poll('six to give way', () => states().filter(Boolean).length === 64)
    t.same(
      states().flatMap((isOpen, at) => (isOpen ? [] : [at])),
      [1, 2, 3, 4, 5, 6],
    )
    for (const socket of sockets) socket.terminate()
  },
)

t.test('connections of one address that ask for nothing keep out nobody else', async (t) => {
  const { port } = await open(t)
  const idle = Array.from({ length: 140 }, () => connect({ host: '127.0.0.1', port }))
  for (const socket of idle) socket.on('error', () => undefined)
  await Promise.all(idle.map((socket) => once(socket, 'connect').catch(() => undefined)))
  const other = new WebSocket(`ws://127.0.0.1:${port}`, { localAddress: '127.0.0.2' })
  const found = await Promise.race([
    once(other, 'open').then(() => 'open'),
    once(other, 'close').then(() => 'refused'),
  ]).catch(() => 'refused')
  t.equal(found, 'open')
  other.terminate()
  for (const socket of idle) socket.destroy()
})
