// Cuts the power of the spool's disk under load, again and again, with what was not flushed lost at random:
//   node test/power-cut/run.ts [CUTS] [SEED]      as root; needs nbdfuse (libnbd-bin, fuse3), losetup, mkfs.ext4
// One faults line for each broken promise; exit 1 when there is one.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TcpSink } from '../devices/tcp-sink.ts'
import { makeRandom } from '../random.ts'
import { type Box, startBox } from './box.ts'
import { insertCard, makeImage } from './card.ts'
import { checkPrinted, checkSpool, type Sent } from './promises.ts'

const IMAGE_BYTES = 96 * 2 ** 20
const FRESH_EVERY = 50 // cuts; what waits for the printer that is off would fill the disk
const SHARES = [0, 0.1, 0.5, 0.9] // of the sectors in the cache that come through

/** The rig must lose what was not flushed and keep what was, or it proves nothing. */
async function proveRig(work: string): Promise<void> {
  const file = join(work, 'proof.img')
  await makeImage(file, 16 * 2 ** 20)
  let card = await insertCard(work, file, 100_000)
  // conv=notrunc into allocated, flushed blocks: the second write reaches the disk's cache and is never flushed.
  const write = (letter: string, flag: string) =>
    promisify(execFile)('sh', [
      '-c',
      `head -c 65536 /dev/zero | tr '\\0' ${letter} | dd of=${card.folder}/p bs=64k iflag=fullblock conv=notrunc${flag} status=none`,
    ])
  await write('A', ',fsync')
  await write('B', ' oflag=direct')
  const lost = await card.cut(Math.random, 0)
  card = await insertCard(work, file, 100_001)
  const seen = (await readFile(join(card.folder, 'p'))).toString('latin1', 0, 1)
  await card.cut(Math.random, 0)
  if (lost < 128 || seen !== 'A')
    throw new Error(`the rig loses nothing: ${lost} sectors, "${seen}" read`)
  console.log(`the rig forgets what is not flushed (${lost} sectors) and keeps what is`)
}

/** A run of the rig: the card that is cut again and again, and what must be true of it. */
class Rig {
  readonly sink: TcpSink
  readonly faults: string[] = []
  readonly #work: string
  readonly #random: () => number
  readonly #fresh: string
  readonly #image: string
  #sent: Sent = new Map()
  labels = 0
  lost = 0
  flushes = 0

  constructor(work: string, fresh: string, sink: TcpSink, random: () => number) {
    this.#work = work
    this.#fresh = fresh
    this.#image = join(work, 'card.img')
    this.sink = sink
    this.#random = random
  }

  /** Boots from what the last cut has left, checks it, loads it, and cuts. */
  async cut(turn: number): Promise<void> {
    if (turn % FRESH_EVERY === 0) {
      copyFileSync(this.#fresh, this.#image)
      this.#sent = new Map()
    }
    const known = this.#sent.size
    const card = await insertCard(this.#work, this.#image, turn)
    let box: Box | undefined
    try {
      this.#note(turn, await checkSpool(join(card.folder, 'state'), this.#sent))
      box = await startBox(this.#work, card.folder, this.sink.port)
      this.#note(turn, await box.checkHealth())
      // One in ten is cut while it clears up after the one before.
      if (this.#random() > 0.1) await box.load(this.#sent, this.#random, 100 + this.#random() * 700)
    } catch (error) {
      this.#note(turn, [`no boot: ${String(error)}`])
    }
    this.flushes += card.disk.flushes
    const share = SHARES[Math.floor(this.#random() * SHARES.length)] ?? 0
    this.lost += await card.cut(this.#random, share, box)
    this.labels += this.#sent.size - known
  }

  /** The last look. */
  async finish(turn: number): Promise<void> {
    const card = await insertCard(this.#work, this.#image, turn)
    this.#note(turn, await checkSpool(join(card.folder, 'state'), this.#sent))
    await card.cut(this.#random, 1)
    this.faults.push(...checkPrinted(this.sink))
  }

  #note(turn: number, faults: readonly string[]): void {
    for (const fault of faults) this.faults.push(`before cut ${turn + 1}: ${fault}`)
  }
}

async function main(cuts: number, seed: number): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), 'platen-power-'))
  const sink = await TcpSink.open()
  try {
    await proveRig(work)
    const fresh = join(work, 'fresh.img')
    await makeImage(fresh, IMAGE_BYTES)
    const rig = new Rig(work, fresh, sink, makeRandom(seed))
    const tell = (done: number) =>
      `${done} cuts, ${rig.labels} labels accepted, ${rig.flushes} flushes, ${rig.lost} sectors lost, ${rig.faults.length} promises broken`
    for (let turn = 0; turn < cuts; turn += 1) {
      await rig.cut(turn)
      if (turn % 10 === 9) console.log(tell(turn + 1))
    }
    await rig.finish(cuts)
    for (const fault of rig.faults.slice(0, 50)) console.log(fault)
    console.log(`seed ${seed}: ${tell(cuts)}`)
    return rig.faults.length === 0 ? 0 : 1
  } finally {
    await sink.close()
    rmSync(work, { recursive: true, force: true })
  }
}

const [cuts = '200', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2)
process.exit(await main(Number(cuts), Number(seed)))
