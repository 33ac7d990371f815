import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { imageSteps, readState } from './when-changed.ts'

const LONG_AGO = 0 // these tests must not build an image
const GIT = [
  '-c',
  'user.name=Anna',
  '-c',
  'user.email=anna@localhost',
  '-c',
  'init.defaultBranch=a',
]

/** A repository with the folders that decide. */
function makeTree(t: Test) {
  const root = t.testdir({ cache: {} })
  const change = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const commit = () => {
    execFileSync('git', [...GIT, 'add', '-A'], { cwd: root })
    execFileSync('git', [...GIT, 'commit', '-q', '-m', 'A state'], { cwd: root })
  }
  execFileSync('git', [...GIT, 'init', '-q'], { cwd: root })
  for (const part of ['image', 'systemd', 'udev', 'packaging', 'test/image'])
    change(`${part}/file`, part)
  commit()
  const cache = join(root, '.git', 'cache') // outside of what git looks at
  mkdirSync(cache)
  const look = () => imageSteps(LONG_AGO, { root, cache })
  const notePass = () => writeFileSync(join(cache, 'image-passed'), `0\n${readState(root)}\n`)
  return { root, change, commit, look, notePass }
}

t.test('the image is tested until it passed, and again when a folder of it changed', async (t) => {
  const { change, commit, look, notePass } = makeTree(t)
  const isToDo = async () => {
    const steps = await look()
    if (steps.kind !== 'skip') return t.fail('it began')
    return !steps.why.includes('as they were when it last passed')
  }
  t.ok(await isToDo(), 'nobody saw it pass')
  notePass()
  t.notOk(await isToDo())
  change('src/main.ts', 'other')
  commit()
  t.notOk(await isToDo(), 'the server has its own tests')
  change('udev/file', 'other')
  t.ok(await isToDo(), 'a change that is not committed')
  commit()
  t.ok(await isToDo(), 'a change that is')
  change('udev/file', 'udev')
  commit()
  t.notOk(await isToDo(), 'the earlier state is known')
})

t.test('a machine that cannot build it is told and not failed', async (t) => {
  const steps = await makeTree(t).look()
  t.match(steps, {
    kind: 'skip',
    why: /too slow: the other tests took \d+ minutes|built by root|x86-64/,
  })
})

t.test('a tree that git does not know has no state', (t) => {
  t.equal(readState('/'), '')
  t.end()
})
