import { Buffer } from 'node:buffer'
import t from 'tap'
import { checkPicture, pwg, urf } from '../../../src/labels/codecs/index.ts'
import { makePwg, makeUrf, type RasterPage } from '../../pictures/make-raster.ts'
import { makeRandom } from '../../random.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const random = makeRandom(seed)
t.comment(`SEED=${seed}`)
const upTo = (most: number): number => Math.floor(random() * most)

/** Runs, noise and rows that repeat. */
function makeSamples(rowBytes: number, height: number): Buffer {
  const samples = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y++) {
    if (y > 0 && random() < 0.4) {
      samples.copyWithin(y * rowBytes, (y - 1) * rowBytes, y * rowBytes)
      continue
    }
    for (let x = 0; x < rowBytes; ) {
      const run = 1 + upTo(random() < 0.3 ? rowBytes : 6)
      samples.fill(upTo(256), y * rowBytes + x, y * rowBytes + Math.min(rowBytes, x + run))
      x += run
    }
  }
  return samples
}

function makePage(space: number, bitsPerPixel: number): RasterPage {
  const [width, height] = [1 + upTo(400), 1 + upTo(40)]
  const rowBytes = Math.ceil((width * bitsPerPixel) / 8)
  const samples = makeSamples(rowBytes, height)
  return { width, height, dpi: 203, space, bitsPerPixel, samples }
}

async function decode(decoder: typeof pwg | typeof urf, file: Uint8Array): Promise<Buffer> {
  const rows: Buffer[] = []
  await decoder.decode(file, 1, (row, y) => {
    t.equal(y, rows.length)
    rows.push(Buffer.from(row))
  })
  return Buffer.concat(rows)
}

async function decodeBits(decoder: typeof pwg | typeof urf, file: Uint8Array): Promise<Buffer> {
  const { width } = decoder.header(file)
  const rows: Buffer[] = []
  await decoder.decodeBits(file, (row) => {
    t.equal((row.at(-1) as number) & (0xff >> (width & 7 || 8)), 0, 'padding is 0')
    rows.push(
      Buffer.from(
        Array.from({ length: width }, (_, x) =>
          ((row[x >> 3] as number) & (0x80 >> (x & 7))) === 0 ? 255 : 0,
        ),
      ),
    )
  })
  return Buffer.concat(rows)
}

/** Luma of the samples, by the words of the specification. */
const LUMA: Readonly<Record<string, (pixel: readonly number[]) => number>> = {
  gray: ([gray = 0]) => gray,
  black: ([ink = 0]) => 255 - ink,
  rgb: ([r = 0, g = 0, b = 0]) => (77 * r + 150 * g + 29 * b) >> 8,
  cmyk: ([c = 0, m = 0, y = 0, k = 0]) => Math.max(0, 255 - k - ((77 * c + 150 * m + 29 * y) >> 8)),
}
const SIZES = { gray: 1, black: 1, rgb: 3, cmyk: 4 } as const

function lumaOf(page: RasterPage, kind: keyof typeof SIZES, bytes: number): Buffer {
  const { width, height, samples } = page
  if (page.bitsPerPixel === 1) {
    const rowBytes = Math.ceil(width / 8)
    return Buffer.from(
      Array.from({ length: width * height }, (_, n) => {
        const [x, y] = [n % width, Math.floor(n / width)]
        const bit = (((samples[y * rowBytes + (x >> 3)] as number) >> (7 - (x & 7))) & 1) * 255
        return kind === 'black' ? 255 - bit : bit
      }),
    )
  }
  const size = SIZES[kind]
  return Buffer.from(
    Array.from({ length: width * height }, (_, n) =>
      LUMA[kind]?.(
        Array.from({ length: size }, (_, k) => samples[(n * size + k) * bytes] as number),
      ),
    ) as number[],
  )
}

const PWG_KINDS = [
  ...[0, 18].map((space) => [space, 'gray'] as const),
  ...[1, 19, 20].map((space) => [space, 'rgb'] as const),
  ...([
    [3, 'black'],
    [6, 'cmyk'],
  ] as const),
]
const URF_KINDS = [
  ...[0, 4].map((space) => [space, 'gray'] as const),
  ...[1, 3, 5].map((space) => [space, 'rgb'] as const),
  [6, 'cmyk'] as const,
]

