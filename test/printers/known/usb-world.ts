import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Printer, PrinterSettings } from '#printers'
import { Printers } from '../../../src/core/printers/registry.ts'
import type { KnownPrinter } from '../../../src/core/printers/status.ts'
import type { Device } from '../../../src/printers/device.ts'
import { presentQueue } from '../../../src/printers/devices/cups/queue.ts'
import { createUsbDevice } from '../../../src/printers/devices/usb/index.ts'
import { Discovery } from '../../../src/printers/known/discovery.ts'
import { makeMemory, makePrinter } from '../../core/printers/make-printer.ts'
import { UsbBench } from '../../devices/usb-bench.ts'
import type { UsbStandIn, UsbTraits } from '../../devices/usb-stand-in.ts'
import { Dice, type Story } from '../../simulator/history.ts'
import { Ledger } from '../../simulator/ledger.ts'
import { weigh } from '../../simulator/operator.ts'

const PORTS = ['1-1.1', '1-1.2', '1-1.3', '1-1.4']
const LIMIT_MS = 60_000
const ZEBRA: Partial<UsbTraits> = {}
const TSC: Partial<UsbTraits> = {
  vendorId: 0x1203,
  productId: 0x0140,
  manufacturer: 'TSC',
  product: 'TTP-245C',
  deviceId: 'MFG:TSC;CMD:TSPL;MDL:TTP-245C;CLS:PRINTER;',
}
const TWO_PARTS: Partial<UsbTraits> = {
  productId: 0x0110,
  product: 'ZTC ZD500',
  interfaces: [{ number: 0 }, { number: 1 }],
  deviceId: 'MFG:Zebra Technologies ;CMD:ZPL;MDL:ZTC ZD500;CLS:PRINTER;',
}

/** A printer that somebody carries from port to port. */
interface Body {
  readonly id: string
  readonly model: Partial<UsbTraits>
  readonly serial: string
  /** CUPS prints on it too. */
  readonly hasQueue: boolean
  plugged: UsbStandIn | undefined
}

/** Plays one history of a computer and the printers that are plugged into it, and judges after each step. */
export async function playUsb(folder: string, seed: number): Promise<Story> {
  const world = new UsbWorld(mkdtempSync(join(folder, 'usb-')), seed)
  const steps = 4 + world.below(9)
  for (let step = 0; step < steps && world.ledger.faults.length === 0; step += 1) await world.step()
  await world.close()
  return world.ledger.tell(seed)
}

class UsbWorld extends Dice {
  readonly ledger = new Ledger()
  readonly #bodies: readonly Body[]
  readonly #bench: UsbBench
  /** Printers by name. */
  readonly #meanings = new Map<string, Body>()
  /** Places of the last label of each name, as the spool knows them. */
  readonly #places = new Map<string, string>()
  /** Names that labels wait for. */
  readonly #awaited = new Set<string>()
  /** Printers that a person removed, and leaves so. */
  readonly #removed = new Set<Body>()
  #store = makeMemory()
  /** The memory of the printers was lost, and their serial numbers with it. */
  #hasForgotten = false
  #default: Body | undefined
  #isNew = false
  #settings: readonly PrinterSettings[] = []
  #box: ReturnType<UsbWorld['open']>

