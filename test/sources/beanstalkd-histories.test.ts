import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { PlatenError } from '../../src/errors.ts'
import { createFileDevice } from '../../src/printers/devices/file.ts'
import { createBeanstalkd } from '../../src/sources/beanstalkd/index.ts'
import { openMemory } from '../../src/sources/memory.ts'
import type { Ack, SourceIntake } from '../../src/sources/source.ts'
import { Dice, type Story, testHistories } from '../histories.ts'
import { makePrintServer } from '../jobs/print-server.ts'
import { listen } from '../listen.ts'
import { makeLook } from './intake-bench.ts'

const PATIENCE = { connectMs: 60_000, replyMs: 60_000, bodyIdleMs: 60_000, settleMs: 20 }
const SOURCE = createBeanstalkd({
  ...PATIENCE,
  reserveSeconds: 1,
  countMs: 20,
  strangerReserves: 3,
})
const SETTLE_MS = 20_000
const BAD = ['no label', 'stranger']
const MARKS = ['aa', 'bb', 'cc', ...BAD] // few: labels of equal content are what matters

interface Job {
  readonly id: number
  readonly mark: string
  state: 'ready' | 'reserved' | 'buried'
  by: Socket | undefined
  reserves: number
  releases: number
  buries: number
}

/** A queue server, and lines to it, that break between any two steps; the time of its jobs ends at random. */
class Server {
  loss = 0
  jobs: Job[] = []
  readonly put: string[] = []
  /** Went with the server: taken before or not. */
  readonly gone: string[] = []
  readonly #dice: Dice
  readonly #say: (line: string) => void
  readonly #sockets = new Set<Socket>()
  readonly #waiting = new Set<Socket>()
  #next = 1
  #process = 1
  #index = 1
  #isSeen = false

  constructor(dice: Dice, say: (line: string) => void) {
    this.#dice = dice
    this.#say = say
  }

  get isDone(): boolean {
    return this.jobs.every(({ state }) => state === 'buried')
  }

