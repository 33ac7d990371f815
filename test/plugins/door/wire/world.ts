import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { hasEnded, type Job } from '../../../../src/core/job.ts'
import { wasCut } from '../../../../src/core/moves.ts'
import { BODY_BUDGET, BodyBudget } from '../../../../src/core/request/body-budget.ts'
import { ownerOfSocket } from '../../../../src/http/access/addresses.ts'
import { serveBrowserPrint } from '../../../../src/plugins/browser-print/serve.ts'
import type { DoorBox } from '../../../../src/plugins/door/door.ts'
import { countBodies } from '../../../../src/plugins/door/door.ts'
import { serveQz } from '../../../../src/plugins/qz/serve.ts'
import { serveRaw } from '../../../../src/plugins/raw/serve.ts'
import { RAW_BOUNDS } from '../../../../src/plugins/raw/settings.ts'
import { checkConfig } from '../../../../src/settings/check.ts'
import { zplLabel } from '../../../core/labels.ts'
import { makePrinter } from '../../../core/printers/make-printer.ts'
import { Box } from '../../../simulator/box.ts'
import { type Manner, send } from '../../../simulator/client.ts'
import { Clock } from '../../../simulator/clock.ts'
import { Dice, type Story } from '../../../simulator/history.ts'
import type { PaperPrinter } from '../../../simulator/printer.ts'

const HOST = '127.0.0.1'
const PATIENCE_MS = 30_000
const SIZES = [0, 0, 300, 2_000, 20_000]
const LIMITS = { ...RAW_BOUNDS, leaveMs: 30, againMs: 20, settleMs: 10 }
const MANNERS: readonly Manner[] = ['whole', 'whole', 'pieces', 'cut', 'deaf', 'slow']

/** Ports of a lane: raw for A and B, QZ's pair, Browser Print's pair. */
export interface Ports {
  readonly raw: readonly [number, number]
  readonly qz: number
  readonly browserPrint: number
}

/** What is to come out of one bench. */
interface Wish {
  readonly mark: string
  readonly bench: string
  readonly bytes: Uint8Array
  /** No language has it: it is held. */
  readonly isForeign: boolean
  /** How often it was sent whole, and how often the box said that it has it. */
  sent: number
  taken: number
  papers: number
}

/** By uid: what hears the answer of a call. */
type Calls = Map<string, (answer: { result?: unknown; error?: string }) => void>

/** One run of the program. */
interface Run {
  readonly box: Box
  readonly ends: AbortController
  closed: Promise<unknown>
  isKilled: boolean
}

/** One history of programs at the raw ports, QZ Tray's and Browser Print's, before one box. */
export class World extends Dice {
  readonly lines: string[] = []
  readonly faults: string[] = []
  readonly #folder: string
  readonly #benches: readonly PaperPrinter[]
  readonly #ports: Ports
  readonly #wishes: Wish[] = []
  readonly #works = new Set<Promise<unknown>>()
  readonly #printers = new Set(['A', 'B'])
  /** What ends the clients of a run that is killed. */
  readonly #cuts = new Set<() => void>()
  #run!: Run
  #runs = 0
  #calls = 0
  readonly #clock = new Clock()
  #fullness = 0
  #isOrderly = false
  #isChanging = false

  constructor(folder: string, benches: readonly PaperPrinter[], ports: Ports, seed: number) {
    super(seed)
    this.#folder = mkdtempSync(join(folder, 'history-'))
    this.#benches = benches
    this.#ports = ports
    for (const [n, bench] of benches.entries())
      bench.renew({
        onPaper: (mark) => this.#seePaper('AB'[n] ?? '', mark),
        onSpoiled: (text) => this.#fault(`spoiled: ${text.slice(0, 80)}`),
      })
  }

