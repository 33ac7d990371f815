import { type Discovery, isSamePlace } from '#printers'
import type { Printers } from '../core/printers/registry.ts'
import type { KnownPrinter } from '../core/printers/status.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { join, NOTHING, type Sentences, say } from '../words/say.ts'
import { printerKeys } from './entry-schema.ts'
import { renamePrinter } from './marks.ts'
import { type Config, PRINTER_PLACEHOLDER } from './schema.ts'
import type { ConfigStore } from './store.ts'

/** An entry of `printers` as it is in the file. */
type RawPrinterEntry = Readonly<Record<string, unknown>>

/** The parts that a change of a printer's entry reads and notifies. */
export interface EntryParts {
  readonly config: Pick<ConfigStore, 'masked' | 'put' | 'schema'>
  readonly printers: Pick<Printers, 'list' | 'get'>
  readonly discovery: Pick<Discovery, 'found' | 'welcome' | 'dismiss'>
  /** Counts labels that wait, are held or print. */
  readonly spool: { readonly line: { countUnfinished(printer: string): number } }
}

/** Keys of a printer that a person can set; null removes one. */
const KEYS = printerKeys.filter((key) => key !== 'uri')

/**
 * Adds a printer to the configuration; returns its name.
 * @throws PlatenError FIELD_INVALID, PRINTER_IN_USE for the name of a found one with labels, CONFIG_INVALID, STATE_UNWRITABLE
 */
export async function addPrinter(parts: EntryParts, body: RawPrinterEntry): Promise<string> {
  const uri = readFreeUri(parts, body['uri'])
  const seen = parts.discovery.found().find((printer) => printer.uri === uri)
  const name = body['name'] ?? freeName(parts, seen?.name ?? 'Printer')
  // What was seen of a network printer is not seen again by itself, so it goes into the entry.
  const { language, dpi } = seen ?? {}
  const entry = withChanges(withChanges({ name, uri }, { language, dpi }), { ...body, name })
  refuseWaitedFor(parts, name)
  await save(parts, [...entriesOf(parts), entry])
  parts.discovery.welcome(uri)
  return String(name)
}

/**
 * Checks that no printer but `self` has this device URI; returns it.
 * @throws PlatenError FIELD_INVALID
 */
export function readFreeUri(
  { printers }: Pick<EntryParts, 'printers'>,
  uri: unknown,
  self = '',
): string {
  if (typeof uri !== 'string' || uri === '') {
    const detail = `uri: got ${shape(uri)}, wanted a device URI.`
    throw new PlatenError('FIELD_INVALID', say('noAddress'), { detail })
  }
  const known = printers.list().find(({ name, uri: of }) => name !== self && isSamePlace(of, uri))
  if (known === undefined) return uri
  throw new PlatenError('FIELD_INVALID', say('isAlready', { name: known.name }), {
    hint: say('typeAnother'),
    detail: `uri: ${quoteShort(uri)} is already the printer ${quoteShort(known.name)}.`,
  })
}

/**
 * Tells where labels without a printer go after this printer was added, while no default is chosen; nothing = to it, or to the chosen one.
 */
export function describeDefault(parts: EntryParts, added: string): Sentences {
  if (parts.config.masked()['printer'] !== PRINTER_PLACEHOLDER) return NOTHING
  const name = parts.printers.list().find((printer) => printer.isDefault)?.name
  if (name === added) return NOTHING
  return name === undefined ? say('areRefused') : say('goAsBefore', { printer: name })
}

/**
 * Changes the entry of a printer; a found printer gets its entry by this. Returns its name.
 * @throws PlatenError FIELD_INVALID, PRINTER_IN_USE for another name while it has labels, CONFIG_INVALID, STATE_UNWRITABLE
 */
