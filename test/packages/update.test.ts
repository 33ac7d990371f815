import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { base64 } from '../e2e/server.ts'
import { findClosedPort } from '../listen.ts'
import { until } from '../until.ts'
import { type Ended, inside, makePackages, needing, unpackDebian } from './debian.ts'
import { derivePackage } from './derive.ts'
import { openRepository } from './repository.ts'

t.setTimeout(900_000)

const NEEDS = [
  '/usr/bin/mmdebstrap',
  '/usr/bin/dpkg-deb',
  '/usr/bin/gpg',
  '/usr/bin/apt-ftparchive',
]
const SCRIPT = '/usr/lib/platen/update'

/** Version 1.0.0, installed and running in a plain Debian, with a label that waits; 1.1.0 is in the repository. */
async function install(t: Test) {
  const { folder, root } = await unpackDebian(t, 'amd64')
  const debs = join(folder, 'debs')
  const made = await makePackages(debs, 'amd64')
  const own = made.find((file) => basename(file).startsWith('platen_')) ?? ''
  const [first, second] = [
    derivePackage(own, { version: '1.0.0' }),
    derivePackage(own, { version: '1.1.0' }),
  ]
  const repository = await openRepository(t, folder, [second])
  const sink = await TcpSink.openFor(t, { stall: true })
  const port = await findClosedPort()
  const off = await findClosedPort()
  const config = JSON.stringify({
    host: 'localhost',
    port: String(port),
    open_browser: false,
    job_retention_hours: 71,
    printers: [
      { name: 'Off', uri: `socket://127.0.0.1:${off}`, language: 'zpl' },
      { name: 'Slow', uri: sink.uri, language: 'zpl' },
    ],
  })
  mkdirSync(join(root, 'etc/platen'))
  writeFileSync(join(root, 'etc/platen/config.json'), config)
  writeFileSync(join(root, 'etc/apt/sources.list.d/platen-stable.sources'), repository.sources)
  const systemctl = join(root, 'usr/bin/systemctl')
  rmSync(systemctl)
  copyFileSync(join(import.meta.dirname, 'systemctl.sh'), systemctl)
  chmodSync(systemctl, 0o755)
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  execFileSync('sh', ['-c', `cp ${debs}/platen-node_*.deb ${first} ${join(root, 'root')}`])
  t.teardown(() => inside(root, 'systemctl stop platen.service'))
  const installed = await inside(root, 'dpkg -i /root/*.deb')
  t.equal(installed.code, 0, installed.text)
  const address = `http://127.0.0.1:${port}`
  const ask = async (path: string) =>
    (await fetch(address + path).catch(() => undefined))?.json() as Promise<Record<string, unknown>>
  const post = async (printer: string, label: string) =>
    await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=0' },
      body: JSON.stringify({ printer, label: base64(label) }),
    })
  const wish = async () => (await fetch(`${address}/update`, { method: 'POST' })).json()
  const update = (args = '', env = ''): Promise<Ended> =>
    inside(root, `HEALTH_S=300 STEADY_S=1 BUSY_S=180 ${env} ${SCRIPT} ${args}`)
  const told = (): Record<string, string> =>
    JSON.parse(readFileSync(join(root, 'var/lib/platen/update.json'), 'utf8'))
  const runs = (version: string) =>
    until(`version ${version}`, async () =>
      (await ask('/info'))?.['version'] === version ? true : undefined,
    )
  return { root, second, repository, sink, config, ask, post, wish, update, told, runs }
}

