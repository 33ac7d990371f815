import { spawnSync } from 'node:child_process'
import type { Sharp } from 'sharp'
import t from 'tap'
import { jpeg } from '../../../src/labels/codecs/index.ts'
import { isLong } from '../../suite/long.ts'
import { judgeLabel, judgePhoto, label, photo } from './jpeg-judge.ts'

// libjpeg's own encoder writes what sharp cannot: every sampling, restart markers, scans of its own making.
const hasEncoder = spawnSync('cjpeg', ['-version']).error === undefined
const skip = hasEncoder ? false : 'cjpeg is not installed (Debian: libjpeg-turbo-progs)'

/** Samplings of luma against the two of color. */
const SAMPLINGS: Readonly<Record<string, string>> = {
  '4:4:4': '1x1',
  '4:2:2': '2x1',
  '4:2:0': '2x2',
  '4:4:0': '1x2',
  '4:1:1': '4x1',
  '4:1:0': '4x2',
  '1x4': '1x4',
  '2x4': '2x4',
  '4:2:0 with colors unlike each other': '2x2,2x1,1x2',
  '4:4:4 in blocks of two': '2x1,2x1,2x1',
}

/** Luma coarser than color, as nobody means to. */
const COARSE: Readonly<Record<string, string>> = {
  'half as wide and high as both colors': '1x1,2x2,2x2',
  'half as wide and high as one color': '1x1,2x2,1x1',
  'half as wide': '1x1,2x1,2x1',
  'half as wide, in rows of two': '1x2,2x2,1x1',
  'half as high': '1x1,1x2,1x2',
  'half as high, in blocks of two': '2x1,2x2,1x1',
  'a third as wide': '1x1,3x1,1x1',
  'a quarter as wide': '1x1,4x1,4x1',
  'a quarter as high': '1x1,1x4,1x1',
  'a quarter as wide, half as high': '1x1,4x2,1x1',
}

const WAYS: Readonly<Record<string, readonly string[]>> = {
  baseline: ['-baseline'],
  'with restart markers every row': ['-baseline', '-restart', '1'],
  'with restart markers every third block': ['-optimize', '-restart', '3B'],
  progressive: ['-progressive'],
  'progressive with restart markers': ['-progressive', '-restart', '5B'],
}

/** The ways for a sampling: all of them, or baseline and, in turn, another one. */
function waysOf(sampling: string): readonly (readonly [string, readonly string[]])[] {
  const [baseline, ...others] = Object.entries(WAYS)
  const at = [...Object.keys(SAMPLINGS), ...Object.keys(COARSE)].indexOf(sampling)
  const other = others[at % others.length]
  if (isLong || baseline === undefined || other === undefined) return Object.entries(WAYS)
  return [baseline, other]
}

async function encode(picture: Sharp, options: readonly string[]): Promise<Buffer> {
  const { data, info } = await picture
    .toColorspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const head = Buffer.from(`P6\n${info.width} ${info.height}\n255\n`)
  const { stdout, stderr, status } = spawnSync('cjpeg', ['-quality', '88', ...options], {
    input: Buffer.concat([head, data]),
    maxBuffer: 2 ** 24,
  })
  if (status !== 0) throw new Error(`cjpeg ${options.join(' ')}: ${stderr}`)
  return stdout
}

for (const [name, sampling] of Object.entries(SAMPLINGS)) {
  t.test(`JPEG ${name} is as libvips has it`, { skip }, async (t) => {
    for (const [way, options] of waysOf(name)) {
      const all = [...options, '-sample', sampling]
      const picture = await encode(label(), all)
      t.equal(jpeg.header(picture).isStreamed, true)
      await judgeLabel(t, picture, way)
      await judgePhoto(t, await encode(photo(), all), way)
    }
  })
}

for (const [name, sampling] of Object.entries(COARSE)) {
  t.test(`JPEG with luma ${name} is as libvips has it`, { skip }, async (t) => {
    for (const [way, options] of waysOf(name)) {
      const all = [...options, '-sample', sampling]
      const picture = await encode(label(), all)
      t.match(jpeg.header(picture), { isStreamed: true, divisors: [1] })
      await judgeLabel(t, picture, way)
      await judgePhoto(t, await encode(photo(), all), way)
    }
    // Where repeating and smoothing part, and at the edges.
    for (const [width, height] of [
      [1, 1],
      [2, 9],
      [4, 3],
      [5, 16],
      [17, 33],
    ] as const) {
      const small = label().extract({ left: 20, top: 20, width, height })
      await judgeLabel(t, await encode(small, ['-sample', sampling]), `${width}x${height}`)
    }
  })
}

t.test(
  'luma without colors is as libvips has it, with restart markers too',
  { skip },
  async (t) => {
    for (const [way, options] of Object.entries(WAYS)) {
      await judgeLabel(t, await encode(label(), [...options, '-grayscale']), way)
      await judgePhoto(t, await encode(photo(), [...options, '-grayscale']), way)
    }
  },
)

t.test('colors that are stored as they are come out as their luma', { skip }, async (t) => {
  await judgeLabel(t, await encode(label(), ['-rgb']))
  await judgePhoto(t, await encode(photo(), ['-rgb']))
})

t.test('arithmetic coding is refused with a sentence', { skip }, async (t) => {
  const picture = await encode(label(), ['-arithmetic'])
  t.throws(() => jpeg.header(picture), {
    code: 'PICTURE_UNSUPPORTED',
    message: /arithmetic coding; wanted baseline or progressive/,
  })
})
