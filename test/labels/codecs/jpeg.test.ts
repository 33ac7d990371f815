import { Buffer } from 'node:buffer'
import jpegJs from 'jpeg-js'
import sharp from 'sharp'
import t from 'tap'
import { jpeg } from '../../../src/labels/codecs/index.ts'
import { type JpegPlan, makeExif, makeJpeg, segment } from '../../pictures/make-jpeg.ts'
import { decodeRows } from '../rows.ts'

function level(_component: number, x: number, y: number): number {
  return (x * 37 + y * 101) % 256
}

const GRAY: JpegPlan = { width: 37, height: 29, sampling: [[1, 1]], level }

function expected(plan: JpegPlan, luma: (x: number, y: number) => number): number[][] {
  return Array.from({ length: plan.height }, (_, y) =>
    Array.from({ length: plan.width }, (_, x) => luma(x >> 3, y >> 3)),
  )
}

t.test('gray comes out exactly: baseline, progressive, with restart markers', async (t) => {
  for (const more of [{}, { progressive: true }, { restart: 3 }, { marker: 0xc1 }]) {
    const plan = { ...GRAY, ...more }
    t.same(
      await decodeRows(jpeg, makeJpeg(plan)),
      expected(plan, (x, y) => level(0, x, y)),
    )
  }
})

t.test('the number of lines may stand behind the picture, in two bytes', async (t) => {
  const file = makeJpeg(GRAY)
  const withLines = (...data: readonly number[]): Buffer =>
    Buffer.concat([file.subarray(0, -2), segment(0xdc, data), file.subarray(-2)])
  t.same(
    await decodeRows(jpeg, withLines(0, GRAY.height)),
    expected(GRAY, (x, y) => level(0, x, y)),
  )
  await t.rejects(decodeRows(jpeg, withLines(0, 0, 0, GRAY.height)), { code: 'PICTURE_BROKEN' })
})

t.test('luma and chroma come out as luma, whatever the sampling', async (t) => {
  for (const [h, v] of [
    [1, 1],
    [2, 1],
    [1, 2],
    [2, 2],
  ] as const) {
    const plan: JpegPlan = {
      ...GRAY,
      sampling: [
        [h, v],
        [1, 1],
        [1, 1],
      ],
      level: (n, x, y) => (n === 0 ? 40 + ((x * 13 + y * 7) % 150) : 128),
    }
    // Without chroma red, green and blue are equal, so their luma is the stored one.
    t.same(
      await decodeRows(jpeg, makeJpeg(plan)),
      expected(plan, (x, y) => plan.level(0, x, y)),
    )
  }
})

t.test('a picture of an ordinary encoder comes out close to its pixels', async (t) => {
  const [width, height] = [64, 48]
  const data = Buffer.alloc(width * height * 4, 255)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set([x * 4, y * 5, 128], (y * width + x) * 4)
  }
  const file = jpegJs.encode({ width, height, data }, 95).data
  for (const [y, row] of (await decodeRows(jpeg, file)).entries()) {
    for (const [x, value] of row.entries()) {
      const wanted = (77 * x * 4 + 150 * y * 5 + 29 * 128) >> 8
      if (Math.abs(value - wanted) > 4) t.fail(`${x},${y} is ${value}, wanted ${wanted}`)
    }
  }
})

