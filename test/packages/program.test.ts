import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { signMachO } from '../../packaging/sign-mach-o.ts'
import { LABEL, makePdf } from '../labels/codecs/pdf/make-pdf.ts'
import { needing, unpackDebian } from './debian.ts'
import { readMachO } from './read-mach-o.ts'

t.setTimeout(900_000)

const ROOT = join(import.meta.dirname, '../..')
const isHere = process.platform === 'linux' && process.arch === 'x64'
// `make test-program` runs the others too; each is 50 MB from npm.
const isAll = process.env['PROGRAMS'] === 'all'
const ALL_ONLY = isAll ? {} : { skip: 'make test-program runs it' }

/** A folder outside of the project, where no node_modules of ours can be found by chance. */
function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'platen-program-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts it as a user would, prints a picture (the thread) over HTTPS (the child), asks it to end. */
async function prints(
  t: Test,
  command: string,
  args: readonly string[],
  folder: string,
  home = folder,
) {
  const config = join(folder, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({ port: '0', use_ssl: true, secure_port: '0', open_browser: false }),
  )
  const { NODE_V8_COVERAGE, NODE_OPTIONS, ...env } = process.env
  const server = spawn(command, [...args, '--demo', '--config', join(home, 'config.json')], {
    cwd: folder,
    env: {
      ...env,
      HOME: home,
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      STATE_DIRECTORY: join(home, 'state'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  const exited = once(server, 'exit')
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    exited.then(([code]) => [`it ended with ${code}`]),
  ])
  const address = /http:\S+\//.exec(String(line))?.[0] ?? ''
  const { secure_port: securePort } = (await (await fetch(`${address}info`)).json()) as {
    secure_port: string
  }
  t.match(securePort, /^\d+$/, 'the child has made the certificates')
  const pdf = makePdf([{ ...LABEL, content: '20 20 100 100 re f' }])
  for (const [format, label] of [
    ['png', readFileSync(join(ROOT, 'docs/label.png'))],
    ['pdf', pdf],
  ] as const) {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({ label: label.toString('base64') }),
    })
    t.match(await response.json(), { Status: 'OK', jobs: [{ format, state: 'completed' }] })
  }
  t.equal((await fetch(`${address}printers`)).status, 200)
  await fetch(`${address}shutdown`)
  const [code] = await exited
  t.equal(code, 0)
}

t.test('the npm package installs into an empty folder and prints', async (t) => {
  const folder = makeFolder(t)
  const name = execFileSync('packaging/npm.sh', [folder], { cwd: ROOT, encoding: 'utf8' }).trim()
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', `./${name}`]
  execFileSync('npm', install, { cwd: folder, stdio: 'inherit' })
  const pages = join(folder, 'node_modules/platen/docs')
  t.ok(existsSync(join(pages, 'operate.md')), 'the pages that its sentences name are there')
  t.ok(existsSync(join(folder, 'node_modules/usb/package.json')), 'with the native parts')
  await prints(t, 'npx', ['platen'], folder)
})

