import { hostname } from 'node:os'
import { Events, logEvent, logFilling } from '../results/events.ts'
import { readBoxHealth } from '../system/box.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** What becomes of jobs and printers is told to the page, the metrics, the log and the result address. */
export async function buildResults(core: Core, jobs: Jobs) {
  const events = buildEvents(core, jobs)
  const results = await tellResultAddress(core, jobs)
  core.metrics.register({ results: () => results?.figures(), box: () => readBoxHealth() })
  return {
    events,
    /** Ends the request under way; what waits is sent after the next start. */
    stop: async () => await results?.stop(),
  }
}

function buildEvents({ log, fault, metrics }: Core, { spool, printers }: Jobs): Events {
  const events = new Events(fault)
  metrics.follow(events)
  events.subscribe((event) => logEvent(log, event))
  for (const filling of spool.filling.list()) logFilling(log, { isHigh: true, filling })
  spool.onChange((job) => events.emit({ type: 'job', job }))
  spool.filling.onCrossing((crossing) => {
    events.emit({ type: 'spool', fillings: spool.filling.list(), ...crossing })
  })
  printers.onChange((printer) => events.emit({ type: 'printer', printer }))
  return events
}

/** Nothing is loaded or written when there is no result address. */
async function tellResultAddress({ store, log, fault }: Core, { spool, printers }: Jobs) {
  const { result_url: url, result_secret: secret = '' } = store.current
  if (url === undefined) return undefined
  const { startResults } = await import('../results/result-url.ts')
  const address = { url, secret, station: hostname() }
  return startResults({ spool, printers, log, fault, address })
}
