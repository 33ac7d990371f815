// A fault of our own code in one label is none of the others', whichever way it came: the label is set aside with its reason,
// nobody is told that it was taken, and what comes behind it prints.
import t, { type Test } from 'tap'
import { explainUnreadable } from '../../src/core/reasons/held-label.ts'
import { createBeanstalkd } from '../../src/plugins/beanstalkd/index.ts'
import { raw } from '../../src/plugins/raw/index.ts'
import { isMessageFault } from '../../src/plugins/source/message.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { Bench, printer } from '../core/bench.ts'
import { startRig } from '../http/rig.ts'
import { findClosedPort } from '../listen.ts'
import { type DoorBench, jobs, openDoor } from '../plugins/door/door-bench.ts'
import { talk } from '../plugins/raw/client.ts'
import { BeanstalkdDaemon, noBeanstalkd } from '../plugins/source/beanstalkd-daemon.ts'
import { makeGuard, pull } from '../plugins/source/intake-bench.ts'
import { poll } from '../until.ts'
import { spoken } from '../words/spoken.ts'
import { PLACES, poison } from './poison.ts'

t.setTimeout(300_000)

const WORD = 'xyzzy'
const label = (text: string): Buffer =>
  Buffer.from(`SIZE 4,6\r\nSET PEEL OFF\r\nCLS\r\nTEXT 9,9,"3",0,1,1,"${text}"\r\nPRINT 1\r\n`)
/** A label that our own code fails on. */
const POISONED = Buffer.from(`SIZE 4,6\r\nSET ${WORD} OFF\r\nCLS\r\nPRINT 1\r\n`)
const HELD = { state: 'pending-held', format: 'unknown', code: 'LABEL_CRASHED', message: /fault/ }

t.test('HTTP: of three labels one is held with its reason, and two print', async (t) => {
  poison(t, WORD, PLACES.gate)
  const rig = startRig(t)
  const labels = [label('one'), POISONED, label('two')].map((one) => one.toString('base64'))
  const response = await rig.call('/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labels }),
  })
  t.equal(response.status, 202)
  const answer = (await response.json()) as { Status: string; Message: string }
  t.match(answer, { Status: 'Error', Message: /fault of the print server/ })
  t.match(spoken(rig.jobs()), [{ state: 'completed' }, HELD, { state: 'completed' }])
  t.same(rig.labels()[1], POISONED, 'as it came')
  t.match(rig.bench.faults, [{ name: 'RangeError' }], 'the log says what it was')
})

t.test('a label whose name cannot be read prints without one', async (t) => {
  const { TextDecoder: usual } = globalThis
  t.teardown(() => {
    globalThis.TextDecoder = usual
  })
  // As a Node.js without all of ICU does it.
  globalThis.TextDecoder = class extends usual {
    constructor(...[name, options]: ConstructorParameters<typeof usual>) {
      if (name === 'windows-1253') throw new RangeError('no such encoding')
      super(name, options)
    }
  }
  const bench = new Bench(t, { printers: [printer('A', 'file:a', 'tspl')] })
  bench.scheduler.start()
  const odd = Buffer.concat([
    Buffer.from('SIZE 4,6\r\nCODEPAGE 1253\r\nCLS\r\nTEXT 9,9,"3",0,1,1,"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"\r\nPRINT 1\r\n'),
  ])
  const taken = await bench.intake.takeTogether({ labels: [odd], options: {}, source: 'http' })
  await taken.ended
  t.match(bench.spool.history.list({ limit: 9 }), [{ state: 'completed', title: '' }])
  t.match(bench.faults, [{ name: 'RangeError' }])
})

async function openRaw(t: Test): Promise<{ readonly door: DoorBench; readonly port: number }> {
  const port = await findClosedPort()
  const printers = [printer('A', 'file:a', 'tspl')]
  return { door: await openDoor(t, raw, { raw_port: port }, { printers }), port }
}

t.test('port 9100: the label is held, those around it print', async (t) => {
  poison(t, WORD, PLACES.gate)
  const { door, port } = await openRaw(t)
  const { isClosed } = await talk(port, [label('one'), POISONED, label('two')])
  t.equal(isClosed, true, 'all is on disk')
  t.match(spoken(jobs(door)), [{ format: 'tspl' }, HELD, { format: 'tspl' }])
  t.match(door.bench.faults, [{ name: 'RangeError' }])
})

t.test(
  'port 9100: where the stream cannot be read it is reset, and the log says why',
  async (t) => {
    poison(t, WORD, PLACES.stream)
    const { door, port } = await openRaw(t)
    const { isClosed } = await talk(port, [`${WORD} 1\r\n`, label('one')])
    t.equal(isClosed, false, 'a regular end would say that all was taken')
    t.match(door.bench.faults, [{ name: 'RangeError' }])
    await talk(port, [label('two')])
    await poll('the next connection to print', () => jobs(door).length === 1)
  },
)

t.test('a queue goes on', { skip: noBeanstalkd }, async (t) => {
  poison(t, WORD, PLACES.gate)
  const daemon = await BeanstalkdDaemon.start(t)
  for (const one of [POISONED, label('behind')]) await daemon.put('labels', one.toString('base64'))
  const source = createBeanstalkd({
    connectMs: 60_000,
    replyMs: 60_000,
    bodyIdleMs: 60_000,
    reserveSeconds: 1,
    countMs: 50,
    settleMs: 100,
    strangerReserves: 2,
  })
  const pulled = pull(t, source, { endpoint: daemon.endpoint, tube: 'labels' })
  const list = () => pulled.bench.spool.history.list({ limit: 9 }).toReversed()
  await poll('both to be taken', () => list().length === 2)
  t.match(spoken(list()), [HELD, { format: 'tspl' }])
})

t.test('a message that our code cannot read is set aside', async (t) => {
  const guard = makeGuard()
  const fault = new RangeError('no stack')
  const error = await guard.run('one', () => Promise.reject(fault)).catch((thrown) => thrown)
  t.match(error, { code: 'LABEL_CRASHED', detail: 'RangeError: no stack', cause: fault })
  t.ok(isMessageFault(error), 'the next message comes')
  const { message } = explainUnreadable('the queue', error as PlatenError)
  t.match(spoken(message), /could not read a label from the queue: a fault of the print server/)
  const refused = new PlatenError('SPOOL_FULL', 'full')
  const passed = await guard.run('two', () => Promise.reject(refused)).catch((thrown) => thrown)
  t.equal(passed, refused, 'what is thrown on purpose stays')
  const stopped = await guard
    .run('three', () => Promise.reject(AbortSignal.abort().reason))
    .catch((thrown) => thrown)
  t.equal(stopped.name, 'AbortError', 'and so does the end of the program')
})
