import t from 'tap'
import { parseContentType } from '../../src/core/request/multipart.ts'
import { readWait } from '../../src/http/answer.ts'
import { wantsPage } from '../../src/http/page.ts'

t.test('a page is for browsers that go to one and name HTML no later than JSON', (t) => {
  const wants = (accept: string | undefined, mode?: string) => wantsPage(accept, mode)
  t.ok(wants('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'))
  t.ok(wants('text/html,application/xhtml+xml', 'navigate'))
  t.ok(wants('application/json;q=0.5, text/html, application/xhtml+xml'))
  t.notOk(wants('text/html,application/xhtml+xml', 'cors'), 'a script of a page')
  // What Java's HttpURLConnection and Delphi's Indy send by themselves.
  t.notOk(wants('text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'))
  t.notOk(wants('text/html, */*'))
  t.notOk(wants('application/json, text/html, application/xhtml+xml'))
  t.notOk(wants('application/json, text/html;q=0.9, application/xhtml+xml'))
  t.notOk(wants('*/*'))
  t.notOk(wants('text/html;q=0, application/xhtml+xml'))
  t.notOk(wants(''))
  t.notOk(wants(undefined))
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
