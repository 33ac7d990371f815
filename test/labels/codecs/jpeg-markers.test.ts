import t from 'tap'
import {
  checkTables,
  findComponents,
  findMarker,
  isFrame,
  makeTables,
  nextSegment,
  readFrame,
  readScan,
  readTables,
} from '../../../src/labels/codecs/jpeg/markers.ts'

const BROKEN = { code: 'PICTURE_BROKEN' }
const zeros = (count: number): readonly number[] => Array<number>(count).fill(0)
const whole = (bytes: Uint8Array, marker = 0) => ({ marker, from: 0, to: bytes.length })

t.test('segments follow each other: what has a length, and what stands alone', (t) => {
  const next = (...bytes: readonly number[]) => nextSegment(Uint8Array.from(bytes), 0)
  t.equal(next(1, 2, 3), undefined)
  t.equal(next(0xff, 0xff), undefined, 'fill bytes alone')
  t.same(next(9, 0xff, 0xff, 0xe0, 0, 2), { marker: 0xe0, from: 6, to: 6 })
  t.same(next(0xff, 0xe0, 0, 3, 7), { marker: 0xe0, from: 4, to: 5 })
  const long = next(0xff, 0xe0, 1, 2, ...zeros(256))
  t.same(long, { marker: 0xe0, from: 4, to: 260 })
  for (const bytes of [[0xe0], [0xe0, 0], [0xe0, 0, 1], [0xe0, 0, 3], [0xe0, 1, 2]])
    t.throws(() => next(0xff, ...bytes), BROKEN, String(bytes))
  const alone = Array.from({ length: 255 }, (_, marker) => marker).filter((marker) => {
    try {
      return next(0xff, marker, 0xff, 0xff)?.to === 2
    } catch {
      return false
    }
  })
  t.same(alone, [1, ...Array.from({ length: 10 }, (_, n) => 0xd0 + n)])
  t.end()
})

t.test('stuffing and restart markers belong to the data of a scan', (t) => {
  const find = (...bytes: readonly number[]) => findMarker(Uint8Array.from(bytes), 1)
  t.equal(find(0xff, 1, 0xff, 0, 0xff, 0xd0, 0xff, 0xd7, 0xff, 0xff, 0xd9), 9)
  t.equal(find(0, 0xff, 0xcf), 1)
  t.equal(find(0, 0xff, 0xd8), 1)
  t.equal(find(0, 0xff, 1), 1)
  t.equal(find(0, 0xff), 2)
  t.equal(find(0, 1, 2), 3)
  const frames = Array.from({ length: 256 }, (_, marker) => marker).filter(isFrame)
  const codes = [0, 1, 2, 3, 5, 6, 7, 9, 0xa, 0xb, 0xd, 0xe, 0xf].map((one) => 0xc0 + one)
  t.same(frames, codes)
  t.end()
})

const frameOf = (parts: readonly (readonly number[])[], more: readonly number[] = [8]) =>
  Uint8Array.from([...more, 1, 2, 3, 4, parts.length, ...parts.flat()])
const PARTS = [
  [1, 0x21, 0],
  [2, 0x14, 3],
  [3, 0x41, 1],
]

