import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Test } from 'tap'
import type { Job } from '../../../src/core/job.ts'
import type { BodyBudget } from '../../../src/core/request/body-budget.ts'
import { createAccess } from '../../../src/http/access/access.ts'
import { listOwnNames } from '../../../src/http/access/addresses.ts'
import type { Keys } from '../../../src/http/access/keys.ts'
import { releaseBodies } from '../../../src/http/guard/body.ts'
import { createLimits } from '../../../src/http/guard/body-limits.ts'
import type { AppParts, HttpEnv } from '../../../src/http/parts.ts'
import { refusalJson, toFailure } from '../../../src/http/server-faults.ts'
import { makeDoorBox } from '../../../src/plugins/door/box.ts'
import type { Door } from '../../../src/plugins/door/door.ts'
import { doorRoutes } from '../../../src/plugins/door/routes.ts'
import { Doors } from '../../../src/plugins/door/run.ts'
import type { PluginCore } from '../../../src/plugins/plugin.ts'
import type { Config } from '../../../src/settings/schema.ts'
import { Bench, type BenchSettings, printer } from '../../core/bench.ts'
import { listen } from '../../listen.ts'
import { poll } from '../../until.ts'
import { makePluginCore } from '../core.ts'

/** A door before a whole print server in this process, with the printers A, which is the default, and B. */
export interface DoorBench {
  readonly bench: Bench
  readonly doors: Doors
  /** `http://127.0.0.1:PORT` with the door's paths of the HTTP port; '' = it has none. */
  readonly address: string
  readonly keys: Keys
  readonly log: { readonly fields: object; readonly event: string }[]
  /** Saves other settings. */
  configure(config: object): Promise<void>
}

/** Opens one door with these settings; it ends with the test. */
export async function openDoor(
  t: Test,
  door: Door,
  config: object,
  settings: Partial<BenchSettings> = {},
): Promise<DoorBench> {
  const bench = new Bench(t, {
    printers: [printer('A', 'file:a'), printer('B', 'file:b')],
    defaultName: 'A',
    ...settings,
  })
  bench.scheduler.start()
  const log: DoorBench['log'] = []
  const write = (fields: object, event: string): void => {
    log.push({ fields, event })
  }
  const of = (changed: object): object => ({ host: '127.0.0.1', ...changed })
  writeFileSync(join(bench.folder, 'config.json'), JSON.stringify(of(config)), { mode: 0o600 })
  const core: PluginCore = makePluginCore(bench, {
    ownNames: () => listOwnNames(),
    info: () => ({ ...INFO, host: core.settings.current.host }),
    log: { info: write, warn: write, error: write },
  })
  const { bodies, keys, settings: store } = core
  const doors = new Doors({
    box: makeDoorBox(core),
    list: [door],
    backOff: { firstMs: 5, mostMs: 20 },
  })
  t.teardown(() => doors.stop())
  const follow = async (): Promise<void> => {
    doors.configure(store.current)
    await poll('the door to follow', () => doors.list().every(({ state }) => state === 'open'))
  }
  await follow()
  const hasPaths = doors.answering(door.name) !== undefined
  const address = hasPaths ? await servePaths(t, { door, doors }, () => store.current, bodies) : ''
  const configure = async (changed: object): Promise<void> => {
    await store.put(of(changed))
    await follow()
  }
  return { bench, doors, address, keys, log, configure }
}

const INFO = {
  version: '1.0.0',
  hostName: 'bench',
  ip: '10.0.0.5',
  names: [],
  port: '80',
  securePort: '',
  uptime: 0,
}

/** Oldest first. */
export function jobs({ bench }: DoorBench): readonly Job[] {
  return bench.spool.history.list({ limit: 1_000 }).toReversed()
}

/** The paths of the doors on an HTTP port of their own, with the access of the box; gives its address. */
async function servePaths(
  t: Test,
  { door, doors }: { readonly door: Door; readonly doors: Doors },
  config: () => Config,
  bodies: BodyBudget,
): Promise<string> {
  const access = createAccess({ config, ownNames: () => [], furtherNames: () => doors.hostNames() })
  const limits = createLimits(() => config().max_body_mb, {}, bodies)
  const app = new Hono<HttpEnv>()
  app.use('*', releaseBodies)
  app.use('*', access.guard())
  const parts = { access, limits } as unknown as AppParts
  const routes = doorRoutes([door])
  const first = routes.first?.(parts, { doors })
  if (first !== undefined) app.route('/', first)
  const own = routes.create(parts, () => ({ doors }))
  app.route('/', own)
  app.onError((error, c) => {
    const failure = toFailure(error)
    return c.json(refusalJson(failure), failure.status)
  })
  return `http://127.0.0.1:${await listen(t, createServer(getRequestListener(app.fetch)))}`
}
