import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { connect, createServer as createProxy } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { findInternalAddress } from '../../src/system/address.ts'
import { runPrint, runStop } from '../../src/system/commands.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { type Server, startServer } from '../e2e/server.ts'
import { findClosedPort, listen } from '../listen.ts'
import { until } from '../until.ts'

const LABEL = '^XA^FDfrom the shell^FS^XZ'

t.test('files are printed by the server of this computer', async (t) => {
  const folder = t.testdir({ 'a.zpl': LABEL, 'b.zpl': LABEL, 'odd.txt': 'no label' })
  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
  const server = await startServer(t, { folder: join(folder, 'home'), config: { printers } })
  const place = { host: 'localhost', port: new URL(server.address).port }
  const print = (files: readonly string[], printer?: string) =>
    runPrint({ files: files.map((name) => join(folder, name)), printer }, place)
  t.same(await print(['a.zpl']), { code: 0, text: 'The label was taken by the print server.\n' })
  t.match(await print(['a.zpl', 'b.zpl'], 'Bench'), { code: 0, text: /^2 labels were taken/ })
  t.match(await print(['odd.txt']), { code: 1, text: /these formats: ZPL, EPL/ })
  t.match(await print(['a.zpl'], 'Nobody'), { code: 1, text: /Nobody/ })
  t.match(await print(['none.zpl']), { code: 1, text: /none\.zpl cannot be read \(ENOENT\)/ })
  t.match(await print(['.']), { code: 1, text: /EISDIR/ })
})

t.test('what was taken is told on standard output, a refusal on standard error', async (t) => {
  const sink = await TcpSink.openFor(t)
  const folder = t.testdir({ 'a.zpl': LABEL, 'odd.txt': 'no label' })
  const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
  const server = await startServer(t, { folder: join(folder, 'home'), config: { printers } })
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ port: new URL(server.address).port }))
  const print = async (name: string) => {
    const args = ['packaging/launcher/platen.js', 'print', join(folder, name), '--config', config]
    const child = spawn(process.execPath, args, { cwd: join(import.meta.dirname, '../..') })
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    return { out, err, code: code as unknown }
  }
  t.same(await print('a.zpl'), {
    out: 'The label was taken by the print server.\n',
    err: '',
    code: 0,
  })
  for (const [name, err] of [
    ['odd.txt', /these formats: ZPL, EPL/],
    ['none.zpl', /none\.zpl cannot be read/],
  ] as const) {
    const refused = await print(name)
    t.match(refused, { err, code: 1 })
    t.equal(refused.out, '', 'a script that reads the result reads no refusal')
  }
})

t.test('labels that were taken are no failure, though nobody takes the words', async (t) => {
  if (!existsSync('/dev/full')) {
    t.comment('this system has no file that is always full')
    return
  }
  const sink = await TcpSink.openFor(t)
  const folder = t.testdir({ 'a.zpl': LABEL })
  const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
  const server = await startServer(t, { folder: join(folder, 'home'), config: { printers } })
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ port: new URL(server.address).port }))
  const full = openSync('/dev/full', 'w')
  const args = ['packaging/launcher/platen.js', 'print', join(folder, 'a.zpl'), '--config', config]
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', full, full],
  })
  closeSync(full)
  const [code] = await once(child, 'exit')
  t.equal(code, 0, 'a script that sent it again would print it twice')
})

t.test(
  'a label that was taken is no failure, though its printer is off: sent again it would print twice',
  async (t) => {
    const folder = t.testdir({ 'a.zpl': LABEL })
    const uri = `socket://127.0.0.1:${await findClosedPort()}`
    const printers = [{ name: 'Bench', uri, language: 'zpl' }]
    const server = await startServer(t, { folder: join(folder, 'home'), config: { printers } })
    const place = { host: 'localhost', port: new URL(server.address).port }
    const files = [join(folder, 'a.zpl')]
    const print = () => runPrint({ files, printer: undefined, waitS: 0 }, place)
    const taken = 'The label was taken by the print server.'
    t.match(await print(), { code: 0, text: taken })
    while (!(await (await server.get('/printers')).text()).includes('"offline"')) await wait(50)
    t.match(await print(), { code: 0, text: `${taken} Bench does not answer; its labels are kept` })
  },
)

/** Stands before the server and cuts that many connections when the answer comes: the labels are taken by then. */
async function cutAnswers(t: Test, server: Server, cuts: number) {
  let left = cuts
  const proxy = createProxy((client) => {
    const onward = connect(Number(new URL(server.address).port), '127.0.0.1')
    client.on('error', () => onward.destroy()).pipe(onward)
    onward.on('error', () => client.destroy())
    onward.once('data', (head: Buffer) => {
      left -= 1
      if (left >= 0) return client.resetAndDestroy()
      client.write(head)
      return onward.pipe(client)
    })
  })
  return { host: '127.0.0.1', port: String(await listen(t, proxy)) }
}

