import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { Media, PrinterDetails } from '#labels'
import type { FoundPrinter } from '../device.ts'
import { findMoved, LONGEST_ID, LONGEST_URI, tidyText } from './identity.ts'

const place = v.pipe(v.string(), v.nonEmpty(), v.maxLength(LONGEST_URI))
const text = v.pipe(v.string(), v.maxLength(LONGEST_ID))
const name = v.pipe(v.string(), v.regex(/^(?!\.{1,2}$)(?=.*\S)[^\p{Cc}\p{Cs}]{1,100}$/u))
const whole = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(most))
const usbId = whole(0xffff)
const dots = whole(100_000) // of a label 40 inches long at 1,200 dpi, twice over

const remembered = v.object({
  name,
  uri: place,
  makeAndModel: text,
  deviceId: v.exactOptional(text),
  vendorId: v.exactOptional(usbId),
  productId: v.exactOptional(usbId),
  serial: v.exactOptional(text),
  behind: v.exactOptional(place),
})

const learned = v.object({
  language: v.exactOptional(text),
  makeAndModel: v.exactOptional(text),
  dpi: v.exactOptional(whole(2_400)),
  z64: v.exactOptional(v.boolean()),
  answers: v.exactOptional(v.boolean()),
  media: v.exactOptional(
    v.object({
      lengthDots: v.exactOptional(dots),
      widthDots: v.exactOptional(dots),
      tracking: v.exactOptional(v.picklist(['gap', 'mark', 'continuous'])),
    }),
  ),
})

const entry = v.object({ name, uri: place })

/** The parts are read one by one: an odd one must not cost the others. Decision `first-printer-is-default`. */
const content = v.object({
  printers: v.array(v.unknown()),
  learned: v.record(v.string(), v.unknown()),
  dismissed: v.optional(v.array(v.unknown()), []),
  first: v.optional(v.unknown()),
})

/** A printer that was found once, as it was then, under the name it got. */
export type RememberedPrinter = Readonly<v.InferOutput<typeof remembered>>

/** A printer by its name and its place. */
export type KnownEntry = Readonly<v.InferOutput<typeof entry>>

/** Store of the memory: a small text, replaced whole. */
export interface MemoryStore {
  /** Undefined when there is none yet. */
  load(): string | undefined
  /** @throws when it cannot be written */
  save(text: string): void
}

/** Printers that were ever found; when they are so many, a person adds further ones. */
export const MOST_REMEMBERED = 200

/** Remembers which printers were found, their names and their own descriptions; survives restarts and damage. */
export class PrinterMemory {
  readonly #store: MemoryStore
  readonly #fault: (error: unknown) => void
  #printers: readonly RememberedPrinter[] = []
  #learned = new Map<string, PrinterDetails>()
  #dismissed: readonly string[] = []
  #first: KnownEntry | undefined

  /** @param recall the printers that others know of, asked where something of the memory is lost */
  constructor(
    store: MemoryStore,
    fault: (error: unknown) => void,
    recall: () => readonly KnownEntry[] = () => [],
  ) {
    this.#store = store
    this.#fault = fault
    try {
      const kept = store.load()
      if (kept !== undefined) {
        const { printers, learned, dismissed, first, refused } = readMemory(kept)
        this.#printers = printers
        this.#first = first
        this.#dismissed = dismissed
        this.#learned = learned
        if (refused === 0) return
        fault(new Error(`${refused} entries of the printers' memory are not readable`))
      }
    } catch (error) {
      fault(error) // whatever is connected is found again
    }
    for (const entry of recall()) this.#add(entry)
  }

  /** Under its old name: of two printers of one model, labels for the one would come out of the other. */
  #add({ name, uri }: KnownEntry): void {
    const one = { name, uri, makeAndModel: '' }
    const isThere = this.#printers.some((other) => other.name === name || other.uri === uri)
    if (isThere || this.#dismissed.includes(uri) || !v.is(remembered, one)) return
    this.#printers = [...this.#printers, one]
  }

  /** In the order in which they were found. */
  get printers(): readonly RememberedPrinter[] {
    return this.#printers
  }

  /** Gives what the printer at this device URI said; one that speaks another language is another printer. */
  learned(uri: string, language?: string): PrinterDetails | undefined {
    const said = this.#learned.get(uri)
    return said?.language === undefined || said.language === language ? said : undefined
  }

  /** Device URIs that a person removed: what is found there is shown, and known again only when a person adds it. */
  get dismissed(): readonly string[] {
    return this.#dismissed
  }

  /** The printer that was the only one when others came, while nobody has chosen a default. */
  get first(): KnownEntry | undefined {
    return this.#first
  }

