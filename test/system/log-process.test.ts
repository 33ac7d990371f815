import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findClosedPort } from '../listen.ts'
import { until } from '../until.ts'

t.test('a process writes its lines to standard error, also the last one', (t) => {
  const module = new URL('../../src/system/log.ts', import.meta.url).href
  const script = `import { createLog } from ${JSON.stringify(module)}
    createLog({ level: 'info', toJournal: true }).info({ port: '8080' }, 'start')
    process.exit(0)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  t.equal(String(stdout), '')
  t.equal(String(stderr), '<6>{"level":"info","port":"8080","msg":"start"}\n')
  t.end()
})

t.test('a process goes on though nobody takes its lines', (t) => {
  if (!existsSync('/dev/full')) {
    t.comment('this system has no file that is always full')
    t.end()
    return
  }
  const module = new URL('../../src/system/log.ts', import.meta.url).href
  const script = `import { createLog } from ${JSON.stringify(module)}
    const log = createLog({ level: 'info', toJournal: false })
    for (let n = 0; n < 3; n += 1) log.info({ n }, 'printed')
    process.stdout.write('prints on')`
  const full = openSync('/dev/full', 'w')
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', full],
  })
  closeSync(full)
  t.equal(String(stdout), 'prints on')
  t.equal(status, 0)
  t.end()
})

t.test('a server whose disk is full under its output takes labels', async (t) => {
  if (!existsSync('/dev/full')) {
    t.comment('this system has no file that is always full')
    return
  }
  const port = await findClosedPort()
  const config = { port: String(port), open_browser: false }
  const folder = t.testdir({ 'config.json': JSON.stringify(config) })
  const full = openSync('/dev/full', 'w')
  const server = spawn(
    process.execPath,
    ['packaging/launcher/platen.js', '--config', join(folder, 'config.json')],
    {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, STATE_DIRECTORY: join(folder, 'state'), PLATEN_ANNOUNCE: '0' },
      stdio: ['ignore', full, full],
    },
  )
  t.teardown(() => server.kill('SIGKILL'))
  closeSync(full)
  const answer = await until('an answer or its end', async () => {
    if (server.exitCode !== null) return `it ended with ${server.exitCode}`
    const health = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
    return health?.json()
  })
  t.match(answer, { Status: 'OK' })
})
