import { join } from 'node:path'
import { BODY_BUDGET, BodyBudget } from '../../src/core/request/body-budget.ts'
import { Keys } from '../../src/http/access/keys.ts'
import type { PluginCore } from '../../src/plugins/plugin.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import type { Bench } from '../core/bench.ts'
import { loadConfig } from '../settings/all.ts'

/** Makes the core that plugins are given from the parts of a bench, with the settings and keys of its folder. */
export function makePluginCore(bench: Bench, changes: Partial<PluginCore> = {}): PluginCore {
  const { spool, intake, scheduler, printers, renderer, folder } = bench
  const file = join(folder, 'config.json')
  return {
    spool,
    intake,
    scheduler,
    printers,
    renderer,
    settings: new ConfigStore(file, loadConfig(file)),
    stateFolder: folder,
    info: () => ({
      version: '0.1.0',
      host: 'localhost',
      hostName: 'bench-box',
      ip: '127.0.0.1',
      names: [],
      port: '8080',
      securePort: '',
      uptime: 0,
    }),
    ownNames: () => [],
    certificates: () => undefined,
    keys: new Keys(folder),
    bodies: new BodyBudget(BODY_BUDGET),
    isAppliance: false,
    runtimeFolder: undefined,
    announces: false,
    credentialsFolder: undefined,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    fault: (error) => bench.faults.push(error),
    ...changes,
  }
}