export async function changePrinter(
  parts: EntryParts,
  printer: KnownPrinter,
  body: RawPrinterEntry,
): Promise<string> {
  const name = body['name'] ?? printer.name
  if (name !== printer.name) {
    refuseWhileLabelsWait(parts, printer.name, 'notRenamedNow')
    refuseWaitedFor(parts, name)
  }
  const entries = entriesOf(parts)
  const isThis = (entry: RawPrinterEntry) => entry['name'] === printer.name
  const before = entries.find(isThis) ?? { name: printer.name, uri: printer.uri }
  const uri =
    body['uri'] === undefined ? printer.uri : readFreeUri(parts, body['uri'], printer.name)
  if (uri !== printer.uri && !entries.some(isThis)) {
    throw new PlatenError('FIELD_INVALID', say('wasFound'), { hint: say('typeAnother') })
  }
  const changed = withChanges(uri === printer.uri ? before : { ...before, uri }, { ...body, name })
  const list = entries.some(isThis)
    ? entries.map((entry) => (isThis(entry) ? changed : entry))
    : [...entries, changed]
  const after = { ...parts.config.masked(), printers: list }
  // Keys that name the printer follow it: another printer may get the old name.
  const { keys } = parts.config.schema
  await parts.config.put(
    typeof name === 'string' ? renamePrinter(after, keys, printer.name, name) : after,
  )
  if (uri !== printer.uri) parts.discovery.welcome(uri)
  return String(name)
}

/**
 * Removes a printer for good: its entry, and what discovery knows.
 * @throws PlatenError PRINTER_IN_USE while labels wait for it, are held or print, CONFIG_INVALID, STATE_UNWRITABLE
 */
export async function removePrinter(parts: EntryParts, printer: KnownPrinter): Promise<void> {
  refuseWhileLabelsWait(parts, printer.name, 'notRemovedNow')
  const entries = entriesOf(parts)
  const left = entries.filter((entry) => entry['name'] !== printer.name)
  const isChosen = parts.config.masked()['printer'] === printer.name
  if (left.length < entries.length || isChosen) {
    await save(parts, left, isChosen ? { printer: PRINTER_PLACEHOLDER } : {})
  }
  parts.discovery.dismiss(printer.uri)
}

/** Refuses the name of a found printer with labels: an entry of the settings that takes the name would get them. */
function refuseWaitedFor(parts: Pick<EntryParts, 'printers' | 'spool'>, name: unknown): void {
  const known = typeof name === 'string' ? parts.printers.get(name) : undefined
  if (known?.isFound) refuseWhileLabelsWait(parts, known.name, 'notRenamedNow')
}

/**
 * Refuses such names in a list of printers that is saved as a whole; an entry may be that of the found printer itself.
 * @throws PlatenError PRINTER_IN_USE
 */
export function refuseTakenNames(
  parts: Pick<EntryParts, 'printers' | 'spool'>,
  entries: readonly { readonly name: string; readonly uri: string }[],
): void {
  for (const { name, uri } of entries) {
    const known = parts.printers.get(name)
    if (known !== undefined && !isSamePlace(known.uri, uri)) refuseWaitedFor(parts, name)
  }
}

function refuseWhileLabelsWait(
  parts: Pick<EntryParts, 'spool'>,
  name: string,
  what: 'notRenamedNow' | 'notRemovedNow',
): void {
  const count = parts.spool.line.countUnfinished(name) // held ones too: they would have no printer to go to
  if (count === 0) return
  const waiting = say('waitForIt', { n: count, printer: name })
  throw new PlatenError('PRINTER_IN_USE', join(waiting, say(what)))
}

function entriesOf(parts: EntryParts): readonly RawPrinterEntry[] {
  const entries = parts.config.masked()['printers']
  return Array.isArray(entries) ? entries : []
}

function withChanges(entry: RawPrinterEntry, changes: RawPrinterEntry): RawPrinterEntry {
  const after = { ...entry }
  for (const key of KEYS) {
    const value = changes[key]
    if (value === null) delete after[key]
    else if (value !== undefined) after[key] = value
  }
  return after
}

/** Saves the entries; the schema of the configuration checks every value, and names the key of a wrong one. */
async function save(
  parts: EntryParts,
  printers: readonly RawPrinterEntry[],
  more: Partial<Pick<Config, 'printer'>> = {},
): Promise<void> {
  await parts.config.put({ ...parts.config.masked(), printers, ...more })
}

function freeName(parts: EntryParts, wanted: string): string {
  let name = wanted
  for (let number = 2; parts.printers.get(name) !== undefined; number++)
    name = `${wanted} ${number}`
  return name
}

function shape(value: unknown): string {
  return value === undefined ? 'nothing' : `a ${typeof value}`
}
