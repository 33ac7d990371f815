import t from 'tap'
import { spoken } from '../../words/spoken.ts'
import { arrived, openBox, pair, waiting } from './rig.ts'
import { type Cut, Wire } from './wire.ts'

t.setTimeout(300_000)

const BYTES = 40_000

t.test('a connection that breaks at any byte makes no label twice and loses none', async (t) => {
  const a = await openBox(t, 'a', { prints: false })
  const b = await openBox(t, 'b')
  const wire = await Wire.open(t, b.place)
  const box = await pair(a, b, wire.place)
  await a.peers.list()
  const look = wire.last
  await a.peers.move(waiting(a, 'whole', BYTES), box, 'Bench 1')
  const whole = wire.last
  const marks = ['whole']
  // Within the handshake, within the label, and within the answer.
  const between = (from: number, to: number, count: number): readonly number[] =>
    Array.from({ length: count }, (_, n) => Math.round(from + ((to - from) * n) / (count - 1)))
  const points: readonly Cut[] = [
    ...between(0, look.up, 6).map((up) => ({ up })),
    ...between(look.up, whole.up, 12).map((up) => ({ up })),
    ...between(0, whole.down, 8).map((down) => ({ down })),
    ...between(whole.down - 600, whole.down, 8).map((down) => ({ down })),
  ]
  let again = 0
  for (const [n, cut] of points.entries()) {
    const mark = `${n} ${JSON.stringify(cut)}`
    const id = waiting(a, mark, BYTES)
    // The look at its printers first, then the label; then all is well again.
    void wire.plan({}, cut, {})
    const before = wire.count
    await a.peers.move(id, box, 'Bench 1')
    const job = await arrived(a, id)
    if (wire.count > before + 2) again += 1
    if (job.state === 'canceled') marks.push(mark)
    t.match(
      spoken(job.message),
      job.state === 'canceled' ? 'Moved to Bench 1 on b.' : /^On its way to Bench 1 on b\. b /,
    )
  }
  t.comment(`${marks.length - 1} of ${points.length} moved, ${again} were asked about again`)
  t.ok(again > 15, 'most of them unsure for a moment')
  await Promise.all(b.jobs().map(({ id }) => b.bench.until(id, 'ended')))
  const out = b.printed('bench-1').map((label) => label.toString('latin1'))
  const named = (mark: string): number =>
    out.filter((text) => text.includes(`^FX${mark}^FS`)).length
  t.same(
    marks.filter((mark) => named(mark) !== 1),
    [],
    'each that moved came out once',
  )
  t.equal(out.length, marks.length, 'and nothing else')
  t.same([...a.bench.faults, ...b.bench.faults], [])
})
