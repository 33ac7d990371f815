// The service as the packages bring it: systemd, its sandbox, the udev rule, and real USB, in a guest (docs/decisions/tests.md).
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { hostArch, prepareKernel } from './guest-machine.ts'
import { testInGuest } from './guest-test.ts'

const LIMIT_MS = 600_000 // a sixth of it is enough on an idle machine
const ROOT = join(import.meta.dirname, '../..')
const NAME = 'the service of the packages in a guest'
const arch = hostArch()

t.setTimeout(2 * LIMIT_MS)

/** Tells why there is no such guest here; '' = there is. */
function findLack(): string {
  if (process.getuid?.() !== 0) return 'only root can install packages in a root of their own'
  if (!existsSync('/usr/bin/mmdebstrap')) return 'mmdebstrap is not installed (make test-packages)'
  if (!existsSync(join(ROOT, 'dist/main.js'))) return 'there is no bundle to pack (make build)'
  const kernel = prepareKernel(arch)
  return 'missing' in kernel ? kernel.missing : ''
}

const lack = findLack()
if (lack !== '') t.pass(NAME, { skip: lack })
else {
  const folder = mkdtempSync(join(tmpdir(), 'platen-unit-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(join(ROOT, program), args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  const packages = join(folder, 'packages')
  run('packaging/deb.sh', packages, arch)
  const root = join(folder, 'root')
  const files = readdirSync(packages).map((name) => join(packages, name))
  run('test/vm/unit-root.sh', root, arch, ...files)
  await testInGuest(t, NAME, {
    arch,
    root,
    init: 'systemd',
    limitMs: LIMIT_MS,
    program: 'cases/unit.ts',
  })
}
