import {
  closeSync,
  cpSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { hasEnded, type Job } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import { PAGE_BYTES } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { Dice, type Story } from '../../simulator/history.ts'
import { newJob } from '../labels.ts'

const OUTCOME = { at: 5, sentBytes: 10, confirmed: false, notes: [] }
const STARTS_MOST = 3 // what a start does not find is noted for the next one
const SECTOR = 512
const LOST = { message: quoteEnglish('lost'), hint: NOTHING, code: 'JOB_LABEL_GONE' } as const

interface Accepted {
  readonly id: string
  readonly key: string
  readonly label: Uint8Array
  /** Its bytes have begun to leave for its printer. */
  isOut: boolean
}

/** Plays one history: labels are taken and printed, the disk damages the spool, and it is started again. */
export function playDisk(home: string, seed: number): Promise<Story> {
  const disk = new Disk(join(home, String(seed)), seed)
  disk.play()
  return Promise.resolve({ seed, faults: disk.faults, lines: disk.lines })
}

class Disk {
  readonly faults: string[] = []
  readonly lines: string[] = []
  readonly #dice: Dice
  readonly #home: string
  #folder: string
  #accepted: Accepted[] = []
  #starts = 0
  #labels = 0

  constructor(home: string, seed: number) {
    this.#dice = new Dice(seed)
    this.#home = home
    this.#folder = join(home, '0')
  }

  play(): void {
    try {
      this.#live()
    } catch (error) {
      const stack = error instanceof Error ? `${error.stack} ${String(error.cause)}` : String(error)
      this.faults.push(stack)
    }
    if (this.faults.length === 0) rmSync(this.#home, { recursive: true, force: true })
  }

  #live(): void {
    let spool = this.#open()
    const rounds = this.#dice.chance(0.3) ? 2 : 1
    for (let round = 0; round < rounds; round += 1) {
      const isBroken = !this.#tryWork(spool)
      this.#end(spool)
      const hurts = 1 + this.#dice.below(3)
      const isHurt = this.#dice.chance(0.9)
      if (isHurt) for (let n = 0; n < hurts; n += 1) this.#hurt()
      spool = this.#restart(isHurt || isBroken)
    }
    spool.close()
  }

  #open(): Spool {
    return new Spool({ folder: this.#folder, minFreeBytes: 0, ballastBytes: 0 })
  }

  /** False when earlier damage shows only now: the program is started again. */
  #tryWork(spool: Spool): boolean {
    try {
      this.#work(spool)
      return true
    } catch (error) {
      if (spool.health.answers()) throw error
      return false
    }
  }

  #work(spool: Spool): void {
    const count = this.#dice.below(20)
    for (let n = 0; n < count; n += 1) {
      const first = this.#labels
      const batch = Array.from({ length: 1 + this.#dice.below(4) }, () => {
        this.#labels += 1
        return newJob(this.#labels, { bytes: this.#dice.pick([0, 100, 3_000, 5_000, 60_000]) ?? 0 })
      })
      const key = `http:${first}`
      const { jobs } = spool.add(batch, { key, fingerprint: key })
      jobs.forEach(({ id }, at) => {
        this.#accepted.push({ id, key, label: batch[at]?.label ?? Buffer.of(), isOut: false })
      })
      if (this.#dice.chance(0.5)) this.#print(spool)
    }
    this.lines.push(`${this.#labels} labels were taken`)
  }

  #print(spool: Spool): void {
    const next = spool.line.next('Bench 1')
    if (next === undefined) return
    const one = this.#accepted.find(({ id }) => id === next.job.id)
    if (one === undefined) return
    if (one.isOut) this.faults.push(`${one.id} is printed twice`)
    spool.move(one.id, (job) => moves.begin(job, 1, NOTHING), { place: 'usb://x', totalBytes: 10 })
    one.isOut = true
    if (this.#dice.chance(0.9)) spool.move(one.id, (job) => moves.complete(job, OUTCOME))
  }

  /** Ends the program properly, or as with kill -9. */
  #end(spool: Spool): void {
    this.#starts += 1
    const isKilled = this.#dice.chance(0.5)
    if (isKilled) {
      const copy = join(this.#home, String(this.#starts))
      cpSync(this.#folder, copy, { recursive: true })
      this.#folder = copy
    }
    spool.close()
    this.lines.push(isKilled ? 'it is killed' : 'it ends')
  }

  #hurt(): void {
    const file = join(this.#folder, 'spool.db')
    const { size } = statSync(file)
    const page = this.#dice.chance(0.3) ? this.#dice.below(6) : this.#dice.below(size / PAGE_BYTES)
    const at = Math.min(page * PAGE_BYTES, size)
    const handle = openSync(file, 'r+')
    const write = (bytes: Uint8Array, from: number): void => {
      writeSync(handle, bytes, 0, bytes.length, from)
    }
    const how = this.#dice.pick(['noise', 'zeros', 'sector', 'cut', 'bit', 'swap'] as const)
    if (how === 'noise') write(Buffer.alloc(PAGE_BYTES, 0xa5), at)
    if (how === 'zeros') write(Buffer.alloc(PAGE_BYTES), at)
    const sector = at + SECTOR * this.#dice.below(PAGE_BYTES / SECTOR)
    if (how === 'sector') write(Buffer.alloc(SECTOR), sector)
    if (how === 'swap') {
      const bytes = Buffer.alloc(PAGE_BYTES)
      readSync(handle, bytes, 0, PAGE_BYTES, this.#dice.below(size / PAGE_BYTES) * PAGE_BYTES)
      write(bytes, at)
    }
    if (how === 'bit') {
      const bytes = Buffer.alloc(1)
      const place = at + this.#dice.below(this.#dice.chance(0.5) ? 100 : PAGE_BYTES)
      readSync(handle, bytes, 0, 1, place)
      write(Buffer.of((bytes[0] ?? 0) ^ (1 << this.#dice.below(8))), place)
    }
    closeSync(handle)
    if (how === 'cut') truncateSync(file, this.#cutAt(at))
    this.lines.push(`${how} at page ${page + 1} of ${size / PAGE_BYTES}`)
  }

  #cutAt(at: number): number {
    return this.#dice.chance(0.1) ? 0 : at + this.#dice.below(PAGE_BYTES)
  }

  #restart(isHurt: boolean): Spool {
    const notices: string[] = []
    for (let start = 0; start < STARTS_MOST; start += 1) {
      const spool = this.#tryOpen()
      if (spool === undefined) continue
      notices.push(...spool.notices)
      if (this.#tryStart(spool, isHurt, notices)) return spool
      spool.close()
    }
    throw new Error(`it does not come up in ${STARTS_MOST} starts`)
  }

  /** Undefined when damage shows in the opening: the process ends, and with it its lock. */
  #tryOpen(): Spool | undefined {
    try {
      return this.#open()
    } catch (error) {
      if (!isBroken(error)) throw error
      const copy = `${this.#folder}-again`
      cpSync(this.#folder, copy, { recursive: true })
      this.#folder = copy
      return undefined
    }
  }

  #tryStart(spool: Spool, isHurt: boolean, notices: readonly string[]): boolean {
    try {
      spool.recover('hold')
      spool.housekeep()
      this.#look(spool)
      if (!spool.health.answers()) throw new PlatenError('SPOOL_BROKEN', 'no answer')
      this.lines.push(`it starts: ${notices.join(' ')}`)
      this.#judge(spool, isHurt, notices)
      return true
    } catch (error) {
      if (!isBroken(error) || spool.health.answers()) throw error
      this.lines.push(`it starts and breaks: ${error.message}`)
      return false
    }
  }

  /** Reads what people and printers soon read. */
  #look(spool: Spool): void {
    const jobs = spool.history.list({ limit: 500 })
    for (const { id } of jobs) spool.history.label(id)
    spool.overview.counts()
  }

  #judge(spool: Spool, isHurt: boolean, notices: readonly string[]): void {
    const known = this.#accepted
    for (const one of known) {
      const job = spool.history.get(one.id)
      if (job === undefined) {
        if (notices.length === 0) this.faults.push(`${one.id} is gone, and nobody is told`)
        continue
      }
      this.#judgeJob(spool, one, job)
    }
    const [fresh] = spool.add([newJob('fresh')]).jobs
    if (known.some(({ id }) => id === fresh?.id)) this.faults.push(`${fresh?.id} is given twice`)
    if (fresh) spool.move(fresh.id, (job) => moves.cancel(job, 1))
    if (!isHurt && notices.length > 0) this.faults.push('told of damage that is none')
    this.#accepted = known.filter(({ id }) => spool.history.get(id) !== undefined)
  }

  #judgeJob(spool: Spool, one: Accepted, job: Job): void {
    const label = spool.history.label(one.id)
    if (label !== undefined && !Buffer.from(one.label).equals(label))
      this.faults.push(`${one.id} has another label`)
    if (label === undefined && !hasEnded(job)) this.#endAsLost(spool, one)
    if (one.isOut && job.state === 'pending') this.faults.push(`${one.id} would be printed twice`)
    if (!one.isOut && job.state === 'completed') this.faults.push(`${one.id} was never printed`)
    if (job.state === 'aborted' && job.message.length === 0)
      this.faults.push(`${one.id} has no sentence`)
  }

  /** Ends a lost label as its printer would; then somebody sends it again. */
  #endAsLost(spool: Spool, one: Accepted): void {
    if (spool.history.get(one.id)?.state === 'pending')
      spool.move(one.id, (job) => moves.abort(job, 'aborted-by-system', 1, LOST))
    else spool.move(one.id, (job) => moves.cancel(job, 1)) // a person has looked after it
    const [again] = spool.add([{ ...newJob(), label: one.label }]).jobs
    const label = again && spool.history.label(again.id)
    if (!label || !Buffer.from(one.label).equals(label)) this.faults.push(`${one.id} is lost again`)
    if (again) spool.move(again.id, (job) => moves.cancel(job, 1))
  }
}

function isBroken(error: unknown): error is PlatenError {
  return error instanceof PlatenError && error.code === 'SPOOL_BROKEN'
}
