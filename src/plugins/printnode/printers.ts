import { createHash } from 'node:crypto'
import type { KnownPrinter } from '../../core/printers/status.ts'
import type { StoredKey } from '../../http/access/keys.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { BoxInfo, DoorBox } from '../door/door.ts'

/** The id of the box, the only computer of its account. */
export const COMPUTER = 1
/** The creation time of things whose creation was not recorded. */
const LONG_AGO = '2015-01-01T00:00:00.000Z'
/** The factor from inches: PrintNode gives paper sizes in tenths of a millimeter. */
const TENTHS_PER_INCH = 254

/**
 * Returns the id of a printer: 31 bits of its name's SHA-256. Unlike a row number it outlives the spool, a new SD card and the printer
 * itself; a printer with another name is another printer.
 */
export function printerId(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) >>> 1
}

/**
 * Finds the only printer with this id.
 * @throws PlatenError PRINTER_UNKNOWN, PRINTER_AMBIGUOUS
 */
export function pickPrinter(printers: readonly KnownPrinter[], id: number): KnownPrinter {
  const [found, twin] = printers.filter(({ name }) => printerId(name) === id)
  if (found === undefined) {
    throw new PlatenError('PRINTER_UNKNOWN', `No printer has the id ${id}.`, {
      hint: 'Use one of the ids that /printnode/printers shows.',
    })
  }
  if (twin === undefined) return found
  // One pair of a hundred printers in half a million boxes.
  throw new PlatenError('PRINTER_AMBIGUOUS', `Two printers have the id ${id}.`, {
    hint: `Give ${found.name} or ${twin.name} another name in the settings.`,
  })
}

/** Describes the printers of a set as PrintNode does. */
export function listPrinters(
  printers: readonly KnownPrinter[],
  set: IdSet,
  info: BoxInfo,
): readonly object[] {
  return printers
    .filter(({ name }) => isIn(set, printerId(name)))
    .map((printer) => describePrinter(printer, info))
}

function describePrinter(printer: KnownPrinter, info: BoxInfo): object {
  const { name, makeAndModel, isDefault, status } = printer
  return {
    id: printerId(name),
    computer: describeComputer(info),
    name,
    description: makeAndModel || name,
    capabilities: describeCapabilities(printer),
    default: isDefault,
    createTimestamp: LONG_AGO,
    state: status.reasons.includes('offline') ? 'offline' : 'online',
  }
}

/** Describes a printer that no longer exists. */
function describeGone(name: string, info: BoxInfo): object {
  return {
    id: printerId(name),
    computer: describeComputer(info),
    name,
    description: name,
    capabilities: null,
    default: false,
    createTimestamp: LONG_AGO,
    state: 'deleted',
  }
}

/** Describes a printer as its jobs show it. */
export function describePrinterOf(
  name: string,
  printer: KnownPrinter | undefined,
  info: BoxInfo,
): object {
  return printer === undefined ? describeGone(name, info) : describePrinter(printer, info)
}

function describeCapabilities({ dpi, labelWidth = 4, labelHeight = 6 }: KnownPrinter): object {
  const size = [labelWidth, labelHeight].map((inches) => Math.round(inches * TENTHS_PER_INCH))
  return {
    bins: [],
    collate: false,
    color: false,
    copies: 100,
    dpis: [`${dpi}x${dpi}`],
    duplex: false,
    extent: [size, size],
    medias: [],
    nup: [1],
    printrate: null,
    papers: { [`${labelWidth}x${labelHeight}`]: size },
    supports_custom_paper_size: true,
  }
}

export function describeComputer({ hostName, ip, version }: BoxInfo): object {
  return {
    id: COMPUTER,
    name: hostName,
    inet: ip,
    inet6: null,
    hostname: hostName,
    version: `platen ${version}`,
    jre: null,
    createTimestamp: LONG_AGO,
    state: 'connected',
  }
}

/** Ids in a request, e.g. `1,5-9`: pairs of first and last. */
export type IdSet = readonly (readonly [first: number, last: number])[]

export const EVERY: IdSet = [[0, Number.MAX_SAFE_INTEGER]]

const PARTS_MOST = 100

/** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS */
export function readSet(text: string | undefined): IdSet {
  if (text === undefined) return EVERY
  const parts = text.replace(/%2c/gi, ',').split(',')
  if (parts.length > PARTS_MOST)
    throw new PlatenError('TOO_MANY_FIELDS', `The set has more than ${PARTS_MOST} parts.`)
  return parts.map((part) => {
    const [, first, last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part) ?? []
    if (first === undefined)
      throw new PlatenError('FIELD_INVALID', `Got ${quoteShort(text)}, wanted ids as in 1,5-9.`)
    return [Number(first), Number(last)] as const
  })
}

export function isIn(set: IdSet, id: number): boolean {
  return set.some(([first, last]) => id >= first && id <= last)
}

/** Describes the account; its name is that of the key. */
export function describeAccount(
  { id, name }: Pick<StoredKey, 'id' | 'name'>,
  { printers, spool }: Pick<DoorBox, 'printers' | 'spool'>,
): object {
  return {
    id: COMPUTER,
    firstname: name,
    lastname: '',
    email: '',
    creatorEmail: null,
    creatorRef: null,
    canCreateSubAccounts: false,
    childAccounts: [],
    credits: null,
    numComputers: 1,
    totalPrints: spool.history.counts().completed,
    versions: [],
    connected: [COMPUTER],
    Tags: [],
    ApiKeys: [],
    state: 'active',
    permissions: ['Unrestricted'],
    // Not PrintNode's.
    key: id,
    printers: printers.list().length,
  }
}
