import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Renderer } from '../../../../src/core/drawing/renderer.ts'
import { Intake } from '../../../../src/core/intake/intake.ts'
import type { Job } from '../../../../src/core/job.ts'
import { Printers } from '../../../../src/core/printers/registry.ts'
import { Scheduler } from '../../../../src/core/queue/scheduler.ts'
import { Spool } from '../../../../src/core/spool/spool.ts'
import type { Records } from '../../../../src/core/spool/upkeep.ts'
import { SCOPES } from '../../../../src/plugins/shipping/keys.ts'
import { openShipping } from '../../../../src/plugins/shipping/part.ts'
import { PlatenError } from '../../../../src/words/errors.ts'
import { printer, WORKER } from '../../../core/bench.ts'
import { PDF_FILES } from '../../../core/pdf-files.ts'
import { Dice, type Story } from '../../../simulator/history.ts'
import { pluginTables } from '../../tables.ts'
import { ADDRESSES, type Answer, packagesOf } from '../http/calls.ts'
import { Carriers, type Sale } from './carriers.ts'

/** Who sells, and how the key begins that says who pays. */
const SELLERS = [
  ['Shippo', 'shippo_live_'],
  ['ShipEngine', ''],
  ['ShipStation', ''],
  ['EasyPost', ''],
  ['karrio', ''],
  ['UPS', ''],
  ['FedEx', ''],
] as const
const BY_RATE = ['Shippo', 'ShipEngine', 'ShipStation', 'EasyPost', 'karrio']
const BENCHES = ['A', 'B'] as const
/** Sell the way back too, whatever the service is called. */
const BACK = ['ShipEngine', 'ShipStation', 'EasyPost', 'UPS', 'FedEx']

interface Rate {
  readonly carrier: string
  readonly rate_id: string
  readonly shipment_id: string
}

/** A call of the shop, and the last that it heard. */
interface Wish {
  readonly id: string
  readonly action: 'SubmitShipment' | 'VoidShipment'
  readonly carrier: string
  readonly params: Readonly<Record<string, unknown>>
  readonly insured: number
  readonly bench: string
  /** Where its papers print; blank = nowhere. */
  readonly office: string
  readonly isReturn: boolean
  heard: Heard
  /** JSON of the papers of its first answer. */
  papers?: string
  /** What its answer shows. */
  sale?: Sale
  /** It could not be written down: a kill loses it, as its answer says. */
  isLoose?: boolean
}

type Heard = 'nothing' | 'done' | 'refused' | 'unknown' | 'fault'

class FullSpool extends Spool {
  isFull = (): boolean => false

  override add(...request: Parameters<Spool['add']>): ReturnType<Spool['add']> {
    if (this.isFull()) throw new PlatenError('SPOOL_FULL', 'The disk is full.')
    return super.add(...request)
  }
}

/** A shop that buys labels through a box, whose carriers, disk, clock and settings have their moods. */
class Shop {
  readonly faults: string[] = []
  readonly lines: string[] = []
  readonly #folder: string
  readonly #dice: Dice
  readonly #carriers: Carriers
  readonly #wishes = new Map<string, Wish>()
  readonly #rates: Rate[] = []
  readonly #bought: { readonly carrier: string; readonly id: string }[] = []
  readonly #open = new Set<Promise<unknown>>()
  #names: readonly string[] = BENCHES
  #fullness = 0
  #clock = 1e12
  #life: Awaited<ReturnType<Shop['start']>> | undefined