  /** Replaces it; undefined = there is none. */
  keepFirst(printer: KnownEntry | undefined): void {
    const first = printer && { name: printer.name, uri: printer.uri }
    if (isDeepStrictEqual(first, this.#first)) return
    this.#first = first
    this.#save()
  }

  /** Replaces the printers, and the device URIs that a person removed where they are given. */
  keep(printers: readonly RememberedPrinter[], dismissed = this.#dismissed): void {
    this.#printers = printers.filter((one) => v.is(remembered, one)).slice(0, MOST_REMEMBERED)
    this.#dismissed = dismissed.filter((one) => v.is(place, one)).slice(-MOST_REMEMBERED)
    this.#save()
  }

  /** The whole memory, for a backup. */
  text(): string {
    return JSON.stringify(this.#all())
  }

  /** Takes over what another box knew and this one does not, and its names. @throws when it is not a memory file */
  join(kept: string): void {
    const { printers, learned, dismissed, first } = readMemory(kept)
    if (first !== undefined) this.#first = first
    const all = [...this.#renamed({ printers, dismissed })]
    for (const one of printers) {
      if (!all.some(({ name, uri }) => name === one.name || uri === one.uri)) all.push(one)
    }
    this.#learned = new Map([...learned, ...this.#learned].slice(-MOST_REMEMBERED))
    this.keep(all, [...new Set([...dismissed, ...this.#dismissed])])
  }

  /** Names that printers have here and lose by `join`. @throws when it is not a memory file */
  namesLostTo(kept: string): readonly string[] {
    const renamed = this.#renamed(readMemory(kept))
    const isLost = ({ name, uri }: KnownEntry) =>
      !renamed.some((one) => one.name === name && one.uri === uri)
    return this.#printers.filter(isLost).map(({ name }) => name)
  }

  /**
   * Printers that the other box knew get the names that its settings, its labels and its programs go by, and no other one
   * gets such a name: its printer may be plugged in later. What a person removed there is not known here either.
   */
  #renamed({
    printers,
    dismissed,
  }: Pick<MemoryContent, 'printers' | 'dismissed'>): readonly RememberedPrinter[] {
    const isOf = (uri: string) => printers.some((one) => one.uri === uri)
    const mine = this.#printers.filter(({ uri }) => isOf(uri) || !dismissed.includes(uri))
    const given = mine.map((one) => {
      const there = printers.find(({ uri }) => uri === one.uri)
      return (there ?? findMoved(one, { here: mine, there: printers }))?.name
    })
    const taken = new Set([...given, ...printers.map(({ name }) => name)])
    const own = new Set(mine.map(({ name }) => name))
    return mine.map((one, n) => {
      let name = given[n] ?? one.name
      const isTaken = () => taken.has(name) || (name !== one.name && own.has(name))
      for (let count = 2; given[n] === undefined && isTaken(); count += 1)
        name = `${one.name.slice(0, 90)} ${count}`
      taken.add(name)
      return { ...one, name }
    })
  }

  /** Adds to what the printer at this device URI said; true when something of it is new. */
  learn(uri: string, said: PrinterDetails): boolean {
    if (!v.is(place, uri)) return false
    const facts = tidyFacts(said)
    const before = this.learned(uri, facts.language)
    const media = { ...before?.media, ...facts.media, ...keepLength(before?.media, facts.media) }
    const after = { ...before, ...facts, ...(Object.keys(media).length === 0 ? {} : { media }) }
    if (isDeepStrictEqual(before ?? {}, after)) return false
    this.#learned.delete(uri)
    this.#learned.set(uri, after)
    for (const oldest of this.#learned.keys()) {
      if (this.#learned.size <= MOST_REMEMBERED) break
      this.#learned.delete(oldest)
    }
    this.#save()
    return true
  }

  #all(): object {
    return {
      printers: this.#printers,
      learned: Object.fromEntries(this.#learned),
      dismissed: this.#dismissed,
      ...(this.#first === undefined ? {} : { first: this.#first }),
    }
  }

  #save(): void {
    try {
      this.#store.save(`${JSON.stringify(this.#all(), null, 2)}\n`)
    } catch (error) {
      this.#fault(error) // still known until the next start
    }
  }
}

interface MemoryContent {
  readonly printers: readonly RememberedPrinter[]
  readonly learned: Map<string, PrinterDetails>
  readonly dismissed: readonly string[]
  readonly first: KnownEntry | undefined
  /** Entries that are none, and were left out. */
  readonly refused: number
}

/** @throws when the text is not a memory file at all */
function readMemory(kept: string): MemoryContent {
  const all = v.parse(content, JSON.parse(kept))
  const facts = Object.entries(all.learned)
  const printers = all.printers.filter((one) => v.is(remembered, one))
  const learnt = facts.filter((entry): entry is [string, PrinterDetails] => {
    return v.is(place, entry[0]) && v.is(learned, entry[1])
  })
  const dismissed = all.dismissed.filter((one) => v.is(place, one))
  const count = all.printers.length + facts.length + all.dismissed.length
  const refused = count - printers.length - learnt.length - dismissed.length
  const first = v.is(entry, all.first) ? all.first : undefined
  return { printers, learned: new Map(learnt), dismissed, first, refused }
}

/** Tidies what a printer says of itself, which is a stranger's word: a number out of all reason counts as not said. */
function tidyFacts({ makeAndModel, media, ...rest }: PrinterDetails): PrinterDetails {
  const named =
    makeAndModel === undefined ? rest : { ...rest, makeAndModel: tidyText(makeAndModel) }
  const { lengthDots, widthDots, tracking } = media ?? {}
  const told = {
    ...(v.is(dots, lengthDots) ? { lengthDots } : {}),
    ...(v.is(dots, widthDots) ? { widthDots } : {}),
    ...(tracking === undefined ? {} : { tracking }),
  }
  return media === undefined ? named : { ...named, media: told }
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

/** Makes the entry to keep of a printer that was found. */
export function remember(name: string, found: FoundPrinter): RememberedPrinter {
  const { uri, makeAndModel, deviceId, vendorId, productId, serial, behind } = found
  return {
    name,
    uri,
    makeAndModel,
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(vendorId === undefined ? {} : { vendorId }),
    ...(productId === undefined ? {} : { productId }),
    ...(serial === undefined ? {} : { serial }),
    ...(behind === undefined ? {} : { behind }),
  }
}
