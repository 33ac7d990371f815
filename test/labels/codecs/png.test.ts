import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import t from 'tap'
import { png } from '../../../src/labels/codecs/index.ts'
import { joinPng, makeChunk, makePng, type PngPlan } from '../../pictures/make-png.ts'
import { decodeRows } from '../rows.ts'

const PALETTE = [
  [0, 0, 0],
  [255, 255, 255],
  [200, 0, 0],
  [0, 90, 255],
] as const

// 13x11 leaves a part of a byte at the end of a row and has empty passes in neither direction.
const SIZE = { width: 13, height: 11 }

function hash(x: number, y: number, n: number): number {
  return Math.imul(x * 31 + y * 17 + n * 7 + 1, 2654435761) >>> 0
}

function luma(red: number, green: number, blue: number): number {
  return (77 * red + 150 * green + 29 * blue) >> 8
}

function overWhite(value: number, alpha: number): number {
  return Math.round((value * alpha + 255 * (255 - alpha)) / 255)
}

/** A sample of `depth` bits as 8 bits, as PNG 13.12 describes it; of 16 bits the lower 8 are cut off. */
function to8(sample: number, depth: number): number {
  return depth === 16 ? sample >> 8 : Math.floor((sample * 255) / (2 ** depth - 1) + 0.5)
}

const CASES = [
  ...([1, 2, 4, 8, 16] as const).map((depth) => ({ color: 0 as const, depth })),
  ...([8, 16] as const).map((depth) => ({ color: 2 as const, depth })),
  ...([1, 2, 4, 8] as const).map((depth) => ({ color: 3 as const, depth })),
  ...([8, 16] as const).map((depth) => ({ color: 4 as const, depth })),
  ...([8, 16] as const).map((depth) => ({ color: 6 as const, depth })),
]

function planOf({ color, depth }: (typeof CASES)[number]): PngPlan {
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[color]
  const most = color === 3 ? Math.min(2 ** depth, PALETTE.length) : 2 ** depth
  return {
    ...SIZE,
    color,
    depth,
    samples: (x, y) => Array.from({ length: channels }, (_, n) => hash(x, y, n) % most),
    ...(color === 3 ? { palette: PALETTE } : {}),
  }
}

function expected(plan: PngPlan): number[][] {
  const pixel = (x: number, y: number): number => {
    const raw = plan.samples(x, y)
    const palette = plan.color === 3 ? PALETTE[raw[0] ?? 0] : undefined
    if (palette !== undefined) return luma(palette[0], palette[1], palette[2])
    const [a = 0, b = 0, c = 0, d = 255] = raw.map((sample) => to8(sample, plan.depth))
    if (plan.color === 0) return a
    if (plan.color === 4) return overWhite(a, b)
    return overWhite(luma(a, b, c), plan.color === 6 ? d : 255)
  }
  return Array.from({ length: plan.height }, (_, y) =>
    Array.from({ length: plan.width }, (_, x) => pixel(x, y)),
  )
}

for (const kind of CASES) {
  for (const interlaced of [false, true]) {
    const how = interlaced ? 'interlaced' : 'straight'
    t.test(
      `color type ${kind.color} of ${kind.depth} bits, ${how}, comes out as its luma`,
      async (t) => {
        const plan = { ...planOf(kind), interlaced }
        t.same(await decodeRows(png, makePng(plan)), expected(plan))
      },
    )
  }
}

t.test('white stretches, which most of a label is, end and begin at any pixel', async (t) => {
  for (const kind of CASES.filter(({ color }) => color !== 3)) {
    const plan = { ...planOf(kind), width: 29 }
    const most = 2 ** kind.depth - 1
    const isWhite = (x: number, y: number): boolean => (Math.floor((x + y) / 6) + y) % 2 === 0
    const samples: PngPlan['samples'] = (x, y) =>
      plan.samples(x, y).map((sample) => (isWhite(x, y) ? most : sample))
    const white = { ...plan, samples }
    t.same(await decodeRows(png, makePng(white)), expected(white), JSON.stringify(kind))
  }
})

