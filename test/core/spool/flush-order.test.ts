import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const CHILD = `${import.meta.dirname}/flush-order-child.ts`
const isTraced = spawnSync('strace', ['true']).status === 0
const CALLS = 'pwrite64,fdatasync,fsync,write,ftruncate'

/** Writes to a file, and how much of them a flush took along. */
class Writes {
  #written = 0
  #safe = 0
  /** By thread: how much had been written when its flush began. */
  readonly #flushes = new Map<string, number>()

  write(): void {
    this.#written += 1
  }

  begin(thread: string): void {
    this.#flushes.set(thread, this.#written)
  }

  end(thread: string): void {
    this.#safe = Math.max(this.#safe, this.#flushes.get(thread) ?? 0)
  }

  get isSafe(): boolean {
    return this.#safe === this.#written
  }
}

/** Reads what the system was asked for, in its order, and names what came too early. */
class Order {
  readonly #log = new Writes()
  readonly #base = new Writes()
  readonly faults: string[] = []
  readonly seen = { told: 0, moved: 0, begunAnew: 0 }

  read(line: string): void {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const [, name = '', path = '', rest = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(call) ?? []
    if (name === 'write' && rest.includes('"told"')) this.#told()
    const file = this.#fileOf(path)
    if (name === 'pwrite64' && file !== undefined)
      this.#write(file, Number(/, (\d+)\) += /.exec(rest)?.[1]))
    if (name.endsWith('sync')) file?.begin(thread)
    // In one line, or in a second one where another thread was told of meanwhile.
    if (!/sync(?:\(| resumed).*= 0$/.test(call)) return
    for (const flushed of [this.#log, this.#base]) flushed.end(thread)
  }

  #fileOf(path: string): Writes | undefined {
    if (path.endsWith('.db-wal')) return this.#log
    return path.endsWith('.db') ? this.#base : undefined
  }

  #told(): void {
    this.seen.told += 1
    if (!this.#log.isSafe) this.faults.push('told before its log was flushed')
  }

  #write(file: Writes, at: number): void {
    if (file === this.#base) {
      this.seen.moved += 1
      if (!this.#log.isSafe) this.faults.push('moved to the database before its log was flushed')
    } else if (at === 0) {
      this.seen.begunAnew += 1
      if (!this.#base.isSafe)
        this.faults.push('the log begins again before the database was flushed')
    }
    file.write()
  }
}

t.test(
  'nothing is told, moved to the database or written over before it is on disk',
  { skip: isTraced ? false : 'needs strace, which shows what the system is asked for' },
  (t) => {
    const trace = join(t.testdir({ spool: {} }), 'trace')
    const args = [
      '-f',
      '-y',
      '-s',
      '8',
      '-o',
      trace,
      '-e',
      `trace=${CALLS}`,
      process.execPath,
      CHILD,
    ]
    execFileSync('strace', [...args, join(t.testdirName, 'spool')])
    const order = new Order()
    for (const line of readFileSync(trace, 'latin1').split('\n')) order.read(line)
    t.same([...new Set(order.faults)], [])
    const { told, moved, begunAnew } = order.seen
    t.equal(told, 250)
    t.ok(moved > 400 && begunAnew > 3, `${moved} pages moved, the log begun ${begunAnew} times`)
    t.end()
  },
)
