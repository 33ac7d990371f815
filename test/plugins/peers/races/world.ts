import type { Printer } from '#printers'
import type { PeerAnswer, PeerCall } from '../../../../src/plugins/peers/client.ts'
import { hashKey, type KeptFile, PeerStore } from '../../../../src/plugins/peers/store.ts'
import type { Connection, Device } from '../../../../src/printers/device.ts'
import { PlatenError } from '../../../../src/words/errors.ts'
import { makePrinter } from '../../../core/printers/make-printer.ts'
import { Folders } from '../../../simulator/box.ts'
import { readMark } from '../../../simulator/client.ts'
import { Clock, passTurns } from '../../../simulator/clock.ts'
import { Dice } from '../../../simulator/history.ts'
import { Network } from '../../../simulator/network.ts'
import { Operator } from '../../../simulator/operator.ts'
import { PairedBox } from './box.ts'
import { Disk } from './disk.ts'
import { PeerLedger } from './ledger.ts'

export const PRINTERS = ['P', 'Q'] as const

/** Fates of a call in the network. */
const FATES = ['well', 'refused', 'lost', 'answerLost', 'late', 'repeated'] as const
type Fate = (typeof FATES)[number]

/** A box in its place, whichever run of it is on. */
export interface Slot {
  readonly id: string
  readonly name: string
  readonly file: KeptFile
  run: PairedBox
  /** It is being started again, or is off. */
  isDown: boolean
}

/** Two or three boxes that are paired, their printers, the network between them, and what is known of all that. */
export class World extends Dice {
  readonly ledger: PeerLedger
  readonly slots: readonly Slot[]
  readonly disk = new Disk()
  /** Printers that are switched off, as places. */
  readonly off = new Set<string>()
  readonly network = new Network<Fate>(this, 'well', FATES)
  readonly clock = new Clock()
  readonly operator: Operator
  readonly #folders: Folders
  readonly #rules = new Map<string, Printer['backup']>()

  constructor(folder: string, seed: number) {
    super(seed)
    this.#folders = new Folders(folder)
    const names = this.chance(0.6) ? ['a', 'b'] : ['a', 'b', 'c']
    if (this.chance(0.6)) this.#makeRules(names)
    this.ledger = new PeerLedger((place) => this.#backupOf(place))
    this.operator = new Operator(this.ledger, (error) => this.disk.excuses(error))
    const files = pairAll(names)
    const slots: Slot[] = []
    this.slots = slots
    for (const name of names) {
      const slot = { id: idOf(name), name, file: files.get(name), isDown: false } as Slot
      slot.run = this.#open(slot, this.#folders.next())
      slots.push(slot)
    }
    for (const { run } of slots) run.start()
  }

  /** A box that is on. */
  anyBox(): PairedBox | undefined {
    return this.pick(this.slots.filter(({ isDown }) => !isDown))?.run
  }

  slotOf({ name }: Pick<PairedBox, 'name'>): Slot {
    const slot = this.slots.find((one) => one.name === name)
    if (slot === undefined) throw new Error(`no box ${name}`)
    return slot
  }

  /** Somebody does something and goes on. Only these refusals are in order, and those of a disk that fails. */
  act(words: string, allowed: readonly string[], box: PairedBox, action: () => unknown): void {
    this.operator.act(words, allowed, () => box.isOver || box.isEnding, action)
  }

  async restart(slot: Slot): Promise<void> {
    const { run } = slot
    slot.isDown = true
    await endRun(run).catch((error: unknown) => {
      if (!this.disk.excuses(error)) throw error
    })
    this.#succeed(slot, run.folder)
  }

  async kill(slot: Slot): Promise<void> {
    const { run } = slot
    const folder = this.#folders.next()
    slot.isDown = true
    this.disk.heal(run.folder)
    const killed = run.kill(folder)
    await this.turns(20)
    this.#succeed(slot, folder)
    await killed
  }

  async end(): Promise<void> {
    await this.operator.answered()
    for (const { run } of this.slots) await endRun(run)
    this.disk.close()
    this.#folders.remove()
  }

  async turns(most: number): Promise<void> {
    await passTurns(this.below(most + 1))
  }

  #succeed(slot: Slot, folder: string): void {
    this.disk.heal(folder)
    slot.run = this.#open(slot, folder)
    const { history } = slot.run.spool
    const markOf = (id: string) => readMark(history.label(id))
    this.ledger.compare(slot.name, history.list({ limit: 10_000 }), markOf)
    slot.isDown = false
    slot.run.start()
  }

