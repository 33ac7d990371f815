import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { allowLong } from '../../src/http/guard/time-limits.ts'
import { serve } from '../../src/http/server.ts'
import { zplLabel } from '../core/labels.ts'
import { listen } from '../listen.ts'
import { formBody, jsonBody, openSink, ZPL64 } from './rig.ts'
import { giveCertificates } from './tls/kept.ts'
import { listenWith, printHead } from './wire.ts'

/** Waits for the end of the job, however busy the machine. */
const PATIENT = { prefer: 'wait=60' }
const LABEL = `label=${ZPL64.replaceAll('+', '%2B')}`

t.test('takes labels over a real connection, in all three forms', async (t) => {
  const { rig, url } = await listenWith(t)
  const label = Buffer.from(zplLabel('long', 300_000))
  const text = label.toString('base64')
  const multipart = new FormData()
  multipart.append('label', new Blob([label]))
  const bodies: RequestInit[] = [
    { ...formBody(['label', text]), headers: PATIENT },
    { method: 'POST', body: multipart, headers: PATIENT },
    jsonBody({ label: text }, PATIENT),
  ]
  for (const init of bodies) t.equal((await fetch(url, init)).status, 200)
  t.same(
    rig.printed('bench-1').map((printed) => printed.equals(label)),
    [true, true, true],
  )
})

t.test('a body may arrive in pieces of any size', async (t) => {
  const { rig, open } = await listenWith(t)
  const body = 'label=%2B%2F%2b&printer=Bench+%32&label[]=QQ%3D%3D'
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(body.length), { maxLength: 10 }), async (cuts) => {
      const ends = [...cuts, body.length].sort((a, b) => a - b)
      const chunks = ends.map((end, i) => body.slice(ends[i - 1] ?? 0, end)).filter(Boolean)
      const client = await open()
      client.socket.write(printHead('Transfer-Encoding: chunked\r\nConnection: close'))
      for (const chunk of chunks) {
        client.socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
        await new Promise(setImmediate)
      }
      client.socket.write('0\r\n\r\n')
      t.match(await client.end(), /^HTTP\/1\.1 400 .*label 1 of 2: .*3 of 4 characters/s)
    }),
    { numRuns: 25 },
  )
  t.equal(rig.jobs().length, 0)
})

t.test('a body that is too large is refused before it is read', async (t) => {
  const { open, rig } = await listenWith(t, { bodyBytes: 1024 * 1024 })
  const client = await open()
  client.socket.write(printHead('Content-Length: 52428800'))
  t.match(
    await client.until(/\}/),
    /^HTTP\/1\.1 413 .*BODY_TOO_LARGE.*52428800 bytes|413 .*52428800 bytes/s,
  )
  client.socket.destroy()
  const chunked = await open()
  chunked.socket.write(printHead('Transfer-Encoding: chunked'))
  const piece = Buffer.alloc(256 * 1024, 'A')
  let isAnswered = false
  void chunked.until(/BODY_TOO_LARGE/).then(() => {
    isAnswered = true
  })
  let sent = 0
  chunked.socket.write('40006\r\nlabel=')
  chunked.socket.write(piece)
  chunked.socket.write('\r\n')
  while (!isAnswered && sent < 200) {
    sent++
    const more = chunked.socket.write(`40000\r\n${piece.toString()}\r\n`)
    await new Promise<void>((resolve) => {
      if (more || chunked.socket.destroyed) setImmediate(resolve)
      else chunked.socket.once('drain', resolve).once('close', resolve)
    })
  }
  t.ok(isAnswered, 'the answer came while the client was still sending')
  t.ok(sent < 200, `${sent} pieces of 256 KiB`)
  chunked.socket.destroy()
  t.equal(rig.jobs().length, 0)
})

t.test(
  'a sender that reads only after it has sent everything still sees the refusal',
  async (t) => {
    const { url } = await listenWith(t, { bodyBytes: 1024, lingerMs: 60_000 })
    const res = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ label: 'A'.repeat(8_000_000) }),
    })
    t.equal(res.status, 413)
    t.match(await res.json(), { code: 'BODY_TOO_LARGE' })
    t.equal((await fetch(`${url}/healthz`)).status, 200)
  },
)

