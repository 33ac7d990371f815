import { Buffer } from 'node:buffer'
import sharp from 'sharp'
import t from 'tap'
import { createBarMeter } from '../../../src/labels/picture/bar-meter.ts'

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

/** So many bars with gaps between them, and white around. */
function row(count: number, wide: number, gap: number, start = 10): (x: number) => number {
  const end = start + count * (wide + gap) - gap
  return (x) => (x >= start && x < end && (x - start) % (wide + gap) < wide ? 0 : 255)
}

t.test('what counts as bars: how many, how near, how dark', (t) => {
  const cases: readonly (readonly [
    count: number,
    wide: number,
    gap: number,
    number | undefined,
  ])[] = [
    [13, 2, 2, 2],
    [12, 2, 2, undefined], // a Code 128 of one digit pair has 13
    [13, 32, 32, 32],
    [13, 32, 33, undefined], // too far apart to be one symbol
    [100, 16, 25, 16], // 39.3 % dark
    [100, 15, 24, undefined], // 38.7 %
    [100, 24, 16, 24], // 60.2 %
    [100, 25, 16, undefined], // 61.2 %
    [20, 1, 1, 1],
  ]
  for (const [count, wide, gap, wanted] of cases) {
    const lumaAt = row(count, wide, gap)
    t.equal(measure(4_200, 20, lumaAt), wanted, `${count} of ${wide}, ${gap} apart`)
    t.equal(
      measure(20, 4_200, (_, y) => lumaAt(y)),
      wanted,
      `${count} lying ones of ${wide}, ${gap} apart`,
    )
  }
  t.end()
})

t.test('dark is below 128, and what is a third gray is a photo', (t) => {
  const tones = (dark: number, light: number) => (x: number) =>
    x >= 10 && x < 260 ? ((x - 10) % 10 < 5 ? dark : light) : 255
  for (const [dark, light, wanted] of [
    [0, 255, 5],
    [55, 200, 5],
    [56, 255, undefined],
    [0, 199, undefined],
    [127, 128, undefined],
  ] as const) {
    t.equal(measure(300, 20, tones(dark, light)), wanted, `${dark} and ${light}`)
  }
  // Bars of 6 with gaps of 6, so many pixels of which are of another tone.
  const edged = (pixels: number, tone: number) => (x: number) =>
    row(13, 6, 6)(x) === 0 && (x - 10) % 12 >= 6 - pixels ? tone : row(13, 6, 6)(x)
  t.equal(measure(300, 20, edged(1, 127)), 6, 'still dark')
  t.equal(measure(300, 20, edged(1, 128)), 5, 'no longer dark')
  t.equal(measure(300, 20, edged(3, 127)), 6, '26 % gray')
  t.equal(measure(300, 20, edged(4, 127)), undefined, '35 % gray')
  t.end()
})

t.test('the finest bars are as wide as the tenth part of all at most', (t) => {
  for (const [fine, wanted] of [
    [1, 3],
    [2, 1],
    [3, 1],
  ] as const) {
    // 20 bars of 3, so many of which are of 1.
    const lumaAt = (x: number) => {
      const bar = Math.floor((x - 10) / 6)
      return x < 10 || bar >= 20 || (x - 10) % 6 >= (bar < fine ? 1 : 3) ? 255 : 0
    }
    t.equal(measure(200, 20, lumaAt), wanted, `${fine} of 20`)
  }
  t.end()
})

t.test('a line of bars counts between two that begin and end about where it does', (t) => {
  const ofRows = (height: number) => (x: number, y: number) => (y < height ? row(20, 3, 3)(x) : 255)
  t.equal(measure(200, 40, ofRows(8)), undefined, 'every fourth row is looked at: two')
  t.equal(measure(200, 40, ofRows(9)), 3, 'three')
  const shifted = (by: number) => (x: number, y: number) =>
    row(20, 3, 3, 10 + (Math.floor(y / 4) % 2) * by)(x)
  t.equal(measure(300, 40, shifted(24)), 3)
  t.equal(measure(300, 40, shifted(25)), undefined)
  // Where only the ends differ.
  const longer = (by: number) => (x: number, y: number) =>
    row(20 + (Math.floor(y / 4) % 2) * by, 3, 3)(x)
  t.equal(measure(300, 40, longer(4)), 3)
  t.equal(measure(300, 40, longer(5)), undefined)
  t.end()
})

t.test('rows that repeat may be told once', (t) => {
  const bars = Uint8Array.from({ length: 200 }, (_, x) => row(20, 3, 3)(x))
  const white = new Uint8Array(200).fill(255)
  const told = (...rows: readonly (readonly [Uint8Array, number])[]) => {
    const height = rows.reduce((sum, [, count]) => sum + count, 0)
    const [whole, each] = [0, 1].map(() => createBarMeter({ width: 200, height }))
    let y = 0
    for (const [luma, count] of rows) {
      whole?.take(luma, y, count)
      for (let n = 0; n < count; n++) each?.take(luma, y + n)
      y += count
    }
    t.equal(whole?.finest(), each?.finest(), rows.map(([, count]) => count).join(' '))
    return whole?.finest()
  }
  t.equal(told([bars, 12], [white, 20]), 3)
  t.equal(told([bars, 8], [white, 20]), undefined)
  t.equal(told([white, 1], [bars, 8], [white, 20]), undefined)
  t.equal(told([white, 1], [bars, 12], [white, 20]), 3)
  t.equal(told([white, 3], [bars, 9], [white, 20]), undefined)
  t.equal(told([white, 4], [bars, 1], [white, 3], [bars, 9]), 3)
  t.equal(told([white, 4], [bars, 1], [white, 3], [bars, 1], [white, 9]), undefined)
  t.end()
})
