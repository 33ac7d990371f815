import { readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { listen } from '../listen.ts'
import { until } from '../until.ts'
import {
  type Answer,
  base64,
  ENTRIES,
  jobIn,
  PATIENT,
  runToEnd,
  startServer,
  type WireJob,
} from './server.ts'

t.setTimeout(600_000)

const ZPL = '^XA^FO30,30^A0N,60^FDHello^FS^XZ'

async function makeSink(t: Test): Promise<TcpSink> {
  const sink = await TcpSink.openFor(t)
  return sink
}

const bench = (sink: TcpSink): object => ({
  // The stand-in records and says nothing: what it is asked would count as labels.
  printers: [{ name: 'Bench 1', uri: sink.uri, language: 'zpl', status: 'off' }],
})

const texts = (sink: TcpSink): string[] =>
  sink.connections.map(({ bytes }) => Buffer.from(bytes).toString())

function getSecurely(address: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(address, { ca }, (response) => {
      let text = ''
      response.on('data', (part: Buffer) => {
        text += part.toString()
      })
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

for (const entry of ENTRIES) {
  t.test(`${entry}: a new box`, async (t) => {
    const folder = t.testdir()
    await t.test('writes its configuration, prints the test label, and ends with 0', async (t) => {
      const server = await startServer(t, { entry, folder, config: {}, flags: ['--demo'] })
      const printers = (await (await server.get('/printers')).json()) as { name: string }[]
      const name = printers[0]?.name ?? ''
      t.equal(printers.length, 1)
      const answer = (await (
        await server.post(`/printers/${encodeURIComponent(name)}/test`)
      ).json()) as Answer
      const job = await jobIn(server, answer.jobs[0]?.id ?? '', ['completed'])
      t.ok(job.has_preview)
      const preview = Buffer.from(
        await (await server.get(`/jobs/${job.id}/preview.png`)).arrayBuffer(),
      )
      t.equal(preview.toString('latin1', 1, 4), 'PNG')
      const kept = readdirSync(join(folder, 'state'), { recursive: true }).map(String)
      t.ok(kept.some((file) => file.endsWith('.png')))
      t.ok(kept.some((file) => file.endsWith('.prn')))
      t.equal(await server.stop(), 0)
    })
    await t.test('says its address on one line, and no label stands in its log', async (t) => {
      const sink = await makeSink(t)
      const server = await startServer(t, { entry, folder, config: bench(sink) })
      await server.post('/', { label: base64(ZPL) })
      await server.stop()
      t.notMatch(server.log(), /Hello|XkZE/)
    })
  })

  t.test(`${entry}: labels reach a network printer`, async (t) => {
    const sink = await makeSink(t)
    const server = await startServer(t, { entry, folder: t.testdir(), config: bench(sink) })

    await t.test('a form label arrives byte for byte', async (t) => {
      const response = await fetch(`${server.address}/`, {
        method: 'POST',
        headers: PATIENT,
        body: new URLSearchParams({ label: base64(ZPL) }),
      })
      t.equal(response.status, 200)
      const answer = (await response.json()) as Answer
      t.match(answer, {
        Status: 'OK',
        Message: '',
        jobs: [{ state: 'completed', delivery: 'sent' }],
      })
      // Every byte was taken; the stand-in may still have to read them.
      await sink.jobs(1)
      t.equal(texts(sink).at(-1), ZPL)
    })
    await t.test('several labels of one form keep their order', async (t) => {
      const before = sink.connections.length
      const body = new URLSearchParams()
      for (const n of [1, 2, 3]) body.append('label[]', base64(ZPL.replace('Hello', `Label ${n}`)))
      await fetch(`${server.address}/`, { method: 'POST', body })
      await sink.jobs(before + 3)
      t.same(
        texts(sink)
          .slice(before)
          .map((label) => /Label \d/.exec(label)?.[0]),
        ['Label 1', 'Label 2', 'Label 3'],
      )
    })
    await t.test('an unknown printer is refused with the names, and nothing prints', async (t) => {
      const before = sink.connections.length
      const response = await server.post('/', { label: base64(ZPL), printer: 'Bench 9' })
      t.equal(response.status, 404)
      t.match(await response.json(), { code: 'PRINTER_UNKNOWN', Message: /Bench 1/ })
      t.equal(sink.connections.length, before)
    })
    await t.test('the same idempotency key prints once', async (t) => {
      const before = sink.connections.length
      const headers = { ...PATIENT, 'idempotency-key': 'order-17' }
      const first = (await (
        await server.post('/', { label: base64(ZPL) }, headers)
      ).json()) as Answer
      const again = (await (
        await server.post('/', { label: base64(ZPL) }, headers)
      ).json()) as Answer
      t.equal(again.jobs[0]?.id, first.jobs[0]?.id)
      await sink.jobs(before + 1)
      t.equal(sink.connections.length, before + 1)
      const other = await server.post('/', { label: base64(`${ZPL} `) }, headers)
      t.equal(other.status, 409)
    })
    await t.test('a pack list comes out as ZPL', async (t) => {
      const response = await server.post('/packlist', {
        order_number: '10042',
        items: [{ sku: 'A-1', desc: 'Blue mug', price: 12.5, qty: 2 }],
      })
      t.same(await response.json(), { Status: 'OK', Message: '' })
      await sink.until(() =>
        texts(sink).some((label) => label.includes('^XZ') && label.includes('10042')),
      )
      t.match(texts(sink).at(-1), /\^XA[\s\S]*Blue mug[\s\S]*\^XZ/)
    })
  })

  t.test(`${entry}: a printer that is off`, async (t) => {
    const sink = await makeSink(t)
    await sink.down()
    const folder = t.testdir()
    const server = await startServer(t, { entry, folder, config: bench(sink) })
    const answers: Answer[] = []
    for (const n of [1, 2]) {
      const response = await server.post(
        '/',
        { label: base64(ZPL.replace('Hello', `Label ${n}`)) },
        { prefer: 'wait=0' },
      )
      t.equal(response.status, 202)
      answers.push((await response.json()) as Answer)
    }
    await t.test('says so in a sentence, and the labels wait on disk', async (t) => {
      await until('the printer to be missed', async () => {
        const response = await server.get(`/jobs/${answers[0]?.jobs[0]?.id}`)
        return ((await response.json()) as WireJob).message === '' ? undefined : true
      })
      const response = await server.post('/', { label: base64(ZPL) }, { prefer: 'wait=1' })
      t.match(await response.json(), {
        Status: 'Error',
        Message: /Bench 1/,
        jobs: [{ state: 'pending' }],
      })
      await server.kill()
    })
    await t.test('prints them in order after a kill -9, when it is switched on', async (t) => {
      const again = await startServer(t, { entry, folder })
      await sink.up()
      for (const answer of answers) await jobIn(again, answer.jobs[0]?.id ?? '', ['completed'])
      await sink.jobs(2)
      t.same(
        texts(sink)
          .slice(0, 2)
          .map((label) => /Label \d/.exec(label)?.[0]),
        ['Label 1', 'Label 2'],
      )
      t.equal(await again.stop(), 0)
    })
  })

  t.test(`${entry}: HTTPS with the authority of the box`, async (t) => {
    const server = await startServer(t, {
      entry,
      folder: t.testdir(),
      config: { use_ssl: true, secure_port: '0', username: 'admin' },
    })
    const info = (await (await server.get('/info')).json()) as { secure_port: string }
    const ca = await (await server.get('/ca.crt')).text()
    const answer = await getSecurely(`https://localhost:${info.secure_port}/healthz`, ca)
    t.match(JSON.parse(answer), { Status: 'OK' })
    t.match(await (await server.get('/trust')).text(), /SHA-256/)
    t.equal(await server.stop(), 0)
    t.match(server.log(), /"fingerprint":/)
    t.match(server.log(), /username: set without password/)
  })

  t.test(`${entry}: a person at the command line`, async (t) => {
    const folder = t.testdir()
    t.match(await runToEnd({ entry, folder, flags: ['--version'] }), { code: 0, out: /^\d+\.\d+/ })
    t.match(await runToEnd({ entry, folder, flags: ['--help'] }), { code: 0, out: /--demo/ })
    t.match(await runToEnd({ entry, folder, flags: ['--dmo'] }), { code: 64, err: /--dmo/ })
  })

  t.test(`${entry}: settings saved on the page work at once`, async (t) => {
    const sink = await makeSink(t)
    const server = await startServer(t, { entry, folder: t.testdir(), config: {} })
    const none = await server.post('/', { label: base64(ZPL) })
    t.equal(none.status, 503)
    const config = (await (await server.get('/config')).json()) as Record<string, unknown>
    const saved = await fetch(`${server.address}/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...config, ...bench(sink) }),
    })
    t.equal(saved.status, 200)
    const printed = await server.post('/', { label: base64(ZPL) }, PATIENT)
    const answer = (await printed.json()) as Answer
    t.match(answer, { Status: 'OK', jobs: [{ printer: 'Bench 1', state: 'completed' }] })
  })

  t.test(`${entry}: a start that cannot be`, async (t) => {
    await t.test('ends with 78 and the line and column of a broken configuration', async (t) => {
      const folder = t.testdir({ 'config.json': '{\n  "port": "8080"\n  "host": ""\n}' })
      const { code, err } = await runToEnd({ entry, folder })
      t.equal(code, 78)
      t.match(err, /line 3, column 3/)
    })
    await t.test('ends with 78 and every bad key', async (t) => {
      const folder = t.testdir({ 'config.json': '{"port":"80a","open_browser":"yes"}' })
      const { code, err } = await runToEnd({ entry, folder })
      t.equal(code, 78)
      t.match(err, /port.*80a/)
      t.match(err, /open_browser/)
    })
    await t.test('says which port is taken', async (t) => {
      const port = String(await listen(t, createServer()))
      const { code, err } = await runToEnd({
        entry,
        folder: t.testdir(),
        config: { port, host: '127.0.0.1' },
      })
      t.equal(code, 75)
      t.match(err, new RegExp(port))
    })
    await t.test('names a state folder that is a file', async (t) => {
      const folder = t.testdir({ state: 'not a folder' })
      const { code, err } = await runToEnd({ entry, folder, config: {} })
      t.equal(code, 73)
      t.match(err, /state/)
    })
    await t.test('checks a configuration without starting, secrets masked', async (t) => {
      const { code, out } = await runToEnd({
        entry,
        folder: t.testdir(),
        config: { username: 'admin', password: 'hunter2' },
        flags: ['--check-config'],
      })
      t.equal(code, 0)
      t.notMatch(out, /hunter2/)
      t.match(out, /"username": "admin"/)
    })
    await t.test('warns of a user name without a password when asked to check', async (t) => {
      const flags = ['--check-config']
      const config = { username: 'admin' }
      const { code, err } = await runToEnd({ entry, folder: t.testdir(), config, flags })
      t.equal(code, 0)
      t.match(err, /username: set without password/)
    })
    await t.test('keeps the configuration file to its owner', async (t) => {
      const folder = t.testdir()
      const { code } = await runToEnd({ entry, folder, flags: ['--check-config'] })
      t.equal(code, 0)
      t.equal(statSync(join(folder, 'config.json')).mode & 0o777, 0o600)
      t.match(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')), { port: '8080' })
    })
  })
}
