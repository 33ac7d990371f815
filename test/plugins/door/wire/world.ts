import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Job } from '../../../../src/core/job.ts'
import { serveBrowserPrint } from '../../../../src/plugins/browser-print/serve.ts'
import { serveQz } from '../../../../src/plugins/qz/serve.ts'
import { serveRaw } from '../../../../src/plugins/raw/serve.ts'
import { RAW_BOUNDS } from '../../../../src/plugins/raw/settings.ts'
import { zplLabel } from '../../../core/labels.ts'
import { readConfig } from '../../../settings/all.ts'
import type { Box } from '../../../simulator/box.ts'
import { type Manner, send } from '../../../simulator/client.ts'
import { passTurns } from '../../../simulator/clock.ts'
import type { Chance } from '../../../simulator/operator.ts'
import type { PaperPrinter } from '../../../simulator/printer.ts'
import { type DoorLabel, DoorWorld, makeDoorBox, PRINTERS } from '../world.ts'

const HOST = '127.0.0.1'
const CONFIG = readConfig({ host: HOST })
const SIZES = [0, 0, 300, 2_000, 20_000]
const LIMITS = { ...RAW_BOUNDS, leaveMs: 30, againMs: 20, settleMs: 10 }
const MANNERS: readonly Manner[] = ['whole', 'whole', 'pieces', 'cut', 'deaf', 'slow']

/** Ports of a lane: raw for A and B, QZ's pair, Browser Print's pair. */
export interface Ports {
  readonly raw: readonly [number, number]
  readonly qz: number
  readonly browserPrint: number
}

/** A label that is to come out of one printer. */
interface Label extends DoorLabel {
  readonly bytes: Uint8Array
  /** No language has it: it is held. */
  readonly isForeign: boolean
  /** The number of times that it was sent whole, and that the box acknowledged it. */
  sent: number
  taken: number
}

/** By uid: what hears the answer of a call. */
type Calls = Map<string, (answer: { result?: unknown; error?: string }) => void>

/** The doors of one run of the program. */
interface Doors {
  readonly box: Box
  readonly ends: AbortController
  closed: Promise<unknown>
}

/** Programs at the raw ports, QZ Tray's and Browser Print's, before one box. */
export class ProgramWorld extends DoorWorld<Label> {
  readonly #ports: Ports
  /** Ends the clients of a run that is killed. */
  readonly #cuts = new Set<() => void>()
  #doors!: Doors
  #calls = 0
  #isChanging = false

  constructor(folder: string, benches: readonly PaperPrinter[], ports: Ports, seed: number) {
    super(folder, benches, seed)
    this.#ports = ports
  }

  protected override countSteps(): number {
    return 3 + this.below(9)
  }

