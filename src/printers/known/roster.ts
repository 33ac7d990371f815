import { type Printer, type PrinterSettings, USUAL_DPI } from '../printer.ts'
import { isSamePlace } from '../same-place.ts'
import { identify } from './identity.ts'
import type { KnownEntry, PrinterMemory, Remembered } from './memory.ts'
import { tidyText } from './strange-words.ts'

/** What a printer found by itself starts with. */
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
  seen: Remembered | undefined,
  memory: PrinterMemory,
): Printer {
  const said = memory.learned(entry.uri)
  const id = seen === undefined ? undefined : identify(seen)
  const z64 = said?.z64 ?? id?.z64
  return {
    ...entry,
    makeAndModel: entry.makeAndModel || said?.makeAndModel || id?.makeAndModel || '',
    language: entry.language ?? id?.language,
    dpi: entry.dpi ?? said?.dpi ?? id?.dpi ?? USUAL_DPI,
    ...(z64 === undefined ? {} : { z64 }),
    ...(id?.rasterOnly === true ? { rasterOnly: true } : {}),
    ...(said?.answers === true ? { answers: true } : {}),
    ...(said?.media === undefined ? {} : { media: said.media }),
  }
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
