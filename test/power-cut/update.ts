// Cuts the power of the disk under an update of the Debian packages, again and again, with what was not flushed lost at
// random, and lets the next start mend it:
//   node test/power-cut/update.ts [CUTS] [SEED]     as root; needs what run.ts needs, and mmdebstrap, gpg, apt-ftparchive
// One line for each cut and each broken promise; exit 1 when there is one.
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findClosedPort } from '../listen.ts'
import { makeLabel } from '../load/label.ts'
import { type Ended, inside, make, type Owner, unpackDebian } from '../packages/debian.ts'
import { derivePackage } from '../packages/derive.ts'
import { openRepository, type Repository } from '../packages/repository.ts'
import { makeRandom } from '../random.ts'
import { type Card, insertCard } from './card.ts'
import { checkSpool, type Sent } from './promises.ts'

const run = promisify(execFile)
const DISK_BYTES = 1_200 * 2 ** 20
const SHARES = [0, 0.1, 0.5, 0.9] // of the sectors in the cache that come through
const UPDATE = '/usr/lib/platen/update'
const FIRST = '1.0.0'
const PATIENCE_MS = 120_000
const EARLY = 0.15 // of the cuts come before anything is installed
const CUT_MS = { early: 6_000, late: 9_000 }

/** A plain Debian with version 1.0.0 on a disk, and the repository of its updates. */
interface Installed {
  readonly work: string
  readonly disk: string
  readonly port: number
  readonly repository: Repository
  /** The package of the first version. */
  readonly deb: string
}

async function install(owner: Owner): Promise<Installed> {
  const { folder: work, root } = await unpackDebian(owner, 'amd64')
  const debs = join(work, 'debs')
  await make('deb.sh', [debs, 'amd64'], { VERSION: FIRST })
  const deb = join(debs, `platen_${FIRST}_amd64.deb`)
  const repository = await openRepository(owner, work, [deb])
  const port = await findClosedPort()
  const printers = [{ name: 'Off', uri: 'socket://127.0.0.1:9', language: 'zpl', status: 'off' }]
  const config = { host: 'localhost', port: String(port), open_browser: false, printers }
  mkdirSync(join(root, 'etc/platen'))
  writeFileSync(join(root, 'etc/platen/config.json'), JSON.stringify(config))
  writeFileSync(join(root, 'etc/apt/sources.list.d/platen-stable.sources'), repository.sources)
  for (const name of readdirSync(debs)) copyFileSync(join(debs, name), join(root, 'root', name))
  const installed = await inside(root, 'dpkg -i /root/*.deb && rm /root/*.deb')
  if (installed.code !== 0) throw new Error(installed.text)
  const systemctl = join(root, 'usr/bin/systemctl')
  rmSync(systemctl)
  execFileSync('install', [
    '-m',
    '755',
    join(import.meta.dirname, '../packages/systemctl.sh'),
    systemctl,
  ])
  const disk = join(work, 'disk.img')
  await run('truncate', ['-s', String(DISK_BYTES), disk])
  await run('mke2fs', ['-q', '-t', 'ext4', '-m', '0', '-d', root, disk])
  return { work, disk, port, repository, deb }
}

/**
 * The box on the disk that is cut again and again, and what must be true of it. This process serves the disk: it must never
 * wait for a file on it in a synchronous call.
 */
class Rig {
  readonly faults: string[] = []
  readonly #box: Installed
  readonly #random: () => number
  readonly #sent: Sent = new Map()
  #wanted: readonly string[] = [FIRST]
  lost = 0
  half = 0

  constructor(box: Installed, random: () => number) {
    this.#box = box
    this.#random = random
  }

  get labels(): number {
    return this.#sent.size
  }

