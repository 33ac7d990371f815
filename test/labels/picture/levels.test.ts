import t from 'tap'
import { stretchLevels } from '../../../src/labels/picture/threshold.ts'

function planeOf(luma: readonly number[]) {
  return { width: luma.length, height: 1, luma: Uint8Array.from(luma) }
}

t.test('ink and paper of a faded picture become black and white', (t) => {
  t.same([...stretchLevels(planeOf([90, 185, 185, 137, 90])).luma], [0, 255, 255, 126, 0])
  t.end()
})

t.test('a few outliers do not count', (t) => {
  const paper = new Array<number>(500).fill(180)
  const ink = new Array<number>(500).fill(80)
  const { luma } = stretchLevels(planeOf([...paper, ...ink, 255, 0]))
  t.same([luma[0], luma[500], luma[1000], luma[1001]], [255, 0, 255, 0])
  t.end()
})

t.test('white paper, and shades without ink, stay as they are', (t) => {
  for (const luma of [[0, 200], [90, 255, 255], [100, 163], [150], [0], [255]]) {
    const plane = planeOf(luma)
    t.equal(stretchLevels(plane), plane)
  }
  t.end()
})
