import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { UpdateResult } from '../../src/system/updates.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { makeLabel } from '../load/label.ts'
import { countPrinted } from '../power-cut/promises.ts'
import { Box } from './box.ts'
import { dropSettings, ILL, Knocker, loginHeader, makeRelease, type Release } from './release.ts'

// Boots the image with a repository of its own, and takes it from one version to the next and back.
const DEBS = process.env['IMAGE_DEBS'] ?? ''
const BOOT_MS = Number(process.env['BOOT_S'] ?? 900) * 1000
const UPDATE_MS = 2_400_000 // two minutes by itself; beside other work ten times that
const TOOLS = ['/usr/bin/qemu-system-aarch64', '/usr/bin/mcopy', '/usr/bin/apt-ftparchive']
const lacks = [...TOOLS, DEBS].filter((file) => !existsSync(file))
const skip =
  DEBS === ''
    ? 'make test-image-upgrade updates the SD image'
    : lacks.length > 0 && `this machine lacks ${lacks.join(', ')}`

t.setTimeout(7_200_000)

/** The running image and what the test does with it. */
async function start(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'platen-upgrade-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const release = await makeRelease(t, folder, DEBS)
  const printer = await TcpSink.open()
  const uri = `socket://10.0.2.2:${printer.port}`
  dropSettings(release.card, [{ name: 'Bench', uri, language: 'zpl', status: 'off' }])
  const box = await Box.start(release.card, join(folder, 'console.log'))
  t.teardown(async () => {
    await box.cut()
    printer.close()
  })
  const ask = async <T = object>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'content-type': 'application/json', ...loginHeader(), prefer: 'wait=0' }
    return (await (await box.fetch(path, { headers, ...init }, 240_000)).json()) as T
  }
  const post = async (mark: string) => {
    const label = Buffer.from(makeLabel(mark, 2_000)).toString('base64')
    // Its printer is off: the answer says so, and the label is taken all the same.
    t.match(await ask('/', { method: 'POST', body: JSON.stringify({ label }) }), { jobs: [{}] })
  }
  const last = async (): Promise<UpdateResult> =>
    (await ask<{ last: UpdateResult }>('/update')).last
  /** Told once for each of its steps; while the server changes nobody answers. */
  const steps = async function* () {
    for (let said = ''; ; await sleep(1_000)) {
      const now = await last().catch(() => undefined)
      if (now !== undefined && now.message !== said)
        t.comment(`${new Date().toISOString()} ${now.message}`)
      said = now?.message ?? said
      yield now
    }
  }
  /** Presses the button of the page; gives what came of it, once it has ended. */
  const update = async (): Promise<UpdateResult> => {
    const { at } = await last()
    t.match(await ask('/update', { method: 'POST' }), { Status: 'OK' })
    const end = Date.now() + UPDATE_MS
    for await (const now of steps()) {
      if (now !== undefined && now.at !== at && now.result !== 'running') return now
      if (Date.now() > end) break
    }
    throw new Error('the update does not end')
  }
  /** So many labels wait; now and then their printer is tried. */
  const waits = async (count: number): Promise<void> => {
    const end = Date.now() + 120_000
    let pending = 0
    while (pending !== count && Date.now() < end) {
      pending = (await ask<{ jobs: { pending: number } }>('/info')).jobs.pending
      await sleep(300)
    }
    t.equal(pending, count, `${count} labels wait`)
  }
  return { release, printer, box, ask, post, update, waits }
}

/** Prints the state of dpkg and the disks, a line each. */
const STATE = `
for i in $(seq 300); do [ "$(systemctl is-active platen-update.service)" = activating ] || break; sleep 1; done
dpkg-query -W -f '\${Package} \${Version} \${Status}\\n' platen platen-node platen-appliance
[ -w / ] && echo writable || echo read-only
ls /var/lib/platen-update
ls /tmp
systemctl --failed --no-legend --plain
`

/** Waits until each of these labels has come out, and checks that none came twice. */
async function printed(t: Test, printer: TcpSink, marks: readonly string[]): Promise<void> {
  await printer.up()
  const end = Date.now() + 600_000
  const missing = () => marks.filter((mark) => !countPrinted(printer).has(mark))
  while (missing().length > 0 && Date.now() < end) await sleep(1_000)
  const counts = countPrinted(printer)
  for (const mark of marks) t.equal(counts.get(mark), 1, `${mark} came out once`)
  await printer.down()
}

