import t, { type Test } from 'tap'
import { readKey } from '../../../src/core/intake/checks.ts'
import { exportJobs } from '../../../src/core/spool/backup.ts'
import { type RestoreResult, Restorer } from '../../../src/core/spool/restore.ts'
import type { Handover } from '../../../src/plugins/peers/store.ts'
import { holdsTicket } from '../../../src/plugins/peers/tickets.ts'
import { inEnglish } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'
import { spoken } from '../../words/spoken.ts'
import { arrived, type Box, makeFolder, openBox, pair, waiting } from './rig.ts'
import { Wire } from './wire.ts'

t.setTimeout(120_000)

/** The other box has the label, its answer is lost, and it cannot be asked again. */
async function openUnsure(t: Test) {
  const a = await openBox(t, 'a', { prints: false })
  const b = await openBox(t, 'b', { prints: false })
  const wire = await Wire.open(t, b.place)
  const box = await pair(a, b, wire.place)
  const id = waiting(a, 'one')
  await a.peers.list()
  const look = wire.last.down
  void wire.plan({}, { down: look + 100 }, { up: 0 })
  void a.peers.move(id, box, 'Bench 1').catch(() => undefined)
  await a.bench.untilJob(id, ({ message }) => inEnglish(message).includes('broke the connection'))
  return { a, b, wire, id }
}

/** Takes a backup of one into another. */
function restore(from: Box, to: Pick<Bench, 'spool'>): RestoreResult {
  const restorer = new Restorer(to.spool)
  for (const line of exportJobs(from.bench.spool)) restorer.take(line)
  return restorer.end()
}

const HELD = {
  state: 'pending-held',
  reasons: ['platen-interrupted', 'platen-restored'],
  delivery: 'none',
} as const

t.test('a backup of the box that gives a label away leaves it to a person', async (t) => {
  const { a, b, wire, id } = await openUnsure(t)
  const fresh = new Bench(t, {
    printers: [printer('Bench 1', 'file:bench-1')],
    folder: makeFolder(t, 'c'),
  })
  fresh.scheduler.start()
  t.match(restore(a, fresh), { labels: 1, known: 0 })
  t.match(fresh.spool.history.list({ limit: 9 }), [HELD], 'it may be at the other box')
  // Where it was made, the handover goes on as if nothing had happened, before and after its end.
  t.match(restore(a, a.bench), { labels: 0, known: 1 })
  t.match(a.bench.job(id), { state: 'pending-held', reasons: ['platen-moving'] })
  wire.cuts = [{}]
  t.match(spoken(await arrived(a, id)), { state: 'canceled', message: 'Moved to Bench 1 on b.' })
  t.match(restore(a, a.bench), { labels: 0 })
  t.equal(a.jobs().length, 1)
  t.equal(b.jobs().length, 1)
})

t.test('a restored box knows what it took, and says so when it does not know', async (t) => {
  const { a, b } = await openUnsure(t)
  const { records } = a.bench.spool
  const row = records.prepare("SELECT value FROM meta WHERE key LIKE 'move:%'").get()
  const { key, ticket } = JSON.parse(String(row?.['value'])) as Handover
  const [peer = ''] = key.split(':')
  const request = {
    labels: b.labels(),
    options: { printer: 'Bench 1' },
    source: 'peer',
    idempotencyKey: key,
    sender: { kind: `peer ${peer}`, from: '' },
  }
  const printers = [printer('Bench 1', 'file:bench-1')]
  const fresh = new Bench(t, { printers, folder: makeFolder(t, 'b2') })
  t.match(restore(b, fresh), { labels: 1 })
  t.notOk(holdsTicket(fresh.spool.repeats, ticket), 'what it was before it is not any more')
  const full = readKey(key, request.sender)?.key ?? ''
  t.ok(fresh.spool.repeats.isDecided(full))
  const again = await fresh.intake.takeTogether(request)
  t.match(again, { repeated: true, jobs: [HELD] }, 'offered again, it is the one that is held')
  t.match(fresh.spool.repeats.refuse(full), [HELD], 'asked to give it back, it has it')

  // A backup of before knows nothing of the label, and the ticket forbids to take it for a new one.
  const empty = new Bench(t, { printers, folder: makeFolder(t, 'b3') })
  t.notOk(holdsTicket(empty.spool.repeats, ticket) || empty.spool.repeats.isDecided(full))
})
