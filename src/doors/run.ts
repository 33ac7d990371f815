import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/schema.ts'
import { PlatenError } from '../errors.ts'
import { BACK_OFF, type BackOff, backOffMs, pause } from '../wait.ts'
import type { Door, DoorBox, OpenDoor } from './door.ts'

/** How a door is doing. */
export interface DoorStatus {
  readonly name: string
  readonly state: 'starting' | 'open' | 'failing'
  readonly places: readonly string[]
  /** Why it is not open, and what to do; '' = it is. */
  readonly message: string
}

/** What the doors work with; what is optional has the values of the field. */
export interface DoorsParts {
  readonly box: DoorBox
  readonly list: readonly Door[]
  readonly backOff?: BackOff
}

/** All doors of this box: those that are switched on run, the others are not even loaded. */
export class Doors {
  readonly #parts: Required<DoorsParts>
  readonly #running = new Map<Door, RunningDoor>()
  /** Closed ones that still settle what was in hand. */
  readonly #leaving = new Set<RunningDoor>()
  #isStopped = false

  constructor(parts: DoorsParts) {
    this.#parts = { backOff: BACK_OFF, ...parts }
  }

  /** Closes what is switched off, opens what is new, and leaves the rest alone. */
  configure(config: Config): void {
    if (this.#isStopped) return
    for (const door of this.#parts.list) {
      const settings = door.settings(config)
      const running = this.#running.get(door)
      if (running !== undefined && isDeepStrictEqual(running.settings, settings)) continue
      this.#leave(door)
      if (settings === undefined) continue
      // The ports of the one before must be free.
      const left = [...this.#leaving].filter((one) => one.door === door).map(({ ended }) => ended)
      this.#running.set(door, new RunningDoor(door, settings, this.#parts, Promise.all(left)))
    }
  }

  /** Those that are switched on. */
  list(): readonly DoorStatus[] {
    return [...this.#running.values()].map(({ status }) => status)
  }

  /** What answers the HTTP paths of a door; undefined while it is closed or has none. */
  answering(name: string): OpenDoor['answer'] {
    const running = [...this.#running.values()].find(({ door }) => door.name === name)
    return running?.open?.answer
  }

  /** Takes nothing more; resolves when what was in hand is settled. */
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
  readonly #parts: Required<DoorsParts>
  readonly #stopping = new AbortController()
  #failure = ''

  constructor(door: Door, settings: unknown, parts: Required<DoorsParts>, after: Promise<unknown>) {
    this.door = door
    this.settings = settings
    this.#parts = parts
    this.ended = after.then(() => this.#run())
  }

  get status(): DoorStatus {
    const { open, door } = this
    const state = open !== undefined ? 'open' : this.#failure === '' ? 'starting' : 'failing'
    return { name: door.name, state, places: open?.places ?? [], message: this.#failure }
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { box, backOff } = this.#parts
    const { name } = this.door
    for (let failures = 0; !signal.aborted; ) {
      const attempt = new AbortController()
      try {
        const ends = AbortSignal.any([signal, attempt.signal])
        this.open = await this.door.start(this.settings, box, ends)
        failures = 0
        this.#failure = ''
        box.log.info({ door: name, places: this.open.places }, 'door open')
        await this.open.closed
        if (!signal.aborted) throw new PlatenError('INTERNAL', 'It ended by itself.')
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
    const message =
      error instanceof PlatenError ? `${error.message} ${error.hint}` : 'It does not open.'
    if (this.#stopping.signal.aborted || message === this.#failure) return
    this.#failure = message
    box.log.warn({ door: this.door.name, message }, 'door closed')
  }
}