t.test('a frame has 1, 3 or 4 components, whose factors are 1 to 4', (t) => {
  const bytes = frameOf(PARTS)
  t.same(readFrame(bytes, whole(bytes, 0xc2)), {
    progressive: true,
    width: 0x304,
    height: 0x102,
    components: [
      { id: 1, h: 2, v: 1, quantizer: 0 },
      { id: 2, h: 1, v: 4, quantizer: 3 },
      { id: 3, h: 4, v: 1, quantizer: 1 },
    ],
  })
  t.equal(readFrame(bytes, whole(bytes, 0xc1)).progressive, false)
  t.throws(() => readFrame(bytes, { marker: 0xc0, from: 0, to: bytes.length - 1 }), BROKEN)
  const one = [1, 0x11, 0]
  const counts = [1, 2, 3, 4, 5].filter((count) => {
    const some = frameOf(Array<readonly number[]>(count).fill(one))
    try {
      return readFrame(some, whole(some, 0xc0)).components.length === count
    } catch {
      return false
    }
  })
  t.same(counts, [1, 3, 4])
  for (const [at, value] of [
    [7, 0x01],
    [7, 0x51],
    [7, 0x10],
    [7, 0x15],
    [8, 4],
  ] as const) {
    const bad = frameOf([one])
    bad[at] = value
    t.throws(() => readFrame(bad, whole(bad, 0xc0)), BROKEN, `${at} ${value}`)
  }
  for (const at of [1, 3]) {
    const empty = frameOf([one])
    empty.fill(0, at, at + 2)
    t.throws(() => readFrame(empty, whole(empty, 0xc0)), BROKEN)
  }
  t.end()
})

