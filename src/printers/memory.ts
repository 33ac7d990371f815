import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { Found } from './device.ts'
import type { Media } from './printer.ts'

const text = v.pipe(v.string(), v.maxLength(2048))
const number = v.pipe(v.number(), v.integer(), v.minValue(0))

const remembered = v.object({
  name: v.pipe(text, v.nonEmpty()),
  uri: v.pipe(text, v.nonEmpty()),
  makeAndModel: text,
  deviceId: v.exactOptional(text),
  vendorId: v.exactOptional(number),
  productId: v.exactOptional(number),
  serial: v.exactOptional(text),
  behind: v.exactOptional(text),
})

const learned = v.object({
  makeAndModel: v.exactOptional(text),
  dpi: v.exactOptional(number),
  z64: v.exactOptional(v.boolean()),
  answers: v.exactOptional(v.boolean()),
  media: v.exactOptional(
    v.object({
      lengthDots: v.exactOptional(number),
      widthDots: v.exactOptional(number),
      tracking: v.exactOptional(v.picklist(['gap', 'mark', 'continuous'])),
    }),
  ),
})

const content = v.object({
  printers: v.array(remembered),
  learned: v.record(text, learned),
  dismissed: v.optional(v.array(text), []),
})

/** A printer that was found once, as it was then, under the name it got. */
export type Remembered = Readonly<v.InferOutput<typeof remembered>>

/** What a printer said of itself when it was asked; what it did not say is left out. */
export type Learned = Readonly<v.InferOutput<typeof learned>>

/** Where the memory is kept: a small text, replaced whole. */
export interface MemoryStore {
  /** Undefined when there is none yet. */
  load(): string | undefined
  /** @throws when it cannot be written */
  save(text: string): void
}

const MOST = 200 // printers that were ever found; the oldest of the others goes

/** Which printers were found, under which names, and what they said of themselves; survives restarts and damage. */
export class PrinterMemory {
  readonly #store: MemoryStore
  readonly #fault: (error: unknown) => void
  #printers: readonly Remembered[] = []
  #learned = new Map<string, Learned>()
  #dismissed: readonly string[] = []

  constructor(store: MemoryStore, fault: (error: unknown) => void) {
    this.#store = store
    this.#fault = fault
    try {
      const kept = store.load()
      if (kept === undefined) return
      const { printers, learned, dismissed } = v.parse(content, JSON.parse(kept))
      this.#printers = printers
      this.#dismissed = dismissed
      this.#learned = new Map(Object.entries(learned))
    } catch (error) {
      fault(error) // whatever is connected is found again, under names made anew
    }
  }

  /** In the order in which they were found. */
  get printers(): readonly Remembered[] {
    return this.#printers
  }

  /** What the printer at this device URI said. */
  learned(uri: string): Learned | undefined {
    return this.#learned.get(uri)
  }

  /** Device URIs that a person removed: what is found there is shown, and known again only when a person adds it. */
  get dismissed(): readonly string[] {
    return this.#dismissed
  }

  /** Replaces the printers, and the device URIs that a person removed where they are given. */
  keep(printers: readonly Remembered[], dismissed = this.#dismissed): void {
    this.#printers = printers.slice(-MOST)
    this.#dismissed = dismissed.slice(-MOST)
    this.#save()
  }

  /** The whole memory, for a backup. */
  text(): string {
    const learned = Object.fromEntries(this.#learned)
    return JSON.stringify({ printers: this.#printers, learned, dismissed: this.#dismissed })
  }

  /** Takes over what another box knew and this one does not. @throws when it is no memory */
  join(kept: string): void {
    const { printers, learned, dismissed } = v.parse(content, JSON.parse(kept))
    const names = new Set(this.#printers.map(({ name }) => name))
    const uris = new Set(this.#printers.map(({ uri }) => uri))
    const others = printers.filter(({ name, uri }) => !names.has(name) && !uris.has(uri))
    this.#learned = new Map([...Object.entries(learned), ...this.#learned].slice(-MOST))
    this.keep([...this.#printers, ...others], [...new Set([...dismissed, ...this.#dismissed])])
  }

  /** Adds to what the printer at this device URI said; true when something of it is new. */
  learn(uri: string, facts: Learned): boolean {
    const before = this.#learned.get(uri)
    const media = { ...before?.media, ...facts.media, ...keepLength(before?.media, facts.media) }
    const after = { ...before, ...facts, ...(Object.keys(media).length === 0 ? {} : { media }) }
    if (isDeepStrictEqual(before ?? {}, after)) return false
    this.#learned.delete(uri)
    this.#learned.set(uri, after)
    for (const oldest of this.#learned.keys()) {
      if (this.#learned.size <= MOST) break
      this.#learned.delete(oldest)
    }
    this.#save()
    return true
  }

  #save(): void {
    const all = {
      printers: this.#printers,
      learned: Object.fromEntries(this.#learned),
      dismissed: this.#dismissed,
    }
    try {
      this.#store.save(`${JSON.stringify(all, null, 2)}\n`)
    } catch (error) {
      this.#fault(error) // known until the next start all the same
    }
  }
}

const JITTER_DOTS = 16 // two labels of one roll are not measured alike, and each note wears the card

function keepLength(before: Media = {}, now: Media = {}): Media {
  const { lengthDots } = before
  if (lengthDots === undefined || now.lengthDots === undefined) return {}
  return Math.abs(lengthDots - now.lengthDots) <= JITTER_DOTS ? { lengthDots } : {}
}

/** True for the text of a memory. */
export function isMemory(kept: string): boolean {
  try {
    return v.is(content, JSON.parse(kept))
  } catch {
    return false
  }
}

/** What is kept of a printer that was found. */
export function remember(name: string, found: Found): Remembered {
  const { uri, makeAndModel, deviceId, vendorId, productId, serial, behind } = found
  return {
    ...{ name, uri, makeAndModel },
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(vendorId === undefined ? {} : { vendorId }),
    ...(productId === undefined ? {} : { productId }),
    ...(serial === undefined ? {} : { serial }),
    ...(behind === undefined ? {} : { behind }),
  }
}