  async play(seed: number): Promise<Story> {
    await this.#open(this.#nextFolder())
    const deeds: readonly (readonly [number, () => unknown])[] = [
      [8, () => this.#talkRaw()],
      [6, () => this.#talkQz()],
      [4, () => this.#write()],
      [2, () => this.#changeManners()],
      [2, () => this.#fillDisk()],
      [1, () => this.#changePrinters()],
      [1, () => this.#change(() => this.#crash())],
      [1, () => this.#change(() => this.#restart())],
    ]
    const all = deeds.flatMap(([often, deed]) => Array.from({ length: often }, () => deed))
    for (let steps = 3 + this.below(9); steps > 0; steps -= 1) {
      const work = Promise.resolve(this.pick(all)?.())
      this.#works.add(work)
      void work.then(() => this.#works.delete(work))
      if (this.chance(0.3)) await Promise.race([work, sleep(20)])
      else for (let n = this.below(12); n > 0; n -= 1) await turn()
    }
    await this.#settle()
    this.#judge()
    await this.#leave(this.#run)
    await this.#run.box.stop(0)
    await this.#run.box.close()
    for (const bench of this.#benches) bench.release()
    rmSync(this.#folder, { recursive: true })
    return { seed, faults: this.faults, lines: this.lines }
  }

  #say(line: string): void {
    this.lines.push(line)
  }

  #fault(line: string): void {
    this.lines.push(`*** ${line}`)
    this.faults.push(line)
  }

  #seePaper(bench: string, mark: string): void {
    this.#say(`  ${mark} comes out of ${bench}`)
    const wish = this.#wishes.find((one) => one.mark === mark)
    if (wish === undefined) {
      this.#fault(`${mark} is unknown`)
      return
    }
    wish.papers += 1
    if (wish.bench !== bench) this.#fault(`${mark} for ${wish.bench} came out of ${bench}`)
    if (wish.sent === 0) this.#fault(`${mark} was never whole, and printed`)
  }

  #make(bench = this.pick(['A', 'B']) ?? 'A', isForeign = false): Wish {
    const mark = `m${this.#wishes.length + 1}`
    const refused = Buffer.from(`hello ${mark}\nPRINT 1\n`)
    const bytes = isForeign ? refused : zplLabel(mark, this.pick(SIZES) ?? 0)
    const wish = {
      mark,
      bench,
      bytes,
      isForeign,
      sent: 0,
      taken: 0,
      papers: 0,
    }
    this.#wishes.push(wish)
    return wish
  }

  /** A new wish, or one that somebody heard nothing of. */
  #choose(bench?: string): Wish {
    const open = this.#wishes.filter(
      (one) => one.taken === 0 && !one.isForeign && (bench === undefined || one.bench === bench),
    )
    return (this.chance(0.3) && this.pick(open)) || this.#make(bench, false)
  }

  /** Labels on one connection, with questions between them, which is cut somewhere. */
  async #talkRaw(isWhole = false, only?: Wish): Promise<void> {
    const at = only === undefined ? this.below(2) : 'AB'.indexOf(only.bench)
    const bench = 'AB'[at] ?? 'A'
    const run = this.#run
    const wishes = only
      ? [only]
      : Array.from({ length: 1 + this.below(3) }, () =>
          this.chance(0.1) ? this.#make(bench, true) : this.#choose(bench),
        )
    const { wire, ends, asked } = this.#compose(wishes)
    const manner = isWhole ? 'whole' : (this.pick(MANNERS) ?? 'whole')
    const most = manner === 'cut' ? this.below(wire.length) : wire.length
    for (const [n, wish] of wishes.entries()) if ((ends[n] ?? 0) <= most) wish.sent += 1
    this.#calls += 1
    const words = `raw ${this.#calls} to ${bench} of ${wishes.map(({ mark }) => mark)}`
    this.#say(`${words} (${manner}), ${most} of ${wire.length} bytes`)
    const socket = connect({ port: this.#ports.raw[at] ?? 0, host: HOST, noDelay: true })
    const cut = (): unknown => socket.destroy()
    this.#cuts.add(cut)
    let text = ''
    let hasEnded = false
    let hasTold = 0
    const take = (count: number): void => {
      if (run.isKilled) return
      for (const wish of wishes.slice(hasTold, count)) wish.taken += 1
      hasTold = Math.max(hasTold, count)
    }
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const answers = Math.floor(text.split('\x03\r\n').length - 1) / 3
      take(asked[Math.floor(answers) - 1] ?? 0)
      if (answers > asked.length) this.#fault(`${words}: more answers than questions`)
    })
    socket.once('end', () => {
      hasEnded = true
      // What crosses the end of a connection that has printed cannot be told from what was taken.
      const isCrossed = run.ends.signal.aborted && wishes.length > 1
      if (manner !== 'cut' && !isCrossed) take(wishes.length)
    })
    await Promise.race([gone, new Promise((go) => socket.once('connect', go))])
    await this.#writeRaw(socket, wire.subarray(0, most), manner)
    await gone
    this.#cuts.delete(cut)
    this.#say(`  raw ${words.split(' ')[1]}: ${hasEnded ? 'ended' : 'cut'}, ${hasTold} told`)
  }

  /** Labels behind each other, questions between them; where each label ends, and how many stand before each question. */
  #compose(wishes: readonly Wish[]) {
    const parts: Buffer[] = []
    const ends: number[] = []
    const asked: number[] = []
    let length = 0
    const add = (bytes: Uint8Array): void => {
      parts.push(Buffer.from(bytes))
      length += bytes.length
    }
    for (const [n, wish] of wishes.entries()) {
      add(wish.bytes)
      ends.push(wish.isForeign ? length : length - 1)
      if (this.chance(0.4)) {
        add(Buffer.from('~HS'))
        asked.push(n + 1)
      }
    }
    return { wire: Buffer.concat(parts), ends, asked }
  }

  async #writeRaw(socket: Socket, wire: Buffer, manner: Manner): Promise<void> {
    const steps = manner === 'whole' || manner === 'deaf' ? 0 : this.below(4)
    const stops = Array.from({ length: steps }, () => this.below(wire.length + 1)).sort(
      (a, b) => a - b,
    )
    let from = 0
    for (const stop of [...stops, wire.length]) {
      if (socket.writable) socket.write(wire.subarray(from, stop))
      from = stop
      for (let n = this.below(manner === 'slow' ? 60 : 4); n > 0; n -= 1) await turn()
    }
    this.#endRaw(socket, manner)
  }

  #endRaw(socket: Socket, manner: Manner): void {
    const isRough = manner === 'deaf' || manner === 'cut'
    const way = isRough ? this.pick(['reset', 'destroy', 'end', 'end']) : 'end'
    if (way === 'reset') socket.resetAndDestroy()
    else if (way === 'destroy') socket.destroy()
    else socket.end()
  }

  /** Several calls at once on one socket, which may close before their answers. */
  async #talkQz(only?: Wish): Promise<void> {
    const run = this.#run
    this.#calls += 1
    const id = this.#calls
    const client = new WebSocket(`ws://${HOST}:${this.#ports.qz + 1}`)
    const cut = (): void => client.terminate()
    this.#cuts.add(cut)
    const open: Calls = new Map()
    const gone = new Promise<void>((resolve) => client.once('close', () => resolve()))
    client.on('error', () => undefined)
    client.on('message', (data) => {
      const { uid, ...answer } = JSON.parse(data.toString())
      const hear = open.get(uid)
      open.delete(uid)
      if (hear === undefined) return this.#fault(`qz ${id}: an answer to no call: ${data}`)
      if (!run.isKilled) hear(answer)
    })
    await Promise.race([gone, new Promise((go) => client.once('open', go))])
    await this.#callQz(client, id, open, only)
    await this.#endQz(client, open, only !== undefined)
    await gone
    this.#cuts.delete(cut)
  }

