import type { Test } from 'tap'
import * as v from 'valibot'
import { openMemory } from '../../src/plugins/source/memory.ts'
import { RunningSource } from '../../src/plugins/source/running-source.ts'
import type { Source } from '../../src/plugins/source/source.ts'
import { Bench, printer } from '../core/bench.ts'
import { makeGuard } from '../plugins/source/intake-bench.ts'
import { poll } from '../until.ts'
import { spoken } from '../words/spoken.ts'
import { marksOf, putAll, type SourceRig } from './source.ts'

const BEFORE = 30
const AFTER = 20
const LABEL_BYTES = 2_000
const BACK_SOON_S = 4 // what is lost on its way must come again within the test

/**
 * A broker that stands still for longer than the source waits for an answer: the page says so, the rest of the print server
 * works on, and the source comes back by itself. `source` has short deadlines, so that the test need not last minutes;
 * `more` are keys of its settings beside the rig's.
 */
export async function outlivesFreeze(
  t: Test,
  makeRig: (t: Test, settings: { readonly takeBackSeconds?: number }) => Promise<SourceRig>,
  source: Source,
  more: object = {},
): Promise<void> {
  const rig = await makeRig(t, { takeBackSeconds: BACK_SOON_S })
  t.teardown(() => rig.thaw())
  const { bench, running } = pull(t, source, { ...rig.queue, ...more })
  const ended = (): number => bench.spool.history.counts().completed
  const marks = marksOf('F', BEFORE + AFTER)

  await putAll(rig, marks.slice(0, BEFORE), LABEL_BYTES)
  await poll('some labels', () => ended() >= 5)
  rig.freeze()
  await poll('the source to say that it fails', () => running.status.state === 'failing', 120)
  t.match(spoken(running.status.message), /(did|does) not answer|closed the connection/)
  const contactAt = running.status.contactAt
  const [id] = bench.print(['from elsewhere'])
  t.match(await bench.until(id, 'ended'), { state: 'completed' }, 'the print server works on')
  t.equal(running.status.state, 'failing')
  t.equal(running.status.contactAt, contactAt, 'and no contact is claimed')

  rig.thaw()
  await poll('the source to come back', () => running.status.state === 'running', 120)
  await putAll(rig, marks.slice(BEFORE), LABEL_BYTES)
  await poll('all labels', () => ended() >= marks.length + 1, 120)
  await poll('the queue to be empty', async () => (await rig.waiting()) === 0, 120)
  t.same(marksIn(bench), [...marks, 'from elsewhere'].sort(), 'nothing is lost or doubled')
  await poll('the source to be well', () => running.status.state === 'running')
}

/** The source with a spool and a printer of its own, in this process, started again after failures as in the field. */
function pull(
  t: Test,
  source: Source,
  queue: object,
): { readonly bench: Bench; readonly running: RunningSource } {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  bench.scheduler.start()
  const running = new RunningSource(
    { source, settings: v.parse(source.settings, queue), ack: 'spooled' },
    {
      openIntake: (type, name) => bench.intake.forSource(type, name),
      messageBytes: () => 2 ** 20,
      log: { info: () => undefined, warn: () => undefined },
      now: Date.now,
      random: Math.random,
      backOff: { firstMs: 50, mostMs: 500 },
      guard: makeGuard(),
      memory: openMemory(),
    },
    Promise.resolve(),
  )
  t.teardown(async () => {
    running.stop()
    await running.ended
  })
  return { bench, running }
}

function marksIn({ spool }: Bench): readonly string[] {
  const labels = spool.history
    .list({ limit: 200 })
    .map(({ id }) => Buffer.from(spool.history.label(id) ?? []))
  return labels
    .map((label) => /\^F[XD]([^^]*)\^FS/.exec(label.toString('latin1'))?.[1] ?? '')
    .sort()
}