for (const { decoder, make, kinds } of [
  { decoder: pwg, make: makePwg, kinds: PWG_KINDS },
  { decoder: urf, make: makeUrf, kinds: URF_KINDS },
]) {
  t.test(`${decoder.format} of every kind comes out sample for sample`, async (t) => {
    for (const [space, kind] of kinds) {
      for (const bytes of [1, 2]) {
        const page = makePage(space, SIZES[kind] * 8 * bytes)
        const file = make(page)
        const { width, height, dpi } = page
        t.match(decoder.header(file), { width, height, dpi, pixels: width * height })
        t.ok((await decode(decoder, file)).equals(lumaOf(page, kind, bytes)), `${kind} ${bytes}`)
      }
      if (SIZES[kind] > 1) continue
      const page = makePage(space, 1)
      const wanted = lumaOf(page, kind, 1)
      t.equal(decoder.header(make(page)).isBilevel, true)
      t.ok((await decode(decoder, make(page))).equals(wanted), `${kind}, 1 bit`)
      t.ok((await decodeBits(decoder, make(page))).equals(wanted), `${kind}, the short way`)
    }
  })

  t.test(`each page of a ${decoder.format} is a file of its own`, (t) => {
    const gray = decoder === pwg ? 18 : 0
    const pages = [8, 1, 24].map((bits) => makePage(bits === 24 ? 1 : gray, bits))
    const file = make(...pages)
    const own = decoder.pages(file, 50)
    t.equal(own.length, 3)
    for (const [n, page] of pages.entries()) {
      t.ok(Buffer.from(own[n]?.file() ?? []).equals(make(page)), `page ${n + 1}`)
    }
    t.throws(() => decoder.pages(file, 2), { code: 'PICTURE_TOO_LARGE' })
    const head = file.length - make(pages[2] as RasterPage).length
    for (const length of [file.length - 1, head + 10, head + 40]) {
      t.throws(() => decoder.pages(file.subarray(0, length), 50), { message: /cut off/ })
    }
    t.throws(() => decoder.pages(Buffer.concat([file, Buffer.from('x')]), 50), {
      message: /cut off/,
    })
    t.end()
  })

  t.test(`a ${decoder.format} that ends anywhere is refused`, (t) => {
    const file = make({
      ...makePage(decoder === pwg ? 18 : 0, 8),
      width: 9,
      height: 7,
      samples: makeSamples(9, 7),
    })
    for (let length = decoder === pwg ? 4 : 12; length < file.length; length++) {
      t.throws(() => decoder.header(file.subarray(0, length)), { code: 'PICTURE_BROKEN' })
    }
    t.end()
  })

  t.test(`mutated ${decoder.format} ends with a failure of the table or a picture`, async (t) => {
    const gray = decoder === pwg ? 18 : 0
    const seeds = [
      make(makePage(gray, 8)),
      make(makePage(gray, 1)),
      make(makePage(1, 24), makePage(gray, 8)),
    ]
    const rounds = Number(process.env['RASTER_MUTANTS'] ?? 2500)
    for (let n = 0; n < rounds; n++) {
      const file = Buffer.from(seeds[n % seeds.length] as Buffer)
      for (let k = 0; k < 1 + random() * 5; k++) file[upTo(file.length)] = upTo(256)
      const cut = random() < 0.2 ? file.subarray(0, upTo(file.length)) : file
      try {
        const { height } = checkPicture(cut, decoder.format)
        let rows = 0
        await decoder.decode(cut, 1, () => rows++)
        t.equal(rows, height)
        decoder.pages(cut, 50)
      } catch (error) {
        t.match(error, { code: /^PICTURE_(BROKEN|UNSUPPORTED|TOO_LARGE)$/ })
      }
    }
  })
}

t.test('what no label is, by name', (t) => {
  const page = makePage(18, 8)
  const change = (at: number, value: number): Buffer => {
    const file = makePwg(page)
    file.writeUInt32BE(value, 4 + at)
    return file
  }
  const faults: readonly (readonly [Buffer, RegExp])[] = [
    [change(396, 1), /colors in planes/],
    [change(400, 99), /colors of an unknown kind/],
    [change(388, 4), /4 bits a pixel/],
    [change(392, 5), /head of a page is damaged/],
    [change(372, 0), /no size/],
  ]
  for (const [file, message] of faults) t.throws(() => pwg.header(file), { message })
  const white = { ...page, width: 30_000, height: 30_000, samples: Buffer.alloc(0) }
  const bomb = Buffer.concat([
    makePwg({ ...white, height: 0 }),
    Buffer.from('ff80'.repeat(118), 'hex'),
  ])
  bomb.writeUInt32BE(30_000, 4 + 376)
  t.throws(() => checkPicture(bomb, 'pwg'), { code: 'PICTURE_TOO_LARGE' }, `${bomb.length} bytes`)
  t.end()
})
