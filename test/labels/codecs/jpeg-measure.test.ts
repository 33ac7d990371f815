import { Buffer } from 'node:buffer'
import t from 'tap'
import { decodeByJpegJs } from '../../../src/labels/codecs/fallback/jpeg-js.ts'
import { jpeg } from '../../../src/labels/codecs/index.ts'
import { makeFrame, makeTrap, ODD } from '../../pictures/jpeg-trap.ts'
import { type JpegPlan, makeJpeg, segment } from '../../pictures/make-jpeg.ts'
import { decodeRows } from '../rows.ts'

// The gate lets through what the header measured. Here files try to show the decoder something else.

const THREE: JpegPlan['sampling'] = [
  [1, 1],
  [1, 1],
  [1, 1],
]
const COLORS: JpegPlan = {
  width: 40,
  height: 24,
  sampling: THREE,
  level: (n, x, y) => (n * 60 + x * 31 + y * 17) % 256,
}
const insert = (file: Buffer, at: number, more: Uint8Array): Buffer =>
  Buffer.concat([file.subarray(0, at), more, file.subarray(at)])

t.test('colors of one name are taken in their order, and measured so', async (t) => {
  for (const more of [{}, { adobe: 0 }, { adobe: 0, progressive: true }]) {
    const plain = makeJpeg({ ...COLORS, ...more })
    const wanted = await decodeRows(jpeg, plain)
    for (const names of [
      [1, 2, 2],
      [1, 1, 2],
      [0, 0, 0],
    ]) {
      const alike = makeJpeg({ ...COLORS, ...more, names })
      t.same(await decodeRows(jpeg, alike), wanted, `${names}`)
      t.equal(jpeg.header(alike).memoryBytes, jpeg.header(plain).memoryBytes)
    }
  }
})

t.test('the dots of an inch are read from JFIF, those of a centimeter too', (t) => {
  const plain = makeJpeg(COLORS)
  const dpiOf = (unit: number, data = Buffer.from('JFIF\0')) => {
    const jfif = Buffer.concat([data, Buffer.from([1, 2, unit, 0, 80, 0, 80, 0, 0])])
    return jpeg.header(insert(plain, 2, segment(0xe0, [...jfif]))).dpi
  }
  t.equal(dpiOf(1), 80)
  t.equal(dpiOf(2), 203)
  t.equal(dpiOf(0), 0, 'only how the sides relate')
  t.equal(dpiOf(1, Buffer.from('JFXX\0')), 0)
  // A thumbnail follows in a segment of the same kind (JFIF 1.02, JFXX).
  const measured = makeJpeg({ ...COLORS, dpi: 300 })
  const thumbnail = segment(0xe0, [...Buffer.from('JFXX\0'), 0x13, 1, 1, 0, 0, 0])
  t.equal(jpeg.header(insert(measured, 2 + 18, thumbnail)).dpi, 300)
  t.end()
})

t.test('a scan names no color twice, and none that is not there', (t) => {
  const file = makeJpeg(COLORS)
  const scan = file.indexOf(Buffer.from([0xff, 0xda]))
  for (const name of [1, 9]) {
    const changed = Buffer.from(file)
    changed[scan + 7] = name
    t.throws(() => jpeg.header(changed), { message: /a color that its frame lacks/ })
  }
  t.end()
})

t.test('jpeg-js gets no picture whose colors have one name', (t) => {
  t.throws(() => jpeg.header(makeJpeg({ ...COLORS, ...ODD, names: [1, 2, 2] })), {
    code: 'PICTURE_UNSUPPORTED',
    message: /names two of its colors alike/,
  })
  t.end()
})

t.test('an Adobe segment after the first scan changes nothing', (t) => {
  const file = makeJpeg({ ...COLORS, progressive: true, names: [0x52, 0x47, 0x42] })
  const adobe = segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 1])
  const late = jpeg.header(insert(file, file.length - 2, adobe))
  t.same(late, jpeg.header(file))
  const early = jpeg.header(insert(file, 2, adobe))
  t.ok(early.memoryBytes < late.memoryBytes, 'before it, luma alone is kept')
  t.end()
})

t.test('no segments are hidden behind a marker without a length', (t) => {
  const file = makeJpeg(COLORS)
  const hidden = makeFrame(8000, 8000)
  const length = [(hidden.length + 2) >> 8, (hidden.length + 2) & 255]
  for (const marker of [0xd0, 0xd7, 0xd8]) {
    const cover = Buffer.concat([Buffer.from([0xff, marker, ...length]), hidden])
    t.throws(() => jpeg.header(insert(file, 2, cover)), {
      code: 'PICTURE_BROKEN',
      message: /no marker at byte 2/,
    })
  }
  const lines = segment(0xdc, [0, 24, ...hidden])
  t.throws(() => jpeg.header(insert(file, 2, lines)), { message: /bad number of lines/ })
  t.end()
})

t.test('frames that jpeg-js alone comes upon do not take more than was measured', (t) => {
  const trap = makeTrap(6)
  t.notOk(jpeg.header(trap).isStreamed, 'our header passes over the comment')
  t.throws(() => decodeByJpegJs(trap, () => undefined), {
    code: 'PICTURE_BROKEN',
    cause: { message: /maxMemoryUsageInMB limit exceeded/ },
  })
  t.end()
})

t.test('what jpeg-js counts of an honest picture is within that', (t) => {
  const samplings: JpegPlan['sampling'][] = [
    ODD.sampling,
    [
      [4, 1],
      [1, 4],
      [1, 1],
    ],
    [
      [4, 4],
      [1, 1],
      [1, 1],
    ],
    [
      [3, 2],
      [2, 3],
      [1, 1],
      [1, 2],
    ],
  ]
  for (const sampling of samplings) {
    const file = makeJpeg({ ...COLORS, ...ODD, sampling, width: 1600, height: 900 })
    let rows = 0
    decodeByJpegJs(file, () => rows++)
    t.equal(rows, 900, `${sampling}`)
  }
  t.end()
})