t.test('a refused body is not read forever', async (t) => {
  const { open } = await listenWith(t, { bodyBytes: 10, lingerBytes: 100_000, lingerMs: 60_000 })
  const flood = await open()
  flood.socket.write(printHead('Content-Length: 50000000'))
  await flood.until(/BODY_TOO_LARGE/)
  const piece = Buffer.alloc(100_000)
  const write = (): void => {
    if (flood.socket.writable) flood.socket.write(piece, () => setImmediate(write))
  }
  write()
  await flood.end()
  t.ok(flood.socket.bytesWritten < 40_000_000, 'the flood was cut before its end')
  const idle = await listenWith(t, { bodyBytes: 10, lingerMs: 20 })
  const client = await idle.open()
  client.socket.write(printHead('Content-Length: 50000000'))
  await client.end()
  t.pass('whoever sends nothing more is cut')
})

t.test('a curious client learns the refusal before it sends the body', async (t) => {
  const { open } = await listenWith(t, { bodyBytes: 100 })
  const large = await open()
  large.socket.write(printHead('Content-Length: 5000\r\nExpect: 100-continue'))
  t.match(await large.until(/\}/), /^HTTP\/1\.1 413/)
  large.socket.destroy()
  const small = await open()
  const head = `Prefer: wait=60\r\nContent-Length: ${LABEL.length}\r\nExpect: 100-continue`
  small.socket.write(printHead(head))
  t.match(await small.until(/Continue/), /^HTTP\/1\.1 100 Continue/)
  small.socket.write(LABEL)
  t.match(await small.until(/jobs/), /HTTP\/1\.1 200/)
  small.socket.destroy()
})

t.test('a slow body is given up with its sentence, and others are served meanwhile', async (t) => {
  const { open, url, rig } = await listenWith(t, { bodyIdleMs: 2_000, lingerMs: 20 })
  const clients = await Promise.all(Array.from({ length: 30 }, () => open()))
  for (const { socket } of clients) socket.write(`${printHead('Content-Length: 100')}label=`)
  const init = { ...formBody(['label', ZPL64]), headers: PATIENT }
  t.equal((await fetch(url, init)).status, 200)
  for (const client of clients) {
    const answer = await client.end()
    t.match(answer, /^HTTP\/1\.1 408 .*"BODY_TIMEOUT"/s)
    t.match(answer, 'after 6 bytes')
  }
  t.equal(rig.jobs().length, 1)
})

t.test('a client that drips is stopped by the clock of the whole request', async (t) => {
  const { open } = await listenWith(t, { requestTimeoutMs: 300, headersTimeoutMs: 100 })
  const client = await open()
  client.socket.write(`${printHead('Content-Length: 100000')}label=`)
  const drip = setInterval(() => client.socket.write('A'), 10)
  const answer = await client.end()
  clearInterval(drip)
  t.match(answer, /^HTTP\/1\.1 408 .*BODY_TIMEOUT/s)
})

t.test('a body that keeps coming, but too slowly, is given up', async (t) => {
  // Nothing but its pace ends it.
  const bounds = { requestTimeoutMs: 600_000, socketIdleMs: 600_000, bodyIdleMs: 1_000 }
  const { open } = await listenWith(t, { ...bounds, lingerMs: 20 })
  const client = await open()
  client.socket.write(`${printHead('Content-Length: 100000')}label=`)
  const drip = setInterval(() => client.socket.write('A'), 50)
  const answer = await client.end()
  clearInterval(drip)
  t.match(answer, /^HTTP\/1\.1 408 .*BODY_TIMEOUT/s)
})

t.test('a request of HTTP/1.1 without Host is refused in the one shape', async (t) => {
  const { open } = await listenWith(t)
  for (const request of ['GET / HTTP/1.1', 'POST / HTTP/1.1']) {
    const client = await open()
    client.socket.write(`${request}\r\nContent-Length: 0\r\n\r\n`)
    const answer = await client.end()
    t.match(answer, /^HTTP\/1\.1 400 .*"Status":"Error".*"code":"BODY_BROKEN","hint"/s, request)
  }
})

