import { titledLanguages } from '../languages/index.ts'
import { isUnasked, type Presence, type Printer, type PrinterStatus } from './printer.ts'

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
      message: `${name} is not at its address in the settings; one of its kind is now ${movedTo}. Its labels are kept.`,
      hint: 'Plug the cable back in where it was, or change the address in the settings.',
    }
  }
  if (!isHere) {
    return {
      state: 'stopped',
      reasons: ['offline'],
      message: `${name} is not connected or switched off. Its labels are kept and print by themselves.`,
      hint: 'Switch the printer on and check its cable.',
    }
  }
  if (hindrance !== '') {
    return { state: 'stopped', reasons: ['other'], message: hindrance, hint: '' }
  }
  if (printer.language === undefined && status.message === '') {
    return {
      ...status,
      message: `What language does ${name} speak? Until somebody says so, ${titledLanguages} labels print as they are, and pictures are refused.`,
      hint: 'Choose its language: it stands in the manual, or on the label that the printer makes when it is switched on with the feed button held.',
    }
  }
  const stock = status.message === '' ? compareStock(printer) : ''
  if (stock !== '') {
    return {
      ...status,
      message: stock,
      hint: 'Put in the right roll, press "Calibrate" after another roll was put in, or correct the label size in the settings.',
    }
  }
  if (!isUnasked(status)) return status
  return {
    ...status,
    message: `It is not known yet whether ${name} is switched on and ready. Its labels are taken, and the first one shows it.`,
  }
}

/** Paused here by a person (RFC 8011, 5.4.12 `paused`); what else keeps it from printing stays in the reasons. */
export function pausedStatus({ name }: Printer, { state, reasons }: PrinterStatus): PrinterStatus {
  const others = reasons.filter((reason) => reason !== 'none' && reason !== 'paused')
  return {
    // The label in hand is finished.
    state: state === 'processing' ? state : 'stopped',
    reasons: ['paused', ...others],
    message: `${name} is paused. Its labels wait.`,
    hint: 'Press "Resume" to print them.',
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
    return `${name} has labels of ${say(length, dpi)} inches, and the settings say ${labelHeight} inches.`
  }
  const width = media?.widthDots
  if (!isOff(width, dpi, labelWidth) || width / dpi > (labelWidth ?? 0)) return ''
  return `${name} prints ${say(width, dpi)} inches wide, and the settings say labels of ${labelWidth} inches.`
}

function isOff(dots: number | undefined, dpi: number, inches: number | undefined): dots is number {
  if (dots === undefined || inches === undefined) return false
  return Math.abs(dots / dpi - inches) > Math.max(INCHES, SHARE * inches)
}

function say(dots: number, dpi: number): number {
  return Math.round((dots / dpi) * 10) / 10
}
