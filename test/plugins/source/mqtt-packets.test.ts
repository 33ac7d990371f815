import fc from 'fast-check'
import t from 'tap'
import { PacketReader } from '../../../src/plugins/mqtt/stream.ts'
import { publish } from './mqtt-bytes.ts'

const BOUNDS = { where: 'broker', packetBytes: 300_000 }

const message = fc
  .tuple(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(0x30, 0x32, 0x34))
  .map(([payload, first]) => publish(payload, Buffer.of(0x01, 0), first))

function readAll(stream: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const reader = new PacketReader(BOUNDS)
  const places = [0, ...cuts.map((cut) => cut % stream.length).sort((a, b) => a - b), stream.length]
  return places
    .slice(1)
    .flatMap((end, index) => [...reader.read(stream.subarray(places[index], end))])
}

t.test('packets come out whole, wherever they were cut', (t) => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (packets, cuts) => {
        const read = readAll(Buffer.concat(packets), cuts)
        return Buffer.concat(packets).equals(Buffer.concat(read)) && read.length === packets.length
      },
    ),
    { numRuns: 500 },
  )
  t.end()
})

t.test('a large message that comes byte by byte is one packet', (t) => {
  const packet = publish('x'.repeat(200_000), Buffer.alloc(0), 0x32)
  const reader = new PacketReader(BOUNDS)
  const read = Array.from(packet, (byte) => [...reader.read(Buffer.of(byte))]).flat()
  t.equal(read.length, 1)
  t.ok(read[0]?.equals(packet))
  t.end()
})
