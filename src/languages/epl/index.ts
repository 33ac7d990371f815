import type { Language } from '../language.ts'
import { signs } from './detect.ts'
import { encode } from './encode.ts'
import { scanEpl } from './scan.ts'
import { status } from './status.ts'
import { stock } from './stock.ts'

/** EPL2 (EPL Programming Guide, 14245L-003); nothing gets its printers out of half a label. */
export const epl = {
  name: 'epl',
  title: 'EPL',
  makers: 'older Zebra and Eltron, LP 2844',
  commandSets: ['EPL', 'EPL2'],
  mediaType: 'application/vnd.eltron-epl',
  signs,
  encode,
  scan: scanEpl,
  stock,
  status,
} as const satisfies Language<'epl'>
