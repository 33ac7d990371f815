/** What is known of a printer before anybody talks to it: its entry in the configuration, or what discovery found. */
export interface Printer {
  /** Unique; what clients write in the field `printer`. */
  readonly name: string
  /** Device URI. */
  readonly uri: string
  /** For people, e.g. `Zebra LP2844`; '' when unknown. */
  readonly makeAndModel: string
  /** `zpl`, `epl` or `tspl`; undefined = unknown. */
  readonly language: string | undefined
  /** Dots per inch of the head. */
  readonly dpi: number
  /** Inches, or undefined: what the request or the seed says. */
  readonly labelWidth: number | undefined
  /** Inches. */
  readonly labelHeight: number | undefined
  /** Turn of every picture, clockwise degrees. */
  readonly rotate: 'auto' | 0 | 90 | 180 | 270
  /** 0..100 of the language's range, or undefined: leave the printer's own. */
  readonly darkness: number | undefined
  /** Inches per second, or undefined: leave the printer's own. */
  readonly speed: number | undefined
  /** How ZPL graphics are packed. */
  readonly graphics: 'auto' | 'z64' | 'acs'
}

/** IPP printer-state (RFC 8011, 5.4.11). */
export type PrinterState = 'idle' | 'processing' | 'stopped'

/** IPP printer-state-reasons (RFC 8011, 5.4.12) that we use. */
export type PrinterReason =
  | 'none'
  | 'media-empty'
  | 'cover-open'
  | 'marker-supply-empty'
  | 'media-jam'
  | 'paused'
  | 'offline'
  | 'other'

/** How a printer is now, and what a person can do about it. */
export interface PrinterStatus {
  readonly state: PrinterState
  readonly reasons: readonly PrinterReason[]
  /** One sentence; '' when all is well. */
  readonly message: string
  /** What to do; '' when there is nothing to do. */
  readonly hint: string
}

/** A printer with its present state. */
export interface KnownPrinter extends Printer {
  /** Labels without a printer go here. */
  readonly isDefault: boolean
  readonly status: PrinterStatus
}
