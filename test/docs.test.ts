import { readFileSync } from 'node:fs'
import t from 'tap'
import { describeApi, describeErrors, MEANINGS } from '../docs.ts'
import { describeSchema } from '../src/config/describe.ts'
import { describeConfig } from '../src/config/docs.ts'
import { FAILURES } from '../src/errors.ts'
import { describeBounds } from '../src/http/bounds.ts'

function read(name: string): string {
  return readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
}

t.test('docs/config.md says what the code does; else run make docs', (t) => {
  t.equal(read('config.md'), describeConfig())
  for (const { key } of describeSchema()) t.match(read('config.md'), `| \`${key}\` |`)
  t.end()
})

t.test('docs/errors.md says what the code does; else run make docs', (t) => {
  t.equal(read('errors.md'), describeErrors())
  t.end()
})

t.test('docs/api.md tells the bounds that the code keeps; else run make docs', (t) => {
  t.equal(read('api.md'), describeApi(read('api.md')))
  for (const { name, value } of describeBounds())
    t.match(read('api.md'), `| \`${name}\` | ${value} |`)
  t.end()
})

t.test('every failure has a meaning, a status and a hint in whole sentences', (t) => {
  t.same(Object.keys(MEANINGS).sort(), Object.keys(FAILURES).sort())
  for (const [code, { status, hint }] of Object.entries(FAILURES)) {
    t.match(hint, /^[A-Zr].*\.$/, code)
    t.ok(status >= 400 && status < 600, code)
  }
  t.end()
})
