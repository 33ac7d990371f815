import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Job } from '../../src/core/job.ts'
import { zplLabel } from '../core/labels.ts'
import { Dice, type Story, testHistories } from '../simulator/history.ts'
import { until } from '../until.ts'
import { jsonBody, type Rig, startRig } from './rig.ts'

// People rename, remove, add and choose printers while labels arrive. A label that was accepted comes out once, at a printer
// that had the name it was sent to; none is left behind under a name that is gone.

const STEPS = 8
const CROWD = 6
const PLACES = ['bench-1', 'bench-2', 'bench-3', 'bench-4']
const NAMES = ['Bench 1', 'Bench 2', 'Bench 3', 'New 0', 'New 1', 'New 2', 'New 3']
const BASE = {
  printer: 'Bench 1',
  printers: PLACES.slice(0, 3).map((place, n) => ({
    name: NAMES[n],
    uri: `file:${place}`,
    language: 'zpl',
  })),
}

/** A label, and the places of the printers that had its name while it was under way; no name = the default. */
interface Sent {
  readonly mark: string
  readonly name: string | undefined
  readonly places: Set<string>
}

testHistories('people who rename printers', 'test/http/renames.test.ts', (t) => {
  let rig: Rig | undefined
  return Promise.resolve((folder, seed) => {
    const own = join(folder, String(seed))
    if (rig === undefined)
      for (const place of PLACES) mkdirSync(join(own, place), { recursive: true })
    rig ??= startRig(t, { bench: { folder: own } })
    return new History(rig, seed).play()
  })
})

class History {
  readonly #rig: Rig
  readonly #seed: number
  readonly #dice: Dice
  readonly #lines: string[] = []
  readonly #sent: Sent[] = []
  readonly #underWay = new Set<Sent>()
  #labels = 0

  constructor(rig: Rig, seed: number) {
    this.#rig = rig
    this.#seed = seed
    this.#dice = new Dice(seed)
  }

  async play(): Promise<Story> {
    const { bench } = this.#rig
    await this.#call('PUT', '/config', BASE)
    const stop = bench.printers.onChange(() => this.#note())
    for (let step = 0; step < STEPS; step += 1) {
      const crowd = Array.from({ length: 1 + this.#dice.below(CROWD) }, () =>
        this.#dice.chance(0.7) ? this.#print() : this.#change(),
      )
      await Promise.all(crowd)
    }
    stop()
    const isKnown = ({ printer }: Job) => bench.printers.get(printer) !== undefined
    const unfinished = () => NAMES.flatMap((name) => bench.spool.line.unfinished(name))
    await until('the labels', async () => (unfinished().some(isKnown) ? undefined : true))
    const left = unfinished()
    for (const { printer } of left) await this.#call('POST', '/jobs/cancel', { printer })
    const lost = left.map(({ id, printer }) => `${id} waits for ${printer}, which is gone`)
    const faults = [...lost, ...this.#judge(), ...bench.faults.splice(0).map(String)]
    return { seed: this.#seed, faults, lines: this.#lines }
  }

  async #print(): Promise<void> {
    const mark = `m${this.#seed}-${this.#labels++}-`
    const name = this.#dice.chance(0.3) ? undefined : this.#pickName()
    const one: Sent = { mark, name, places: new Set() }
    this.#underWay.add(one)
    this.#note()
    const label = Buffer.from(zplLabel(mark)).toString('base64')
    const status = await this.#call('POST', '/', { label, printer: name })
    this.#underWay.delete(one)
    if (status < 300) this.#sent.push(one)
  }

  async #change(): Promise<void> {
    const name = this.#pickName()
    const fresh = { name: this.#dice.pick(NAMES) }
    const uri = `file:${this.#dice.pick(PLACES)}`
    const path = `/printers/${encodeURIComponent(name)}`
    const kind = this.#dice.below(5)
    for (let turns = this.#dice.below(4); turns > 0; turns -= 1) await turn()
    if (kind === 0) await this.#call('DELETE', path)
    else if (kind === 1) await this.#call('POST', '/printers', { ...fresh, uri, language: 'zpl' })
    else if (kind === 2) await this.#choose(name)
    else await this.#call('PUT', path, fresh)
  }

  async #choose(printer: string): Promise<void> {
    const settings = (await (await this.#rig.call('/config')).json()) as object
    await this.#call('PUT', '/config', { ...settings, printer })
  }

  async #call(method: string, path: string, body?: object): Promise<number> {
    const asked = jsonBody(body ?? {}, { prefer: 'wait=0' })
    const { status } = await this.#rig.call(path, { ...asked, method })
    this.#lines.push(`${method} ${path} ${JSON.stringify(body ?? {})}: ${status}`)
    return status
  }

  #pickName(): string {
    return this.#dice.pick(this.#rig.bench.printers.list())?.name ?? ''
  }

  /** Notes the printers from which the labels under way may come out, by the present names. */
  #note(): void {
    const all = this.#rig.bench.printers.list()
    for (const { name, places } of this.#underWay) {
      const at = all.find((one) => (name === undefined ? one.isDefault : one.name === name))
      if (at !== undefined) places.add(at.uri.slice('file:'.length))
    }
  }

  #judge(): readonly string[] {
    const papers = PLACES.flatMap((place) => this.#papersAt(place))
    return this.#sent.flatMap(({ mark, name, places }) => {
      const out = papers.filter(({ text }) => text.includes(mark)).map(({ place }) => place)
      const isRight = out.length === 1 && places.has(out[0] ?? '')
      return isRight ? [] : [`${mark} for ${name} came out at [${out}], wanted [${[...places]}]`]
    })
  }

  #papersAt(place: string): readonly { readonly place: string; readonly text: string }[] {
    const folder = join(this.#rig.folder, place)
    return readdirSync(folder).map((name) => {
      const text = readFileSync(join(folder, name), 'latin1')
      rmSync(join(folder, name))
      return { place, text }
    })
  }
}