  protected override listActions(): readonly Chance[] {
    return [
      [8, () => this.#talkRaw()],
      [6, () => this.#talkQz()],
      [4, () => this.#write()],
      [1, () => this.#change(() => this.#crash())],
      [1, () => this.#change(() => this.#restart())],
    ]
  }

  protected override async openDoors(fault: (error: unknown) => void): Promise<void> {
    const { box } = this
    const { raw, qz, browserPrint } = this.#ports
    const ends = new AbortController()
    const opened: Doors = { box, ends, closed: Promise.resolve() }
    this.#doors = opened
    const at = makeDoorBox(box, CONFIG, fault)
    const ports = raw.map((port, n) => ({ port, printer: PRINTERS[n] }))
    const settings = { host: HOST, port: qz, certificate: '', hosts: [] }
    const doors = await Promise.all([
      serveRaw({ host: HOST, ports }, at, ends.signal, LIMITS),
      serveQz(settings, at, ends.signal),
      serveBrowserPrint({ host: HOST, port: browserPrint }, at, ends.signal),
    ])
    opened.closed = Promise.all(doors.map(({ closed }) => closed))
  }

  protected override async closeDoors(): Promise<void> {
    const { ends, closed } = this.#doors
    ends.abort()
    const late = sleep(5_000, 'late', { ref: false })
    if ((await Promise.race([closed, late])) === 'late') this.ledger.fault('a door does not close')
  }

  #make(printer = this.pick(PRINTERS) ?? 'A', isForeign = false): Label {
    const mark = `m${this.labels.length + 1}`
    const refused = Buffer.from(`hello ${mark}\nPRINT 1\n`)
    const bytes = isForeign ? refused : zplLabel(mark, this.pick(SIZES) ?? 0)
    const label = {
      mark,
      printer,
      bytes,
      isForeign,
      wasWhole: false,
      sent: 0,
      taken: 0,
      papers: 0,
    }
    this.ledger.labels.set(mark, label)
    return label
  }

  /** A new label, or one that somebody heard nothing of. */
  #choose(printer?: string): Label {
    const open = this.labels.filter(
      (one) =>
        one.taken === 0 && !one.isForeign && (printer === undefined || one.printer === printer),
    )
    return (this.chance(0.3) && this.pick(open)) || this.#make(printer, false)
  }

  /** Labels on one connection, with questions between them, which is cut somewhere. */
  async #talkRaw(isWhole = false, only?: Label): Promise<void> {
    const at = only === undefined ? this.below(2) : PRINTERS.indexOf(only.printer)
    const printer = PRINTERS[at] ?? 'A'
    const run = this.#doors
    const labels = only
      ? [only]
      : Array.from({ length: 1 + this.below(3) }, () =>
          this.chance(0.1) ? this.#make(printer, true) : this.#choose(printer),
        )
    const { wire, ends, asked } = this.#compose(labels)
    const manner = isWhole ? 'whole' : (this.pick(MANNERS) ?? 'whole')
    const most = manner === 'cut' ? this.below(wire.length) : wire.length
    for (const [n, label] of labels.entries()) if ((ends[n] ?? 0) <= most) countSent(label)
    this.#calls += 1
    const words = `raw ${this.#calls} to ${printer} of ${labels.map(({ mark }) => mark)}`
    this.ledger.say(`${words} (${manner}), ${most} of ${wire.length} bytes`)
    const socket = connect({ port: this.#ports.raw[at] ?? 0, host: HOST, noDelay: true })
    const cut = (): unknown => socket.destroy()
    this.#cuts.add(cut)
    let text = ''
    let hasEnded = false
    let hasTold = 0
    const take = (count: number): void => {
      if (run.box.isOver) return
      for (const label of labels.slice(hasTold, count)) label.taken += 1
      hasTold = Math.max(hasTold, count)
    }
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const answers = Math.floor(text.split('\x03\r\n').length - 1) / 3
      take(asked[Math.floor(answers) - 1] ?? 0)
      if (answers > asked.length) this.ledger.fault(`${words}: more answers than questions`)
    })
    socket.once('end', () => {
      hasEnded = true
      // What crosses the end of a connection that has printed cannot be told from what was taken.
      const isCrossed = run.ends.signal.aborted && labels.length > 1
      if (manner !== 'cut' && !isCrossed) take(labels.length)
    })
    await Promise.race([gone, new Promise((go) => socket.once('connect', go))])
    await this.#writeRaw(socket, wire.subarray(0, most), manner)
    await gone
    this.#cuts.delete(cut)
    this.ledger.say(`  raw ${words.split(' ')[1]}: ${hasEnded ? 'ended' : 'cut'}, ${hasTold} told`)
  }

  /** Labels behind each other, questions between them; where each label ends, and how many stand before each question. */
  #compose(labels: readonly Label[]) {
    const parts: Buffer[] = []
    const ends: number[] = []
    const asked: number[] = []
    let length = 0
    const add = (bytes: Uint8Array): void => {
      parts.push(Buffer.from(bytes))
      length += bytes.length
    }
    for (const [n, label] of labels.entries()) {
      add(label.bytes)
      ends.push(label.isForeign ? length : length - 1)
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
      await passTurns(this.below(manner === 'slow' ? 60 : 4))
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
  async #talkQz(only?: Label): Promise<void> {
    const run = this.#doors
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
      if (hear === undefined) return this.ledger.fault(`qz ${id}: an answer to no call: ${data}`)
      if (!run.box.isOver) hear(answer)
    })
    await Promise.race([gone, new Promise((go) => client.once('open', go))])
    await this.#callQz(client, id, open, only)
    await this.#endQz(client, open, only !== undefined)
    await gone
    this.#cuts.delete(cut)
  }

