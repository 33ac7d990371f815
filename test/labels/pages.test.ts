import t from 'tap'
import { listPages } from './in-words.ts'

t.test('pages are a number, a range or a list, in the order wished', (t) => {
  t.same(listPages(undefined, 3), [1, 2, 3])
  t.same(listPages('2', 3), [2])
  t.same(listPages('1-3', 3), [1, 2, 3])
  t.same(listPages('3, 1', 3), [3, 1])
  t.same(listPages('1-2,2', 3), [1, 2, 2])
  t.end()
})

t.test('a range may end beyond the last page', (t) => {
  t.same(listPages('2-4', 3), [2, 3])
  t.same(listPages('1-2147483647', 3), [1, 2, 3])
  t.end()
})

t.test('a page that is not there is refused with the pages that are', (t) => {
  for (const wish of ['0', '4', '4-5', '3-2', '1,9']) {
    t.throws(() => listPages(wish, 3), {
      code: 'FIELD_INVALID',
      message: `pages: got "${wish}", wanted pages from 1 to 3.`,
    })
  }
  t.throws(() => listPages('2', 1), { message: 'wanted page 1, for the PDF has no other.' })
  for (const wish of ['-', '1-', 'a', '1,,2', '1-2-3', '']) {
    t.throws(() => listPages(wish, 3), { code: 'FIELD_INVALID', message: 'as in 2, 1-3 or 1,3' })
  }
  t.end()
})

t.test('fifty pages at most', (t) => {
  t.equal(listPages(undefined, 50).length, 50)
  t.throws(() => listPages(undefined, 51), {
    code: 'PICTURE_TOO_LARGE',
    message: 'These are 51 pages, and at most 50 are printed at once.',
    hint: /first pages 1-50, then from page 51 on \(field "pages"\)/,
  })
  t.equal(listPages('2-51', 51).length, 50)
  t.end()
})
