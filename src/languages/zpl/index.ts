import type { Language } from '../language.ts'
import { isOpen, signs } from './detect.ts'
import { encode } from './encode.ts'
import { scanZpl } from './scan.ts'
import { status } from './status.ts'
import { stock } from './stock.ts'

/** ZPL II (Zebra, ZPL II Programming Guide). */
export const zpl = {
  name: 'zpl',
  title: 'ZPL',
  makers: 'Zebra and most others',
  commandSets: ['ZPL', 'ZPL2', 'ZPLII', 'CEZD', 'BIXOLON_01'],
  mediaType: 'application/vnd.zebra-zpl',
  signs,
  encode,
  scan: scanZpl,
  stock,
  status,
  // Cancels all formats, the half one too (~JA).
  resync: '~JA',
  ending: { command: '^XZ', isMissing: isOpen },
} as const satisfies Language<'zpl'>
