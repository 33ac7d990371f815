import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createUpdates } from '../../src/system/updates.ts'

const SCRIPTS = join(import.meta.dirname, '../../image/appliance')

function run(script: string, env: NodeJS.ProcessEnv) {
  return spawnSync(join(SCRIPTS, script), { encoding: 'utf8', env: { ...process.env, ...env } })
}

/** A folder with an LED, a FAT partition and a state. */
function makeBoard(t: Test, state: string) {
  const led = { trigger: '', delay_on: '', delay_off: '' }
  const folder = t.testdir({ state, leds: { ACT: led }, boot: { platen: {} }, run: {}, bin: {} })
  const tell = (name: string) => {
    const file = join(folder, 'bin', name)
    writeFileSync(file, `#!/bin/sh\necho ${name} "$@" >>'${join(folder, 'calls')}'\n`, {
      mode: 0o755,
    })
    return file
  }
  const env = {
    STATE: join(folder, 'state'),
    LEDS: join(folder, 'leds'),
    BOOT: join(folder, 'boot'),
    RUN: join(folder, 'run'),
    NOW: '1000',
    LATER: tell('later'),
    AS: '',
    REMOUNT: tell('remount'),
  }
  const read = (...path: readonly string[]) => readFileSync(join(folder, ...path), 'utf8')
  return { folder, env, read }
}

t.test('the LED tells ready, no network, no printer, and a printer that needs hands', (t) => {
  for (const [word, trigger, on] of [
    ['ready', 'default-on', ''],
    ['no-network', 'timer', '100'],
    ['no-printer', 'timer', '1000'],
    ['attention', 'heartbeat', ''],
  ] as const) {
    const { env, read } = makeBoard(t, `${word}\ntext\n`)
    t.equal(run('show-status', env).status, 0)
    t.equal(read('leds', 'ACT', 'trigger').trim(), trigger)
    t.equal(read('leds', 'ACT', 'delay_on').trim(), on)
  }
  t.end()
})

t.test('STATUS.TXT is written for Windows, only when it changed, and not at every change', (t) => {
  const { folder, env, read } = makeBoard(t, 'ready\nAddress: 10.0.0.7\n')
  writeFileSync(join(folder, 'boot/platen/LAST-IMPORT.TXT'), 'wifi.txt: taken\r\n')
  run('show-status', env)
  t.equal(read('boot', 'platen', 'STATUS.TXT'), 'Address: 10.0.0.7\r\n\r\nwifi.txt: taken\r\n')
  t.match(read('calls'), /^remount remount,rw .*\nremount remount,ro .*\n$/)
  run('show-status', { ...env, NOW: '1700' })
  t.equal(read('calls').split('\n').length, 3, 'the same text is not written again')
  writeFileSync(env.STATE, 'attention\nno labels\n')
  run('show-status', { ...env, NOW: '1100' })
  t.match(read('calls'), /later\n$/, 'it waits for its time')
  t.match(read('boot', 'platen', 'STATUS.TXT'), 'Address')
  run('show-status', { ...env, NOW: '1601' })
  t.match(read('boot', 'platen', 'STATUS.TXT'), 'no labels')
  t.end()
})

t.test('a card without its FAT partition still has a light', (t) => {
  const { env, read } = makeBoard(t, 'ready\ntext\n')
  t.equal(run('show-status', { ...env, BOOT: '/nowhere' }).status, 0)
  t.equal(read('leds', 'ACT', 'trigger').trim(), 'default-on')
  t.end()
})

t.test(
  'the data partition gets its folders, a configuration that others reach, and the box its name',
  (t) => {
    const folder = t.testdir({
      data: {},
      etc: { 'machine-id': '0123456789abcdef0123456789abcdef\n' },
      usr: { share: { platen: { 'config.json': '{"host":""}' } } },
      proc: { sys: { kernel: { hostname: '' } }, 'device-tree': {} },
    })
    const name = () => readFileSync(join(folder, 'proc/sys/kernel/hostname'), 'utf8')
    t.equal(run('prepare-data', { AS: '', ROOT: folder }).stderr, '')
    t.equal(name(), 'printserver-cdef\n')
    for (const made of [
      'etc-platen/config.json',
      'wifi',
      'ssh',
      'network',
      'var-lib-platen-update',
    ]) {
      t.ok(existsSync(join(folder, 'data', made)), made)
    }
    writeFileSync(join(folder, 'data/etc-platen/config.json'), '{"mine":1}')
    writeFileSync(join(folder, 'proc/device-tree/serial-number'), '10000000AB12CD34\0')
    run('prepare-data', { AS: '', ROOT: folder })
    t.equal(name(), 'printserver-cd34\n')
    t.equal(readFileSync(join(folder, 'data/etc-platen/config.json'), 'utf8'), '{"mine":1}')
    writeFileSync(join(folder, 'data/hostname'), 'packing-2\n')
    run('prepare-data', { AS: '', ROOT: folder })
    t.equal(name(), 'packing-2\n')

    const clock = join(folder, 'clock')
    const SET_CLOCK = join(folder, 'set-clock')
    writeFileSync(SET_CLOCK, `#!/bin/sh\necho "$@" >>'${clock}'\n`, { mode: 0o755 })
    const labels = join(folder, 'data/var-lib-platen/spool.db-wal')
    writeFileSync(labels, 'labels')
    run('prepare-data', { AS: '', ROOT: folder, SET_CLOCK })
    t.notOk(existsSync(clock), 'time goes on')
    const later = Math.floor(Date.now() / 1000) + 1000
    utimesSync(labels, later, later)
    t.equal(run('prepare-data', { AS: '', ROOT: folder, SET_CLOCK }).stderr, '')
    t.equal(readFileSync(clock, 'utf8'), `@${later}\n`, 'never before the newest label')
    t.end()
  },
)