const readKey = (text: string): string => /--key ([\w-]+):/.exec(text)?.[1] ?? ''

const countJobs = async (server: Server): Promise<number> =>
  ((await (await server.get('/jobs')).json()) as unknown[]).length

t.test('a connection that breaks before the answer prints nothing twice', async (t) => {
  const folder = t.testdir({ 'a.zpl': LABEL, 'b.zpl': LABEL })
  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
  const server = await startServer(t, { folder: join(folder, 'home'), config: { printers } })
  const straight = { host: 'localhost', port: new URL(server.address).port }
  const files = [join(folder, 'a.zpl'), join(folder, 'b.zpl')]
  const printer = undefined
  t.match(await runPrint({ files, printer }, await cutAnswers(t, server, 1)), {
    code: 0,
    text: /^2 labels were taken/,
  })
  t.equal(await countJobs(server), 2, 'its own retry')
  const lost = await runPrint({ files, printer }, await cutAnswers(t, server, 2))
  t.match(lost, { code: 1, text: /ECONNRESET.* may have been taken .* do not print again/ })
  t.equal(await countJobs(server), 4, 'another call is another request')
  const key = readKey(lost.text)
  t.match(await runPrint({ files, printer, key }, straight), { code: 0, text: /^2 labels/ })
  t.equal(await countJobs(server), 4, 'with its key')
  const odd = { files, printer, key: 'Bestellung “7” ü' }
  t.match(await runPrint(odd, straight), { code: 0 })
  t.match(await runPrint(odd, straight), { code: 0 })
  t.equal(await countJobs(server), 6, 'a key of the caller')
  t.match(await runPrint({ ...odd, files: files.slice(1) }, straight), {
    code: 1,
    text: /idempotency key was used before/,
  })
})

t.test('a server that is killed with the labels on disk gets them once', async (t) => {
  const folder = t.testdir({ 'a.zpl': LABEL })
  const home = join(folder, 'home')
  const uri = `socket://127.0.0.1:${await findClosedPort()}`
  const printers = [{ name: 'Bench', uri, language: 'zpl' }]
  const server = await startServer(t, { folder: home, config: { printers } })
  const files = [join(folder, 'a.zpl')]
  const place = { host: 'localhost', port: new URL(server.address).port }
  const printing = runPrint({ files, printer: undefined, waitS: 60 }, place)
  await until('the label', async () => ((await countJobs(server)) === 1 ? true : undefined))
  await server.kill()
  const lost = await printing
  t.match(lost, { code: 1, text: /may have been taken/ })
  const next = await startServer(t, { folder: home, config: { printers } })
  const again = { files, printer: undefined, key: readKey(lost.text), waitS: 0 }
  const { port } = new URL(next.address)
  t.match(await runPrint(again, { ...place, port }), { code: 0 })
  t.equal(await countJobs(next), 1)
})

t.test('a server of this computer is stopped', async (t) => {
  const server = await startServer(t, { folder: t.testdir(), config: {} })
  const place = { host: 'localhost', port: new URL(server.address).port }
  t.match(await runStop(place), { code: 0, text: /has stopped/ })
  t.match(await runStop(place), { code: 0, text: /Nothing runs/ })
})

const OWN = findInternalAddress()

t.test(
  'a server that listens at an address of this computer is stopped by it alone',
  { skip: OWN === '127.0.0.1' && 'this computer has no other address' },
  async (t) => {
    const server = await startServer(t, { folder: t.testdir(), config: { host: OWN } })
    const { port } = new URL(server.address)
    const ask = async (path: string) => (await fetch(`http://${OWN}:${port}${path}`)).status
    t.equal(await ask('/shutdown'), 403, 'a page may have sent it')
    t.equal(await ask('/config'), 403)
    t.match(await runStop({ host: OWN, port }), { code: 0, text: /has stopped/ })
  },
)

t.test('stopped means that its process is gone: a label in hand is finished first', async (t) => {
  const folder = t.testdir()
  const sink = await TcpSink.openFor(t, { bytesPerTick: 500 })
  const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
  const server = await startServer(t, { folder, config: { printers } })
  const label = Buffer.from(`^XA^FX${'x'.repeat(60_000)}^FS^FDslow^FS^XZ`).toString('base64')
  await server.post('/', { label, printer: 'Bench' }, { prefer: 'wait=0' })
  await sink.until(() => sink.connections.some(({ bytes }) => bytes.length > 0))
  const place = { host: 'localhost', port: new URL(server.address).port }
  t.match(await runStop(place), { code: 0, text: /has stopped/ })
  t.throws(() => process.kill(server.pid, 0), { code: 'ESRCH' })
  t.match(server.log(), '"msg":"stopped"')
  t.ok(sink.connections.some(({ bytes }) => Buffer.from(bytes).includes('^FDslow')))
})
