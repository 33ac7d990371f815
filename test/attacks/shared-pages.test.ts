// A TIFF of 16 MB with eight pages in the same bytes became eight files of 16 MB: 3.5 s of silence and a peak of 242 MB; three at
// once ended the program. Now all its jobs keep one file, and each prints its own page.
import t from 'tap'
import { Bench, printer } from '../core/bench.ts'

t.setTimeout(300_000)

const MIB = 2 ** 20
const PAGES = 8
const SIDE = 64
const STRIP = (SIDE * SIDE) / 8

/** Pages of 64 x 64 dots; of page n the first n rows are black. `bytes` are those of the whole file. */
function makeTiff(bytes: number): Buffer {
  const file = Buffer.alloc(bytes)
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(8, 4)
  const size = 2 + 12 * 9 + 4
  const strips = 8 + PAGES * size
  for (let page = 0; page < PAGES; page += 1) {
    const at = 8 + page * size
    const strip = strips + page * STRIP
    file.fill(0xff, strip, strip + ((page + 1) * SIDE) / 8)
    const tags = [
      256,
      SIDE,
      257,
      SIDE,
      258,
      1,
      259,
      1,
      262,
      0,
      273,
      strip,
      277,
      1,
      278,
      SIDE,
      279,
      STRIP,
    ]
    file.writeUInt16LE(9, at)
    for (let n = 0; n < 9; n += 1) {
      file.writeUInt16LE(tags[2 * n] ?? 0, at + 2 + 12 * n)
      file.writeUInt16LE(4, at + 4 + 12 * n)
      file.writeUInt32LE(1, at + 6 + 12 * n)
      file.writeUInt32LE(tags[2 * n + 1] ?? 0, at + 10 + 12 * n)
    }
    file.writeUInt32LE(page + 1 < PAGES ? at + size : 0, at + size - 4)
  }
  return file
}

t.test('eight pages in the same bytes', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')], defaultName: 'A' })
  const tiff = makeTiff(15 * MIB)
  const before = process.memoryUsage()
  const { jobs } = await bench.intake.takeTogether({ labels: [tiff], options: {}, source: 'http' })
  const after = process.memoryUsage()
  t.equal(jobs.length, PAGES)
  const grown = after.arrayBuffers + after.external - before.arrayBuffers - before.external
  t.ok(grown < 40 * MIB, `${Math.round(grown / MIB)} MB more, 120 before`)
  t.ok(bench.spool.health.usage().bytes < 20 * MIB, 'one file on disk, 8 before')
  bench.scheduler.start()
  const taken = await bench.intake.ended(
    jobs.map(({ id }) => id),
    AbortSignal.timeout(240_000),
  )
  t.match(
    taken,
    jobs.map(() => ({ state: 'completed' })),
  )
  const drawn = jobs.map(({ id }) => Buffer.from(bench.spool.history.preview(id) ?? []))
  t.equal(new Set(drawn.map((one) => one.toString('base64'))).size, PAGES, 'each its own')
})