t.test('a palette color that is transparent comes out as paper', async (t) => {
  const plan = { ...planOf({ color: 3, depth: 2 }), transparent: [0, 255, 128] }
  const rows = await decodeRows(png, makePng(plan))
  for (const [y, row] of rows.entries()) {
    for (const [x, value] of row.entries()) {
      const index = plan.samples(x, y)[0] ?? 0
      t.equal(value, [255, 255, overWhite(luma(200, 0, 0), 128), luma(0, 90, 255)][index])
    }
  }
})

t.test('the one gray or color that is named transparent comes out as paper', async (t) => {
  const gray: PngPlan = {
    ...SIZE,
    color: 0,
    depth: 4,
    samples: (x) => [x % 16],
    transparent: [0, 3],
  }
  t.same((await decodeRows(png, makePng(gray)))[0]?.slice(0, 5), [0, 17, 34, 255, 68])
  const deep: PngPlan = { ...SIZE, color: 0, depth: 16, samples: (x) => [x], transparent: [0, 2] }
  t.same((await decodeRows(png, makePng(deep)))[0]?.slice(0, 4), [0, 0, 255, 0])
  const cut = { ...deep, samples: () => [768], transparent: [3] }
  t.equal((await decodeRows(png, makePng(cut)))[0]?.[0], 3, 'half a sample names none')
  const deepRgb: PngPlan = {
    ...SIZE,
    color: 2,
    depth: 16,
    samples: (x) => [x, 512, 256],
    transparent: [0, 3, 2, 0, 1, 0],
  }
  const other = luma(0, 2, 1)
  t.same((await decodeRows(png, makePng(deepRgb)))[0]?.slice(2, 5), [other, 255, other])
  const rgb: PngPlan = {
    ...SIZE,
    color: 2,
    depth: 8,
    samples: (x) => [x, 0, 0],
    transparent: [0, 5, 0, 0, 0, 0],
  }
  t.equal((await decodeRows(png, makePng(rgb)))[0]?.[5], 255)
  t.equal((await decodeRows(png, makePng(rgb)))[0]?.[6], luma(6, 0, 0))
})

t.test('16 bits come out at most one step beside their rounded value', async (t) => {
  const gray: PngPlan = { width: 4096, height: 1, color: 0, depth: 16, samples: (x) => [x * 16] }
  const [row = []] = await decodeRows(png, makePng(gray))
  const off = row.map((value, x) => value - Math.round((x * 16 * 255) / 65_535))
  t.same([...new Set(off)].sort(), [-1, 0, 1])
  t.same(
    [row[0], (await decodeRows(png, makePng({ ...gray, samples: () => [65_535] })))[0]?.[0]],
    [0, 255],
  )
})

t.test('every filter is undone alike at 8 and at 16 bits, whatever the bytes', async (t) => {
  // The same bytes as higher bytes, with others between: they may not touch each other.
  const [width, height] = [23, 40]
  for (const color of [0, 2, 4, 6] as const) {
    const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[color]
    const narrow = Buffer.alloc((width * channels + 1) * height)
    const wide = Buffer.alloc((width * channels * 2 + 1) * height)
    for (let y = 0, from = 0, to = 0; y < height; y++) {
      narrow[from++] = wide[to++] = y % 5
      for (let n = 0; n < width * channels; n++) {
        const byte = hash(n, y, 1) >>> 24
        narrow[from++] = byte
        wide[to++] = byte
        wide[to++] = hash(n, y, 2) >>> 24
      }
    }
    const plan: PngPlan = { width, height, color, depth: 8, samples: () => [] }
    const rows = await decodeRows(png, joinPng(plan, deflateSync(narrow)))
    t.same(await decodeRows(png, joinPng({ ...plan, depth: 16 }, deflateSync(wide))), rows)
  }
})

