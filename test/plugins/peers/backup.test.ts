import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Backup } from '#printers'
import { Backups } from '../../../src/plugins/peers/backup.ts'
import * as moves from '../../../src/plugins/peers/handover-moves.ts'
import { Peers } from '../../../src/plugins/peers/peers.ts'
import { keepFile } from '../../../src/settings/write.ts'
import { inEnglish, NOTHING, say } from '../../../src/words/say.ts'
import type { Bench } from '../../core/bench.ts'
import { zplLabel } from '../../core/labels.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'
import { findClosedPort } from '../../listen.ts'
import { spoken } from '../../words/spoken.ts'
import { arrived, type Box, openBox, pair, waiting } from './rig.ts'
import { Wire } from './wire.ts'

t.setTimeout(120_000)

const MINUTE = 60_000
const rule = (printer: string, more: Partial<Backup> = {}): Backup => {
  return { printer, box: '', minutes: 10, ...more }
}

/** A box whose "Bench 1" is switched off, with a rule, and whose clock the test sets on. */
async function openBroken(t: Test, name: string, backup: Backup) {
  const box = await openBox(t, name)
  const off = `socket://127.0.0.1:${await findClosedPort()}`
  const { bench, peers, stopping } = box
  const { printers, spool, intake } = bench
  const configure = (others: Readonly<Record<string, Backup>> = {}, uri = 'file:bench-2') =>
    printers.configure(
      [
        makePrinter('Bench 1', { uri: off, backup: others['Bench 1'] ?? backup }),
        makePrinter('Bench 2', { uri, ...(others['Bench 2'] && { backup: others['Bench 2'] }) }),
      ],
      'Bench 1',
    )
  configure()
  let now = 0
  const warned: string[] = []
  const backups = new Backups({
    printers,
    spool,
    intake,
    signal: stopping.signal,
    now: () => now,
    peers: () => Promise.resolve(peers),
    warn: (_, fault) => warned.push(inEnglish(fault)),
    fault: (error) => bench.faults.push(error),
  })
  backups.start()
  const pass = async (minutes: number): Promise<void> => {
    now += minutes * MINUTE
    await backups.look()
  }
  return { box, bench, backups, configure, pass, warned, off }
}

/** A label for a printer that is off, once it has said so. */
async function printInVain(bench: Bench, mark: string, printer = 'Bench 1'): Promise<string> {
  const [id = ''] = bench.print([mark], { printer })
  await bench.untilPrinter(printer, ({ state }) => state === 'stopped')
  return id
}

const titles = (box: Box, folder: 'bench-1' | 'bench-2'): readonly string[] =>
  box.printed(folder).map((label) => /FX(\w+)/.exec(label.toString('latin1'))?.[1] ?? '')

t.test('a rule that is changed while it moves labels moves no more of them', async (t) => {
  const { bench, configure, pass } = await openBroken(t, 'a', rule('Bench 2'))
  const first = await printInVain(bench, 'one')
  const second = await printInVain(bench, 'two')
  const end = bench.spool.onChange(({ id, state }) => {
    if (id === first && state === 'canceled') configure({ 'Bench 1': rule('Bench 3') })
  })
  await pass(10)
  end()
  t.equal(bench.job(first).state, 'canceled')
  t.equal(bench.job(second).state, 'pending', 'it is not for the printer of the old rule')
})

t.test(
  'what waits for a printer that is off goes to its backup, and both labels say so',
  async (t) => {
    const { box, bench, pass, backups } = await openBroken(t, 'a', rule('Bench 2'))
    const id = await printInVain(bench, 'one')
    await pass(9)
    t.equal(bench.job(id).state, 'pending', 'not yet')
    await pass(1)
    const message = 'Bench 1 could not print for 10 minutes, so this label went to Bench 2.'
    const gone = bench.job(id)
    t.match(spoken(gone), { state: 'canceled', delivery: 'none', message })
    t.same(gone.reasons, ['job-canceled-by-user', 'platen-moved'])
    const made = box.jobs().find(({ reprintOf }) => reprintOf === id)
    const there = await bench.until(made?.id, 'ended')
    t.match(spoken(there), { state: 'completed', printer: 'Bench 2', message, warning: message })
    t.notOk(there.reasons.includes('platen-printer-command'))

    // What comes later goes at once.
    await pass(7)
    const late = await printInVain(bench, 'two')
    await pass(0)
    t.match(spoken(bench.job(late).message), /^Bench 1 could not print for 17 minutes, so/)
    await bench.until(box.jobs().at(-1)?.id, 'ended')
    t.same(titles(box, 'bench-2'), ['one', 'two'])

    // A printer that is back is a good one again.
    bench.printers.report('Bench 1', {
      state: 'idle',
      reasons: ['none'],
      message: NOTHING,
      hint: NOTHING,
    })
    const third = await printInVain(bench, 'three')
    await backups.look()
    t.equal(bench.job(third).state, 'pending')
  },
)