t.test('HTTP/1.0 prints with Host and without, and without may do nothing else', async (t) => {
  const { rig, open } = await listenWith(t)
  const body = JSON.stringify({ label: Buffer.from('^XA^FDold^FS^XZ').toString('base64') })
  const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  for (const host of ['', 'Host: localhost\r\n', 'Host: print.example\r\n']) {
    const client = await open()
    client.socket.write(`POST / HTTP/1.0\r\n${host}${head}\r\n${body}`)
    t.match(await client.end(), /^HTTP\/1\.1 20[02] .*"Status":"OK"/s, host)
  }
  t.equal(rig.jobs().length, 3)
  for (const path of ['/', '/info', '/printers', '/jobs', '/config', '/shutdown', '/session']) {
    const client = await open()
    client.socket.write(`GET ${path} HTTP/1.0\r\n\r\n`)
    t.match(await client.end(), /^HTTP\/1\.1 403 .*HOST_REFUSED/s, path)
  }
  for (const path of ['/test', '/config', '/printers/A/pause']) {
    const client = await open()
    client.socket.write(`POST ${path} HTTP/1.0\r\nContent-Length: 0\r\n\r\n`)
    t.match(await client.end(), /^HTTP\/1\.1 403 .*HOST_REFUSED/s, path)
  }
})

