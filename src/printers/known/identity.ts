import { type LanguageName, languages, realDpi } from '#labels'
import type { Device, FoundPrinter } from '../device.ts'
import { parseDeviceId } from '../device-id.ts'
import { isSameKind } from '../places.ts'

/** Identity of a printer before anybody talks to it; undefined = unknown, so a person is asked. */
export interface PrinterIdentity {
  /** For people, e.g. `Zebra LP2844`; '' when unknown. */
  readonly makeAndModel: string
  readonly language: LanguageName | undefined
  /** Resolution of the head; Zebra's "200dpi" is 203. */
  readonly dpi: number | undefined
  /** True when `:Z64:` graphics are safe to send. */
  readonly z64: boolean | undefined
  /** Its text and bar code commands print nothing. */
  readonly rasterOnly: boolean
  /** It surely speaks none of our languages: an office, receipt or card printer. */
  readonly isOther: boolean
}

type PrinterTraits = Pick<FoundPrinter, 'makeAndModel' | 'deviceId' | 'vendorId' | 'productId'>

/** Words of COMMAND SET of printers that print none of our labels: receipts, tapes, mobiles and office printers. */
const OTHER_COMMANDS =
  /^(ESC\/POS|ESCPOS|ESC\/P2?|ESCPL?2?|ESCPR\d*|CPCL|LINE_PRINT|PT-CBP|PJL|PCL.*|POSTSCRIPT.*|PS|PDF.*|URF|PWG.*|BJL|BJRASTER.*|SPL|GDI|HBP|ZJS)$/

/**
 * Make and model, language and head of a printer, from its IEEE 1284 device id, its model and its USB ids, in this
 * order. Sources: LPrint 1.4 (lprint-*.c), CUPS 2.4 (backend/ieee1284.c), device ids of real printers.
 */
export function identify(found: PrinterTraits): PrinterIdentity {
  const id = parseDeviceId((found.deviceId ?? '').slice(0, LONGEST_ID))
  const told = found.makeAndModel.slice(0, LONGEST_ID)
  const make = (id?.manufacturer ?? '').replace(/^Zebra Technologies$/i, 'Zebra')
  const rawModel = id?.model || told.replace(/^(USB )?printer$/i, '')
  const words = (id?.commands ?? []).map((word) => word.toUpperCase())
  const known = findModel({ ...found, make, model: rawModel })
  const { language, isOther } = readLanguage(words, known)
  const isZebra = /\bzebra\b|^ztc\b/i.test(`${make} ${rawModel} ${told}`)
  return {
    makeAndModel: joinNames(make, stripModel(rawModel)) || known.makeAndModel || '',
    language,
    dpi: readDpi(rawModel) ?? known.dpi,
    z64: language === 'zpl' && (isZebra || found.vendorId === ZEBRA) ? true : undefined,
    rasterOnly: words.includes('XPP') || known.rasterOnly === true,
    isOther,
  }
}

type ModelKey = Pick<FoundPrinter, 'uri' | 'vendorId' | 'productId' | 'serial'>

/** Tells whether two printers are of one model; makers of cheap ones share ids with others. */
export function isSameModel(one: ModelKey, other: ModelKey): boolean {
  return (
    one.vendorId === other.vendorId &&
    one.productId === other.productId &&
    isSameKind(one.uri, other.uri)
  )
}

/**
 * Finds the printer of another box that a printer of this one is: neither has a serial number, and no other of its model is at either box.
 */
export function findMoved<Other extends ModelKey>(
  one: ModelKey,
  { here, there }: { readonly here: readonly ModelKey[]; readonly there: readonly Other[] },
): Other | undefined {
  const [only, ...others] = there.filter((other) => isSameModel(other, one))
  const isAlone =
    others.length === 0 && here.filter((other) => isSameModel(other, one)).length === 1
  return isAlone && one.serial === undefined && only?.serial === undefined ? only : undefined
}

function readLanguage(
  words: readonly string[],
  known: Model,
): Pick<PrinterIdentity, 'language' | 'isOther'> {
  const language = languages.find(({ commandSets }) =>
    commandSets.some((word) => words.includes(word)),
  )?.name
  if (language !== undefined) return { language, isOther: false }
  // What it says of itself counts more than its name: a Zebra ZQ110 prints receipts.
  if (known.isOther === true || words.some((word) => OTHER_COMMANDS.test(word))) {
    return { language: undefined, isOther: true }
  }
  return { language: known.language, isOther: false }
}

