import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { runPrint, runStop } from '../../src/system/commands.ts'
import { findClosedPort, TcpSink } from '../devices/tcp-sink.ts'
import { startServer } from '../e2e/server.ts'

const LABEL = '^XA^FDfrom the shell^FS^XZ'

t.test('files are printed by the server of this computer', async (t) => {
  const folder = t.testdir({ 'a.zpl': LABEL, 'b.zpl': LABEL, 'odd.txt': 'no label' })
  const sink = await TcpSink.open()
  t.teardown(() => sink.close())
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
  const sink = await TcpSink.open()
  t.teardown(() => sink.close())
  const folder = t.testdir({ 'a.zpl': LABEL, 'odd.txt': 'no label' })
  const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
  const server = await startServer(t, { folder: join(folder, 'home'), config: { printers } })
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ port: new URL(server.address).port }))
  const print = async (name: string) => {
    const args = ['platen.js', 'print', join(folder, name), '--config', config]
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

t.test('a server that is off or talks nonsense is told in a sentence', async (t) => {
  const folder = t.testdir({ 'a.zpl': LABEL })
  const files = [join(folder, 'a.zpl')]
  const off = { host: '127.0.0.1', port: String(await findClosedPort()) }
  t.match(await runPrint({ files, printer: undefined }, off), {
    code: 1,
    text: /does not answer at port \d+ \(ECONNREFUSED\)/,
  })
  const answers = ['null', '{"Status":"Error"}', '<html>', 'x'.repeat(2 ** 20 + 1)]
  const server = createServer((_, response) => response.end(answers.shift())).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const place = { host: '', port: String((server.address() as AddressInfo).port) }
  for (const text of [/refused/, /refused/, /does not answer/, /too long/]) {
    t.match(await runPrint({ files, printer: undefined }, place), { code: 1, text })
  }
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

t.test('a server of this computer is stopped', async (t) => {
  const server = await startServer(t, { folder: t.testdir(), config: {} })
  const place = { host: 'localhost', port: new URL(server.address).port }
  t.match(await runStop(place), { code: 0, text: /has stopped/ })
  t.match(await runStop(place), { code: 0, text: /Nothing runs/ })
})

t.test('stopped means that its process is gone: a label in hand is finished first', async (t) => {
  const folder = t.testdir()
  const sink = await TcpSink.open({ bytesPerTick: 500 })
  t.teardown(() => sink.close())
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