  async #callQz(client: WebSocket, id: number, open: Calls, only?: Wish): Promise<void> {
    const count = only ? 1 : 1 + this.below(4)
    for (let n = 0; n < count && client.readyState === WebSocket.OPEN; n += 1) {
      const uid = `${id}-${n}`
      if (only === undefined && this.chance(0.4)) this.#askQz(client, uid, open)
      else this.#printQz(client, uid, open, only ?? this.#choose())
      for (let turns = this.below(4); turns > 0; turns -= 1) await turn()
    }
  }

  /** Closes before the answers, or once all are there. */
  async #endQz(client: WebSocket, open: Calls, isPatient: boolean): Promise<void> {
    if (!isPatient && this.chance(0.4)) {
      for (let n = this.below(10); n > 0; n -= 1) await turn()
      if (this.chance(0.5)) client.terminate()
      else client.close()
      return
    }
    const deadline = performance.now() + 5_000
    while (open.size > 0 && client.readyState === WebSocket.OPEN && performance.now() < deadline)
      await sleep(1)
    if (performance.now() >= deadline) this.#fault(`no answer to ${[...open.keys()]}`)
    client.terminate()
  }

  #askQz(client: WebSocket, uid: string, open: Calls): void {
    const query = this.pick(['A', 'B'])
    open.set(uid, ({ result, error }) => {
      if (error === undefined && result !== query)
        this.#fault(`qz ${uid}: ${JSON.stringify(result)}, wanted ${query}`)
    })
    client.send(JSON.stringify({ uid, call: 'printers.find', params: { query } }))
  }

  #printQz(client: WebSocket, uid: string, open: Calls, wish: Wish): void {
    wish.sent += 1
    const data = [{ type: 'raw', format: 'command', flavor: 'base64', data: base64(wish.bytes) }]
    const params = { printer: { name: wish.bench }, options: {}, data }
    this.#say(`qz ${uid} prints ${wish.mark} at ${wish.bench}`)
    open.set(uid, ({ result, error }) => {
      this.#say(`  qz ${uid}: ${error ?? 'taken'}`)
      if (error === undefined) wish.taken += 1
      if (error === undefined && result !== null) this.#fault(`qz ${uid}: ${result}`)
      if (error?.includes('a fault')) this.#fault(`qz ${uid}: ${error}`)
    })
    client.send(JSON.stringify({ uid, call: 'print', params }))
  }

  /** Browser Print. */
  async #write(isWhole = false, only?: Wish): Promise<void> {
    const run = this.#run
    const wish = only ?? this.#choose()
    const manner = isWhole ? 'whole' : (this.pick(MANNERS) ?? 'whole')
    const body = Buffer.from(
      JSON.stringify({ device: { uid: wish.bench }, data: Buffer.from(wish.bytes).toString() }),
    )
    const sent = { method: 'POST', path: '/write', headers: {}, body, manner }
    if (manner !== 'cut') wish.sent += 1
    this.#calls += 1
    const id = this.#calls
    this.#say(`write ${id} of ${wish.mark} to ${wish.bench} (${manner})`)
    const { status, body: text } = await send(this.#ports.browserPrint, sent, this)
    this.#say(`  write ${id}: ${status} ${text}`)
    if (status === 200 && !run.isKilled) wish.taken += 1
    if (status === 500) this.#fault(`write ${id}: ${text}`)
  }

  #changeManners(): void {
    const bench = this.pick(this.#benches)
    const manners = this.pick([{}, { isStalled: true }, { bytesPerTurn: 1 + this.below(900) }])
    if (manners !== undefined) bench?.behave(manners)
  }

  #fillDisk(): void {
    this.#fullness = this.chance(0.5) ? 0 : this.below(100)
    this.#say(`the disk refuses ${this.#fullness} %`)
  }

  #changePrinters(): void {
    const one = this.pick(['A', 'B']) ?? 'A'
    if (this.#printers.has(one)) this.#printers.delete(one)
    else this.#printers.add(one)
    this.#say(`printers: ${[...this.#printers]}`)
    this.#run.box.configure(this.#entries(), 'A')
  }

  async #change(how: () => Promise<void>): Promise<void> {
    if (this.#isChanging) return
    this.#isChanging = true
    await how()
    this.#isChanging = false
  }

  async #crash(): Promise<void> {
    this.#say('the program is killed')
    const run = this.#run
    run.isKilled = true
    for (const cut of this.#cuts) cut()
    const folder = this.#nextFolder()
    const killed = run.box.kill(folder)
    await this.#leave(run)
    await killed
    await this.#open(folder)
  }

  async #restart(): Promise<void> {
    this.#say('the program is restarted')
    const run = this.#run
    await this.#leave(run)
    await run.box.stop(0)
    await run.box.close()
    await this.#open(run.box.folder)
    this.#say('  it is back')
  }

  async #leave(run: Run): Promise<void> {
    run.ends.abort()
    const late = sleep(5_000, 'late', { ref: false })
    if ((await Promise.race([run.closed, late])) === 'late') this.#fault('a door does not close')
  }

  #entries() {
    return [...this.#printers].map((name) =>
      makePrinter(name, { uri: this.#benches['AB'.indexOf(name)]?.uri ?? '' }),
    )
  }

  #nextFolder(): string {
    this.#runs += 1
    const folder = join(this.#folder, String(this.#runs))
    mkdirSync(folder)
    return folder
  }

  async #open(folder: string): Promise<void> {
    const fault = (error: unknown): void => {
      if (!run.isKilled && !/disk is full/.test(String(error)))
        this.#fault(`a fault: ${error instanceof Error ? error.stack : error}`)
    }
    const box = new Box({
      folder,
      printers: this.#entries(),
      defaultName: 'A',
      random: this.random,
      fault,
      clock: this.#clock,
      isFull: () => !this.#isOrderly && this.#fullness > 0 && this.below(100) < this.#fullness,
      keepsLine: true,
      onChange: (job) => {
        if (!run.isKilled) this.#say(`  ${job.id} is ${job.state} (${job.reasons}) ${job.code}`)
      },
    })
    const ends = new AbortController()
    const run: Run = { box, ends, closed: Promise.resolve(), isKilled: false }
    this.#fullness = 0
    this.#run = run
    box.start()
    const { raw, qz, browserPrint } = this.#ports
    const at = makeDoorBox(box, fault)
    const ports = raw.map((port, n) => ({ port, printer: 'AB'[n] }))
    const settings = { host: HOST, port: qz, certificate: '', hosts: [] }
    const doors = await Promise.all([
      serveRaw({ host: HOST, ports }, at, ends.signal, LIMITS),
      serveQz(settings, at, ends.signal),
      serveBrowserPrint({ host: HOST, port: browserPrint }, at, ends.signal),
    ])
    run.closed = Promise.all(doors.map(({ closed }) => closed))
  }

  /** Everything works again, and somebody looks after every label. */
  async #settle(): Promise<void> {
    this.#say('everything is put in order')
    this.#isOrderly = true
    for (const bench of this.#benches) bench.behave({})
    for (const name of ['A', 'B']) this.#printers.add(name)
    this.#run.box.configure(this.#entries(), 'A')
    const late = sleep(PATIENCE_MS, 'late', { ref: false })
    if ((await Promise.race([Promise.all(this.#works), late])) === 'late')
      this.#fault('a client waits forever')
    this.#run.box.configure(this.#entries(), 'A')
    for (const wish of this.#wishes) await this.#tryLast(wish)
    await this.#untilDone()
  }

  async #untilDone(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS
    while (performance.now() < deadline) {
      const open = this.#jobs().filter((job) => !hasEnded(job))
      if (open.length === 0 && this.#benches.every((bench) => bench.isAlone)) return
      for (const job of open) await this.#lookAfter(job)
      await sleep(5)
    }
  }

  async #tryLast(wish: Wish): Promise<void> {
    if (wish.taken > 0 || wish.isForeign || this.chance(0.5)) return
    const ways = [
      () => this.#talkRaw(true, wish),
      () => this.#talkQz(wish),
      () => this.#write(true, wish),
    ]
    await this.pick(ways)?.()
    if (wish.taken === 0) this.#fault(`${wish.mark} is not taken though all is well`)
  }

  #jobs(): readonly Job[] {
    return this.#run.box.spool.history.list({ limit: 200 })
  }

  #wishOf(job: Job): Wish | undefined {
    const text = Buffer.from(this.#run.box.spool.history.label(job.id) ?? []).toString('latin1')
    return this.#wishes.find(({ bytes }) => text.trim() === Buffer.from(bytes).toString().trim())
  }

  async #lookAfter(job: Job): Promise<void> {
    const { scheduler } = this.#run.box
    try {
      const wish = this.#wishOf(job)
      if (wasCut(job)) {
        if (!this.#benches.every((bench) => bench.isAlone)) return
        const done = this.#jobs().filter(
          (one) => one.state === 'completed' && this.#wishOf(one) === wish,
        )
        await scheduler.resolve(job.id, (wish?.papers ?? 0) > done.length, job.attempts)
      } else if (job.state !== 'pending-held') return
      else if (wish === undefined || wish.isForeign) await scheduler.cancel(job.id)
      else await scheduler.release(job.id)
    } catch (error) {
      this.#say(`  ${error}`)
    }
  }

  #judge(): void {
    const kept = this.#jobs().map((job) => this.#wishOf(job)?.mark)
    for (const job of this.#jobs())
      if (!hasEnded(job)) this.#fault(`${job.id} has not ended: ${job.state} ${job.code}`)
    for (const { mark, papers, sent, taken, isForeign } of this.#wishes) {
      const count = isForeign ? kept.filter((one) => one === mark).length : papers
      // What is refused is kept as evidence, whole or not.
      if (count > sent && !isForeign)
        this.#fault(`${mark} came out ${count} times, sent ${sent} times`)
      if (count < taken) this.#fault(`${mark} was taken ${taken} times and came out ${count} times`)
    }
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function makeDoorBox(box: Box, fault: (error: unknown) => void): DoorBox {
  const { config } = checkConfig({ host: HOST }) as { config: ReturnType<DoorBox['config']> }
  return {
    ...countBodies(box.intake, new BodyBudget(BODY_BUDGET)),
    printers: box.printers,
    spool: box.spool,
    scheduler: box.scheduler,
    config: () => config,
    info: () => ({ version: '1', hostName: 'box', host: '', ip: '10.0.0.5', port: '80' }),
    certificates: () => undefined,
    ownerOf: ownerOfSocket,
    callerOf: () => 'program',
    keys: () => Promise.reject(new Error('no keys')),
    log: { info: () => undefined, warn: () => undefined },
    fault,
  }
}
