import { spawnSync } from 'node:child_process'
import { readFileSync, truncateSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runPrint, runStop, runUpdate } from '../../src/system/commands.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { findClosedPort, listen } from '../listen.ts'

const LABEL = '^XA^FDfrom the shell^FS^XZ'
const TAKEN = 'The label was taken by the print server.'

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** A server that gives these answers, one after the other, and what it was sent. */
async function serve(t: Test, answers: readonly Answer[]) {
  const bodies: string[] = []
  const left = [...answers]
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      bodies.push(body)
      const answer = left.shift() ?? ''
      if (typeof answer === 'string') response.end(answer)
      else answer(request, response)
    })
  })
  const place = { host: '', port: String(await listen(t, server)) }
  return { server, bodies, place }
}

const reset = ({ socket }: { readonly socket: Socket }): void => {
  socket.resetAndDestroy()
}

t.test('a server that is off or talks nonsense is told in a sentence', async (t) => {
  const folder = t.testdir({ 'a.zpl': LABEL })
  const files = [join(folder, 'a.zpl')]
  const off = { host: '127.0.0.1', port: String(await findClosedPort()) }
  t.match(await runPrint({ files, printer: undefined }, off), {
    code: 1,
    text: /does not answer at port \d+ \(ECONNREFUSED\)/,
  })
  const most = 2 ** 20
  const { place } = await serve(t, [
    'null',
    '{"Status":"Error"}',
    '<html>',
    'x'.repeat(most + 1),
    '{"jobs":[1]}'.padEnd(most),
  ])
  for (const text of [/refused/, /refused/, /SyntaxError.* may have been taken/, /too long/]) {
    t.match(await runPrint({ files, printer: undefined }, place), { code: 1, text })
  }
  t.match(await runPrint({ files, printer: undefined }, place), { code: 0 }, 'not one too many')
})

t.test('files go as base64 under their names, with printer and key', async (t) => {
  const folder = t.testdir({ 'a "b".zpl': LABEL, 'c.zpl': '^XA\xe9^XZ' })
  const { bodies, place } = await serve(t, ['{"jobs":[1,2]}', '{"jobs":[1]}'])
  const files = ['a "b".zpl', 'c.zpl'].map((name) => join(folder, name))
  t.strictSame(await runPrint({ files, printer: 'Bench', key: 'k1' }, place), {
    code: 0,
    text: '2 labels were taken by the print server.\n',
  })
  const [boundary = ''] = bodies[0]?.split('\r\n') ?? []
  const part = (head: string, value: string): string =>
    `${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
  const label = (name: string, text: string): string =>
    part(
      `name="label"; filename="${name}"\r\nContent-Transfer-Encoding: base64`,
      Buffer.from(text).toString('base64'),
    )
  t.equal(
    bodies[0],
    part('name="idempotency_key"', 'k1') +
      part('name="printer"', 'Bench') +
      label('a \\"b\\".zpl', LABEL) +
      label('c.zpl', '^XA\xe9^XZ') +
      `${boundary}--\r\n`,
  )
  await runPrint({ files: files.slice(0, 1), printer: undefined }, place)
  t.notMatch(bodies[1], 'name="printer"', 'left out, it is the default one')
  t.match(bodies[1], /name="idempotency_key"\r\n\r\n[0-9a-f-]{36}\r\n/, 'a key of its own')
})

t.test('what was taken is no failure, whatever is said besides', async (t) => {
  const files = [join(t.testdir({ 'a.zpl': LABEL }), 'a.zpl')]
  const cases = [
    [{ jobs: [{}] }, 0, TAKEN],
    [
      { jobs: [{}], Status: 'Error', Message: 'Off.', hint: 'Switch it on.' },
      0,
      `${TAKEN} Off. Switch it on.`,
    ],
    [{ jobs: [{}], Message: '', hint: 'H.' }, 0, `${TAKEN} H.`],
    [{ jobs: [], Status: 'OK' }, 0, TAKEN],
    [{ jobs: [], Status: 'Error' }, 1, 'The label was refused.'],
    [{ Status: 'OK' }, 1, 'The label was refused.'],
    [{ jobs: [], Message: 'No.', hint: 7 }, 1, 'No.'],
    ['text', 1, 'The label was refused.'],
  ] as const
  const { place } = await serve(
    t,
    cases.map(([answer]) => JSON.stringify(answer)),
  )
  for (const [answer, code, text] of cases) {
    const end = await runPrint({ files, printer: undefined }, place)
    t.strictSame(end, { code, text: `${text}\n` }, JSON.stringify(answer))
  }
})

t.test('a file that is too large for a label, or none, is not sent', async (t) => {
  const folder = t.testdir({ huge: '' })
  truncateSync(join(folder, 'huge'), 256 * 2 ** 20 + 1)
  const { bodies, place } = await serve(t, [])
  const print = (name: string) =>
    runPrint({ files: [join(folder, name)], printer: undefined }, place)
  t.strictSame(await print('huge'), {
    code: 1,
    text: 'huge has 268435457 bytes, wanted a label.\n',
  })
  t.match(await print('none'), { code: 1, text: /none cannot be read \(ENOENT\)\.\n$/ })
  t.strictSame(bodies, [])
})

t.test('a connection that breaks is tried once more, under the same key', async (t) => {
  const files = [join(t.testdir({ 'a.zpl': LABEL }), 'a.zpl')]
  const printer = undefined
  const keyOf = (body = ''): string | undefined => /_key"\r\n\r\n(\S+)/.exec(body)?.[1]
  const again = async (t: Test): Promise<void> => {
    const { bodies, place } = await serve(t, [reset, '{"jobs":[1]}'])
    t.strictSame(await runPrint({ files, printer }, place), { code: 0, text: `${TAKEN}\n` })
    t.equal(bodies.length, 2)
    t.equal(keyOf(bodies[0]), keyOf(bodies[1]))
  }
  const twice = async (t: Test): Promise<void> => {
    const { bodies, place } = await serve(t, [reset, reset, '{"jobs":[1]}'])
    t.match(await runPrint({ files, printer, key: 'k7' }, place), {
      code: 1,
      text: /\(ECONNRESET\), .* may have been taken .* --key k7: labels that/,
    })
    t.equal(bodies.length, 2)
  }
  const gone = async (t: Test): Promise<void> => {
    const { server, place } = await serve(t, [
      ({ socket }) => {
        server.close()
        socket.resetAndDestroy()
      },
    ])
    t.match(
      await runPrint({ files, printer }, place),
      { code: 1, text: /\(ECONNRESET\), .* may have been taken/ },
      'the first may have been taken, though nothing answers now',
    )
  }
  await Promise.all([again(t), twice(t), gone(t)])
})

/** The answer of `GET /healthz`. */
const WELL = '{"Status":"OK","Message":"","version":"1.0.0"}'

t.test('a stop waits until the process is gone', async (t) => {
  const { server, place } = await serve(t, [
    WELL,
    (_, response) => {
      response.end('bye')
      server.close()
      server.closeIdleConnections()
    },
  ])
  t.strictSame(await runStop(place), { code: 0, text: 'The print server has stopped.\n' })
  const nothing = `Nothing runs at port ${place.port}.\n`
  t.strictSame(await runStop(place), { code: 0, text: nothing })
  const { place: rude } = await serve(t, [
    WELL,
    (_, response) => {
      response.statusCode = 403
      response.end('Not you.')
    },
  ])
  const refused = { code: 1, text: 'It does not stop: "Not you."\n' }
  t.strictSame(await runStop(rude), refused)
  const { place: broken } = await serve(t, [WELL, reset])
  t.match(await runStop(broken), { code: 1, text: /^It does not stop: Error/ })
})

t.test(
  'a stop looks where the server began to listen: the port may have changed since',
  async (t) => {
    const settings = { host: '', port: String(await findClosedPort()) }
    const refuse: Answer = (_, response) => response.writeHead(403).end('Here.')
    const { place } = await serve(t, [WELL, refuse, WELL, refuse])
    const address = `http://192.0.2.7:${place.port}/`
    const here = { code: 1, text: 'It does not stop: "Here."\n' }
    t.strictSame(await runStop(settings, address), here)
    const another = '<title>Another program</title>'
    const { place: other, bodies } = await serve(t, [another, another])
    t.strictSame(await runStop(other, address), here)
    t.strictSame(await runStop(other), { code: 0, text: `Nothing runs at port ${other.port}.\n` })
    t.equal(bodies.length, 2, 'nobody asks another program to stop')
    const off = `http://192.0.2.7:${await findClosedPort()}/`
    const nothing = { code: 0, text: `Nothing runs at port ${settings.port}.\n` }
    t.strictSame(await runStop(settings, off), nothing)
  },
)

