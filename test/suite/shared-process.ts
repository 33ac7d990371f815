// Runs test files one after the other, as its parent names them: modules are loaded, and compiled by V8, once for all of them. Each
// file is a test of the root with the file's name, and what it imports as 'tap' is that test.
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import root, { type Test } from 'tap'
import { liftBounds } from '../../src/system/process.ts'
import type { Order } from './shared-processes.ts'

const ROOT = join(import.meta.dirname, '../..')
let current: Test = root

/** The test of the file that runs now. Modules of test/ that several files import are loaded only once, too. */
export const ofFile = new Proxy(root, {
  get(_, key) {
    const value: unknown = Reflect.get(current, key, current)
    return typeof value === 'function' ? value.bind(current) : value
  },
})

const TAP = `data:text/javascript,${encodeURIComponent(`
  export * from '${import.meta.resolve('tap')}'
  export { ofFile as default } from '${import.meta.url}'`)}`
registerHooks({
  resolve: (name, context, next) =>
    name === 'tap' ? { url: TAP, format: 'module', shortCircuit: true } : next(name, context),
})
// For all of them what teardown-first.ts does for one: a test's folder is removed after its other teardowns.
root.beforeEach((each) => {
  each.teardown(() => undefined)
})

let last: Promise<unknown> = Promise.resolve()
process.on('message', (order: Order) => {
  last = last.then(() => (order === 'end' ? end() : run(order)))
})
// Nobody waits for the rest.
process.on('disconnect', () => process.exit())

async function run({ file, end: mark }: Exclude<Order, 'end'>): Promise<void> {
  await root.test(file, async (test) => {
    current = test
    await import(pathToFileURL(resolve(ROOT, file)).href)
  })
  // A result is read only when something follows it.
  root.pass(mark)
  process.stderr.write(mark)
  // Parts of the program hold V8 to a box's measure from then on; the next files need not run in it.
  liftBounds()
  // tap lets go of it: nothing would wait for the next file.
  process.channel?.ref()
}

function end(): void {
  root.end()
  // Whatever a file left open does not matter here: in a process of its own it does.
  process.exit()
}