/** `ZTC GC420d-200dpi (EPL)` is a GC420d with a 203 dpi head and EPL firmware. */
function stripModel(model: string): string {
  return model
    .replace(/^ZTC\s+/i, '')
    .replace(/-\d{3}\s?dpi\b/i, '')
    .replace(/\s*(\((EPL|ZPL)\)|\b(EPL|ZPL))\s*$/i, '')
    .trim()
}

function readDpi(model: string): number | undefined {
  const dpi = Number(/-(\d{3})\s?dpi\b/i.exec(model)?.[1] ?? 0)
  return dpi >= 100 ? realDpi(dpi) : undefined
}

/** The maker once: `HP` and `HP KE103` are `HP KE103`; a maker named `Printer` tells nobody anything. */
function joinNames(make: string, model: string): string {
  const isTold = make === '' || model.toLowerCase().includes(make.toLowerCase())
  return tidyText(isTold ? model : `${make} ${model}`)
}

/** Facts that a model or a USB ID tells; what is left out it does not tell. */
interface Model {
  readonly makeAndModel?: string
  readonly language?: LanguageName
  readonly dpi?: number
  readonly rasterOnly?: true
  readonly isOther?: true
}

interface SeenModel {
  readonly make: string
  readonly model: string
  readonly vendorId?: number | undefined
  readonly productId?: number | undefined
}

const ZPL = { language: 'zpl' } as const
const EPL = { language: 'epl' } as const
const TSPL = { language: 'tspl' } as const

/** First match counts. Zebra's names end in -Z where an EPL model has ZPL firmware; a UPS ZP 450 speaks EPL. */
const MODELS: readonly (readonly [RegExp, Model])[] = [
  [/\bDYMO\b|\bLabelWriter\b/i, { isOther: true }],
  [/\bT?LP ?28\d\d-Z\b/i, { ...ZPL, dpi: 203 }],
  [/\bT?LP ?28\d\d\b/i, { ...EPL, dpi: 203 }],
  [/\bZP ?450\b.*\(ZPL\)/i, { ...ZPL, dpi: 203 }], // its driver for Windows by ZDesigner's names
  [/\bZP ?450\b/i, { ...EPL, dpi: 203 }],
  [/\bZP ?505\b/i, { ...ZPL, dpi: 203 }],
  [/\bG[KXC]420[dt]?\b.*\(EPL\)/i, { ...EPL, dpi: 203 }],
  [/\bZTC .*\(EPL\)/i, EPL],
  [/\bG[KXC]420[dt]?\b/i, { ...ZPL, dpi: 203 }],
  [/\bG[KXC]430[dt]?\b/i, { ...ZPL, dpi: 300 }],
  // Only Zebra's: a Canon GX6000 and a Ricoh GX7000 are office printers.
  [/^ZTC\b|\bZebra\b.*\b(Z[DTQM]\d|G[KXC]\d)/i, ZPL],
  [/^TSC\b/i, TSPL],
  [/\bRollo\b/i, { ...TSPL, rasterOnly: true }],
  // Their drivers for Windows carry the maker's name alone; 4x6 printers of these speak TSPL.
  [/^(?:MUNBYN|iDPRT|Xprinter|HPRT|4BARCODE)\b/i, { ...TSPL, dpi: 203 }],
  // CUPS: "Zebra ZPL Label Printer"
  ...languages.map(
    ({ name, title }) => [new RegExp(`\\b${title}\\d?\\b`), { language: name }] as const,
  ),
]

/** By vendor and product (linux-usb.org usb.ids; printers seen in public logs). */
const USB_IDS: ReadonlyMap<string, Model> = new Map(
  Object.entries({
    '0a5f:0009': { makeAndModel: 'Zebra LP2844', ...EPL, dpi: 203 },
    '0a5f:0027': { makeAndModel: 'Zebra LP2844-Z', ...ZPL, dpi: 203 },
    '0a5f:0062': { makeAndModel: 'Zebra GK420d', ...ZPL, dpi: 203 },
    '0a5f:0080': { makeAndModel: 'Zebra GK420d', ...ZPL, dpi: 203 },
    '0a5f:0081': { makeAndModel: 'Zebra GK420t', ...ZPL, dpi: 203 },
    '0a5f:0065': { makeAndModel: 'Zebra ZM400', ...ZPL },
    '0a5f:0084': { makeAndModel: 'Zebra GX420d', ...ZPL, dpi: 203 },
    '0a5f:008b': { makeAndModel: 'Zebra HC100', ...ZPL },
    '0a5f:008c': { makeAndModel: 'Zebra ZP450', ...EPL, dpi: 203 },
    '0a5f:00a1': { makeAndModel: 'Zebra LP2824 Plus', ...EPL, dpi: 203 },
    '0a5f:00a3': { makeAndModel: 'Zebra LP2824 Plus', ...EPL, dpi: 203 },
    '0a5f:00d1': { makeAndModel: 'Zebra GC420d', ...ZPL, dpi: 203 },
    '0a5f:0110': { makeAndModel: 'Zebra ZD500', ...ZPL },
    '0a5f:0164': { makeAndModel: 'Zebra ZD220', ...ZPL },
    // Card printers of the same maker.
    '0a5f:0050': { makeAndModel: 'Zebra P120i', isOther: true },
    '0a5f:0165': { makeAndModel: 'Zebra ZC100', isOther: true },
    '0a5f:0176': { makeAndModel: 'Zebra ZC300', isOther: true },
    '1203:0140': { makeAndModel: 'TSC TTP-245C', ...TSPL, dpi: 203 },
    '09c5:0588': { ...TSPL, rasterOnly: true }, // a Rollo by another name
    '09c6:0426': { makeAndModel: 'Beeprt BY-480BT', ...TSPL, rasterOnly: true },
    '20d1:7008': { makeAndModel: 'iDPRT SP410', ...TSPL, dpi: 203 },
  }),
)

