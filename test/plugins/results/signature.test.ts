import { readFileSync } from 'node:fs'
import t from 'tap'
import { sign } from '../../../src/plugins/results/result-sender.ts'

t.test('the example of the docs is right', (t) => {
  const docs = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const example = /-hmac s3cret\nSHA2-256\(stdin\)= ([0-9a-f]{64})\n/.exec(docs)?.[1]
  t.equal(sign('s3cret', 1_764_000_000, '{"events":[]}'), `sha256=${example}`)
  t.end()
})

t.test('letters beyond ASCII are signed as the bytes that are sent', (t) => {
  t.not(sign('k', 1, 'é'), sign('k', 1, 'e'))
  t.equal(sign('k', 1, 'é').length, 'sha256='.length + 64)
  t.end()
})