t.test('a backup may take its time, however slow the Wi-Fi', async (t) => {
  const count = async (request: Request, env: unknown) => {
    // What the route does once it knows that an admin sends it.
    if (request.url.endsWith('/backup')) allowLong((env as { incoming: IncomingMessage }).incoming)
    return Response.json((await request.arrayBuffer()).byteLength)
  }
  const listener = await serve(
    { fetch: count },
    { host: '127.0.0.1', port: 0, bounds: { requestTimeoutMs: 3_000, headersTimeoutMs: 2_000 } },
  )
  t.teardown(() => listener.close(0))
  const open = async (path: string): Promise<Socket> => {
    const socket = connect(listener.address.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n1`)
    return socket
  }
  const backup = await open('/backup')
  const other = await open('/')
  t.match(String((await once(other, 'data'))[0]), /^HTTP\/1\.1 408 /)
  other.destroy()
  // The time that a request gets is over now.
  backup.write('23')
  t.match(String((await once(backup, 'data'))[0]), /^HTTP\/1\.1 200 /)
  backup.destroy()
})

t.test('slow headers are given up', async (t) => {
  const { open } = await listenWith(t, { headersTimeoutMs: 100, requestTimeoutMs: 200 })
  const client = await open()
  client.socket.write('POST / HTTP/1.1\r\nHost: loc')
  t.match(await client.end(), /^HTTP\/1\.1 408 .*BODY_TIMEOUT/s)
})

t.test('a flood of headers is refused', async (t) => {
  const { open } = await listenWith(t)
  const client = await open()
  client.socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`)
  t.match(await client.end(), /^HTTP\/1\.1 431 .*HEADERS_TOO_LARGE/s)
})

t.test('what is not HTTP is told so', async (t) => {
  const { open, url } = await listenWith(t)
  const bad = [
    '^XA^FDnot http^FS^XZ\r\n\r\n',
    `${printHead('Content-Length: 5\r\nTransfer-Encoding: chunked')}0\r\n\r\n`,
    printHead('Content-Length: -5'),
    'GET / HTTP/1.1\r\n\r\n',
    `${printHead('Transfer-Encoding: chunked')}zz\r\nlabel\r\n`,
  ]
  for (const text of bad) {
    const client = await open()
    client.socket.write(text)
    t.match(await client.end(), /^(HTTP\/1\.1 400 |$)/, text.slice(0, 30))
  }
  const client = await open()
  client.socket.write('GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n')
  t.match(await client.end(), /^HTTP\/1\.1 400 .*Host header is not valid/s)
  t.equal((await fetch(url)).status, 200)
})

t.test('a sender that breaks off prints nothing', async (t) => {
  const { open, rig, url } = await listenWith(t)
  for (const head of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const client = await open()
    client.socket.write(
      `${printHead(head)}${head.startsWith('T') ? `${LABEL.length.toString(16)}\r\n` : ''}${LABEL}`,
    )
    client.socket.end()
    await client.end()
  }
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.equal(rig.jobs().length, 0)
  t.same(rig.log, [])
})

t.test('requests in one breath are answered in their order', async (t) => {
  const { open, rig } = await listenWith(t)
  const client = await open()
  const one = `${printHead(`Prefer: wait=60\r\nContent-Length: ${LABEL.length}`)}${LABEL}`
  const last = 'GET /info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  client.socket.write(one.repeat(20) + last)
  const text = await client.end()
  const numbers = [...text.matchAll(/"id":"\w{4}-(\d+)"/g)].map(([, number]) => Number(number))
  t.same(
    numbers,
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  t.match(text, /available_printers[^\r\n]*$/)
  t.equal(rig.jobs().length, 20)
})

t.test('more bodies together than the memory is meant for wait for each other', async (t) => {
  const { open, url, rig } = await listenWith(t, {
    bodyBytesTogether: 100_000,
    bodyBytesFree: 1_000,
    bodyWaitMs: 1_000,
  })
  const clients = [await open(), await open(), await open()]
  for (const { socket } of clients) {
    socket.write(`${printHead('Content-Length: 80006')}label=${'A'.repeat(70_000)}`)
  }
  const refused = await Promise.race(clients.map((client) => client.until(/\}/)))
  t.match(refused, /^HTTP\/1\.1 503 .*retry-after: 10.*SERVER_BUSY/is)
  const init = { ...formBody(['label', ZPL64]), headers: PATIENT }
  t.equal((await fetch(url, init)).status, 200)
  t.equal(rig.jobs().length, 1)
  for (const { socket } of clients) socket.destroy()
  await Promise.all(clients.map((client) => client.end()))
  const long = Buffer.from(zplLabel('long', 300_000)).toString('base64')
  t.equal((await fetch(url, { ...formBody(['label', long]), headers: PATIENT })).status, 200)
})

t.test('a large body that never ends leaves room for other large ones', async (t) => {
  const { open, url } = await listenWith(t, {
    bodyBytesTogether: 100_000,
    bodyBytesFree: 1_000,
    bodyWaitMs: 1_000,
  })
  const drips = await open()
  drips.socket.write(`${printHead('Content-Length: 200000')}label=${'A'.repeat(100_000)}`)
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  const long = Buffer.from(zplLabel('long', 30_000)).toString('base64')
  t.equal((await fetch(url, { ...formBody(['label', long]), headers: PATIENT })).status, 200)
  drips.socket.destroy()
  await drips.end()
})

t.test('500 clients that say nothing keep nobody out', async (t) => {
  const { open, url } = await listenWith(t, { connections: 20 })
  const idle = await Promise.all(Array.from({ length: 500 }, () => open()))
  for (let i = 0; i < 5; i++) t.equal((await fetch(`${url}/healthz`)).status, 200)
  for (const { socket } of idle) socket.destroy()
  await Promise.all(idle.map((client) => client.end()))
})

t.test('a client that goes away while it waits changes nothing for its label', async (t) => {
  const sink = await openSink(t, { stall: true })
  const { open, rig } = await listenWith(t, {}, { printers: { Desk: sink.uri } })
  const client = await open()
  const body = `${LABEL}&printer=Desk`
  client.socket.write(`${printHead(`Prefer: wait=60\r\nContent-Length: ${body.length}`)}${body}`)
  const { id } = await rig.untilJob((job) => job.state === 'processing')
  client.socket.destroy()
  await client.end()
  sink.behave({})
  t.match(await rig.bench.until(id, 'ended'), { state: 'completed', delivery: 'sent' })
})

t.test('answers the request that ends the program, and ends with streams open', async (t) => {
  const { url, rig, listener } = await listenWith(t)
  const events = await fetch(`${url}/events`)
  const res = await fetch(`${url}/shutdown`)
  t.match(await res.json(), { Status: 'OK' })
  while (rig.shutdowns() === 0) await new Promise(setImmediate)
  rig.stopping.abort()
  await listener.close(5_000)
  t.match(await events.text(), 'retry')
  await t.rejects(fetch(url))
})

t.test('a follower of events that never reads is let go of', async (t) => {
  const { open, rig, url } = await listenWith(t, { eventBytes: 20_000 })
  const client = await open()
  client.socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await client.until(/Bench 2/)
  client.socket.pause()
  let told = 0
  await fetch(url, formBody(['label', ZPL64]))
  const [job] = rig.jobs()
  while (job && rig.events.followers > 0 && told < 200_000) {
    for (let i = 0; i < 10; i++) rig.events.emit({ type: 'job', job })
    told += 10
    await new Promise(setImmediate)
  }
  t.ok(told > 0 && told < 200_000, `after ${told} events`)
  client.socket.destroy()
})

t.test('connections that will not end are cut after the grace', async (t) => {
  const { open, listener } = await listenWith(t)
  const client = await open()
  client.socket.write(`${printHead('Content-Length: 100')}${LABEL}`)
  await new Promise(setImmediate)
  await listener.close(30)
  await client.end()
  t.pass('closed')
})

t.test('localhost listens on both loopback addresses', async (t) => {
  const listener = await serve(
    { fetch: () => new Response('here') },
    { host: 'localhost', port: 0 },
  )
  t.teardown(() => listener.close(0))
  const { host, port } = listener.address
  t.equal(host, '127.0.0.1')
  t.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'here')
})

