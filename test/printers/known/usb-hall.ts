import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createUsbDevice } from '../../../src/printers/devices/usb/index.ts'
import { Discovery } from '../../../src/printers/known/discovery.ts'
import type { Printer, PrinterSettings } from '../../../src/printers/printer.ts'
import { Printers } from '../../../src/printers/registry.ts'
import { UsbBench } from '../../devices/usb-bench.ts'
import type { UsbStandIn, UsbTraits } from '../../devices/usb-stand-in.ts'
import { Dice, type Story } from '../../histories.ts'
import { makeMemory, makePrinter } from '../make-printer.ts'

const PORTS = ['1-1.1', '1-1.2', '1-1.3', '1-1.4']
const LIMIT_MS = 60_000
const ZEBRA: Partial<UsbTraits> = {}
const TSC: Partial<UsbTraits> = {
  ...{ vendorId: 0x1203, productId: 0x0140, manufacturer: 'TSC', product: 'TTP-245C' },
  deviceId: 'MFG:TSC;CMD:TSPL;MDL:TTP-245C;CLS:PRINTER;',
}

/** A printer that somebody carries from port to port. */
interface Body {
  readonly id: string
  readonly model: Partial<UsbTraits>
  readonly serial: string
  plugged: UsbStandIn | undefined
}

/** Plays one history of a computer and the printers that are plugged into it, and judges after each step. */
export async function playHall(folder: string, seed: number): Promise<Story> {
  const hall = new Hall(mkdtempSync(join(folder, 'hall-')), seed)
  const steps = 5 + hall.below(15)
  for (let step = 0; step < steps && hall.faults.length === 0; step += 1) await hall.step()
  await hall.close()
  return { seed, faults: hall.faults, lines: hall.lines }
}

class Hall extends Dice {
  readonly lines: string[] = []
  readonly faults: string[] = []
  readonly #bodies: readonly Body[]
  readonly #bench: UsbBench
  /** Which printer a name means. */
  readonly #meanings = new Map<string, Body>()
  /** Where the last label of each name went, as the spool knows it. */
  readonly #places = new Map<string, string>()
  #store = makeMemory()
  /** Since the memory of the printers was lost nobody knows who had which number. */
  #hasForgotten = false
  #settings: readonly PrinterSettings[] = []
  #box: ReturnType<Hall['open']>

