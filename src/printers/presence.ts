import type { Presence, Printer, PrinterStatus } from './printer.ts'

/**
 * What a printer's card says: its queue first, for a label in hand counts most; of an idle printer whether it is there
 * at all, and what a person should still tell about it.
 */
export function describeStatus(
  printer: Printer,
  status: PrinterStatus,
  { isHere, hindrance }: Presence,
): PrinterStatus {
  if (status.state !== 'idle') return status
  const { name } = printer
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
      message: `What language does ${name} speak? Until somebody says so, ZPL, EPL and TSPL labels print as they are, and pictures are refused.`,
      hint: 'Choose its language: it stands in the manual, or on the label that the printer makes when it is switched on with the feed button held.',
    }
  }
  return status
}