  constructor(folder: string, seed: number) {
    this.#dice = new Dice(seed)
    this.#folder = mkdtempSync(join(folder, 'shop-'))
    this.#carriers = new Carriers(this.#dice, (line) => this.lines.push(line))
    const accounts = join(this.#folder, 'shipping', 'accounts')
    mkdirSync(accounts, { recursive: true })
    const account = JSON.stringify({ carrier: 'karrio', url: 'http://127.0.0.1:1' })
    writeFileSync(join(accounts, 'house.json'), account, { mode: 0o600 })
  }

  async start() {
    const web = await this.#carriers.open()
    const spool = new FullSpool({
      folder: this.#folder,
      tables: pluginTables,
      minFreeBytes: 0,
      ballastBytes: 0,
    })
    spool.isFull = () => this.#isFull()
    const printers = new Printers({ printers: [], defaultName: '', devices: [] })
    const renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER })
    const fault = (error: unknown): void => {
      if (!isOver) this.fault(String(error instanceof Error ? error.stack : error))
    }
    const scheduler = new Scheduler({ spool, printers, renderer, fault })
    const intake = new Intake({ pdfs: renderer.pdfs, spool, printers, scheduler })
    let isOver = false
    const { desk, journal } = openShipping({
      spool: {
        history: spool.history,
        records: this.#withMoods(spool.records),
        onChange: (listener) => spool.onChange(listener),
        together: (work) => spool.together(work),
      },
      scheduler,
      intake,
      printers,
      stateFolder: this.#folder,
      keptMs: () => 1e12,
      origins: web.origins,
      now: () => this.#clock,
      fault,
    })
    const end = async (): Promise<void> => {
      isOver = true
      web.close()
      await scheduler.stop(0)
      await renderer.close()
      spool.close()
    }
    const life = { desk, journal, spool, printers, end, isOver: () => isOver }
    this.#life = life
    this.#configure()
    this.#orderly(() => desk.resume())
    return life
  }

  get #now() {
    if (this.#life === undefined) throw new Error('not started')
    return this.#life
  }

  fault(what: string): void {
    this.lines.push(`FAULT ${what}`)
    this.faults.push(what)
  }

  #say(line: string): void {
    this.lines.push(line)
  }

  #isFull(): boolean {
    return this.#dice.below(100) < this.#fullness
  }

  #withMoods(records: Records): Records {
    const write = <T>(work: () => T): T => {
      if (this.#isFull()) throw new PlatenError('SPOOL_FULL', 'The disk is full.')
      return records.write(work)
    }
    return new Proxy(records, {
      get: (target, name) => {
        if (name === 'write') return write
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #configure(): void {
    const list = this.#names.map((name, n) => printer(name, `file:bench-${n}`))
    this.#now.printers.configure(list, this.#dice.pick(this.#names) ?? '')
  }

  #orderly(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
    }
  }

  async #ask(body: object): Promise<Answer> {
    const caller = { name: 'shop', scopes: new Set(SCOPES), network: 'shop' }
    return (await this.#now.desk.answer(body, caller)) as unknown as Answer
  }

  /** What is asked is under way; who waits for it finds out in between. */
  #begin(work: Promise<unknown>): void {
    this.#open.add(work)
    void work.finally(() => this.#open.delete(work))
  }

  #paramsOf(carrier: string, id: string): object {
    const key = `${SELLERS.find(([name]) => name === carrier)?.[1]}${id}`
    const parcel = { weight: 2, length: 9, width: 6, height: 4 }
    return {
      ...ADDRESSES,
      key,
      account_number: 'A1B2C3',
      ship_phone: '7755550100',
      to_phone: '5155550100',
      ...(carrier === 'karrio' && { account: 'house' }),
      service: carrier === 'EasyPost' ? 'USPS/ground' : 'ground',
      ...parcel,
    }
  }

  #insure(): number {
    return this.#dice.pick([0, 0, 200]) ?? 0
  }

  rate(): void {
    const carrier = this.#dice.pick(BY_RATE) ?? ''
    const insured = this.#insure()
    const packages = this.#parcels(carrier, insured)
    const params = { ...this.#paramsOf(carrier, 'rater'), packages, timeout: 60 }
    const work = async (): Promise<void> => {
      const answer = await this.#ask({ carrier, action: 'GetAllRates', params })
      for (const one of (answer.data?.['rates'] ?? []) as Rate[]) {
        this.#say(`${carrier} offers ${one.rate_id}, insured ${insured}`)
        this.#rates.push({ carrier, rate_id: one.rate_id, shipment_id: one.shipment_id })
      }
    }
    this.#begin(work())
  }

  #parcels(carrier: string, insured: number): object[] {
    const count = ['EasyPost', 'karrio'].includes(carrier) ? 1 : 1 + this.#dice.below(2)
    const parcel = { weight: 2, length: 9, width: 6, height: 4 }
    const insured_value = insured / count
    return Array.from({ length: count }, () => ({
      ...parcel,
      ...(insured > 0 && { insured_value }),
    }))
  }

  buy(): void {
    const id = `buy-${this.#wishes.size}`
    const rate = this.#dice.chance(0.5) ? this.#dice.pick(this.#rates) : undefined
    const carrier = rate?.carrier ?? this.#dice.pick(SELLERS)?.[0] ?? ''
    const insured = this.#insure()
    const bench = this.#dice.pick(['', ...BENCHES]) ?? ''
    const office = bench === '' ? '' : (this.#dice.pick(['', ...BENCHES]) ?? '')
    const isReturn = rate === undefined && BACK.includes(carrier) && this.#dice.chance(0.4)
    const params = {
      ...this.#paramsOf(carrier, id),
      packages: this.#parcels(carrier, insured),
      ...(rate && { rate_id: rate.rate_id, shipment_id: rate.shipment_id }),
      ...(bench !== '' && { print: office === '' ? bench : { printer: bench, documents: office } }),
      ...(isReturn && { is_return: true }),
    }
    const wish = { id, action: 'SubmitShipment', carrier, params, insured, bench } as const
    this.#wish({ ...wish, office, isReturn, heard: 'nothing' })
  }

  refund(): void {
    const shipment = this.#dice.pick(this.#bought)
    if (shipment === undefined) return
    const id = `void-${this.#wishes.size}`
    const { carrier } = shipment
    const params = { ...this.#paramsOf(carrier, id), shipment_id: shipment.id }
    this.#wish({
      id,
      action: 'VoidShipment',
      carrier,
      params,
      insured: 0,
      bench: '',
      office: '',
      isReturn: false,
      heard: 'nothing',
    })
  }

  #wish(wish: Wish): void {
    this.#wishes.set(wish.id, wish)
    const { id, carrier, insured, bench, params } = wish
    const which = params['rate_id'] ?? params['shipment_id'] ?? ''
    this.#say(`${id}: ${carrier} ${String(which)} insured ${insured}, bench ${bench}`)
    this.#send(wish)
  }

  repeat(): void {
    const wish = this.#dice.pick([...this.#wishes.values()])
    if (wish !== undefined) this.#send(wish)
  }

  /** The id of a call for another one: nobody gets the label of that. */
  change(): void {
    const wish = this.#dice.pick([...this.#wishes.values()])
    if (wish === undefined || wish.heard === 'refused' || wish.heard === 'nothing') return
    if (wish.heard === 'fault') return
    const { id, carrier, action, params } = wish
    const work = async (): Promise<void> => {
      const other = { ...params, to_addr1: '3 Oak St', timeout: 60 }
      const { meta } = await this.#ask({ carrier, action, request_id: id, params: other })
      if (![409, 503].includes(meta.code)) this.fault(`${id} was changed: ${meta.code}`)
    }
    this.#begin(work())
  }

  #send(wish: Wish): void {
    const { carrier, action, id } = wish
    const timeout = this.#carriers.isCalm ? {} : { timeout: 60 }
    const params = { ...wish.params, ...timeout }
    const { isOver } = this.#now
    const work = async (): Promise<void> => {
      const answer = await this.#ask({ carrier, action, request_id: id, params })
      // Of a program that was killed nobody hears.
      if (!isOver()) this.#hear(wish, answer)
    }
    this.#begin(work())
  }

  #hear(wish: Wish, answer: Answer): void {
    const { id, action } = wish
    const { data, meta } = answer
    const before = wish.heard
    wish.heard = readHeard(answer)
    const told = data?.errors?.map(({ description }) => description).join(' ')
    const words = meta.error_message || told || ''
    this.#say(`${id} hears ${wish.heard} ${words}`)
    wish.isLoose ||= words.includes('cannot be written down')
    const isLost = before === 'done' && wish.heard !== 'done'
    if (isLost && !wish.isLoose) this.fault(`${id} was done and is ${wish.heard}`)
    if (meta.code === 500) this.fault(`${id}: ${meta.error_message}`)
    if (action === 'VoidShipment') return
    const isBought = this.#salesOf(id).length > 0
    if (wish.heard === 'refused' && isBought) this.fault(`${id} was refused, and is bought`)
    if (wish.heard === 'done') this.#compare(wish, answer)
  }

  /** The labels of an answer with those that were sold. */
  #compare(wish: Wish, answer: Answer): void {
    const { id, carrier, insured } = wish
    const packages = packagesOf(answer)
    const numbers = packages.map((one) => one.tracking_number).toSorted()
    // Of two that buy one rate nobody can tell which did, if an answer was lost: one of them has the label.
    const shown = (one: Sale): boolean => numbers.includes(one.numbers[0] ?? '')
    const sale =
      this.#salesOf(id)[0] ?? this.#carriers.sales.find((one) => isOf(one, wish) && shown(one))
    const isTaken = [...this.#wishes.values()].some(
      (one) => one !== wish && one.sale === sale && !one.isLoose && !wish.isLoose,
    )
    if (sale === undefined || isTaken) {
      this.fault(`${id} has labels of another one: ${numbers.join(' ')}`)
      return
    }
    wish.sale = sale
    if (numbers.join() !== sale.numbers.join())
      this.fault(`${id} has ${numbers.join(' ')}, and bought ${sale.numbers.join(' ')}`)
    if (sale.by === id && sale.offer.insured < insured) this.fault(`${id} is not insured`)
    const isWrong = packages.some(
      ({ label, tracking_number: number }) => !Buffer.from(label, 'base64').includes(number),
    )
    if (isWrong) this.fault(`${id} has a wrong label`)
    if (sale.by === id && sale.offer.isReturn !== wish.isReturn)
      this.fault(`${id} goes the wrong way`)
    this.#comparePapers(wish, answer, sale)
    const shipment = String(answer.data?.['shipment_id'])
    if (!this.#bought.some((one) => one.id === shipment))
      this.#bought.push({ carrier, id: shipment })
  }

  /** The same papers as the first time, and those of this sale. */
  #comparePapers(wish: Wish, answer: Answer, { numbers }: Sale): void {
    const documents = (answer.data?.['documents'] ?? []) as readonly {
      readonly name: string
      readonly content: string
      readonly print?: object
    }[]
    const papers = JSON.stringify(documents.map(({ print: _, ...paper }) => paper))
    if (!wish.isLoose && papers !== (wish.papers ?? papers))
      this.fault(`${wish.id} has other papers: ${papers}, had ${wish.papers}`)
    wish.papers = papers
    const isForeign = documents.some(
      ({ content }) => content !== '' && !Buffer.from(content, 'base64').includes(numbers[0] ?? ''),
    )
    if (isForeign) this.fault(`${wish.id} has papers of another one`)
  }

  #salesOf(id: string): readonly Sale[] {
    return this.#carriers.sales.filter(({ by }) => by === id)
  }

  fillDisk(): void {
    this.#fullness = this.#dice.pick([0, 0, 30, 100]) ?? 0
    this.#say(`${this.#fullness} of 100 writes find no room`)
  }

  setClock(): void {
    this.#clock += (this.#dice.random() - 0.5) * 1e9
  }

  /** A printer gets another name; those of its labels that are under way print there. */
  rename(): void {
    this.#names = BENCHES.map((name) => (this.#dice.chance(0.3) ? `${name}-new` : name))
    this.#say(`printers are ${this.#names.join(' ')}`)
    this.#configure()
  }

  async restart(): Promise<void> {
    const isKill = this.#dice.chance(0.6)
    this.#say(isKill ? 'KILL' : 'restart')
    if (!isKill) await Promise.allSettled(this.#open)
    await this.#now.end()
    await Promise.allSettled(this.#open)
    await this.start()
  }

  async rest(): Promise<void> {
    const turns = this.#dice.pick([0, 0, 1, 5, 30, 200]) ?? 0
    for (let n = 0; n < turns; n += 1) await turn()
  }

  /** All is well: what can be found out is. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#open)
    this.#say('all is well')
    this.#fullness = 0
    this.#carriers.isCalm = true
    this.#names = BENCHES
    this.#configure()
    this.#orderly(() => this.#now.desk.resume())
    await this.#now.end()
    await this.start()
    for (let n = 0; n < 2; n += 1) {
      for (const wish of this.#wishes.values()) {
        this.#send(wish)
        await Promise.allSettled(this.#open)
      }
    }
  }

  judge(): void {
    const jobs = this.#now.spool.history.list({ limit: 1_000 })
    for (const wish of this.#wishes.values()) {
      if (wish.action === 'SubmitShipment') this.#judgePurchase(wish, jobs)
      else this.#judgeRefund(wish)
    }
  }

  #judgePurchase(wish: Wish, jobs: readonly Job[]): void {
    const { id, heard, carrier, sale: shown } = wish
    const sales = this.#salesOf(id)
    const sale = shown ?? sales[0]
    if (sales.length > 1) this.fault(`${id} was bought ${sales.length} times`)
    if (sale === undefined) return
    const wishes = [...this.#wishes.values()]
    const isShared = wishes.some((one) => one.id !== id && isOf(sale, one))
    // What was given back meanwhile is not found either.
    const isAskable = carrier !== 'FedEx' && !isShared && sale.refunds.size === 0
    if (isAskable && heard !== 'done') this.fault(`${id} is bought and ${heard}`)
    // One that could not be written down may be given to the other buyer of its rate.
    const isLoose = isShared && wishes.some((one) => one.isLoose)
    if (heard === 'done' && !isLoose) this.#judgePrints(wish, sale, jobs)
  }

  /** The jobs of a label or paper: how its bytes begin, and what is in them. */
  #jobsOf(number: string, begin: string, jobs: readonly Job[]): readonly Job[] {
    return jobs.filter((job) => {
      const bytes = Buffer.from(this.#now.spool.history.label(job.id) ?? [])
      return bytes.includes(number) && bytes.toString('latin1', 0, begin.length) === begin
    })
  }

  #judgePapers({ id, office, papers = '' }: Wish, sale: Sale, jobs: readonly Job[]): void {
    const wanted = office !== '' && papers.includes('"format":"PDF"') ? 1 : 0
    const own = this.#jobsOf(sale.numbers[0] ?? '', '%PDF', jobs)
    if (own.length !== wanted && !(sale.refunds.size > 0 && own.length < wanted))
      this.fault(`the paper of ${id} printed ${own.length} times, wanted ${wanted}`)
    if (own.some((job) => !job.printer.startsWith(office)))
      this.fault(`the paper of ${id} is on ${own[0]?.printer}`)
  }

  #judgePrints(wish: Wish, sale: Sale, jobs: readonly Job[]): void {
    const { id, bench } = wish
    const wanted = bench === '' ? 0 : 1
    const isVoid = sale.refunds.size > 0
    this.#judgePapers(wish, sale, jobs)
    for (const number of sale.numbers) {
      const own = this.#jobsOf(number, '^XA', jobs)
      if (own.length !== wanted && !(isVoid && own.length < wanted)) {
        this.fault(`${number} of ${id} printed ${own.length} times, wanted ${wanted}`)
      }
      if (own.some((job) => !job.printer.startsWith(bench)))
        this.fault(`${number} of ${id} is on ${own[0]?.printer}`)
    }
  }

  #judgeRefund({ id, heard, params, carrier }: Wish): void {
    const named = String(params['shipment_id'])
    const done = this.#carriers.sales.filter(({ refunds }) => [...refunds.values()].includes(id))
    for (const sale of done) {
      if (!isNamed(sale, named)) this.fault(`${id} gave back ${sale.id}, not ${named}`)
    }
    const sale = this.#carriers.sales.find((one) => isNamed(one, named))
    if (heard === 'done' && sale !== undefined && sale.refunds.size < sale.numbers.length)
      this.fault(`${id} is done, and gave back a part of ${named}`)
    if (heard === 'refused' && done.length > 0)
      this.fault(`${id} was refused, and gave back ${named}`)
    if (heard === 'unknown' && done.length > 0 && carrier !== 'FedEx')
      this.fault(`${id} stays unknown`)
  }

  async end(): Promise<void> {
    await this.#now.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function readHeard({ data }: Answer): Heard {
  if (data === null) return 'fault'
  const kinds = data.errors?.map(({ type }) => type) ?? []
  if (kinds.includes('UNKNOWN')) return 'unknown'
  return kinds.includes('ERROR') ? 'refused' : 'done'
}

