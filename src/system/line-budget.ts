const WINDOW_MS = 60_000
const MOST_LINES = 60 // of one kind in a minute; a person reads fewer
const MOST_KINDS = 500

/** Fields that tell one kind of line from another beside its event. */
const KIND_FIELDS = ['source', 'where', 'printer', 'code'] as const

interface Kind {
  lines: number
  leftOut: number
}

/**
 * How many lines of one kind the log takes: whoever can cause a line by sending something would else fill the journal, and
 * push out what tells of them. Lines of a job are not counted: each is told once.
 */
export class LineBudget {
  readonly #now: () => number
  #begin = Number.NEGATIVE_INFINITY
  #kinds = new Map<string, Kind>()
  #before: ReadonlyMap<string, Kind> = new Map()

  /** @param now milliseconds, never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** How many lines of this kind were left out since the last that was written; undefined = leave this one out too. */
  take(fields: Readonly<Record<string, unknown>>, event: string): number | undefined {
    if ('job' in fields) return 0
    this.#renew()
    const name = JSON.stringify([event, ...KIND_FIELDS.map((field) => fields[field])])
    const key = this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : ''
    const kind = this.#kinds.get(key) ?? { lines: 0, leftOut: this.#before.get(key)?.leftOut ?? 0 }
    this.#kinds.set(key, kind)
    kind.lines += 1
    if (kind.lines > MOST_LINES) {
      kind.leftOut += 1
      return undefined
    }
    const { leftOut } = kind
    kind.leftOut = 0
    return leftOut
  }

  #renew(): void {
    const now = this.#now()
    if (now - this.#begin < WINDOW_MS) return
    this.#begin = now
    this.#before = this.#kinds
    this.#kinds = new Map()
  }
}
