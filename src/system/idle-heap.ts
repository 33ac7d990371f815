/** Between two looks; nothing may have happened in between. */
const LOOK_MS = 15_000

/** Fewer steps of labels leave too little for a pause of some 50 ms. */
const STEPS_LEAST = 1_000

/** So many steps between two looks are a flood. */
const FLOOD_STEPS = 500

/** Between two looks at how much room there is for new objects, while it grows: V8 doubles it at once. */
const ROOM_STEPS = 8

/** Both halves of the young generation. The launcher keeps it at 2 MB. */
const ROOM_BYTES = 8 * 2 ** 20

/** What is done with V8's memory. */
export interface HeapCare {
  /** Gives all back that nobody holds. */
  collect(): void
  /** Lets the room for new objects grow; false when it is large enough and stays so. */
  grow(): boolean
}

/**
 * Has V8 look for garbage once after many labels. It looks only when it wants memory, which a server that has become idle
 * never does: 50 MB of labels and sockets that are long gone stayed with it. Never while labels are under way. In a flood it
 * gets more room for new objects: what waits for its commit would else be taken for old, and 40 MB of it heap up.
 */
export class IdleHeap {
  readonly #care: HeapCare
  #steps = 0
  /** Since the last look. */
  #fresh = 0
  #grows = true
  #isQuiet = false

  constructor(care: HeapCare = { collect: collectGarbage, grow: growRoom }) {
    this.#care = care
  }

  /** Looks from time to time; keeps no program alive. */
  start(): void {
    setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** A label came, or moved on. */
  note(): void {
    this.#steps += 1
    this.#fresh += 1
    this.#isQuiet = false
    if (this.#grows && this.#fresh >= FLOOD_STEPS && this.#fresh % ROOM_STEPS === 0)
      this.#grows = this.#care.grow()
  }

  /** Collects when there was no step since the last look, and were many before it. */
  look(): void {
    if (this.#isQuiet && this.#steps >= STEPS_LEAST) {
      this.#steps = 0
      this.#grows = true
      this.#care.collect()
    }
    this.#fresh = 0
    this.#isQuiet = true
  }
}

/** All that can be collected, the room for new objects too; V8 gives the pages back to the system some seconds later. */
export function collectGarbage(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  // The only way to it in a program that was started without the flag: contexts made from now on have it.
  setFlagsFromString('--expose-gc')
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as (
    options: object,
  ) => void
  setFlagsFromString('--no-expose-gc')
  // Other flavors leave the young generation as large as it has grown.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Lets the young generation grow until it has its room. False when it has. */
function growRoom(): boolean {
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8')
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  const grows = (young?.space_size ?? ROOM_BYTES) < ROOM_BYTES
  setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`)
  return grows
}