t.test('a blank host listens on all interfaces', async (t) => {
  const listener = await serve({ fetch: () => new Response('here') }, { host: '', port: 0 })
  t.teardown(() => listener.close(0))
  t.equal(await (await fetch(`http://127.0.0.1:${listener.address.port}`)).text(), 'here')
})

t.test('a taken port, and an address that is not ours, are said in a sentence', async (t) => {
  const port = await listen(t, createServer())
  const app = { fetch: () => new Response('') }
  await t.rejects(serve(app, { host: '127.0.0.1', port }), {
    code: 'PORT_TAKEN',
    message: `Cannot listen on port ${port} of 127.0.0.1: another program is listening there.`,
  })
  await t.rejects(serve(app, { host: 'localhost', port }), { code: 'PORT_TAKEN' })
  const hint = /^Correct host in config\.json: this computer has .*127\.0\.0\.1/
  await t.rejects(serve(app, { host: '192.0.2.1', port: 0 }), {
    message: 'Cannot listen on the host "192.0.2.1": this machine has no such address.',
    hint,
  })
  await t.rejects(serve(app, { host: 'no.such.name.invalid', port: 0 }), {
    code: 'PORT_TAKEN',
    message: /^Cannot listen on the host "no\.such\.name\.invalid": /,
    hint,
  })
})

t.test('an answer that fails on its way hurts nobody else', async (t) => {
  const listener = await serve(
    { fetch: () => Promise.reject(new Error('broken')) },
    { host: '127.0.0.1', port: 0 },
  )
  t.teardown(() => listener.close(0))
  const url = `http://127.0.0.1:${listener.address.port}`
  t.equal((await fetch(url)).status, 500)
  t.match(await (await fetch(url)).json(), { code: 'INTERNAL' })
})

t.test('HTTPS takes a new certificate without a restart', async (t) => {
  const folder = t.testdir()
  const one = await giveCertificates(join(folder, 'a'), 'a')
  const other = await giveCertificates(join(folder, 'b'), 'b')
  const app = { fetch: () => new Response('safe') }
  const listener = await serve(app, { host: 'localhost', port: 0, tls: one })
  t.teardown(() => listener.close(0))
  const ask = (ca: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = listener.address
      request({ host: '127.0.0.1', servername: 'localhost', port, ca, agent: false }, (res) => {
        res.setEncoding('utf8').on('data', resolve)
      })
        .on('error', reject)
        .end()
    })
  t.equal(await ask(one.authority), 'safe')
  listener.renew(other)
  t.equal(await ask(other.authority), 'safe')
  await t.rejects(ask(one.authority))
  const plain = connect(listener.address.port, '127.0.0.1')
  plain.on('error', () => undefined)
  plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(plain.resume(), 'close')
  t.equal(await ask(other.authority), 'safe')
})

t.test('a passed socket that is none is named', async (t) => {
  const answer = { fetch: () => new Response('') }
  await t.rejects(serve(answer, { host: '', port: 0, fds: [9_999] }), {
    code: 'PORT_TAKEN',
    message: /^Cannot listen on the passed socket 9999: /,
  })
})
