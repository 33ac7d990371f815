import type { Media } from '#labels'

/** A printer as known before anybody talks to it: its entry in the configuration, or what discovery found. */
export interface Printer {
  /** Unique; what clients write in the field `printer`. */
  readonly name: string
  /** Device URI. */
  readonly uri: string
  /** For people, e.g. `Zebra LP2844`; '' when unknown. */
  readonly makeAndModel: string
  /** The name of its language; undefined = unknown. */
  readonly language: string | undefined
  /** Dots per inch of the head. */
  readonly dpi: number
  /** Inches, or undefined: what the request says, or a label of 4 by 6 inches. */
  readonly labelWidth: number | undefined
  /** Inches. */
  readonly labelHeight: number | undefined
  /** Turn of every picture, clockwise degrees. */
  readonly rotate: 'auto' | 0 | 90 | 180 | 270
  /** 0..100 of the language's range, or undefined: leave the printer's own. */
  readonly darkness: number | undefined
  /** Inches per second, or undefined: leave the printer's own. */
  readonly speed: number | undefined
  /** Packing of ZPL graphics. */
  readonly graphics: 'auto' | 'z64' | 'acs'
  /** True when it surely reads `:Z64:` graphics; left out = unknown. */
  readonly z64?: boolean
  /** It prints pictures only: text and bar code commands of its language come out blank. */
  readonly rasterOnly?: boolean
  /** It has answered the questions of its language before. */
  readonly answers?: boolean
  /** Stock that it reports; left out = it never said. */
  readonly media?: Media
  /** False = it is never asked how it is. */
  readonly asksStatus?: boolean
  /** It was found, and no entry of the configuration names it. */
  readonly isFound?: boolean
  /** Printer that its waiting labels go to when it cannot print; left out = nowhere. */
  readonly backup?: Backup
}

/** The rule that gives a printer's waiting labels to another one. */
export interface Backup {
  readonly printer: string
  /** A paired box, by its name or identity; '' = this one. */
  readonly box: string
  /** For so long it must have been unable to print. */
  readonly minutes: number
}

/** A printer's entry in the configuration: it overrides what was found out, and leaves the rest to it. */
export interface PrinterSettings extends Omit<Printer, 'dpi'> {
  readonly dpi: number | undefined
}

/** The head of an unknown printer more about: what most label printers have. */
export const USUAL_DPI = 203

/** Presence of a printer now, as discovery tells. */
export interface PrinterPresence {
  readonly isHere: boolean
  /** The reason why it cannot be used though it is present, with advice; '' = it can. */
  readonly hindrance: string
  /** Device URI of the only other printer of its kind, while it is not here: most likely its cable was moved. */
  readonly movedTo?: string
}
