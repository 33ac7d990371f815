import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  type BoxState,
  describeBox,
  followBox,
  judgeBox,
  listAnnounced,
  readAnnounced,
  readBoxHealth,
} from '../../src/system/box.ts'

t.test('a Raspberry Pi tells its heat, its supply, its memory and its card', (t) => {
  const root = t.testdir({
    proc: {
      meminfo:
        'MemTotal:         477184 kB\nMemFree:           10 kB\nMemAvailable:     391168 kB\n',
    },
    sys: {
      class: {
        thermal: {
          thermal_zone0: { type: 'gpu-thermal\n', temp: '99000\n' },
          thermal_zone1: { type: 'cpu-thermal\n', temp: '48312\n' },
          cooling_device0: { type: 'x\n' },
        },
        hwmon: {
          hwmon0: { name: 'cpu_thermal\n' },
          hwmon1: { name: 'rpi_volt\n', in0_lcrit_alarm: '1\n' },
        },
      },
      fs: { ext4: { mmcblk0p4: { errors_count: '3\n' }, features: {} } },
    },
  })
  t.same(readBoxHealth(root), {
    temperature: 48.312,
    isUndervolted: true,
    memoryAvailable: 391_168 * 1024,
    memoryTotal: 477_184 * 1024,
    fileSystemErrors: { mmcblk0p4: 3 },
  })
  t.end()
})

t.test('what the system does not tell is left out, never guessed', (t) => {
  const root = t.testdir({
    sys: {
      class: {
        thermal: {
          thermal_zone0: { temp: 'broken' },
          thermal_zone1: { type: 'acpitz', temp: '30000' },
        },
        hwmon: { hwmon0: { name: 'rpi_volt' } },
      },
    },
  })
  const nothing = { isUndervolted: undefined, memoryAvailable: undefined, memoryTotal: undefined }
  t.same(readBoxHealth(root), { temperature: 30, ...nothing, fileSystemErrors: {} })
  t.same(readBoxHealth(t.testdir()), { temperature: undefined, ...nothing, fileSystemErrors: {} })
  t.end()
})

const READY = { name: 'Bench', isOffline: false, isStopped: false, message: '', hint: '' }
const STATE: BoxState = {
  version: '1.2.3',
  name: 'printserver-1a2b.local',
  url: 'http://10.0.0.7/',
  alias: 'http://printserver.local/',
  printers: [READY],
}

t.test('the LED is told what is worst', (t) => {
  t.equal(judgeBox(STATE), 'ready')
  t.equal(judgeBox({ ...STATE, url: '', printers: [] }), 'no-network')
  t.equal(judgeBox({ ...STATE, printers: [] }), 'no-printer')
  t.equal(
    judgeBox({ ...STATE, printers: [{ ...READY, isOffline: true, isStopped: true }] }),
    'no-printer',
  )
  t.equal(judgeBox({ ...STATE, printers: [READY, { ...READY, isStopped: true }] }), 'attention')
  t.end()
})

t.test('a person reads address, printer and what to do', (t) => {
  t.equal(
    describeBox(STATE),
    'ready\nLabel print server, version 1.2.3\nAddress:  http://10.0.0.7/\n          http://printserver.local/\n          http://printserver-1a2b.local/\nPrinter:  Bench: ready.\n',
  )
  const stopped = {
    ...READY,
    isStopped: true,
    message: 'There are no labels.',
    hint: 'Put in a roll.',
  }
  t.match(
    describeBox({ ...STATE, printers: [stopped] }),
    'Bench: There are no labels. Put in a roll.',
  )
  const lost = describeBox({ ...STATE, url: '', alias: '', printers: [] })
  t.match(lost, /^no-network\n.*\nNetwork: {2}none. Plug in the cable.*\nPrinter: {2}none found./)
  t.end()
})

t.test('the file follows the state, whole each time', async (t) => {
  const folder = t.testdir()
  const stopping = new AbortController()
  let state = STATE
  const faults: unknown[] = []
  const settings = {
    folder,
    state: () => state,
    fault: (error: unknown) => faults.push(error),
    everyMs: 5,
  }
  const following = followBox(settings, stopping.signal)
  const read = () => readFileSync(join(folder, 'state'), 'utf8')
  t.match(read(), /^ready/)
  state = { ...STATE, printers: [] }
  while (!read().startsWith('no-printer')) await new Promise((done) => setTimeout(done, 5))
  stopping.abort()
  await following
  t.same(faults, [])
})

t.test('a folder that is not there is told once and ends nothing', async (t) => {
  const stopping = new AbortController()
  const faults: unknown[] = []
  let asked = 0
  const state = () => {
    asked += 1
    return STATE
  }
  const fault = (error: unknown) => faults.push(error)
  const following = followBox({ folder: '/nowhere', state, fault, everyMs: 1 }, stopping.signal)
  while (asked < 3) await new Promise((done) => setTimeout(done, 2))
  stopping.abort()
  await following
  t.equal(faults.length, 1)
})

t.test('a state that could not be written is written when it can be', async (t) => {
  const folder = join(t.testdir(), 'later')
  const stopping = new AbortController()
  const faults: unknown[] = []
  const fault = (error: unknown) => faults.push(error)
  const following = followBox({ folder, state: () => STATE, fault, everyMs: 2 }, stopping.signal)
  t.equal(faults.length, 1)
  mkdirSync(folder)
  for (let n = 0; n < 500 && !existsSync(join(folder, 'state')); n += 1)
    await new Promise((done) => setTimeout(done, 2))
  stopping.abort()
  await following
  t.ok(existsSync(join(folder, 'state')))
  t.equal(faults.length, 1)
})

t.test('a state that cannot be had is told once, and shown when it can be', async (t) => {
  const folder = t.testdir()
  const stopping = new AbortController()
  const faults: unknown[] = []
  const fault = (error: unknown) => faults.push(error)
  let asked = 0
  const state = () => {
    asked += 1
    // As os.networkInterfaces does while the program has no more files to open.
    if (asked < 4) throw new Error('uv_interface_addresses returned EMFILE')
    return STATE
  }
  const following = followBox({ folder, state, fault, everyMs: 1 }, stopping.signal)
  for (let n = 0; n < 500 && !existsSync(join(folder, 'state')); n += 1)
    await new Promise((done) => setTimeout(done, 2))
  stopping.abort()
  await following
  t.ok(existsSync(join(folder, 'state')))
  t.equal(faults.length, 1)
})

t.test('names are those that avahi holds', (t) => {
  const folder = t.testdir({ host: 'printserver-1a2b-2.local\n', alias: '' })
  t.equal(readAnnounced('host', folder), 'printserver-1a2b-2.local')
  t.same(listAnnounced(folder), ['printserver-1a2b-2.local'])
  t.equal(readAnnounced('alias', folder), undefined)
  mkdirSync(join(folder, 'none'))
  t.equal(readAnnounced('host', join(folder, 'none')), undefined)
  writeFileSync(join(folder, 'alias'), 'printserver.local')
  t.equal(readAnnounced('alias', folder), 'printserver.local')
  t.end()
})