t.test('red, green and blue stored as they are come out right', async (t) => {
  const colors: JpegPlan = {
    ...GRAY,
    sampling: [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    level: (n) => [200, 100, 50][n] ?? 0,
  }
  const wanted = (77 * 200 + 150 * 100 + 29 * 50) >> 8
  const named = { ...colors, names: [0x52, 0x47, 0x42] }
  for (const plan of [{ ...colors, adobe: 0 }, named]) {
    t.equal((await decodeRows(jpeg, makeJpeg(plan)))[0]?.[0], wanted)
  }
  t.not((await decodeRows(jpeg, makeJpeg(colors)))[0]?.[0], wanted, 'without a sign they are YCbCr')
})

t.test(
  "printer's colors come out right: CMYK and YCCK, stored inverted as Adobe does",
  async (t) => {
    const four: JpegPlan['sampling'] = [
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]
    // Inverted: 255 means no ink. Cyan 55, magenta 155, yellow 205 of 255, no black.
    const cmyk = {
      ...GRAY,
      sampling: four,
      adobe: 0,
      level: (n: number) => [200, 100, 50, 255][n] ?? 0,
    }
    const wanted = (77 * 200 + 150 * 100 + 29 * 50) >> 8
    t.equal((await decodeRows(jpeg, makeJpeg(cmyk)))[0]?.[0], wanted)
    const black = { ...cmyk, level: (n: number) => (n === 3 ? 0 : 255) }
    t.equal((await decodeRows(jpeg, makeJpeg(black)))[0]?.[0], 0)
    // YCCK: luma and chroma of the inks as they are (libjpeg, jdcolor.c, ycck_cmyk_convert), black inverted.
    const ycck = { ...cmyk, adobe: 2, level: (n: number) => [180, 128, 128, 128][n] ?? 0 }
    const half = (await decodeRows(jpeg, makeJpeg(ycck)))[0]?.[0] ?? 0
    t.ok(Math.abs(half - ((255 - 180) * 128) / 255) <= 1, `${half}`)
  },
)

t.test('no size is refused by the rounding of millions', async (t) => {
  const plan: JpegPlan = { ...GRAY, width: 1740, height: 1760, level: () => 128 }
  t.equal((await decodeRows(jpeg, makeJpeg(plan))).length, 1760)
})

t.test('the header says size, resolution, orientation and what decoding holds', (t) => {
  t.match(jpeg.header(makeJpeg({ ...GRAY, dpi: 203 })), {
    width: 37,
    height: 29,
    orientation: 1,
    pixels: 37 * 29,
    dpi: 203,
    divisors: [1, 2, 4, 8],
    memoryBytes: 5 * 8 * 8, // one row of blocks
  })
  for (let orientation = 1; orientation <= 8; orientation++) {
    for (const bigEndian of [false, true]) {
      t.equal(jpeg.header(makeJpeg({ ...GRAY, orientation, bigEndian })).orientation, orientation)
    }
  }
  t.end()
})

t.test('resolutions in dots per centimetre count, those without a unit do not', (t) => {
  const file = makeJpeg({ ...GRAY, dpi: 80 })
  const unit = file.indexOf('JFIF') + 7
  file[unit] = 2
  t.equal(jpeg.header(file).dpi, 203)
  file[unit] = 0
  t.equal(jpeg.header(file).dpi, 0)
  t.equal(
    jpeg.header(Buffer.concat([file.subarray(0, 2), segment(0xe0, [1]), file.subarray(2)])).dpi,
    0,
  )
  t.end()
})

t.test('a damaged Exif block counts as none', (t) => {
  const plain = makeJpeg(GRAY)
  const good = makeExif(6)
  const odd = [
    good.slice(0, 10),
    good.slice(0, 20),
    [...good.slice(0, 6), 0x4a, ...good.slice(7)],
    good.with(13, 1).with(10, 255),
    good.with(18, 4),
    good.with(24, 9),
    good.with(16, 0x13),
  ]
  for (const exif of odd) {
    const file = Buffer.concat([plain.subarray(0, 2), segment(0xe1, exif), plain.subarray(2)])
    t.equal(jpeg.header(file).orientation, 1)
  }
  t.end()
})

t.test('what is not supported is said by its name', (t) => {
  const cases: [Partial<JpegPlan>, RegExp][] = [
    [{ marker: 0xc9 }, /uses arithmetic coding; wanted baseline or progressive/],
    [{ marker: 0xc3 }, /uses lossless coding/],
    [{ marker: 0xc5 }, /uses hierarchical coding/],
    [{ precision: 12, marker: 0xc1 }, /has 12 bits a sample; wanted 8/],
    [{ height: 0 }, /height only after the picture/],
    [
      {
        sampling: [
          [1, 1],
          [1, 1],
        ],
      },
      /has 2 colors; wanted 1, 3 or 4/,
    ],
    [
      {
        sampling: [
          [1, 1],
          [1, 1],
          [1, 1],
          [1, 1],
        ],
      },
      /four colors and does not say which/,
    ],
  ]
  for (const [more, message] of cases) {
    t.throws(() => jpeg.header(makeJpeg({ ...GRAY, ...more })), {
      code: 'PICTURE_UNSUPPORTED',
      message,
    })
  }
  t.end()
})

t.test('what must be kept until the last scan counts as memory', (t) => {
  const blocks = 5 * 4 * 64
  t.equal(jpeg.header(makeJpeg({ ...GRAY, progressive: true })).memoryBytes, blocks * 2 + 5 * 64)
  t.end()
})

t.test('red at less than full resolution is left to jpeg-js, inside its own gate', async (t) => {
  const plan: JpegPlan = {
    ...GRAY,
    adobe: 0,
    sampling: [
      [1, 1],
      [2, 2],
      [1, 1],
    ],
    level: () => 90,
  }
  const header = jpeg.header(makeJpeg(plan))
  t.match(header, { divisors: [1], isStreamed: false, memoryBytes: 3 * 2 * 6 * 1150 })
  t.same(
    await decodeRows(jpeg, makeJpeg(plan)),
    expected(plan, () => 90),
  )
  const bare = makeJpeg(plan)
  const tables = bare.indexOf(Buffer.from([0xff, 0xc4]))
  const scan = bare.indexOf(Buffer.from([0xff, 0xda]))
  const broken = Buffer.concat([bare.subarray(0, tables), bare.subarray(scan)])
  await t.rejects(decodeRows(jpeg, broken), {
    code: 'PICTURE_BROKEN',
    message: 'The JPEG cannot be decoded: its data are damaged.',
    cause: TypeError,
  })
})

const GOOD = makeJpeg(GRAY)

t.test('damaged headers are broken, each with its reason', (t) => {
  const sof = GOOD.indexOf(Buffer.from([0xff, 0xc0]))
  const twice = Buffer.concat([
    GOOD.subarray(0, sof),
    GOOD.subarray(sof, sof + 13),
    GOOD.subarray(sof),
  ])
  const without = Buffer.concat([GOOD.subarray(0, sof), GOOD.subarray(sof + 13)])
  const change = (at: number, value: number): Buffer => {
    const file = Buffer.from(GOOD)
    file[at] = value
    return file
  }
  const cases: [Buffer, RegExp][] = [
    [twice, /says its size twice/],
    [without, /no frame header/],
    [Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /no frame header/],
    [change(2, 0x11), /no marker at byte 2/],
    [change(sof + 3, 8), /damaged frame header|no marker/],
    [change(sof + 11, 0x51), /sampling factors/],
    [change(sof + 8, 0), /says 0x29 pixels/],
    [change(4, 0xff), /inside a segment that needs/],
    [change(5, 0), /inside a segment that needs|no marker/],
  ]
  for (const [file, message] of cases) {
    t.throws(() => jpeg.header(file), { code: 'PICTURE_BROKEN', message })
  }
  t.end()
})

t.test('a cut file is broken at every length, until its picture is whole', async (t) => {
  const sampling = [
    [2, 2],
    [1, 1],
    [1, 1],
  ] as const
  for (const more of [{}, { restart: 3 }, { sampling }]) {
    const plan = { ...GRAY, ...more }
    const good = makeJpeg(plan)
    const rows = await decodeRows(jpeg, good)
    for (let length = 2; length < good.length - 2; length++) {
      const cut = good.subarray(0, length)
      await t.rejects(async () => await decodeRows(jpeg, cut), { code: 'PICTURE_BROKEN' })
    }
    for (const length of [good.length - 2, good.length - 1]) {
      t.same(await decodeRows(jpeg, good.subarray(0, length)), rows, 'without its end (EOI)')
    }
  }
})

t.test(
  'a progressive file is broken at every length, until all of its luma is there',
  async (t) => {
    const { data, info } = await sharp(
      Buffer.from(Array.from({ length: 40 * 40 * 3 }, (_, n) => (n * n) >> 4)),
      {
        raw: { width: 40, height: 40, channels: 3 },
      },
    )
      .jpeg({ progressive: true, quality: 90 })
      .toBuffer({ resolveWithObject: true })
    t.equal(info.width, 40)
    const rows = await decodeRows(jpeg, data)
    // The last scan is of luma: before it the picture would be a coarse one.
    for (let length = 2; length < data.length - 2; length++) {
      const cut = data.subarray(0, length)
      await t.rejects(
        async () => await decodeRows(jpeg, cut),
        { code: 'PICTURE_BROKEN' },
        `${length}`,
      )
    }
    t.same(await decodeRows(jpeg, data.subarray(0, -2)), rows)
  },
)

t.test('what jpeg-js decodes needs its end (EOI): it would fill what is missing', (t) => {
  const sampling = [
    [1, 1],
    [2, 2],
    [1, 1],
  ] as const
  const file = makeJpeg({ ...GRAY, sampling, adobe: 0 })
  t.throws(() => jpeg.header(file.subarray(0, -2)), {
    code: 'PICTURE_BROKEN',
    message: /without its end/,
  })
  t.end()
})

t.test('fill bytes before a marker are skipped', (t) => {
  const file = Buffer.concat([GOOD.subarray(0, 2), Buffer.from([0xff, 0xff]), GOOD.subarray(2)])
  t.equal(jpeg.header(file).width, 37)
  t.end()
})

t.test('a scan that ends early is broken', async (t) => {
  const scan = GOOD.length - 12
  const short = Buffer.concat([GOOD.subarray(0, scan), Buffer.from([0xff, 0xd9])])
  await t.rejects(async () => await decodeRows(jpeg, short), {
    code: 'PICTURE_BROKEN',
    message: /ends too early/,
  })
  const tables = GOOD.indexOf(Buffer.from([0xff, 0xc4]))
  const bare = Buffer.concat([
    GOOD.subarray(0, tables),
    GOOD.subarray(GOOD.indexOf(Buffer.from([0xff, 0xda]))),
  ])
  await t.rejects(async () => await decodeRows(jpeg, bare), { code: 'PICTURE_BROKEN' })
})