  async #callQz(client: WebSocket, id: number, open: Calls, only?: Label): Promise<void> {
    const count = only ? 1 : 1 + this.below(4)
    for (let n = 0; n < count && client.readyState === WebSocket.OPEN; n += 1) {
      const uid = `${id}-${n}`
      if (only === undefined && this.chance(0.4)) this.#askQz(client, uid, open)
      else this.#printQz(client, uid, open, only ?? this.#choose())
      await passTurns(this.below(4))
    }
  }

  /** Closes before the answers, or once all are there. */
  async #endQz(client: WebSocket, open: Calls, isPatient: boolean): Promise<void> {
    if (!isPatient && this.chance(0.4)) {
      await passTurns(this.below(10))
      if (this.chance(0.5)) client.terminate()
      else client.close()
      return
    }
    const deadline = performance.now() + 5_000
    while (open.size > 0 && client.readyState === WebSocket.OPEN && performance.now() < deadline)
      await sleep(1)
    if (performance.now() >= deadline) this.ledger.fault(`no answer to ${[...open.keys()]}`)
    client.terminate()
  }

  #askQz(client: WebSocket, uid: string, open: Calls): void {
    const query = this.pick(PRINTERS)
    open.set(uid, ({ result, error }) => {
      if (error === undefined && result !== query)
        this.ledger.fault(`qz ${uid}: ${JSON.stringify(result)}, wanted ${query}`)
    })
    client.send(JSON.stringify({ uid, call: 'printers.find', params: { query } }))
  }

  #printQz(client: WebSocket, uid: string, open: Calls, label: Label): void {
    countSent(label)
    const data = [{ type: 'raw', format: 'command', flavor: 'base64', data: base64(label.bytes) }]
    const params = { printer: { name: label.printer }, options: {}, data }
    this.ledger.say(`qz ${uid} prints ${label.mark} at ${label.printer}`)
    open.set(uid, ({ result, error }) => {
      this.ledger.say(`  qz ${uid}: ${error ?? 'taken'}`)
      if (error === undefined) label.taken += 1
      if (error === undefined && result !== null) this.ledger.fault(`qz ${uid}: ${result}`)
      if (error?.includes('a fault')) this.ledger.fault(`qz ${uid}: ${error}`)
    })
    client.send(JSON.stringify({ uid, call: 'print', params }))
  }

  /** Browser Print. */
  async #write(isWhole = false, only?: Label): Promise<void> {
    const run = this.#doors
    const label = only ?? this.#choose()
    const manner = isWhole ? 'whole' : (this.pick(MANNERS) ?? 'whole')
    const body = Buffer.from(
      JSON.stringify({ device: { uid: label.printer }, data: Buffer.from(label.bytes).toString() }),
    )
    const sent = { method: 'POST', path: '/write', headers: {}, body, manner }
    if (manner !== 'cut') countSent(label)
    this.#calls += 1
    const id = this.#calls
    this.ledger.say(`write ${id} of ${label.mark} to ${label.printer} (${manner})`)
    const { status, body: text } = await send(this.#ports.browserPrint, sent, this)
    this.ledger.say(`  write ${id}: ${status} ${text}`)
    if (status === 200 && !run.box.isOver) label.taken += 1
    if (status === 500) this.ledger.fault(`write ${id}: ${text}`)
  }

  async #change(how: () => Promise<void>): Promise<void> {
    if (this.#isChanging) return
    this.#isChanging = true
    await how()
    this.#isChanging = false
  }

  async #crash(): Promise<void> {
    this.ledger.say('the program is killed')
    const folder = this.folders.next()
    const killed = this.box.kill(folder)
    for (const cut of this.#cuts) cut()
    await this.closeDoors()
    await killed
    await this.open(folder)
  }

  async #restart(): Promise<void> {
    this.ledger.say('the program is restarted')
    const { box } = this
    await this.closeDoors()
    await box.stop(0)
    await box.close()
    await this.open(box.folder)
    this.ledger.say('  it is back')
  }

  protected override async tryLast(label: Label): Promise<void> {
    if (label.taken > 0 || label.isForeign || this.chance(0.5)) return
    const ways = [
      () => this.#talkRaw(true, label),
      () => this.#talkQz(label),
      () => this.#write(true, label),
    ]
    await this.pick(ways)?.()
    if (label.taken === 0) this.ledger.fault(`${label.mark} is not taken though all is well`)
  }

  protected override labelOf(job: Job): Label | undefined {
    const text = Buffer.from(this.box.spool.history.label(job.id) ?? []).toString('latin1')
    return this.labels.find(({ bytes }) => text.trim() === Buffer.from(bytes).toString().trim())
  }

  protected override isRefused(job: Job): boolean {
    return this.labelOf(job)?.isForeign ?? true
  }

  protected override judge(): void {
    const kept = this.jobs.map((job) => this.labelOf(job)?.mark)
    for (const { mark, papers, sent, taken, isForeign } of this.labels) {
      const count = isForeign ? kept.filter((one) => one === mark).length : papers
      // What is refused is kept as evidence, whole or not.
      if (count > sent && !isForeign)
        this.ledger.fault(`${mark} came out ${count} times, sent ${sent} times`)
      if (count < taken)
        this.ledger.fault(`${mark} was taken ${taken} times and came out ${count} times`)
    }
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function countSent(label: Label): void {
  label.sent += 1
  label.wasWhole = true
}
