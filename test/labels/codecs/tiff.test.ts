import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import t from 'tap'
import { decodeTiff, decodeTiffBits } from '../../../src/labels/codecs/tiff/decode.ts'
import { listTiffPages, readTiffHeader } from '../../../src/labels/codecs/tiff/header.ts'
import { makePagesTiff } from '../../pictures/make-pages-tiff.ts'
import { makeRandom } from '../../random.ts'
import { processorMs } from '../processor-time.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const random = makeRandom(seed)
t.comment(`SEED=${seed}`)

/** Black and white with runs of every length. */
function makePicture(width: number, height: number): Buffer {
  const luma = Buffer.alloc(width * height)
  for (let y = 0; y < height; y++) {
    const isNew = y === 0 || random() < 0.4
    let value = random() < 0.5 ? 255 : 0
    for (let x = 0; x < width; ) {
      const run = 1 + Math.floor(random() ** 4 * width)
      luma.fill(value, y * width + x, y * width + Math.min(width, x + run))
      x += run
      value = 255 - value
    }
    if (!isNew) luma.copyWithin(y * width, (y - 1) * width, y * width)
  }
  return luma
}

function decode(tiff: Uint8Array): Buffer {
  const header = readTiffHeader(tiff)
  const luma = Buffer.alloc(header.width * header.height)
  decodeTiff(tiff, header, (row, y) => luma.set(row, y * header.width))
  return luma
}

/** By the short way, as gray. */
function decodeBits(tiff: Uint8Array): Buffer {
  const header = readTiffHeader(tiff)
  const luma = Buffer.alloc(header.width * header.height, 255)
  decodeTiffBits(tiff, header, (row, y) => {
    for (let x = 0; x < header.width; x++) {
      if ((row[x >> 3] as number) & (0x80 >> (x & 7))) luma[y * header.width + x] = 0
    }
    t.equal((row.at(-1) as number) & (0xff >> (header.width & 7 || 8)), 0, 'padding is 0')
  })
  return luma
}

t.test('the dots of an inch are read, those of a centimeter too', async (t) => {
  for (const resolutionUnit of ['inch', 'cm'] as const) {
    const tiff = await sharp(Buffer.alloc(64, 255), { raw: { width: 8, height: 8, channels: 1 } })
      .tiff({ compression: 'none', xres: 8, yres: 8, resolutionUnit })
      .toBuffer()
    t.equal(readTiffHeader(tiff).dpi, 203, resolutionUnit)
  }
})

const PACKINGS = ['none', 'ccittfax4', 'lzw', 'deflate', 'packbits'] as const
const SIZES = [
  [1, 1],
  [7, 5],
  [64, 40],
  [812, 100],
  [1701, 30],
  [5300, 9],
] as const

for (const compression of PACKINGS) {
  t.test(`black and white, ${compression}: as libvips wrote it`, async (t) => {
    for (const [width, height] of SIZES) {
      const luma = makePicture(width, height)
      const raw = { width, height, channels: 1 as const }
      for (const miniswhite of [true, false]) {
        const tiff = await sharp(luma, { raw })
          .toColourspace('b-w')
          .tiff({ compression, predictor: 'none', bitdepth: 1, miniswhite, xres: 8, yres: 8 })
          .toBuffer()
        const name = `${width}x${height} ${miniswhite}`
        t.equal(Buffer.compare(decode(tiff), luma), 0, name)
        t.equal(Buffer.compare(decodeBits(tiff), luma), 0, `${name}, bits`)
        t.equal(readTiffHeader(tiff).dpi, 203)
      }
    }
  })
}

for (const compression of ['none', 'lzw', 'deflate', 'packbits'] as const) {
  for (const channels of [1, 3, 4] as const) {
    for (const predictor of ['none', 'horizontal'] as const) {
      t.test(
        `${channels} samples, ${compression}, predictor ${predictor}: as libvips reads it`,
        async (t) => {
          const [width, height] = [133, 71]
          const data = Buffer.from(
            Array.from(
              { length: width * height * channels },
              (_, n) => (n * 7 + random() * 40) & 255,
            ),
          )
          const tiff = await sharp(data, { raw: { width, height, channels } })
            .tiff({ compression, predictor })
            .toBuffer()
          const wanted = await sharp(tiff).flatten({ background: '#fff' }).raw().toBuffer()
          const seen = decode(tiff)
          const step = wanted.length / seen.length
          let worst = 0
          for (let n = 0; n < seen.length; n++) {
            const [red = 0, green = red, blue = red] = wanted.subarray(
              n * step,
              n * step + Math.min(3, step),
            )
            const luma = 0.299 * red + 0.587 * green + 0.114 * blue
            worst = Math.max(worst, Math.abs((seen[n] as number) - luma))
          }
          t.ok(worst <= 2, `${worst}`)
        },
      )
    }
  }
}

