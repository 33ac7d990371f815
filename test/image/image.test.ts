import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readDropped, whyNoImage } from './box.ts'

// Looks into the image that make image-file wrote (IMAGE), without booting it.
const ROOT = join(import.meta.dirname, '../..')
const IMAGE = process.env['IMAGE'] ?? ''
const skip = whyNoImage()
const DEBS = join(dirname(IMAGE), 'image') // where make image-file leaves our packages
const MIB = 2 ** 20

t.setTimeout(1_800_000)

/** Runs debugfs on a partition of an image. */
function lookInside(part: string, command: string): string {
  return execFileSync('debugfs', ['-R', command, part], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Copies a partition out of the image. */
function cutOut(file: string, fromMib: number, mib: number): string {
  const where = [`skip=${fromMib}`, `count=${mib}`]
  execFileSync('dd', [`if=${IMAGE}`, `of=${file}`, 'bs=1M', ...where, 'conv=sparse', 'status=none'])
  return file
}

t.test(
  'the image holds no password, no key, no name of its own and no way in for tests',
  { skip },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-image-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const table = execFileSync('sfdisk', ['-d', IMAGE], { encoding: 'utf8' })
    t.match(table, /img1 : start= +8192, size= +524288, type=c, bootable/)
    t.match(table, /img4 : start= +3153920, size= +131072, type=83/)
    const part = cutOut(join(folder, 'root.img'), 260, 640)
    const shadow = lookInside(part, 'cat /etc/shadow')
    for (const line of shadow.trim().split('\n')) t.match(line, /^[^:]+:!?\*?:/, 'no password')
    t.equal(lookInside(part, 'cat /etc/machine-id'), '')
    for (const file of [
      '/etc/platen/config.json',
      '/etc/dropbear',
      '/etc/ssh',
      '/root/.ssh/authorized_keys',
      '/var/lib/systemd/random-seed',
      '/var/log/journal',
      '/etc/systemd/system/multi-user.target.wants/debug-shell.service',
    ]) {
      t.match(
        execFileSync('debugfs', ['-R', `stat ${file}`, part], { encoding: 'utf8', stdio: 'pipe' }),
        /^$/,
        file,
      )
    }
    t.equal(readDropped(IMAGE, 'STATUS.TXT').trim(), 'This box has not been started yet.')
    const line = execFileSync('mtype', ['-i', `${IMAGE}@@4M`, '::/cmdline.txt'], {
      encoding: 'utf8',
    })
    t.notMatch(line, /debug|init=|single|rescue/)
    t.match(line, / ro rootwait /)
    const files = execFileSync('mdir', ['-b', '-i', `${IMAGE}@@4M`, '::/'], { encoding: 'utf8' })
    for (const name of [
      'bootcode.bin',
      'start.elf',
      'start4.elf',
      'bcm2837-rpi-3-b.dtb',
      'bcm2711-rpi-4-b.dtb',
      'bcm2837-rpi-zero-2-w.dtb',
    ]) {
      t.match(files, name)
    }
    execFileSync('e2fsck', ['-fn', part])
    const reserved = cutOut(join(folder, 'reserved.img'), 900, 640)
    t.equal(
      readFileSync(reserved).findIndex((byte) => byte !== 0),
      -1,
      'root B is empty',
    )
    const data = cutOut(join(folder, 'data.img'), 1540, 64)
    t.match(
      lookInside(data, 'ls -p /'),
      /^(?:\/\d+\/\d+\/\d+\/\d+\/(?:\.|\.\.|lost\+found)\/\d*\/\s*)+$/,
    )
    const sources = lookInside(part, 'cat /etc/apt/sources.list.d/debian.sources')
    t.equal(sources.match(/^URIs:/gm)?.length, 2)
    const bom = JSON.parse(readFileSync(IMAGE.replace(/\.img$/, '.sbom.cdx.json'), 'utf8'))
    const names = new Set(bom.components.map(({ name }: { name: string }) => name))
    for (const name of ['hono', 'systemd', 'platen-node', 'linux-image-arm64'])
      t.ok(names.has(name), name)
    t.end()
  },
)

const noBuild = process.getuid?.() !== 0 || !existsSync(DEBS) ? `needs root and ${DEBS}` : false
t.test(
  'built again from one base and packages it is the same bytes',
  {
    skip: skip || noBuild,
  },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-again-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const again = join(folder, 'again.img')
    const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env // of tap; not there in the chroot
    const debs = readdirSync(DEBS).map((name) => join(DEBS, name))
    execFileSync(join(ROOT, 'image/mkimage'), [again, ...debs], { env, stdio: 'pipe' })
    const hashes = [IMAGE, again].map((file) =>
      execFileSync('sha256sum', [file], { encoding: 'utf8', maxBuffer: MIB }).slice(0, 64),
    )
    t.equal(hashes[1], hashes[0])
    for (const kind of ['packages', 'sbom.cdx.json']) {
      const [first, second] = [IMAGE, again].map((file) =>
        readFileSync(file.replace(/img$/, kind), 'utf8'),
      )
      t.equal(second, first, kind)
    }
    t.end()
  },
)
