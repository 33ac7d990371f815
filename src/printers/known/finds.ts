import type { FoundPrinter } from '../device.ts'
import { isSamePlace } from '../places.ts'
import { identify, isSameModel, type PrinterIdentity, tidyText } from './identity.ts'
import {
  type KnownEntry,
  MOST_REMEMBERED,
  type PrinterMemory,
  type RememberedPrinter,
  remember,
} from './memory.ts'
import { type Printer, type PrinterSettings, USUAL_DPI } from './printer.ts'

/** A printer that can be seen, as a person is shown it. */
export interface SeenPrinter extends PrinterIdentity {
  /** Name that it would get. */
  readonly name: string
  readonly uri: string
  /** Perhaps no printer at all: a person has to say so. */
  readonly isGuess: boolean
  /** The reason why it cannot be used at present; '' = it can. */
  readonly hindrance: string
}

/** Describes a find to a person. */
export function showPrinter(found: FoundPrinter, isGuess: boolean): SeenPrinter {
  const identity = identify(found)
  const makeAndModel = identity.makeAndModel || found.makeAndModel
  return {
    ...identity,
    makeAndModel,
    name: found.name ?? (makeAndModel || 'Printer'),
    uri: found.uri,
    isGuess,
    hindrance: found.hindrance ?? '',
  }
}

/** Context that decides which finds become known. */
interface FindContext {
  readonly known: readonly RememberedPrinter[]
  readonly configured: readonly { readonly name: string; readonly uri: string }[]
  /** Device URIs that a person removed. */
  readonly dismissed: readonly string[]
  /** Everything that every device sees now. */
  readonly seen: readonly FoundPrinter[]
}

/**
 * The known printers with those that are seen for the first time; one that has no serial number may have moved to
 * another port. Finds at the place of a configured printer are remembered for what they tell about it.
 */
export function adopt(
  found: readonly FoundPrinter[],
  around: FindContext,
): readonly RememberedPrinter[] {
  let known = around.known
  for (const each of found) {
    const place = findPlace(each, { ...around, known })
    if (place !== undefined) {
      known = known.map((one) => (one === place ? remember(one.name, each) : one))
    } else if (known.length < MOST_REMEMBERED && isWanted(each, { ...around, known })) {
      const taken = new Set([...known, ...around.configured].map(({ name }) => name))
      const name = makeName(showPrinter(each, false).name, (wanted) => taken.has(wanted))
      known = [...known, remember(name, each)]
    }
  }
  return known
}

function isWanted(
  found: FoundPrinter,
  { known, configured, dismissed, seen }: FindContext,
): boolean {
  const isHere = (uri: string) => isSamePlace(uri, found.uri)
  if (configured.some(({ uri }) => isHere(uri))) return true
  return !dismissed.some(isHere) && isAdoptable(found, [...known, ...configured], seen)
}

/**
 * Tells whether a find becomes known by itself: not when it surely prints no labels, nor when it is the queue of a printer
 * that we hold, or the printer behind a queue that we know.
 */
function isAdoptable(
  found: FoundPrinter,
  known: readonly { readonly uri: string; readonly behind?: string | undefined }[],
  seen: readonly FoundPrinter[],
): boolean {
  if (identify(found).isOther || isForeignQueue(found)) return false
  const { behind } = found
  if (behind !== undefined) {
    const isHeld = [...known, ...seen].some(({ uri }) => isSamePlace(uri, behind))
    if (isHeld) return false
  }
  const queues = known.map((one) => one.behind ?? behindOf(one.uri, seen))
  return !queues.some((uri) => uri !== undefined && isSamePlace(uri, found.uri))
}

const PLAIN_DRIVER = /^(generic\b.*\btext only)?$/i

/**
 * A queue with a driver that no label printer of ours has: most likely an office printer, a fax or a PDF file. Being the
 * only printer it would be the default, and get the labels.
 */
function isForeignQueue(found: FoundPrinter): boolean {
  const isQueue = found.name !== undefined && found.deviceId === undefined
  return isQueue && !PLAIN_DRIVER.test(found.makeAndModel) && identify(found).language === undefined
}

/** The printer behind a queue that the configuration names. */
function behindOf(uri: string, seen: readonly FoundPrinter[]): string | undefined {
  return seen.find((each) => each.uri === uri)?.behind
}

/**
 * Finds the known printer that a find is: the one at its place; else the only one of its model, when neither has a serial number and that
 * one is gone: its cable was moved to another port. With two of a model it cannot be told which one it is, and one that a person removed
 * does not count.
 */
