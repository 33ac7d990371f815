import t from 'tap'
import { readServiceManager, reportTo, startWatchdog } from '../../src/system/service-manager.ts'
import { until } from '../until.ts'

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

t.test('the manager hears once that we listen, then that we live, where it asks', async (t) => {
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const health = { isAlive: () => true, fault: fail, port: '8080' }
  const [quiet, watched]: string[][] = [[], []]
  const manager = (heard: string[] = [], watchdogMs?: number) => ({
    sockets: [],
    watchdogMs,
    notify: (message: string) => void heard.push(message),
  })
  reportTo(manager(quiet), health, stopping.signal)
  reportTo(manager(watched, 15), health, stopping.signal)
  await until('two pings', async () => (watched?.length ?? 0) > 2 || undefined)
  const ready = 'READY=1\nSTATUS=Listens on port 8080.'
  t.strictSame(quiet, [ready])
  t.strictSame(watched?.slice(0, 3), [ready, 'WATCHDOG=1', 'WATCHDOG=1'])
})

t.test('a watchdog of this process, or of none named, is fed', (t) => {
  for (const [more, watchdogMs] of [
    [{ WATCHDOG_PID: '8', WATCHDOG_USEC: '1500' }, 1.5],
    [{ WATCHDOG_USEC: '2000' }, 2],
    [{ WATCHDOG_USEC: '0' }, undefined],
    [{ WATCHDOG_PID: '7', WATCHDOG_USEC: '2000' }, undefined],
    [{}, undefined],
  ] as const) {
    t.equal(readServiceManager({ ...more }, 8, fail).watchdogMs, watchdogMs, JSON.stringify(more))
  }
  const more = { LISTEN_PID: '8', LISTEN_FDS: '2', LISTEN_FDNAMES: 'http' }
  t.strictSame(readServiceManager(more, 8, fail).sockets, [
    { name: 'http', fd: 3 },
    { name: '', fd: 4 },
  ])
  t.end()
})
