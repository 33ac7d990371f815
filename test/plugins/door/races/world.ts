import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { hasEnded, type Job } from '../../../../src/core/job.ts'
import { wasCut } from '../../../../src/core/moves.ts'
import { OPERATIONS } from '../../../../src/plugins/ipp/protocol.ts'
import { printerId } from '../../../../src/plugins/printnode/printers.ts'
import { Keys } from '../../../../src/plugins/shipping/keys.ts'
import { decodeMessage } from '../../../../src/printers/ipp/codec.ts'
import {
  boolean,
  type IppMessage,
  integer,
  keyword,
  name,
  readNumber,
} from '../../../../src/printers/ipp/message.ts'
import { zplLabel } from '../../../core/labels.ts'
import { makePrinter } from '../../../core/printers/make-printer.ts'
import { Box } from '../../../simulator/box.ts'
import { type Manner, type Outcome, send } from '../../../simulator/client.ts'
import { Clock } from '../../../simulator/clock.ts'
import { Dice, type Story } from '../../../simulator/history.ts'
import type { PaperPrinter } from '../../../simulator/printer.ts'
import { makeRequest, type Question } from '../../ipp/ask.ts'
import { Front } from './front.ts'

const CLIENTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
const TERMINAL = [7, 8, 9]
const PATIENCE_MS = 60_000
const SIZES = [0, 0, 300, 2_000, 60_000]
const MANNERS: readonly Manner[] = ['whole', 'whole', 'pieces', 'cut', 'deaf', 'deaf', 'slow']

/** What was asked for once, however often it was sent. */
interface Wish {
  readonly mark: string
  readonly bench: string
  readonly client: string
  readonly door: 'ipp' | 'printnode'
  readonly key: string
  readonly user: string
  readonly bytes: number
  readonly isHeld: boolean
  papers: number
  /** Tries without an answer that the box may have taken. */
  readonly tries: { readonly number: number; readonly front: Front }[]
  /** The last try. */
  last: number
  /** Tries on their way. */
  open: number
  isAccepted: boolean
  mayBeTaken: boolean
  isCanceled: boolean
  /** Somebody asked for that. */
  isUnwanted: boolean
  /** Numbers of jobs at the box, and the last state each was said to be in. */
  readonly jobs: Map<number, number>
}

/** One history of print dialogs and PrintNode programs before one box. */
export class World extends Dice {
  readonly lines: string[] = []
  readonly faults: string[] = []
  readonly #wishes: Wish[] = []
  readonly #folder: string
  readonly #benches: readonly PaperPrinter[]
  readonly #server: Server
  readonly #port: number
  readonly #keys: Keys
  readonly #key: string
  readonly #printers = new Set(['A', 'B'])
  readonly #works = new Set<Promise<unknown>>()
  #box!: Box
  #front!: Front
  #run = 0
  #tries = 0
  /** Cancel-My-Jobs on their way. */
  #clearings = 0
  readonly #clock = new Clock()
  #fullness = 0
  #isOrderly = false
  /** Creates without a document yet. */
  readonly #created: { wish: Wish; job: number; run: number; at: number }[] = []

  constructor(folder: string, benches: readonly PaperPrinter[], server: Server, seed: number) {
    super(seed)
    this.#folder = mkdtempSync(join(folder, 'world-'))
    this.#benches = benches
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.#keys = new Keys(this.#folder)
    this.#key = this.#keys.add('shop').key
    for (const [n, bench] of benches.entries())
      bench.renew({
        onPaper: (mark) => this.#seePaper('AB'[n] ?? '', mark),
        onSpoiled: (text) => this.#fault(`spoiled: ${text.slice(0, 80)}`),
      })
    this.#open(this.#nextFolder())
  }