t.test('what belongs to this bench stays, and whose printer is paused', async (t) => {
  const { bench, pass } = await openBroken(t, 'a', rule('Bench 2'))
  const { intake, scheduler, spool } = bench
  const [done = ''] = bench.print(['done'], { printer: 'Bench 2' })
  await bench.until(done, 'ended')
  const again = intake.reprint(done, 'Bench 1').id
  const [byHand = ''] = bench.print(['hand'], { printer: 'Bench 1' })
  const held = await printInVain(bench, 'held')
  await scheduler.hold(held)
  const begun = await printInVain(bench, 'begun')
  spool.move(begun, () => ({ attempts: 1 }))
  const insisted = await printInVain(bench, 'insisted')
  spool.move(insisted, (job) => moves.depart(job, 'Bench 1 on b'))
  spool.move(insisted, (job) =>
    moves.printHere(job, say('mayBeThereToo', { where: 'Bench 1 on b' })),
  )
  const fromPeer = intake.takeAlone({
    labels: [zplLabel('peer')],
    options: { printer: 'Bench 1' },
    source: 'peer',
  }).jobs[0]?.id
  const test = { format: 'test', body: Buffer.from('{}'), source: 'test' } as const
  const own = intake.acceptDocument({ ...test, options: { printer: 'Bench 1' } }).jobs[0]?.id
  const [epl] = [bench.accept(Buffer.from('\nN\nA50,50,0,4,1,1,N,"x"\nP1\n'))]
  scheduler.pause('Bench 1')
  await pass(60)
  t.equal(bench.job(byHand).state, 'pending', 'a paused printer is not a broken one')
  scheduler.resume('Bench 1')
  await bench.untilPrinter('Bench 1', ({ reasons }) => reasons.includes('offline'))
  await pass(9)
  t.equal(bench.job(byHand).state, 'pending', 'its time began again')
  await pass(1)
  t.equal(bench.job(byHand).state, 'canceled')
  const left = [again, begun, insisted, fromPeer, own, epl].map((id) => bench.job(id).state)
  t.same(new Set(left), new Set(['pending']), String(left))
  t.equal(bench.job(held).state, 'pending-held')
  t.match(
    spoken(bench.printers.get('Bench 1')?.backupFault),
    '1 label is in a language that Bench 2',
  )
})

t.test('a circle of rules ends, and a broken backup gets nothing', async (t) => {
  const a = await openBroken(t, 'a', rule('Bench 2'))
  const { bench, pass, configure, off } = a
  const circle = { 'Bench 2': rule('Bench 1') }
  configure(circle, off.replace('127.0.0.1', 'localhost'))
  const one = await printInVain(bench, 'one')
  await printInVain(bench, 'two', 'Bench 2')
  await pass(30)
  t.equal(bench.job(one).state, 'pending')
  t.match(spoken(bench.printers.get('Bench 1')?.backupFault), /^Bench 2 does not answer/)
  configure(circle)
  await bench.untilPrinter('Bench 2', ({ state }) => state !== 'stopped')
  await pass(0.5)
  t.equal(bench.job(one).state, 'pending', 'who took nothing is asked again after a minute')
  await pass(2)
  t.equal(bench.job(one).state, 'canceled')
  t.equal(bench.printers.get('Bench 1')?.backupFault, undefined)
  const [moved] = a.box.jobs().filter(({ reprintOf }) => reprintOf === one)
  await bench.until(moved?.id, 'ended')
  t.same(
    a.box.jobs().filter(({ reprintOf }) => reprintOf === moved?.id),
    [],
  )
})