  constructor(folder: string, seed: number) {
    super(seed)
    this.#bench = new UsbBench(folder)
    this.#bodies = Array.from({ length: 2 + this.below(4) }, (_, n) => ({
      id: `P${n}`,
      model: this.pick([ZEBRA, ZEBRA, TSC, TWO_PARTS]) ?? ZEBRA,
      serial: this.pick([`SN${n}x9`, `SN${n}x9`, '', 'SAME7']) ?? '',
      hasQueue: this.chance(0.1),
      plugged: undefined,
    }))
    for (const { id, model, serial, hasQueue } of this.#bodies)
      this.ledger.say(
        `${id}: ${model.product ?? 'GK420d'}, number "${serial}"${hasQueue ? ', CUPS' : ''}`,
      )
    this.#box = this.open()
  }

  async step(): Promise<void> {
    const actions = weigh([
      [5, () => this.#plugOne()],
      [3, () => this.#unplug(this.pick(this.#inside))],
      [1, () => this.#swap()],
      [1, () => this.#carry()],
      [1, () => this.#restart('the program is restarted')],
      [1, () => this.#forget()],
      [1, () => this.#set()],
      [1, () => this.#remove()],
      [1, () => this.#add()],
      [1, () => this.#replaceBox()],
    ])
    const before = this.ledger.lines.length
    await this.pick(actions)?.()
    if (this.ledger.lines.length === before) return // there was nothing to do
    // What becomes known at one look may change what the next one sees.
    const known = this.#uris
    await this.#box.discovery.search(AbortSignal.timeout(LIMIT_MS))
    if (this.#uris !== known) await this.#box.discovery.search(AbortSignal.timeout(LIMIT_MS))
    await this.#judge()
  }

  async close(): Promise<void> {
    await this.#box.device.close?.()
  }

  open() {
    const { sysfs, dev, load } = this.#bench
    const device = createUsbDevice({
      sysfs,
      dev,
      load,
      platform: 'linux',
      known: () =>
        printers.list().map(({ uri, isFound = false }) => {
          return { uri, isFound, serial: discovery.serialOf(uri) }
        }),
    })
    const devices = this.#bodies.some(({ hasQueue }) => hasQueue) ? [device, this.#cups] : [device]
    const printers: Printers = new Printers({ printers: [], defaultName: '', devices })
    const discovery: Discovery = new Discovery({
      devices,
      printers,
      store: this.#store,
      onRename: (before, name) => this.#follow(before, name),
      recall: () => [...this.#places].map(([name, uri]) => ({ name, uri })),
      configured: () => this.#settings,
      defaultName: () => '',
      fault: (error) => this.ledger.say(`  (${String(error)})`),
    })
    return { device, printers, discovery }
  }

  get #uris(): string {
    return JSON.stringify(this.#box.printers.list().map(({ uri }) => uri))
  }

  get #inside(): readonly Body[] {
    return this.#bodies.filter(({ plugged }) => plugged !== undefined)
  }

  get #freePort(): string | undefined {
    return this.pick(PORTS.filter((port) => !this.#inside.some((body) => portOf(body) === port)))
  }

  /** Stands in for the spooler: a queue for each printer that one was made for, whether that is there or not. */
  readonly #cups: Device = {
    scheme: 'ipp',
    findsQueues: true,
    example: 'ipp://localhost/printers/Zebra',
    about: '',
    check: () => undefined,
    list: () => Promise.resolve(this.#bodies.filter(({ hasQueue }) => hasQueue).map(queueOf)),
    open: ({ href }) => {
      const body = this.#bodies.find((each) => queueOf(each).uri === href)
      const send = (label: Uint8Array) => {
        body?.plugged?.begin(label, () => undefined)
        return Promise.resolve()
      }
      const receive = () => Promise.resolve(Buffer.alloc(0))
      return Promise.resolve({ send, receive, [Symbol.asyncDispose]: () => Promise.resolve() })
    },
  }

  #plugOne(): void {
    this.#plug(this.pick(this.#bodies.filter((body) => body.plugged === undefined)), this.#freePort)
  }

  #plug(body: Body | undefined, port: string | undefined): void {
    if (body === undefined || port === undefined) return
    const isBlind = body.serial !== '' && this.chance(0.05)
    this.ledger.say(
      `${body.id} is plugged into ${port}${isBlind ? ', its number is not read' : ''}`,
    )
    body.plugged = this.#bench.plug({ ...body.model, serial: isBlind ? '' : body.serial, port })
  }

  #unplug(body: Body | undefined): void {
    if (body?.plugged === undefined) return
    this.ledger.say(`${body.id} is unplugged from ${portOf(body)}`)
    this.#bench.unplug(body.plugged)
    body.plugged = undefined
    if (!this.#isTold(body)) this.#removed.delete(body)
  }

  /** Somebody tidies up the cables. */
  #swap(): void {
    const [one, other] = [this.pick(this.#inside), this.pick(this.#inside)]
    if (one === undefined || other === undefined || one === other) return
    const ports = [portOf(one), portOf(other)]
    for (const body of [one, other]) this.#unplug(body)
    this.#plug(one, ports[1])
    this.#plug(other, ports[0])
  }

  #carry(): void {
    const [body, port] = [this.pick(this.#inside), this.#freePort]
    if (port === undefined) return
    this.#unplug(body)
    this.#plug(body, port)
  }

  async #restart(words: string): Promise<void> {
    this.ledger.say(words)
    await this.close()
    this.#box = this.open()
  }

  async #forget(): Promise<void> {
    this.#store = makeMemory()
    this.#hasForgotten = true
    for (const name of this.#meanings.keys())
      if (!this.#places.has(name)) this.#meanings.delete(name)
    await this.#restart('the memory of the printers is lost')
  }

  /** A person gives a found printer a name of their own, or that of another one. */
  #set(): void {
    const free = this.#box.printers.list().filter(({ name }) => !this.#awaited.has(name))
    const found = free.filter(({ isFound }) => isFound)
    const one = this.pick(found)
    if (one === undefined) return
    const name = this.chance(0.3)
      ? (this.pick(found)?.name ?? '')
      : `Bench ${this.ledger.lines.length}`
    this.ledger.say(`${one.name} is set as ${name}`)
    const body = this.#meanings.get(one.name)
    this.#settings = [...this.#settings, makePrinter(name, { uri: one.uri })]
    this.#box.discovery.refresh()
    if (name !== one.name) this.#meanings.delete(one.name)
    if (body !== undefined) this.#meanings.set(name, body)
  }

  #follow(before: string, name: string): void {
    this.ledger.say(`  ${before} is called ${name} now`)
    if (this.#isNew) return
    const body = this.#meanings.get(before)
    this.#meanings.delete(before)
    if (body !== undefined) this.#meanings.set(name, body)
  }

  #remove(): void {
    const free = this.#box.printers.list().filter(({ name }) => !this.#awaited.has(name))
    const one = this.pick(free)
    if (one === undefined) return
    this.ledger.say(`${one.name} is removed`)
    if (one.isDefault) this.#default = undefined
    const body = this.#meanings.get(one.name)
    if (body?.plugged !== undefined && !this.#isBlind(body) && one.uri.startsWith('usb:'))
      if (this.#isTold(body) === one.uri.includes('serial=')) this.#removed.add(body)
    this.#settings = this.#settings.filter(({ name }) => name !== one.name)
    this.#box.discovery.refresh()
    this.#box.discovery.dismiss(one.uri)
    for (const name of this.#meanings.keys())
      if (this.#box.printers.get(name) === undefined) this.#meanings.delete(name)
  }

  /** A person adds what can be seen and is not known. */
  #add(): void {
    const { discovery } = this.#box
    const one = this.pick(discovery.found())
    if (one === undefined) return
    const name = `Added ${this.ledger.lines.length}`
    this.ledger.say(`${one.uri} is added as ${name}`)
    this.#settings = [...this.#settings, makePrinter(name, { uri: one.uri })]
    discovery.refresh()
    discovery.welcome(one.uri)
  }

  /** The printers are plugged into a new box, not all of them yet, and it gets the backup of the old one. */
  async #replaceBox(): Promise<void> {
    const backup = this.#box.discovery.memory()
    const settings = this.#settings
    // The new box may have had one of its own.
    if (!this.#box.printers.list().some(({ isDefault }) => isDefault)) this.#default = undefined
    for (const body of this.#inside) this.#unplug(body)
    this.#settings = []
    this.#places.clear()
    this.#store = makeMemory()
    await this.#restart('the box is replaced')
    for (const body of this.#bodies) if (this.chance(0.5)) this.#plug(body, this.#freePort)
    await this.#box.discovery.search(AbortSignal.timeout(LIMIT_MS))
    for (const [name, body] of this.#meanings) if (!this.#isTold(body)) this.#meanings.delete(name)
    const own = this.#box.printers.list().map(({ name, uri }) => `${name} ${uri}`)
    this.ledger.say(`the backup is restored; the new box had ${own.join(', ')}`)
    this.#settings = settings
    this.#isNew = true // no label waits here for the names that it gave
    this.#box.discovery.refresh()
    this.#box.discovery.join(backup)
    this.#isNew = false
  }

  async #judge(): Promise<void> {
    const names = new Map<Body, string[]>()
    for (const [printer, got] of await this.#printAll()) {
      const where = typeof got === 'string' ? got : got.id
      this.ledger.say(`    ${printer.name}, ${printer.uri}: ${where}`)
      if (typeof got === 'string') {
        this.#judgeRefusal(printer, got)
        this.#awaited.add(printer.name)
        continue
      }
      this.#awaited.delete(printer.name)
      this.#places.set(printer.name, printer.uri)
      this.#judgeReach(printer, got)
      if (printer.isDefault) this.#judgeDefault(printer, got)
      if (this.#isItsName(printer, got)) names.set(got, [...(names.get(got) ?? []), printer.name])
    }
    if (!this.#hasForgotten) this.#judgeNames(names)
  }

  /** CUPS does not say which one of several it means. */
  #isItsName({ isFound, uri }: Printer, body: Body): boolean {
    const isSure = this.#isTold(body) || uri.startsWith('usb:')
    return isFound === true && isSure && !this.#isBlind(body)
  }

  #judgeNames(names: ReadonlyMap<Body, readonly string[]>): void {
    for (const [{ id }, of] of names)
      if (of.length > 1) this.ledger.fault(`${id} has the names ${of.join(', ')}`)
    for (const name of this.#awaited) this.#judgeWaiting(name)
  }

  /** Prints a label for each name, and returns its fate. */
  async #printAll(): Promise<readonly (readonly [KnownPrinter, Body | string])[]> {
    const printers = this.#box.printers.list()
    for (const { plugged } of this.#inside) plugged?.forget()
    const all = await Promise.all(printers.map(({ name }) => this.#print(name)))
    for (const [n, { name }] of printers.entries()) {
      const isBusy = String(all[n]).includes('another label') // two names meet at one printer
      if (isBusy) all[n] = await this.#print(name)
    }
    return printers.map((printer, n) => [printer, all[n] ?? ''])
  }

  /** The printer that a label for this name comes to, or why it comes to none. */
  async #print(name: string): Promise<Body | string> {
    const label = Buffer.from(`^XA^FX${name}^XZ`)
    try {
      const signal = AbortSignal.timeout(LIMIT_MS)
      await using connection = await this.#box.printers.open(name, signal)
      await connection.send(label, signal)
    } catch (error) {
      return String(error)
    }
    const isHere = ({ plugged }: Body) =>
      plugged !== undefined && Buffer.from(plugged.received).includes(label)
    return this.#inside.find(isHere) ?? 'it went nowhere'
  }

  #judgeRefusal({ name, uri, isFound }: Printer, why: string): void {
    const body = this.#meanings.get(name)
    if (body?.plugged === undefined || this.#isBlind(body)) return
    if (!this.#isTold(body) || this.#hasForgotten) return
    if (why.includes('another program')) return // the stand-in has one driver for all its interfaces
    if (isFound === true || uri.includes('serial='))
      this.ledger.fault(`${name} means ${body.id}, which is there, and is refused: ${why}`)
  }

  #judgeWaiting(name: string): void {
    const body = this.#meanings.get(name)
    if (body === undefined || !this.#isTold(body)) return
    if (this.#box.printers.get(name) === undefined)
      this.ledger.fault(`labels wait for ${name}, an unknown printer`)
  }

  #judgeReach(printer: Printer, got: Body): void {
    const { name, uri, isFound } = printer
    const body = this.#meanings.get(name)
    this.#judgeRemoval(printer, got)
    if (!this.#isBlind(got)) this.#meanings.set(name, got)
    if (body === undefined || body === got) return
    const isAlike = got.model === body.model && got.plugged?.traits.serial === body.serial
    // By port a person means whatever is plugged in there; so does what has no number of its own, or none that is remembered.
    const isByPort = isFound !== true || !this.#isTold(got) || this.#hasForgotten
    const isHeir = isByPort && uri.includes('port=') && got.model === body.model
    if (!isAlike && !isHeir) this.ledger.fault(`${name} means ${body.id} and prints on ${got.id}`)
  }

  /** Labels that name no printer. */
  #judgeDefault({ name, uri }: Printer, got: Body): void {
    const body = this.#default
    this.#default = got
    if (body === undefined || body === got || !this.#isTold(body) || this.#removed.has(body)) return
    if (this.#hasForgotten || this.#isBlind(got) || uri.includes('port=')) return
    this.ledger.fault(`labels without a name went to ${body.id} and go to ${got.id} by ${name}`)
  }

  #judgeRemoval({ name, uri, isFound }: Printer, got: Body): void {
    if (isFound !== true) this.#removed.delete(got)
    const isBack = this.#removed.has(got) && uri.startsWith('usb:') && !this.#isBlind(got)
    if (isBack && !this.#hasForgotten)
      this.ledger.fault(`${got.id} was removed and is back as ${name}`)
  }

  /** No other one of its model bears its number. */
  #isTold(body: Body): boolean {
    const isKin = ({ model, serial }: Body) => model === body.model && serial === body.serial
    return body.serial !== '' && this.#bodies.filter(isKin).length === 1
  }

  #isBlind({ serial, plugged }: Body): boolean {
    return plugged !== undefined && plugged.traits.serial !== serial
  }
}

function portOf({ plugged }: Body): string {
  return plugged?.traits.port ?? ''
}

function queueOf({ id, model, serial }: Body) {
  const { manufacturer = 'Zebra%20Technologies', product = 'GK420d' } = model
  const which = serial === '' ? '' : `?serial=${serial}`
  return presentQueue({
    name: `Q${id}`,
    isClass: false,
    isRunning: true,
    isAccepting: true,
    reasons: [],
    deviceUri: `usb://${manufacturer}/${encodeURIComponent(product)}${which}`,
    makeAndModel: 'Local Raw Printer',
  })
}
