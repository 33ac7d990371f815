// Cuts the power of the whole image in QEMU under load, during updates and while it boots, with what was not flushed lost
// at random, and boots it again each time:
//   node test/image/power-cut.ts DEBS [CUTS] [SEED]     as root; DEBS: the image's packages; see make power-cut-image
// One line for each cut and each broken promise; exit 1 when there is one. One boot a cut: 20 cuts take an hour.
import { mkdtempSync, rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UpdateResult } from '../../src/system/updates.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { type Loaded, sendLabels } from '../power-cut/load.ts'
import { NbdDisk } from '../power-cut/nbd-disk.ts'
import { checkPrinted, checkSpool, type Sent } from '../power-cut/promises.ts'
import { makeRandom } from '../random.ts'
import { Box } from './box.ts'
import { lookAtCard } from './look-at-card.ts'
import { dropSettings, loginHeader, makeRelease, type Release } from './release.ts'

const BOOT_MS = Number(process.env['BOOT_S'] ?? 900) * 1000
const KINDS = ['boot', 'load', 'update', 'load', 'update'] as const
// The power goes in the midst of a write, or the disk's cache would mostly be empty.
const MOST_WRITES = 20
const WRITE_MS = 20_000
const SHARES = [0, 0.1, 0.5, 0.9] // of the sectors in the cache that come through
const CLIENTS = 4
// A boot takes 60 s, an installation 30 s on a quiet machine: the cuts fall all over them, on a slow one too.
const BOOT_QUIET_MS = 60_000
const CUT_MS = { boot: 60_000, load: 8_000, update: 40_000, early: 25_000 }

/** After a boot: waits until what an update left is mended; what the box says then, a line each. */
const STATE = `
for i in $(seq 300); do
  [ -e /var/lib/platen-update/under-way ] || [ "$(systemctl is-active platen-update-recover.service)" = activating ] || break
  sleep 1
done
dpkg-query -W -f 'package \${Package} \${Version} \${Status}\\n' platen platen-node platen-appliance
[ -w / ] && echo 'fault: the root is writable'
[ -e /var/lib/platen-update/under-way ] && echo 'fault: an update is still under way'
dmesg | grep -E 'EXT4-fs (error|.*remounting)|I/O error' | sed 's/^/fault: /'
systemctl --failed --no-legend --plain | sed 's/^/fault: /'
ls /var/lib/platen | grep corrupt | sed 's/^/fault: /'
journalctl -u platen-update-recover.service -o cat --no-pager | grep -E 'power failed|is installed|broken off' | sed 's/^/said: /'
`

/** The box that is cut again and again, and what must be true of it. */
class Rig {
  readonly faults: string[] = []
  readonly #release: Release
  readonly #work: string
  readonly #random: () => number
  readonly #sink: TcpSink
  readonly #sent: Sent = new Map()
  /** Slowness of this machine at its last boot, as a multiple of a quiet one. */
  #pace = 1
  #boot = ''
  #mark = 0
  #wanted: readonly string[]
  lost = 0
  updates = 0

  constructor(release: Release, work: string, sink: TcpSink, random: () => number) {
    this.#release = release
    this.#work = work
    this.#sink = sink
    this.#random = random
    this.#wanted = [release.version]
  }

  get labels(): number {
    return this.#sent.size
  }

