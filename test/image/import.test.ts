import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { droppedNames } from '../../image/appliance/take-over.ts'

const IMPORT = join(import.meta.dirname, '../../image/appliance/import.ts')
const PLATEN = join(import.meta.dirname, '../../packaging/launcher/platen.js')

function makeBox(t: Test, drop: Record<string, string | Buffer>) {
  const folder = t.testdir({ drop: {}, data: {}, etc: { 'config.json': '{"port":"8081"}' } })
  for (const [name, content] of Object.entries(drop))
    writeFileSync(join(folder, 'drop', name), content)
  mkdirSync(join(folder, 'bin'))
  const platen = join(folder, 'bin', 'platen')
  writeFileSync(platen, `#!/bin/sh\nexec '${process.execPath}' '${PLATEN}' "$@"\n`, { mode: 0o755 })
  const run = (more: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, [IMPORT], {
      encoding: 'utf8',
      env: {
        ...process.env,
        DROP: join(folder, 'drop'),
        DATA: join(folder, 'data'),
        CONFIG_FOLDER: join(folder, 'etc'),
        PLATEN: platen,
        REMOUNT: `${join(folder, 'bin', 'remount')}`,
        ...more,
      },
    })
  const log = join(folder, 'remounts')
  writeFileSync(join(folder, 'bin', 'remount'), `#!/bin/sh\necho "$1" >>'${log}'\n`, {
    mode: 0o755,
  })
  const read = (...path: readonly string[]) => readFileSync(join(folder, ...path), 'utf8')
  const has = (...path: readonly string[]) => existsSync(join(folder, ...path))
  return { folder, run, read, has }
}

t.test('everything that is right is taken, and put aside without its secrets', (t) => {
  const { folder, run, read, has } = makeBox(t, {
    'config.json': Buffer.from(
      '\uFEFF{"host":"localhost",\r\n"username":"anna","password":"topsecret"}',
    ),
    'wifi.txt': 'ssid = Halle\r\npassword = geheim99\r\n',
    'hostname.txt': 'packing-2',
    'static-ip': 'address = 10.1.2.3/16\n',
    authorized_keys: `ssh-ed25519 ${'A'.repeat(68)} anna`,
  })
  const { stdout, status } = run()
  t.equal(status, 0)
  for (const name of ['config.json', 'wifi.txt', 'hostname.txt', 'static-ip', 'authorized_keys']) {
    t.match(stdout, `${name}: taken: `)
    t.notOk(has('drop', name))
    t.ok(has('drop', 'imported', name))
  }
  const config = JSON.parse(read('etc', 'config.json'))
  t.match(config, { host: '', username: 'anna', password: 'topsecret' })
  t.equal(read('etc', 'config.json.before'), '{"port":"8081"}')
  t.equal(statSync(join(folder, 'etc', 'config.json')).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'data', 'wifi', 'wpa_supplicant.conf')).mode & 0o777, 0o600)
  t.equal(read('data', 'hostname'), 'packing-2\n')
  t.match(read('data', 'network', '10-static.network'), 'Address=10.1.2.3/16')
  t.match(read('data', 'ssh', 'authorized_keys'), 'ssh-ed25519')
  t.match(read('drop', 'LAST-IMPORT.TXT'), /host was "localhost".*\r\n/)
  t.equal(read('remounts'), 'remount,rw\nremount,ro\n')
  const rest = execFileSync('grep', ['-rlE', 'topsecret|geheim99', folder], { encoding: 'utf8' })
  t.equal(rest, `${join(folder, 'etc', 'config.json')}\n`, 'no other file holds a secret')
  t.end()
})

t.test('a fixed address is taken back', (t) => {
  const { folder, run, has } = makeBox(t, { 'static-ip': 'address = 10.1.2.3/16\n' })
  t.match(run().stdout, 'static-ip: taken: the address is 10.1.2.3/16 (wired).')
  t.ok(has('data', 'network', '10-static.network'))
  writeFileSync(join(folder, 'drop/static-ip.txt'), 'address = dhcp\r\n')
  t.match(run().stdout, 'static-ip.txt: taken: the network gives the address (DHCP).')
  t.notOk(has('data', 'network', '10-static.network'))
  t.end()
})

