import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Job } from '../../../../src/core/job.ts'
import { Keys } from '../../../../src/http/access/keys.ts'
import { OPERATIONS } from '../../../../src/plugins/ipp/protocol.ts'
import { printerId } from '../../../../src/plugins/printnode/printers.ts'
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
import { type Manner, type Outcome, send } from '../../../simulator/client.ts'
import type { Chance } from '../../../simulator/operator.ts'
import type { PaperPrinter } from '../../../simulator/printer.ts'
import { makeRequest, type Question } from '../../ipp/ask.ts'
import { type DoorLabel, DoorWorld, PRINTERS } from '../world.ts'
import { Front } from './front.ts'

const CLIENTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
const TERMINAL = [7, 8, 9]
const SIZES = [0, 0, 300, 2_000, 60_000]
const MANNERS: readonly Manner[] = ['whole', 'whole', 'pieces', 'cut', 'deaf', 'deaf', 'slow']

/** A request for a label, however often it was sent. */
interface Label extends DoorLabel {
  readonly client: string
  readonly door: 'ipp' | 'printnode'
  readonly key: string
  readonly user: string
  readonly bytes: number
  readonly isHeld: boolean
  /** Tries without an answer that the box may have taken. */
  readonly tries: { readonly number: number; readonly front: Front }[]
  /** The last try. */
  last: number
  /** Tries on their way. */
  open: number
  isAccepted: boolean
  isCanceled: boolean
  /** Somebody asked for that. */
  isUnwanted: boolean
  /** Numbers of jobs at the box, and the last state each was said to be in. */
  readonly jobs: Map<number, number>
}

/** Print dialogs and PrintNode programs before one box. */
export class DialogWorld extends DoorWorld<Label> {
  readonly #server: Server
  readonly #port: number
  readonly #keys: Keys
  /** First reports of each job, in seconds of the box's clock. */
  readonly #begun = new Map<number, number>()
  readonly #key: string
  #front!: Front
  #tries = 0
  /** Cancel-My-Jobs on their way. */
  #clearings = 0
  /** Creates without a document yet. */
  readonly #created: { label: Label; job: number }[] = []

  constructor(folder: string, benches: readonly PaperPrinter[], server: Server, seed: number) {
    super(folder, benches, seed)
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.#keys = new Keys(this.folders.home)
    this.#key = this.#keys.add('shop').key
  }

  protected override countSteps(): number {
    return 6 + this.below(18)
  }

  protected override listActions(): readonly Chance[] {
    return [
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
      [2, () => this.#passTime()],
      [1, () => this.#crash()],
      [1, () => this.#restart()],
    ]
  }

  protected override openDoors(fault: (error: unknown) => void): void {
    this.#front = new Front(this.#server, this.box, this.#keys, fault)
  }

  protected override closeDoors(): void {
    this.#front.cut()
  }

  #make(door: Label['door']): Label {
    const label: Label = {
      mark: `m${this.labels.length + 1}`,
      printer: this.pick(PRINTERS) ?? 'A',
      door,
      client: this.pick(CLIENTS) ?? '',
      user: this.pick(['anna', 'ben']) ?? '',
      key: `k${this.labels.length}`,
      bytes: this.pick(SIZES) ?? 0,
      isHeld: door === 'ipp' && this.chance(0.1),
      papers: 0,
      tries: [],
      last: 0,
      open: 0,
      isAccepted: false,
      wasWhole: false,
      isCanceled: false,
      isUnwanted: this.#clearings > 0,
      jobs: new Map(),
    }
    this.ledger.labels.set(label.mark, label)
    return label
  }

  /** Sends, and keeps account of what its client can know. */
  async #try(
    words: string,
    label: Label,
    sent: { path: string; method: string; headers: Record<string, string>; body: Uint8Array },
    isDocument: boolean,
    manner: Manner = this.pick(MANNERS) ?? 'whole',
  ): Promise<Outcome> {
    this.#tries += 1
    if (isDocument) label.last = this.#tries
    const [number, front] = [this.#tries, this.#front]
    const headers = { ...sent.headers, 'X-Try': String(number), 'X-Client': label.client }
    this.ledger.say(`${words} (${manner}) try ${number}`)
    if (isDocument && manner !== 'cut') label.wasWhole = true
    label.open += 1
    const outcome = await send(this.#port, { ...sent, headers, manner }, this)
    label.open -= 1
    if (isDocument && outcome.status === 0 && manner !== 'cut') {
      label.tries.push({ number, front })
    }
    this.ledger.say(`  try ${number}: ${outcome.status}`)
    return outcome
  }

  async #ipp(
    words: string,
    label: Label,
    question: Omit<Question, 'path'>,
    more: { isDocument?: boolean; manner?: Manner } = {},
  ): Promise<IppMessage | undefined> {
    const { attributes, ...rest } = question
    const path = `/ipp/print/${label.printer.toLowerCase()}`
    const body = makeRequest({
      ...rest,
      path,
      attributes: { 'requesting-user-name': name(label.user), ...attributes },
    })
    const sent = { path, method: 'POST', headers: { 'Content-Type': 'application/ipp' }, body }
    const outcome = await this.#try(words, label, sent, more.isDocument === true, more.manner)
    if (outcome.status !== 200) {
      if (outcome.status !== 0 && outcome.status !== 404)
        this.ledger.fault(`${words}: ${outcome.status} ${outcome.body.toString()}`)
      return undefined
    }
    const { message } = decodeMessage(outcome.body)
    this.ledger.say(`  ${words}: 0x${message.code.toString(16)}`)
    if (message.code === 0x500) this.ledger.fault(`${words}: internal error`)
    return message
  }

  #bytesOf(label: Label): Uint8Array {
    return zplLabel(label.mark, label.bytes)
  }

  #template(label: Label) {
    return label.isHeld ? { template: { 'job-hold-until': keyword('indefinite') } } : {}
  }

