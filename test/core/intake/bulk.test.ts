import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { PlatenError } from '../../../src/words/errors.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

const MIB = 2 ** 20
const NO_LABEL = Buffer.from('\x01 no label')
const NONE = new Error('none') as never
const NO_PRINTER = new PlatenError('PRINTER_NONE', 'No printer.')

function open(t: Test): Bench['intake'] {
  return new Bench(t, { printers: [printer('A', 'file:a')], defaultName: 'A' }).intake
}

/** A TIFF of so many pages, all of the same 8 x 8 dots, and bytes that belong to none. */
function makeTiff(pages: number, bytes: number): Buffer {
  const file = Buffer.alloc(bytes)
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(8, 4)
  const tags = [
    [256, 8] as const,
    [257, 8] as const,
    [258, 8] as const,
    [259, 1] as const,
    [262, 1] as const,
    [273, bytes - 64] as const,
    [277, 1] as const,
    [278, 8] as const,
    [279, 64] as const,
  ]
  const size = 2 + 12 * tags.length + 4
  for (let page = 0; page < pages; page += 1) {
    const at = 8 + page * size
    file.writeUInt16LE(tags.length, at)
    for (const [n, [tag, value]] of tags.entries()) {
      const entry = at + 2 + 12 * n
      file.writeUInt16LE(tag, entry)
      file.writeUInt16LE(4, entry + 2)
      file.writeUInt32LE(1, entry + 4)
      file.writeUInt32LE(value, entry + 8)
    }
    file.writeUInt32LE(page + 1 < pages ? at + size : 0, at + size - 4)
  }
  return file
}

t.test('packed labels are unpacked only while there is room for them', async (t) => {
  const intake = open(t)
  const packed = gzipSync(zplLabel(1, 12 * MIB))
  t.ok(packed.length < 20_000, 'a small body holds many of them')
  const two = await intake.takeTogether({ labels: [packed, packed], options: {}, source: 'http' })
  t.equal(two.jobs.length, 2)
  // The last one would be refused for what it is, were it looked at.
  const labels = [...Array.from({ length: 12 }, () => packed), packed.subarray(0, 100)]
  const request = { labels, options: {}, source: 'http' }
  await t.rejects(intake.takeTogether(request), { code: 'BODY_TOO_LARGE' })
  t.throws(() => intake.takeAlone(request), { code: 'BODY_TOO_LARGE' })
  const messages = intake.forSource('mqtt')
  await t.rejects(messages.park({ labels, options: {} }, NONE), { code: 'BODY_TOO_LARGE' })
})

t.test('all pages of a TIFF are one file in the spool', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')], defaultName: 'A' })
  const before = bench.spool.health.usage().bytes
  const labels = [makeTiff(40, 4 * MIB)]
  const taken = await bench.intake.takeTogether({ labels, options: {}, source: 'http' })
  t.equal(taken.jobs.length, 40)
  t.same(new Set(taken.jobs.map(({ options }) => options.pages)).size, 40, 'each knows its page')
  t.ok(bench.spool.health.usage().bytes - before < 6 * MIB)
  const parked = { labels: [makeTiff(40, 3 * MIB)], options: {} }
  t.equal((await bench.intake.forSource('mqtt').park(parked, NO_PRINTER)).jobs.length, 40)
  t.ok(bench.spool.health.usage().bytes - before < 9 * MIB, 'those without a printer too')
  // Labels that are none of the file's pages still count one by one.
  const many = Array.from({ length: 40 }, (_, n) => makeTiff(2, 4 * MIB + n))
  const request = { labels: [...many, NO_LABEL], options: {}, source: 'http' }
  await t.rejects(bench.intake.takeTogether(request), { code: 'BODY_TOO_LARGE' })
})
