import type { Printer } from '../../src/printers/printer.ts'

/** A printer's entry as the configuration makes it when little is said; what a test is about is given. */
export function makePrinter(name: string, more: Partial<Printer> = {}): Printer {
  return {
    name,
    uri: 'file:bench',
    makeAndModel: '',
    language: 'zpl',
    dpi: 203,
    labelWidth: undefined,
    labelHeight: undefined,
    rotate: 'auto',
    darkness: undefined,
    speed: undefined,
    graphics: 'auto',
    ...more,
  }
}
