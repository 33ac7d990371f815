import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CrashGuard, type HandNote, openMemory } from '../../../src/plugins/source/memory.ts'
import { openHandFile } from '../../../src/settings/write.ts'
import { PlatenError } from '../../../src/words/errors.ts'

/** Starts of one program, one after the other. */
function makeStarts(t: Test): { readonly start: (version?: string) => CrashGuard; hand: HandNote } {
  const hand = openHandFile(join(t.testdir(), 'in-hand'))
  const memory = openMemory()
  return { hand, start: (version = '1') => new CrashGuard({ hand, memory, version }) }
}

/** A message in which the program dies: nothing after it is done. */
async function crashIn(guard: CrashGuard, key: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  void guard.run(key, () => {
    resolve()
    return new Promise(() => undefined)
  })
  await promise
}

const read = () => Promise.resolve('read')

t.test('the second crash in a message is the last; others are read', async (t) => {
  const { start } = makeStarts(t)
  await crashIn(start(), 'bad')
  t.equal(await start().run('good', read), 'read')
  await crashIn(start(), 'bad')
  const guard = start()
  await t.rejects(guard.run('bad', read), { code: 'LABEL_CRASHED' })
  await t.rejects(start().run('bad', read), { code: 'LABEL_CRASHED' }, 'after another start too')
  t.equal(await guard.run('good', read), 'read')
})

t.test('a message that ends, well or not, clears the message', async (t) => {
  const { start, hand } = makeStarts(t)
  await crashIn(start(), 'a')
  t.equal(await start().run('a', read), 'read')
  await crashIn(start(), 'a')
  const fault = new PlatenError('LABEL_UNKNOWN', 'No label.')
  await t.rejects(
    start().run('a', () => Promise.reject(fault)),
    fault,
  )
  t.equal(hand.read(), '')
  await crashIn(start(), 'a')
  t.equal(await start().run('a', read), 'read')
})

t.test('one that waits for its turn at both crashes is not blamed', async (t) => {
  const { start } = makeStarts(t)
  for (let times = 0; times < 2; times += 1) {
    const guard = start()
    await crashIn(guard, 'bad')
    void guard.run('neighbor', read)
  }
  const guard = start()
  await t.rejects(guard.run('bad', read), { code: 'LABEL_CRASHED' })
  t.equal(await guard.run('neighbor', read), 'read')
})

t.test('an end in good order is not a crash, and another version tries again', async (t) => {
  const { start } = makeStarts(t)
  for (let times = 0; times < 3; times += 1) {
    const guard = start()
    await crashIn(guard, 'slow')
    guard.end()
  }
  t.equal(await start().run('slow', read), 'read')
  await crashIn(start(), 'bad')
  await crashIn(start(), 'bad')
  await t.rejects(start().run('bad', read), { code: 'LABEL_CRASHED' })
  t.equal(await start('2').run('bad', read), 'read')
})

t.test('of many, the oldest are tried again', async (t) => {
  const { start } = makeStarts(t)
  for (let number = 0; number <= 50; number += 1) {
    await crashIn(start(), `${number}`)
    await crashIn(start(), `${number}`)
  }
  const guard = start()
  await t.rejects(guard.run('1', read), { code: 'LABEL_CRASHED' })
  t.equal(await guard.run('0', read), 'read')
})

t.test('the note is one short file for its owner; junk in it blames nobody', async (t) => {
  const file = join(t.testdir(), 'in-hand')
  const hand = openHandFile(file)
  const guard = new CrashGuard({ hand, memory: openMemory(), version: '1' })
  await crashIn(guard, 'a')
  t.match(readFileSync(file, 'latin1'), /^[0-9a-f]{64}$/)
  t.equal(statSync(file).mode & 0o777, 0o600)
  guard.end()
  t.equal(readFileSync(file, 'latin1'), ' '.repeat(64))
  writeFileSync(file, 'x'.repeat(64))
  t.equal(await new CrashGuard({ hand, memory: openMemory(), version: '1' }).run('a', read), 'read')
  const memory = openMemory()
  memory.remember('in hand', '{"version":')
  t.equal(await new CrashGuard({ hand, memory, version: '1' }).run('a', read), 'read')
})

t.test('where nothing can be noted, nothing is looked at', async (t) => {
  const hand = openHandFile(join(t.testdir(), 'nowhere', 'in-hand'))
  const guard = new CrashGuard({ hand, memory: openMemory(), version: '1' })
  await t.rejects(guard.run('a', read), { code: 'STATE_UNWRITABLE' })
})