/** ITU-T T.4 in one and two dimensions, by hand: what libvips does not write. */
function makeFax(
  kind: 'rle' | 'g3',
  rows: readonly string[],
  width: number,
  more: Readonly<Record<number, number>> = {},
): Buffer {
  const bits = rows.join('')
  const data = Buffer.alloc(Math.ceil(bits.length / 8))
  for (const [n, bit] of [...bits].entries())
    if (bit === '1') data[n >> 3] = (data[n >> 3] as number) | (0x80 >> (n & 7))
  return makeTiff(
    {
      256: width,
      257: rows.length,
      258: 1,
      259: kind === 'rle' ? 2 : 3,
      262: 0,
      ...more,
    },
    data,
  )
}

/** A TIFF of one strip, its tags as longs and lists of shorts, the higher byte first. */
function makeTiff(
  tags: Readonly<Record<number, number | readonly number[]>>,
  data: Uint8Array,
): Buffer {
  const strip = { 273: 8, 277: 1, 278: 1_000, 279: data.length, ...tags }
  const entries = Object.entries(strip)
  const directory = Buffer.alloc(2 + entries.length * 12 + 4)
  const lists: Buffer[] = []
  let end = 8 + data.length + directory.length
  directory.writeUInt16BE(entries.length, 0)
  for (const [n, [tag, value]] of entries.entries()) {
    const values = typeof value === 'number' ? [value] : value
    const isList = typeof value !== 'number'
    directory.writeUInt16BE(Number(tag), 2 + n * 12)
    directory.writeUInt16BE(isList ? 3 : 4, 4 + n * 12)
    directory.writeUInt32BE(values.length, 6 + n * 12)
    directory.writeUInt32BE(isList ? end : (values[0] ?? 0), 10 + n * 12)
    if (!isList) continue
    const list = Buffer.alloc(values.length * 2)
    for (const [at, each] of values.entries()) list.writeUInt16BE(each, at * 2)
    lists.push(list)
    end += list.length
  }
  const head = Buffer.from('MM\0*\0\0\0\0', 'latin1')
  head.writeUInt32BE(8 + data.length, 4)
  return Buffer.concat([head, data, directory, ...lists])
}

t.test('fax of one dimension: rows on bytes, or behind ends of lines', (t) => {
  // 4 white, 2 black, 2 white; all white; all black.
  const [mixed, white, black] = ['1011110111', '10011', '00110101000101']
  const wanted = Buffer.from([
    255,
    255,
    255,
    255,
    0,
    0,
    255,
    255,
    ...Array(8).fill(255),
    ...Array(8).fill(0),
  ])
  const pad = (row: string): string => row.padEnd(Math.ceil(row.length / 8) * 8, '0')
  const rows = [mixed, white, black]
  t.same(decode(makeFax('rle', rows.map(pad), 8)), wanted)
  t.same(
    decode(
      makeFax(
        'g3',
        rows.map((row) => `000000000001${row}`),
        8,
      ),
    ),
    wanted,
  )
  t.same(decode(makeFax('g3', rows, 8)), wanted)
  t.end()
})

t.test('fax of two dimensions: a bit says whether a row refers to the one before', (t) => {
  const end = '000000000001'
  // 4 white, 2 black, 2 white; the same by three places that did not move; one dot later, one dot earlier; white.
  const rows = [`1${'1011110111'}`, '0111', '0011011' + '1', '0010010' + '1', '0' + '0001' + '1']
  const dark = [[4, 6], [4, 6], [5, 7], [4, 6], []]
  const wanted = dark.flatMap(([from = 8, to = 8]) =>
    Array.from({ length: 8 }, (_, x) => (x >= from && x < to ? 0 : 255)),
  )
  const fax = makeFax(
    'g3',
    rows.map((row) => `${end}${row}`),
    8,
    { 292: 1 },
  )
  t.same([...decode(fax)], wanted)
  t.end()
})

