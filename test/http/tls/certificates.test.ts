import { execFile } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { cp, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { restoreAuthority, runCertificateChild } from '../../../src/http/tls/certificate-files.ts'
import { ensureCertificates } from '../../../src/http/tls/certificates.ts'
import { greet } from './https-rig.ts'

const ENTRY = new URL('../../../src/http/tls/certificate.ts', import.meta.url)
const NAMES = ['bench-3', 'bench-3.local', '10.0.0.7', '2001:db8::7', 'fe80::7']
const NOW = Date.UTC(2026, 10, 21)
const DAY_MS = 86_400_000
const run = promisify(execFile)
const hasOpenssl = await run('openssl', ['version']).then(
  () => true,
  () => false,
)

function ensure(
  folder: string,
  more: { names?: readonly string[]; now?: number; entry?: URL } = {},
) {
  const { names = NAMES, now = NOW, entry = ENTRY } = more
  return ensureCertificates(
    { folder, names, certificateEntry: entry, now: () => now },
    AbortSignal.timeout(60_000),
  )
}

/** An authority for all tests that do not make their own. */
const made = join(t.testdir(), 'tls')
const first = await ensure(made)

/** A copy of that state that a test may change. */
async function stateOf(t: Test): Promise<string> {
  const folder = join(t.testdir(), 'tls')
  await cp(made, folder, { recursive: true })
  return folder
}

t.test(
  'the first start makes an authority and a certificate that only their owner can read',
  async (t) => {
    t.equal(first.made, 'authority')
    t.match(first.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    t.equal((await stat(made)).mode & 0o777, 0o700)
    for (const name of ['authority.pem', 'server.pem']) {
      t.equal((await stat(join(made, name))).mode & 0o777, 0o600)
    }
  },
)

t.test(
  'the certificate holds localhost, printserver.local, the names and the lasting addresses',
  (t) => {
    t.strictSame(first.names, [
      '10.0.0.7',
      '127.0.0.1',
      '::1',
      'bench-3',
      'bench-3.local',
      'localhost',
      'printserver.local',
    ])
    t.strictSame(first.leftOut, [])
    t.equal(Math.round((first.ends - NOW) / DAY_MS), 396)
    t.end()
  },
)

t.test('a client that trusts the authority gets through under each name', async (t) => {
  for (const name of first.names) t.equal(await greet(first, name), 'hello')
})

t.test('a client without the authority does not', async (t) => {
  await t.rejects(greet({ ...first, authority: '' }, 'localhost'), {
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  })
})

t.test('a second start changes nothing', async (t) => {
  const again = await ensure(made)
  t.strictSame(again, { ...first, made: 'nothing' })
})

t.test('a new address makes a new certificate under the same authority', async (t) => {
  const folder = await stateOf(t)
  const later = await ensure(folder, { names: [...NAMES, '192.168.1.20'] })
  t.equal(later.made, 'server')
  t.equal(later.authority, first.authority)
  t.equal(await greet(later, '192.168.1.20'), 'hello')
})

t.test(
  'a certificate with less than 30 days left is made again, clients need not trust again',
  async (t) => {
    const folder = await stateOf(t)
    t.equal((await ensure(folder, { now: first.ends - 31 * DAY_MS })).made, 'nothing')
    const later = await ensure(folder, { now: first.ends - 29 * DAY_MS })
    t.equal(later.made, 'server')
    t.equal(later.authority, first.authority)
    t.ok(later.ends > first.ends)
  },
)

t.test('no certificate outlives its authority', async (t) => {
  const folder = await stateOf(t)
  const end = NOW + 3_649 * DAY_MS
  const last = await ensure(folder, { now: end - 100 * DAY_MS })
  t.equal(last.made, 'server')
  t.equal(last.ends, end)
})

t.test('an authority at its end is replaced and kept aside', async (t) => {
  const folder = await stateOf(t)
  const later = await ensure(folder, { now: NOW + 3_640 * DAY_MS })
  t.equal(later.made, 'authority')
  t.not(later.fingerprint, first.fingerprint)
  t.match(await readFile(join(folder, 'authority.old.pem'), 'utf8'), first.authority)
})

t.test('a clock that was years ahead for a while costs no client its trust', async (t) => {
  const folder = await stateOf(t)
  t.equal((await ensure(folder, { now: NOW + 12 * 365 * DAY_MS })).made, 'authority')
  const right = await ensure(folder)
  t.equal(right.authority, first.authority)
  t.equal(await greet(right, 'localhost'), 'hello')
  t.equal((await ensure(folder)).made, 'nothing')
})

t.test('a box whose clock was never set makes certificates that are good today', async (t) => {
  const folder = join(t.testdir(), 'tls')
  const made = await ensure(folder, { now: 0 })
  t.ok(made.ends > Date.now(), 'ends in the future')
  t.equal(await greet(made, 'printserver.local'), 'hello')
  t.equal((await ensure(folder, { now: 60_000 })).made, 'nothing')
  t.equal((await ensure(folder)).made, 'nothing', 'the clock is set now')
  t.equal((await ensure(folder, { now: 0, names: [] })).authority, made.authority)
})

t.test('a clock that lags behind this version costs no client its trust', async (t) => {
  const folder = await stateOf(t)
  for (const now of [Date.UTC(2025, 0, 1), Date.UTC(2026, 2, 1)]) {
    const found = await ensure(folder, { now })
    t.equal(found.authority, first.authority)
    const moved = await ensure(folder, { now, names: [...NAMES, '192.168.1.20'] })
    t.equal(moved.authority, first.authority, 'at another address too')
    t.ok(moved.ends >= first.ends)
  }
  t.equal((await ensure(folder, { now: NOW })).authority, first.authority, 'the clock is set')
})

t.test('the key stays for good, and the end of the certificate never moves back', async (t) => {
  const folder = await stateOf(t)
  let before = first
  const years = (count: number): number => NOW + count * 365 * DAY_MS
  for (const [what, more] of [
    ['a new address', { names: [...NAMES, '192.168.1.20'] }],
    ['a clock that was wrong by four years', { now: years(4) }],
    ['and is right again', { names: [...NAMES, '192.168.1.21'] }],
    ['a clock that was never set', { now: 0, names: NAMES }],
    ['the last year of the authority', { now: years(9.9) }],
    ['a new authority', { now: years(11) }],
  ] as const) {
    const after = await ensure(folder, more)
    t.not(after.made, 'nothing', what)
    t.equal(after.key, before.key, what)
    t.ok(after.ends >= before.ends, what)
    before = after
  }
})

t.test('a key of another kind is replaced', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'secp384r1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const request = {
    authority: undefined,
    authorityName: 'x',
    authorityValidity: { from: NOW, to: NOW + DAY_MS },
    validity: { from: NOW, to: NOW + DAY_MS },
    serverKey: privateKey,
    names: ['localhost'],
  }
  const { server } = await runCertificateChild(ENTRY, request, AbortSignal.timeout(60_000))
  t.not(server.key, privateKey)
  t.ok(new X509Certificate(server.cert).checkPrivateKey(createPrivateKey(server.key)))
})

