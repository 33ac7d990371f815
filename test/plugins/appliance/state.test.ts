import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  type BoxState,
  describeBox,
  followBox,
  judgeBox,
} from '../../../src/plugins/appliance/state.ts'

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
