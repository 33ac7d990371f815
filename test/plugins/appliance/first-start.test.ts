import t from 'tap'
import type { DocumentRequest } from '../../../src/core/intake/requests.ts'
import type { Job } from '../../../src/core/job.ts'
import type { KnownPrinter } from '../../../src/core/printers/status.ts'
import { printFirstStart } from '../../../src/plugins/appliance/start-label.ts'

const READY = { state: 'idle', reasons: ['none'], message: '', hint: '' } as const
const FACTS = { name: 'printserver-1a2b.local', alias: '', pin: '1', fingerprint: '', version: '1' }

function printer(name: string, more: object = {}): KnownPrinter {
  const known: unknown = { name, isDefault: false, status: READY, ...more }
  return known as KnownPrinter
}

/** A box whose parts a test turns; `end` is how the labels end, the last one again and again. */
function start(more: { kept?: string; ends?: readonly Job['state'][]; unread?: Error } = {}) {
  const box = {
    kept: more.kept,
    url: '',
    printers: [] as readonly KnownPrinter[],
    requests: [] as DocumentRequest[],
    faults: [] as unknown[],
    refuse: false,
    isFull: false,
  }
  const ends = [...(more.ends ?? ['completed'])]
  const stopping = new AbortController()
  const parts = {
    printers: { list: () => box.printers },
    intake: {
      acceptDocument(request: DocumentRequest) {
        if (box.refuse) throw new Error('full')
        box.requests.push(request)
        const jobs = [{ id: 'a-1' }] as unknown as readonly Job[]
        return { jobs, repeated: false, ended: Promise.resolve() }
      },
      ended: () => Promise.resolve([{ state: ends.length > 1 ? ends.shift() : ends[0] } as Job]),
    },
    facts: () => ({ ...FACTS, url: box.url }),
    kept: {
      load: () => {
        if (more.unread !== undefined) throw more.unread
        return box.kept
      },
      save: (text: string) => {
        if (box.isFull) throw new Error('no space left')
        box.kept = text
      },
    },
    fault: (error: unknown) => box.faults.push(error),
    everyMs: 2,
    networkMs: 40,
  }
  const done = printFirstStart(parts, stopping.signal)
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((next) => setTimeout(next, 1))
  }
  return { box, done, until, stop: () => stopping.abort() }
}

t.test('it prints once, when a printer and an address are there', async (t) => {
  const { box, done, until } = start()
  box.url = 'http://10.0.0.7/'
  await until(() => box.kept === undefined)
  box.printers = [
    printer('Away', { isDefault: true, status: { ...READY, reasons: ['offline'] } }),
    printer('Bench'),
    printer('Main', { isDefault: true }),
  ]
  await until(() => box.kept === 'done')
  await done
  t.equal(box.requests.length, 1)
  t.match(box.requests[0], { format: 'start', source: 'start', options: { printer: 'Main' } })
  t.match(JSON.parse(Buffer.from(box.requests[0]?.body ?? []).toString()), {
    url: box.url,
    pin: '1',
  })
})

t.test('without a network it prints after a while, and once more when there is one', async (t) => {
  const { box, done, until } = start()
  box.printers = [printer('Bench')]
  await until(() => box.kept === 'offline')
  t.equal(box.requests.length, 1)
  box.url = 'http://10.0.0.7/'
  await until(() => box.kept === 'done')
  await done
  t.equal(box.requests.length, 2)
})

t.test('a label that could not be drawn is tried again, not forever', async (t) => {
  const once = start({ ends: ['aborted', 'completed'] })
  once.box.url = 'http://10.0.0.7/'
  once.box.printers = [printer('Bench')]
  await once.until(() => once.box.requests.length === 2)
  await once.until(() => once.box.kept === 'done')
  const always = start({ ends: ['aborted'] })
  always.box.url = 'http://10.0.0.7/'
  always.box.printers = [printer('Bench')]
  await always.until(() => always.box.requests.length === 3)
  await always.until(() => always.box.kept === 'done')
  t.equal(always.box.requests.length, 3)
})

t.test('a fault is told and the next look tries again; the end ends it', async (t) => {
  const { box, done, until, stop } = start()
  box.refuse = true
  box.url = 'http://10.0.0.7/'
  box.printers = [printer('Bench')]
  await until(() => box.faults.length >= 2)
  stop()
  await done
  t.equal(box.kept, undefined)
})

t.test('one that cannot be noted down does not print again and again', async (t) => {
  const { box, done, until, stop } = start()
  box.isFull = true
  box.printers = [printer('Bench')]
  await until(() => box.faults.length > 0)
  const end = performance.now() + 100
  await until(() => performance.now() > end)
  t.equal(box.requests.length, 1, 'without an address')
  box.url = 'http://10.0.0.7/'
  await until(() => box.requests.length > 1)
  const second = performance.now() + 100
  await until(() => performance.now() > second)
  stop()
  await done
  t.equal(box.requests.length, 2, 'and with one')
})

t.test('a box that has printed it prints none', async (t) => {
  const { box, done } = start({ kept: 'done' })
  await done
  t.equal(box.requests.length, 0)
})

t.test('one whose note cannot be read is told of, and the box goes on', async (t) => {
  const unread = new Error('EACCES: permission denied')
  const { box, done } = start({ unread })
  box.url = 'http://10.0.0.7/'
  box.printers = [printer('Bench')]
  await done
  t.same(box.faults, [unread])
  t.equal(box.requests.length, 0, 'it may have printed: not once more at each start')
})