t.test('a config.json that Windows saved as ANSI is taken as it was meant', (t) => {
  const printers = [{ name: 'Büro', uri: 'socket://10.0.0.7' }]
  const { run, read } = makeBox(t, {
    'config.json': Buffer.from(JSON.stringify({ printers }), 'latin1'),
  })
  t.match(run().stdout, 'config.json: taken: ')
  t.match(JSON.parse(read('etc', 'config.json')), { printers })
  t.end()
})

t.test('what was put aside is not taken again with masks in place of its secrets', (t) => {
  const { folder, run, read } = makeBox(t, {
    'config.json': '{"username":"anna","password":"topsecret"}',
  })
  t.match(run().stdout, 'config.json: taken: ')
  cpSync(join(folder, 'drop/imported/config.json'), join(folder, 'drop/config.json'))
  t.match(run().stdout, /^config.json: REFUSED: .*\*{8}/)
  t.match(JSON.parse(read('etc', 'config.json')), { password: 'topsecret' })
  t.end()
})

t.test('what is wrong stays where it is, changes nothing, and is explained', (t) => {
  const { run, read, has } = makeBox(t, {
    'config.json': '{"port": "80a"}',
    'wifi.txt': 'ssid = Halle\npassword = short\n',
    hostname: 'two words',
    'static-ip': 'x'.repeat(300_000),
  })
  const { stdout } = run()
  t.match(stdout, /config.json: REFUSED: config.json: port: got "80a", wanted/)
  t.match(stdout, /wifi.txt: REFUSED: password has 5 characters/)
  t.match(stdout, /hostname: REFUSED: "two words"/)
  t.match(stdout, /static-ip: REFUSED: it is larger than/)
  t.ok(has('drop', 'config.json') && has('drop', 'wifi.txt'))
  t.equal(read('etc', 'config.json'), '{"port":"8081"}')
  t.notOk(has('etc', '.config.json.import'))
  t.notOk(has('data', 'wifi'))
  t.match(
    run({ PLATEN: '/nowhere/platen' }).stdout,
    /config.json: REFUSED: it could not be checked/,
  )
  t.end()
})

t.test(
  'links in the folder of the settings get nothing of root',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  (t) => {
    const { run, has } = makeBox(t, { 'config.json': '{"host":"","password":"new"}' })
    const folder = mkdtempSync(join(tmpdir(), 'platen-import-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o755)
    const [secret, etc, PLATEN] = ['shadow', 'etc', 'platen'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(secret, 'root:secret', { mode: 0o600 })
    mkdirSync(etc)
    chownSync(etc, 4711, 4711)
    writeFileSync(PLATEN, '#!/bin/sh\nid -u\n', { mode: 0o755 })
    const drafts = [
      '.config.json.import',
      '.config.json.import.new',
      'config.json.new',
      'config.json.before',
      'config.json.before.new',
    ]
    for (const name of ['config.json', ...drafts]) symlinkSync(secret, join(etc, name))
    const { stdout } = run({ CONFIG_FOLDER: etc, PLATEN })
    t.match(stdout, 'config.json: REFUSED', 'what cannot be kept is not replaced')
    t.equal(readFileSync(secret, 'utf8'), 'root:secret')
    t.same([statSync(secret).uid, statSync(secret).mode & 0o777], [0, 0o600])
    rmSync(join(etc, 'config.json'))
    t.match(run({ CONFIG_FOLDER: etc, PLATEN }).stdout, 'config.json: taken')
    const taken = statSync(join(etc, 'config.json'))
    t.same([taken.uid, taken.mode & 0o777], [4711, 0o600])
    t.match(readFileSync(join(etc, 'config.json'), 'utf8'), '"password": "new"')
    t.equal(readFileSync(secret, 'utf8'), 'root:secret')
    t.ok(has('drop', 'imported', 'config.json'))
    t.end()
  },
)

t.test('neither an empty folder nor a missing one is a fault', (t) => {
  const { run } = makeBox(t, {})
  t.match(run().stdout, 'Nothing to import.')
  const { status, stdout } = run({ DROP: '/nowhere' })
  t.equal(status, 0)
  t.equal(stdout, '')
  t.end()
})

t.test('the unit starts for every file that is looked for', (t) => {
  const unit = join(import.meta.dirname, '../../systemd/appliance/platen-import.service')
  const conditions = readFileSync(unit, 'utf8').matchAll(/^ConditionPathExists=\|.*\/(.*)$/gm)
  t.same([...conditions].map(([, name]) => name).sort(), [...droppedNames].sort())
  t.end()
})