t.test(
  'the single executable needs nothing else and prints',
  isHere ? {} : { skip: 'executables are run on Linux on x86-64 only' },
  async (t) => {
    const folder = makeFolder(t)
    execFileSync('packaging/single.sh', [folder, 'linux-x64'], { cwd: ROOT, stdio: 'pipe' })
    const [file = ''] = readdirSync(folder)
    await prints(t, join(folder, file), [], folder)
    // Beside the builds lies what keeps a build that runs from being removed.
    const builds = () =>
      readdirSync(join(folder, '.cache/platen')).filter((name) => name !== 'running')
    const [build = ''] = builds()
    t.match(build, /^\d+\.\d+\.\d+-[0-9a-f]{16}$/, 'the program lies there once')
    t.match(
      execFileSync(join(folder, file), ['--version'], { encoding: 'utf8', env: { HOME: folder } }),
      /^\d/,
    )
    t.same(builds(), [build])
    const cache = join(folder, '.cache/platen')
    const start = (env: Readonly<Record<string, string>> = {}) =>
      spawnSync(join(folder, file), ['--version'], {
        encoding: 'utf8',
        env: { HOME: folder, ...env },
      })

    await t.test('a file that a cleaner took away comes back', (t) => {
      const part = join(cache, build, 'main.js')
      const whole = readFileSync(part)
      rmSync(part)
      writeFileSync(join(cache, build, 'platen.js'), 'damaged')
      t.match(start(), { status: 0, stdout: /^\d/ })
      t.ok(readFileSync(part).equals(whole))
      t.match(readFileSync(join(cache, build, 'platen.js'), 'utf8'), 'const MAINS')
      t.end()
    })

    await t.test(
      'programs of other versions go a week after their last start, unless they run',
      (t) => {
        const weeks = (count: number) => new Date(Date.now() - count * 7.1 * 24 * 3600_000)
        const put = (name: string, at: Date) => {
          mkdirSync(join(cache, name))
          writeFileSync(join(cache, name, 'main.js'), '')
          utimesSync(join(cache, name), at, at)
          return name
        }
        const old = put('0.0.1-0123456789abcdef', weeks(1))
        const half = put('0.0.1-0123456789abcdef.4711', weeks(1)) // cut off while it unpacked
        const young = put('0.0.2-0123456789abcdef', weeks(0))
        const busy = put('0.0.3-0123456789abcdef', weeks(3))
        const other = put("a person's own folder", weeks(3))
        writeFileSync(join(cache, 'running', String(process.pid)), busy)
        writeFileSync(join(cache, 'running', '2147483646'), old) // no process has this number
        t.equal(start().status, 0)
        t.same(builds().sort(), [build, young, busy, other].sort())
        for (const name of [old, half]) t.notOk(existsSync(join(cache, name)), name)
        t.end()
      },
    )

    await t.test('a cache that cannot be written is told in a sentence', (t) => {
      writeFileSync(join(folder, 'no-folder'), '')
      const { status, stderr } = start({ XDG_CACHE_HOME: join(folder, 'no-folder') })
      t.equal(status, 73)
      const [first, second] = stderr.split('\n')
      t.match(first, /^platen cannot unpack itself into .*no-folder\/platen: .+\.$/)
      t.match(second, /^Give this user write access to that folder and room on its disk/)
      t.equal(stderr.split('\n').length, 3, 'and no trace of the code')
      t.end()
    })
  },
)

t.test('what the Macs get runs with the same Node.js here', ALL_ONLY, async (t) => {
  const folder = makeFolder(t)
  execFileSync('packaging/single.sh', [folder, 'linux-mac'], { cwd: ROOT, stdio: 'pipe' })
  const [file = ''] = readdirSync(folder)
  await prints(t, join(folder, file), [], folder)
})

t.test(
  'the executable for Linux on arm64 prints, under emulation',
  isAll ? { ...needing(['/usr/bin/mmdebstrap', '/usr/bin/qemu-aarch64-static']) } : ALL_ONLY,
  async (t) => {
    const { folder, root } = await unpackDebian(t, 'arm64')
    const made = join(folder, 'made')
    execFileSync('packaging/single.sh', [made, 'linux-arm64'], { cwd: ROOT, stdio: 'pipe' })
    const [file = ''] = readdirSync(made)
    renameSync(join(made, file), join(root, 'usr/bin/platen'))
    await prints(t, 'chroot', [root, 'platen'], join(root, 'home'), '/home')
  },
)

t.test('an executable is made for both kinds of Macs', ALL_ONLY, (t) => {
  const folder = makeFolder(t)
  for (const cpu of ['arm64', 'x64']) {
    const target = `darwin-${cpu}`
    execFileSync('packaging/single.sh', [folder, target], { cwd: ROOT, stdio: 'pipe' })
    const name = readdirSync(folder).find((each) => each.endsWith(target)) ?? ''
    const bytes = readFileSync(join(folder, name))
    t.ok(signMachO(bytes, 'platen').equals(bytes), `${target}: its signature fits its bytes`)
    t.ok(bytes.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1'), 'Node looks inside')
    const seen = readMachO(bytes)
    t.same(seen.problems, [], `${target}: an independent reader finds nothing wrong`)
    t.match(seen, { cpu, identifier: 'platen', flags: 0x2_0002, entitlements: undefined })
    t.ok(seen.pages > 30_000)
    t.same(seen.segments.slice(-2), ['NODE_SEA', '__LINKEDIT'])
    // What the reader is worth: it takes Apple's own signature of this Node.js, and misses no damage.
    const [tar = ''] = globSync(`.cache/npm/node*-darwin-${cpu}-*.tgz`, { cwd: ROOT })
    const node = execFileSync('tar', ['xzOf', join(ROOT, tar), 'package/bin/node'], {
      maxBuffer: 2 ** 28,
    })
    const apple = readMachO(node)
    t.same(apple.problems, [], "Apple's own")
    t.ok((apple.flags & 0x1_0000) !== 0 && apple.entitlements?.includes('allow-jit'), 'is hardened')
    const damaged = Buffer.from(bytes)
    damaged[20_000_000] = (damaged[20_000_000] ?? 0) ^ 1
    t.match(readMachO(damaged).problems, [/^1 of \d+ page hashes are wrong$/])
    t.ok(readMachO(bytes.subarray(0, -16)).problems.length > 0)
  }
  t.end()
})
