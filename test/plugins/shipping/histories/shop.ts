import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '../../../../src/core/job.ts'
import type { Records } from '../../../../src/core/spool/upkeep.ts'
import { SCOPES } from '../../../../src/http/access/keys.ts'
import { openShipping } from '../../../../src/plugins/shipping/part.ts'
import { PlatenError } from '../../../../src/words/errors.ts'
import { printer } from '../../../core/bench.ts'
import { Box, Folders, refuseFull } from '../../../simulator/box.ts'
import { Clock, passTurns } from '../../../simulator/clock.ts'
import { Dice, type Story } from '../../../simulator/history.ts'
import { Ledger } from '../../../simulator/ledger.ts'
import { Operator, weigh } from '../../../simulator/operator.ts'
import { ADDRESSES, type Answer, packagesOf } from '../http/calls.ts'
import { Carriers, type Sale } from './carriers.ts'

/** Sellers, and the beginnings of the keys that say who pays. */
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
  /** The printer of its papers; blank = none. */
  readonly office: string
  readonly isReturn: boolean
  heard: Heard
  /** JSON of the papers of its first answer. */
  papers?: string
  /** The content of its answer. */
  sale?: Sale
  /** It could not be written down: a kill loses it, as its answer says. */
  isLoose?: boolean
}

type Heard = 'nothing' | 'done' | 'refused' | 'unknown' | 'fault'

/** A shop that buys labels through a box, whose carriers, disk, clock and settings have their moods. */
class Shop extends Dice {
  readonly ledger = new Ledger()
  readonly #operator = new Operator(this.ledger)
  readonly #folders: Folders
  #folder: string
  readonly #carriers: Carriers
  readonly #wishes = new Map<string, Wish>()
  readonly #rates: Rate[] = []
  readonly #bought: { readonly carrier: string; readonly id: string }[] = []
  #names: readonly string[] = BENCHES
  #fullness = 0
  #clock = 1e12
  #life: Awaited<ReturnType<Shop['start']>> | undefined

