import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { printer } from '../core/bench.ts'
import { formBody, readAnswer, startRig } from './rig.ts'

const caseOf = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../labels/codecs/pdf/cases', name))

t.test('a PDF that lost something is refused or held, with the sentence why', async (t) => {
  const printers = [printer('A', 'file:a', 'zpl')]
  const { call, jobs } = startRig(t, { bench: { printers, defaultName: 'A' } })
  const post = (name: string) => {
    const body = new Uint8Array(caseOf(`${name}.pdf`))
    return call('/', { method: 'POST', body, headers: { 'content-type': 'application/pdf' } })
  }
  for (const name of ['utf8-mangled', 'utf8-mangled-image', 'latin1-as-utf8', 'crlfmangled']) {
    const res = await post(name)
    t.equal(res.status, 422, name)
    t.match(await res.json(), {
      Status: 'Error',
      code: 'PICTURE_BROKEN',
      Message: 'This PDF was read as text on its way, which damaged it.',
      hint: 'Download the label again, and send the file as bytes, not as text.',
    })
  }
  for (const name of ['dct-cut', 'flate-cut', 'g4-cut']) {
    const label = caseOf(`${name}.pdf`).toString('base64')
    const res = await call('/', formBody(['label', label]))
    t.equal(res.status, 422, name)
    t.match(await res.json(), {
      Message: 'Page 1 of this PDF is damaged: a part of it cannot be drawn.',
    })
  }
  t.same(jobs(), [], 'nothing was taken')
  for (const [name, font] of [
    ['font-3of9', 'Free3of9'],
    ['font-c128', 'Code-128'],
  ] as const) {
    const answer = await readAnswer(await post(name))
    t.match(answer, { Status: 'Error', Message: new RegExp(`the bar code font ${font}`) })
    t.match(answer.jobs, [{ state: 'pending-held', hint: /fonts embedded/ }])
  }
  const answer = await readAnswer(await post('blank-between'))
  t.match(answer.jobs, [
    { state: 'completed', message: 'Pages 2 and 4 are blank and were left out.' },
    { state: 'completed', message: '' },
  ])
})
