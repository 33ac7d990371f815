import t from 'tap'
import { startWatchdog } from '../../src/system/service-manager.ts'
import { until } from '../e2e/server.ts'

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