function findPlace(
  found: FoundPrinter,
  { known, dismissed, seen }: Omit<FindContext, 'configured'>,
): RememberedPrinter | undefined {
  const there = known.find(({ uri }) => isSamePlace(uri, found.uri))
  if (there !== undefined || found.serial !== undefined || found.vendorId === undefined)
    return there
  if (dismissed.some((uri) => isSamePlace(uri, found.uri))) return undefined
  const kin = [...known, ...seen].filter((one) => isSameModel(one, found))
  const [only, ...others] = known.filter((one) => kin.includes(one))
  const isAlone = seen.filter((one) => kin.includes(one)).length === 1
  return others.length === 0 && only?.serial === undefined && isAlone ? only : undefined
}

/** Initial settings of a discovered printer. */
const UNSET: Omit<PrinterSettings, 'name' | 'uri'> = {
  makeAndModel: '',
  language: undefined,
  dpi: undefined,
  labelWidth: undefined,
  labelHeight: undefined,
  rotate: 'auto',
  darkness: undefined,
  speed: undefined,
  graphics: 'auto',
}

/**
 * All known printers: those of the configuration in its order, then those that were found. What the configuration says
 * counts most, then what the printer said of itself, then its id and model.
 */
export function listPrinters(
  configured: readonly PrinterSettings[],
  memory: PrinterMemory,
): readonly Printer[] {
  const isSet = (uri: string) => configured.some((entry) => isSamePlace(entry.uri, uri))
  const found = memory.printers.filter(({ uri }) => !isSet(uri))
  return [
    ...configured.map((entry) => {
      const seen = memory.printers.find(({ uri }) => isSamePlace(entry.uri, uri))
      return complete(entry, seen, memory)
    }),
    ...found.map((seen) => ({
      ...complete({ ...UNSET, name: seen.name, uri: seen.uri }, seen, memory),
      isFound: true,
    })),
  ]
}

/** An entry of before in the list of now: a printer may have another name or be at another place, not both. */
export function findAgain<Entry extends KnownEntry>(
  printers: readonly Entry[],
  { name, uri }: KnownEntry,
): Entry | undefined {
  const here = printers.filter((printer) => isSamePlace(printer.uri, uri))
  return (
    here.find((printer) => printer.name === name) ??
    here[0] ??
    printers.find((printer) => printer.name === name)
  )
}

function complete(
  entry: PrinterSettings,
  seen: RememberedPrinter | undefined,
  memory: PrinterMemory,
): Printer {
  const id = seen === undefined ? undefined : identify(seen)
  const language = entry.language ?? id?.language
  const said = memory.learned(entry.uri, language)
  const z64 = said?.z64 ?? id?.z64
  return {
    ...entry,
    makeAndModel: entry.makeAndModel || said?.makeAndModel || id?.makeAndModel || '',
    language,
    dpi: entry.dpi ?? said?.dpi ?? id?.dpi ?? USUAL_DPI,
    ...(z64 === undefined ? {} : { z64 }),
    ...(id?.rasterOnly === true ? { rasterOnly: true } : {}),
    ...(said?.answers === true ? { answers: true } : {}),
    ...(said?.media === undefined ? {} : { media: said.media }),
  }
}

/** The known printers; those whose names the configuration gave to others get new ones. The same list = there are none. */
export function avoidConfiguredNames(
  known: readonly RememberedPrinter[],
  configured: readonly KnownEntry[],
): readonly RememberedPrinter[] {
  const clashes = (one: KnownEntry) =>
    configured.some(({ name, uri }) => name === one.name && !isSamePlace(uri, one.uri))
  if (!known.some(clashes)) return known
  const taken = new Set([...configured, ...known].map(({ name }) => name))
  return known.map((one) => {
    if (!clashes(one)) return one
    const name = makeName(one.name, (wanted) => taken.has(wanted))
    taken.add(name)
    return { ...one, name }
  })
}

/** A name that is not taken: the wanted one, else with ` 2`, ` 3` behind it. */
export function makeName(wanted: string, isTaken: (name: string) => boolean): string {
  const line = tidyText(wanted)
  const isPath = /^\.{0,2}$/.test(line) // what an address loses
  const base = isPath ? 'Printer' : line
  let name = base
  for (let number = 2; isTaken(name); number++) name = `${base} ${number}`
  return name
}

/** The virtual printer of `--demo`: nothing but the flag brings it, so that no label vanishes into a file unseen. */
export const demoPrinter: Printer = {
  name: 'Demo printer',
  uri: 'file:demo',
  ...UNSET,
  makeAndModel: 'Virtual printer',
  language: 'zpl',
  dpi: 203,
}

/** The printers of the settings, and the virtual one where it is wanted and the settings do not have it. */
export function withDemo(
  printers: readonly PrinterSettings[],
  isWanted: boolean,
): readonly PrinterSettings[] {
  const isThere = printers.some(({ uri }) => uri === demoPrinter.uri)
  if (!isWanted || isThere) return printers
  // Of two with one name the other would be unknown, and its labels would end in a file.
  const name = makeName(demoPrinter.name, (wanted) => printers.some((one) => one.name === wanted))
  return [...printers, { ...demoPrinter, name }]
}