t.test('samples become luma: of a palette, inverted, with transparency, turned bits', (t) => {
  const gray = (part: number) => Math.round(part * 65_535)
  // Red, green, blue, white and a gray; all reds come first.
  const colors = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 1],
    [0.5, 0.5, 0.5],
  ]
  const palette = [0, 1, 2].flatMap((part) =>
    Array.from({ length: 256 }, (_, n) => gray(colors[n]?.[part] ?? 0)),
  )
  const two = [0, 1, 2].flatMap((part) => [gray(colors[0]?.[part] ?? 0), gray(1)])
  const size = (width: number, height = 1) => ({ 256: width, 257: height })
  type Case = readonly [
    string,
    Parameters<typeof makeTiff>[0],
    readonly number[],
    readonly number[],
  ]
  const cases: readonly Case[] = [
    [
      'a palette',
      { ...size(6), 258: 8, 262: 3, 320: palette },
      [0, 1, 2, 3, 4, 255],
      [76, 150, 29, 255, 128, 0],
    ],
    [
      'a palette of 8 bits, as old programs wrote it',
      { ...size(6), 258: 8, 262: 3, 320: palette.map((value) => value >> 8) },
      [0, 1, 2, 3, 4, 255],
      [76, 150, 29, 255, 128, 0],
    ],
    [
      'a palette of two',
      { ...size(4), 258: 1, 262: 3, 320: two },
      [0b0101_0000],
      [76, 255, 76, 255],
    ],
    ['gray', { ...size(3), 258: 8, 262: 1 }, [0, 100, 255], [0, 100, 255]],
    ['gray, 0 is white', { ...size(3), 258: 8, 262: 0 }, [0, 100, 255], [255, 155, 0]],
    ['bits', { ...size(4), 258: 1, 262: 1 }, [0b0101_0000], [0, 255, 0, 255]],
    ['bits, 0 is white', { ...size(4), 258: 1, 262: 0 }, [0b0101_0000], [255, 0, 255, 0]],
    ['bits, the lowest first', { ...size(4), 258: 1, 262: 1, 266: 2 }, [0b1010], [0, 255, 0, 255]],
    [
      'gray on white paper',
      { ...size(4), 258: 8, 262: 1, 277: 2 },
      [0, 255, 0, 128, 0, 0, 200, 255],
      [0, 127, 255, 200],
    ],
    ['colors', { ...size(2), 258: 8, 262: 2, 277: 3 }, [255, 0, 0, 0, 255, 255], [76, 179]],
    [
      'colors on white paper',
      { ...size(2), 258: 8, 262: 2, 277: 4 },
      [255, 0, 0, 255, 255, 0, 0, 0],
      [76, 255],
    ],
    [
      'differences',
      { ...size(4), 258: 8, 259: 8, 262: 1, 317: 2 },
      [...deflateSync(Uint8Array.of(10, 20, 30, 250))],
      [10, 30, 60, 54],
    ],
    [
      'no differences where nothing is packed so',
      { ...size(4), 258: 8, 262: 1, 317: 2 },
      [10, 20, 30, 250],
      [10, 20, 30, 250],
    ],
    [
      'PackBits',
      { ...size(7), 258: 8, 262: 1, 259: 32773 },
      [2, 1, 2, 3, 128, 254, 9, 0, 7],
      [1, 2, 3, 9, 9, 9, 7],
    ],
  ]
  for (const [what, tags, data, wanted] of cases) {
    t.same([...decode(makeTiff(tags, Uint8Array.from(data)))], wanted, what)
  }
  const cut = { ...size(6), 258: 8, 262: 3, 320: palette.slice(1) }
  t.throws(() => decode(makeTiff(cut, new Uint8Array(6))), { message: /palette is cut off/ })
  t.end()
})

t.test('a last strip may be as long as the others, however its rows are packed', (t) => {
  const pack = {
    1: (rows: Uint8Array) => rows,
    8: deflateSync,
    32773: (rows: Uint8Array) => Uint8Array.of(rows.length - 1, ...rows),
  }
  for (const [packing, write] of Object.entries(pack)) {
    const strips = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10, 0, 0],
    ].map((rows) => write(Uint8Array.from(rows)))
    const size = { 256: 2, 257: 5, 258: 8, 259: Number(packing), 262: 1, 278: 2 }
    const [first = 0, second = 0, last = 0] = strips.map(({ length }) => length)
    const tags = { ...size, 273: [8, 8 + first, 8 + first + second], 279: [first, second, last] }
    const wanted = Array.from({ length: 10 }, (_, n) => n + 1)
    t.same([...decode(makeTiff(tags, Buffer.concat(strips)))], wanted, packing)
  }
  t.end()
})

