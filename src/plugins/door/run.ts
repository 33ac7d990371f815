import { isDeepStrictEqual } from 'node:util'
import { canonicalName } from '../../http/access/addresses.ts'
import type { Config } from '../../settings/schema.ts'
import { BACK_OFF, type BackOff, backOffMs, pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { isSame, join, NOTHING, type Sentences, say } from '../../words/say.ts'
import type { Door, DoorAddress, DoorBox, DoorLine, OpenDoor } from './door.ts'

/** The state of a door that is switched on. */
interface DoorStatus {
  readonly name: string
  readonly state: 'starting' | 'open' | 'failing'
  readonly places: readonly string[]
  /** The reason why it is not open, and what to do; empty = it is open. */
  readonly message: Sentences
}

/** A door as people see it; doors that are switched off are listed too. */
export interface DoorReport extends Omit<DoorStatus, 'state'> {
  readonly title: string
  /** The key of the settings that switches it on. */
  readonly key: string
  readonly state: DoorStatus['state'] | 'off'
  /** The last time that somebody came, in ms since the epoch; 0 = nobody since it was switched on. */
  readonly contactAt: number
  readonly lines: readonly DoorLine[]
}

/** The parts that all doors share; `backOff` is usually `BACK_OFF`. */
interface DoorsParts {
  readonly box: DoorBox
  readonly list: readonly Door[]
  readonly backOff?: BackOff
}

/** All doors of this box: the ones that are switched on run, the others are not even loaded. */
export class Doors {
  readonly #parts: Required<DoorsParts>
  readonly #running = new Map<Door, RunningDoor>()
  /** Closed doors that still settle the work in hand. */
  readonly #leaving = new Set<RunningDoor>()
  #isStopped = false

  constructor(parts: DoorsParts) {
    this.#parts = { backOff: BACK_OFF, ...parts }
  }

  /** Closes the doors that are switched off, opens the new ones and leaves the rest alone. */
  configure(config: Config): void {
    if (this.#isStopped) return
    for (const door of this.#parts.list) {
      const settings = door.read(config)
      const running = this.#running.get(door)
      if (running !== undefined && isDeepStrictEqual(running.settings, settings)) continue
      this.#leave(door)
      if (settings === undefined) continue
      // The ports of the one before must be free.
      const left = [...this.#leaving].filter((one) => one.door === door).map(({ ended }) => ended)
      this.#running.set(door, new RunningDoor(door, settings, this.#parts, Promise.all(left)))
    }
  }

  /** Lists the doors that are switched on. */
  list(): readonly DoorStatus[] {
    return [...this.#running.values()].map(({ status }) => status)
  }

  /** Describes all doors, in their order. */
  tell(at: DoorAddress): readonly DoorReport[] {
    return this.#parts.list.map((door) => {
      const { name, title, key } = door
      const running = this.#running.get(door)
      if (running === undefined) {
        const off = { state: 'off', places: [], message: NOTHING, contactAt: 0, lines: [] } as const
        return { name, title, key, ...off }
      }
      const { status, contactAt, settings } = running
      return { ...status, title, key, contactAt, lines: door.lines(settings, at) }
    })
  }

  /** Lists the host names that belong to a door. */
  hostNames(): readonly string[] {
    const config = this.#parts.box.config()
    return this.#parts.list.flatMap((door) => door.host?.(config) ?? [])
  }

  /** Finds the door that has this host name to itself. */
  findNamed(host: string): Door | undefined {
    const config = this.#parts.box.config()
    return this.#parts.list.find((door) => {
      const own = door.host?.(config)
      return own !== undefined && canonicalName(own) === host
    })
  }

  /** Returns the function that answers the HTTP paths of a door; undefined while it is closed or has none. */
  answering(name: string): OpenDoor['answer'] {
    const running = [...this.#running.values()].find(({ door }) => door.name === name)
    const answer = running?.open?.answer
    return (
      answer &&
      ((request) => {
        running?.note()
        return answer(request)
      })
    )
  }

  /** Closes all doors; resolves when the work in hand is settled. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const door of this.#parts.list) this.#leave(door)
    await Promise.all([...this.#leaving].map(({ ended }) => ended))
  }

  #leave(door: Door): void {
    const running = this.#running.get(door)
    if (running === undefined) return
    this.#running.delete(door)
    this.#leaving.add(running)
    running.stop()
    void running.ended.then(() => this.#leaving.delete(running))
  }
}

/** A door that is switched on: opened again when it breaks, with longer and longer pauses. */
class RunningDoor {
  readonly door: Door
  readonly settings: unknown
  /** Resolves when it has stopped; never rejects. */
  readonly ended: Promise<void>
  open: OpenDoor | undefined
  contactAt = 0
  readonly #parts: Required<DoorsParts>
  readonly #stopping = new AbortController()
  #failure: Sentences = NOTHING

  constructor(door: Door, settings: unknown, parts: Required<DoorsParts>, after: Promise<unknown>) {
    this.door = door
    this.settings = settings
    this.#parts = parts
    this.ended = after.then(() => this.#run())
  }

  get status(): DoorStatus {
    const { open, door } = this
    const state = open !== undefined ? 'open' : this.#failure.length === 0 ? 'starting' : 'failing'
    return { name: door.name, state, places: open?.places ?? [], message: this.#failure }
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Notes that somebody came. */
  note(): void {
    this.contactAt = Date.now()
  }

  /** Makes a `DoorBox` that notes each visit: every door asks which client a connection counts for. */
  #watch(box: DoorBox): DoorBox {
    return {
      ...box,
      ownerOf: (address) => {
        this.note()
        return box.ownerOf(address)
      },
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { box, backOff } = this.#parts
    const { name } = this.door
    for (let failures = 0; !signal.aborted; ) {
      const attempt = new AbortController()
      try {
        const ends = AbortSignal.any([signal, attempt.signal])
        this.open = await this.door.start(this.settings, this.#watch(box), ends)
        failures = 0
        this.#failure = NOTHING
        box.log.info({ door: name, places: this.open.places }, 'door open')
        await this.open.closed
        if (!signal.aborted) throw new PlatenError('INTERNAL', say('endedItself'))
      } catch (err) {
        failures += 1
        this.#fail(err)
      }
      this.open = undefined
      // What is left of one that broke: ports and connections.
      attempt.abort()
      if (!signal.aborted) await pause(backOffMs(failures, Math.random(), backOff), signal)
    }
  }

  #fail(error: unknown): void {
    const { box } = this.#parts
    if (!(error instanceof PlatenError)) box.fault(error)
    const message = error instanceof PlatenError ? join(error.said, error.todo) : say('notOpen')
    if (this.#stopping.signal.aborted || isSame(message, this.#failure)) return
    this.#failure = message
    box.log.warn({ door: this.door.name, message }, 'door closed')
  }
}
