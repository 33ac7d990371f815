import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readServiceManager, startWatchdog } from '../../src/system/service-manager.ts'
import { until } from '../until.ts'

const MODULE = join(import.meta.dirname, '../../src/system/service-manager.ts')

function fail(error: unknown): void {
  throw error
}

t.test('without a service manager there is nothing to listen on, to feed or to tell', (t) => {
  const manager = readServiceManager({}, 1, fail)
  t.same(manager.sockets, [])
  t.equal(manager.watchdogMs, undefined)
  t.doesNotThrow(() => manager.notify('READY=1'))
  t.end()
})

t.test('what was meant for another process is not taken', (t) => {
  const env = {
    LISTEN_PID: '7',
    LISTEN_FDS: '2',
    LISTEN_FDNAMES: 'http:https',
    WATCHDOG_PID: '7',
    WATCHDOG_USEC: '20000000',
  }
  const manager = readServiceManager(env, 8, fail)
  t.same(manager.sockets, [])
  t.equal(manager.watchdogMs, undefined)
  t.same(env, {}, 'and no child of ours finds it')
  t.end()
})

t.test('sockets come by name, and the watchdog in milliseconds', (t) => {
  const env = {
    LISTEN_PID: '8',
    LISTEN_FDS: '3',
    LISTEN_FDNAMES: 'http:notify:https',
    WATCHDOG_USEC: '20000000',
    KEPT: 'yes',
  }
  const manager = readServiceManager(env, 8, fail)
  t.same(manager.sockets, [
    { name: 'http', fd: 3 },
    { name: 'https', fd: 5 },
  ])
  t.equal(manager.watchdogMs, 20_000)
  t.same(env, { KEPT: 'yes' })
  t.end()
})

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

t.test('the manager hears of a program that works, until it stops', async (t) => {
  const stopping = new AbortController()
  let pings = 0
  const settings = {
    limitMs: 30,
    isAlive: () => true,
    ping: () => {
      pings += 1
    },
    fault: (error: unknown) => {
      throw error
    },
  }
  startWatchdog(settings, stopping.signal)
  await until('three pings', async () => pings >= 3 || undefined)
  stopping.abort()
  const before = pings
  let turns = 0
  await until('the timer to have had its chances', async () => ++turns > 3 || undefined)
  t.ok(pings <= before + 1)
})

t.test('a program that does not do its work says nothing, and why is noted', async (t) => {
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const faults: unknown[] = []
  let looks = 0
  startWatchdog(
    {
      limitMs: 15,
      isAlive: () => {
        looks += 1
        if (looks > 1) throw new Error('the disk is gone')
        return false
      },
      ping: () => t.fail('it pinged'),
      fault: (error) => faults.push(error),
    },
    stopping.signal,
  )
  await until('two looks', async () => faults.length >= 2 || undefined)
  t.match(faults[0], { message: /does not do its work/ })
  t.match(faults[1], { message: 'the disk is gone' })
})