/** Makers whose label printers all speak one language; 0922 makes label printers of a kind of their own. */
const VENDORS: ReadonlyMap<string, Model> = new Map(
  Object.entries({
    '1203': TSPL, // TSC
    '0922': { isOther: true }, // DYMO
  }),
)

/** Vendor id of Zebra. */
const ZEBRA = 0x0a5f

/** Finds what a printer's model tells, else its USB ids, else its maker. */
export function findModel(seen: SeenModel): Model {
  const make = seen.vendorId === ZEBRA ? 'Zebra' : seen.make
  const name = `${make} ${seen.model}`.trim()
  const byName = MODELS.find(([pattern]) => pattern.test(seen.model) || pattern.test(name))?.[1]
  const vendor = hex(seen.vendorId)
  const byId = USB_IDS.get(`${vendor}:${hex(seen.productId)}`) ?? VENDORS.get(vendor)
  return { ...byId, ...byName }
}

function hex(id: number | undefined): string {
  return id === undefined ? '' : id.toString(16).padStart(4, '0')
}

/** Characters of a printer's name or model that are shown; the longest real ones have some 60. */
const LONGEST_NAME = 90
const LONGEST_SENTENCE = 500
/** Longest device URI: maker, model and serial number of USB have 126 characters at most, of 9 as a URI writes them. */
export const LONGEST_URI = 4_096
/** Longest device ID; real ones have some 100 to 400 characters. */
export const LONGEST_ID = 2_048
/** Printers that are believed of one device, or of the network: the largest packing halls have some 50. */
export const MOST_FINDS = 100

/**
 * A text of a printer, a spooler or the network as one short line: without control characters, without the signs that turn
 * the direction of writing, which could make a page say anything, and without halves of characters.
 */
export function tidyText(text: string, longest = LONGEST_NAME): string {
  const plain = text
    .slice(0, 4 * longest)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s\ufffd]+/gu, ' ')
    .trim()
  return [...plain].slice(0, longest).join('').trim()
}

/** Tidies what a device found so that it is fit to be kept, shown and opened; what could not be opened is left out. */
export function tidyFinds(
  found: readonly FoundPrinter[],
  device?: Device,
): readonly FoundPrinter[] {
  const usable = found.filter(({ uri }) => isUsable(uri, device))
  return usable.slice(0, MOST_FINDS).map(tidyFound)
}

function isUsable(uri: string, device: Device | undefined): boolean {
  if (uri.length > LONGEST_URI || !URL.canParse(uri)) return false
  return device?.check(new URL(uri), uri) === undefined
}

function tidyFound(found: FoundPrinter): FoundPrinter {
  const { name, deviceId, serial, behind, hindrance, ...rest } = found
  const plainName = tidyText(name ?? '')
  return {
    ...rest,
    makeAndModel: tidyText(found.makeAndModel),
    ...(plainName === '' ? {} : { name: plainName }),
    // A field that is cut is no worse than one that the printer cut.
    ...(deviceId === undefined ? {} : { deviceId: deviceId.slice(0, LONGEST_ID).toWellFormed() }),
    ...(serial === undefined ? {} : { serial: tidyText(serial, 200) }),
    ...(behind === undefined || behind.length > LONGEST_URI ? {} : { behind }),
    ...(hindrance === undefined ? {} : { hindrance: tidyText(hindrance, LONGEST_SENTENCE) }),
  }
}
