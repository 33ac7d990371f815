// What needs real USB: every case runs in a guest of this machine's own, booted once (docs/decisions/tests.md).
import t from 'tap'
import { hostArch, prepareKernel } from './guest-machine.ts'
import { prepareRoot } from './guest-root.ts'
import { testInGuest } from './guest-test.ts'

const LIMIT_MS = 900_000 // a fifth of it is enough on an idle machine
const arch = process.env['PLATEN_VM_ARCH'] === 'arm64' ? 'arm64' : hostArch()

t.setTimeout(LIMIT_MS + 60_000)

const kernel = prepareKernel(arch)
const root = 'missing' in kernel ? kernel : prepareRoot(arch)
if ('missing' in root) t.pass('USB and serial printers in a guest', { skip: root.missing })
else {
  await testInGuest(t, `a guest (${arch}) with USB printers`, {
    arch,
    root: root.folder,
    init: 'alone',
    limitMs: LIMIT_MS,
    program: 'guest.ts',
  })
}
