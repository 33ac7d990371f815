import fc from 'fast-check'
import t from 'tap'
import {
  needsInk,
  type PlacementTarget,
  placePicture,
} from '../../../src/labels/picture/placement.ts'
import { type Box, type Size, turnSize, unturnBox } from '../../../src/labels/plane.ts'

const LABEL = { width: 812, height: 1218 }
const PLACE: PlacementTarget = {
  dpi: 203,
  pictureDpi: undefined,
  rotate: 'auto',
  startingPointX: 0,
  startingPointY: 0,
}

function size(width: number, height: number): Size {
  return { width, height }
}

function box(x: number, y: number, width: number, height: number): Box {
  return { x, y, width, height }
}

interface Case {
  readonly title: string
  readonly picture: Size
  readonly canvas?: Size
  readonly place?: Partial<PlacementTarget>
  readonly ink?: Box
  /** Turn, dots drawn before the turn, top left. */
  readonly wanted: readonly [number, Size, number, number]
  readonly window?: Box
}

const CASES: readonly Case[] = [
  { title: 'the label itself', picture: LABEL, wanted: [0, LABEL, 0, 0] },
  {
    title: '800x1200 is not stretched',
    picture: size(800, 1200),
    wanted: [0, size(800, 1200), 6, 9],
  },
  {
    title: 'a tenth smaller is not stretched',
    picture: size(732, 1000),
    ink: box(20, 20, 690, 960),
    wanted: [0, size(732, 1000), 40, 109],
  },
  {
    title: 'as wide as the label stays as it is',
    picture: size(812, 406),
    wanted: [0, size(812, 406), 0, 406],
  },
  {
    title: '101.6 x 152.4 mm rounded up is not scaled',
    picture: size(813, 1220),
    wanted: [0, size(813, 1220), 0, 0],
  },
  {
    title: 'unscaled, a small picture stays small',
    picture: size(400, 600),
    place: { scaling: 'none' },
    wanted: [0, size(400, 600), 206, 309],
  },
  {
    title: 'unscaled, a large picture is cut evenly on all sides',
    picture: size(1012, 1318),
    place: { scaling: 'none' },
    wanted: [0, size(1012, 1318), -100, -50],
  },
  {
    title: 'unscaled, at the resolution that the picture states',
    picture: size(300, 600),
    place: { scaling: 'none', pictureDpi: 300 },
    wanted: [0, size(203, 406), 304, 406],
  },
  {
    title: 'half the size is doubled',
    picture: size(400, 600),
    wanted: [0, size(800, 1200), 6, 9],
  },
  {
    title: 'a smaller one is enlarged to fit',
    picture: size(600, 900),
    wanted: [0, size(812, 1218), 0, 0],
  },
  {
    title: '300 dpi takes the even factor of two thirds',
    picture: size(1200, 1800),
    wanted: [0, size(800, 1200), 6, 9],
  },
  { title: '600 dpi takes a third', picture: size(2400, 3600), wanted: [0, size(800, 1200), 6, 9] },
  {
    title: '203 dpi on a 300 dpi head is enlarged',
    picture: size(800, 1200),
    canvas: size(1200, 1800),
    place: { dpi: 300 },
    wanted: [0, size(1200, 1800), 0, 0],
  },
  {
    title: 'a lying label is turned clockwise',
    picture: size(1218, 812),
    wanted: [90, size(1218, 812), 0, 0],
  },
  {
    title: 'a standing label is turned on lying stock',
    picture: size(812, 1218),
    canvas: size(1218, 812),
    wanted: [90, LABEL, 0, 0],
  },
  {
    title: 'a turn that was asked for is made',
    picture: LABEL,
    place: { rotate: 180 },
    wanted: [180, LABEL, 0, 0],
  },
  {
    title: 'no turn when none is wanted',
    picture: size(1218, 812),
    place: { rotate: 0 },
    ink: box(0, 0, 1218, 812),
    wanted: [0, size(812, 541), 0, 338],
  },
  {
    title: '270 is asked for',
    picture: size(1218, 812),
    place: { rotate: 270 },
    wanted: [270, size(1218, 812), 0, 0],
  },
  {
    title: 'a square is not turned',
    picture: size(500, 500),
    ink: box(0, 0, 500, 500),
    wanted: [0, size(796, 796), 8, 211],
  },
  {
    title: 'a 2x1 inch label gets all of a 4x6 picture',
    picture: LABEL,
    canvas: size(406, 203),
    ink: box(0, 0, 812, 1218),
    wanted: [90, size(187, 281), 62, 8],
  },
  // The request says the resolution.
  {
    title: '300 dpi as the request says it',
    picture: size(1200, 1800),
    place: { pictureDpi: 300 },
    wanted: [0, LABEL, 0, 0],
  },
  {
    title: 'a small picture keeps its stated size',
    picture: size(400, 600),
    place: { pictureDpi: 203 },
    wanted: [0, size(400, 600), 206, 309],
  },
  {
    title: 'a stated size that fits is not turned',
    picture: size(600, 400),
    place: { pictureDpi: 203 },
    wanted: [0, size(600, 400), 106, 409],
  },
  {
    title: 'a stated size that does not fit is scaled to fit',
    picture: size(1200, 1800),
    place: { pictureDpi: 203 },
    wanted: [0, size(800, 1200), 6, 9],
  },
  {
    title: 'a stated size on a 300 dpi head',
    picture: size(812, 1218),
    canvas: size(1200, 1800),
    place: { dpi: 300, pictureDpi: 203 },
    wanted: [0, size(1200, 1800), 0, 0],
  },
  // The starting point.
  {
    title: 'a starting point moves and switches centering off on its axis',
    picture: size(800, 1200),
    place: { startingPointX: 10 },
    wanted: [0, size(800, 1200), 10, 9],
  },
  {
    title: 'both axes, one negative',
    picture: size(800, 1200),
    place: { startingPointX: -4, startingPointY: 3 },
    wanted: [0, size(800, 1200), -4, 3],
  },
  {
    title: 'a starting point is in dots of the stated resolution',
    picture: size(1200, 1800),
    place: { pictureDpi: 300, startingPointX: 30, startingPointY: 15 },
    wanted: [0, LABEL, 20, 10],
  },
  // Trimming.
  {
    title: 'the UPS GIF: turned, its blank tail cut, dot for dot',
    picture: size(1400, 800),
    ink: box(10, 10, 1180, 780),
    window: box(0, 0, 1218, 800),
    wanted: [90, size(1218, 800), 6, 0],
  },
  {
    title: 'a 4x8 label with a blank tail',
    picture: size(812, 1624),
    ink: box(8, 5, 790, 1200),
    window: box(0, 0, 812, 1218),
    wanted: [0, LABEL, 0, 0],
  },
  {
    title: 'the UPS GIF at 300 dpi fills the label, without its tail',
    picture: size(1400, 800),
    canvas: size(1200, 1800),
    ink: box(5, 5, 1190, 790),
    window: box(0, 0, 1200, 800),
    wanted: [90, size(1800, 1200), 0, 0],
  },
  {
    title: 'a 4x8 label with a blank tail at 300 dpi',
    picture: size(813, 1626),
    canvas: size(1200, 1800),
    ink: box(10, 10, 790, 1195),
    window: box(0, 0, 813, 1215),
    wanted: [0, size(1200, 1793), 0, 3],
  },
  {
    title: 'margins on both sides are no tail',
    picture: size(600, 300),
    ink: box(100, 50, 400, 200),
    window: box(0, 0, 600, 300),
    wanted: [90, size(1200, 600), 106, 9],
  },
  {
    title: 'a 4x8 label full to its end is scaled',
    picture: size(812, 1624),
    ink: box(0, 0, 812, 1624),
    window: box(0, 0, 812, 1624),
    wanted: [0, size(609, 1218), 101, 0],
  },
  {
    title: 'a letter page with a label in its corner',
    picture: size(1726, 2233),
    ink: box(50, 60, 780, 1180),
    window: box(34, 41, 812, 1218),
    wanted: [0, LABEL, 0, 0],
  },
  {
    title: 'a letter page with a lying label in its upper half',
    picture: size(1726, 2233),
    ink: box(100, 80, 1180, 780),
    window: box(81, 64, 1218, 812),
    wanted: [90, size(1218, 812), 0, 0],
  },
  {
    title: 'a letter page at 300 dpi, its label scaled',
    picture: size(2550, 3300),
    ink: box(100, 100, 1200, 1800),
    window: box(100, 100, 1200, 1800),
    wanted: [0, size(800, 1200), 6, 9],
  },
  {
    title: 'a letter page that is written all over',
    picture: size(2550, 3300),
    ink: box(150, 150, 2250, 3000),
    window: box(150, 150, 2250, 3000),
    wanted: [0, size(796, 1061), 8, 78],
  },
  {
    title: 'as wide as the head of 832 dots, with margins',
    picture: size(832, 1248),
    ink: box(20, 20, 790, 1200),
    window: box(9, 11, 812, 1218),
    wanted: [0, LABEL, 0, 0],
  },
  {
    title: 'as wide as the head, without margins',
    picture: size(832, 1248),
    ink: box(0, 0, 832, 1248),
    window: box(0, 0, 832, 1248),
    wanted: [0, size(796, 1194), 8, 12],
  },
]

