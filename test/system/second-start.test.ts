import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')
const UNTIL = AbortSignal.timeout(60_000)

t.test('a second start opens the page of the one that runs', async (t) => {
  const folder = t.testdir({ bin: {}, 'config.json': '{"port":"0","open_browser":false}' })
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, 'bin/xdg-open'), `#!/bin/sh\necho "$1" >${opened}\n`, { mode: 0o755 })
  const { WAYLAND_DISPLAY, ...env } = process.env
  const start = (...flags: readonly string[]) =>
    spawn(
      process.execPath,
      ['packaging/launcher/platen.js', '--config', join(folder, 'config.json'), ...flags],
      {
        cwd: ROOT,
        env: {
          ...env,
          STATE_DIRECTORY: join(folder, 'state'),
          DISPLAY: ':99',
          PATH: `${join(folder, 'bin')}:${env['PATH']}`,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
  const first = start()
  t.teardown(() => first.kill('SIGKILL'))
  first.stderr.resume()
  const [line] = await once(createInterface({ input: first.stdout }), 'line', { signal: UNTIL })
  const address = /http:\S+/.exec(String(line))?.[0] ?? 'none'
  t.notOk(existsSync(opened), 'the first opens none: the settings say so')
  // Its address is noted just before it is told.
  const startAgain = async (...flags: readonly string[]) => {
    const second = start(...flags)
    const [words, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')])
    t.equal(code, 1)
    t.match(words, `in use by another print server.\nIt runs already: its page is ${address}\n`)
  }
  await startAgain('--no-browser')
  await setTimeout(500)
  t.notOk(existsSync(opened), 'a service manager starts it again every two seconds')
  await startAgain()
  // Nobody waits for a browser that opens.
  const page = () => (existsSync(opened) ? readFileSync(opened, 'utf8') : '')
  while (page() === '') await setTimeout(20)
  t.equal(page(), `${address}\n`)
})
