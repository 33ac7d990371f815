import t from 'tap'
import { styleAt203 } from '../../../../src/labels/documents/drawing/canvas.ts'
import { drawRulers, MarkColumn } from '../../../../src/labels/documents/drawing/column.ts'

t.test('a column takes all of the lines or none, down to its very edge', (t) => {
  const style = styleAt203(20, 203)
  const column = new MarkColumn({ left: 8, right: 108, top: 10, bottom: 10 + 3 * style.height })
  t.equal(column.addLines(['one', 'two'], style), true)
  t.equal(column.addLines(['three', 'four'], style), false, 'half an address is none')
  t.equal(column.addLines(['three'], style), true, 'the last dot row may be used')
  t.equal(column.addLines(['four'], style), false)
  t.same(
    column.marks.map((mark) => mark.kind === 'text' && [mark.text, mark.x, mark.y]),
    ['one', 'two', 'three'].map((text, nr) => [text, 8, 10 + nr * style.height]),
  )
  t.end()
})

for (const dpi of [203, 300, 600]) {
  const paper = { width: 4 * dpi, height: 6 * dpi }
  const { marks, inside } = drawRulers(paper, dpi)

  t.test(`rulers number each whole inch on the way, ${dpi} dpi`, (t) => {
    const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark] : []))
    const along = texts.filter(({ y }) => y < dpi / 8)
    const down = texts.filter(({ y }) => y >= dpi / 8)
    t.same(
      [along, down].map((all) => all.map(({ text }) => text).join('')),
      ['123', '12345'],
    )
    t.ok(along.every(({ text, x }) => Math.abs(x / dpi - Number(text)) < 0.1))
    t.ok(down.every(({ text, y }) => Math.abs(y / dpi - Number(text)) < 0.1))
    t.end()
  })

  t.test(`a tick each eighth of an inch on all sides, none beyond the label, ${dpi} dpi`, (t) => {
    const ticks = marks.flatMap((mark) => (mark.kind === 'box' ? [mark] : []))
    t.equal(ticks.length, 2 * (31 + 47))
    const lengths = [dpi / 8, dpi / 24, dpi / 24, dpi / 24, dpi / 12].map(Math.round)
    for (const { x, y, width, height } of ticks) {
      t.ok(x >= 0 && y >= 0 && x + width <= paper.width && y + height <= paper.height)
      const place = Math.round((8 * (width > height ? y : x)) / dpi)
      const fromInch = Math.min(place % 8, 8 - (place % 8))
      t.equal(Math.max(width, height), lengths[fromInch], `tick ${place}`)
    }
    t.end()
  })

  t.test(`what stands inside touches no tick, ${dpi} dpi`, (t) => {
    const inset = inside.left
    t.ok(inset > dpi / 8)
    t.same(inside, {
      left: inset,
      top: inset,
      right: paper.width - inset,
      bottom: paper.height - inset,
    })
    t.end()
  })
}