  take(socket: Socket): void {
    this.#sockets.add(socket)
    let text = ''
    socket.on('error', () => undefined)
    socket.on('close', () => this.#leave(socket))
    socket.on('data', (data) => {
      text += data.toString()
      const lines = text.split('\r\n')
      text = lines.pop() ?? ''
      for (const line of lines) if (!socket.destroyed) this.#obey(socket, line)
    })
  }

  add(mark: string): void {
    const id = this.#next++
    this.#say(`${mark} is put, number ${id}`)
    this.put.push(mark)
    const counts = { reserves: 0, releases: 0, buries: 0 }
    this.jobs.push({ id, mark, state: 'ready', by: undefined, ...counts })
    this.#deliver()
  }

  cut(): void {
    this.#say('  all connections are cut')
    for (const socket of [...this.#sockets]) this.#leave(socket)
  }

  /** It is another process, which has read its log or has none. */
  restart(hasLog: boolean): void {
    if (!this.#isSeen) return // a beginning that nobody saw cannot be told
    this.#isSeen = false
    this.#say(`  the server starts again ${hasLog ? 'with' : 'without'} its log`)
    this.#process += 1
    this.#index = hasLog ? Math.max(1, this.#index) + 1 : this.#dice.below(2) // as 1.12 counts its files
    this.cut()
    for (const job of this.jobs) job.reserves = 0
    if (hasLog) return
    this.gone.push(...this.jobs.map(({ mark }) => mark))
    this.jobs = []
    this.#next = 1
  }

  /** The TTR of what is reserved is over. */
  expire(): void {
    for (const job of this.jobs) if (job.state === 'reserved') this.#expire(job)
    this.#deliver()
  }

  #expire(job: Job): void {
    this.#say(`  ${job.mark} is ready again, number ${job.id}`)
    job.state = 'ready'
    job.by = undefined
  }

  #leave(socket: Socket): void {
    socket.destroy()
    this.#sockets.delete(socket)
    this.#waiting.delete(socket)
    for (const job of this.jobs) if (job.by === socket) this.#expire(job)
    this.#deliver()
  }

  #obey(socket: Socket, line: string): void {
    if (this.#dice.chance(this.loss)) {
      this.#say(`  cut before ${line}`)
      this.#leave(socket)
      return
    }
    const [verb = '', name = ''] = line.split(' ')
    if (verb === 'reserve-with-timeout') {
      this.#waiting.add(socket)
      setTimeout(() => {
        if (this.#waiting.delete(socket)) this.#send(socket, line, 'TIMED_OUT')
      }, this.#dice.below(8))
      this.#deliver()
      return
    }
    if (verb === 'watch' || verb === 'ignore') this.#send(socket, line, 'WATCHING 1')
    else if (verb === 'stats') {
      const stats = `id: ${this.#process}\nbinlog-current-index: ${this.#index}`
      this.#isSeen = this.#send(socket, line, body(`${stats}\n`)) || this.#isSeen
    } else if (verb === 'stats-tube') {
      const count = (state: string) => this.jobs.filter((job) => job.state === state).length
      const stats = `current-jobs-ready: ${count('ready')}\ncurrent-jobs-buried: ${count('buried')}`
      this.#send(socket, line, body(`${stats}\ncurrent-watching: 1\n`))
    } else this.#send(socket, line, this.#touch(socket, verb, Number(name)))
    this.#deliver()
  }

  #touch(socket: Socket, verb: string, id: number): string {
    const job = this.jobs.find((each) => each.id === id)
    if (job === undefined) return 'NOT_FOUND'
    const { reserves, releases, buries } = job
    if (verb === 'stats-job') {
      const counts = `reserves: ${reserves}\nreleases: ${releases}\nburies: ${buries}`
      return body(`id: ${id}\npri: 7\nttr: 1\n${counts}\n`)
    }
    if (job.by !== socket && !(verb === 'delete' && job.state !== 'reserved')) return 'NOT_FOUND'
    if (verb === 'touch') return 'TOUCHED'
    job.by = undefined
    this.#say(`  ${verb} ${id}, which is ${job.mark}`)
    if (verb === 'delete') {
      this.jobs = this.jobs.filter((each) => each !== job)
      return 'DELETED'
    }
    if (verb === 'bury') {
      job.state = 'buried'
      job.buries += 1
      return 'BURIED'
    }
    job.state = 'ready'
    job.releases += 1
    return 'RELEASED'
  }

  #deliver(): void {
    for (;;) {
      const job = this.jobs.find(({ state }) => state === 'ready')
      const [socket] = this.#waiting
      if (job === undefined || socket === undefined) return
      this.#waiting.delete(socket)
      job.state = 'reserved'
      job.by = socket
      job.reserves += 1
      const text = write(job.mark)
      this.#send(socket, `reserve of ${job.mark}`, `RESERVED ${job.id} ${text.length}\r\n${text}`)
    }
  }

  /** False when it was lost. */
  #send(socket: Socket, what: string, answer: string): boolean {
    if (socket.destroyed) return false
    const isLost = this.#dice.chance(this.loss)
    socket.write(isLost ? answer.slice(0, this.#dice.below(answer.length)) : `${answer}\r\n`)
    if (!isLost) return true
    this.#say(`  cut in the answer to ${what}`)
    this.#leave(socket)
    return false
  }
}

function body(text: string): string {
  return `OK ${text.length}\r\n${text}`
}

function labelOf(mark: string): string {
  return `^XA^FD${mark}^FS^XZ`
}

function write(mark: string): string {
  if (mark === 'no label') return mark
  const label = Buffer.from(labelOf(mark)).toString('base64')
  return mark === 'stranger' ? JSON.stringify({ label, printer: 'Z' }) : label
}

/** A print server whose queues are stopped, started and changed, and that is killed. */
class Box {
  server: ReturnType<typeof makePrintServer>
  acks: readonly Ack[] = ['spooled']
  redelivered: 'print' | 'hold' | undefined
  fullness = 0
  fits = 0
  readonly #folder: string
  readonly #endpoint: string
  readonly #dice: Dice
  readonly #memory = openMemory()
  readonly #look = makeLook() // one of the program, as in the field
  #stopping = new AbortController()
  #ended: Promise<unknown> = Promise.resolve()

  constructor(folder: string, endpoint: string, dice: Dice) {
    this.#folder = folder
    this.#endpoint = endpoint
    this.#dice = dice
    this.server = this.#open()
  }

  start(): void {
    this.#stopping = new AbortController()
    const { signal } = this.#stopping
    this.#ended = Promise.all(this.acks.map((ack) => this.#run(ack, signal)))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  /** The program ends and starts again; killed, it has not written what it would at its end. */
  async begin(isKilled: boolean): Promise<void> {
    await this.end(isKilled)
    this.server = this.#open()
  }

  async end(isKilled: boolean): Promise<void> {
    await this.stop()
    await this.server.scheduler.stop(0)
    await this.server.renderer.close()
    if (!isKilled) this.server.intake.close()
    this.server.spool.close()
  }

  /** Labels of this mark on disk. */
  count(mark: string): number {
    const { history } = this.server.spool
    const labels = history.list({ limit: 1_000 }).map(({ id }) => history.label(id) ?? [])
    return labels.filter((label) => Buffer.from(label).toString() === labelOf(mark)).length
  }

  #open(): ReturnType<typeof makePrintServer> {
    const spool = { minFreeBytes: 0, ballastBytes: 0 }
    const device = createFileDevice(this.#folder)
    const folder = this.#folder
    const server = makePrintServer({ folder, uris: { A: 'file:a' }, device, spool })
    server.scheduler.start()
    return server
  }

  /** A printer that stops for a moment now and then. */
  #fitful(): Pick<SourceIntake, 'isReady' | 'ready'> {
    let stopped: Promise<void> | undefined
    const isReady = (): boolean => {
      if (stopped === undefined && this.#dice.chance(this.fits)) {
        stopped = sleep(this.#dice.below(12)).then(() => {
          stopped = undefined
        })
      }
      return stopped === undefined
    }
    const ready = async (signal: AbortSignal): Promise<void> => {
      for (;;) {
        signal.throwIfAborted()
        if (isReady()) return
        await stopped
      }
    }
    return { isReady, ready }
  }

  async #run(ack: Ack, signal: AbortSignal): Promise<void> {
    const { redelivered } = this
    const settings = { endpoint: this.#endpoint, tube: 'labels', redelivered }
    const more = { ack, messageBytes: 60_000, memory: this.#memory } as const
    const door = this.server.intake.forSource('beanstalkd')
    const accept: typeof door.accept = async (message) => {
      await sleep(this.#dice.below(3))
      if (this.#dice.chance(this.fullness)) throw new PlatenError('SPOOL_FULL', 'It is full.')
      return await door.accept(message)
    }
    const intake = {
      ...more,
      ...this.#look,
      ...door,
      ...this.#fitful(),
      accept,
      report: () => undefined,
    }
    while (!signal.aborted) {
      await SOURCE.run(settings, intake, signal).catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof PlatenError)) throw error
      })
      await sleep(1)
    }
  }
}

