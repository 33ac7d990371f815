import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { createBeanstalkd } from '../../../src/plugins/beanstalkd/index.ts'
import { listen } from '../../listen.ts'
import { Dice, type Story, testHistories } from '../../simulator/history.ts'
import { BAD, MARKS, QueueBox, write } from './queue-box.ts'

const PATIENCE = { connectMs: 60_000, replyMs: 60_000, bodyIdleMs: 60_000, settleMs: 20 }
const SOURCE = createBeanstalkd({
  ...PATIENCE,
  reserveSeconds: 1,
  countMs: 20,
  strangerReserves: 3,
})

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
    for (const socket of Array.from(this.#sockets)) this.#leave(socket)
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

async function play(t: Test, parent: string, seed: number): Promise<Story> {
  const dice = new Dice(seed)
  const lines: string[] = []
  const folder = mkdtempSync(join(parent, 'history-'))
  const say = (line: string): void => {
    lines.push(line)
  }
  const queue = new Server(dice, say)
  const listener = createServer((socket) => queue.take(socket))
  const endpoint = `127.0.0.1:${await listen(t, listener)}`
  const box = new QueueBox({
    folder,
    dice,
    say,
    type: 'beanstalkd',
    run: ({ redelivered }, intake, signal) =>
      SOURCE.run({ endpoint, tube: 'labels', redelivered }, intake, signal),
  })
  const put = (): void => queue.add(dice.pick(MARKS) ?? '')
  const setLoss = (): void => {
    queue.loss = dice.pick([0, 0.05, 0.2]) ?? 0
  }
  const renew = (): void => queue.restart(dice.chance(0.5))
  const often = [...Array.from({ length: 6 }, () => put), setLoss, setLoss, () => queue.expire()]
  const changes = [() => box.change(), () => box.restart(() => queue.cut()), () => box.fill()]
  const deeds = [...often, ...changes, () => queue.expire(), () => queue.cut(), renew]
  box.start()
  for (let steps = 10 + dice.below(30); steps > 0; steps -= 1) {
    await dice.pick(deeds)?.()
    await sleep(dice.below(6))
  }
  queue.loss = 0
  await box.settle(() => queue.isDone)
  const faults = queue.isDone ? judge(box, queue) : ['jobs stay at the server']
  listener.close()
  await box.end()
  rmSync(folder, { recursive: true })
  return { seed, faults, lines }
}

/** Each job that was put is on disk once, unless it went with the server; the bad ones are buried. */
function judge(box: QueueBox, { put, jobs, gone }: Server): readonly string[] {
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

testHistories('a beanstalkd tube', 'test/plugins/source/beanstalkd-histories.test.ts', (t) =>
  Promise.resolve((folder, seed) => play(t, folder, seed)),
)
