import { Buffer } from 'node:buffer'
import t from 'tap'
import {
  orientPlane,
  orientSize,
  type Plane,
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
