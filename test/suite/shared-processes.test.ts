import { join } from 'node:path'
import t from 'tap'
import { shareProcesses } from './shared-processes.ts'

const FILES = {
  'helper.mjs': `import t from 'tap'
export const whose = () => t.name
t.beforeEach((each) => { each.context.from = t.name })`,
  'first.test.mjs': `import t from 'tap'
import { whose } from './helper.mjs'
t.teardown(() => console.error('cleaned'))
t.test('a', (t) => { t.match(whose(), /first/); t.comment('pid=' + process.pid); t.end() })
t.test('left out', { skip: 'no printer' }, () => {})`,
  'wrong.test.mjs': `import t from 'tap'
import { whose } from './helper.mjs'
t.test('a', (t) => { t.match(whose(), /first/); t.end() })
console.error('a word on standard error')`,
  'last.test.mjs': `import t from 'tap'
t.test('a', (t) => { t.comment('pid=' + process.pid); t.end() })
t.test('b', (t) => { t.pass(); t.end() })`,
  'syntax.test.mjs': `import t from 'tap'\nconst`,
  'ends.test.mjs': `import t from 'tap'
t.test('a', () => process.exit(3))`,
  'leaves.test.mjs': `import net from 'node:net'
import t from 'tap'
t.comment('pid=' + process.pid)
t.test('a', (t) => { net.createServer().listen(0, () => t.end()) })`,
  'killed.test.mjs': `process.kill(process.pid, 'SIGKILL')`,
}

t.test('files run one after the other in a process, each as tap would run it alone', async (t) => {
  const folder = t.testdir(FILES)
  const { run, close } = shareProcesses()
  const first = await run(join(folder, 'first.test.mjs'))
  t.match(first, { passed: 1, failed: 0, skips: [`${first.file} > left out: no printer`] })
  t.equal(first.stderr, 'cleaned\n', 'its teardown runs at its end')
  const wrong = await run(join(folder, 'wrong.test.mjs'))
  t.ok(wrong.failed > 0, 'what another file imported has the tap of this one')
  t.match(wrong.failures[0]?.where, /wrong\.test\.mjs > a > /)
  t.match(wrong.stderr, 'a word')
  const last = await run(join(folder, 'last.test.mjs'))
  t.match(last, { passed: 2, failed: 0, failures: [], stderr: '' })
  t.equal(pidOf(last.comments), pidOf(first.comments))
  await close()
})

t.test('a file that leaves a server open has failed, and the next one has not', async (t) => {
  const folder = t.testdir(FILES)
  const { run, close } = shareProcesses()
  const leaves = await run(join(folder, 'leaves.test.mjs'))
  t.match(leaves.failures, [{ diag: { why: /^left open: .*TCPServerWrap/ } }])
  const last = await run(join(folder, 'last.test.mjs'))
  t.match(last, { passed: 2, failed: 0 })
  t.equal(pidOf(last.comments), pidOf(leaves.comments))
  await close()
})

t.test('a file that cannot be run, or ends its process, fails alone', async (t) => {
  const folder = t.testdir(FILES)
  const { run, close } = shareProcesses()
  t.ok((await run(join(folder, 'syntax.test.mjs'))).failed > 0)
  const ends = await run(join(folder, 'ends.test.mjs'))
  t.match(ends.failures.at(-1)?.diag, { why: /ended with \d/ })
  const killed = await run(join(folder, 'killed.test.mjs'))
  t.match(killed.failures.at(-1)?.diag, { why: 'ended with SIGKILL' })
  t.match(await run(join(folder, 'last.test.mjs')), { passed: 2, failed: 0 })
  await close()
})

function pidOf(comments: readonly string[]): string | undefined {
  return /pid=(\d+)/.exec(comments.join('\n'))?.[1]
}
