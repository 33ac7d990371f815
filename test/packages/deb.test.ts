import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { base64 } from '../e2e/server.ts'
import { makePackages } from './debian.ts'
import { derivePackage } from './derive.ts'

t.setTimeout(900_000)

const ROOT = join(import.meta.dirname, '../..')
// `make test-deb ARCH=arm64` runs the same under emulation, `make test-deb SUITE=bookworm` in Debian 12 (packaging/chroot.sh).
const ARCH = process.env['ARCH'] ?? 'amd64'
const SUITE = process.env['SUITE'] ?? 'trixie'
const NEEDS = ['/usr/bin/mmdebstrap', '/usr/bin/dpkg-deb'].filter((file) => !existsSync(file))
const isRoot = process.getuid?.() === 0
// tap puts these into the environment of every child; the files that they name are not there in the other root.
const BARE = ['env', '-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE']
const lack = isRoot ? NEEDS.join(', ') : 'root'
const options = { timeout: 900_000, ...(lack === '' ? {} : { skip: `this machine lacks ${lack}` }) }

function make(script: string, ...args: readonly string[]): string {
  return execFileSync(join(ROOT, 'packaging', script), args, { cwd: ROOT, encoding: 'utf8' })
}

/** The packages of this tree, and a plain Debian to install them in. */
async function prepare(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'platen-deb-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const debs = (await makePackages(join(folder, 'debs'), ARCH)).map((file) => basename(file))
  const root = join(folder, 'root')
  execFileSync('mkdir', [root])
  execFileSync('tar', ['xf', join(ROOT, make('chroot.sh', ARCH).trim()), '-C', root])
  execFileSync('cp', [...debs.map((deb) => join(folder, 'debs', deb)), join(root, 'root')])
  const run = (command: string) =>
    execFileSync('chroot', [root, ...BARE, 'sh', '-c', command], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  return { root, debs, run, debFolder: join(folder, 'debs') }
}

t.test(`the packages install, serve and purge in a plain Debian ${SUITE}`, options, async (t) => {
  const { root, debs, run, debFolder } = await prepare(t)
  const before = run('find / -xdev -not -path "/proc*" -not -path "/root/*" | sort')
  run('dpkg -i /root/*.deb')
  t.match(run('platen --version'), /^\d+\.\d+\.\d+\n$/)
  t.match(run('platen --check-config --config /etc/platen/config.json'), '"port": "8080"')
  t.equal(run('stat -c "%U %a" /etc/platen/config.json'), 'platen 600\n')
  t.equal(run('stat -c "%U %a" /usr/lib/platen/main.cache'), 'root 644\n')
  const take =
    "const b = fs.readFileSync('main.js'); const h = '(function (exports, require, module, __filename, __dirname) { '; " +
    "const s = new vm.Script(h + b + '\\n})', { cachedData: fs.readFileSync('main.cache').subarray(8) }); " +
    'console.log(s.cachedDataRejected)'
  const taken = run(`cd /usr/lib/platen && bin/node -e "${take}"`)
  t.equal(taken, 'false\n', 'V8 takes what it compiled at the installation')
  t.match(run('ls /etc/systemd/system/multi-user.target.wants'), 'platen.service')
  t.match(run('ls /etc/systemd/system/sockets.target.wants'), 'platen-secure.socket')
  const links = () =>
    run('find /etc/systemd/system -type l -name "platen*" -printf "%f\\n"').split('\n').sort()
  const all = links()
  t.match(run('id platen'), /groups=\d+\(platen\),.*\(lp\).*\(dialout\)/)

  const sink = await TcpSink.openFor(t)
  const printers = [{ name: 'Bench', uri: `socket://127.0.0.1:${sink.port}`, language: 'zpl' }]
  const config = { host: 'localhost', port: '0', open_browser: false, printers }
  run(`printf %s '${JSON.stringify(config)}' >/etc/platen/config.json`)
  // As the docs have it for systems without systemd.
  const page = readFileSync(join(ROOT, 'docs/containers.md'), 'utf8')
  const [, script = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
  const server = spawn('chroot', [root, ...BARE, 'sh', '-c', script])
  t.teardown(() => server.kill('SIGKILL'))
  const exited = once(server, 'exit')
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    exited.then(([code]) => [`it ended with ${code}`]),
  ])
  const address = /http:\S+/.exec(String(line))?.[0] ?? t.fail(String(line))
  const label = '^XA^FO50,50^FDfrom the package^FS^XZ'
  const picture = readFileSync(join(ROOT, 'docs/label.png')).toString('base64')
  for (const [text, format] of [
    [base64(label), 'zpl'],
    [picture, 'png'],
  ] as const) {
    const response = await fetch(String(address), {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({ label: text }),
    })
    t.match(await response.json(), { Status: 'OK', jobs: [{ format, state: 'completed' }] })
  }
  // Between the labels the server asks the printer how it is.
  const texts = () => sink.connections.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))
  const isDrawn = () => texts().some((text) => /\^GFA,/.test(text))
  // A label can be done before this process has read its last bytes.
  await sink.until(() => texts().includes(label) && isDrawn())
  t.ok(texts().includes(label), 'the raw label came as it was')
  t.ok(isDrawn(), 'the picture came in the printer language')
  server.kill('SIGTERM')
  await exited

  run('dpkg -i /root/platen_*.deb')
  t.match(run('cat /etc/platen/config.json'), '"Bench"', 'an upgrade keeps what was edited')

  const later = derivePackage(
    join(debFolder, debs.find((deb) => deb.startsWith('platen_')) ?? ''),
    { version: '99.0.0', unit: 'platen-later.service' },
  )
  copyFileSync(later, join(root, 'root/later.deb'))
  run('systemctl disable platen-update.timer platen-ports.path')
  const chosen = links()
  t.equal(chosen.length, all.length - 2)
  run('dpkg -i /root/later.deb')
  t.same(
    links(),
    [...chosen, 'platen-later.service'].sort(),
    'an upgrade enables what it brings along, and nothing that was disabled',
  )
  run('dpkg -r platen')
  t.same(links(), [''], 'removal leaves no unit enabled')
  t.match(run('ls /etc/platen /var/lib/platen'), /config\.json.*spool\.db/s, 'removal keeps labels')
  run('dpkg -i /root/later.deb')
  t.same(
    links(),
    [...chosen, 'platen-later.service'].sort(),
    'what was enabled is enabled by the next installation',
  )
  run('dpkg -P platen')
  t.notOk(existsSync(join(root, 'var/lib/platen-enabled')))
  run('dpkg -i /root/platen_*.deb')
  t.same(links(), all, 'after a purge everything is as at first')
  run('dpkg -P platen platen-node')
  const left = run('find / -xdev -not -path "/proc*" -not -path "/root/*" | sort')
  const added = left.split('\n').filter((file) => !before.split('\n').includes(file))
  t.same(
    added.filter((file) => !/^\/(?:var\/lib\/dpkg|var\/log|etc\/.*-$|tmp|run)/.test(file)),
    [],
  )
})