  constructor(folder: string, seed: number) {
    super(seed)
    this.#folders = new Folders(folder)
    this.#folder = this.#folders.next()
    this.#carriers = new Carriers(this, (line) => this.ledger.say(line))
    const accounts = join(this.#folder, 'shipping', 'accounts')
    mkdirSync(accounts, { recursive: true })
    const account = JSON.stringify({ carrier: 'karrio', url: 'http://127.0.0.1:1' })
    writeFileSync(join(accounts, 'house.json'), account, { mode: 0o600 })
  }

  async start() {
    const web = await this.#carriers.open()
    const fault = (error: unknown): void => {
      if (!box.isOver) this.ledger.fault(String(error instanceof Error ? error.stack : error))
    }
    const box: Box = new Box({
      folder: this.#folder,
      printers: [],
      defaultName: '',
      clock: new Clock(),
      random: this.random,
      isFull: () => this.#isFull(),
      onChange: () => undefined,
      fault,
    })
    const { spool, printers, scheduler, intake } = box
    const { desk } = openShipping({
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
    const life = { box, web, desk }
    this.#life = life
    this.#configure()
    this.#orderly(() => desk.resume())
    return life
  }

  get #now() {
    if (this.#life === undefined) throw new Error('not started')
    return this.#life
  }

  #isFull(): boolean {
    return this.below(100) < this.#fullness
  }

  #withMoods(records: Records): Records {
    const write = <T>(work: () => T): T => {
      if (this.#isFull()) throw refuseFull()
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
    this.#now.box.printers.configure(list, this.pick(this.#names) ?? '')
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
    return this.pick([0, 0, 200]) ?? 0
  }

  rate(): void {
    const carrier = this.pick(BY_RATE) ?? ''
    const insured = this.#insure()
    const packages = this.#parcels(carrier, insured)
    const params = { ...this.#paramsOf(carrier, 'rater'), packages, timeout: 60 }
    const work = async (): Promise<void> => {
      const answer = await this.#ask({ carrier, action: 'GetAllRates', params })
      for (const one of (answer.data?.['rates'] ?? []) as Rate[]) {
        this.ledger.say(`${carrier} offers ${one.rate_id}, insured ${insured}`)
        this.#rates.push({ carrier, rate_id: one.rate_id, shipment_id: one.shipment_id })
      }
    }
    this.#operator.begin(work())
  }

  #parcels(carrier: string, insured: number): object[] {
    const count = ['EasyPost', 'karrio'].includes(carrier) ? 1 : 1 + this.below(2)
    const parcel = { weight: 2, length: 9, width: 6, height: 4 }
    const insured_value = insured / count
    return Array.from({ length: count }, () => ({
      ...parcel,
      ...(insured > 0 && { insured_value }),
    }))
  }

  buy(): void {
    const id = `buy-${this.#wishes.size}`
    const rate = this.chance(0.5) ? this.pick(this.#rates) : undefined
    const carrier = rate?.carrier ?? this.pick(SELLERS)?.[0] ?? ''
    const insured = this.#insure()
    const bench = this.pick(['', ...BENCHES]) ?? ''
    const office = bench === '' ? '' : (this.pick(['', ...BENCHES]) ?? '')
    const isReturn = rate === undefined && BACK.includes(carrier) && this.chance(0.4)
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
    const shipment = this.pick(this.#bought)
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
    this.ledger.say(`${id}: ${carrier} ${String(which)} insured ${insured}, bench ${bench}`)
    this.#send(wish)
  }

  repeat(): void {
    const wish = this.pick([...this.#wishes.values()])
    if (wish !== undefined) this.#send(wish)
  }

  /** The id of a call for another one: nobody gets the label of that. */
  change(): void {
    const wish = this.pick([...this.#wishes.values()])
    if (wish === undefined || wish.heard === 'refused' || wish.heard === 'nothing') return
    if (wish.heard === 'fault') return
    const { id, carrier, action, params } = wish
    const work = async (): Promise<void> => {
      const other = { ...params, to_addr1: '3 Oak St', timeout: 60 }
      const { meta } = await this.#ask({ carrier, action, request_id: id, params: other })
      if (![409, 503].includes(meta.code)) this.ledger.fault(`${id} was changed: ${meta.code}`)
    }
    this.#operator.begin(work())
  }

  #send(wish: Wish): void {
    const { carrier, action, id } = wish
    const timeout = this.#carriers.network.trouble === 0 ? {} : { timeout: 60 }
    const params = { ...wish.params, ...timeout }
    const { box } = this.#now
    const work = async (): Promise<void> => {
      const answer = await this.#ask({ carrier, action, request_id: id, params })
      // Of a program that was killed nobody hears.
      if (!box.isOver) this.#hear(wish, answer)
    }
    this.#operator.begin(work())
  }

  #hear(wish: Wish, answer: Answer): void {
    const { id, action } = wish
    const { data, meta } = answer
    const before = wish.heard
    wish.heard = readHeard(answer)
    const told = data?.errors?.map(({ description }) => description).join(' ')
    const words = meta.error_message || told || ''
    this.ledger.say(`${id} hears ${wish.heard} ${words}`)
    wish.isLoose ||= words.includes('cannot be written down')
    const isLost = before === 'done' && wish.heard !== 'done'
    if (isLost && !wish.isLoose) this.ledger.fault(`${id} was done and is ${wish.heard}`)
    if (meta.code === 500) this.ledger.fault(`${id}: ${meta.error_message}`)
    if (action === 'VoidShipment') return
    const isBought = this.#salesOf(id).length > 0
    if (wish.heard === 'refused' && isBought) this.ledger.fault(`${id} was refused, and is bought`)
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
      this.ledger.fault(`${id} has labels of another one: ${numbers.join(' ')}`)
      return
    }
    wish.sale = sale
    if (numbers.join() !== sale.numbers.join())
      this.ledger.fault(`${id} has ${numbers.join(' ')}, and bought ${sale.numbers.join(' ')}`)
    if (sale.by === id && sale.offer.insured < insured) this.ledger.fault(`${id} is not insured`)
    const isWrong = packages.some(
      ({ label, tracking_number: number }) => !Buffer.from(label, 'base64').includes(number),
    )
    if (isWrong) this.ledger.fault(`${id} has a wrong label`)
    if (sale.by === id && sale.offer.isReturn !== wish.isReturn)
      this.ledger.fault(`${id} goes the wrong way`)
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
      this.ledger.fault(`${wish.id} has other papers: ${papers}, had ${wish.papers}`)
    wish.papers = papers
    const isForeign = documents.some(
      ({ content }) => content !== '' && !Buffer.from(content, 'base64').includes(numbers[0] ?? ''),
    )
    if (isForeign) this.ledger.fault(`${wish.id} has papers of another one`)
  }

  #salesOf(id: string): readonly Sale[] {
    return this.#carriers.sales.filter(({ by }) => by === id)
  }

  fillDisk(): void {
    this.#fullness = this.pick([0, 0, 30, 100]) ?? 0
    this.ledger.say(`${this.#fullness} of 100 writes find no room`)
  }

  setClock(): void {
    this.#clock += (this.random() - 0.5) * 1e9
  }

  /** A printer gets another name; those of its labels that are under way print there. */
  rename(): void {
    this.#names = BENCHES.map((name) => (this.chance(0.3) ? `${name}-new` : name))
    this.ledger.say(`printers are ${this.#names.join(' ')}`)
    this.#configure()
  }

  async restart(): Promise<void> {
    const isKill = this.chance(0.6)
    this.ledger.say(isKill ? 'the program is killed' : 'the program is restarted')
    if (isKill) await this.#kill()
    else {
      await this.#operator.answered()
      await this.#end()
    }
    await this.start()
  }

  async #kill(): Promise<void> {
    const { box, web } = this.#now
    this.#folder = this.#folders.next()
    const killed = box.kill(this.#folder)
    web.close()
    await killed
    await this.#operator.answered()
  }

  async #end(): Promise<void> {
    const { box, web } = this.#now
    web.close()
    await box.stop(0)
    await box.close()
    await this.#operator.answered()
  }

  async rest(): Promise<void> {
    await passTurns(this.pick([0, 0, 1, 5, 30, 200]) ?? 0)
  }

  /** All is well: what can be found out is. */
  async settle(): Promise<void> {
    await this.#operator.answered()
    this.ledger.say('all is well')
    this.#fullness = 0
    this.#carriers.network.trouble = 0
    this.#names = BENCHES
    this.#configure()
    this.#orderly(() => this.#now.desk.resume())
    await this.#end()
    await this.start()
    for (let n = 0; n < 2; n += 1) {
      for (const wish of this.#wishes.values()) {
        this.#send(wish)
        await this.#operator.answered()
      }
    }
  }

  judge(): void {
    const jobs = this.#now.box.spool.history.list({ limit: 1_000 })
    for (const wish of this.#wishes.values()) {
      if (wish.action === 'SubmitShipment') this.#judgePurchase(wish, jobs)
      else this.#judgeRefund(wish)
    }
  }

  #judgePurchase(wish: Wish, jobs: readonly Job[]): void {
    const { id, heard, carrier, sale: shown } = wish
    const sales = this.#salesOf(id)
    const sale = shown ?? sales[0]
    if (sales.length > 1) this.ledger.fault(`${id} was bought ${sales.length} times`)
    if (sale === undefined) return
    const wishes = [...this.#wishes.values()]
    const isShared = wishes.some((one) => one.id !== id && isOf(sale, one))
    // What was given back meanwhile is not found either.
    const isAskable = carrier !== 'FedEx' && !isShared && sale.refunds.size === 0
    if (isAskable && heard !== 'done') this.ledger.fault(`${id} is bought and ${heard}`)
    // One that could not be written down may be given to the other buyer of its rate.
    const isLoose = isShared && wishes.some((one) => one.isLoose)
    if (heard === 'done' && !isLoose) this.#judgePrints(wish, sale, jobs)
  }

  /** The jobs of a label or paper: how its bytes begin, and what is in them. */
  #jobsOf(number: string, begin: string, jobs: readonly Job[]): readonly Job[] {
    return jobs.filter((job) => {
      const bytes = Buffer.from(this.#now.box.spool.history.label(job.id) ?? [])
      return bytes.includes(number) && bytes.toString('latin1', 0, begin.length) === begin
    })
  }

  #judgePapers({ id, office, papers = '' }: Wish, sale: Sale, jobs: readonly Job[]): void {
    const wanted = office !== '' && papers.includes('"format":"PDF"') ? 1 : 0
    const own = this.#jobsOf(sale.numbers[0] ?? '', '%PDF', jobs)
    if (own.length !== wanted && !(sale.refunds.size > 0 && own.length < wanted))
      this.ledger.fault(`the paper of ${id} printed ${own.length} times, wanted ${wanted}`)
    if (own.some((job) => !job.printer.startsWith(office)))
      this.ledger.fault(`the paper of ${id} is on ${own[0]?.printer}`)
  }

  #judgePrints(wish: Wish, sale: Sale, jobs: readonly Job[]): void {
    const { id, bench } = wish
    const wanted = bench === '' ? 0 : 1
    const isVoid = sale.refunds.size > 0
    this.#judgePapers(wish, sale, jobs)
    for (const number of sale.numbers) {
      const own = this.#jobsOf(number, '^XA', jobs)
      if (own.length !== wanted && !(isVoid && own.length < wanted)) {
        this.ledger.fault(`${number} of ${id} printed ${own.length} times, wanted ${wanted}`)
      }
      if (own.some((job) => !job.printer.startsWith(bench)))
        this.ledger.fault(`${number} of ${id} is on ${own[0]?.printer}`)
    }
  }

  #judgeRefund({ id, heard, params, carrier }: Wish): void {
    const named = String(params['shipment_id'])
    const done = this.#carriers.sales.filter(({ refunds }) => [...refunds.values()].includes(id))
    for (const sale of done) {
      if (!isNamed(sale, named)) this.ledger.fault(`${id} gave back ${sale.id}, not ${named}`)
    }
    const sale = this.#carriers.sales.find((one) => isNamed(one, named))
    if (heard === 'done' && sale !== undefined && sale.refunds.size < sale.numbers.length)
      this.ledger.fault(`${id} is done, and gave back a part of ${named}`)
    if (heard === 'refused' && done.length > 0)
      this.ledger.fault(`${id} was refused, and gave back ${named}`)
    if (heard === 'unknown' && done.length > 0 && carrier !== 'FedEx')
      this.ledger.fault(`${id} stays unknown`)
  }

  async end(): Promise<void> {
    await this.#end()
    this.#folders.remove()
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

/** Tells whether a sale is of the rate that was named. */
function isOf({ offer }: Sale, { params }: Wish): boolean {
  return String(params['rate_id'] ?? '').endsWith(offer.id)
}

/** Plays one history out and judges it. */
export async function playShop(folder: string, seed: number): Promise<Story> {
  const shop = new Shop(folder, seed)
  await shop.start()
  const actions = weigh([
    [6, () => shop.buy()],
    [3, () => shop.rate()],
    [3, () => shop.refund()],
    [5, () => shop.repeat()],
    [1, () => shop.change()],
    [1, () => shop.fillDisk()],
    [1, () => shop.setClock()],
    [1, () => shop.rename()],
    [1, () => shop.restart()],
  ])
  const steps = 8 + shop.below(25)
  for (let step = 0; step < steps; step += 1) {
    await shop.pick(actions)?.()
    await shop.rest()
  }
  await shop.settle()
  shop.judge()
  await shop.end()
  return shop.ledger.tell(seed)
}
