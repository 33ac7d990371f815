import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import t from 'tap'

const SCRIPT = fileURLToPath(new URL('../packaging/launcher/platen.js', import.meta.url))

/** A Node of the machine that is older than ours, or ''. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => existsSync(file)) ?? ''

async function run(program: string, args: readonly string[]) {
  const env = { PATH: process.env['PATH'] } // without what the test runner sets for Node
  const child: ChildProcess = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ])
  return { out, err, code: code as unknown }
}

t.test('wants the Node that package.json names, and can be run', (t) => {
  const manifest = JSON.parse(readFileSync(join(SCRIPT, '../../../package.json'), 'utf8'))
  const [major, minor] =
    /WANTED = \[(\d+), (\d+)\]/.exec(readFileSync(SCRIPT, 'utf8'))?.slice(1) ?? []
  t.equal(manifest.engines.node, `>=${major}.${minor}`)
  t.ok(statSync(SCRIPT).mode & 0o100)
  t.end()
})

t.test('an older Node is told in one sentence', async (t) => {
  const folder = t.testdir()
  const script = join(folder, 'platen.js')
  copyFileSync(SCRIPT, script)
  // As an older Node would see itself: a preload sets what the script looks at.
  const preload = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.14.9' } })`
  const { err, code } = await run(process.execPath, ['--import', preload, script])
  t.match(err, /^platen needs Node\.js 24\.15 or newer, and this is 24\.14\.9\. [^\n]+\n$/)
  t.equal(code, 1)
})

t.test(
  'the old Node of this machine reads the script',
  {
    skip: oldNode === '' && 'this machine has no Node of its own',
  },
  async (t) => {
    for (const script of [
      SCRIPT,
      join(t.testdir({ 'platen.js': readFileSync(SCRIPT) }), 'platen.js'),
    ]) {
      const { err, code } = await run(oldNode, [script])
      t.match(err, /^platen needs Node\.js 24\.15 or newer, and this is \d+\.\d+\.\d+\. [^\n]+\n$/)
      t.equal(code, 1)
    }
  },
)

t.test('starts from source, as a bundle and as a package', async (t) => {
  const script = readFileSync(SCRIPT)
  const said = (word: string) => `process.stdout.write(${JSON.stringify(word)})`
  const type = '{"type":"module"}'
  const folder = t.testdir({
    source: {
      packaging: { launcher: { 'platen.js': script } },
      src: { 'main.ts': `const word: string = 'source'; process.stdout.write(word)` },
      dist: { 'main.js': said('stale bundle') },
    },
    bundle: { 'package.json': type, 'platen.js': script, 'main.js': said('bundle') },
    package: {
      packaging: { launcher: { 'platen.js': script } },
      dist: { 'package.json': type, 'main.js': said('package') },
    },
  })
  const launcher = 'packaging/launcher/platen.js'
  for (const [word, entry] of [
    ['source', launcher],
    ['bundle', 'platen.js'],
    ['package', launcher],
  ] as const) {
    const { out, code } = await run(process.execPath, [join(folder, word, entry)])
    t.equal(out, word)
    t.equal(code, 0)
  }
})

t.test('what was compiled of a bundle is used for this very file, if V8 takes it', async (t) => {
  const main = "process.stdout.write('bundle')"
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${main}\n})`
  const stranger = wrapped.replace('bundle', 'cached') // of the same length, so V8 itself sees no difference
  const compiled = new Script(stranger).createCachedData()
  const of = Buffer.alloc(8)
  of.writeUInt32LE(main.length)
  of.writeUInt32LE(crc32(main), 4)
  const folder = t.testdir({
    'package.json': '{"type":"commonjs"}',
    'platen.js': readFileSync(SCRIPT),
    'main.js': main,
  })
  const start = async (cache: Uint8Array): Promise<string> => {
    writeFileSync(join(folder, 'main.cache'), cache)
    return (await run(process.execPath, [join(folder, 'platen.js')])).out
  }
  t.equal(await start(Buffer.concat([of, compiled])), 'cached')
  t.equal(await start(Buffer.concat([of, compiled.subarray(0, -100)])), 'bundle', 'cut off')
  t.equal(await start(Buffer.concat([of, Buffer.alloc(500)])), 'bundle', 'of another version')
  t.equal(await start(Buffer.concat([Buffer.alloc(8), compiled])), 'bundle', 'of another file')
  t.equal(await start(Buffer.alloc(0)), 'bundle', 'empty')
})

t.test('packages that are not installed are named with what to do', async (t) => {
  const folder = t.testdir({
    'package.json': '{"type":"module"}',
    packaging: { launcher: { 'platen.js': readFileSync(SCRIPT) } },
    src: { 'main.ts': "import 'no-such-package'" },
  })
  const { err, code } = await run(process.execPath, [join(folder, 'packaging/launcher/platen.js')])
  t.equal(
    err,
    "Cannot find package 'no-such-package': the packages are not installed. Run: make deps\n",
  )
  t.equal(code, 1)
})

t.test('a fault of the program is not hidden', async (t) => {
  const folder = t.testdir({
    'package.json': '{"type":"module"}',
    packaging: { launcher: { 'platen.js': readFileSync(SCRIPT) } },
    src: { 'main.ts': "throw new Error('our fault')" },
  })
  const { err, code } = await run(process.execPath, [join(folder, 'packaging/launcher/platen.js')])
  t.match(err, /our fault/)
  t.equal(code, 1)
})
