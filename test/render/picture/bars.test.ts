import { Buffer } from 'node:buffer'
import sharp from 'sharp'
import t from 'tap'
import { createBarMeter } from '../../../src/render/picture/bar-meter.ts'

function measure(width: number, height: number, luma: (x: number, y: number) => number) {
  const meter = createBarMeter({ width, height })
  for (let y = 0; y < height; y++) {
    meter.take(
      Uint8Array.from({ length: width }, (_, x) => luma(x, y)),
      y,
    )
  }
  return meter.finest()
}

// Bars and gaps of 1 to 4 modules, as in Code 128.
const MODULES = Array.from('21222211312141123212').flatMap((digit, n) =>
  new Array<number>(Number(digit)).fill(n % 2 ? 255 : 0),
)

function bars(at: number, module: number): number {
  return MODULES[Math.floor(at / module) % MODULES.length] ?? 255
}

t.test('measures the finest bars, upright and lying', (t) => {
  for (const module of [1, 2, 3, 5]) {
    t.equal(
      measure(300 * module, 40, (x) => bars(x, module)),
      module,
    )
    t.equal(
      measure(40, 300 * module, (_, y) => bars(y, module)),
      module,
    )
  }
  t.end()
})

t.test('finds none on blank paper, in a frame and in a photo', (t) => {
  t.equal(
    measure(400, 100, () => 255),
    undefined,
  )
  t.equal(
    measure(400, 100, (x, y) => (x < 5 || y < 5 || x > 390 ? 0 : 255)),
    undefined,
  )
  t.equal(
    measure(400, 100, (x, y) => 60 + ((x * 37 + y * 11) % 139)),
    undefined,
  )
  t.end()
})

t.test('counts long bars as long, and one that reaches the edge', (t) => {
  t.equal(
    measure(4000, 40, (x) => (x % 70 < 40 ? 0 : 255)),
    32,
  )
  t.equal(
    measure(401, 40, (x) => (x % 10 < 5 ? 0 : 255)),
    5,
  )
  t.end()
})

t.test('small print counts for nothing, whatever symbol stands beside it', async (t) => {
  const line = 'Shipper agrees to the terms found at the service centers, '.repeat(2)
  const text = Array.from({ length: 20 }, (_, n) => `<text y="${12 + n * 12}">${line}</text>`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="250" font-size="11" font-family="sans-serif">${text.join('')}</svg>`
  const { data } = await sharp(Buffer.from(svg))
    .flatten({ background: '#fff' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const print = (x: number, y: number): number => data[y * 800 + x] ?? 255
  t.equal(
    measure(800, 250, (x, y) => print(x, y)),
    undefined,
  )
  t.equal(
    measure(800, 450, (x, y) => (y < 250 ? print(x, y) : x > 60 && x < 700 ? bars(x, 3) : 255)),
    3,
  )
})