t.test('a name that came after the authority and is public is left out, once', async (t) => {
  const folder = await stateOf(t)
  const names = [...NAMES, 'print.example.com', 'bench-4.local']
  const later = await ensure(folder, { names })
  t.strictSame(later.leftOut, ['print.example.com'])
  t.ok(later.names.includes('bench-4.local'))
  t.equal(await greet(later, 'localhost'), 'hello')
  t.equal((await ensure(folder, { names })).made, 'nothing')
})

t.test('a public name and address that the authority was made with work', async (t) => {
  const folder = join(t.testdir(), 'tls')
  const made = await ensure(folder, { names: ['print.example.com', '203.0.113.5'] })
  t.equal(await greet(made, 'print.example.com'), 'hello')
  t.equal(await greet(made, '203.0.113.5'), 'hello')
})

t.test('damaged files are made again', async (t) => {
  const folder = await stateOf(t)
  const pem = await readFile(join(folder, 'server.pem'), 'utf8')
  const other = await readFile(join(folder, 'authority.pem'), 'utf8')
  const at = (text: string) => text.indexOf('-----BEGIN PRIVATE')
  for (const [what, text] of [
    ['cut short', pem.slice(0, 400)],
    ['with the key of another', `${pem.slice(0, at(pem))}${other.slice(at(other))}`],
    ['with a certificate that is none', pem.replace('MII', 'AAA')],
    ['without its line of names', pem.slice(pem.indexOf('-----'))],
  ] as const) {
    await writeFile(join(folder, 'server.pem'), text)
    const again = await ensure(folder)
    t.equal(again.made, 'server', what)
  }
  await writeFile(join(folder, 'authority.pem'), '')
  t.equal((await ensure(folder)).made, 'authority')
})