  async #printNew(): Promise<void> {
    await this.#print(this.#make('ipp'))
  }

  async #print(label: Label, manner?: Manner): Promise<void> {
    const question = {
      operation: OPERATIONS.printJob,
      attributes: { 'job-name': name(label.mark) },
      ...this.#template(label),
      document: this.#bytesOf(label),
    }
    const words = `${label.mark} Print-Job to ${label.printer} of ${label.client}`
    const more = { isDocument: true, ...(manner && { manner }) }
    this.#noteJob(label, await this.#ipp(words, label, question, more), true)
  }

  async #createNew(): Promise<void> {
    await this.#create(this.#make('ipp'))
  }

  async #create(label: Label): Promise<void> {
    const answer = await this.#ipp(`${label.mark} Create-Job at ${label.printer}`, label, {
      operation: OPERATIONS.createJob,
      attributes: { 'job-name': name(label.mark) },
      ...this.#template(label),
    })
    const job = this.#noteJob(label, answer, false)
    if (job !== undefined) this.#created.push({ label, job })
  }

  async #sendCreated(): Promise<void> {
    const created = this.pick(this.#created)
    if (created === undefined) return
    const { label, job } = created
    if (label.isAccepted) return
    await this.#send(label, job)
  }

  async #send(label: Label, job: number, manner?: Manner): Promise<void> {
    const words = `${label.mark} Send-Document to job ${job}`
    const question = {
      operation: OPERATIONS.sendDocument,
      attributes: {
        'job-id': integer(job),
        'last-document': boolean(this.chance(0.8)),
      },
      document: this.#bytesOf(label),
    }
    const more = { isDocument: true, ...(manner && { manner }) }
    this.#noteJob(label, await this.#ipp(words, label, question, more), true)
  }

  /** Notes what an answer says about a job. */
  #noteJob(label: Label, answer: IppMessage | undefined, isDocument: boolean): number | undefined {
    if (answer === undefined || answer.code > 0xff) return undefined
    const group = answer.groups.find(({ tag }) => tag === 2)
    const [id, state] = [readNumber(group, 'job-id'), readNumber(group, 'job-state')]
    if (id === undefined || state === undefined) {
      this.ledger.fault(`${label.mark}: an answer without a job`)
      return undefined
    }
    if (isDocument && state !== 8 && state !== 7) label.isAccepted = true
    this.#noteState(label, id, state)
    return id
  }

  /** The box forgets a job whose document does not come for ten minutes. */
  #mayBeForgotten(job: number): boolean {
    return this.clock.seconds - (this.#begun.get(job) ?? 0) >= 600
  }

  #noteState(label: Label, id: number, state: number): void {
    const before = label.jobs.get(id)
    if (!this.#begun.has(id)) this.#begun.set(id, this.clock.seconds)
    if (before !== state) this.ledger.say(`  ${label.mark}, job ${id}: ${before ?? ''} -> ${state}`)
    if (before !== undefined && TERMINAL.includes(before) && before !== state)
      this.ledger.fault(`${label.mark}, job ${id} was said to be ${before}, now ${state}`)
    label.jobs.set(id, state)
    if (state === 7 && !label.isUnwanted) this.ledger.fault(`${label.mark} is canceled unasked`)
  }

  /** Whoever has heard nothing sends it again: at once, later, or by a new job as CUPS does. */
  async #again(): Promise<void> {
    const open = this.labels.filter((one) => one.wasWhole && !one.isAccepted && one.open === 0)
    const label = this.pick(open)
    if (label === undefined || label.isUnwanted) return
    if (label.door === 'printnode') return await this.#post(label)
    const created = this.#created.findLast((one) => one.label === label)
    if (created === undefined) return await this.#print(label)
    if (this.chance(0.5)) return await this.#send(label, created.job)
    await this.#create(label)
    const next = this.#created.findLast((one) => one.label === label)
    if (next !== created && next !== undefined) await this.#send(label, next.job)
  }

  #known(): readonly [Label, number] | undefined {
    const label = this.pick(this.labels.filter(({ door, jobs }) => door === 'ipp' && jobs.size > 0))
    const job = label && this.pick([...label.jobs.keys()])
    return label && job !== undefined ? [label, job] : undefined
  }

  async #cancel(): Promise<void> {
    const [label, job] = this.#known() ?? []
    if (label === undefined || job === undefined) return
    label.isUnwanted = true
    const words = `${label.mark} Cancel-Job ${job}`
    const answer = await this.#ipp(words, label, {
      operation: OPERATIONS.cancelJob,
      attributes: { 'job-id': integer(job) },
    })
    if (answer?.code === 0) {
      label.isCanceled = true
    }
  }

  async #cancelMine(): Promise<void> {
    const [label] = this.#known() ?? []
    if (label === undefined) return
    for (const one of this.labels) {
      const isMine = one.client === label.client && one.printer === label.printer
      if (isMine && one.user === label.user) one.isUnwanted = true
    }
    this.#clearings += 1
    await this.#ipp(`${label.user} Cancel-My-Jobs at ${label.printer}`, label, {
      operation: OPERATIONS.cancelMyJobs,
    })
    this.#clearings -= 1
  }

  async #holdOrRelease(): Promise<void> {
    const [label, job] = this.#known() ?? []
    if (label === undefined || job === undefined) return
    const isHold = this.chance(0.4)
    await this.#ipp(`${label.mark} ${isHold ? 'Hold' : 'Release'}-Job ${job}`, label, {
      operation: isHold ? OPERATIONS.holdJob : OPERATIONS.releaseJob,
      attributes: { 'job-id': integer(job) },
    })
  }

  async #ask(manner?: Manner): Promise<void> {
    const [label, job] = this.#known() ?? []
    if (label === undefined || job === undefined) return
    await this.#askOf(label, job, manner)
  }

  async #askOf(label: Label, job: number, manner?: Manner): Promise<void> {
    const question = {
      operation: OPERATIONS.getJobAttributes,
      attributes: { 'job-id': integer(job) },
    }
    const words = `${label.mark} Get-Job-Attributes ${job}`
    const answer = await this.#ipp(words, label, question, { ...(manner && { manner }) })
    if (answer === undefined) return
    if (answer.code === 0x406 && !label.isAccepted && this.#mayBeForgotten(job)) return
    if (answer.code !== 0) return this.ledger.fault(`${words}: 0x${answer.code.toString(16)}`)
    this.#noteJob(label, answer, false)
  }

  async #list(): Promise<void> {
    const [label] = this.#known() ?? []
    if (label === undefined) return
    const answer = await this.#ipp(`Get-Jobs at ${label.printer}`, label, {
      operation: OPERATIONS.getJobs,
      attributes: {
        'which-jobs': keyword(this.pick(['completed', 'not-completed', 'all']) ?? 'all'),
        'requested-attributes': keyword('job-id', 'job-state'),
      },
    })
    for (const group of answer?.groups.filter(({ tag }) => tag === 2) ?? []) {
      const id = readNumber(group, 'job-id') ?? 0
      const of = this.labels.find(({ door, jobs }) => door === 'ipp' && jobs.has(id))
      if (of === undefined) continue
      if (of.client !== label.client)
        this.ledger.fault(`${label.client} sees ${of.mark} of ${of.client}`)
      this.#noteState(of, id, readNumber(group, 'job-state') ?? 0)
    }
  }

  /** Another client asks for a job, or wants it canceled. */
  async #snoop(): Promise<void> {
    const [label, job] = this.#known() ?? []
    const client = this.pick(CLIENTS.filter((one) => one !== label?.client))
    if (label === undefined || job === undefined || client === undefined) return
    const operation =
      this.pick([OPERATIONS.cancelJob, OPERATIONS.getJobAttributes, OPERATIONS.releaseJob]) ?? 8
    const words = `${client} wants ${label.mark} of ${label.client}`
    const answer = await this.#ipp(
      words,
      { ...label, client },
      {
        operation,
        attributes: { 'job-id': integer(job) },
      },
    )
    if (answer !== undefined && answer.code !== 0x406) this.ledger.fault(`${words}: ${answer.code}`)
  }

  async #close(): Promise<void> {
    const [label, job] = this.#known() ?? []
    if (label === undefined || job === undefined) return
    await this.#ipp(`${label.mark} Close-Job ${job}`, label, {
      operation: OPERATIONS.closeJob,
      attributes: { 'job-id': integer(job) },
    })
  }

  async #postNew(): Promise<void> {
    await this.#post(this.#make('printnode'))
  }

  async #post(label: Label, manner?: Manner): Promise<void> {
    const body = Buffer.from(
      JSON.stringify({
        printerId: printerId(label.printer),
        title: label.mark,
        contentType: 'raw_base64',
        content: Buffer.from(this.#bytesOf(label)).toString('base64'),
      }),
    )
    const words = `${label.mark} POST /printjobs to ${label.printer}`
    const outcome = await this.#call(words, label, 'POST', '/printjobs', body, manner)
    if (outcome.status === 201) {
      label.isAccepted = true
      label.jobs.set(Number(outcome.body.toString()), 0)
    } else if (outcome.status !== 0 && label.papers > 0 && outcome.status !== 409) {
      this.ledger.fault(`${words}: it is on paper, and the retry heard ${outcome.status}`)
    } else if (outcome.status === 404) this.ledger.say(`  ${outcome.body.toString()}`)
  }

  async #call(
    words: string,
    label: Label,
    method: string,
    path: string,
    body: Uint8Array = new Uint8Array(),
    manner?: Manner,
  ): Promise<Outcome> {
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Basic ${btoa(`${this.#key}:`)}`,
      ...(method === 'POST' && { 'X-Idempotency-Key': label.key }),
    }
    const sent = { path: `/printnode${path}`, method, headers, body }
    const outcome = await this.#try(words, label, sent, method === 'POST', manner)
    if (outcome.status === 500) this.ledger.fault(`${words}: ${outcome.body.toString()}`)
    return outcome
  }

  async #deleteJob(): Promise<void> {
    const label = this.pick(this.#posted())
    if (label === undefined) return
    label.isUnwanted = true
    const [id] = label.jobs.keys()
    const outcome = await this.#call(`${label.mark} DELETE`, label, 'DELETE', `/printjobs/${id}`)
    if (outcome.status === 200 && outcome.body.toString() === `[${id}]`) label.isCanceled = true
  }

  async #askPrintNode(manner?: Manner): Promise<void> {
    const label = this.pick(this.#posted())
    if (label === undefined) return
    await this.#askPosted(label, manner)
  }

  async #askPosted(label: Label, manner?: Manner): Promise<void> {
    const [id = 0] = label.jobs.keys()
    const words = `${label.mark} GET /printjobs/${id}`
    const outcome = await this.#call(words, label, 'GET', `/printjobs/${id}`, undefined, manner)
    if (outcome.status !== 200) return
    const [told] = JSON.parse(outcome.body.toString()) as { state: string; title: string }[]
    if (told === undefined) return this.ledger.fault(`${words}: nothing`)
    if (told.title !== label.mark) this.ledger.fault(`${words}: it is ${told.title}`)
    const state = { done: 9, deleted: 7, error: 8, expired: 8, sent_to_client: 5 }[told.state] ?? 3
    this.#noteState(label, id, state)
  }

  #posted(): readonly Label[] {
    return this.labels.filter(({ door, jobs }) => door === 'printnode' && jobs.size > 0)
  }

  #passTime(): void {
    this.clock.seconds += this.pick([20, 61, 400]) ?? 0
    this.ledger.say(`it is ${this.clock.seconds} s later`)
  }

  async #crash(): Promise<void> {
    this.ledger.say('the program is killed')
    const folder = this.folders.next()
    this.#front.cut()
    const killed = this.box.kill(folder)
    await this.open(folder)
    await killed
  }

  async #restart(): Promise<void> {
    this.ledger.say('the program is restarted')
    const { box } = this
    const front = this.#front
    await box.stop(0)
    if (this.box !== box) return
    front.cut()
    const closed = box.close()
    await this.open(box.folder)
    await closed
  }

  protected override async tryLast(label: Label): Promise<void> {
    if (!label.wasWhole || label.isAccepted || label.isUnwanted || this.chance(0.3)) return
    if (label.door === 'printnode') await this.#post(label, 'whole')
    else if (!this.#created.some((one) => one.label === label)) await this.#print(label, 'whole')
  }

  protected override labelOf({ title }: Job): Label | undefined {
    return this.ledger.labels.get(title)
  }

  /** Its printer was removed. */
  protected override isRefused({ format }: Job): boolean {
    return format === 'unknown'
  }

  /** The box could not know that nobody heard its answer: it was handed over, a run forgot it, or the next try came before. */
  #isBlind({ tries, last }: Label, number: number, front: Front): boolean {
    const gone = front.events.indexOf(`lost ${number}`)
    const next = Math.min(...[...tries.map((one) => one.number), last].filter((n) => n > number))
    const begun = front.events.indexOf(`begun ${next}`)
    return front !== this.#front || gone < 0 || (begun >= 0 && begun < gone)
  }

  protected override async judge(): Promise<void> {
    for (const label of this.labels) {
      if (label.door === 'printnode' && label.jobs.size > 0) await this.#askPosted(label, 'whole')
      if (label.door === 'ipp')
        for (const job of label.jobs.keys()) await this.#askOf(label, job, 'whole')
    }
    for (const label of this.labels) this.#judgePaper(label)
  }

  #judgePaper(label: Label): void {
    const { mark, papers, tries, door, isAccepted, isUnwanted, jobs } = label
    const blind = tries.filter(({ number, front }) => this.#isBlind(label, number, front)).length
    const most = door === 'printnode' ? 1 : 1 + blind
    if (papers > most) this.ledger.fault(`${mark} came out ${papers} times, wanted ${most} at most`)
    if (isAccepted && papers === 0 && !isUnwanted)
      this.ledger.fault(`${mark} was taken and is lost`)
    if (papers === 0 && [...jobs.values()].includes(9))
      this.ledger.fault(`${mark} is completed and not on paper`)
    if (!this.#hasBegunAnyway(mark)) this.#judgeEnd(label, blind)
  }

  /** Tells whether a label has begun and may come out although it was canceled. */
  #hasBegunAnyway(mark: string): boolean {
    return this.jobs.some(
      ({ title, state, attempts }) => title === mark && state === 'canceled' && attempts > 0,
    )
  }

  #judgeEnd({ mark, papers, isCanceled, jobs }: Label, blind: number): void {
    if (papers <= blind) return
    const states = [...jobs.values()]
    if (isCanceled) this.ledger.fault(`${mark} was canceled and printed`)
    if (states.length > 0 && states.every((state) => state === 8 || state === 7))
      this.ledger.fault(`${mark} is said to be ${states} and is on paper`)
  }
}
