import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Failure } from './count-tap.ts'
import { runFile } from './run-file.ts'

const TAP = `import t from '${import.meta.resolve('tap')}'\n`

t.test('a file is counted by what it wrote', async (t) => {
  const folder = t.testdir({
    'counts.test.mjs': `${TAP}
t.test('wrong', (t) => { t.equal(1, 2); t.end() })
t.test('left out', { skip: 'no printer' }, () => {})
t.test('outer', (t) => { t.test('inner', (t) => { t.pass(); t.end() }); t.end() })
console.error('a word on standard error')`,
  })
  const file = join(folder, 'counts.test.mjs')
  const run = await runFile(file, { limitMs: 10_000 })
  t.equal(run.passed, 1, 'inner')
  t.ok(run.failed > 0)
  t.match(run.failures[0], {
    where: `${file} > wrong > should be equal`,
    diag: { diff: /-2\n\+1/ },
  })
  t.same(run.skips, [`${file} > left out: no printer`])
  t.match(run.stderr, 'a word')
})

t.test('a file may have another program test for it', async (t) => {
  const told = `console.log('ok 1 - told\\n1..1')`
  const folder = t.testdir({
    // By its name, as the files of test/ take it.
    'spawns.test.mjs': `import t from 'tap'
await t.spawn(process.execPath, ['-e', ${JSON.stringify(told)}], 'another')`,
  })
  const run = await runFile(join(folder, 'spawns.test.mjs'))
  t.match(run, { passed: 1, failed: 0 }, run.stderr)
})

t.test('an error that nobody catches fails the test that it comes from', async (t) => {
  // Each goes off while the test behind it runs, where it lies outside of what that test awaits.
  const ways = {
    timer: 'setTimeout(() => { throw new Error(name) }, 50)',
    promise: 'setTimeout(() => Promise.reject(new Error(name)), 50)',
    function: '(async () => { await sleep(50); throw new Error(name) })()',
    microtask: 'sleep(50).then(() => queueMicrotask(() => { throw new Error(name) }))',
    socket: `const server = net.createServer().listen(0, () => net.connect(server.address().port))
      server.on('connection', (one) => { one.destroy(); server.close(); throw new Error(name) })`,
    string: 'setTimeout(() => { throw name }, 50)',
  }
  const tests = Object.entries(ways).map(
    ([name, way]) => `t.test('${name}', (t) => { const { name } = t; ${way} })
t.test('after ${name}', async (t) => { await sleep(20); t.pass() })`,
  )
  const folder = t.testdir({
    // By its name, as the files of test/ take it.
    'errors.test.mjs': `import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
t.jobs = 20
${tests.join('\n')}
t.test('outer', async (t) => {
  t.test('ended', (t) => { setTimeout(() => { throw new Error('late') }, 50); t.end() })
  t.test('beside it', async (t) => { await sleep(100); t.pass() })
})`,
    'outside.test.mjs': `import t from 'tap'
setTimeout(() => { throw new Error('of no test') }, 20)
t.test('innocent', (t) => setTimeout(() => t.end(), 100))`,
  })
  const run = await runFile(join(folder, 'errors.test.mjs'), { limitMs: 10_000 })
  const whereOf = ({ where }: Failure) => where.split(' > ').slice(1).join(' > ')
  t.same(
    run.failures.filter(({ diag }) => JSON.stringify(diag).includes('tapCaught')).map(whereOf),
    [...Object.keys(ways).map((name) => `${name} > ${name}`), 'outer > late'],
    'what ends too late fails what holds its test',
  )
  t.equal(run.passed, Object.keys(ways).length + 2, 'all others pass')
  const outside = await runFile(join(folder, 'outside.test.mjs'))
  t.same(outside.failures.map(whereOf), ['of no test'])
})

t.test('a file that ends early, or not at all, has failed', async (t) => {
  const folder = t.testdir({
    'early.test.mjs': `${TAP}t.test('a', () => process.exit(0))`,
    'code.test.mjs': 'process.exit(3)',
    'killed.test.mjs': `console.log('# Subtest: a\\n    ok 1 - begun')\nprocess.kill(process.pid, 'SIGKILL')`,
    'never.test.mjs': `${TAP}t.test('a', () => new Promise(() => setInterval(() => {}, 1000)))`,
    'deaf.test.mjs': 'process.on("SIGALRM", () => {}); setInterval(() => {}, 1000)',
  })
  t.ok((await runFile(join(folder, 'early.test.mjs'))).failed > 0)
  t.match((await runFile(join(folder, 'code.test.mjs'))).failures, [
    { diag: { why: 'ended with 3' } },
  ])
  t.match((await runFile(join(folder, 'killed.test.mjs'))).failures, [
    { diag: { why: 'ended with SIGKILL' } },
  ])
  const never = await runFile(join(folder, 'never.test.mjs'), { limitMs: 1000, graceMs: 500 })
  t.ok(never.failed > 0)
  const deaf = await runFile(join(folder, 'deaf.test.mjs'), { limitMs: 1000, graceMs: 100 })
  t.match(deaf.failures, [{ diag: { why: /killed after/ } }])
})

t.test('nothing that a file started outlives it', async (t) => {
  const folder = t.testdir({
    'leaves.test.mjs': `${TAP}import { spawn } from 'node:child_process'
const child = spawn('sleep', ['600'], { stdio: 'ignore' })
child.unref()
t.comment('pid=' + child.pid)
t.pass()`,
  })
  const { comments } = await runFile(join(folder, 'leaves.test.mjs'))
  const pid = /pid=(\d+)/.exec(comments.join('\n'))?.[1] ?? t.fail('it says its child')
  const state = () =>
    execFileSync('sh', ['-c', `ps -o stat= -p ${pid} || true`], { encoding: 'utf8' }).trim()
  while (/^[^Z]/.test(state())) await sleep(20)
  t.pass('it is gone')
})

t.test('a file that fails and then passes is told of as unsteady', (t) => {
  for (const [options, wanted] of [
    [{}, { failed: 1, unsteady: 0 }],
    [{ isRepeated: true }, { failed: 0, unsteady: 1 }],
  ] as const) {
    const folder = t.testdir({
      'once.test.mjs': `import { existsSync, writeFileSync } from 'node:fs'
const mark = new URL('mark', import.meta.url)
if (!existsSync(mark)) process.exitCode = 1
writeFileSync(mark, '')
console.log('ok 1 - told\\n1..1')`,
    })
    // In a process of its own: what it prints looks like results.
    const script = `import { runFiles } from '${import.meta.resolve('./run-files.ts')}'
const { runs, unsteady } = await runFiles(['${join(folder, 'once.test.mjs')}'], ${JSON.stringify(options)})
console.log(JSON.stringify({ failed: runs[0].failed, unsteady: unsteady.length }))`
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, NODE_OPTIONS: '', XDG_CACHE_HOME: folder },
      encoding: 'utf8',
    })
    t.same(JSON.parse(printed.trim().split('\n').at(-1) ?? ''), wanted)
  }
  t.end()
})
