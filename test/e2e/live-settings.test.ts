import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from 'node:tls'
import t from 'tap'
import { OPERATIONS } from '../../src/plugins/ipp/protocol.ts'
import { decodeMessage } from '../../src/printers/ipp/codec.ts'
import { readText } from '../../src/printers/ipp/message.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { findClosedPort } from '../listen.ts'
import { makeRequest } from '../plugins/ipp/ask.ts'
import { until } from '../until.ts'
import {
  type Answer,
  base64,
  jobIn,
  PATIENT,
  runToEnd,
  type Server,
  startServer,
  type WireJob,
} from './server.ts'

const ZPL = '^XA^FDlive^FS^XZ'

async function put(server: Server, changes: object): Promise<{ readonly restart: string[] }> {
  const config = (await (await server.get('/config')).json()) as object
  const response = await fetch(`${server.address}/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...config, ...changes }),
  })
  return (await response.json()) as { restart: string[] }
}

async function print(server: Server, fields: object): Promise<WireJob> {
  const response = await server.post('/', { label: base64(ZPL), ...fields }, { prefer: 'wait=0' })
  const { jobs } = (await response.json()) as { readonly jobs: readonly WireJob[] }
  const [job] = jobs
  if (job === undefined) throw new Error('no job')
  return job
}

t.test('settings that are read live ask for no restart, and take effect at once', async (t) => {
  const printers = [{ name: 'Off', uri: `socket://127.0.0.1:${await findClosedPort()}` }]
  const server = await startServer(t, { folder: t.testdir(), config: { printers } })
  const changes = { expire_after: 1, on_interrupt: 'reprint', job_retention_hours: 5 }
  t.same((await put(server, changes)).restart, [])
  const job = await print(server, {})
  const ended = await jobIn(server, job.id, ['canceled'])
  t.match(ended, { reasons: ['job-canceled-after-timeout'], code: 'JOB_EXPIRED' })
})

t.test('a host name that is added is in the certificate', async (t) => {
  const config = { use_ssl: true, secure_port: '0' }
  const server = await startServer(t, { folder: t.testdir(), config })
  const { secure_port: port } = (await (await server.get('/info')).json()) as {
    readonly secure_port: string
  }
  const names = async () => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const found = socket.getPeerX509Certificate()?.subjectAltName ?? ''
    socket.destroy()
    return found
  }
  t.notMatch(await names(), 'bench-9')
  t.same((await put(server, { allowed_hosts: ['bench-9.local'] })).restart, [])
  await until('the name', async () => (await names()).includes('bench-9.local') || undefined)
  t.same((await put(server, { printnode_name: 'door.local' })).restart, [])
  await until('the name', async () => (await names()).includes('door.local') || undefined)
})

t.test('a label whose printer is taken out of the settings says so at once', async (t) => {
  const printers = [{ name: 'Off', uri: `socket://127.0.0.1:${await findClosedPort()}` }]
  const server = await startServer(t, { folder: t.testdir(), config: { printers } })
  const { id } = await print(server, {})
  await until('the printer to be missed', async () => {
    const job = (await (await server.get(`/jobs/${id}`)).json()) as WireJob
    return job.message.includes('does not answer') ? job : undefined
  })
  await put(server, { printers: [] })
  const job = await until('the label to say so', async () => {
    const job = (await (await server.get(`/jobs/${id}`)).json()) as WireJob
    return job.message.includes('no longer in the settings') ? job : undefined
  })
  t.match(job, { state: 'pending', reasons: ['printer-stopped'] })
})

t.test('a paused printer that loses its name to one of the settings stays paused', async (t) => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'state'))
  const found = ['A', 'B'].map((name) => ({
    name,
    makeAndModel: 'Zebra LP2844',
    uri: `usb://Zebra/LP2844?serial=${name}`,
  }))
  const memory = { printers: found, learned: {}, dismissed: [] }
  writeFileSync(join(folder, 'state/printers.json'), JSON.stringify(memory))
  const entry = (name: string) => ({ name, uri: `file:${name}` })
  const paused = async (server: Server) => {
    const list = await (await server.get('/printers')).json()
    const known = list as readonly { readonly name: string; readonly paused: boolean }[]
    return Object.fromEntries(known.map((printer) => [printer.name, printer.paused]))
  }
  const before = await startServer(t, { folder, config: {} })
  for (const name of ['A', 'B']) await before.post(`/printers/${name}/pause`)
  await put(before, { printers: [entry('A')] })
  t.same(await paused(before), { A: true, 'A 2': true, B: true })
  await before.stop()
  const printers = [entry('A'), entry('B')]
  const after = await startServer(t, { folder, config: { printers } })
  t.same(await paused(after), { A: true, B: true, 'A 2': true, 'B 2': true }, 'after a restart')
})

t.test('the print dialog address of a removed printer leads to no other one', async (t) => {
  const folder = t.testdir()
  const bench = (name: string, uri: string) => ({ name, uri: `file:${uri}`, language: 'zpl' })
  const ask = async (server: Server, path: string) => {
    const body = new Uint8Array(makeRequest({ operation: OPERATIONS.getPrinterAttributes, path }))
    const headers = { 'content-type': 'application/ipp' }
    const response = await fetch(server.address + path, { method: 'POST', headers, body })
    if (response.status !== 200) return response.status
    const answer = decodeMessage(new Uint8Array(await response.arrayBuffer())).message
    return readText(
      answer.groups.find(({ tag }) => tag === 4),
      'printer-info',
    )
  }
  const path = '/ipp/print/bench-1'
  const first = await startServer(t, {
    folder,
    config: { share_printers: true, printers: [bench('Bench 1', 'a')] },
  })
  t.equal(await ask(first, path), 'Bench 1')
  await put(first, { printers: [bench('BENCH 1', 'a'), bench('bench-1', 'b')] })
  t.equal(await ask(first, path), 'BENCH 1', 'it keeps its address under a name alike')
  await put(first, { printers: [bench('bench-1', 'b')] })
  t.equal(await ask(first, path), 404, 'gone with its printer')
  await first.stop()
  const again = await startServer(t, {
    folder,
    config: { share_printers: true, printers: [bench('bench-1', 'b')] },
  })
  t.equal(await ask(again, path), 404, 'also after a restart')
})