t.test(
  'a system that cannot start says so and starts again instead of waiting for a keyboard',
  (t) => {
    const { folder, env, read } = makeBoard(t, '')
    const reboot = join(folder, 'bin', 'reboot')
    writeFileSync(reboot, `#!/bin/sh\necho reboot >>'${join(folder, 'calls')}'\n`, { mode: 0o755 })
    const { stdout } = run('emergency', { ...env, MOUNT: '/bin/true', WAIT: '0', REBOOT: reboot })
    t.match(stdout, /did not start/)
    t.match(read('boot', 'platen', 'STATUS.TXT'), /write the image to a new card.\r\n/)
    t.match(read('calls'), 'reboot')
    t.end()
  },
)

const OTHER = { uid: 4711, as: 'setpriv --reuid=4711 --regid=4711 --clear-groups' } // stands for the server's user
const skip = process.getuid?.() !== 0 && 'needs root'

/** A folder that another user reaches, with a file that only root may read. */
function makeOpen(t: Test): { folder: string; secret: string } {
  const folder = mkdtempSync(join(tmpdir(), 'platen-scripts-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const secret = join(folder, 'shadow')
  writeFileSync(secret, 'ready\nroot:secret\n', { mode: 0o600 })
  return { folder, secret }
}

t.test(
  'a state that is a link, a pipe or without an end tells nothing and is not waited for',
  { skip },
  (t) => {
    const { env, read, folder } = makeBoard(t, '')
    const { folder: open, secret } = makeOpen(t)
    const state = join(open, 'state')
    const show = (READ_S = '20') =>
      run('show-status', { ...env, STATE: state, READ_S, AS: OTHER.as })
    symlinkSync(secret, state)
    show()
    t.equal(read('leds', 'ACT', 'trigger'), '', 'not even its first word')
    t.notOk(existsSync(join(folder, 'run/platen-status.txt')))
    rmSync(state)
    execFileSync('mkfifo', ['-m', '666', state])
    t.equal(show('0.2').status, 0)
    rmSync(state)
    symlinkSync('/dev/zero', state)
    t.equal(show().status, 0)
    t.equal(read('leds', 'ACT', 'trigger'), '')
    rmSync(state)
    writeFileSync(state, `ready\nBench\u001b[2J 1\r\n${'x'.repeat(100_000)}\n`)
    show()
    t.match(read('boot', 'platen', 'STATUS.TXT'), /^Bench\[2J 1\r\nx+\r\n$/)
    t.ok(read('boot', 'platen', 'STATUS.TXT').length < 20_000)
    t.equal(lstatSync(join(folder, 'run/platen-status.txt')).mode & 0o777, 0o600)
    t.end()
  },
)

t.test('links and pipes in the folder of the settings get nothing of root', { skip }, (t) => {
  const { folder, secret } = makeOpen(t)
  for (const name of ['data/etc-platen', 'etc', 'usr/share/platen', 'proc/sys/kernel']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  writeFileSync(join(folder, 'etc/machine-id'), '0123456789abcdef0123456789abcdef\n')
  writeFileSync(join(folder, 'usr/share/platen/config.json'), '{"host":""}')
  const settings = join(folder, 'data/etc-platen')
  execFileSync('chown', [`${OTHER.uid}:${OTHER.uid}`, settings])
  const prepare = () => run('prepare-data', { AS: OTHER.as, ROOT: folder, SET_CLOCK: 'true' })
  symlinkSync(secret, join(settings, 'config.json.new'))
  t.equal(prepare().status, 0)
  t.match(readFileSync(secret, 'utf8'), 'root:secret', 'the link was not written through')
  t.match(lstatSync(secret), { uid: 0 })
  const made = lstatSync(join(settings, 'config.json'))
  t.same([made.uid, made.mode & 0o777, made.isFile()], [OTHER.uid, 0o600, true])
  rmSync(join(settings, 'config.json'))
  execFileSync('mkfifo', [join(settings, 'config.json.new')])
  t.equal(prepare().status, 0)
  t.equal(readFileSync(join(settings, 'config.json'), 'utf8'), '{"host":""}')
  t.end()
})

const FIRST_SETTINGS = ['image/appliance/prepare-data', 'packaging/debian/platen.postinst']

t.test('the first settings are on the disk before they have their name', (t) => {
  for (const script of FIRST_SETTINGS) {
    const text = readFileSync(join(SCRIPTS, '../..', script), 'utf8')
    t.match(text, /sync -d config\.json\.new && mv -T config\.json\.new config\.json/, script)
  }
  t.end()
})

t.test('no script of root changes the owner of what a link names', (t) => {
  for (const script of FIRST_SETTINGS) {
    const text = readFileSync(join(SCRIPTS, '../..', script), 'utf8')
    t.notMatch(text, /chown (?!-h ).*config\.json/, script)
    t.match(text, /chown -h .*config\.json/, script)
  }
  t.end()
})

t.test('a card is written and read back', (t) => {
  const folder = t.testdir({ 'small.img': 'an image', card: 'x'.repeat(2000) })
  mkdirSync(join(folder, 'none'))
  const write = (...args: readonly string[]) =>
    spawnSync(join(SCRIPTS, '../write-card'), args, {
      encoding: 'utf8',
      env: { ...process.env, YES: '1' },
    })
  const image = join(folder, 'small.img')
  const good = write(image, join(folder, 'card'))
  t.equal(good.status, 0, good.stderr)
  t.match(good.stdout, /8 bytes, read back and equal/)
  t.equal(readFileSync(join(folder, 'card'), 'utf8').slice(0, 9), 'an imagex')
  t.match(write(image, ''), { status: 2, stderr: /Which card/ })
  t.match(write(image, join(folder, 'none')), { status: 2, stderr: /is not a disk/ })
  t.match(write(join(folder, 'missing.img'), image), { status: 2, stderr: /make image/ })
  t.end()
})

t.test('another Debian gets a base of its own, other partitions do not', (t) => {
  const made = join(SCRIPTS, '../..')
  const folder = t.testdir({ bin: {}, image: {}, packaging: {} })
  for (const name of ['mkbase', 'packages.txt', 'excludes.cfg', 'hooks', 'initramfs', 'layout.env'])
    cpSync(join(made, 'image', name), join(folder, 'image', name), { recursive: true })
  cpSync(join(made, 'packaging/mirror.sh'), join(folder, 'packaging/mirror.sh'))
  const stand = `#!/bin/sh
for each; do case $each in *.tar.new) out=$each ;; esac; done
mkdir -p var/lib/dpkg && echo 'Package: none' >var/lib/dpkg/status && tar cf "$out" ./var
`
  writeFileSync(join(folder, 'bin/mmdebstrap'), stand, { mode: 0o755 })
  const layout = join(folder, 'image/layout.env')
  const base = (from = '', to = '') => {
    writeFileSync(layout, readFileSync(layout, 'utf8').replace(from, to))
    const { stdout, stderr } = spawnSync(join(folder, 'image/mkbase'), [], {
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
        MIRROR: 'http://localhost/debian',
        CACHE: join(folder, 'cache'),
        FLAVOUR: 'pi',
      },
    })
    t.match(stdout, /\/base-pi-[0-9a-f]{12}\.tar\n$/, stderr)
    return stdout
  }
  const first = base()
  t.equal(base('FAT_MIB=256', 'FAT_MIB=300'), first)
  t.not(base('SUITE=trixie', 'SUITE=forky'), first)
  t.end()
})

t.test('a repository is found by the box under whatever name it was given', (t) => {
  const recipe = readFileSync(join(SCRIPTS, '../mkimage'), 'utf8')
  const [write = ''] = /^write_sources\(\) \{$.*?^\}$/ms.exec(recipe) ?? []
  const folder = t.testdir({
    'our-shop.txt': 'Types: deb\n',
    etc: { apt: { 'sources.list.d': {} } },
  })
  const words = ['-euc', `${write}\nwrite_sources`]
  const names = { MIRROR: 'a', SECURITY_MIRROR: 'b', SUITE: 'trixie' }
  const env = { ...process.env, ...names, root: folder, REPO_SOURCES: join(folder, 'our-shop.txt') }
  // With a socket for its input and no SHLVL, bash believes that it was called over the network, and reads its start files.
  const shell = spawnSync('bash', ['--norc', ...words], { encoding: 'utf8', env })
  t.match(shell, { status: 0, stderr: '' })
  const updates = createUpdates({
    stateFolder: folder,
    runtimeFolder: folder,
    sourcesFolder: join(folder, 'etc/apt/sources.list.d'),
  })
  t.equal(updates.hindrance(), undefined)
  t.end()
})
