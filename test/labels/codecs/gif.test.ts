import { Buffer } from 'node:buffer'
import sharp from 'sharp'
import t from 'tap'
import { gif } from '../../../src/labels/codecs/index.ts'
import { type GifFramePlan, type GifPlan, makeGif } from '../../pictures/make-gif.ts'
import { decodeRows } from '../rows.ts'

const PALETTE = [
  [0, 0, 0],
  [255, 255, 255],
  [200, 0, 0],
  [0, 90, 255],
] as const
const LUMA = PALETTE.map(([red, green, blue]) => (77 * red + 150 * green + 29 * blue) >> 8)

function index(x: number, y: number): number {
  return (Math.imul(x * 7 + y * 13 + 1, 2654435761) >>> 8) % 4
}

function planOf(frame: Partial<GifFramePlan> = {}, screen: Partial<GifPlan> = {}): GifPlan {
  const whole = { x: 0, y: 0, width: 37, height: 23, index }
  return { width: 37, height: 23, palette: PALETTE, frames: [{ ...whole, ...frame }], ...screen }
}

function expected(plan: GifPlan): number[][] {
  const [frame] = plan.frames
  return Array.from({ length: plan.height }, (_, y) =>
    Array.from({ length: plan.width }, (_, x) => {
      if (frame === undefined) return 255
      const [fx, fy] = [x - frame.x, y - frame.y]
      if (fx < 0 || fy < 0 || fx >= frame.width || fy >= frame.height) return 255
      const color = frame.index(fx, fy)
      return color === frame.transparent ? 255 : (LUMA[color] ?? 255)
    }),
  )
}

t.test('straight and interlaced pictures come out as their luma', async (t) => {
  for (const interlaced of [false, true]) {
    const plan = planOf({ interlaced })
    t.same(await decodeRows(gif, makeGif(plan)), expected(plan))
  }
})

t.test('a transparent color and what a picture leaves of its screen are paper', async (t) => {
  const plan = planOf({ x: 5, y: 3, width: 20, height: 11, transparent: 2 })
  t.same(await decodeRows(gif, makeGif(plan)), expected(plan))
})

t.test('of an animation the first picture is printed', async (t) => {
  const first = { x: 1, y: 2, width: 30, height: 20, index }
  const second = { x: 0, y: 0, width: 37, height: 23, index: () => 0 }
  const plan = { width: 37, height: 23, palette: PALETTE, frames: [first, second] }
  t.same(await decodeRows(gif, makeGif(plan)), expected(plan))
})

t.test('a palette of its own wins over that of the screen', async (t) => {
  const own = [
    [255, 255, 255],
    [0, 0, 0],
  ] as const
  const plan = planOf({ palette: own, index: (x) => x % 2 })
  t.same((await decodeRows(gif, makeGif(plan)))[0]?.slice(0, 4), [255, 0, 255, 0])
  const { palette: _, ...bare } = plan
  t.same((await decodeRows(gif, makeGif(bare)))[0]?.slice(0, 4), [255, 0, 255, 0])
})

t.test('a picture whose code table fills up and starts again comes out whole', async (t) => {
  const noise = (x: number, y: number): number => (Math.imul(x + y * 811, 2654435761) >>> 13) % 4
  const plan = planOf({ width: 300, height: 200, index: noise }, { width: 300, height: 200 })
  t.same(await decodeRows(gif, makeGif(plan)), expected(plan))
})

t.test('the header counts the screen, and of the pictures the first alone', (t) => {
  t.match(gif.header(makeGif(planOf())), {
    width: 37,
    height: 23,
    orientation: 1,
    pixels: 851,
    dpi: 0,
  })
  const second = { x: 0, y: 0, width: 37, height: 23, index }
  const plan = planOf()
  const file = makeGif({ ...plan, frames: [...plan.frames, second] })
  // The second picture's descriptor is the last one in the file.
  const at = file.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0, 37, 0, 23, 0]))
  file.writeUInt16LE(40_000, at + 5)
  file.writeUInt16LE(40_000, at + 7)
  t.equal(gif.header(file).pixels, 851, 'nothing of the second is decoded')
  t.end()
})

const GOOD = makeGif(planOf({ transparent: 1 }))

t.test('a cut file is broken at every length, until its picture is whole', async (t) => {
  const whole = GOOD.length - 1
  for (let length = 6; length < whole; length++) {
    t.throws(() => gif.header(GOOD.subarray(0, length)), { code: 'PICTURE_BROKEN' })
  }
  const rows = await decodeRows(gif, GOOD)
  t.same(await decodeRows(gif, GOOD.subarray(0, whole)), rows, 'no trailer')
  const second = { x: 0, y: 0, width: 37, height: 23, index: () => 0 }
  const plan = planOf({ transparent: 1 })
  const animation = makeGif({ ...plan, frames: [...plan.frames, second] })
  const loopBytes = 19
  for (let length = whole + loopBytes; length < animation.length; length += 7) {
    t.same(await decodeRows(gif, animation.subarray(0, length)), rows, 'a cut second picture')
  }
  const junk = Buffer.concat([GOOD.subarray(0, whole), Buffer.from('junk')])
  t.same(await decodeRows(gif, junk), rows, 'junk in the place of the trailer')
})