t.test('pictures of one row, one column and one pixel come out, interlaced too', async (t) => {
  for (const [width, height] of [
    [1, 1],
    [1, 9],
    [9, 1],
    [3, 2],
  ] as const) {
    for (const interlaced of [false, true]) {
      const plan = { ...planOf({ color: 0, depth: 1 }), width, height, interlaced }
      t.same(await decodeRows(png, makePng(plan)), expected(plan), `${width}x${height}`)
    }
  }
})

t.test('what follows the end of the picture is not of it', async (t) => {
  const plan = planOf({ color: 0, depth: 8 })
  const file = Buffer.concat([makePng(plan), Buffer.from('\r\nmore')])
  t.same(await decodeRows(png, file), expected(plan))
})

t.test('the header says size, resolution and what decoding holds', (t) => {
  const plan = { ...planOf({ color: 2, depth: 16 }), perMetre: 11811 }
  t.match(png.header(makePng(plan)), {
    width: 13,
    height: 11,
    orientation: 1,
    pixels: 143,
    memoryBytes: 2 * 2 ** 20 + 2 * 13 * 6 + 13,
    divisors: [1],
    isBilevel: false,
    dpi: 300,
  })
  t.equal(png.header(makePng(planOf({ color: 0, depth: 1 }))).dpi, 0)
  t.end()
})

t.test('black and white of one bit a pixel comes out as bits, 1 black', async (t) => {
  const white = [255, 255, 255] as const
  const black = [0, 0, 0] as const
  const kinds: [Partial<PngPlan>, readonly [number, number]][] = [
    [{ color: 0 }, [1, 0]],
    [{ color: 0, transparent: [0, 0] }, [0, 0]],
    [{ color: 3, palette: [white, black] }, [0, 1]],
    [{ color: 3, palette: [black, white] }, [1, 0]],
    [{ color: 3, palette: [black, black] }, [1, 1]],
  ]
  for (const width of [13, 16]) {
    for (const [more, [zero, one]] of kinds) {
      const plan = { ...planOf({ color: 0, depth: 1 }), width, ...more }
      const file = makePng(plan)
      t.equal(png.header(file).isBilevel, true)
      const rows: string[] = []
      await png.decodeBits(file, (row) =>
        rows.push([...row].map((byte) => byte.toString(2).padStart(8, '0')).join('')),
      )
      const wanted = Array.from({ length: plan.height }, (_, y) =>
        Array.from({ length: width }, (_, x) => (plan.samples(x, y)[0] === 0 ? zero : one))
          .join('')
          .padEnd(16, '0'),
      )
      t.same(rows, wanted)
    }
  }
  const shades = { ...planOf({ color: 3, depth: 1 }), palette: [white, [90, 90, 90]] as const }
  t.equal(png.header(makePng(shades)).isBilevel, false)
  t.equal(png.header(makePng(planOf({ color: 0, depth: 2 }))).isBilevel, false)
})

t.test('a large picture is inflated in pieces, and held to its size too', async (t) => {
  const [width, height] = [1500, 1000]
  const stride = width * 3 + 1
  const plan: PngPlan = { width, height, color: 2, depth: 8, samples: () => [] }
  const rows = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) rows.fill(y & 255, y * stride + 1, (y + 1) * stride)
  const seen: number[] = []
  await png.decode(joinPng(plan, deflateSync(rows)), 1, (row) => seen.push(row[width - 1] ?? -1))
  t.same(
    seen,
    Array.from({ length: height }, (_, y) => y & 255),
  )
  const more = deflateSync(Buffer.concat([rows, Buffer.alloc(2_000_000)]))
  await png.decode(joinPng(plan, more), 1, (row) => seen.push(row[width - 1] ?? -1))
  t.same(seen.splice(height), seen)
  const cases: [Uint8Array, RegExp][] = [
    [deflateSync(rows.subarray(0, -1)), /fewer rows/],
    [deflateSync(rows).subarray(0, -9), /cannot be decoded: its data end too early\.$/],
    [Buffer.from('no zlib'), /cannot be decoded: its data are damaged\.$/],
  ]
  for (const [data, message] of cases) {
    const decoding = png.decode(joinPng(plan, data), 1, () => undefined)
    await t.rejects(decoding, { code: 'PICTURE_BROKEN', message })
  }
})

