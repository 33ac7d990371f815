/** IPP printer-state-reasons (RFC 8011, 5.4.12) that we use, and one of our own. */
export type PrinterReason =
  | 'none'
  | 'media-empty'
  | 'cover-open'
  | 'marker-supply-empty'
  | 'media-jam'
  | 'paused'
  | 'offline'
  | 'other'
  | 'platen-not-asked'

/** Media tracking between two labels. */
export type Tracking = 'gap' | 'mark' | 'continuous'

/** The stock as the printer itself reports it; what it does not say is left out. */
export interface Media {
  /** From one label to the next, in dots of the head. */
  readonly lengthDots?: number
  /** Print width in dots of the head. */
  readonly widthDots?: number
  /** Tracking by which it finds the start of a label. */
  readonly tracking?: Tracking
}

/** Details that a printer reported when it was asked; what it did not say is left out. */
export interface PrinterDetails {
  /** The language in which it was asked. */
  readonly language?: string
  readonly makeAndModel?: string
  readonly dpi?: number
  readonly z64?: boolean
  readonly answers?: boolean
  readonly media?: Media
}

/** Status that a printer reports at one moment. */
export interface PrinterReading {
  /** Reasons that keep it from printing; empty = ready. */
  readonly reasons: readonly PrinterReason[]
  /** It still has something to print. */
  readonly isBusy: boolean
  /** Stock that it names. */
  readonly media?: Media
  /** Only faults were told, e.g. by its port: that says nothing of what was printed. */
  readonly isVague?: true
  /** It did not answer, though it did before. */
  readonly isSilent?: true
}

/** Asks a question: sends it as a transmission of its own and gives what came back, one character a byte; '' = silence. */
export type Talk = (question: string, isWhole: (answer: string) => boolean) => Promise<string>

/** Status questions of one language. */
export interface StatusLanguage {
  /** Reads the printer's status; undefined = it said nothing that could be read. */
  ask(talk: Talk): Promise<PrinterReading | undefined>
  /** Identifies the printer, asked once; what it does not say is left out. */
  identify?(talk: Talk): Promise<PrinterDetails>
  /**
   * Reads the stock just after the printer measured it, asked only then: what it says at other times the last
   * label may have told it. Undefined = nothing that could be read.
   */
  measure?(talk: Talk): Promise<Media | undefined>
  /** Labels that the printer has printed in its life; undefined = it does not say. */
  count?(talk: Talk): Promise<number | undefined>
  /**
   * Likely trouble of a printer that takes labels and does not answer; left out = silence says nothing.
   * Only counts for one that answered before.
   */
  readonly silence?: PrinterReading
  /** The printer must have been seen busy before "ready" proves that its label came out. */
  readonly needsBusy?: true
  /** Measures the stock again; feeds a few labels. */
  readonly calibrate: string
}

const QUIET_LOOKS = 3 // a printer may think between two lines

/** For answers that show no end: whole when nothing more came for a few looks. */
export function untilQuiet(): (answer: string) => boolean {
  let before = ''
  let looks = 0
  return (answer) => {
    looks = answer !== '' && answer === before ? looks + 1 : 0
    before = answer
    return looks >= QUIET_LOOKS
  }
}
