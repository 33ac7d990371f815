import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import jpegJs from 'jpeg-js'
import t from 'tap'
import type { PictureFormat } from '../../src/labels/codecs/index.ts'
import { LabelFault } from '../../src/labels/fault.ts'
import { renderPicture } from '../../src/labels/render.ts'
import type { RenderReply } from '../../src/labels/worker.ts'
import { makeGif } from '../pictures/make-gif.ts'
import { makeJpeg } from '../pictures/make-jpeg.ts'
import { makePng } from '../pictures/make-png.ts'
import { makeTarget } from './make-target.ts'

const TARGET = makeTarget({ language: 'epl', labelWidth: 1, labelHeight: 1 })
const CODES = ['PICTURE_BROKEN', 'PICTURE_UNSUPPORTED', 'PICTURE_TOO_LARGE', 'PICTURE_MEMORY']
const REPLY_MS = 120_000 // on a busy machine

function noise(x: number, y: number): number {
  return Math.imul(x * 31 + y * 17 + 1, 2654435761) >>> 0
}

const PALETTE = Array.from({ length: 16 }, (_, n) => [n * 16, 255 - n * 16, 128] as const)
const WHOLE = {
  x: 0,
  y: 0,
  width: 60,
  height: 50,
  index: (x: number, y: number) => noise(x, y) % 16,
}
const GIFS = [
  makeGif({ width: 60, height: 50, palette: PALETTE, frames: [WHOLE] }),
  makeGif({
    width: 60,
    height: 50,
    palette: PALETTE,
    frames: [{ ...WHOLE, interlaced: true }, WHOLE],
  }),
]
const PNGS = [
  makePng({
    width: 40,
    height: 30,
    color: 6,
    depth: 8,
    samples: (x, y) => [x, y, noise(x, y) % 256, 200],
  }),
  makePng({
    width: 40,
    height: 30,
    color: 0,
    depth: 1,
    interlaced: true,
    samples: (x, y) => [noise(x, y) % 2],
  }),
  makePng({
    width: 40,
    height: 30,
    color: 3,
    depth: 4,
    palette: PALETTE,
    transparent: [0, 128],
    samples: (x, y) => [noise(x, y) % 16],
  }),
]
const PIXELS = Buffer.from(
  Array.from({ length: 48 * 40 * 4 }, (_, n) => noise(n % 192, n / 192) % 256),
)
const JPEGS = [
  Buffer.from(jpegJs.encode({ width: 48, height: 40, data: PIXELS }, 60).data),
  makeJpeg({
    width: 40,
    height: 40,
    sampling: [[1, 1]],
    level: (_, x, y) => noise(x, y) % 256,
    progressive: true,
  }),
]

/** Changes one to eight bytes; cuts one in six. */
function mutantOf(files: readonly Buffer[]) {
  const change = fc.tuple(fc.nat(), fc.nat(255))
  return fc
    .record({
      file: fc.constantFrom(...files),
      changes: fc.array(change, { minLength: 1, maxLength: 8 }),
      cut: fc.nat(5),
      at: fc.nat(),
    })
    .map(({ file, changes, cut, at }) => {
      const mutant = Buffer.from(file)
      for (const [where, value] of changes) mutant[where % mutant.length] = value
      return cut === 0 ? mutant.subarray(0, at % mutant.length) : mutant
    })
}

async function endsWell(format: PictureFormat, mutant: Buffer): Promise<void> {
  try {
    await renderPicture(mutant, format, TARGET)
  } catch (error) {
    if (error instanceof LabelFault && CODES.includes(error.code)) return
    throw error
  }
}

t.test('a damaged PNG prints or is refused by the table', async () => {
  await fc.assert(
    fc.asyncProperty(mutantOf(PNGS), (mutant) => endsWell('png', mutant)),
    { numRuns: 400 },
  )
})

t.test('a damaged JPEG prints or is refused by the table', async () => {
  await fc.assert(
    fc.asyncProperty(mutantOf(JPEGS), (mutant) => endsWell('jpeg', mutant)),
    { numRuns: 400 },
  )
})

t.test('a damaged GIF prints or is refused by the table, and never holds the thread', async (t) => {
  const worker = new Worker(new URL('../../src/labels/worker.ts', import.meta.url))
  t.teardown(() => worker.terminate())
  let id = 0
  await fc.assert(
    fc.asyncProperty(mutantOf(GIFS), async (label) => {
      worker.postMessage({ id: ++id, format: 'gif', label, target: TARGET })
      const signal = AbortSignal.timeout(REPLY_MS)
      const [reply] = (await once(worker, 'message', { signal })) as [RenderReply]
      if ('crash' in reply) throw new Error(reply.crash)
      if ('fault' in reply && !CODES.includes(reply.fault.code))
        throw new Error(reply.fault.message)
    }),
    { numRuns: 400 },
  )
})

t.test('a file that was cut anywhere is never half a label', async (t) => {
  const files = [
    ...PNGS.map((file) => ['png', file] as const),
    ...JPEGS.map((file) => ['jpeg', file] as const),
    ...GIFS.map((file) => ['gif', file] as const),
  ]
  for (const [format, file] of files) {
    const whole = await renderPicture(file, format, TARGET)
    let refused = 0
    for (let length = 0; length < file.length; length += 7) {
      try {
        const drawn = await renderPicture(file.subarray(0, length), format, TARGET)
        t.same(drawn.bytes, whole.bytes, `${format}: the picture ends before byte ${length}`)
      } catch (error) {
        t.ok(error instanceof LabelFault, `${format}: ${String(error)}`)
        refused += 1
      }
    }
    t.ok(refused > (file.length / 7) * 0.5, `${format}: ${refused} refused`)
  }
})
