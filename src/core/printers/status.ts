import { type PrinterReason, titledLanguages } from '#labels'
import type { Printer, PrinterPresence } from '#printers'
import { join, NOTHING, quoteEnglish, type Sentences, say } from '../../words/say.ts'

/** IPP printer-state (RFC 8011, 5.4.11). */
type PrinterState = 'idle' | 'processing' | 'stopped'

/** The state of a printer now, and what a person can do about it. */
export interface PrinterStatus {
  readonly state: PrinterState
  readonly reasons: readonly PrinterReason[]
  /** Empty when all is well. */
  readonly message: Sentences
  /** Advice; empty when there is nothing to do. */
  readonly hint: Sentences
  /** Technical details of `message` for the person who set the printer up, such as addresses. */
  readonly detail?: string
}

/** True until a printer that only a call can find has answered or refused one. */
export function isUnasked({ reasons }: PrinterStatus): boolean {
  return reasons.includes('platen-not-asked')
}

/** A printer with its present state. */
export interface KnownPrinter extends Printer {
  /** True for the printer that gets labels without one. */
  readonly isDefault: boolean
  /** True when a person has paused it here: no label begins. */
  readonly isPaused: boolean
  readonly status: PrinterStatus
  /** The reason why its backup cannot take its labels, as far as it was checked; left out = nothing is known against it. */
  readonly backupFault?: Sentences
}

/**
 * Describes a printer on its card: its queue first, because a label in hand matters most; for an idle printer whether it is there at all,
 * and what a person should still do about it.
 */
export function describeStatus(
  printer: Printer,
  status: PrinterStatus,
  { isHere, hindrance, movedTo }: PrinterPresence,
): PrinterStatus {
  if (status.state === 'stopped' && !isHere) return addOffline(status)
  if (status.state !== 'idle') return status
  const { name } = printer
  if (!isHere && movedTo !== undefined) {
    return {
      state: 'stopped',
      reasons: ['offline'],
      message: join(say('elsewhere', { printer: name, place: movedTo }), say('labelsKept')),
      hint: say('plugBack'),
    }
  }
  if (!isHere) {
    return {
      state: 'stopped',
      reasons: ['offline'],
      message: join(say('notConnected', { printer: name }), say('keptAlone')),
      hint: say('switchOn'),
    }
  }
  if (hindrance !== '') {
    const message = quoteEnglish(hindrance)
    return { state: 'stopped', reasons: ['other'], message, hint: NOTHING }
  }
  if (printer.language === undefined && status.message.length === 0) {
    return {
      ...status,
      message: join(
        say('whatLanguage', { printer: name }),
        say('untilSaid', { languages: titledLanguages }),
      ),
      hint: say('chooseLanguage'),
    }
  }
  const stock = status.message.length === 0 ? compareStock(printer) : NOTHING
  if (stock.length > 0) {
    return {
      ...status,
      message: stock,
      hint: say('rightRoll'),
    }
  }
  if (!isUnasked(status)) return status
  return {
    ...status,
    message: join(say('notAskedYet', { printer: name }), say('firstShows')),
  }
}

/** The status of a printer that a person paused here (RFC 8011, 5.4.12 `paused`); other hindrances stay in the reasons. */
export function pausedStatus({ name }: Printer, { state, reasons }: PrinterStatus): PrinterStatus {
  const others = reasons.filter((reason) => reason !== 'none' && reason !== 'paused')
  return {
    // The label in hand is finished.
    state: state === 'processing' ? state : 'stopped',
    reasons: ['paused', ...others],
    message: join(say('isPaused', { printer: name }), say('labelsWait')),
    hint: say('pressResume'),
  }
}

/** Adds that the printer is offline. What stopped its queue stays first, e.g. a label that was cut off when the cable came out. */
function addOffline(status: PrinterStatus): PrinterStatus {
  const others = status.reasons.filter((reason) => reason !== 'offline' && reason !== 'other')
  return { ...status, reasons: ['offline', ...others] }
}

const SHARE = 0.1 // the gap between two labels is not another size
const INCHES = 0.35

/** Describes a difference between the settings and the printer: another label length than it measured, or a wider label than it prints. */
function compareStock({ name, dpi, labelWidth, labelHeight, media }: Printer): Sentences {
  const length = media?.tracking === 'continuous' ? undefined : media?.lengthDots
  if (isOff(length, dpi, labelHeight)) {
    return say('otherLength', {
      printer: name,
      has: toInches(length, dpi),
      wanted: labelHeight ?? 0,
    })
  }
  const width = media?.widthDots
  if (!isOff(width, dpi, labelWidth) || width / dpi > (labelWidth ?? 0)) return NOTHING
  return say('otherWidth', { printer: name, has: toInches(width, dpi), wanted: labelWidth ?? 0 })
}

function isOff(dots: number | undefined, dpi: number, inches: number | undefined): dots is number {
  if (dots === undefined || inches === undefined) return false
  return Math.abs(dots / dpi - inches) > Math.max(INCHES, SHARE * inches)
}

function toInches(dots: number, dpi: number): number {
  return Math.round((dots / dpi) * 10) / 10
}