t.test('other processes are named, as libjpeg does', (t) => {
  const bytes = frameOf(PARTS)
  const why = (marker: number, from = bytes) => {
    try {
      readFrame(from, whole(from, marker))
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const lossless = /a lossless or hierarchical process; wanted Huffman coding/
  for (const marker of [0xc3, 0xc5, 0xc7]) t.match(why(marker), lossless)
  for (const marker of [0xc9, 0xcf]) t.match(why(marker), /uses arithmetic coding/)
  t.match(why(0xc1, frameOf(PARTS, [12])), 'has 12 bits a sample; wanted 8')
  t.end()
})

t.test('tables are read as they are written, and none beyond its bounds', (t) => {
  const tables = makeTables()
  const read = (marker: number, ...data: readonly number[]) =>
    readTables(Uint8Array.from(data), whole(Uint8Array.from(data), marker), tables)
  const count = (from: number, length: number) => Array.from({ length }, (_, n) => n + from)
  read(0xdb, 3, ...count(1, 64), 0x12, ...count(0, 128))
  // The file has zigzag order: the third is the first of the second row.
  t.same(
    [0, 1, 8, 63].map((at) => tables.quantizers[3]?.[at]),
    [1, 2, 3, 64],
  )
  t.same(
    [0, 1, 8, 63].map((at) => tables.quantizers[2]?.[at]),
    [1, 0x203, 0x405, 0x7e7f],
  )
  read(0xdd, 1, 2)
  t.equal(tables.restartInterval, 0x102)
  read(0xee, ...Buffer.from('Adobe'), ...zeros(6))
  t.equal(tables.adobe, undefined, 'too short')
  read(0xee, ...Buffer.from('Adobf'), ...zeros(6), 2)
  t.equal(tables.adobe, undefined, 'of somebody else')
  read(0xed, ...Buffer.from('Adobe'), ...zeros(6), 2)
  t.equal(tables.adobe, undefined, 'another segment')
  read(0xee, ...Buffer.from('Adobe'), ...zeros(6), 2)
  t.equal(tables.adobe, 2)
  read(0xc4, 0x03, 1, ...zeros(15), 7, 0x12, 0, 1, ...zeros(14), 9)
  t.same([tables.dc.length, tables.ac.length], [4, 3])
  t.end()
})

t.test('how many tables a segment may have, and how long each is', (t) => {
  const huffman = (head: number, codes: number) => [
    head,
    ...zeros(14),
    Math.min(codes, 255),
    Math.max(0, codes - 255),
    ...zeros(codes),
  ]
  const isTaken = (marker: number, data: readonly number[]): boolean => {
    try {
      checkTables(marker, Uint8Array.from(data))
      return true
    } catch {
      return false
    }
  }
  const repeat = (times: number, data: readonly number[]) => Array(times).fill(data).flat()
  const table = [0, ...zeros(64)]
  for (const [marker, data, wanted] of [
    [0xdb, [], true],
    [0xdb, table, true],
    [0xdb, table.slice(1), false],
    [0xdb, [3, ...zeros(64)], true],
    [0xdb, [4, ...zeros(64)], false],
    [0xdb, [0x10, ...zeros(128)], true],
    [0xdb, [0x10, ...zeros(127)], false],
    [0xdb, [0x20, ...zeros(192)], false],
    [0xdb, repeat(4, table), true],
    [0xdb, repeat(5, table), false],
    [0xc4, [], true],
    [0xc4, huffman(0, 0), true],
    [0xc4, huffman(0, 0).slice(1), false],
    [0xc4, huffman(0x13, 3), true],
    [0xc4, huffman(0x14, 3), false],
    [0xc4, huffman(0x23, 3), false],
    [0xc4, huffman(0, 3).slice(0, -1), false],
    [0xc4, huffman(0, 256), true],
    [0xc4, huffman(0, 257), false],
    [0xc4, repeat(8, huffman(0, 1)), true],
    [0xc4, repeat(9, huffman(0, 1)), false],
    [0xdd, [1], false],
    [0xdd, [1, 2], true],
    [0xdd, [1, 2, 3], false],
    [0xdc, [1], false],
    [0xdc, [1, 2], true],
    [0xdc, [1, 2, 3], false],
    [0xe0, [], true],
  ] as const) {
    const name = `${marker.toString(16)}: ${data.length} bytes, ${data[0]}`
    t.equal(isTaken(marker, data), wanted, name)
  }
  t.end()
})

t.test('a scan names components of its frame, and a step of its progression', (t) => {
  const components = [1, 2, 2].map((id) => ({ id, h: 1, v: 1, quantizer: 0 }))
  const frame = { progressive: false, width: 8, height: 8, components }
  const scan = (data: readonly number[], progressive = false) => {
    const bytes = Uint8Array.from(data)
    return readScan(bytes, whole(bytes), { ...frame, progressive })
  }
  t.same(scan([3, 2, 0x12, 1, 0x30, 2, 1, 0, 63, 0]), {
    parts: [
      { component: 1, dc: 1, ac: 2 },
      { component: 0, dc: 3, ac: 0 },
      { component: 2, dc: 0, ac: 1 },
    ],
    from: 0,
    to: 63,
    high: 0,
    low: 0,
    at: 10,
  })
  t.match(scan([1, 1, 0, 5, 9, 0x21]), { from: 5, to: 9, high: 2, low: 1, at: 6 })
  for (const data of [
    [0, 0, 63, 0],
    [4, 1, 0, 2, 0, 2, 0, 2, 0, 0, 63, 0],
    [1, 1, 0, 0, 63],
    [1, 4, 0, 0, 63, 0],
    [2, 1, 0, 1, 0, 0, 63, 0],
  ]) {
    t.throws(() => scan(data), BROKEN, String(data))
  }
  t.equal(findComponents([5, 6], [6, 7]), undefined)
  const steps = (from: number, to: number, bits: number, parts = 1) =>
    [parts, 1, 0, 2, 0, 2, 0].slice(0, 1 + 2 * parts).concat(from, to, bits)
  const isStep = (data: readonly number[]): boolean => {
    try {
      return scan(data, true).at > 0
    } catch {
      return false
    }
  }
  for (const [step, wanted] of [
    [steps(0, 0, 0, 3), true],
    [steps(0, 1, 0), false],
    [steps(1, 63, 0), true],
    [steps(1, 64, 0), false],
    [steps(1, 5, 0, 2), false],
    [steps(5, 5, 0), true],
    [steps(6, 5, 0), false],
    [steps(1, 5, 13), true],
    [steps(1, 5, 14), false],
    [steps(1, 5, 0x10), true],
    [steps(1, 5, 0x20), false],
    [steps(1, 5, 0x32), true],
    [steps(1, 5, 0x12), false],
  ] as const) {
    t.equal(isStep(step), wanted, String(step))
  }
  t.end()
})
