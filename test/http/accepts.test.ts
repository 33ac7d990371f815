import t from 'tap'
import { readWait } from '../../src/http/answer.ts'
import { wantsPage } from '../../src/http/page.ts'
import { parseContentType } from '../../src/request/multipart.ts'

t.test('a page is for those who name HTML no later than JSON', (t) => {
  t.ok(wantsPage('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'))
  t.ok(wantsPage('Text/HTML;level=1;q=0.5'))
  t.ok(wantsPage('text/html, application/json'))
  t.ok(wantsPage('application/json;q=0.5, text/html'))
  t.notOk(wantsPage('application/json, text/html'))
  t.notOk(wantsPage('application/json, text/html;q=0.9'))
  t.notOk(wantsPage('*/*'))
  t.notOk(wantsPage('text/html;q=0'))
  t.notOk(wantsPage(''))
  t.notOk(wantsPage(undefined))
  t.end()
})

t.test('a wish to wait is read as RFC 7240 writes it', (t) => {
  t.same(readWait(undefined, 60), { seconds: 2, applied: undefined })
  t.same(readWait('wait=10', 60), { seconds: 10, applied: 'wait=10' })
  t.same(readWait('respond-async, Wait = "5"; x=y', 60), { seconds: 5, applied: 'wait=5' })
  t.same(readWait('wait=600', 60), { seconds: 60, applied: 'wait=60' })
  t.same(readWait('respond-async', 60), { seconds: 0, applied: 'respond-async' })
  t.same(readWait('wait=soon, return=minimal', 60), { seconds: 2, applied: undefined })
  t.end()
})

t.test('a content type is read with its parameters', (t) => {
  const parsed = parseContentType('Multipart/Form-Data ; Boundary="a;b\\"c" ;charset= utf-8')
  t.equal(parsed.type, 'multipart/form-data')
  t.same(
    [...parsed.parameters],
    [
      ['boundary', 'a;b"c'],
      ['charset', 'utf-8'],
    ],
  )
  t.equal(parseContentType('').type, '')
  t.end()
})