t.test('a row with a filter that PNG does not have is broken', async (t) => {
  const plan = planOf({ color: 0, depth: 8 })
  const rows = Buffer.alloc(14 * 11)
  rows[14] = 5
  await t.rejects(decodeRows(png, joinPng(plan, deflateSync(rows))), {
    code: 'PICTURE_BROKEN',
    message: /filter 5; wanted 0 to 4/,
  })
})

const GOOD = makePng(planOf({ color: 0, depth: 8 }))

t.test('a cut file is broken at every length, until its picture is whole', async (t) => {
  const whole = GOOD.length - 12 // IEND
  for (let length = 8; length < whole; length++) {
    const cut = GOOD.subarray(0, length)
    await t.rejects(async () => await decodeRows(png, cut), { code: 'PICTURE_BROKEN' })
  }
  const rows = await decodeRows(png, GOOD)
  const text = makeChunk('tEXt', Buffer.from('Software\0Shop'))
  for (let length = whole; length < GOOD.length; length++) {
    t.same(await decodeRows(png, GOOD.subarray(0, length)), rows)
  }
  const cut = Buffer.concat([GOOD.subarray(0, whole), text.subarray(0, 15)])
  t.same(await decodeRows(png, cut), rows, 'a cut chunk after the picture')
})

t.test('a file that lacks the last part of its data is broken when it is decoded', async (t) => {
  const data = deflateSync(Buffer.alloc(13 * 11))
  const parts = [GOOD.subarray(0, 33), makeChunk('IDAT', data.subarray(0, data.length - 6))]
  await t.rejects(async () => await decodeRows(png, Buffer.concat(parts)), {
    code: 'PICTURE_BROKEN',
  })
})

t.test('damaged data are said to be so, in our words and not in those of zlib', async (t) => {
  const plan = planOf({ color: 0, depth: 8 })
  const cases: [Uint8Array, string][] = [
    [Buffer.from('no zlib'), 'its data are damaged'],
    [Buffer.alloc(0), 'its data end too early'],
    [deflateSync(Buffer.alloc(14 * 11)).subarray(0, -5), 'its data end too early'],
  ]
  for (const [data, what] of cases) {
    await t.rejects(decodeRows(png, joinPng(plan, data)), {
      code: 'PICTURE_BROKEN',
      message: `The PNG cannot be decoded: ${what}.`,
    })
  }
})

t.test('what fails while rows are taken is not said of the picture', async (t) => {
  const fault = new RangeError('Array buffer allocation failed')
  const fail = (): void => {
    throw fault
  }
  await t.rejects(png.decode(GOOD, 1, fail), fault)
})

t.test('a damaged chunk is broken when it is decoded', async (t) => {
  const bad = Buffer.from(GOOD)
  bad[45] = (bad[45] ?? 0) ^ 0xff
  await t.rejects(async () => await decodeRows(png, bad), {
    code: 'PICTURE_BROKEN',
    message: 'The PNG cannot be decoded: its chunk IDAT is damaged.',
  })
})

