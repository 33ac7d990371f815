import { hostname } from 'node:os'
import type { Plugin, PluginCore, RunningPlugin } from '../plugin.ts'
import { collectResults } from './figures.ts'
import type { Results } from './result-url.ts'
import { type ResultSettings, settings } from './settings.ts'

/** Reports changes of jobs and printers to the result address: without one, nothing is loaded or written. */
export const results: Plugin<RunningPlugin, ResultSettings> = {
  name: 'results',
  title: 'Result address',
  settings,
  keepsResults: ({ result_url }) => result_url !== undefined,
  start(core) {
    const { result_url: url, result_secret: secret = '' } = core.settings.current
    if (url === undefined) return {}
    let running: Results | undefined
    const loaded = load(core, { url, secret, station: hostname() })
      .then((results) => {
        running = results
      })
      .catch(core.fault)
    return {
      figures: () => collectResults(running?.figures()),
      async end() {
        await loaded
        await running?.stop()
      },
    }
  },
}

async function load(
  { spool, printers, log, fault }: PluginCore,
  address: { readonly url: string; readonly secret: string; readonly station: string },
): Promise<Results> {
  const { startResults } = await import('./result-url.ts')
  return startResults({ spool, printers, log, fault, address })
}
