import { type Media, type PrinterReason, titledLanguages } from '#labels'
import { say } from '../words/say.ts'

export type { Media, PrinterReason }

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
  /** True when it surely reads `:Z64:` graphics; left out = unknown. */
  readonly z64?: boolean
  /** It prints pictures only: text and bar code commands of its language come out blank. */
  readonly rasterOnly?: boolean
  /** It has answered the questions of its language before. */
  readonly answers?: boolean
  /** What it says of its stock; left out = it never said. */
  readonly media?: Media
  /** False = it is never asked how it is. */
  readonly asksStatus?: boolean
  /** It was found, and no entry of the configuration names it. */
  readonly isFound?: boolean
  /** Where its waiting labels go when it cannot print; left out = nowhere. */
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

/** Whether a printer can be seen now, as discovery tells. */
export interface Presence {
  readonly isHere: boolean
  /** Why it cannot be used though it is here, with what to do; '' = it can. */
  readonly hindrance: string
  /** Device URI of the only other printer of its kind, while it is not here: most likely its cable was moved. */
  readonly movedTo?: string
}

/** IPP printer-state (RFC 8011, 5.4.11). */
type PrinterState = 'idle' | 'processing' | 'stopped'

/** How a printer is now, and what a person can do about it. */
export interface PrinterStatus {
  readonly state: PrinterState
  readonly reasons: readonly PrinterReason[]
  /** One sentence; '' when all is well. */
  readonly message: string
  /** What to do; '' when there is nothing to do. */
  readonly hint: string
  /** Technical details of `message` for the person who set it up, such as addresses. */
  readonly detail?: string
}

/** True until a printer that only a call can find has answered or refused one. */
export function isUnasked({ reasons }: PrinterStatus): boolean {
  return reasons.includes('platen-not-asked')
}

/** A printer with its present state. */
export interface KnownPrinter extends Printer {
  /** Labels without a printer go here. */
  readonly isDefault: boolean
  /** A person has paused it here: no label begins. */
  readonly isPaused: boolean
  readonly status: PrinterStatus
  /** Why its backup cannot take its labels, as far as somebody has looked; left out = nothing is known against it. */
  readonly backupFault?: string
}

/**
 * What a printer's card says: its queue first, for a label in hand counts most; of an idle printer whether it is there
 * at all, and what a person should still tell about it.
 */
export function describeStatus(
  printer: Printer,
  status: PrinterStatus,
  { isHere, hindrance, movedTo }: Presence,
): PrinterStatus {
  if (status.state === 'stopped' && !isHere) return addOffline(status)
  if (status.state !== 'idle') return status
  const { name } = printer
  if (!isHere && movedTo !== undefined) {
    return {
      state: 'stopped',
      reasons: ['offline'],
      message: `${say('elsewhere', { printer: name, place: movedTo })} ${say('labelsKept')}`,
      hint: say('plugBack'),
    }
  }
  if (!isHere) {
    return {
      state: 'stopped',
      reasons: ['offline'],
      message: `${say('notConnected', { printer: name })} ${say('keptAlone')}`,
      hint: say('switchOn'),
    }
  }
  if (hindrance !== '') {
    return { state: 'stopped', reasons: ['other'], message: hindrance, hint: '' }
  }
  if (printer.language === undefined && status.message === '') {
    return {
      ...status,
      message: `${say('whatLanguage', { printer: name })} ${say('untilSaid', { languages: titledLanguages })}`,
      hint: say('chooseLanguage'),
    }
  }
  const stock = status.message === '' ? compareStock(printer) : ''
  if (stock !== '') {
    return {
      ...status,
      message: stock,
      hint: say('rightRoll'),
    }
  }
  if (!isUnasked(status)) return status
  return {
    ...status,
    message: `${say('notAskedYet', { printer: name })} ${say('firstShows')}`,
  }
}

/** Paused here by a person (RFC 8011, 5.4.12 `paused`); what else keeps it from printing stays in the reasons. */
export function pausedStatus({ name }: Printer, { state, reasons }: PrinterStatus): PrinterStatus {
  const others = reasons.filter((reason) => reason !== 'none' && reason !== 'paused')
  return {
    // The label in hand is finished.
    state: state === 'processing' ? state : 'stopped',
    reasons: ['paused', ...others],
    message: `${say('isPaused', { printer: name })} ${say('labelsWait')}`,
    hint: say('pressResume'),
  }
}

/** What stopped its queue stands first, e.g. a label that was cut off when the cable came out. */
function addOffline(status: PrinterStatus): PrinterStatus {
  const others = status.reasons.filter((reason) => reason !== 'offline' && reason !== 'other')
  return { ...status, reasons: ['offline', ...others] }
}

const SHARE = 0.1 // the gap between two labels is not another size
const INCHES = 0.35

/** A sentence when the settings name another label length than the printer measured, or a wider label than it prints. */
function compareStock({ name, dpi, labelWidth, labelHeight, media }: Printer): string {
  const length = media?.tracking === 'continuous' ? undefined : media?.lengthDots
  if (isOff(length, dpi, labelHeight)) {
    return say('otherLength', {
      printer: name,
      has: toInches(length, dpi),
      wanted: labelHeight ?? 0,
    })
  }
  const width = media?.widthDots
  if (!isOff(width, dpi, labelWidth) || width / dpi > (labelWidth ?? 0)) return ''
  return say('otherWidth', { printer: name, has: toInches(width, dpi), wanted: labelWidth ?? 0 })
}

function isOff(dots: number | undefined, dpi: number, inches: number | undefined): dots is number {
  if (dots === undefined || inches === undefined) return false
  return Math.abs(dots / dpi - inches) > Math.max(INCHES, SHARE * inches)
}

function toInches(dots: number, dpi: number): number {
  return Math.round((dots / dpi) * 10) / 10
}