t.test('data for fewer rows than the header promises are broken', async (t) => {
  // pngjs alone would print what lay in memory before.
  for (const interlaced of [false, true]) {
    const plan = { ...planOf({ color: 0, depth: 8 }), interlaced }
    const whole = 13 * 11 + (interlaced ? 22 : 11) // a filter byte for every row of every pass
    for (const length of [0, 40, whole - 1]) {
      const file = joinPng(plan, deflateSync(Buffer.alloc(length)))
      await t.rejects(
        async () => await decodeRows(png, file),
        { code: 'PICTURE_BROKEN' },
        `${length}`,
      )
    }
    for (const length of [whole, whole + 1, 400]) {
      const file = joinPng(plan, deflateSync(Buffer.alloc(length, 1)))
      const seen = await sharp(file).grayscale().raw().toBuffer()
      t.same((await decodeRows(png, file)).flat(), [...seen], 'libvips passes over what follows')
    }
  }
})

t.test('data that inflate to far more than the header promises are not held', async (t) => {
  const bomb = deflateSync(Buffer.alloc(50_000_000))
  for (const interlaced of [false, true]) {
    const plan = { ...planOf({ color: 0, depth: 8 }), interlaced }
    const before = process.memoryUsage().rss
    await decodeRows(png, joinPng(plan, bomb))
    t.ok(process.memoryUsage().rss - before < 40_000_000, 'held less than the bomb')
  }
})

t.test('headers that PNG does not have are refused', (t) => {
  const change = (at: number, value: number): Buffer => {
    const file = Buffer.from(GOOD)
    file[at] = value
    return file
  }
  const cases: [number, number, string, RegExp][] = [
    [12, 0x58, 'PICTURE_BROKEN', /begins with the chunk XHDR; wanted IHDR/],
    [11, 12, 'PICTURE_BROKEN', /no chunk|IHDR/],
    [16, 0xff, 'PICTURE_BROKEN', /says \d+x11 pixels/],
    [19, 0, 'PICTURE_BROKEN', /says 0x11 pixels/],
    [24, 3, 'PICTURE_BROKEN', /3 bits of color type 0/],
    [25, 5, 'PICTURE_BROKEN', /8 bits of color type 5/],
    [25, 3, 'PICTURE_BROKEN', /no palette/],
    [26, 1, 'PICTURE_UNSUPPORTED', /compression 1, filter 0, interlace 0/],
    [28, 2, 'PICTURE_UNSUPPORTED', /interlace 2; wanted 0, 0, and 0 or 1/],
  ]
  for (const [at, value, code, message] of cases) {
    t.throws(() => png.header(change(at, value)), { code, message })
  }
  t.end()
})

t.test('a file without picture data is broken', (t) => {
  const parts = [GOOD.subarray(0, 33), makeChunk('IEND', Buffer.alloc(0))]
  t.throws(() => png.header(Buffer.concat(parts)), { code: 'PICTURE_BROKEN', message: /IDAT/ })
  t.end()
})

t.test('a file of very many chunks is broken before they fill the memory', (t) => {
  const empty = makeChunk('IDAT', Buffer.alloc(0))
  const file = Buffer.concat([GOOD.subarray(0, 33), Buffer.alloc(empty.length * 60_000, empty)])
  t.throws(() => png.header(file), { code: 'PICTURE_BROKEN', message: /more than 50000 chunks/ })
  t.end()
})

t.test('what is no chunk is told by its place: names have letters alone', async (t) => {
  const file = makePng(planOf({ color: 0, depth: 1 }))
  const first = 8 + 12 + 13 // behind the signature and IHDR
  for (const name of ['1DAT', 'ID T', 'IDA\0', 'IDA{', 'ID@T', 'I[AT', 'ID`T']) {
    const bytes = Buffer.concat([
      file.subarray(0, first),
      makeChunk(name, Buffer.alloc(4)),
      file.subarray(first),
    ])
    await t.rejects(decodeRows(png, bytes), { message: `has no chunk at byte ${first}` }, name)
  }
  for (const name of ['aaAa', 'zzZz', 'AZAZ']) {
    const extra = makeChunk(name, Buffer.alloc(4))
    const bytes = Buffer.concat([file.subarray(0, first), extra, file.subarray(first)])
    t.equal((await decodeRows(png, bytes)).length, SIZE.height, `${name} is passed over`)
  }
})
