import type { Printer } from './printer.ts'

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
