import t from 'tap'
import type { Mark } from '../../../../src/labels/documents/drawing/canvas.ts'
import { type PackListRow, paginate } from '../../../../src/labels/documents/pack-list/page.ts'

const area = { top: 10, bottom: 110 }

function line(text: string, height: number, isSpace = false): PackListRow {
  const mark: Mark = { kind: 'text', x: 0, y: 1, text, style: { height: 16 }, align: 'left' }
  return { height, marks: [mark], isSpace }
}

/** Texts and heights of each page. */
function show(pages: readonly (readonly Mark[])[]): readonly (readonly string[])[] {
  return pages.map((marks) =>
    marks.map((mark) => `${mark.kind === 'text' ? mark.text : ''}@${mark.y}`),
  )
}

t.test('rows follow each other, and a group that no longer fits begins a new page', (t) => {
  const pages = paginate(
    [{ rows: [line('a', 30), line('b', 30)] }, { rows: [line('c', 30), line('d', 30)] }],
    area,
  )
  t.same(show(pages), [
    ['a@11', 'b@41'],
    ['c@11', 'd@41'],
  ])
  t.end()
})

t.test('a group larger than a page is cut between rows, but not behind its first one', (t) => {
  const rows = [1, 2, 3, 4, 5].map((index) => line(String(index), 30))
  t.same(show(paginate([{ rows: [line('a', 30)] }, { rows }], area)), [
    ['a@11', '1@41', '2@71'],
    ['3@11', '4@41', '5@71'],
  ])
  t.same(show(paginate([{ rows: [line('a', 60)] }, { rows }], area)), [
    ['a@11'],
    ['1@11', '2@41', '3@71'],
    ['4@11', '5@41'],
  ])
  t.end()
})

t.test('a heading stands once above its groups, and again on each page', (t) => {
  const heading = line('head', 20)
  const group = (text: string) => ({ heading, rows: [line(text, 35)] })
  t.same(show(paginate([group('a'), group('b'), group('c'), { rows: [line('end', 30)] }], area)), [
    ['head@11', 'a@31', 'b@66'],
    ['head@11', 'c@31', 'end@66'],
  ])
  t.end()
})

t.test('spaces are left out at the top of a page', (t) => {
  const pages = paginate(
    [
      { rows: [line('space', 5, true), line('a', 90)] },
      { rows: [line('space', 5, true), line('b', 9)] },
    ],
    area,
  )
  t.same(show(pages), [['a@11'], ['b@11']])
  t.end()
})

t.test('a row higher than the paper stands alone, and nothing goes round in circles', (t) => {
  t.same(show(paginate([{ rows: [line('a', 5), line('b', 500), line('c', 5)] }], area)), [
    ['a@11'],
    ['b@11'],
    ['c@11'],
  ])
  t.same(paginate([], area), [[]])
  t.end()
})
