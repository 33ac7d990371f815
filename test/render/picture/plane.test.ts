import { Buffer } from 'node:buffer'
import t from 'tap'
import {
  orientBox,
  orientPlane,
  orientSize,
  type Plane,
  storeBox,
  turnPlane,
  turnSize,
} from '../../../src/render/picture/plane.ts'

// abc
// def
const F: Plane = { width: 3, height: 2, luma: Uint8Array.from(Buffer.from('abcdef')) }

function show({ width, height, luma }: Plane): string[] {
  return Array.from({ length: height }, (_, y) =>
    Buffer.from(luma.subarray(y * width, (y + 1) * width)).toString(),
  )
}

t.test('each EXIF orientation is set upright', (t) => {
  const wanted = [
    ['abc', 'def'],
    ['cba', 'fed'],
    ['fed', 'cba'],
    ['def', 'abc'],
    ['ad', 'be', 'cf'],
    ['da', 'eb', 'fc'],
    ['fc', 'eb', 'da'],
    ['cf', 'be', 'ad'],
  ]
  for (const [n, rows] of wanted.entries()) {
    t.same(show(orientPlane(F, n + 1)), rows, `orientation ${n + 1}`)
    t.match(orientSize(F, n + 1), { width: rows[0]?.length, height: rows.length })
  }
  t.equal(orientPlane(F, 1), F, 'nothing to do, nothing copied')
  t.end()
})

t.test('turns are clockwise', (t) => {
  t.same(show(turnPlane(F, 0)), ['abc', 'def'])
  t.same(show(turnPlane(F, 90)), ['da', 'eb', 'fc'])
  t.same(show(turnPlane(F, 180)), ['fed', 'cba'])
  t.same(show(turnPlane(F, 270)), ['cf', 'be', 'ad'])
  t.same(turnSize(F, 90), { width: 2, height: 3 })
  t.same(turnSize(F, 180), { width: 3, height: 2 })
  t.end()
})

t.test('a part is found upright where its pixels come to lie, and back', (t) => {
  const stored = { width: 7, height: 5 }
  const part = { x: 1, y: 2, width: 3, height: 2 }
  const luma = new Uint8Array(35)
  for (let y = 2; y < 4; y++) luma.fill(1, y * 7 + 1, y * 7 + 4)
  for (let orientation = 1; orientation <= 8; orientation++) {
    const upright = orientPlane({ ...stored, luma }, orientation)
    const box = orientBox(part, stored, orientation)
    const inside = upright.luma.filter((_, n) => {
      const [x, y] = [n % upright.width, Math.floor(n / upright.width)]
      return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height
    })
    t.same([...inside], [1, 1, 1, 1, 1, 1], `orientation ${orientation}`)
    t.same(storeBox(box, upright, orientation), part)
  }
  t.end()
})