t.test('what a TIFF may be, and what is said of others', (t) => {
  const good = { 256: 4, 257: 2, 258: 8, 259: 1, 262: 1 }
  const data = new Uint8Array(64)
  t.match(readTiffHeader(makeTiff(good, data)), {
    width: 4,
    height: 2,
    pixels: 8,
    orientation: 1,
    dpi: 0,
    isInverted: false,
    isPredicted: false,
    isReversed: false,
    is2d: false,
  })
  t.notOk(readTiffHeader(makeTiff(good, data)).isBilevel)
  t.equal(readTiffHeader(makeTiff({ ...good, 258: 1 }, data)).isBilevel, true)
  for (const [value, seen] of [
    [0, 1],
    [1, 1],
    [6, 6],
    [8, 8],
    [9, 1],
  ] as const) {
    t.equal(readTiffHeader(makeTiff({ ...good, 274: value }, data)).orientation, seen)
  }
  const cases: readonly (readonly [Parameters<typeof makeTiff>[0], RegExp])[] = [
    [{ 256: 0 }, /no size/],
    [{ 257: 0 }, /no size/],
    [{ 259: 7 }, /compression 7/],
    [{ 258: 4 }, /4 bits a sample/],
    [{ 258: 16 }, /16 bits a sample/],
    [{ 262: 5 }, /colors of kind 5/],
    [{ 262: 4 }, /colors of kind 4/],
    [{ 277: 3 }, /3 samples a pixel/],
    [{ 262: 2, 277: 5 }, /5 samples a pixel/],
    [{ 262: 2, 277: 2 }, /2 samples of 8 bits/],
    [{ 262: 2, 277: 3, 258: 1 }, /3 samples of 1 bits/],
    [{ 277: 2, 258: 1 }, /2 samples of 1 bits/],
    [{ 262: 2, 277: 3, 284: 2 }, /colors apart/],
    [{ 322: 16 }, /tiles/],
    [{ 259: 4 }, /fax compression of gray/],
    [{ 278: 1 }, /strips do not cover it/],
    [{ 256: 1_000_001 }, /too wide/],
    [{ 273: makeTiff(good, data).length + 1 }, /cut off/],
  ]
  for (const [more, message] of cases) {
    t.throws(
      () => readTiffHeader(makeTiff({ ...good, ...more }, data)),
      { message },
      JSON.stringify(more),
    )
  }
  for (const more of [
    { 277: 2 },
    { 262: 0 },
    { 284: 2 },
    { 256: 1_000_000, 259: 5 },
    { 273: 100 },
  ]) {
    t.ok(readTiffHeader(makeTiff({ ...good, ...more }, data)), JSON.stringify(more))
  }
  t.end()
})

t.test('half a picture is refused, however its rows are packed', async (t) => {
  const [width, height] = [133, 71]
  const luma = makePicture(width, height)
  const codes = { none: 1, ccittfax4: 4, lzw: 5, deflate: 8, packbits: 32773 }
  for (const compression of PACKINGS) {
    const written = await sharp(luma, { raw: { width, height, channels: 1 } })
      .toColourspace('b-w')
      .tiff({ compression, predictor: 'none', bitdepth: 1, miniswhite: true })
      .toBuffer()
    const strips = readTiffHeader(written).strips.map(({ from, bytes }) => ({
      rows: written.subarray(from, from + bytes),
    }))
    t.equal(strips.length, 1)
    const { rows = Buffer.alloc(0) } = strips[0] ?? {}
    const tags = { 256: width, 257: height, 258: 1, 259: codes[compression], 262: 0 }
    // As many programs write it: the directory first, so that what is cut off is of the picture.
    const head = makeTiff({ ...tags, 273: 8, 279: rows.length }, Buffer.alloc(0)).length
    const tiff = Buffer.concat([
      makeTiff({ ...tags, 273: head, 279: rows.length }, Buffer.alloc(0)),
      rows,
    ])
    t.same(decode(tiff), luma, compression)
    const half = tiff.subarray(0, head + (rows.length >> 1))
    t.throws(() => readTiffHeader(half), { message: /cut off/ }, compression)
    // A fax that goes wrong ends there, as on fax machines; what `none` counts is not asked.
    if (compression === 'ccittfax4' || compression === 'none') continue
    const short = makeTiff({ ...tags, 279: rows.length >> 1 }, rows)
    t.throws(() => decode(short), { code: 'PICTURE_BROKEN' }, `${compression}, short`)
  }
})

t.test('each page stands alone once the head points at it', async (t) => {
  const tiff = await makePagesTiff()
  const own = listTiffPages(tiff, 50)
  t.equal(own.length, 2)
  t.same(
    own.map((page) => decode(page.file())[0]),
    [255, 0],
  )
  // One that is handed to another print server is split there once more.
  for (const page of own) t.equal(listTiffPages(page.file(), 50).length, 1)
  t.throws(() => listTiffPages(tiff, 1), { code: 'PICTURE_TOO_LARGE' })
  t.end()
})