  /** Starts from what the last cut has left, mends it, checks it, updates, and cuts. */
  async cut(turn: number): Promise<void> {
    const { work, disk } = this.#box
    const card = await insertCard(work, disk, turn)
    const share = SHARES[Math.floor(this.#random() * SHARES.length)] ?? 0
    let told = ''
    let update: Promise<Ended> | undefined
    try {
      told = await this.#start(card, turn)
      await this.#post(turn)
      update = this.#beginUpdate(card, turn)
      await this.#untilDue(card, update)
      told += `, ${await readState(card.folder)}`
    } catch (error) {
      this.#note(turn, [String(error)])
    }
    const lost = await card.cut(this.#random, share, { kill: () => endInside(card.folder) })
    await update
    this.lost += lost
    console.log(`cut ${turn + 1}: ${told}, ${lost} sectors lost`)
  }

  /** The last look. */
  async finish(turn: number): Promise<void> {
    const card = await insertCard(this.#box.work, this.#box.disk, turn)
    console.log(`last start: ${await this.#start(card, turn)}`)
    await card.cut(this.#random, 1, { kill: () => endInside(card.folder) })
  }

  /**
   * Starts what systemd starts: the server, then the program that mends an update.
   * @throws when it does not serve
   */
  async #start({ folder }: Card, turn: number): Promise<string> {
    this.#note(turn, await checkSpool(join(folder, 'var/lib/platen'), this.#sent))
    await run('sh', ['-c', `cd ${folder} && rm -rf run/* tmp/* && mkdir -p run/systemd/system`])
    const found = await readState(folder)
    if (!found.endsWith(' not half')) this.half += 1
    await inside(folder, 'systemctl restart platen.service')
    const { code, text } = await inside(folder, `HEALTH_S=60 STEADY_S=1 ${UPDATE} --recover`)
    if (code !== 0) this.#note(turn, [`not mended: ${text}`])
    const version = await this.#serves()
    const state = await readState(folder)
    if (state !== `platen ${version} not half` || !this.#wanted.includes(version))
      this.#note(turn, [`${version} answers, wanted ${this.#wanted}; dpkg: ${state}`])
    if (await exists(join(folder, 'var/lib/platen-update/under-way')))
      this.#note(turn, ['an update is still under way'])
    this.#wanted = [version]
    return `found ${found}; "${text.trim()}" ${version} answers`
  }

  async #serves(): Promise<string> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      try {
        const response = await fetch(`http://127.0.0.1:${this.#box.port}/healthz`)
        if (response.status === 200) return ((await response.json()) as { version: string }).version
      } catch (error) {
        if (Date.now() > end) throw error
      }
      if (Date.now() > end) throw new Error('the server is not well')
      await sleep(100)
    }
  }

  async #post(turn: number): Promise<void> {
    for (const n of [1, 2, 3]) {
      const label = makeLabel(`${turn}.${n}`, 100 + Math.floor(this.#random() * 6_000))
      const response = await fetch(`http://127.0.0.1:${this.#box.port}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'wait=0' },
        body: JSON.stringify({ printer: 'Off', label: Buffer.from(label).toString('base64') }),
      })
      const { jobs } = (await response.json()) as { jobs: readonly { id: string }[] }
      for (const { id } of jobs) this.#sent.set(id, label)
    }
  }

  async #beginUpdate({ folder }: Card, turn: number): Promise<Ended> {
    const version = `1.${turn + 1}.0`
    await this.#box.repository.publish(derivePackage(this.#box.deb, { version }))
    this.#wanted = [...this.#wanted, version]
    return await inside(folder, `HEALTH_S=60 STEADY_S=1 BUSY_S=60 ${UPDATE} --now`)
  }

  /** Resolves at a random moment of the update. */
  async #untilDue({ folder }: Card, update: Promise<Ended>): Promise<void> {
    if (this.#random() < EARLY) return await sleep(this.#random() * CUT_MS.early)
    let isOver = false
    void update.then(() => {
      isOver = true
    })
    const mark = join(folder, 'var/lib/platen-update/under-way')
    while (!(await exists(mark))) {
      if (isOver) throw new Error(`nothing was installed: ${(await update).text}`)
      await sleep(20)
    }
    await sleep(this.#random() * CUT_MS.late)
  }

  #note(turn: number, faults: readonly string[]): void {
    for (const fault of faults) {
      this.faults.push(`before cut ${turn + 1}: ${fault}`)
      console.log(`  fault: ${fault}`)
    }
  }
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}

/** Reads dpkg's notes on our package. */
async function readState(root: string): Promise<string> {
  const status = await readFile(join(root, 'var/lib/dpkg/status'), 'latin1')
  const entry = status.split('\n\n').find((one) => one.startsWith('Package: platen\n')) ?? ''
  const updates = await readdir(join(root, 'var/lib/dpkg/updates'))
  const notes = updates.filter((name) => /^\d+$/.test(name)).length
  const unpacked = await readdir(join(root, 'usr/lib/platen'))
  const files = unpacked.filter((name) => /\.dpkg-/.test(name)).length
  const isWhole = entry.includes('\nStatus: install ok installed\n') && notes + files === 0
  const word = /^Status: install ok (.*)$/m.exec(entry)?.[1]
  const half = `half: ${word}, ${notes} notes, ${files} files`
  return `platen ${/^Version: (.*)$/m.exec(entry)?.[1]} ${isWhole ? 'not half' : half}`
}

/** Ends what runs with this folder as its root. */
function endInside(folder: string): Promise<void> {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${pid}/root`) === folder) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
  return Promise.resolve()
}

async function main(cuts: number, seed: number): Promise<number> {
  const ends: (() => unknown)[] = []
  try {
    const box = await install({ teardown: (end) => ends.push(end) })
    const rig = new Rig(box, makeRandom(seed))
    for (let turn = 0; turn < cuts; turn += 1) await rig.cut(turn)
    await rig.finish(cuts)
    for (const fault of rig.faults.slice(0, 50)) console.log(fault)
    console.log(
      `seed ${seed}: ${cuts} cuts in an update, ${rig.half} left dpkg half done, ${rig.labels} labels accepted, ${rig.lost} sectors lost, ${rig.faults.length} promises broken`,
    )
    return rig.faults.length === 0 ? 0 : 1
  } finally {
    for (const end of ends.reverse()) {
      try {
        await end()
      } catch (error) {
        console.log(String(error)) // else it would hide why the run ended
      }
    }
  }
}

const [cuts = '50', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2)
process.exit(await main(Number(cuts), Number(seed)))
