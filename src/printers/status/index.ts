import { epl } from './epl.ts'
import type { StatusLanguage } from './reading.ts'
import { tspl } from './tspl.ts'
import { zpl } from './zpl.ts'

/** Every language in which a printer can be asked how it is. */
export const statusLanguages: readonly StatusLanguage[] = [zpl, epl, tspl]
