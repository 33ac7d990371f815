import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { UpdateResult } from '../../src/system/updates.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { ILL, Knocker } from '../image/release.ts'
import { makeLabel } from '../load/label.ts'
import { countPrinted } from '../power-cut/promises.ts'
import { bootDebian, inside, make, unpackDebian } from './debian.ts'
import { derivePackage } from './derive.ts'
import { openRepository } from './repository.ts'

// The packages in a Debian whose real systemd runs, on a read-only root as the SD image has it, without a virtual machine:
// its units, sockets and timers are what is tested. make test-update starts it, in a network namespace of its own.
const skip = process.env['LIVE_UPDATE'] === undefined && 'make test-update runs it'
const PORT = 8080
const LIMIT_MS = 600_000

t.setTimeout(3_600_000)

/** Version 1.0.0 on the disk of a Debian that has been booted. */
async function start(t: Test) {
  const { folder, root } = await unpackDebian(t, 'amd64')
  const debs = join(folder, 'debs')
  await make('deb.sh', [debs, 'amd64'], { VERSION: '1.0.0' })
  const files = readdirSync(debs).map((name) => join(debs, name))
  const find = (name: string) => files.find((file) => file.startsWith(`${join(debs, name)}_`)) ?? ''
  const repository = await openRepository(t, folder, files)
  const printer = await TcpSink.open()
  await printer.down()
  t.teardown(() => printer.close())
  const printers = [{ name: 'Bench', uri: printer.uri, language: 'zpl', status: 'off' }]
  const config = { host: 'localhost', port: String(PORT), open_browser: false, printers }
  mkdirSync(join(root, 'etc/platen'))
  writeFileSync(join(root, 'etc/platen/config.json'), JSON.stringify(config))
  writeFileSync(join(root, 'etc/apt/sources.list.d/platen-stable.sources'), repository.sources)
  for (const file of files) copyFileSync(file, join(root, 'root', file.slice(debs.length + 1)))
  // Devices are the host's business here.
  const off = 'systemd-networkd-wait-online systemd-udevd systemd-udev-trigger'
  const installed = await inside(
    root,
    `dpkg -i /root/*.deb && rm /root/*.deb && systemctl mask ${off} && echo 11111111111111111111111111111111 >/etc/machine-id`,
  )
  t.equal(installed.code, 0, installed.text)
  const shell = await bootDebian(t, folder, root)
  const ask = async <T = object>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'content-type': 'application/json', prefer: 'wait=0' }
    const signal = AbortSignal.timeout(120_000)
    return (await (
      await fetch(`http://127.0.0.1:${PORT}${path}`, { headers, signal, ...init })
    ).json()) as T
  }
  const post = async (mark: string) => {
    const label = Buffer.from(makeLabel(mark, 2_000)).toString('base64')
    t.match(await ask('/', { method: 'POST', body: JSON.stringify({ label }) }), { jobs: [{}] })
  }
  const last = async (): Promise<UpdateResult> =>
    (await ask<{ last: UpdateResult }>('/update')).last
  /** Returns the result of the update that `begin` asks for, once it has ended. */
  const update = async (begin: () => Promise<unknown>): Promise<UpdateResult> => {
    const { at } = await last()
    await sleep(1_100) // its times are whole seconds
    await begin()
    const end = Date.now() + LIMIT_MS
    for (;;) {
      const now = await last().catch(() => undefined) // a version may fall over
      if (now !== undefined && now.at !== at && now.result !== 'running') return now
      if (Date.now() > end) throw new Error(`the update does not end: ${now?.message}`)
      await sleep(300)
    }
  }
  const press = () => update(() => ask('/update', { method: 'POST' }))
  const publish = async (version: string, fault?: string) =>
    repository.publish(
      derivePackage(find('platen'), fault === undefined ? { version } : { version, fault }),
    )
  const publishNode = () =>
    repository.publish(derivePackage(find('platen-node'), { version: '99.0.0' }))
  return { repository, printer, shell, ask, post, press, update, publish, publishNode }
}