async function play(t: Test, parent: string, seed: number): Promise<Story> {
  const dice = new Dice(seed)
  const lines: string[] = []
  const folder = mkdtempSync(join(parent, 'history-'))
  const queue = new Server(dice, (line) => lines.push(line))
  const listener = createServer((socket) => queue.take(socket))
  const box = new Box(folder, `127.0.0.1:${await listen(t, listener)}`, dice)
  const put = (): void => queue.add(dice.pick(MARKS) ?? '')
  const restart = async (): Promise<void> => {
    await box.stop()
    const ack = dice.pick(['spooled', 'printed'] as const) ?? 'spooled'
    box.acks = dice.chance(0.4) ? [ack, 'spooled'] : [ack]
    box.redelivered = dice.pick([undefined, 'print', 'hold'] as const)
    lines.push(`the queues start again: ${box.acks}, ${box.redelivered}`)
    box.start()
  }
  const begin = async (): Promise<void> => {
    const isKilled = dice.chance(0.5)
    lines.push(`the program is ${isKilled ? 'killed' : 'started again'}`)
    if (isKilled) queue.cut()
    await box.begin(isKilled)
    box.start()
  }
  const setLoss = (): void => {
    queue.loss = dice.pick([0, 0.05, 0.2]) ?? 0
  }
  const fill = (): void => {
    box.fullness = dice.pick([0, 0, 0.3, 1]) ?? 0
    box.fits = dice.pick([0, 0.3, 0.6]) ?? 0
  }
  const renew = (): void => queue.restart(dice.chance(0.5))
  const often = [...Array.from({ length: 6 }, () => put), setLoss, setLoss, () => queue.expire()]
  const deeds = [...often, restart, begin, fill, () => queue.expire(), () => queue.cut(), renew]
  box.start()
  for (let steps = 10 + dice.below(30); steps > 0; steps -= 1) {
    await dice.pick(deeds)?.()
    await sleep(dice.below(6))
  }
  queue.loss = 0
  box.fullness = 0
  box.fits = 0
  const end = performance.now() + SETTLE_MS
  while (!queue.isDone && performance.now() < end) await sleep(2)
  await box.stop()
  const faults = queue.isDone ? judge(box, queue) : ['jobs stay at the server']
  listener.close()
  await box.end(false)
  rmSync(folder, { recursive: true })
  return { seed, faults, lines }
}

/** Each job that was put is on disk once, unless it went with the server; the bad ones are buried. */
function judge(box: Box, { put, jobs, gone }: Server): readonly string[] {
  return MARKS.flatMap((mark) => {
    const count = (marks: readonly string[]): number => marks.filter((each) => each === mark).length
    const [taken, most, lost] = [box.count(mark), count(put), count(gone)]
    if (BAD.includes(mark)) {
      const kept = jobs.filter((job) => job.mark === mark).length
      return taken === 0 && kept === most - lost ? [] : [`${mark}: ${taken}, ${kept} kept`]
    }
    return taken >= most - lost && taken <= most ? [] : [`${mark}: ${taken} of ${most}, -${lost}`]
  })
}

testHistories('a beanstalkd tube', 'test/sources/beanstalkd-histories.test.ts', (t) =>
  Promise.resolve((folder, seed) => play(t, folder, seed)),
)