/** EasyPost and karrio have a shipment, the others labels of it. */
function isNamed({ id, offer }: Sale, name: string): boolean {
  return name.includes(id) || name === offer.shipment
}

/** Whether it is one of the rate that was named. */
function isOf({ offer }: Sale, { params }: Wish): boolean {
  return String(params['rate_id'] ?? '').endsWith(offer.id)
}

/** Plays one history out and judges it. */
export async function playShop(folder: string, seed: number): Promise<Story> {
  const shop = new Shop(folder, seed)
  const dice = new Dice(-seed)
  await shop.start()
  const deeds: readonly (readonly [number, () => void | Promise<void>])[] = [
    [6, () => shop.buy()],
    [3, () => shop.rate()],
    [3, () => shop.refund()],
    [5, () => shop.repeat()],
    [1, () => shop.change()],
    [1, () => shop.fillDisk()],
    [1, () => shop.setClock()],
    [1, () => shop.rename()],
    [1, () => shop.restart()],
  ]
  const all = deeds.flatMap(([often, deed]) => Array.from({ length: often }, () => deed))
  const steps = 8 + dice.below(25)
  for (let step = 0; step < steps; step += 1) {
    await dice.pick(all)?.()
    await shop.rest()
  }
  await shop.settle()
  shop.judge()
  await shop.end()
  const { faults, lines } = shop
  return { seed, faults, lines }
}
