import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')

interface Entry {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
}

/** Biome for other computers: the registry that this lock file was made with did not hold them. */
const WITHOUT_HASH = [
  'android-arm64',
  'android-x64',
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-musl',
  'linux-x64-musl',
  'win32-arm64',
  'win32-x64',
].map((name) => `node_modules/@biomejs/cli-${name}`)

t.test('every package of the lock file has its hash and comes from no address of its own', (t) => {
  const lock: { packages: Record<string, Entry> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  const { '': own, ...packages } = lock.packages
  t.ok(own)
  const unhashed = Object.entries(packages).filter(
    ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
  )
  t.same(
    unhashed.map(([name]) => name),
    WITHOUT_HASH,
  )
  const addressed = Object.values(packages).filter(({ resolved }) => resolved !== undefined)
  t.same(addressed, [])
  t.end()
})

t.test('a Node.js that is not the one that was tested is removed before it runs', (t) => {
  const folder = t.testdir({ node: 'something else' })
  const file = join(folder, 'node')
  const check = () => spawnSync(join(ROOT, 'packaging/check-node.sh'), [file], { encoding: 'utf8' })
  const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
  const { status, stderr } = check()
  t.equal(status, isKnown ? 1 : 0)
  t.match(stderr, isKnown ? /not the one that was tested .*It was removed/ : /was not checked/)
  t.equal(existsSync(file), !isKnown)
  const own = join(ROOT, 'node_modules/node/bin/node')
  if (existsSync(own)) {
    copyFileSync(own, file)
    t.equal(check().status, 0)
  }
  t.end()
})

t.test('a package that npm left out is named', (t) => {
  const { platform, arch } = process
  const packages = {
    '': {},
    'node_modules/here': { integrity: 'x' },
    'node_modules/gone': { optional: true, os: [platform], cpu: [arch] },
    'node_modules/other': { optional: true, os: ['plan9'] },
    'node_modules/part-of-other': { optional: true },
    'node_modules/not-here': { optional: true, os: [`!${platform}`] },
  }
  const folder = t.testdir({ 'package-lock.json': JSON.stringify({ packages }) })
  mkdirSync(join(folder, 'node_modules/here'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/here/package.json'), '{}')
  const look = () =>
    spawnSync(process.execPath, [join(ROOT, 'packaging/check-deps.ts'), folder], {
      encoding: 'utf8',
    })
  const { status, stderr } = look()
  t.equal(status, 1)
  t.match(stderr, /left out .*: node_modules\/gone\n$/)
  mkdirSync(join(folder, 'node_modules/gone'))
  writeFileSync(join(folder, 'node_modules/gone/package.json'), '{}')
  t.equal(look().status, 0)
  t.end()
})
