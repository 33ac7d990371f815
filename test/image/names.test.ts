import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../until.ts'

t.setTimeout(300_000)

const ROOT = join(import.meta.dirname, '../..')
const NEEDS = [
  '/usr/sbin/avahi-daemon',
  '/usr/bin/avahi-publish',
  '/usr/bin/dbus-daemon',
  '/usr/bin/busctl',
  '/usr/sbin/ip',
].filter((file) => !existsSync(file))
const LIMIT_MS = 60_000
const SPACE = `platen-${process.pid}`

/** Network namespaces joined by a cable of their own: no packet leaves them. */
function layCable(t: Test): readonly string[] {
  const names = ['a', 'b'].map((end) => `${SPACE}-${end}`)
  t.teardown(() => {
    for (const name of names) spawnSync('ip', ['netns', 'del', name])
  })
  for (const name of names) execFileSync('ip', ['netns', 'add', name])
  const [a = '', b = ''] = names
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', b]
  execFileSync('ip', ['link', 'add', 'eth0', 'netns', a, ...peer])
  names.forEach((name, i) => {
    const inside = (...args: readonly string[]) => execFileSync('ip', ['-n', name, ...args])
    inside('link', 'set', 'lo', 'up')
    inside('address', 'add', `10.77.0.${i + 1}/24`, 'dev', 'eth0')
    inside('link', 'set', 'eth0', 'up')
    inside('route', 'add', 'default', 'via', '10.77.0.254')
  })
  return names
}

/** The bus as Debian's, for root alone. */
const BUS = `<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen>
<auth>EXTERNAL</auth><policy context="default"><allow user="*"/><allow own="*"/>
<allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>`

/** The programs of the box: bus, avahi with the image's own configuration, and the image's script. */
const BOX = `set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/dbus /run/avahi-daemon
hostname printserver-ab12
dbus-daemon --config-file="$FOLDER/bus.conf" --nofork --nopidfile &
until [ -S /run/dbus/system_bus_socket ]; do sleep 0.1; done
avahi-daemon -f ${ROOT}/image/rootfs/etc/avahi/avahi-daemon.conf --no-drop-root --no-rlimits &
until busctl --quiet call org.freedesktop.Avahi / org.freedesktop.Avahi.Server GetState 2>/dev/null; do sleep 0.2; done
exec ${ROOT}/image/appliance/announce`

interface Box {
  readonly child: ChildProcess
  /** The name that is in force; '' = none. */
  name(kind: 'host' | 'alias'): string
  log(): string
}

/** Starts a box in a namespace; it ends as by a power cut. */
function startBox(t: Test, folder: string, space: string): Box {
  for (const name of ['bin', 'services', 'names'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'bus.conf'), BUS)
  // The units and packages of the box are not here.
  const tell = (name: string, text: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 })
  tell('systemctl', '[::]:8080 (Stream)')
  tell('dpkg-query', '0.1.0')
  const env = {
    FOLDER: folder,
    PATH: `${join(folder, 'bin')}:/usr/sbin:/usr/bin:/sbin:/bin`,
    SERVICES: join(folder, 'services'),
    NAMES: join(folder, 'names'),
    LOOK: '1',
    AGAIN: '2',
  }
  const own = ['--mount', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc']
  const child = spawn('ip', ['netns', 'exec', space, 'unshare', ...own, 'sh', '-c', BOX], { env })
  t.teardown(() => child.kill('SIGKILL'))
  let text = ''
  const collect = (chunk: Buffer): void => {
    text += String(chunk)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const name = (kind: 'host' | 'alias'): string => {
    const file = join(folder, 'names', kind)
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  }
  return { child, name, log: () => text }
}

const wait = (t: Test, what: string, box: Box, kind: 'host' | 'alias', wanted: string) =>
  until(what, async () => (box.name(kind) === wanted ? true : undefined), LIMIT_MS).catch(
    (error: unknown) => {
      t.comment(box.log())
      throw error
    },
  )

const lack = process.getuid?.() === 0 ? NEEDS.join(', ') : 'root'
const options = lack === '' ? {} : { skip: `this machine lacks ${lack}` }

t.test('two boxes of one name, with the real avahi', options, async (t) => {
  const [a = '', b = ''] = layCable(t)
  const folder = t.testdir()
  const first = startBox(t, join(folder, 'a'), a)
  await wait(t, 'the first name', first, 'host', 'printserver-ab12.local')
  await wait(t, 'the short name', first, 'alias', 'printserver.local')
  const services = readFileSync(join(folder, 'a/services/platen.service'), 'utf8')
  t.match(services, /_http\._tcp.*_platen\._tcp/s)

  const second = startBox(t, join(folder, 'b'), b)
  await wait(t, 'a name of its own', second, 'host', 'printserver-ab12-2.local')
  await until(
    'the word on the short name',
    async () =>
      second.log().includes('printserver.local belongs to another box') ? true : undefined,
    LIMIT_MS,
  )
  await wait(t, 'the second to be without the short name', second, 'alias', '')
  t.equal(first.name('alias'), 'printserver.local', 'the first keeps it')
  t.equal(first.name('host'), 'printserver-ab12.local')

  first.child.kill('SIGKILL')
  await once(first.child, 'close')
  await wait(t, 'the short name of the one that is gone', second, 'alias', 'printserver.local')
})
