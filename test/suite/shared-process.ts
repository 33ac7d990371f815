// Runs test files one after the other, as its parent names them: modules are loaded, and compiled by V8, once for all of them. Each
// file is a test of the root with the file's name, and what it imports as 'tap' is that test.
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import root, { type Test } from 'tap'
import { liftBounds } from '../../src/system/process.ts'
import type { Order } from './shared-processes.ts'

const PATIENCE_MS = 10_000

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

/** Resources that keep the process alive between files: its two outputs, which are opened by a first use, and its channel. */
let held = 3
for (const output of [process.stdout, process.stderr]) output.write('')
let last: Promise<unknown> = Promise.resolve()
process.on('message', (order: Order) => {
  last = last.then(() => (order === 'end' ? end() : run(order)))
})
// Nobody waits for the rest.
process.on('disconnect', () => process.exit())

async function run({ file, end: mark, limitMs }: Exclude<Order, 'end'>): Promise<void> {
  await root.test(file, { timeout: limitMs }, async (test) => {
    current = test
    await import(pathToFileURL(resolve(ROOT, file)).href)
  })
  // tap lets go of it: nothing would wait for the next file.
  process.channel?.ref()
  const left = await waitForLeftovers()
  if (left.length > held) {
    root.fail(`left open: ${left.join(', ')}`)
    held = left.length // the next file is not to blame
  }
  root.pass(mark)
  root.pass('a result is read only when another follows')
  process.stderr.write(mark)
  // Parts of the program hold V8 to a box's measure from then on; the next files need not run in it.
  liftBounds()
}

/** Returns the resources that still keep the process alive when a file has had time to close them: a server, a timer, a connection. */
async function waitForLeftovers(): Promise<readonly string[]> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const left = process.getActiveResourcesInfo()
    if (left.length <= held || Date.now() > end) return left
    await sleep(10)
  }
}

function end(): void {
  root.end()
  process.exit()
}
