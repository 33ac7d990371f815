import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { LabelMemory, moveOutOfHeap } from '../../../src/core/request/reader.ts'

const KIB = 1024

function gather(pieces: readonly Uint8Array[]): Uint8Array {
  const memory = new LabelMemory()
  for (const piece of pieces) memory.append(piece)
  return memory.take()
}

t.test('what was added comes back, whatever the pieces', (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 }), (pieces) => {
      const label = gather(pieces)
      t.same(Buffer.from(label), Buffer.concat(pieces))
    }),
    { numRuns: 100 },
  )
  t.end()
})

t.test('labels around the sizes at which the memory changes its kind come back', (t) => {
  for (const bytes of [0, 1, 255 * KIB, 256 * KIB, 256 * KIB + 1, 512 * KIB, 5000 * KIB + 7]) {
    const whole = randomBytes(bytes)
    for (const step of [bytes, 64 * KIB, 1000 * KIB + 1]) {
      const pieces: Buffer[] = []
      for (let at = 0; at < bytes; at += step) pieces.push(whole.subarray(at, at + step))
      const label = gather(pieces)
      t.equal(Buffer.compare(Buffer.from(label.buffer, 0, label.length), whole), 0, `${bytes}`)
    }
  }
  t.end()
})

t.test('a label has memory of its own, and not much more than it needs', (t) => {
  const small = gather([Buffer.from('^XA'), Buffer.from('^XZ')])
  t.equal(small.buffer.byteLength, 6)
  const large = gather([randomBytes(300 * KIB), randomBytes(300 * KIB)])
  t.ok(large.buffer.byteLength < 600 * KIB + 256 * KIB)
  t.end()
})

t.test('base64 is decoded in place; the count shows junk', (t) => {
  const memory = new LabelMemory()
  t.equal(memory.appendBase64('QUJDREVG'), 6)
  t.equal(memory.appendBase64('QU!D'), 2)
  t.equal(memory.length, 8)
  memory.free()
  t.equal(memory.length, 0)
  memory.append(Buffer.from('again'))
  t.equal(Buffer.from(memory.take()).toString(), 'again')
  t.end()
})

t.test('a label beyond all reserved addresses grows on in others', (t) => {
  const memory = new LabelMemory()
  const piece = new Uint8Array(32 * KIB * KIB).fill(7)
  for (let n = 0; n < 5; n++) memory.append(piece)
  t.equal(memory.length, 160 * KIB * KIB)
  const label = memory.take()
  t.equal(label.at(0), 7)
  t.equal(label.at(-1), 7)
  t.end()
})

t.test('a large label moves out of the heap as it is; its old memory is gone', (t) => {
  const bytes = randomBytes(2 * KIB * KIB)
  const label = new Uint8Array(bytes)
  const moved = moveOutOfHeap(label, 3 * KIB * KIB)
  t.equal(Buffer.compare(moved, bytes), 0)
  t.equal(label.length, 0)
  t.equal(
    moved.buffer.byteLength,
    moved.byteLength,
    'nothing beside it, so that it can move to a thread',
  )
  t.end()
})
