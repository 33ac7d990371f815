import t from 'tap'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { findClosedPort } from '../../listen.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

const PRINTERS = 60

t.test('of sixty printers a dead one and a slow one cost the others nothing', async (t) => {
  const sinks = await Promise.all(Array.from({ length: PRINTERS - 2 }, () => TcpSink.open()))
  const slow = await TcpSink.open({ stall: true })
  t.teardown(() => Promise.all([...sinks, slow].map((sink) => sink.close())))
  const uris = [...sinks, slow].map((sink) => sink.uri)
  uris.push(`socket://127.0.0.1:${await findClosedPort()}`)
  const names = uris.map((_, n) => `Bench ${n}`)
  const bench = new Bench(t, {
    printers: uris.map((uri, n) => printer(names[n] ?? '', uri)),
  })
  bench.scheduler.start()
  const bytes = 2 ** 20 // more than the buffers of a socket take
  const stuck = names.slice(-2).flatMap((name) => bench.print(['stuck'], { printer: name, bytes }))
  await bench.until(stuck[0], 'processing')
  const taken = await Promise.all(
    [1, 2, 3].flatMap((mark) =>
      names.slice(0, -2).map((name) =>
        bench.intake.takeTogether({
          labels: [zplLabel(mark)],
          options: { printer: name },
          source: 'http',
          network: `192.0.2.${mark}`,
        }),
      ),
    ),
  )
  const jobs = taken.flatMap((request) => request.jobs)
  const ended = await Promise.all(jobs.map(({ id }) => bench.until(id, 'ended')))
  t.ok(ended.every(({ state }) => state === 'completed'))
  t.equal(ended.length, 3 * (PRINTERS - 2))
  t.notMatch(bench.job(stuck[0]).state, 'completed')
  t.equal(bench.job(stuck[1]).state, 'pending')
  t.same(bench.faults, [])
})
