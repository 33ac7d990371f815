import { createHash } from 'node:crypto'
import t from 'tap'
import { signMachO } from '../../packaging/sign-mach-o.ts'

const TEXT_BYTES = 16_384
const LINK_BYTES = 5_000
const SIZE = TEXT_BYTES + LINK_BYTES

/** An executable with a segment of code, whose section begins at `section`, and one that ends the file. */
function makeExecutable(section = 4_096): Buffer {
  const bytes = Buffer.alloc(SIZE)
  for (let at = 4_096; at < bytes.length; at += 1) bytes[at] = (at * 31) & 255
  bytes.writeUInt32LE(0xfeedfacf, 0)
  bytes.writeUInt32LE(2, 16) // load commands
  bytes.writeUInt32LE(152 + 72, 20)
  writeSegment(bytes, 32, '__TEXT', [0, TEXT_BYTES], 1)
  bytes.writeUInt32LE(section, 32 + 72 + 48)
  writeSegment(bytes, 32 + 152, '__LINKEDIT', [TEXT_BYTES, LINK_BYTES], 0)
  return bytes
}

function writeSegment(
  bytes: Buffer,
  at: number,
  name: string,
  [offset, size]: readonly [number, number],
  sections: number,
): void {
  bytes.writeUInt32LE(0x19, at)
  bytes.writeUInt32LE(72 + sections * 80, at + 4)
  bytes.write(name, at + 8, 'latin1')
  bytes.writeBigUInt64LE(BigInt(size), at + 32)
  bytes.writeBigUInt64LE(BigInt(offset), at + 40)
  bytes.writeBigUInt64LE(BigInt(size), at + 48)
  bytes.writeUInt32LE(sections, at + 64)
}

t.test('the signature holds the hash of every page before it', (t) => {
  const signed = signMachO(makeExecutable(), 'platen')
  const command = 32 + 152 + 72
  t.equal(signed.readUInt32LE(16), 3, 'one load command more')
  t.equal(signed.readUInt32LE(command), 0x1d)
  const [at, size] = [signed.readUInt32LE(command + 8), signed.readUInt32LE(command + 12)]
  t.equal(at % 16, 0)
  t.equal(at + size, signed.length)
  t.equal(signed.readUInt32BE(at), 0xfade0cc0)
  const directory = signed.subarray(at + 20)
  t.equal(directory.readUInt32BE(0), 0xfade0c02)
  t.equal(directory.readUInt32BE(32), at, 'all of the file before it is signed')
  t.equal(directory.toString('latin1', 88, 95), 'platen\0')
  const [hashes, pages] = [directory.readUInt32BE(16), directory.readUInt32BE(28)]
  t.equal(pages, Math.ceil(at / 4096))
  for (let page = 0; page < pages; page += 1) {
    const content = signed.subarray(page * 4096, Math.min((page + 1) * 4096, at))
    const wanted = createHash('sha256').update(content).digest('hex')
    t.equal(directory.toString('hex', hashes + page * 32, hashes + page * 32 + 32), wanted)
  }
  t.end()
})

t.test('the last segment reaches to the end of the file', (t) => {
  const signed = signMachO(makeExecutable(), 'platen')
  const segment = 32 + 152
  const [vmBytes, offset, bytes] = [32, 40, 48].map((at) =>
    Number(signed.readBigUInt64LE(segment + at)),
  )
  t.equal(Number(offset) + Number(bytes), signed.length)
  t.ok(Number(vmBytes) >= Number(bytes))
  t.end()
})

t.test('a signature that is there gives way to the new one', (t) => {
  const once = signMachO(makeExecutable(), 'platen')
  t.ok(signMachO(once, 'platen').equals(once))
  t.ok(signMachO(signMachO(makeExecutable(), 'another-name'), 'platen').equals(once))
  t.end()
})

t.test('what cannot be signed is refused', (t) => {
  t.throws(
    () => signMachO(Buffer.from('\x7fELF, of another system, long enough'), 'platen'),
    /begins with 7f454c46/,
  )
  t.throws(() => signMachO(Buffer.from('short'), 'platen'), /begins with/)
  t.throws(() => signMachO(makeExecutable(32 + 152 + 72 + 8), 'platen'), /no room/)
  const headless = makeExecutable()
  headless.write('__OTHER', 32 + 152 + 8, 'latin1')
  headless[32 + 152 + 8 + 7] = 0
  t.throws(() => signMachO(headless, 'platen'), /no segment __LINKEDIT/)
  t.end()
})
