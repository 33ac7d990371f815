import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findOpener, openBrowser } from '../../src/system/address.ts'

// The opener does not keep the process alive; a print server does that itself.
const alive = setInterval(() => undefined, 1_000)
t.teardown(() => clearInterval(alive))

t.test('the browser is opened as the system does it, and only where somebody sits', (t) => {
  t.same(findOpener('linux', { DISPLAY: ':0' }), ['xdg-open'])
  t.same(findOpener('linux', { WAYLAND_DISPLAY: 'wayland-0' }), ['xdg-open'])
  t.equal(findOpener('linux', {}), undefined)
  t.same(findOpener('darwin', {}), ['open'])
  t.equal(findOpener('darwin', { SSH_CONNECTION: '10.0.0.1 22' }), undefined)
  t.same(findOpener('win32', {}), ['cmd', '/c', 'start', ''])
  t.end()
})

t.test('the opener gets the address', async (t) => {
  const file = join(t.testdir(), 'url')
  const script = 'require("node:fs").writeFileSync(process.argv[1], process.argv[2])'
  const opener = [process.execPath, '-e', script, file] as const
  t.equal(await openBrowser('http://localhost:8080/', opener), undefined)
  t.equal(readFileSync(file, 'utf8'), 'http://localhost:8080/')
})

t.test('what goes wrong is a sentence, not a failure', async (t) => {
  t.match(await openBrowser('http://a/', undefined), /no display/)
  t.match(await openBrowser('http://a/', ['/no/such/program']), /does not start/)
  t.match(
    await openBrowser('http://a/', [process.execPath, '-e', 'process.exit(3)']),
    /ended with 3/,
  )
})