  /** Boots from what the last cut has left, checks it, uses it, and cuts. */
  async cut(turn: number): Promise<void> {
    const kind = KINDS[turn % KINDS.length] ?? 'load'
    const disk = await NbdDisk.open(this.#release.card, join(this.#work, `nbd-${turn}`))
    const env = { DISK: `nbd+unix:///?socket=${join(this.#work, `nbd-${turn}`)}` }
    const log = join(this.#work, `console-${turn}.log`)
    const box = await Box.start(this.#release.card, log, 'boot-virt', env)
    const share = SHARES[Math.floor(this.#random() * SHARES.length)] ?? 0
    const stop = new AbortController()
    let told = ''
    try {
      if (kind === 'boot') {
        await untilPowered(log)
        const ms = this.#random() * CUT_MS.boot * this.#pace
        await sleep(ms)
        told = `${Math.round(ms / 1000)} s after power on`
      } else {
        told = await this.#check(box, turn)
        told += await (kind === 'load'
          ? this.#load(box, stop.signal)
          : this.#update(box, turn, stop.signal))
      }
    } catch (error) {
      this.#note(turn, [String(error)])
    }
    const lost = await disk.cutAtWrite(this.#random, share, {
      count: 1 + Math.floor(this.#random() * MOST_WRITES),
      patienceMs: WRITE_MS,
    })
    await box.cut()
    stop.abort()
    this.lost += lost
    const look = await this.look(turn)
    console.log(
      `cut ${turn + 1} (${kind}): ${told}; ${this.labels} labels accepted, ${lost} sectors lost; then: ${look}`,
    )
  }

  /** Checks what the cut has left, read from outside. */
  async look(turn: number): Promise<string> {
    const { faults, state, packages, boot } = await lookAtCard(this.#release.card, this.#work)
    const broken = [...(await checkSpool(state, this.#sent)), ...checkPrinted(this.#sink)]
    this.#note(turn, [...faults, ...broken])
    if (this.#boot !== '' && this.#boot !== boot) this.#note(turn, ['the boot files have changed'])
    this.#boot = boot
    return packages
  }

  /** The last boot. */
  async finish(turn: number): Promise<void> {
    const box = await Box.start(this.#release.card, join(this.#work, `console-${turn}.log`))
    console.log(`last boot: ${await this.#check(box, turn)}`)
    await box.cut()
    this.#note(turn, checkPrinted(this.#sink))
  }

  /** Comes up, serves, and is one whole version. */
  async #check(box: Box, turn: number): Promise<string> {
    await untilPowered(box.log)
    const began = Date.now()
    await box.untilAnswers('/healthz', BOOT_MS)
    this.#pace = Math.max(1, (Date.now() - began) / BOOT_QUIET_MS)
    const seconds = Math.round((Date.now() - began) / 1000)
    const state = await box.run(STATE, 600_000)
    const lines = (start: string): readonly string[] =>
      state
        .split('\n')
        .flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []))
    this.#note(turn, lines('fault: '))
    const packages = lines('package ').map((line) => line.split(' '))
    for (const words of packages) {
      if (words.slice(2).join(' ') !== 'install ok installed') this.#note(turn, [words.join(' ')])
    }
    const versions = new Set(
      packages.flatMap(([name, version = '']) => (name === 'platen-node' ? [] : [version])),
    )
    const { version } = (await (await box.untilAnswers('/healthz', BOOT_MS)).json()) as {
      version: string
    }
    if (versions.size !== 1 || !versions.has(version) || !this.#wanted.includes(version)) {
      this.#note(turn, [
        `version ${version} answers, ${[...versions]} are installed, wanted ${this.#wanted}`,
      ])
    }
    this.#wanted = [version]
    const said = lines('said: ').at(-1)
    return `answers after ${seconds} s, version ${version}${said === undefined ? '' : `, "${said}"`}; `
  }

  async #load(box: Box, signal: AbortSignal): Promise<string> {
    for (let n = 0; n < CLIENTS; n += 1) void sendLabels(this.#loaded(box, 0.7), this.#sent, signal)
    await sleep(1_000 + this.#random() * CUT_MS.load)
    return 'loaded'
  }

  /** Presses the button of the page and waits until the cut is due; labels come in meanwhile, for the printer that is off. */
  async #update(box: Box, turn: number, signal: AbortSignal): Promise<string> {
    const version = `${this.#release.version}+${turn}`
    await this.#release.publish(version)
    this.#wanted = [...this.#wanted, version]
    this.updates += 1
    const init = { method: 'POST', headers: loginHeader() }
    const { at } = await readLast(box)
    await box.fetch('/update', init, 240_000)
    void sendLabels(this.#loaded(box, 0), this.#sent, signal)
    const isEarly = this.#random() < 0.2
    const due = this.#random() * (isEarly ? CUT_MS.early : CUT_MS.update) * this.#pace
    if (!isEarly) await untilInstalls(box, at)
    await sleep(due)
    // May be too busy to tell.
    const last = await readLast(box, 5_000).catch(() => undefined)
    return `update to ${version}, cut ${Math.round(due / 1000)} s after ${isEarly ? 'the button' : 'its installation began'} ("${last?.message ?? 'no answer'}")`
  }

  #loaded(box: Box, onShare: number): Loaded {
    const address = `http://127.0.0.1:${box.port}/`
    return {
      address,
      onShare,
      random: this.#random,
      nextMark: () => `${process.pid}.${this.#mark++}`,
    }
  }

  #note(turn: number, faults: readonly string[]): void {
    for (const fault of faults) {
      this.faults.push(`cut ${turn + 1}: ${fault}`)
      console.log(`  fault: ${fault}`)
    }
  }
}

async function readLast(box: Box, limitMs = 240_000): Promise<UpdateResult> {
  const response = await box.fetch('/update', { headers: loginHeader() }, limitMs)
  return ((await response.json()) as { last: UpdateResult }).last
}

/** Resolves when the machine has begun to say something. */
async function untilPowered(log: string): Promise<void> {
  const end = Date.now() + BOOT_MS
  while ((await stat(log).catch(() => undefined))?.size === undefined) {
    if (Date.now() > end) throw new Error(`QEMU does not start; see ${log}`)
    await sleep(200)
  }
}

/** Resolves when packages are being installed; @throws when the update ends without. */
async function untilInstalls(box: Box, before: string): Promise<void> {
  const end = Date.now() + BOOT_MS
  for (;;) {
    const { result, message, at } = await readLast(box)
    if (message.startsWith('Installs')) return
    if ((at !== before && result !== 'running') || Date.now() > end)
      throw new Error(`nothing was installed: ${message}`)
    await sleep(300)
  }
}

async function main(debs: string, cuts: number, seed: number): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), 'platen-power-image-'))
  const ends: (() => unknown)[] = [() => rmSync(work, { recursive: true, force: true })]
  try {
    const sink = await TcpSink.open()
    ends.push(() => sink.close())
    const release = await makeRelease({ teardown: (end) => ends.push(end) }, work, debs)
    dropSettings(release.card, [
      { name: 'On', uri: `socket://10.0.2.2:${sink.port}`, language: 'zpl', status: 'off' },
      { name: 'Off', uri: 'socket://10.0.2.2:9', language: 'zpl', status: 'off' },
    ])
    const rig = new Rig(release, work, sink, makeRandom(seed))
    await rig.look(-1)
    for (let turn = 0; turn < cuts; turn += 1) await rig.cut(turn)
    await rig.finish(cuts)
    for (const fault of rig.faults.slice(0, 50)) console.log(fault)
    console.log(
      `seed ${seed}: ${cuts} cuts, ${rig.updates} of them in an update, ${rig.labels} labels accepted, ${rig.lost} sectors lost, ${rig.faults.length} promises broken`,
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

const [debs = '', cuts = '20', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2)
process.exit(await main(debs, Number(cuts), Number(seed)))