t.test(
  'the box updates itself and undoes what is not well',
  { ...needing(NEEDS), timeout: 900_000 },
  async (t) => {
    const box = await install(t)
    const { root, repository } = box
    await box.runs('1.0.0')
    t.equal((await box.post('Off', '^XA^FDwaits^FS^XZ')).status, 202)
    const waiting = async () => (await box.ask('/info'))?.['jobs'] as Record<string, number>
    // Now and then its printer is tried, and it waits again.
    const waits = () =>
      until('the label to wait', async () =>
        (await waiting())['pending'] === 1 ? true : undefined,
      )
    await waits()

    await t.test('an installation says why the server did not start', async (t) => {
      const install = (failed: number) => {
        const lines = `case "$*" in *is-failed*) exit ${1 - failed} ;; restart*) exit 1 ;; esac`
        return inside(
          root,
          `cp -p /usr/bin/systemctl /root/own && sed -i '2i ${lines}' /usr/bin/systemctl
          sh /var/lib/dpkg/info/platen.postinst configure; mv /root/own /usr/bin/systemctl`,
        )
      }
      t.match(await install(1), { code: 0, text: /another program has the port\. Set another/ })
      t.match(await install(0), { code: 0, text: /This says why: platen --check-config/ })
    })

    await t.test('what is not as its owner signed it is refused', async (t) => {
      repository.tamper('InRelease', (bytes) =>
        Buffer.from(bytes.toString().replace('Origin: platen', 'Origin: planet')),
      )
      t.match(await box.update(), { code: 1, text: /not what its owner signed/ })
      t.match(box.told(), { result: 'refused', from: '1.0.0', message: /nothing was installed/ })
      repository.mend()
      repository.tamper('Packages.xz', (bytes) => Buffer.concat([bytes, Buffer.alloc(8)]))
      t.match(await box.update(), { code: 1, text: /not what its owner signed/ })
      repository.mend()
      repository.tamper('.deb', (bytes) => bytes.fill(7, bytes.length - 9))
      t.match(await box.update(), { code: 1, text: /not what its owner signed/ })
      repository.mend()
      await box.runs('1.0.0')
    })

    await t.test('a list whose time is over is refused', async (t) => {
      repository.expire()
      t.match(await box.update(), { code: 1, text: /too old to be trusted/ })
      t.match(box.told(), { result: 'stale', hint: /sign it again/ })
      await repository.publish()
    })

    await t.test('a server that is away is told', async (t) => {
      repository.tamper('InRelease', () => {
        throw new Error('not there')
      })
      t.match(await box.update(), { code: 1, text: /cannot be reached/ })
      repository.mend()
    })

    await t.test('a disk without room is told', async (t) => {
      await inside(root, 'mv /usr/bin/apt-get /usr/bin/apt-get.own')
      const full = `You don't have enough free space in /var/cache/apt/archives/.`
      const stand = `#!/bin/sh\necho "E: ${full}" >&2\nexit 100\n`
      writeFileSync(join(root, 'usr/bin/apt-get'), stand, { mode: 0o755 })
      t.match(await box.update(), { code: 1, text: /no room for the newer version/ })
      t.match(box.told(), { result: 'failed', hint: /^\S+ are left: make room/ })
      await inside(root, 'mv /usr/bin/apt-get.own /usr/bin/apt-get')
    })

    await t.test('by itself it looks only at night where the box is', async (t) => {
      const zoned = JSON.stringify({ ...JSON.parse(box.config), time_zone: 'Asia/Kathmandu' })
      writeFileSync(join(root, 'etc/platen/nepal.json'), zoned)
      const hours = (calendar: string) =>
        writeFileSync(join(root, 'run/hours'), `{ OnCalendar=${calendar} ; next_elapse=n/a }\n`)
      await inside(
        root,
        `sed -i '2i case "$*" in *TimersCalendar*) cat /run/hours; exit ;; esac' /usr/bin/systemctl`,
      )
      const usual = '*-*-* 00/3:00:00 UTC'
      hours(usual)
      const night = (now: string, env = '') => box.update('--night', `NOW=${now} ${env}`)
      const asleep = { code: 0, text: /^It is 12:00: newer versions are looked for between 2:00/ }
      const looked = { code: 1, text: /cannot be reached/ }
      repository.tamper('InRelease', () => {
        throw new Error('not there')
      })
      const told = box.told()
      t.match(await night('2026-11-21T12:00:00Z'), asleep)
      const nepal = 'CONFIG=/etc/platen/nepal.json'
      t.match(await night('2026-11-21T02:30:00Z', nepal), {
        code: 0,
        text: /^It is 08:15 in Asia.Kathmandu: .*At once: platen update --now/,
      })
      t.same(box.told(), told, 'nothing was begun')
      t.match(await night('2026-11-21T02:30:00Z'), looked)
      t.match(await night('2026-11-20T20:15:00Z', nepal), looked)
      // systemctl edit
      hours('*-*-* 12:00:00')
      t.match(await night('2026-11-21T12:00:00Z'), looked, 'hours of their own')
      hours(usual)
      await inside(root, 'touch /run/platen/update-request')
      t.match(await night('2026-11-21T12:00:00Z'), looked, 'the button')
      t.match(await night('2026-11-21T12:00:00Z'), asleep, 'the wish was taken')
      repository.mend()
    })

    await t.test('a label that is being printed is not cut off', async (t) => {
      await box.post('Slow', `^XA^FX${'.'.repeat(9_000_000)}^XZ`)
      await until('the label to print', async () => {
        const { processing = 0, 'processing-stopped': stopped = 0 } = await waiting()
        return processing + stopped > 0 ? true : undefined
      })
      t.match(await box.update('', 'BUSY_S=1'), { code: 1, text: /still being printed/ })
      t.equal(box.told()['result'], 'busy')
      box.sink.behave({})
    })

    await t.test('an update keeps the edited configuration and the labels that wait', async (t) => {
      t.match(await box.wish(), { Status: 'OK', Message: /looks for a newer version/ })
      t.ok(existsSync(join(root, 'run/platen/update-request')), 'the page left its wish')
      const { code, text } = await box.update()
      t.equal(code, 0, text)
      t.match(box.told(), { result: 'updated', from: '1.0.0', to: '1.1.0' })
      const last = { result: 'updated', to: '1.1.0' }
      t.match(await box.ask('/update'), { version: '1.1.0', possible: true, last })
      await box.runs('1.1.0')
      t.equal(readFileSync(join(root, 'etc/platen/config.json'), 'utf8'), box.config)
      await waits()
      t.match(await waiting(), { completed: 1 })
      t.notOk(existsSync(join(root, 'run/platen/update-request')), 'the wish was taken')
      t.match(
        (await inside(root, 'stat -c "%U %a" /var/lib/platen/update.json')).text,
        'platen 640',
      )
      t.match(await box.update(), { code: 0, text: /1\.1\.0 is the newest one/ })
    })

    await t.test('a person can go back to the version before', async (t) => {
      t.match(await box.update('--back'), {
        code: 0,
        text: /1\.0\.0 runs again instead of 1\.1\.0/,
      })
      t.match(box.told(), { result: 'undone', from: '1.1.0', to: '1.0.0' })
      await box.runs('1.0.0')
      await waits()
      t.equal(readFileSync(join(root, 'etc/platen/config.json'), 'utf8'), box.config)
      t.match(await box.update('--back'), { code: 1, text: /no version to go back to/ })
      t.match(await box.update(), { code: 1, text: /not tried again automatically/ })
      t.match(await box.update('--now'), { code: 0, text: /1\.1\.0 is installed/ })
      await box.runs('1.1.0')
    })

    await t.test('nor does a power cut bring back the version that was left', async (t) => {
      await inside(root, 'rm /var/lib/platen-update/failed')
      // In place of dpkg, the end of the script that calls it.
      const cut = "printf '#!/bin/sh\\nkill -9 $PPID\\n' >/usr/bin/dpkg && chmod 755 /usr/bin/dpkg"
      await inside(root, `mv /usr/bin/dpkg /usr/bin/dpkg.own && ${cut}`)
      await box.update('--back')
      await inside(root, 'mv /usr/bin/dpkg.own /usr/bin/dpkg')
      t.match(await box.update('--recover'), {
        code: 0,
        text: /1\.0\.0 runs again instead of 1\.1\.0\. The version left is not tried again/,
      })
      await box.runs('1.0.0')
      t.match(await box.update(), { code: 1, text: /not tried again automatically/ })
      t.match(await box.update('--now'), { code: 0, text: /1\.1\.0 is installed/ })
      await box.runs('1.1.0')
    })

    await t.test('a version that is not well is undone and not tried again', async (t) => {
      const fault = 'throw new Error("this version is broken")\n'
      await repository.publish(derivePackage(box.second, { version: '1.2.0', fault }))
      const { code, text } = await box.update('', 'HEALTH_S=30')
      t.equal(code, 1)
      t.match(text, /Version 1\.2\.0 was installed but is not well\. Version 1\.1\.0 runs again/)
      t.match(box.told(), { result: 'undone', from: '1.1.0', to: '1.2.0' })
      await box.runs('1.1.0')
      await waits()
      t.match(await box.update(), { code: 1, text: /not tried again automatically/ })
      t.equal(box.told()['result'], 'skipped')
    })

    await t.test('an update that a power cut ended is undone at the next start', async (t) => {
      await inside(root, 'systemctl stop platen.service')
      await inside(root, 'echo 1.1.0 1.2.0 >/var/lib/platen-update/under-way')
      await inside(
        root,
        'rm /usr/lib/platen/main.js && dpkg --force-all --unpack /root/platen_*.deb && rm /usr/lib/platen/platen.js',
      )
      const { code, text } = await box.update('--recover')
      t.equal(code, 0, text)
      t.match(text, /power failed while version 1\.2\.0 was installed\. Version 1\.1\.0 runs again/)
      await box.runs('1.1.0')
      t.match(await box.update('--recover'), { code: 0, text: '' })
      t.match(await box.update('--back'), { code: 1, text: /no version to go back to/ })
    })

    await t.test(
      'an update that a power cut met at its end, or before its beginning, is told so',
      async (t) => {
        await inside(root, 'echo 1.0.0 1.1.0 >/var/lib/platen-update/under-way')
        // dpkg's journal: while this is there, apt refuses everything.
        await inside(root, 'dpkg-query -s platen >/var/lib/dpkg/updates/0000')
        t.match(await box.update(), {
          code: 0,
          text: /1\.1\.0 is installed; before it was 1\.0\.0/,
        })
        t.notOk(existsSync(join(root, 'var/lib/platen-update/under-way')))
        t.equal((await inside(root, 'ls /var/lib/dpkg/updates')).text, '')
        await inside(root, 'dpkg-query -s platen >/var/lib/dpkg/updates/0000')
        t.match(await box.update('--now', 'HEALTH_S=30'), { code: 1, text: /not well/ })
        await inside(
          root,
          `sed -i 's/"result":"[a-z]*"/"result":"running"/' /var/lib/platen/update.json`,
        )
        t.match(await box.update('--recover'), { code: 0, text: /broken off before anything/ })
        t.equal(box.told()['result'], 'failed')
      },
    )

    await t.test('the command prints on the server of the package', async (t) => {
      const label = 'printf "^XA^FDshell^FS^XZ" >/root/shell.zpl'
      const { code, text } = await inside(
        root,
        `cd /root && ${label} && platen print shell.zpl --printer Off`,
      )
      t.equal(code, 0, text)
    })

    await t.test(
      'without a repository, as another user, and twice at once it says why not',
      async (t) => {
        await inside(root, 'rm /etc/apt/sources.list.d/platen-stable.sources')
        t.match(await box.update(), { code: 1, text: /has no update server/ })
        t.match(await box.update('--soon'), { code: 64, text: /--soon is unknown/ })
        const user = 'setpriv --reuid=platen --regid=platen --clear-groups'
        t.match(await inside(root, `${user} ${SCRIPT}`), { code: 1, text: /sudo platen update/ })
        t.match(await inside(root, `flock /run/platen-update.lock ${SCRIPT}`), {
          code: 75,
          text: /Another/,
        })
      },
    )
  },
)