  constructor(folder: string, seed: number) {
    super(seed)
    this.#bench = new UsbBench(folder)
    this.#bodies = Array.from({ length: 2 + this.below(4) }, (_, n) => ({
      id: `P${n}`,
      model: this.chance(0.7) ? ZEBRA : TSC,
      serial: this.pick([`SN${n}x9`, `SN${n}x9`, '', 'SAME7']) ?? '',
      plugged: undefined,
    }))
    for (const { id, model, serial } of this.#bodies)
      this.lines.push(`${id}: ${model.product ?? 'GK420d'}, number "${serial}"`)
    this.#box = this.open()
  }

  async step(): Promise<void> {
    const deeds: readonly (readonly [often: number, deed: () => unknown])[] = [
      [5, () => this.#plugOne()],
      [3, () => this.#unplug(this.pick(this.#inside))],
      [1, () => this.#swap()],
      [1, () => this.#carry()],
      [1, () => this.#restart('the program is restarted')],
      [1, () => this.#forget()],
      [1, () => this.#set()],
    ]
    const all = deeds.flatMap(([often, deed]) => Array.from({ length: often }, () => deed))
    await this.pick(all)?.()
    const { discovery } = this.#box
    // What became known at the first look may change what the next one sees.
    for (let looks = 0; looks < 2; looks += 1) await discovery.search(AbortSignal.timeout(LIMIT_MS))
    await this.#judge()
  }

  async close(): Promise<void> {
    await this.#box.device.close?.()
  }

  open() {
    const { sysfs, dev, load } = this.#bench
    const device = createUsbDevice({
      ...{ sysfs, dev, load, platform: 'linux' },
      known: () =>
        printers.list().map(({ uri, isFound = false }) => {
          return { uri, isFound, serial: discovery.serialOf(uri) }
        }),
    })
    const printers: Printers = new Printers({ printers: [], defaultName: '', devices: [device] })
    const discovery: Discovery = new Discovery({
      ...{ devices: [device], printers, store: this.#store },
      recall: () => [...this.#places].map(([name, uri]) => ({ name, uri })),
      configured: () => this.#settings,
      defaultName: () => '',
      fault: (error) => this.lines.push(`  (${String(error)})`),
    })
    return { device, printers, discovery }
  }

  get #inside(): readonly Body[] {
    return this.#bodies.filter(({ plugged }) => plugged !== undefined)
  }

  get #freePort(): string | undefined {
    return this.pick(PORTS.filter((port) => !this.#inside.some((body) => portOf(body) === port)))
  }

  #plugOne(): void {
    this.#plug(this.pick(this.#bodies.filter((body) => body.plugged === undefined)), this.#freePort)
  }

  #plug(body: Body | undefined, port: string | undefined): void {
    if (body === undefined || port === undefined) return
    this.lines.push(`${body.id} is plugged into ${port}`)
    body.plugged = this.#bench.plug({ ...body.model, serial: body.serial, port })
  }

  #unplug(body: Body | undefined): void {
    if (body?.plugged === undefined) return
    this.lines.push(`${body.id} is unplugged from ${portOf(body)}`)
    this.#bench.unplug(body.plugged)
    body.plugged = undefined
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
    this.lines.push(words)
    await this.close()
    this.#box = this.open()
  }

  async #forget(): Promise<void> {
    this.#store = makeMemory()
    this.#hasForgotten = true
    await this.#restart('the memory of the printers is lost')
  }

  /** A person gives a found printer a name of their own. */
  #set(): void {
    const one = this.pick(this.#box.printers.list().filter(({ isFound }) => isFound))
    if (one === undefined) return
    const name = `Bench ${this.lines.length}`
    this.lines.push(`${one.name} is set as ${name}`)
    this.#settings = [...this.#settings, makePrinter(name, { uri: one.uri })]
    const body = this.#meanings.get(one.name)
    if (body !== undefined) this.#meanings.set(name, body)
    this.#box.discovery.refresh()
  }

  async #judge(): Promise<void> {
    const names = new Map<Body, string[]>()
    for (const printer of this.#box.printers.list()) {
      const got = await this.#print(printer.name)
      this.lines.push(
        `    ${printer.name}, ${printer.uri}: ${typeof got === 'string' ? got : got.id}`,
      )
      if (typeof got === 'string') {
        this.#judgeRefusal(printer, got)
        continue
      }
      this.#places.set(printer.name, printer.uri)
      this.#judgeReach(printer, got)
      if (printer.isFound === true) names.set(got, [...(names.get(got) ?? []), printer.name])
    }
    for (const [{ id }, of] of names)
      if (of.length > 1 && !this.#hasForgotten) this.#fault(`${id} has the names ${of.join(', ')}`)
  }

  /** The printer that a label for this name comes to, or why it comes to none. */
  async #print(name: string): Promise<Body | string> {
    for (const { plugged } of this.#inside) plugged?.forget()
    try {
      const signal = AbortSignal.timeout(LIMIT_MS)
      await using connection = await this.#box.printers.open(name, signal)
      await connection.send(Buffer.from('^XA^XZ'), signal)
    } catch (error) {
      return String(error)
    }
    return this.#inside.find(({ plugged }) => plugged?.received.length) ?? 'it went nowhere'
  }

  #judgeRefusal({ name, uri, isFound }: Printer, why: string): void {
    const body = this.#meanings.get(name)
    if (body?.plugged === undefined || !this.#isTold(body) || this.#hasForgotten) return
    if (isFound === true || uri.includes('serial='))
      this.#fault(`${name} means ${body.id}, which is there, and is refused: ${why}`)
  }

  #judgeReach({ name, uri, isFound }: Printer, got: Body): void {
    const body = this.#meanings.get(name)
    this.#meanings.set(name, got)
    if (body === undefined || body === got) return
    const isAlike = got.model === body.model && got.serial === body.serial
    // By port a person means whatever is plugged in there; so does what has no number of its own, or none that is remembered.
    const isByPort = isFound !== true || !this.#isTold(got) || this.#hasForgotten
    const isHeir = isByPort && uri.includes('port=') && got.model === body.model
    if (!isAlike && !isHeir) this.#fault(`${name} means ${body.id} and prints on ${got.id}`)
  }

  /** No other one of its model bears its number. */
  #isTold(body: Body): boolean {
    const isKin = ({ model, serial }: Body) => model === body.model && serial === body.serial
    return body.serial !== '' && this.#bodies.filter(isKin).length === 1
  }

  #fault(line: string): void {
    this.lines.push(`*** ${line}`)
    this.faults.push(line)
  }
}

function portOf({ plugged }: Body): string {
  return plugged?.traits.port ?? ''
}
