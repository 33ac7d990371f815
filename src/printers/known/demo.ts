import type { Printer, PrinterSettings } from '../printer.ts'

/** The virtual printer of `--demo`: nothing but the flag brings it, so that no label vanishes into a file unseen. */
export const demoPrinter: Printer = {
  name: 'Demo printer',
  uri: 'file:demo',
  makeAndModel: 'Virtual printer',
  language: 'zpl',
  dpi: 203,
  labelWidth: undefined,
  labelHeight: undefined,
  rotate: 'auto',
  darkness: undefined,
  speed: undefined,
  graphics: 'auto',
}

/** The printers of the settings, and the virtual one where it is wanted and the settings do not have it. */
export function withDemo(
  printers: readonly PrinterSettings[],
  isWanted: boolean,
): readonly PrinterSettings[] {
  const isThere = printers.some(({ uri }) => uri === demoPrinter.uri)
  return isWanted && !isThere ? [...printers, demoPrinter] : printers
}
