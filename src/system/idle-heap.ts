/** Between two looks; nothing may have happened in between. */
const LOOK_MS = 15_000

/** Fewer steps of labels leave too little for a pause of some 50 ms. */
const STEPS_LEAST = 1_000

/**
 * Has V8 look for garbage once after many labels. It looks only when it wants memory, which a server that has become idle
 * never does: 50 MB of labels and sockets that are long gone stayed with it. Never while labels are under way.
 */
export class IdleHeap {
  readonly #collect: () => void
  #steps = 0
  #isQuiet = false

  constructor(collect: () => void = collectGarbage) {
    this.#collect = collect
  }

  /** Looks from time to time; keeps no program alive. */
  start(): void {
    setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** A label came, or moved on. */
  note(): void {
    this.#steps += 1
    this.#isQuiet = false
  }

  /** Collects when there was no step since the last look, and were many before it. */
  look(): void {
    if (this.#isQuiet && this.#steps >= STEPS_LEAST) {
      this.#steps = 0
      this.#collect()
    }
    this.#isQuiet = true
  }
}

/** One full collection; V8 gives the pages back to the system some seconds later. */
export function collectGarbage(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  // The only way to it in a program that was started without the flag: contexts made from now on have it.
  setFlagsFromString('--expose-gc')
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