t.test('a rule that names nobody is told, once', async (t) => {
  const { bench, warned, configure, box, pass, off } = await openBroken(t, 'a', rule('Bench 9'))
  const nobody = 'No printer is named Bench 9, so no labels can go there.'
  t.same(warned, [nobody])
  t.equal(spoken(bench.printers.get('Bench 1')?.backupFault), nobody)
  const list = (await (await box.call('/printers')).json()) as { backup: unknown }[]
  t.match(list[0]?.backup, { printer: 'Bench 9', box: '', minutes: 10, message: nobody })
  await printInVain(bench, 'one')
  await pass(10)
  t.equal(warned.length, 1)
  const same = makePrinter('Bench 1', { uri: off, backup: rule('Bench 9') })
  bench.printers.configure([same, makePrinter('Bench 9', { uri: 'file:nine' })], 'Bench 1')
  t.equal(bench.printers.get('Bench 1')?.backupFault, undefined, 'it has come')
  configure({ 'Bench 1': rule('Bench 1') })
  t.match(warned[1], 'Bench 1 and its backup Bench 1 are one printer.')
  configure({ 'Bench 1': rule('Bench 3', { box: 'packing-2' }) })
  await bench.untilPrinter('Bench 1', () => warned.length === 3)
  t.match(warned[2], 'No print server "packing-2" is paired with this one.')
})

t.test(
  'a label for a printer of another box gets there once, whatever ends in between',
  async (t) => {
    const a = await openBroken(t, 'a', rule('Bench 1', { box: 'b' }))
    const b = await openBox(t, 'b')
    const wire = await Wire.open(t, b.place)
    await pair(a.box, b, wire.place)
    const first = await printInVain(a.bench, 'first')
    await a.pass(10)
    const here = 'Bench 1 could not print for 10 minutes, so this label went to Bench 1 on b.'
    const there = 'Bench 1 on a could not print for 10 minutes, so this label went to Bench 1.'
    t.match(spoken(a.bench.job(first)), { state: 'canceled', message: here })
    t.match(spoken(b.jobs()), [{ source: 'peer', user: 'a', message: there }])

    // The other box takes it, its answer is lost, and this one ends.
    await a.box.peers.list()
    const look = wire.last.down
    const second = await printInVain(a.bench, 'second')
    void wire.plan({}, { down: look + 100 }, { up: 0 })
    void a.pass(1)
    await a.bench.untilJob(second, ({ message }) =>
      inEnglish(message).includes('broke the connection'),
    )
    a.box.stopping.abort()
    wire.cuts = [{}]
    const { spool, printers } = a.bench
    const next = new Peers({
      spool,
      printers,
      self: () => ({ name: 'a', securePort: '', pin: '' }),
      file: keepFile(join(a.box.folder, 'peers.json')),
      wake: () => undefined,
      fault: (error) => a.bench.faults.push(error),
      signal: new AbortController().signal,
      search: () => Promise.resolve([]),
    })
    next.handovers.start()
    t.match(spoken(await arrived(a.box, second)), {
      state: 'canceled',
      message: here.replace('10', '11'),
    })
    await Promise.all(b.jobs().map(({ id }) => b.bench.until(id, 'ended')))
    t.same(titles(b, 'bench-1'), ['first', 'second'])
    t.match(spoken(b.jobs()[1]?.message), there.replace('10', '11'))
    t.same([...a.bench.faults, ...b.bench.faults], [])
  },
)

t.test('a printer of another box that cannot print gets nothing by a rule', async (t) => {
  const a = await openBroken(t, 'a', rule('Bench 1', { box: 'b' }))
  const b = await openBox(t, 'b')
  await pair(a.box, b)
  b.bench.scheduler.pause('Bench 1')
  const id = await printInVain(a.bench, 'one')
  await a.pass(10)
  t.equal(a.bench.job(id).state, 'pending')
  t.equal(
    spoken(a.bench.printers.get('Bench 1')?.backupFault),
    'Bench 1 is paused. Its labels wait.',
  )
  t.equal(waiting(b, 'x') === '', false)
  b.bench.scheduler.resume('Bench 1')
  await a.pass(1)
  t.equal(a.bench.job(id).state, 'canceled')
})