/** Prints the state of dpkg and the disks once the update's unit has ended. */
const STATE = `for i in $(seq 300); do [ "$(systemctl is-active platen-update.service)" = activating ] || break; sleep 1; done
dpkg-query -W platen platen-node; [ -w / ] && echo writable || echo read-only; ls /var/lib/platen-update /tmp
ls /var/lib/dpkg/updates; systemctl is-active platen.socket platen-update.path platen-update.timer; journalctl -o cat -u platen-update -n 20 --no-pager`

async function untilUp(box: Awaited<ReturnType<typeof start>>): Promise<void> {
  const end = Date.now() + LIMIT_MS
  for (;;) {
    try {
      await box.ask('/healthz')
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(300)
    }
  }
}

t.test('under a real systemd the box goes from version to version', { skip }, async (t) => {
  const box = await start(t)
  await untilUp(box)
  t.match(await box.ask('/info'), { version: '1.0.0' })
  const before = await box.ask('/config')
  const edited = { ...before, job_retention_hours: 71 }
  t.match(await box.ask('/config', { method: 'PUT', body: JSON.stringify(edited) }), {
    Status: 'OK',
  })
  for (const mark of ['a1', 'a2', 'a3']) await box.post(mark)
  const waits = async (t: Test, count: number) => {
    const end = Date.now() + 60_000
    const pending = async () => (await box.ask<{ jobs: { pending: number } }>('/info')).jobs.pending
    // Now and then their printer is tried.
    while ((await pending()) !== count && Date.now() < end) await sleep(100)
    t.equal(await pending(), count, `${count} labels wait`)
  }
  const isRunning = async (t: Test, version: string, node: RegExp) => {
    t.match(await box.ask('/info'), { version })
    t.match(await box.ask('/config'), edited, 'the edited configuration holds')
    const state = await box.shell(STATE)
    t.match(state, new RegExp(`^platen\\t${version}$`, 'm'))
    t.match(state, node)
    t.match(state, /^read-only$/m, state)
    t.notMatch(state, /under-way|^new$|^tmp\./m)
    t.match(state, /active\nactive\nactive/)
  }
  const NODE = /^platen-node\t99\.0\.0$/m

  await t.test(
    'by itself only at night, or at the hours that somebody gave the timer',
    async (t) => {
      const noon = () =>
        box.shell('NOW=2026-11-21T12:00:00Z STEADY_S=1 /usr/lib/platen/update --night')
      // At the start it looks whether there is something to mend, and holds the lock meanwhile.
      await box.shell('systemctl start platen-update-recover.service')
      t.match(await noon(), /^It is 12:00: newer versions are looked for between 2:00 and 5:00/)
      const folder = '/run/systemd/system/platen-update.timer.d'
      await box.shell(`mkdir -p ${folder}
      printf '[Timer]\\nOnCalendar=\\nOnCalendar=12:00\\n' >${folder}/override.conf; systemctl daemon-reload`)
      t.match(await noon(), /^Version 1\.0\.0 is the newest one/m)
      await box.shell(`rm -r ${folder}; systemctl daemon-reload`)
      t.match(await noon(), /^It is 12:00: /)
      t.match(
        await box.shell('systemctl cat platen-update.service'),
        /^ExecStart=.*\/update --night$/m,
      )
    },
  )

  await t.test('its settings give root nothing to do but to listen', async (t) => {
    const attack =
      '::\rExecStartPre=/bin/sh\rStandardInput=file:/etc/platen/config.json\rListenStream=8080\r#'
    const hostile = { ...edited, host: attack, username: '$(id >/run/taken)' }
    const answer = await box.ask('/config', { method: 'PUT', body: JSON.stringify(hostile) })
    t.match(answer, { code: 'CONFIG_INVALID' })
    // Whoever took the server over writes the file itself, and puts links where root could follow them.
    const text =
      await box.shell(`listeners() { systemctl cat platen.socket platen-web.socket platen-ipp.socket platen-secure.socket; }
      as='setpriv --reuid=platen --regid=platen --clear-groups'
      listeners >/run/before; cp -p /etc/platen/config.json /run/good.json
      for host in '::\\rExecStartPre=/bin/sh\\rStandardInput=file:/etc/platen/config.json\\r#' '::\\nExecStartPre=/bin/sh' '$(id >/run/taken)'; do
        printf '{"host":"%s","port":"8080"}' "$host" | $as sh -c 'cat >/etc/platen/config.json'
        systemctl restart platen-ports.service
      done
      rm /etc/platen/config.json; $as ln -s /etc/shadow /etc/platen/config.json; systemctl restart platen-ports.service
      systemctl show -p Result --value platen-ports.service
      rm /etc/platen/config.json; cp -p /run/good.json /etc/platen/config.json
      listeners | cmp - /run/before && echo nothing changed; ls /run/taken; journalctl -o cat -u platen-ports -n 20 --no-pager`)
    t.match(text, /^success\nnothing changed\n/, text)
    t.match(text, /cannot access '\/run\/taken'/)
    t.match(text, /cannot be read \(platen --check-config says why\): the ports stay as they are/)
  })

  await t.test('another port is taken at once, and the first one again', async (t) => {
    const text = await box.shell(`cp -p /etc/platen/config.json /run/good.json
      move() { sed "s/\\"port\\": \\"[0-9]*\\"/\\"port\\": \\"$1\\"/" /run/good.json >/run/new.json; cat /run/new.json >/etc/platen/config.json
        for i in $(seq 120); do
          env -u NODE_EXTRA_CA_CERTS /usr/lib/platen/bin/node -e 'fetch(process.argv[1]).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))' "http://127.0.0.1:$1/healthz" && echo "listens on $1" && return
          sleep 0.5
        done
        echo "not on $1"; systemctl status platen.service platen.socket platen-ports.service; }
      move 8090; move ${PORT}
      for i in $(seq 120); do systemctl list-jobs | grep -q '^No jobs' && break; sleep 0.5; done
      systemctl is-active platen.socket platen-web.socket platen-ipp.socket platen-secure.socket platen.service; systemctl list-jobs`)
    t.match(text, /^listens on 8090$/m, text)
    t.match(text, /^listens on 8080$/m, text)
    t.match(text, /^active\nactive\nactive\nactive\nNo jobs/m, text)
    await untilUp(box)
  })

  const knocker = new Knocker(PORT)
  await t.test('to the next one, with another Node.js', async (t) => {
    await box.publish('1.1.0')
    await box.publishNode()
    t.match(await box.press(), { result: 'updated', from: '1.0.0', to: '1.1.0' })
    await isRunning(t, '1.1.0', NODE)
    await waits(t, 3)
  })

  await t.test('back, when a person says so, and forth again', async (t) => {
    const back = () => box.shell('platen update --back')
    t.match(await box.update(back), { result: 'undone', from: '1.1.0', to: '1.0.0' })
    await isRunning(t, '1.0.0', /^platen-node\t24\./m)
    t.match(await box.press(), { result: 'updated', to: '1.1.0' })
    await isRunning(t, '1.1.0', NODE)
    await waits(t, 3)
  })

  await t.test('not to what its owner has not signed, or signed long ago', async (t) => {
    await box.publish('1.2.0')
    const changes: readonly [string, (bytes: Buffer) => Buffer][] = [
      [
        'InRelease',
        (bytes) => Buffer.from(bytes.toString().replace('Origin: platen', 'Origin: x')),
      ],
      ['Packages.xz', (bytes) => Buffer.concat([bytes, Buffer.alloc(8)])],
      ['.deb', (bytes) => bytes.fill(7, bytes.length - 9)],
    ]
    for (const [ending, change] of changes) {
      box.repository.tamper(ending, change)
      const { result, message } = await box.press()
      t.equal(result, 'refused', ending)
      t.match(message, /not what its owner signed, so nothing was installed/)
      box.repository.mend()
    }
    box.repository.expire()
    t.match(await box.press(), { result: 'stale', message: /too old to be trusted/ })
  })

  const undoes = async (t: Test, version: string, fault: string): Promise<string> => {
    await box.publish(version, fault)
    const { message, ...rest } = await box.press()
    t.match(rest, { result: 'undone', from: '1.1.0', to: version })
    t.match(message, /Version 1\.1\.0 runs again\.$/)
    t.comment(message)
    return message
  }
  await t.test('not to one that is ill, or does not start', async (t) => {
    await undoes(t, '1.3.0', ILL)
    t.match(await undoes(t, '1.4.0', 'throw new Error("broken")\n'), /could not be installed/)
    await isRunning(t, '1.1.0', NODE)
    await waits(t, 3)
  })

  t.same(knocker.refused, [], 'nobody was refused')
  t.comment(`${knocker.answered} requests answered, the longest after ${knocker.longestMs} ms`)
  await t.test('the count of refusals would have seen one', async (t) => {
    await box.shell('systemctl stop platen.socket platen.service')
    const end = Date.now() + 60_000
    while (knocker.refused.length === 0 && Date.now() < end) await sleep(100)
    t.ok(knocker.refused.length > 0)
    await knocker.stop()
    await box.shell('systemctl start platen.socket platen.service')
  })

  await t.test('not to one that falls over after a while', async (t) => {
    // Whoever is connected when it does is cut off: not counted above.
    await undoes(t, '1.5.0', 'setTimeout(() => process.exit(1), 6_000)\n')
    await isRunning(t, '1.1.0', NODE)
    await waits(t, 3)
  })

  await t.test('to one that finds settings which cannot be read, and says so', async (t) => {
    await box.publish('1.6.0')
    const text = await box.shell(`mount -o remount,rw /
      cp -p /etc/platen/config.json /root/good.json; printf '{' >/etc/platen/config.json
      apt-get -q update && apt-get -y -q --no-install-recommends install platen=1.6.0; echo apt ended with $?
      dpkg-query -W -f '\${Status} \${Version}\n' platen; platen --check-config --config /etc/platen/config.json
      cp -p /root/good.json /etc/platen/config.json; rm /root/good.json
      systemctl reset-failed platen.service; systemctl restart platen.service; mount -o remount,ro /`)
    t.match(text, /^platen: the print server did not start\. This says why: platen --check-config/m)
    t.match(text, /^apt ended with 0$/m, text)
    t.match(text, /^install ok installed 1\.6\.0$/m)
    t.match(text, /config\.json: line 1, column 2: /)
    await isRunning(t, '1.6.0', NODE)
    await waits(t, 3)
  })

  await t.test('and what a person switched off stays off', async (t) => {
    await box.shell(`mount -o remount,rw /; systemctl disable --now platen-ports.path
      systemctl mask --now platen-web.socket; mount -o remount,ro /`)
    await box.publish('1.7.0')
    t.match(await box.press(), { result: 'updated', to: '1.7.0' })
    const units = 'platen-ports.path platen-web.socket platen-update.timer'
    t.match(await box.shell(`systemctl is-active ${units}`), /^inactive\ninactive\nactive\n/)
    await box.shell('mount -o remount,rw /; systemctl unmask platen-web.socket')
  })

  await t.test('removed and installed again it starts as before', async (t) => {
    const text =
      await box.shell(`apt-get -y -q remove platen; systemctl is-active platen.socket platen.service
      apt-get -y -q --no-install-recommends install platen=1.7.0
      systemctl is-enabled platen.service platen-web.socket platen-update.timer platen-ports.path
      systemctl is-active platen.service platen-web.socket platen-update.timer; mount -o remount,ro /`)
    t.match(
      text,
      /^inactive\ninactive\n[\s\S]*^enabled\nenabled\nenabled\ndisabled\nactive\nactive\nactive\n/m,
    )
    await isRunning(t, '1.7.0', NODE)
    await waits(t, 3)
  })

  await t.test('and every label came out once', async (t) => {
    await box.printer.up()
    const end = Date.now() + LIMIT_MS
    while (countPrinted(box.printer).size < 3 && Date.now() < end) await sleep(300)
    const counts = [...countPrinted(box.printer)].sort()
    t.same(counts, [
      ['a1', 1],
      ['a2', 1],
      ['a3', 1],
    ])
  })
})
