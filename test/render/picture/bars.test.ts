import t from 'tap'
import { createBarMeter } from '../../../src/render/picture/measure.ts'

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
    measure(4000, 8, (x) => (x % 100 < 60 ? 0 : 255)),
    32,
  )
  t.equal(
    measure(401, 8, (x) => (x % 10 === 0 ? 0 : 255)),
    1,
  )
  t.end()
})