  async play(seed: number): Promise<Story> {
    const deeds: readonly (readonly [number, () => unknown])[] = [
      [6, () => this.#printNew()],
      [5, () => this.#createNew()],
      [6, () => this.#sendCreated()],
      [6, () => this.#postNew()],
      [6, () => this.#again()],
      [4, () => this.#cancel()],
      [2, () => this.#holdOrRelease()],
      [1, () => this.#cancelMine()],
      [6, () => this.#ask()],
      [2, () => this.#list()],
      [2, () => this.#snoop()],
      [1, () => this.#close()],
      [2, () => this.#deleteJob()],
      [2, () => this.#askPrintNode()],
      [3, () => this.#changeManners()],
      [2, () => this.#passTime()],
      [1, () => this.#fillDisk()],
      [1, () => this.#changePrinters()],
      [1, () => this.#crash()],
      [1, () => this.#restart()],
    ]
    const all = deeds.flatMap(([often, deed]) => Array.from({ length: often }, () => deed))
    for (let steps = 6 + this.below(18); steps > 0; steps -= 1) {
      const work = Promise.resolve(this.pick(all)?.())
      this.#works.add(work)
      void work.then(() => this.#works.delete(work))
      if (this.chance(0.3)) await work
      else for (let n = this.below(12); n > 0; n -= 1) await turn()
    }
    await this.#settle()
    this.#judge()
    this.#front.cut()
    await this.#box.stop(0)
    await this.#box.close()
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
    if (!wish.mayBeTaken) this.#fault(`${mark} was never whole, and printed`)
  }

  #make(door: Wish['door']): Wish {
    const wish: Wish = {
      mark: `m${this.#wishes.length + 1}`,
      bench: this.pick(['A', 'B']) ?? 'A',
      door,
      client: this.pick(CLIENTS) ?? '',
      user: this.pick(['anna', 'ben']) ?? '',
      key: `k${this.#wishes.length}`,
      bytes: this.pick(SIZES) ?? 0,
      isHeld: door === 'ipp' && this.chance(0.1),
      papers: 0,
      tries: [],
      last: 0,
      open: 0,
      isAccepted: false,
      mayBeTaken: false,
      isCanceled: false,
      isUnwanted: this.#clearings > 0,
      jobs: new Map(),
    }
    this.#wishes.push(wish)
    return wish
  }

  /** Sends, and keeps account of what its client can know. */
  async #try(
    words: string,
    wish: Wish,
    sent: { path: string; method: string; headers: Record<string, string>; body: Uint8Array },
    isDocument: boolean,
    manner: Manner = this.pick(MANNERS) ?? 'whole',
  ): Promise<Outcome> {
    this.#tries += 1
    if (isDocument) wish.last = this.#tries
    const [number, front] = [this.#tries, this.#front]
    const headers = { ...sent.headers, 'X-Try': String(number), 'X-Client': wish.client }
    this.#say(`${words} (${manner}) try ${number}`)
    if (isDocument && manner !== 'cut') wish.mayBeTaken = true
    wish.open += 1
    const outcome = await send(this.#port, { ...sent, headers, manner }, this)
    wish.open -= 1
    if (isDocument && outcome.status === 0 && manner !== 'cut') {
      wish.tries.push({ number, front })
    }
    this.#say(`  try ${number}: ${outcome.status}`)
    return outcome
  }

  async #ipp(
    words: string,
    wish: Wish,
    question: Omit<Question, 'path'>,
    more: { isDocument?: boolean; manner?: Manner } = {},
  ): Promise<IppMessage | undefined> {
    const { attributes, ...rest } = question
    const path = `/ipp/print/${wish.bench.toLowerCase()}`
    const body = makeRequest({
      ...rest,
      path,
      attributes: { 'requesting-user-name': name(wish.user), ...attributes },
    })
    const sent = { path, method: 'POST', headers: { 'Content-Type': 'application/ipp' }, body }
    const outcome = await this.#try(words, wish, sent, more.isDocument === true, more.manner)
    if (outcome.status !== 200) {
      if (outcome.status !== 0 && outcome.status !== 404)
        this.#fault(`${words}: ${outcome.status} ${outcome.body.toString()}`)
      return undefined
    }
    const { message } = decodeMessage(outcome.body)
    this.#say(`  ${words}: 0x${message.code.toString(16)}`)
    if (message.code === 0x500) this.#fault(`${words}: internal error`)
    return message
  }

  #label(wish: Wish): Uint8Array {
    return zplLabel(wish.mark, wish.bytes)
  }

  #template(wish: Wish) {
    return wish.isHeld ? { template: { 'job-hold-until': keyword('indefinite') } } : {}
  }

  async #printNew(): Promise<void> {
    await this.#print(this.#make('ipp'))
  }

  async #print(wish: Wish, manner?: Manner): Promise<void> {
    const question = {
      operation: OPERATIONS.printJob,
      attributes: { 'job-name': name(wish.mark) },
      ...this.#template(wish),
      document: this.#label(wish),
    }
    const words = `${wish.mark} Print-Job to ${wish.bench} of ${wish.client}`
    const more = { isDocument: true, ...(manner && { manner }) }
    this.#noteJob(wish, await this.#ipp(words, wish, question, more), true)
  }

  async #createNew(): Promise<void> {
    await this.#create(this.#make('ipp'))
  }

  async #create(wish: Wish): Promise<void> {
    const run = this.#run
    const answer = await this.#ipp(`${wish.mark} Create-Job at ${wish.bench}`, wish, {
      operation: OPERATIONS.createJob,
      attributes: { 'job-name': name(wish.mark) },
      ...this.#template(wish),
    })
    const job = this.#noteJob(wish, answer, false)
    if (job !== undefined) this.#created.push({ wish, job, run, at: this.#clock.seconds })
  }

  async #sendCreated(): Promise<void> {
    const created = this.pick(this.#created)
    if (created === undefined) return
    const { wish, job } = created
    if (wish.isAccepted) return
    await this.#send(wish, job)
  }

  async #send(wish: Wish, job: number, manner?: Manner): Promise<void> {
    const words = `${wish.mark} Send-Document to job ${job}`
    const question = {
      operation: OPERATIONS.sendDocument,
      attributes: {
        'job-id': integer(job),
        'last-document': boolean(this.chance(0.8)),
      },
      document: this.#label(wish),
    }
    const more = { isDocument: true, ...(manner && { manner }) }
    this.#noteJob(wish, await this.#ipp(words, wish, question, more), true)
  }

  /** What an answer tells of a job. */
  #noteJob(wish: Wish, answer: IppMessage | undefined, isDocument: boolean): number | undefined {
    if (answer === undefined || answer.code > 0xff) return undefined
    const group = answer.groups.find(({ tag }) => tag === 2)
    const [id, state] = [readNumber(group, 'job-id'), readNumber(group, 'job-state')]
    if (id === undefined || state === undefined) {
      this.#fault(`${wish.mark}: an answer without a job`)
      return undefined
    }
    if (isDocument && state !== 8 && state !== 7) wish.isAccepted = true
    this.#noteState(wish, id, state)
    return id
  }

  #noteState(wish: Wish, id: number, state: number): void {
    const before = wish.jobs.get(id)
    if (before !== state) this.#say(`  ${wish.mark}, job ${id}: ${before ?? ''} -> ${state}`)
    if (before !== undefined && TERMINAL.includes(before) && before !== state)
      this.#fault(`${wish.mark}, job ${id} was said to be ${before}, now ${state}`)
    wish.jobs.set(id, state)
    if (state === 7 && !wish.isUnwanted) this.#fault(`${wish.mark} is canceled unasked`)
  }

  /** Whoever has heard nothing sends it again: at once, later, or by a new job as CUPS does. */
  async #again(): Promise<void> {
    const open = this.#wishes.filter((one) => one.mayBeTaken && !one.isAccepted && one.open === 0)
    const wish = this.pick(open)
    if (wish === undefined || wish.isUnwanted) return
    if (wish.door === 'printnode') return await this.#post(wish)
    const created = this.#created.findLast((one) => one.wish === wish)
    if (created === undefined) return await this.#print(wish)
    if (this.chance(0.5)) return await this.#send(wish, created.job)
    await this.#create(wish)
    const next = this.#created.findLast((one) => one.wish === wish)
    if (next !== created && next !== undefined) await this.#send(wish, next.job)
  }

  #known(): readonly [Wish, number] | undefined {
    const wish = this.pick(this.#wishes.filter(({ door, jobs }) => door === 'ipp' && jobs.size > 0))
    const job = wish && this.pick([...wish.jobs.keys()])
    return wish && job !== undefined ? [wish, job] : undefined
  }

  async #cancel(): Promise<void> {
    const [wish, job] = this.#known() ?? []
    if (wish === undefined || job === undefined) return
    wish.isUnwanted = true
    const words = `${wish.mark} Cancel-Job ${job}`
    const answer = await this.#ipp(words, wish, {
      operation: OPERATIONS.cancelJob,
      attributes: { 'job-id': integer(job) },
    })
    if (answer?.code === 0) {
      wish.isCanceled = true
    }
  }

  async #cancelMine(): Promise<void> {
    const [wish] = this.#known() ?? []
    if (wish === undefined) return
    for (const one of this.#wishes) {
      const isMine = one.client === wish.client && one.bench === wish.bench
      if (isMine && one.user === wish.user) one.isUnwanted = true
    }
    this.#clearings += 1
    await this.#ipp(`${wish.user} Cancel-My-Jobs at ${wish.bench}`, wish, {
      operation: OPERATIONS.cancelMyJobs,
    })
    this.#clearings -= 1
  }

  async #holdOrRelease(): Promise<void> {
    const [wish, job] = this.#known() ?? []
    if (wish === undefined || job === undefined) return
    const isHold = this.chance(0.4)
    await this.#ipp(`${wish.mark} ${isHold ? 'Hold' : 'Release'}-Job ${job}`, wish, {
      operation: isHold ? OPERATIONS.holdJob : OPERATIONS.releaseJob,
      attributes: { 'job-id': integer(job) },
    })
  }

  async #ask(manner?: Manner): Promise<void> {
    const [wish, job] = this.#known() ?? []
    if (wish === undefined || job === undefined) return
    await this.#askOf(wish, job, manner)
  }

  async #askOf(wish: Wish, job: number, manner?: Manner): Promise<void> {
    const question = {
      operation: OPERATIONS.getJobAttributes,
      attributes: { 'job-id': integer(job) },
    }
    const words = `${wish.mark} Get-Job-Attributes ${job}`
    const answer = await this.#ipp(words, wish, question, { ...(manner && { manner }) })
    if (answer === undefined) return
    if (answer.code !== 0) return this.#fault(`${words}: 0x${answer.code.toString(16)}`)
    this.#noteJob(wish, answer, false)
  }

  async #list(): Promise<void> {
    const [wish] = this.#known() ?? []
    if (wish === undefined) return
    const answer = await this.#ipp(`Get-Jobs at ${wish.bench}`, wish, {
      operation: OPERATIONS.getJobs,
      attributes: {
        'which-jobs': keyword(this.pick(['completed', 'not-completed', 'all']) ?? 'all'),
        'requested-attributes': keyword('job-id', 'job-state'),
      },
    })
    for (const group of answer?.groups.filter(({ tag }) => tag === 2) ?? []) {
      const id = readNumber(group, 'job-id') ?? 0
      const of = this.#wishes.find(({ door, jobs }) => door === 'ipp' && jobs.has(id))
      if (of === undefined) continue
      if (of.client !== wish.client) this.#fault(`${wish.client} sees ${of.mark} of ${of.client}`)
      this.#noteState(of, id, readNumber(group, 'job-state') ?? 0)
    }
  }

  /** Another client asks for a job, or wants it canceled. */
  async #snoop(): Promise<void> {
    const [wish, job] = this.#known() ?? []
    const client = this.pick(CLIENTS.filter((one) => one !== wish?.client))
    if (wish === undefined || job === undefined || client === undefined) return
    const operation =
      this.pick([OPERATIONS.cancelJob, OPERATIONS.getJobAttributes, OPERATIONS.releaseJob]) ?? 8
    const words = `${client} wants ${wish.mark} of ${wish.client}`
    const answer = await this.#ipp(
      words,
      { ...wish, client },
      {
        operation,
        attributes: { 'job-id': integer(job) },
      },
    )
    if (answer !== undefined && answer.code !== 0x406) this.#fault(`${words}: ${answer.code}`)
  }

  async #close(): Promise<void> {
    const [wish, job] = this.#known() ?? []
    if (wish === undefined || job === undefined) return
    await this.#ipp(`${wish.mark} Close-Job ${job}`, wish, {
      operation: OPERATIONS.closeJob,
      attributes: { 'job-id': integer(job) },
    })
  }

  async #postNew(): Promise<void> {
    await this.#post(this.#make('printnode'))
  }

  async #post(wish: Wish, manner?: Manner): Promise<void> {
    const body = Buffer.from(
      JSON.stringify({
        printerId: printerId(wish.bench),
        title: wish.mark,
        contentType: 'raw_base64',
        content: Buffer.from(this.#label(wish)).toString('base64'),
      }),
    )
    const words = `${wish.mark} POST /printjobs to ${wish.bench}`
    const outcome = await this.#call(words, wish, 'POST', '/printjobs', body, manner)
    if (outcome.status === 201) {
      wish.isAccepted = true
      wish.jobs.set(Number(outcome.body.toString()), 0)
    } else if (outcome.status !== 0 && wish.papers > 0 && outcome.status !== 409) {
      this.#fault(`${words}: it is on paper, and the retry heard ${outcome.status}`)
    } else if (outcome.status === 404) this.#say(`  ${outcome.body.toString()}`)
  }

  async #call(
    words: string,
    wish: Wish,
    method: string,
    path: string,
    body: Uint8Array = new Uint8Array(),
    manner?: Manner,
  ): Promise<Outcome> {
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Basic ${btoa(`${this.#key}:`)}`,
      ...(method === 'POST' && { 'X-Idempotency-Key': wish.key }),
    }
    const sent = { path: `/printnode${path}`, method, headers, body }
    const outcome = await this.#try(words, wish, sent, method === 'POST', manner)
    if (outcome.status === 500) this.#fault(`${words}: ${outcome.body.toString()}`)
    return outcome
  }

  async #deleteJob(): Promise<void> {
    const wish = this.pick(this.#posted())
    if (wish === undefined) return
    wish.isUnwanted = true
    const [id] = wish.jobs.keys()
    const outcome = await this.#call(`${wish.mark} DELETE`, wish, 'DELETE', `/printjobs/${id}`)
    if (outcome.status === 200 && outcome.body.toString() === `[${id}]`) wish.isCanceled = true
  }

  async #askPrintNode(manner?: Manner): Promise<void> {
    const wish = this.pick(this.#posted())
    if (wish === undefined) return
    await this.#askPosted(wish, manner)
  }

  async #askPosted(wish: Wish, manner?: Manner): Promise<void> {
    const [id = 0] = wish.jobs.keys()
    const words = `${wish.mark} GET /printjobs/${id}`
    const outcome = await this.#call(words, wish, 'GET', `/printjobs/${id}`, undefined, manner)
    if (outcome.status !== 200) return
    const [told] = JSON.parse(outcome.body.toString()) as { state: string; title: string }[]
    if (told === undefined) return this.#fault(`${words}: nothing`)
    if (told.title !== wish.mark) this.#fault(`${words}: it is ${told.title}`)
    const state = { done: 9, deleted: 7, error: 8, expired: 8, sent_to_client: 5 }[told.state] ?? 3
    this.#noteState(wish, id, state)
  }

  #posted(): readonly Wish[] {
    return this.#wishes.filter(({ door, jobs }) => door === 'printnode' && jobs.size > 0)
  }

  #changeManners(): void {
    const bench = this.pick(this.#benches)
    const manners = this.pick([{}, { isStalled: true }, { bytesPerTurn: 1 + this.below(900) }])
    this.#say(`${bench?.uri} behaves ${JSON.stringify(manners)}`)
    if (manners !== undefined) bench?.behave(manners)
  }

  #passTime(): void {
    this.#clock.seconds += this.pick([20, 61, 400]) ?? 0
    this.#say(`it is ${this.#clock.seconds} s later`)
  }

  #fillDisk(): void {
    this.#fullness = this.chance(0.5) ? 0 : this.below(80)
    this.#say(`the disk refuses ${this.#fullness} %`)
  }

  #changePrinters(): void {
    const one = this.pick(['A', 'B']) ?? 'A'
    if (this.#printers.has(one)) this.#printers.delete(one)
    else this.#printers.add(one)
    this.#say(`printers: ${[...this.#printers]}`)
    this.#box.configure(this.#entries(), 'A')
  }

  async #crash(): Promise<void> {
    this.#say('the program is killed')
    const box = this.#box
    const folder = this.#nextFolder()
    this.#front.cut()
    const killed = box.kill(folder)
    this.#open(folder)
    await killed
  }

  async #restart(): Promise<void> {
    this.#say('the program is restarted')
    const [box, front] = [this.#box, this.#front]
    await box.stop(0)
    if (this.#box !== box) return
    front.cut()
    const closed = box.close()
    this.#open(box.folder)
    await closed
  }

  #entries() {
    return [...this.#printers].map((name) => {
      const bench = this.#benches['AB'.indexOf(name)]
      return makePrinter(name, { uri: bench?.uri ?? '' })
    })
  }

  #nextFolder(): string {
    this.#run += 1
    const folder = join(this.#folder, String(this.#run))
    mkdirSync(folder)
    return folder
  }

  #open(folder: string): void {
    const fault = (error: unknown): void => {
      if (this.#box === box && !/disk is full/.test(String(error)))
        this.#fault(`a fault: ${error instanceof Error ? error.stack : error}`)
    }
    const box: Box = new Box({
      folder,
      printers: this.#entries(),
      defaultName: 'A',
      random: this.random,
      fault,
      clock: this.#clock,
      isFull: () => !this.#isOrderly && this.#fullness > 0 && this.below(100) < this.#fullness,
      keepsLine: true,
      onChange: (job) => {
        if (this.#box === box || this.#box === undefined)
          this.#say(`  ${job.id} of ${job.title} is ${job.state} (${job.reasons})`)
      },
    })
    this.#fullness = 0
    this.#box = box
    this.#front = new Front(this.#server, box, this.#keys, fault)
    box.start()
  }

  /** Everything works again, most of those who heard nothing try once more, and somebody looks after every label. */
  async #settle(): Promise<void> {
    await Promise.all(this.#works)
    this.#say('everything is put in order')
    this.#isOrderly = true
    for (const bench of this.#benches) bench.behave({})
    for (const name of ['A', 'B']) this.#printers.add(name)
    this.#box.configure(this.#entries(), 'A')
    for (const wish of this.#wishes) await this.#tryLast(wish)
    await this.#untilDone()
    for (const wish of this.#wishes) {
      if (wish.door === 'printnode' && wish.jobs.size > 0) await this.#askPosted(wish, 'whole')
      if (wish.door === 'ipp')
        for (const job of wish.jobs.keys()) await this.#askOf(wish, job, 'whole')
    }
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
    if (!wish.mayBeTaken || wish.isAccepted || wish.isUnwanted || this.chance(0.3)) return
    if (wish.door === 'printnode') await this.#post(wish, 'whole')
    else if (!this.#created.some((one) => one.wish === wish)) await this.#print(wish, 'whole')
  }

  #jobs(): readonly Job[] {
    return this.#box.spool.history.list({ limit: 100 })
  }

  async #lookAfter(job: Job): Promise<void> {
    const { scheduler } = this.#box
    try {
      if (wasCut(job)) {
        if (!this.#benches.every((bench) => bench.isAlone)) return
        const done = this.#jobs().filter(
          ({ title, state }) => title === job.title && state === 'completed',
        )
        const wish = this.#wishes.find(({ mark }) => mark === job.title)
        const isOut = (wish?.papers ?? 0) > done.length
        this.#say(
          `  says that ${job.id} of ${job.title} ${isOut ? 'came out' : 'did not come out'}`,
        )
        await scheduler.resolve(job.id, isOut, job.attempts)
      } else if (job.format === 'unknown')
        await scheduler.cancel(job.id) // refused, as its printer was removed
      else if (job.state === 'pending-held') await scheduler.release(job.id)
    } catch (error) {
      this.#say(`  ${error}`)
    }
  }

  /** The box could not know that nobody heard its answer: it was handed over, a run forgot it, or the next try came before. */
  #isBlind({ tries, last }: Wish, number: number, front: Front): boolean {
    const gone = front.events.indexOf(`lost ${number}`)
    const next = Math.min(...[...tries.map((one) => one.number), last].filter((n) => n > number))
    const begun = front.events.indexOf(`begun ${next}`)
    return front !== this.#front || gone < 0 || (begun >= 0 && begun < gone)
  }

  #judge(): void {
    for (const job of this.#jobs())
      if (!hasEnded(job)) this.#fault(`${job.id} of ${job.title} has not ended: ${job.state}`)
    for (const wish of this.#wishes) this.#judgePaper(wish)
  }

  #judgePaper(wish: Wish): void {
    const { mark, papers, tries, door, isAccepted, isUnwanted, jobs } = wish
    const blind = tries.filter(({ number, front }) => this.#isBlind(wish, number, front)).length
    const most = door === 'printnode' ? 1 : 1 + blind
    if (papers > most) this.#fault(`${mark} came out ${papers} times, wanted ${most} at most`)
    if (isAccepted && papers === 0 && !isUnwanted) this.#fault(`${mark} was taken and is lost`)
    if (papers === 0 && [...jobs.values()].includes(9))
      this.#fault(`${mark} is completed and not on paper`)
    if (!this.#hasBegunAnyway(mark)) this.#judgeEnd(wish, blind)
  }

  /** What has begun may come out although it was canceled. */
  #hasBegunAnyway(mark: string): boolean {
    return this.#jobs().some(
      ({ title, state, attempts }) => title === mark && state === 'canceled' && attempts > 0,
    )
  }

  #judgeEnd({ mark, papers, isCanceled, jobs }: Wish, blind: number): void {
    if (papers <= blind) return
    const states = [...jobs.values()]
    if (isCanceled) this.#fault(`${mark} was canceled and printed`)
    if (states.length > 0 && states.every((state) => state === 8 || state === 7))
      this.#fault(`${mark} is said to be ${states} and is on paper`)
  }
}