t.test(
  'the SD image is updated from its repository, and a bad version is undone',
  { skip, timeout: 7_200_000 },
  async (t) => {
    const { release, printer, box, ask, post, update, waits } = await start(t)
    const { version: first } = release
    const [next, never, ill] = [`${first}+1`, `${first}+2`, `${first}+3`]
    t.match(await (await box.untilAnswers('/info', BOOT_MS)).json(), { version: first })
    await printer.until(({ connections }) => connections.length > 0) // the start label
    await printer.down()
    const before = await ask('/config')
    const edited = { ...before, job_retention_hours: 71, label_width: 3.5 }
    t.match(await ask('/config', { method: 'PUT', body: JSON.stringify(edited) }), { Status: 'OK' })
    for (const mark of ['a1', 'a2', 'a3']) await post(mark)
    const knocker = new Knocker(box.port)

    await t.test('to the next version, with Node.js and the parts of the image', async (t) => {
      await release.publish(next)
      const node = await release.publishNode()
      t.match(await update(), { result: 'updated', from: first, to: next })
      t.match(await ask('/info'), { version: next })
      await waits(3)
      t.match(await ask('/config'), edited, 'the edited configuration holds')
      const state = await box.run(STATE)
      t.comment(state)
      for (const name of ['platen', 'platen-appliance'])
        t.match(state, `${name} ${next} install ok installed`)
      t.match(state, `platen-node ${node} install ok installed`)
      t.match(state, /^read-only$/m)
      t.notMatch(state, /under-way|^new$|tmp\./m)
      await printed(t, printer, ['a1', 'a2', 'a3'])
    })

    for (const mark of ['b1', 'b2']) await post(mark)
    await t.test('not to what its owner has not signed', async (t) => {
      await refuses(t, release, never, update)
      t.match(await ask('/info'), { version: next })
      await waits(2)
    })

    await t.test('not to a version that is not well', async (t) => {
      await release.publish(ill, ILL)
      t.match(await update(), {
        result: 'undone',
        from: next,
        to: ill,
        message: `Version ${ill} was installed but is not well. Version ${next} runs again.`,
      })
      t.match(await ask('/info'), { version: next })
      await waits(2)
      t.match(await ask('/config'), edited)
      const state = await box.run(STATE)
      t.comment(state)
      for (const name of ['platen', 'platen-appliance'])
        t.match(state, `${name} ${next} install ok installed`)
      t.match(state, /^read-only$/m)
      await printed(t, printer, ['b1', 'b2'])
    })

    t.same(knocker.refused, [], 'nobody was refused')
    t.comment(`${knocker.answered} requests answered, the longest after ${knocker.longestMs} ms`)
    await t.test('the count of refusals would have seen one', async (t) => {
      await box.run('systemctl stop platen.socket platen.service')
      const end = Date.now() + 120_000
      while (knocker.refused.length === 0 && Date.now() < end) await sleep(200)
      t.ok(knocker.refused.length > 0)
      await knocker.stop()
    })
  },
)

/** The three ways to change what was signed, and a list whose time is over. */
async function refuses(
  t: Test,
  release: Release,
  version: string,
  update: () => Promise<UpdateResult>,
): Promise<void> {
  const { repository } = release
  await release.publish(version)
  const changes: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['InRelease', (bytes) => Buffer.from(bytes.toString().replace('Origin: platen', 'Origin: x'))],
    ['Packages.xz', (bytes) => Buffer.concat([bytes, Buffer.alloc(8)])],
    ['.deb', (bytes) => bytes.fill(7, bytes.length - 9)],
  ]
  for (const [ending, change] of changes) {
    repository.tamper(ending, change)
    const { result, message } = await update()
    t.equal(result, 'refused', ending)
    t.match(message, /not what its owner signed, so nothing was installed/)
    repository.mend()
  }
  repository.expire()
  t.match(await update(), { result: 'stale', message: /too old to be trusted/ })
}
