import type { Language } from '../language.ts'
import { signs } from './detect.ts'
import { encode } from './encode.ts'
import { scanTspl } from './scan.ts'
import { status } from './status.ts'
import { stock } from './stock.ts'

/** TSPL and TSPL2; nothing gets its printers out of half a label. */
export const tspl = {
  name: 'tspl',
  title: 'TSPL',
  makers: 'TSC, Rollo, Xprinter, Munbyn',
  commandSets: ['TSPL', 'TSPL2', 'XPP'],
  mediaType: 'application/vnd.tsc-tspl',
  signs,
  encode,
  scan: scanTspl,
  stock,
  status,
  drawsText: (beginning) => /^[ \t]*(TEXT|BARCODE|QRCODE|BLOCK)\s/m.test(beginning),
} as const satisfies Language<'tspl'>