t.test('a state that cannot be read or written is said, and nothing is replaced', async (t) => {
  const folder = t.testdir({ tls: 'a file', 'authority.pem': {} })
  await t.rejects(ensure(join(folder, 'tls', 'deeper')), { code: 'STATE_UNWRITABLE' })
  await t.rejects(ensure(folder), {
    code: 'STATE_UNWRITABLE',
    message: /Cannot read .*authority\.pem/,
  })
})

t.test('the authority stays where that of a backup cannot be written', async (t) => {
  const folder = await stateOf(t)
  const own = await readFile(join(folder, 'authority.pem'), 'utf8')
  const other = join(t.testdirName, 'other')
  await ensure(other)
  const draft = join(folder, `.authority.pem.${process.pid}.tmp`)
  await mkdir(draft) // as a full disk
  const backup = await readFile(join(other, 'authority.pem'), 'utf8')
  await t.rejects(restoreAuthority(folder, backup), { code: 'STATE_UNWRITABLE' })
  t.equal((await ensure(folder)).made, 'nothing')
  await rmdir(draft)
  t.ok(await restoreAuthority(folder, backup))
  t.equal(await readFile(join(folder, 'authority.pem'), 'utf8'), backup)
  t.equal(await readFile(join(folder, 'authority.old.pem'), 'utf8'), own)
})

t.test('a child that dies, answers an error or is stopped is one sentence', async (t) => {
  const folder = t.testdir({
    'dies.mjs': 'process.once("message", () => { console.error("no entropy"); process.exit(7) })',
    'fails.mjs':
      'process.once("message", () => process.send({ error: "no curve" }, () => process.disconnect()))',
    'hangs.mjs': 'process.once("message", () => {})',
  })
  const entry = (name: string) => new URL(`file://${folder}/${name}`)
  const tls = join(folder, 'tls')
  await t.rejects(ensure(tls, { entry: entry('dies.mjs') }), {
    code: 'INTERNAL',
    message: /certificate could not be made: .*ended with 7.*no entropy/,
  })
  await t.rejects(ensure(tls, { entry: entry('fails.mjs') }), { message: /no curve/ })
  await t.rejects(ensure(tls, { entry: entry('absent.mjs') }), { message: /absent\.mjs/ })
  const settings = { folder: tls, names: [], certificateEntry: entry('hangs.mjs'), now: Date.now }
  await t.rejects(ensureCertificates(settings, AbortSignal.timeout(200)), { code: 'INTERNAL' })
})

t.test('an authority whose key is none is said by the child', async (t) => {
  const span = { from: NOW, to: NOW + DAY_MS }
  const authority = {
    key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    cert: first.authority,
  }
  const request = {
    authority,
    authorityName: 'x',
    authorityValidity: span,
    validity: span,
    serverKey: undefined,
    names: [],
  }
  const made = runCertificateChild(ENTRY, request, AbortSignal.timeout(60_000))
  await t.rejects(made, { code: 'INTERNAL', message: /certificate could not be made: .*Error/ })
})

t.test('openssl', { skip: hasOpenssl ? false : 'openssl is not installed' }, async (t) => {
  const authority = join(made, 'authority.pem')
  const verify = (file: string, name: string) =>
    run('openssl', ['verify', '-x509_strict', '-verify_hostname', name, '-CAfile', authority, file])

  await t.test('takes the certificate, strictly', async (t) => {
    t.match((await verify(join(made, 'server.pem'), 'printserver.local')).stdout, /OK/)
  })

  await t.test('takes the authority for one that makes no other', async (t) => {
    const { stdout } = await run('openssl', ['x509', '-in', authority, '-noout', '-text'])
    t.match(stdout, /Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
    // RFC 5280, 4.2.1.10: a browser that does not know the names that it may sign for must refuse it.
    t.match(stdout, /Name Constraints: critical\s+Permitted:/)
  })

  await t.test('refuses what the authority signs for a site outside', async (t) => {
    const folder = t.testdir({ ext: 'subjectAltName=DNS:bank.example' })
    const [request, cert] = [join(folder, 'request'), join(folder, 'cert')]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const subject = ['-subj', '/CN=bank.example', '-keyout', join(folder, 'key'), '-out', request]
    await run('openssl', ['req', ...key, ...subject])
    const signer = ['-CA', authority, '-CAkey', authority, '-extfile', join(folder, 'ext')]
    await run('openssl', ['x509', '-req', '-in', request, ...signer, '-days', '9', '-out', cert])
    const said = await verify(cert, 'bank.example').catch((error) => String(error.stderr))
    t.match(said, /permitted subtree violation/)
  })
})