t.test('wide rows of single dots take no longer than others', (t) => {
  // A white dot and a black one by turns, and rows that are the same.
  const [width, rows] = [30_000, 60]
  const first = '001000111010'.repeat(width / 2)
  const same = Array<string>(rows - 1).fill('1'.repeat(width + 1))
  const tiff = makeFax('g3', [first, ...same], width, { 257: rows, 259: 4 })
  let black = 0
  const count = () =>
    decodeTiff(tiff, readTiffHeader(tiff), (row) => {
      for (const luma of row) if (luma === 0) black++
    })
  t.ok(processorMs(count) < 1_500)
  t.equal(black, (rows * width) / 2)
  t.end()
})

t.test('rows of runs without any dot take no memory', (t) => {
  const four = Buffer.from(makeFax('g3', ['001101010000110111'.repeat(4)], 8).subarray(8, 17))
  const data = Buffer.alloc(9 * 1_200_000, four)
  const tiff = makeTiff({ 256: 800, 257: 100, 258: 1, 259: 3, 262: 0 }, data)
  const before = process.resourceUsage().maxRSS
  t.throws(() => decode(tiff), { code: 'PICTURE_BROKEN' })
  t.ok(process.resourceUsage().maxRSS - before < 30_000, 'KB more')
  t.end()
})

t.test('a thumbnail or a mask behind a picture is not a label', (t) => {
  const picture = makeTiff({ 254: 0, 256: 8, 257: 1, 258: 1, 259: 1, 262: 0 }, Buffer.of(0xaa))
  for (const [kind, pages] of [
    [0, 2],
    [1, 1], // smaller
    [2, 2], // of several pages
    [3, 1],
    [4, 1], // a mask
  ] as const) {
    const other = makeTiff({ 254: kind, 256: 8, 257: 1, 258: 1, 259: 1, 262: 0 }, Buffer.of(0))
    const both = Buffer.concat([picture, other.subarray(8)])
    both.writeUInt32BE(picture.length + 1, picture.length - 4)
    t.equal(listTiffPages(both, 50).length, pages, `${kind}`)
    t.equal(listTiffPages(other, 50).length, 1, 'by itself it is one')
  }
  t.end()
})

t.test('a thousand pages that share a long list of values are found at once', (t) => {
  const [pages, values] = [1_000, 100_000]
  const list = 8 + pages * 18
  const file = Buffer.alloc(list + values)
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(8, 4)
  for (let n = 0, at = 8; n < pages; n++, at += 18) {
    file.writeUInt16LE(1, at)
    file.writeUInt16LE(254, at + 2) // kind of picture
    file.writeUInt16LE(1, at + 4)
    file.writeUInt32LE(values, at + 6)
    file.writeUInt32LE(list, at + 10)
    file.writeUInt32LE(n + 1 < pages ? at + 18 : 0, at + 14)
  }
  const ms = processorMs(() => t.equal(listTiffPages(file, pages).length, pages))
  t.ok(ms < 500, `took ${ms} ms`)
  t.end()
})

t.test('mutated files end with a failure of the table or a picture', async (t) => {
  const raw = { width: 300, height: 40, channels: 1 as const }
  const luma = makePicture(300, 40)
  const seeds = await Promise.all(
    PACKINGS.map((compression) =>
      sharp(luma, { raw })
        .toColourspace('b-w')
        .tiff({ compression, predictor: 'none', bitdepth: 1 })
        .toBuffer(),
    ),
  )
  const rounds = Number(process.env['TIFF_MUTANTS'] ?? 2_000)
  for (let n = 0; n < rounds; n++) {
    const tiff = Buffer.from(seeds[n % seeds.length] as Buffer)
    for (let k = 0; k < 1 + random() * 5; k++)
      tiff[Math.floor(random() * tiff.length)] = random() * 256
    const cut = random() < 0.2 ? tiff.subarray(0, Math.floor(random() * tiff.length)) : tiff
    try {
      const header = readTiffHeader(cut)
      if (header.pixels > 1_000_000 || header.memoryBytes > 2_000_000) continue // the gate's work
      let rows = 0
      decodeTiff(cut, header, () => rows++)
      t.equal(rows, header.height)
      listTiffPages(cut, 50)
    } catch (error) {
      t.match(error, { code: /^PICTURE_(BROKEN|UNSUPPORTED|TOO_LARGE)$/ })
    }
  }
})