  /** Each rule names another box, or the other printer of this one. */
  #makeRules(names: readonly string[]): void {
    for (const [n, name] of names.entries()) {
      const box = this.chance(0.7) ? (names[(n + 1) % names.length] ?? '') : ''
      this.#rules.set(`${name}-P`, { box, printer: box === '' ? 'Q' : 'P', minutes: 1 })
    }
  }

  #backupOf(place: string): string | undefined {
    const rule = this.#rules.get(place)
    return rule && `${rule.box || place.slice(0, 1)}-${rule.printer}`
  }

  #open(slot: Slot, folder: string): PairedBox {
    const { name, file } = slot
    const box: PairedBox = new PairedBox({
      name,
      folder,
      file,
      random: this.random,
      clock: this.clock,
      datesJobs: true,
      timing: { stallMs: 60_000 },
      defaultName: 'P',
      printers: PRINTERS.map((printer) => this.#entry(name, printer)),
      device: this.#device(() => box),
      call: (peer, call) => this.#call(box, peer, call),
      onChange: (job) => {
        if (box.isOver) return
        this.ledger.see(name, job, readMark(box.spool.history.label(job.id)))
      },
      fault: (error) => {
        if (!box.isOver && !box.isEnding && !this.disk.excuses(error))
          this.ledger.fault(`a fault at ${name}: ${String(error)}`)
      },
    })
    return box
  }

  #entry(box: string, name: string): Printer {
    const backup = this.#rules.get(`${box}-${name}`)
    return makePrinter(name, { uri: `paper:${box}-${name}`, ...(backup && { backup }) })
  }

  /** Makes the way to the printers of one run: what it sends after its end goes nowhere. */
  #device(run: () => PairedBox): Device {
    const check = (place: string): void => {
      if (this.off.has(place)) throw new PlatenError('PRINTER_OFFLINE', `${place} is off`)
    }
    return {
      scheme: 'paper',
      example: 'paper:a-P',
      about: '',
      check: () => undefined,
      list: () => Promise.resolve([]),
      open: async ({ pathname: place }): Promise<Connection> => {
        await this.turns(2)
        check(place)
        return {
          send: async (bytes) => {
            await this.turns(2)
            if (this.off.has(place)) throw new PlatenError('PRINTER_LOST', `${place} went off`)
            const mark = readMark(bytes)
            if (mark !== '' && !run().isOver) this.ledger.seePaper(place, mark)
          },
          receive: () => Promise.resolve(new Uint8Array()),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }
      },
    }
  }

  /** Hands a call to the other box, as late and as often as the network likes. */
  async #call(from: PairedBox, peer: string, call: PeerCall): Promise<PeerAnswer> {
    const fate = this.network.next()
    const lost = (isSent: boolean): PeerAnswer => {
      if (from.isEnding) throw new Error('the program ends')
      return { kind: 'lost', isSent, error: new PlatenError('PEER_UNREACHABLE', fate) }
    }
    await this.turns(3)
    const slot = this.slots.find(({ id }) => id === peer)
    if (slot === undefined || slot.isDown || fate === 'refused') return lost(false)
    const answer = fate === 'lost' ? undefined : await this.#deliver(from, slot, call, fate)
    await this.turns(3)
    if (answer === undefined || from.isEnding || fate === 'answerLost') return lost(true)
    return { kind: 'answer', ...answer }
  }

  /** Undefined = no answer, and the request may yet come. */
  async #deliver(from: PairedBox, { id, run }: Slot, call: PeerCall, fate: Fate) {
    const { key } = new PeerStore(this.slotOf(from).file).get(id) ?? {}
    const shown = `${idOf(from.name)}.${key}`
    const deliver = async (turns: number) => {
      await this.turns(turns)
      const answer = run.isOver ? undefined : await run.answer(call, shown).catch(() => undefined)
      return run.isOver ? undefined : answer
    }
    const answer = fate === 'late' ? undefined : await deliver(0)
    // TLS takes nothing twice: only the sender itself repeats, and never what was refused.
    const isRepeated = fate === 'repeated' && answer?.status === 200
    if (fate === 'late' || isRepeated) this.operator.begin(deliver(200))
    return answer
  }
}

/** Ends as the program does. */
async function endRun(run: PairedBox): Promise<void> {
  await run.stop(20)
  await run.close()
}

function idOf(name: string): string {
  return `box-${name}-0123456789abcdef`
}

/** `peers.json` of each, as if all were paired with all. */
function pairAll(names: readonly string[]): ReadonlyMap<string, KeptFile> {
  const keyOf = (from: string, to: string): string => `key-${from}-${to}`
  const files = names.map((name) => {
    const peers = names
      .filter((other) => other !== name)
      .map((other) => ({
        id: idOf(other),
        name: other,
        address: other,
        pin: other,
        paired: '',
        key: keyOf(name, other),
        theirs: hashKey(keyOf(other, name)),
      }))
    let text = JSON.stringify({ id: idOf(name), peers })
    const file = {
      load: () => text,
      save(changed: string) {
        text = changed
      },
    }
    return [name, file] as const
  })
  return new Map(files)
}