t.test('a found printer keeps its name though the memory of printers is damaged', async (t) => {
  const folder = t.testdir()
  const before = await startServer(t, { folder, config: {} })
  await before.stop()
  const spool = new DatabaseSync(join(folder, 'state/spool.db'))
  // As two that were found have it once they have printed.
  const places = { 'Zebra LP2844': 'B', 'Zebra LP2844 2': 'A' }
  for (const [name, serial] of Object.entries(places)) {
    const place = `usb://Zebra/LP2844?serial=${serial}`
    spool.prepare('INSERT INTO meta VALUES(?, ?)').run(`place:${name}`, place)
  }
  spool.exec("INSERT INTO meta VALUES('place:Net', 'socket://10.0.0.7')")
  spool.close()
  writeFileSync(join(folder, 'state/printers.json'), '{"printers": [')
  const after = await startServer(t, { folder, config: {} })
  t.match(await (await after.get('/printers')).json(), [
    { name: 'Zebra LP2844', uri: /serial=B$/ },
    { name: 'Zebra LP2844 2', uri: /serial=A$/ },
  ])
})

t.test('the flushes of the spool are measured', async (t) => {
  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'A', uri: sink.uri }]
  const server = await startServer(t, { folder: t.testdir(), config: { printers } })
  const { id } = await print(server, {})
  await jobIn(server, id, ['completed'])
  const text = await (await server.get('/metrics')).text()
  const count = Number(/platen_spool_commit_seconds_count (\d+)/.exec(text)?.[1])
  t.ok(count >= 3, `${count} commits: accepted, begun, ended`)
})

t.test('the test label names the box and the time as a packer reads them', async (t) => {
  const folder = t.testdir()
  const flags = ['--demo']
  const server = await startServer(t, { folder, config: {}, flags, env: { TZ: 'Etc/GMT-5' } })
  const hour = (): string => `${String((new Date().getUTCHours() + 5) % 24).padStart(2, '0')}:`
  const before = hour()
  const response = await server.post('/printers/Demo%20printer/test', {}, PATIENT)
  const { jobs } = (await response.json()) as { readonly jobs: readonly WireJob[] }
  const shown = await (await server.get(`/jobs/${jobs[0]?.id}/label`)).text()
  t.match(shown, `\\"host\\":\\"${hostname()}\\"`)
  t.match(shown, /"at\\":\\"\d{4}-\d\d-\d\d \d\d:\d\d\\"/)
  const shownHour = /"at\\":\\"\S+ (\d\d:)/.exec(shown)?.[1] ?? shown
  t.ok([before, hour()].includes(shownHour), shownHour)
})

t.test('the first printer stays the default when a second one is added', async (t) => {
  const folder = t.testdir()
  const [first, second] = [await TcpSink.open(), await TcpSink.open()]
  t.teardown(() => Promise.all([first.close(), second.close()]))
  const printers = [{ name: 'First', uri: first.uri, language: 'zpl', status: 'off' }]
  const server = await startServer(t, { folder, config: { printers } })
  const entry = { name: 'Second', uri: second.uri, language: 'zpl', status: 'off' }
  const added = await server.post('/printers', entry)
  t.match(await added.json(), {
    Message:
      'Labels that name no printer go to First as before, until you choose a default printer.',
    printer: { name: 'Second', default: false },
  })
  const answer = async (server: Server): Promise<Answer> =>
    (await (await server.post('/', { label: base64('^XA^XZ') }, PATIENT)).json()) as Answer
  t.match(await answer(server), { Status: 'OK', jobs: [{ printer: 'First' }] })
  t.match(await (await server.get('/info')).json(), { printer: 'First' })
  await server.stop()
  const again = await startServer(t, { folder })
  t.match(await answer(again), { Status: 'OK', jobs: [{ printer: 'First' }] })
  const gone = await fetch(`${again.address}/printers/First`, { method: 'DELETE' })
  t.equal(gone.status, 200)
  t.match(await answer(again), { Status: 'OK', jobs: [{ printer: 'Second' }] })
})

t.test('the start and --check-config tell of printers that are not there', async (t) => {
  const folder = t.testdir()
  const printers = [{ name: 'Desk', uri: 'file:desk', language: 'zpl' }]
  const queues = [{ type: 'beanstalkd', endpoint: '127.0.0.1:1', printer: 'Dock' }]
  const config = { printers, queues, printer: 'Zebra' }
  const sentences = [
    'printer: no printer is named "Zebra" yet; one that is found or added later may be.',
    'queues[0].printer: no printer is named "Dock" yet; one that is found or added later may be.',
  ]
  const checked = await runToEnd({ folder, config, flags: ['--check-config'] })
  t.equal(checked.code, 0, 'it is a warning')
  t.equal(checked.err, sentences.map((sentence) => `config.json: ${sentence}\n`).join(''))
  const server = await startServer(t, { folder, config })
  t.equal(await server.stop(), 0)
  for (const sentence of sentences) {
    const warning = `"warning":${JSON.stringify(sentence)}`
    t.equal(server.log().split(warning).length, 2, 'once in the log')
  }
  const well = await startServer(t, { folder: join(folder, 'well'), config: { printers } })
  t.equal(await well.stop(), 0)
  t.notMatch(well.log(), /no printer is named/)
})
