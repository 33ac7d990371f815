import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { version } from '../../src/system/process.ts'

t.setTimeout(600_000)

// By a name that the compiler does not follow: its types bring those of a browser, which differ from Node's.
const RESEDIT: string = 'resedit'
const { NtExecutable, NtExecutableResource, Resource } = await import(RESEDIT)
const ROOT = join(import.meta.dirname, '../..')
const LACKS =
  process.env['PROGRAMS'] !== 'all'
    ? { skip: 'make test-program runs it' }
    : existsSync('/usr/bin/osslsigncode')
      ? {}
      : { skip: 'this machine lacks osslsigncode' }

t.test('the executables for Windows have our name, and can be signed', LACKS, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'platen-exe-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  execFileSync('packaging/single.sh', [folder, 'win32-x64'], { cwd: ROOT, stdio: 'pipe' })
  const names = readdirSync(folder).sort()
  t.same(names, [`platen-${version}-win32-x64.exe`, `platenw-${version}-win32-x64.exe`])
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'certificate.pem')
  const request = `req -x509 -newkey rsa:2048 -nodes -subj /CN=Shop -days 2 -keyout ${key} -out ${certificate}`
  execFileSync('openssl', request.split(' '), { stdio: 'pipe' })
  for (const [name, subsystem] of [
    [names[0] ?? '', 3],
    [names[1] ?? '', 2],
  ] as const) {
    const file = join(folder, name)
    const exe = NtExecutable.from(readFileSync(file)) // refuses one whose signature is damaged
    t.equal(exe.newHeader.optionalHeader.subsystem, subsystem)
    const [info] = Resource.VersionInfo.fromEntries(NtExecutableResource.from(exe).entries)
    t.match(info?.getStringValues({ lang: 1033, codepage: 1200 }), {
      ProductName: 'platen',
      FileDescription: 'platen label print server',
      FileVersion: version,
    })
    const signed = `${file}.signed`
    execFileSync(
      'osslsigncode',
      ['sign', '-certs', certificate, '-key', key, '-in', file, '-out', signed],
      {
        stdio: 'pipe',
      },
    )
    const told = execFileSync('osslsigncode', ['verify', '-CAfile', certificate, '-in', signed], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.match(told, /Signature verification: ok/)
    t.notMatch(told, /invalid PE checksum|not at the end/)
    rmSync(signed)
  }
  t.end()
})
