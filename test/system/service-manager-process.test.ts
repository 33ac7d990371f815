import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readServiceManager } from '../../src/system/service-manager.ts'
import { until } from '../until.ts'

const MODULE = join(import.meta.dirname, '../../src/system/service-manager.ts')

function fail(error: unknown): void {
  throw error
}

t.test('a state is written to the descriptor that was opened for it', async (t) => {
  const script = `import { readServiceManager } from ${JSON.stringify(MODULE)}
    readServiceManager(process.env, process.pid, (error) => { throw error }).notify('READY=1\\nSTATUS=well')`
  // The shell knows the process id that exec keeps.
  const shell = 'LISTEN_PID=$$ exec "$0" --input-type=module -e "$1"'
  const child = spawn('sh', ['-c', shell, process.execPath, script], {
    env: { ...process.env, LISTEN_FDS: '1', LISTEN_FDNAMES: 'notify' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  let heard = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  await once(child, 'close')
  t.equal(heard, 'READY=1\nSTATUS=well')
})

t.test('an older systemd is told by its own command, which must know the socket', async (t) => {
  const folder = t.testdir({
    'systemd-notify':
      '#!/bin/sh\nprintf "%s|" "$NOTIFY_SOCKET" "$@" >"$HEARD.new"; mv "$HEARD.new" "$HEARD"\n',
  })
  chmodSync(join(folder, 'systemd-notify'), 0o755)
  const heard = join(folder, 'heard')
  const env = { PATH: `${folder}:/usr/bin:/bin`, NOTIFY_SOCKET: '/run/notify', HEARD: heard }
  readServiceManager(env, 8, fail).notify('READY=1\nSTATUS=well')
  await until('the command to be called', async () => existsSync(heard) || undefined)
  t.equal(readFileSync(heard, 'utf8'), '/run/notify|READY=1|STATUS=well|')
})

t.test('a manager that cannot be told is a fault, and nothing else', async (t) => {
  const faults: unknown[] = []
  const closed = {
    LISTEN_PID: '8',
    LISTEN_FDS: '1000',
    LISTEN_FDNAMES: `${'x:'.repeat(999)}notify`,
  }
  readServiceManager(closed, 8, (error) => faults.push(error)).notify('READY=1')
  t.match(faults, [{ code: 'EBADF' }])
  const env = { PATH: t.testdir(), NOTIFY_SOCKET: '/nowhere' }
  readServiceManager(env, 8, (error) => faults.push(error)).notify('READY=1')
  await until('the missing command to be noticed', async () => faults.length === 2 || undefined)
  t.match(faults[1], { code: 'ENOENT' })
})
