import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { findClosedPort } from '../listen.ts'
import { until } from '../until.ts'
import { bootDebian, inside, unpackDebian } from './debian.ts'

// `platen service` on Linux, with the single executable and a real systemd of the user: make test-update runs it.
const skip = process.env['LIVE_UPDATE'] === undefined && 'make test-update runs it'
const ROOT = join(import.meta.dirname, '../..')
const UID = 1000
const RUNTIME = `/run/user/${UID}`

t.setTimeout(900_000)

t.test(
  'a service of the user starts, comes back, is there at the next login and goes',
  { skip },
  async (t) => {
    const { folder, root } = await unpackDebian(t, 'amd64')
    execFileSync('packaging/single.sh', [folder, 'linux-x64'], { cwd: ROOT, stdio: 'pipe' })
    const [made = ''] = globSync(join(folder, 'platen-*-linux-x64'))
    mkdirSync(join(root, 'opt'), { recursive: true })
    renameSync(made, join(root, 'opt/platen'))
    const off = 'systemd-networkd-wait-online systemd-udevd systemd-udev-trigger'
    const line = `useradd -m -u ${UID} shop && mkdir -p /etc/platen /var/lib/platen /var/lib/platen-update && systemctl mask ${off}`
    const ready = await inside(
      root,
      `${line} && echo 11111111111111111111111111111111 >/etc/machine-id`,
    )
    t.equal(ready.code, 0, ready.text)
    const shell = await bootDebian(t, folder, root)
    const sink = await TcpSink.openFor(t)
    const port = await findClosedPort()
    const printers = [{ name: 'Bench', uri: sink.uri, language: 'zpl' }]
    const config = JSON.stringify({ port: String(port), open_browser: false, printers })

    // What logind does at a login, which needs a D-Bus that is not there.
    const logIn = `systemd-run --quiet --unit=login --uid=${UID} --property=Delegate=yes --setenv=XDG_RUNTIME_DIR=${RUNTIME} --setenv=HOME=/home/shop /lib/systemd/systemd --user`
    const asUser = `setpriv --reuid ${UID} --regid ${UID} --clear-groups env HOME=/home/shop XDG_RUNTIME_DIR=${RUNTIME}`
    const service = (verb: string) => shell(`${asUser} /opt/platen service ${verb}; echo "code $?"`)
    const address = `http://127.0.0.1:${port}`
    const info = async (): Promise<{ uptime: number } | undefined> => {
      const answer = await fetch(`${address}/info`).catch(() => undefined)
      return answer?.ok === true ? ((await answer.json()) as { uptime: number }) : undefined
    }
    const answers = (what: string) => until(what, info, 120_000)
    const pid = async () => Number(await shell('pgrep -u shop -f "^/opt/platen"'))

    await until(
      'systemd',
      async () =>
        (await shell('systemctl is-system-running').catch(() => '')).match(/running|degraded/) ??
        undefined,
      120_000,
    )
    await shell(`mount -t tmpfs tmpfs /home/shop; mkdir -p ${RUNTIME} /home/shop/.config/platen`)
    await shell(
      `echo '${config}' >/home/shop/.config/platen/config.json; chown -R shop:shop /home/shop ${RUNTIME}`,
    )
    await shell(logIn)
    await until(
      'the systemd of the user',
      async () =>
        (await shell(`${asUser} systemctl --user is-active default.target`)).match(/^active/) ??
        undefined,
      120_000,
    )

    t.match(await service('status'), /not installed.*code 4/s)
    t.match(await service('install'), /starts at each login\. .*enable-linger\ncode 0/s)
    await answers('the server')
    t.match(await service('status'), /installed and runs.*code 0/s)
    const label = Buffer.from('^XA^FO50,50^FDby service^FS^XZ').toString('base64')
    const init = {
      method: 'POST',
      body: JSON.stringify({ label }),
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
    }
    t.match(await (await fetch(address, init)).json(), { jobs: [{ state: 'completed' }] })

    const first = await pid()
    await shell(`kill -9 ${first}`)
    await until(
      'another process',
      async () => (((await pid()) || first) === first ? undefined : true),
      120_000,
    )
    await answers('the server again')

    t.match(await shell(`${asUser} /opt/platen stop`), 'has stopped')
    await setTimeout(5_000) // longer than the pause before a restart
    t.equal(
      await info(),
      undefined,
      'who stopped it, e.g. to put a newer file there, has it stopped',
    )
    t.match(await service('status'), /does not run.*code 3/s)
    t.match(await service('install'), /code 0/)
    await answers('the server after its installation')

    await shell('systemctl stop login')
    t.equal(await info(), undefined, 'after the logout it has ended')
    await shell(logIn)
    await answers('the server after the next login')

    t.match(await service('remove'), /labels stay.*code 0/s)
    t.equal(await info(), undefined)
    t.match(await service('status'), /not installed.*code 4/s)
    t.match(await shell('ls /home/shop/.local/state/platen'), 'spool.db')
  },
)
