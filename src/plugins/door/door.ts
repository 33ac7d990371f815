import type { IncomingHttpHeaders } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { Renderer } from '../../core/drawing/renderer.ts'
import type { Intake } from '../../core/intake/intake.ts'
import type { LabelRequest, RequestReceipt } from '../../core/intake/requests.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { Scheduler } from '../../core/queue/scheduler.ts'
import type { BodyBudget, BudgetShare } from '../../core/request/body-budget.ts'
import type { Spool } from '../../core/spool/spool.ts'
import type { Keys } from '../../http/access/keys.ts'
import type { Config } from '../../settings/schema.ts'
import { BACK_OFF, type BackOff, backOffMs, pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { isSame, join, NOTHING, type Sentences, say } from '../../words/say.ts'

/**
 * A way in that speaks another product's protocol. Adding one = one folder whose `index.ts` exports one of these and is
 * light to load, its key in `settings/schema.ts` (a port with the mark `ports`), its test, one line in `../doors.ts`, and for
 * paths of the HTTP port its line in `http/doors.ts`. It is given a `DoorBox`; every label goes to the one intake.
 */
export interface Door<S = unknown> {
  /** Of the folder, and the `source` of its jobs. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** What sentences call it as the way that a label came; left out: the title. */
  readonly way?: string
  /** The key of the settings that switches it on. */
  readonly key: keyof Config
  /** What to change on the other side, as it is typed there; `settings` are those of `settings()`. */
  lines(settings: S, at: DoorAddress): readonly DoorLine[]
  /** What of the configuration it works with; undefined = switched off. Another value starts the door again. */
  settings(config: Config): S | undefined
  /**
   * Opens it. Everything heavy lies in the folder's `serve.ts`, which is imported here (`test/loading.test.ts`). Once `signal` aborts it takes nothing more.
   * @throws PlatenError PORT_TAKEN and others; it is tried again after a while
   */
  start(settings: S, box: DoorBox, signal: AbortSignal): Promise<OpenDoor>
}

/** Where the other side finds the box. */
export interface DoorAddress {
  /** A name or an address, an IPv6 one in brackets. */
  readonly host: string
  readonly port: string
  /** '' = no https. */
  readonly securePort: string
}

/** A line that somebody types elsewhere. */
export interface DoorLine {
  /** Where it is typed, with a colon. */
  readonly where: Sentences
  readonly line: string
}

/** A door that is open. */
export interface OpenDoor {
  /** Where it is reached, for people and the log, e.g. `port 9100 (Bench 1)`. */
  readonly places: readonly string[]
  /** Resolves when it is closed and what was in hand is settled; rejects when it broke. */
  readonly closed: Promise<void>
  /** Answers requests to its paths of the HTTP port; left out = it has none. Errors become answers of its own shape. */
  readonly answer?: (request: DoorRequest) => Promise<Response>
}

/** A request that reached the HTTP port: under one of the box's own names, by no foreign page. */
export interface DoorRequest {
  readonly method: string
  /** Below the door's own, e.g. `/printers`; `/` for the door itself. */
  readonly path: string
  readonly query: URLSearchParams
  /** Undefined when it is not there. */
  header(name: string): string | undefined
  /**
   * The whole body.
   * @throws PlatenError BODY_*, SERVER_BUSY
   */
  body(): Promise<Uint8Array>
  /** Whose share of the spool its labels take. */
  readonly network: string
  /** What its body holds: until it is answered. Undefined before it was read. */
  readonly share: () => BudgetShare | undefined
  /** Aborts when the client went away. */
  readonly signal: AbortSignal
}

/** The one intake, which counts what it is given: a door cannot forget to. */
interface DoorIntake extends Pick<Intake, 'forSource'> {
  /** `share`: what the request holds already; left out: its labels are counted here. */
  take(request: LabelRequest, share?: BudgetShare): Promise<RequestReceipt>
}

/** What a door is given of the box. */
export interface DoorBox {
  readonly intake: DoorIntake
  /** What a request of this client holds of the memory of all ways in: until it is answered. */
  readonly hold: (owner: string) => BudgetShare
  readonly printers: Pick<Printers, 'list' | 'get' | 'resolve' | 'onChange'>
  readonly spool: Pick<Spool, 'history' | 'repeats' | 'line' | 'records' | 'health' | 'onChange'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'attend'>
  /** Draws what stands between commands; left out = such pictures are refused. */
  readonly renderer?: Pick<Renderer, 'render'>
  /** Read it each time: most keys change while the program runs. */
  readonly config: () => Config
  /** Names and version of this box. */
  readonly info: () => BoxInfo
  /** The key and certificate of the HTTPS port, PEM; undefined without HTTPS. */
  readonly certificates: () => { readonly key: string; readonly cert: string } | undefined
  /** The client that a connection counts for: whose share of connections and of the spool. */
  readonly ownerOf: (address: string | undefined) => string
  /** Who calls a door that browsers can reach, by the headers of the request: `named` = a page of `allowed_origins`. */
  readonly callerOf: (headers: IncomingHttpHeaders) => 'named' | 'foreign' | 'program'
  /** The API keys (`platen key`), loaded when asked for. */
  readonly keys: () => Promise<Pick<Keys, 'find' | 'used'>>
  readonly log: {
    info(fields: object, event: string): void
    warn(fields: object, event: string): void
  }
  /** A fault of ours that disturbs nothing else. */
  readonly fault: (error: unknown) => void
}

/** What a door tells of the box. */
export interface BoxInfo {
  readonly version: string
  readonly hostName: string
  /** As it listens: '' = on all addresses. */
  readonly host: string
  readonly ip: string
  readonly port: string
}

/** The parts of a box that count what its doors hold. */
export function countBodies(
  intake: Pick<Intake, 'takeTogether' | 'forSource'>,
  bodies: BodyBudget,
): Pick<DoorBox, 'intake' | 'hold'> {
  const hold = (owner: string): BudgetShare => bodies.open(owner)
  return {
    hold,
    intake: {
      forSource: (...of) => intake.forSource(...of),
      async take(request, share) {
        if (share !== undefined) return await intake.takeTogether(request)
        using own = hold(request.network ?? request.source)
        await own.take(request.labels.reduce((sum, { length }) => sum + length, 0))
        return await intake.takeTogether(request)
      },
    },
  }
}

/** How a door is doing. */
interface DoorStatus {
  readonly name: string
  readonly state: 'starting' | 'open' | 'failing'
  readonly places: readonly string[]
  /** Why it is not open, and what to do; empty = it is. */
  readonly message: Sentences
}

/** A door for people: what is switched off is told too. */
export interface DoorReport extends Omit<DoorStatus, 'state'> {
  readonly title: string
  /** The key of the settings that switches it on. */
  readonly key: string
  readonly state: DoorStatus['state'] | 'off'
  /** When somebody came last, in ms since the epoch; 0 = nobody since it was switched on. */
  readonly contactAt: number
  readonly lines: readonly DoorLine[]
}

/** What the doors work with; what is optional has the values of the field. */
interface DoorsParts {
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

  /** All, in their order. */
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

  /** What answers the HTTP paths of a door; undefined while it is closed or has none. */
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

  /** Somebody came. */
  note(): void {
    this.contactAt = Date.now()
  }

  /** Every door asks whose share a connection is. */
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
