import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

const MIB = 2 ** 20
const NO_LABEL = Buffer.from('\x01 no label')
const NONE = new Error('none') as never

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
  const two = await intake.take({ labels: [packed, packed], options: {}, source: 'http' })
  t.equal(two.jobs.length, 2)
  // The last one would be refused for what it is, were it looked at.
  const labels = [...Array.from({ length: 12 }, () => packed), packed.subarray(0, 100)]
  const request = { labels, options: {}, source: 'http' }
  await t.rejects(intake.take(request), { code: 'BODY_TOO_LARGE' })
  t.throws(() => intake.accept(request), { code: 'BODY_TOO_LARGE' })
  const door = intake.forSource('mqtt')
  await t.rejects(door.park({ labels, options: {} }, NONE), { code: 'BODY_TOO_LARGE' })
})

t.test('a TIFF is parted only while there is room for its pages', async (t) => {
  const intake = open(t)
  const few = { labels: [makeTiff(3, 2_000)], options: {}, source: 'http' }
  t.equal((await intake.take(few)).jobs.length, 3)
  const labels = [makeTiff(40, 4 * MIB), NO_LABEL]
  const request = { labels, options: {}, source: 'http' }
  await t.rejects(intake.take(request), { code: 'BODY_TOO_LARGE' })
  const door = intake.forSource('mqtt')
  await t.rejects(door.park({ labels, options: {} }, NONE), { code: 'BODY_TOO_LARGE' })
  const one = await intake.take({ ...request, labels: labels.slice(0, 1), options: { pages: '7' } })
  t.equal(one.jobs.length, 1, 'a page of it is taken')
})
