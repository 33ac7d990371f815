import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { runPrint } from '../../src/system/commands.ts'
import { findClosedPort } from '../devices/tcp-sink.ts'

const LABEL = '^XA^FDfrom the shell^FS^XZ'

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
  for (const text of [/refused/, /refused/, /SyntaxError.* may have been taken/, /too long/]) {
    t.match(await runPrint({ files, printer: undefined }, place), { code: 1, text })
  }
})