for (const { title, picture, canvas = LABEL, place = {}, ink, wanted, window } of CASES) {
  t.test(title, (t) => {
    const whole = { ...PLACE, ...place }
    t.equal(needsInk(picture, canvas, whole), ink !== undefined, 'asks for the ink')
    const placement = placePicture(picture, canvas, whole, ink)
    t.same([placement.turn, placement.size, placement.x, placement.y], wanted)
    t.same(placement.window, window ?? { x: 0, y: 0, ...picture })
    t.end()
  })
}

t.test('a page without ink is drawn whole', (t) => {
  t.same(placePicture(size(2550, 3300), LABEL, PLACE).window, box(0, 0, 2550, 3300))
  t.end()
})

t.test('no picture vanishes', (t) => {
  t.same(placePicture(size(10_000, 1), LABEL, { ...PLACE, rotate: 0 }).size, size(812, 1))
  t.end()
})

t.test('a poster that is not scaled is drawn in its place, less what is beyond', (t) => {
  const side = fc.integer({ min: 1_500, max: 6_000 })
  const start = fc.constantFrom(0, -700, -90, 3, 2_000)
  const turns = fc.constantFrom(0 as const, 90 as const, 180 as const, 270 as const)
  const property = fc.property(
    side,
    side,
    fc.integer({ min: 10, max: 40 }),
    turns,
    start,
    start,
    (width, height, pictureDpi, rotate, startingPointX, startingPointY) => {
      const scale = PLACE.dpi / pictureDpi
      const place = { ...PLACE, scaling: 'none', pictureDpi, rotate } as const
      const points = { startingPointX, startingPointY }
      const placed = placePicture(size(width, height), LABEL, { ...place, ...points })
      if (placed.size.width * placed.size.height > 2_000_000) return false
      const poster = size(Math.round(width * scale), Math.round(height * scale))
      const turned = turnSize(poster, rotate)
      const begin = (at: number, room: number, dots: number): number =>
        at === 0 ? Math.floor((room - dots) / 2) : Math.round(at * scale)
      const left = begin(startingPointX, LABEL.width, turned.width)
      const top = begin(startingPointY, LABEL.height, turned.height)
      /** The pixel that is drawn at a dot of the label. */
      const pixelAt = (x: number, y: number, whole: Size): readonly [number, number] => {
        const dot = unturnBox({ x, y, width: 1, height: 1 }, whole, rotate)
        return [(dot.x + 0.5) / scale, (dot.y + 0.5) / scale]
      }
      return [0, 300, 811].every((x) =>
        [0, 700, 1217].every((y) => {
          const [u, v] = [x - left, y - top]
          if (u < 0 || v < 0 || u >= turned.width || v >= turned.height) return true
          const part = turnSize(placed.size, rotate)
          const [a, b] = pixelAt(x - placed.x, y - placed.y, part)
          const [c, d] = pixelAt(u, v, turned)
          return Math.hypot(a + placed.window.x - c, b + placed.window.y - d) < 1
        }),
      )
    },
  )
  fc.assert(property)
  t.end()
})
