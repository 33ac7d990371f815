import type { Test } from 'tap'
import { judgeDoorCaller } from '../../src/app/ways-in.ts'
import { checkConfig } from '../../src/config/check.ts'
import type { Config } from '../../src/config/schema.ts'
import { type Door, type DoorBox, Doors } from '../../src/doors/door.ts'
import { ownerOfSocket } from '../../src/http/access/addresses.ts'
import type { Job } from '../../src/jobs/job.ts'
import { Keys } from '../../src/shipping/keys.ts'
import { Bench, type BenchSettings, printer } from '../jobs/bench.ts'
import { poll } from '../until.ts'
import { servePaths } from './http-paths.ts'

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
    ...{ printers: [printer('A', 'file:a'), printer('B', 'file:b')], defaultName: 'A' },
    ...settings,
  })
  bench.scheduler.start()
  const log: DoorBench['log'] = []
  const write = (fields: object, event: string): void => {
    log.push({ fields, event })
  }
  let current = read(config)
  const keys = new Keys(bench.folder)
  const box: DoorBox = {
    ...{ intake: bench.intake, printers: bench.printers, spool: bench.spool },
    scheduler: bench.scheduler,
    config: () => current,
    info: () => ({
      ...{ version: '1.0.0', hostName: 'bench' },
      host: current.host,
      ip: '10.0.0.5',
      port: '80',
    }),
    certificates: () => undefined,
    ownerOf: ownerOfSocket,
    callerOf: (headers) => judgeDoorCaller(headers, current),
    keys: () => Promise.resolve(keys),
    log: { info: write, warn: write },
    fault: (error) => bench.faults.push(error),
  }
  const doors = new Doors({ box, list: [door], backOff: { firstMs: 5, mostMs: 20 } })
  t.teardown(() => doors.stop())
  const configure = async (changed: object): Promise<void> => {
    current = read(changed)
    doors.configure(current)
    await poll('the door to follow', () => doors.list().every(({ state }) => state === 'open'))
  }
  await configure(config)
  const hasPaths = doors.answering(door.name) !== undefined
  const address = hasPaths ? await servePaths(t, doors, () => current) : ''
  return { bench, doors, address, keys, log, configure }
}

function read(config: object): Config {
  const checked = checkConfig({ host: '127.0.0.1', ...config })
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults))
  return checked.config
}

/** Oldest first. */
export function jobs({ bench }: DoorBench): readonly Job[] {
  return bench.spool.history.list({ limit: 1_000 }).toReversed()
}