t.test('a screen too small for its first picture grows, as libvips has it', async (t) => {
  const frames: Partial<GifFramePlan>[] = [
    {},
    { x: 4, y: 9 },
    { x: 0, y: 0, width: 10, height: 40 },
    { interlaced: true, y: 2 },
  ]
  const screens = [
    { width: 30, height: 20 },
    // Some programs leave it to the picture.
    { width: 0, height: 0 },
  ]
  for (const [frame, screen] of frames.flatMap((frame) =>
    screens.map((screen) => [frame, screen] as const),
  )) {
    const plan = planOf(frame, screen)
    const [{ x, y, width, height } = { x: 0, y: 0, width: 0, height: 0 }] = plan.frames
    const grown = {
      ...plan,
      width: Math.max(screen.width, x + width),
      height: Math.max(screen.height, y + height),
    }
    const file = makeGif(plan)
    t.same(await decodeRows(gif, file), expected(grown))
    const { info } = await sharp(file).raw().toBuffer({ resolveWithObject: true })
    t.match(info, { width: grown.width, height: grown.height })
  }
})

t.test('pixels beyond the last one of the picture are passed over', async (t) => {
  const file = makeGif(planOf())
  const at = file.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0, 37, 0, 23, 0]))
  file.writeUInt16LE(20, at + 7)
  t.same(await decodeRows(gif, file), [
    ...expected(planOf()).slice(0, 20),
    ...Array.from({ length: 3 }, () => Array.from({ length: 37 }, () => 255)),
  ])
})

t.test('damaged descriptors are broken, each with its reason', (t) => {
  const head = 13 + 12 + 8 // screen, palette, control
  const cases: [number, number, RegExp][] = [
    [10, 0, /no block at byte 13|no palette/],
    [head, 0x77, /no block at byte 33/],
    [head, 0x3b, /holds no picture/],
    [head + 5, 0, /holds a picture of 0x23 pixels/],
  ]
  for (const [at, value, message] of cases) {
    const file = Buffer.from(GOOD)
    file[at] = value
    t.throws(() => gif.header(file), { code: 'PICTURE_BROKEN', message })
  }
  t.end()
})

t.test('a GIF of very many pictures is walked over without holding them', async (t) => {
  const tiny = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0])
  const frames = Buffer.alloc(1_000_000 * tiny.length, tiny)
  const file = Buffer.concat([GOOD.subarray(0, -1), frames, Buffer.from([0x3b])])
  const before = process.memoryUsage().heapUsed
  t.same(await decodeRows(gif, file), await decodeRows(gif, GOOD))
  t.ok(process.memoryUsage().heapUsed - before < 50_000_000)
})

t.test('a picture without any palette is broken', (t) => {
  const { palette: _, ...bare } = planOf()
  t.throws(() => gif.header(makeGif({ ...bare })), {
    code: 'PICTURE_BROKEN',
    message: /no palette/,
  })
  t.end()
})

t.test('extensions of every kind are walked over', async (t) => {
  const file = Buffer.from(makeGif(planOf()))
  file[13 + 12 + 1] = 0x01 // plain text instead of control
  t.same(await decodeRows(gif, file), expected(planOf()))
})

t.test(
  'codes that stand for nothing, and code sizes that GIF does not have, are broken',
  async (t) => {
    const start = GOOD.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 37, 0, 23, 0])) + 10
    const cases: [number, number, RegExp][] = [
      [start, 0, /has 0 bits a color; wanted 1 to 8/],
      [start, 9, /has 9 bits a color/],
      [start + 2, 0xff, /unknown code after 0 of 851 pixels/],
    ]
    for (const [at, value, message] of cases) {
      const file = Buffer.from(GOOD)
      file[at] = value
      await t.rejects(decodeRows(gif, file), { code: 'PICTURE_BROKEN', message })
    }
  },
)

t.test(
  'picture data that end early are broken, and nothing is written to the console',
  async (t) => {
    const logged = t.capture(console, 'log')
    const half = makeGif(planOf({ height: 11 }))
    const at = half.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 37, 0, 11, 0]))
    half.writeUInt16LE(23, at + 7)
    await t.rejects(async () => await decodeRows(gif, half), {
      code: 'PICTURE_BROKEN',
      message: /holds 407 of 851 pixels/,
    })
    t.equal(logged().length, 0)
  },
)