t.test(
  'a server that its service manager starts again is not told as one that stops',
  async (t) => {
    const sentence = 'The print server finishes the current label and restarts.'
    const texts = { message: [{ key: 'restarts', values: {} }], hint: [] }
    const answer = JSON.stringify({ Status: 'OK', Message: sentence, texts })
    const { place } = await serve(t, [WELL, answer])
    const text = `${sentence} To stop it: sudo systemctl stop 'platen*.socket' platen\n`
    t.strictSame(await runStop(place), { code: 1, text })
  },
)

t.test('the command of the Debian package asks the port of its service', (t) => {
  const file = join(t.testdir({ 'config.json': '{}' }), 'config.json')
  const script = readFileSync('packaging/lib/platen', 'utf8')
    .replaceAll('/etc/platen/config.json', file)
    .replace(/^run=.*$/m, "run='printenv PLATEN_CONFIG stop'")
  for (const word of ['print', 'stop']) {
    const env = bareEnvironment()
    t.equal(spawnSync('sh', ['-c', script, 'platen', word], { env }).stdout.toString(), `${file}\n`)
  }
  t.end()
})

t.test('the Debian package has a service of its own, and names it', (t) => {
  const script = readFileSync('packaging/lib/platen', 'utf8').replace(/^run=.*$/m, 'run=echo')
  const call = (...words: readonly string[]) =>
    spawnSync('sh', ['-c', script, 'platen', 'service', ...words], { encoding: 'utf8' })
  const told = {
    status: 1,
    stderr: 'The service of this package is platen.service: systemctl status platen\n',
  }
  for (const verb of ['install', 'status']) t.match(call(verb), told)
  t.match(call('install', '--config', 'x'), told)
  t.match(
    call('remove'),
    { status: 0, stdout: 'service remove\n' },
    'one that was installed before',
  )
  t.end()
})

t.test('only the Debian package updates itself; all others are told how', (t) => {
  const folder = t.testdir()
  const elsewhere = { code: 1, text: /^Only the Debian package updates itself\./ }
  t.match(runUpdate([], join(folder, 'platen.js'), join(folder, 'update')), elsewhere, 'no script')
  t.match(runUpdate([], '/elsewhere/platen.js', join(folder, 'update')), elsewhere)
  t.end()
})
