import type { LanguageName } from '../../languages/index.ts'

/** What a model or a USB id tells; what is left out it does not tell. */
export interface Model {
  readonly makeAndModel?: string
  readonly language?: LanguageName
  readonly dpi?: number
  readonly rasterOnly?: true
  readonly isOther?: true
}

interface Seen {
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
  [/\bZPL\b/, ZPL], // CUPS: "Zebra ZPL Label Printer"
  [/\bEPL[12]?\b/, EPL],
  [/\bTSPL2?\b/, TSPL],
]

/** By vendor and product (linux-usb.org usb.ids; printers seen in public logs). */
const USB_IDS: Readonly<Record<string, Model>> = {
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
}

/** Makers whose label printers all speak one language; 0922 makes label printers of a kind of their own. */
const VENDORS: Readonly<Record<string, Model>> = {
  '1203': TSPL, // TSC
  '0922': { isOther: true }, // DYMO
}

/** Vendor id of Zebra. */
export const ZEBRA = 0x0a5f

/** What a printer's model tells, else its USB ids, else its maker. */
export function findModel(seen: Seen): Model {
  const make = seen.vendorId === ZEBRA ? 'Zebra' : seen.make
  const name = `${make} ${seen.model}`.trim()
  const byName = MODELS.find(([pattern]) => pattern.test(seen.model) || pattern.test(name))?.[1]
  const vendor = hex(seen.vendorId)
  const byId = USB_IDS[`${vendor}:${hex(seen.productId)}`] ?? VENDORS[vendor]
  return { ...byId, ...byName }
}

function hex(id: number | undefined): string {
  return id === undefined ? '' : id.toString(16).padStart(4, '0')
}
